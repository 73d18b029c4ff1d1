// What a person reads in a Markdown page: its words without code, and the lengths of its sentences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::tidy {

/// The text with code blocks, comments and link targets blanked. A code span is one word. Lines
/// keep their numbers.
std::string prose_of(std::string_view markdown);

/// A word or phrase of the old dialect in a page or in comments, and the standard term.
struct Dialect {
  std::size_t line = 0;  // from 1
  std::string_view phrase;
  std::string_view instead;
};

std::vector<Dialect> dialect_in(std::string_view markdown);

/// The number of words of each sentence. Headings, tables and one or two words alone do not count.
std::vector<std::size_t> sentence_lengths(std::string_view markdown);

/// Of the sentences of several pages.
struct SentenceLengths {
  std::size_t sentences = 0;
  std::size_t median = 0;
  std::size_t percentile_95 = 0;
};

SentenceLengths summary_of(std::vector<std::size_t> lengths);

}  // namespace reeve::tidy
