// Where JSON-with-comments deviates from JSON: blanks what is allowed, explains what is not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {

/// A copy of `text` in which each comma that only ends a list is a blank.  Offsets stay.
std::string without_trailing_commas(std::string_view text);

/// The first byte at or after `at` that is neither blank nor in a comment; text.size() at the end.
/// An unterminated comment stops at its opening, and `unterminated` says so.
struct Significant {
  std::size_t at = 0;
  bool unterminated = false;
};
Significant skip_blanks(std::string_view text, std::size_t at);

/// One past the string that opens at `at`; text.size() if it is not closed.
std::size_t end_of_string(std::string_view text, std::size_t at);

/// One past the longest prefix from `at` that is a JSON number; `at` if there is none.
std::size_t end_of_number(std::string_view text, std::size_t at);

/// What a parser had read when it failed.
struct ParserState {
  enum class After : std::uint8_t { nothing, open, key, value };
  enum class Inside : std::uint8_t { nothing, object, array };
  After after = After::nothing;
  Inside inside = Inside::nothing;
  std::size_t token_begin = 0;  ///< the last token taken, a number or literal if `scalar`
  std::size_t token_end = 0;
  bool scalar = false;
  std::optional<std::size_t> opened_at;  ///< the bracket of the container `inside`
};

/// The diagnostic for the first mistake after `state` (E0101 ... E0117).
Diagnostic explain_syntax(const SourceFile& source, std::string_view text,
                          const ParserState& state);

}  // namespace reeve::scenarios
