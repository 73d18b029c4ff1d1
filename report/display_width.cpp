#include "report/display_width.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace reeve::report {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Unicode 15: the blocks that matter; a rarely used mark inside a block may be off by one column.
constexpr std::array zero_wide{Range{0x0300, 0x036F},  Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},
                               Range{0x064B, 0x065F},  Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF},
                               Range{0x200B, 0x200D},  Range{0x2060, 0x2060}, Range{0x20D0, 0x20FF},
                               Range{0xFE00, 0xFE0F},  Range{0xFE20, 0xFE2F}, Range{0xFEFF, 0xFEFF},
                               Range{0xE0100, 0xE01EF}};
constexpr std::array double_wide{
    Range{0x1100, 0x115F},   Range{0x2E80, 0x303E},   Range{0x3041, 0xA4CF},
    Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},
    Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},
    Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF},
    Range{0x20000, 0x3FFFD}};
constexpr std::array unsafe{Range{0x0000, 0x001F}, Range{0x007F, 0x009F}, Range{0x200E, 0x200F},
                            Range{0x2028, 0x202E}, Range{0x2066, 0x2069}};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t code) {
  return std::ranges::any_of(
      ranges, [&](Range range) { return code >= range.first && code <= range.last; });
}

/// The next character; `length` 1 and `valid` false where the bytes are not UTF-8.
struct Character {
  char32_t code = 0;
  std::size_t length = 1;
  bool valid = false;
};

Character decode(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  char32_t code = first & (0xFFu >> (length + 1));
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0u) != 0x80u) return {};
    code = (code << 6) | (byte(at) & 0x3Fu);
  }
  constexpr std::array<char32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < least[length] || code > 0x10FFFF || surrogate) return {};
  return {code, length, true};
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Character next = decode(text);
    if (!next.valid || !is_in(zero_wide, next.code)) ++width;
    if (next.valid && is_in(double_wide, next.code)) ++width;
    text.remove_prefix(next.length);
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character next = decode(text);
    if (next.code == '\n' || next.code == '\t' || next.code == '\r') {
      out += ' ';
    } else if (!next.valid || is_in(unsafe, next.code)) {
      out += "\uFFFD";
    } else {
      out += text.substr(0, next.length);
    }
    text.remove_prefix(next.length);
  }
  return out;
}

std::string superscript(std::size_t number) {
  static constexpr std::array<std::string_view, 10> digits{"⁰", "¹", "²", "³", "⁴",
                                                           "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out;
  for (const char digit : std::to_string(number)) {
    out += digits[static_cast<std::size_t>(digit - '0')];
  }
  return out;
}

}  // namespace reeve::report
