// The rules about the text of the repository, as functions of that text, so that each can be
// tested.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/prose.hpp"

namespace reeve::tidy {

/// One file as it lies in the repository; the path is relative to the root, with slashes.
struct File {
  std::string path;
  std::string text;
};

/// One breach; lines count from 1, and 0 means the file as a whole.
struct Finding {
  std::string path;
  std::size_t line = 0;
  std::string rule;
  std::string message;
};

/// The names of all rules, in the order in which they are checked.
std::vector<std::string_view> rule_names();

/// All breaches in these files; a rule that covers none of them is a breach of `covers-nothing`.
/// A line is excused from a rule by a comment `tidy: allow RULE: REASON` on it.
std::vector<Finding> check(std::span<const File> files);

/// Of all sentences in the pages that the rule `plain-language` covers.
SentenceLengths sentence_lengths_of(std::span<const File> files);

}  // namespace reeve::tidy
