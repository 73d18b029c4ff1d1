// The width of text on a terminal, and text made safe for display.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace reeve::report {

/// The columns of UTF-8 `text`: 0 for combining marks, 2 for East Asian wide characters and
/// pictographs, 1 for all others and for each byte that is not UTF-8.
std::size_t display_width(std::string_view text);

/// `text` without characters that move the cursor, change colours or reverse the line: control
/// characters, bidirectional controls and broken UTF-8 become "\uFFFD", white space becomes a
/// space.
std::string printable(std::string_view text);

/// 12 -> "¹²".
std::string superscript(std::size_t number);

}  // namespace reeve::report
