#include "scenarios/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace reeve::scenarios {
namespace {

struct Interval {
  char32_t first;
  char32_t last;
};

// The common combining blocks, zero-width characters and variation selectors: what people's files
// hold.  A miss only shifts a caret.
constexpr std::array<Interval, 12> zero_width{{{0x0300, 0x036F},
                                               {0x0483, 0x0489},
                                               {0x0591, 0x05BD},
                                               {0x0610, 0x061A},
                                               {0x064B, 0x065F},
                                               {0x0E34, 0x0E3A},
                                               {0x1AB0, 0x1AFF},
                                               {0x1DC0, 0x1DFF},
                                               {0x200B, 0x200D},
                                               {0x20D0, 0x20FF},
                                               {0xFE00, 0xFE0F},
                                               {0xFE20, 0xFE2F}}};

constexpr std::array<Interval, 11> double_width{{{0x1100, 0x115F},
                                                 {0x2E80, 0x303E},
                                                 {0x3041, 0xA4CF},
                                                 {0xAC00, 0xD7A3},
                                                 {0xF900, 0xFAFF},
                                                 {0xFE30, 0xFE6F},
                                                 {0xFF00, 0xFF60},
                                                 {0xFFE0, 0xFFE6},
                                                 {0x1F300, 0x1F64F},
                                                 {0x1F680, 0x1FAFF},
                                                 {0x20000, 0x3FFFD}}};

// Characters that reorder or hide what surrounds them: a file must not be able to forge a message.
constexpr std::array<Interval, 7> deceptive{{{0x0080, 0x009F},
                                             {0x061C, 0x061C},
                                             {0x200B, 0x200F},
                                             {0x2028, 0x202E},
                                             {0x2060, 0x206F},
                                             {0xFEFF, 0xFEFF},
                                             {0xFFF9, 0xFFFB}}};

template <std::size_t N>
bool contains(const std::array<Interval, N>& intervals, char32_t code) {
  return std::any_of(intervals.begin(), intervals.end(), [code](const Interval& interval) {
    return interval.first <= code && code <= interval.last;
  });
}

std::uint8_t byte_at(std::string_view bytes, std::size_t offset) {
  return static_cast<std::uint8_t>(bytes[offset]);
}

bool is_control(char32_t code) {
  return code < 0x20 || code == 0x7F;
}

}  // namespace

Utf8Character decode_utf8(std::string_view bytes, std::size_t offset) {
  const std::uint8_t lead = byte_at(bytes, offset);
  if (lead < 0x80) return {lead, 1, true};
  const Utf8Character invalid{lead, 1, false};
  const unsigned extra = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4 || bytes.size() - offset <= extra) return invalid;
  char32_t code = lead & (0x3Fu >> extra);
  for (unsigned i = 1; i <= extra; ++i) {
    const std::uint8_t next = byte_at(bytes, offset + i);
    if ((next & 0xC0) != 0x80) return invalid;
    code = (code << 6) | (next & 0x3F);
  }
  constexpr std::array<char32_t, 4> smallest{0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < smallest[extra] || code > 0x10FFFF || surrogate) return invalid;
  return {code, static_cast<std::uint8_t>(extra + 1), true};
}

std::size_t count_characters(std::string_view bytes) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint64_t word = 0;
    if (bytes.size() - at >= sizeof word) {
      std::memcpy(&word, bytes.data() + at, sizeof word);
      if ((word & 0x8080808080808080u) == 0) {
        at += sizeof word;
        count += sizeof word;
        continue;
      }
    }
    at += decode_utf8(bytes, at).bytes;
    ++count;
  }
  return count;
}

std::size_t find_invalid_utf8(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    std::uint64_t word = 0;
    if (bytes.size() - at >= sizeof word) {
      std::memcpy(&word, bytes.data() + at, sizeof word);
      if ((word & 0x8080808080808080u) == 0) {
        at += sizeof word;
        continue;
      }
    }
    const Utf8Character character = decode_utf8(bytes, at);
    if (!character.valid) return at;
    at += character.bytes;
  }
  return std::string_view::npos;
}

unsigned width_of(char32_t code) {
  if (code < 0x300) return 1;
  if (contains(zero_width, code)) return 0;
  return contains(double_width, code) ? 2 : 1;
}

std::string shown(const Utf8Character& character, std::string_view bytes, std::string_view tab) {
  if (character.valid && character.code == '\t') return std::string{tab};
  if (!character.valid || contains(deceptive, character.code)) return "\uFFFD";
  if (!is_control(character.code)) return std::string{bytes};
  // The control pictures U+2400 ... U+2421 are E2 90 80 ... in UTF-8.
  const unsigned picture = character.code == 0x7F ? 0x21u : static_cast<unsigned>(character.code);
  return {'\xE2', '\x90', static_cast<char>(0x80u + picture)};
}

std::string shown(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    const std::string_view bytes = text.substr(at, character.bytes);
    result += character.code == '\n' ? std::string{" "} : shown(character, bytes, " ");
    at += character.bytes;
  }
  return result;
}

}  // namespace reeve::scenarios
