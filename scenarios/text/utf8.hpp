// UTF-8 one character at a time: validity, counting, and the width and safe look of a character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace reeve::scenarios {

/// One character of a byte string.  Invalid bytes come one by one with `valid` false.
struct Utf8Character {
  char32_t code = 0;
  std::uint8_t bytes = 1;
  bool valid = false;
};

/// The character that begins at `offset` (< bytes.size()).  Surrogates, overlong forms and code
/// points above U+10FFFF are invalid (RFC 3629).
Utf8Character decode_utf8(std::string_view bytes, std::size_t offset);

/// Characters in `bytes`, each invalid byte counting as one.
std::size_t count_characters(std::string_view bytes);

/// The offset of the first byte that is not valid UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view bytes);

/// Terminal columns of a character: 0 combining, 2 East Asian wide and emoji, else 1.
unsigned width_of(char32_t code);

/// A character as it may go to a terminal: itself, or a visible stand-in for controls (U+2400 ...),
/// direction marks and invalid bytes (U+FFFD).  A tab becomes `tab`.
std::string shown(const Utf8Character& character, std::string_view bytes, std::string_view tab);

/// `text` with every unsafe character replaced as by shown(); tabs and newlines become blanks.
std::string shown(std::string_view text);

}  // namespace reeve::scenarios
