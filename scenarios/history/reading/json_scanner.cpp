#include "scenarios/history/reading/json_scanner.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "scenarios/text/utf8.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;

constexpr std::size_t step_bytes = std::size_t{1} << 18;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
constexpr std::uint64_t each_byte = 0x0101010101010101u;
constexpr std::uint64_t each_high = 0x8080808080808080u;

/// Whether a byte of the word is zero.
constexpr std::uint64_t has_zero(std::uint64_t word) {
  return (word - each_byte) & ~word & each_high;
}

/// Whether eight bytes have one at which a string ends, or is looked at more closely.
bool is_special(std::uint64_t word) {
  const std::uint64_t controls = (word - each_byte * 0x20) & ~word;
  return (((controls | word) & each_high) | has_zero(word ^ (each_byte * '"')) |
          has_zero(word ^ (each_byte * '\\'))) != 0;
}

bool is_special_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte >= 0x80 || c == '"' || c == '\\';
}

bool is_high_surrogate(unsigned code) {
  return code >= 0xD800 && code < 0xDC00;
}
bool is_low_surrogate(unsigned code) {
  return code >= 0xDC00 && code < 0xE000;
}

unsigned code_of(std::string_view digits) {
  unsigned code = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  return code;
}

/// Writes at most four bytes, and goes behind them.
void put_utf8(char*& to, unsigned code) {
  const auto rest = [&](unsigned shift) {
    *to++ = static_cast<char>(0x80u | (code >> shift & 0x3Fu));
  };
  if (code < 0x80) {
    *to++ = static_cast<char>(code);
  } else if (code < 0x800) {
    *to++ = static_cast<char>(0xC0u | code >> 6);
    rest(0);
  } else if (code < 0x10000) {
    *to++ = static_cast<char>(0xE0u | code >> 12);
    rest(6);
    rest(0);
  } else {
    *to++ = static_cast<char>(0xF0u | code >> 18);
    rest(12);
    rest(6);
    rest(0);
  }
}

}  // namespace

JsonScanner::JsonScanner(Inflater bytes)
    : bytes_{std::move(bytes)}, buffer_(step_bytes), next_{buffer_.data()}, end_{next_} {}

/// More bytes behind those at hand, which move with `at`.  False at the end.
bool JsonScanner::more(const char*& at) {
  if (!bytes_) return false;
  const auto unread = static_cast<std::size_t>(end_ - next_);
  const auto offset = at - next_;
  if (next_ != buffer_.data()) std::memmove(buffer_.data(), next_, unread);
  if (unread * 2 > buffer_.size()) buffer_.resize(buffer_.size() * 2);
  next_ = buffer_.data();
  const std::size_t got = bytes_->read(buffer_.data() + unread, buffer_.size() - unread);
  end_ = next_ + unread + got;
  at = next_ + offset;
  count_ += got;
  return got > 0;
}

bool JsonScanner::has_more(const char*& at, std::size_t bytes) {
  while (static_cast<std::size_t>(end_ - at) < bytes) {
    if (!more(at)) return false;
  }
  return true;
}

char JsonScanner::peek() {
  while (true) {
    for (; next_ != end_; ++next_) {
      if (*next_ == '\n') {
        ++line_;
        for (std::uint64_t word = 0; end_ - next_ > 8; next_ += 8) {  // most blanks indent a line
          std::memcpy(&word, next_ + 1, sizeof word);
          if (word != each_byte * ' ') break;
        }
      } else if (*next_ != ' ' && *next_ != '\r' && *next_ != '\t') {
        return *next_;
      }
    }
    if (!more(next_)) return '\0';
  }
}

bool JsonScanner::take_mark() {
  return take_word(byte_order_mark);
}

bool JsonScanner::take_word(std::string_view word) {
  if (!has(next_, word.size()) || !std::string_view{next_, word.size()}.starts_with(word)) {
    return false;
  }
  next_ += word.size();
  return true;
}

bool JsonScanner::take_string(std::string_view& text) {
  if (!scan_string()) return false;
  text = token().substr(1, token_bytes_ - 2);
  if (has_escapes_) text = unescaped(text);
  next_ += token_bytes_;
  return true;
}

bool JsonScanner::skip_string() {
  if (!scan_string()) return false;
  next_ += token_bytes_;
  return true;
}

/// Finds the end of the string that begins at next_.
bool JsonScanner::scan_string() {
  bool is_ascii = true;
  has_escapes_ = false;
  for (const char* at = next_ + 1;;) {
    for (std::uint64_t word = 0; end_ - at >= 8; at += 8) {
      std::memcpy(&word, at, sizeof word);
      if (is_special(word)) break;
    }
    while (at != end_ && !is_special_byte(*at)) ++at;
    if (at == end_) {
      if (!more(at)) return false;
    } else if (*at == '"') {
      token_bytes_ = static_cast<std::size_t>(at + 1 - next_);
      return is_ascii || find_invalid_utf8(token()) == std::string_view::npos;
    } else if (*at == '\\') {
      has_escapes_ = true;
      if (!scan_escape(at)) return false;
    } else if (static_cast<unsigned char>(*at) < 0x20) {
      return false;
    } else {
      is_ascii = false;
      ++at;
    }
  }
}

bool JsonScanner::scan_escape(const char*& at) {
  if (!has(at, 2)) return false;
  if (at[1] != 'u') {
    const bool is_known = std::string_view{"\"\\/bfnrt"}.find(at[1]) != std::string_view::npos;
    at += 2;
    return is_known;
  }
  unsigned code = 0;
  if (!scan_code(at, code)) return false;
  if (!is_high_surrogate(code)) return !is_low_surrogate(code);
  return scan_code(at, code) && is_low_surrogate(code);
}

bool JsonScanner::scan_code(const char*& at, unsigned& code) {
  if (!has(at, 6) || at[0] != '\\' || at[1] != 'u') return false;
  const auto [end, error] = std::from_chars(at + 2, at + 6, code, 16);
  if (error != std::errc{} || end != at + 6) return false;
  at += 6;
  return true;
}

/// Of a text whose escapes are sound; none gets longer.
std::string_view JsonScanner::unescaped(std::string_view text) {
  if (unescaped_.size() < text.size()) unescaped_.resize(text.size());
  char* to = unescaped_.data();
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      *to++ = text[at++];
      continue;
    }
    const char what = text[at + 1];
    at += 2;
    if (what != 'u') {
      constexpr std::string_view written = "bfnrt", meant = "\b\f\n\r\t";
      const std::size_t known = written.find(what);
      *to++ = known == written.npos ? what : meant[known];
      continue;
    }
    unsigned code = code_of(text.substr(at, 4));
    at += 4;
    if (is_high_surrogate(code)) {
      code = 0x10000u + ((code - 0xD800u) << 10) + (code_of(text.substr(at + 2, 4)) - 0xDC00u);
      at += 6;
    }
    put_utf8(to, code);
  }
  return {unescaped_.data(), static_cast<std::size_t>(to - unescaped_.data())};
}

bool JsonScanner::scan_digits(const char*& at) {
  const auto is_digit = [&] { return has(at, 1) && *at >= '0' && *at <= '9'; };
  if (!is_digit()) return false;
  while (is_digit()) ++at;
  return true;
}

/// Finds the end of the number that begins at next_.
bool JsonScanner::scan_number() {
  const char* at = next_;
  is_whole_ = true;
  if (has(at, 1) && *at == '-') ++at;
  if (has(at, 1) && *at == '0') {
    ++at;
  } else if (!scan_digits(at)) {
    return false;
  }
  if (has(at, 1) && *at == '.') {
    is_whole_ = false;
    if (!scan_digits(++at)) return false;
  }
  if (has(at, 1) && (*at == 'e' || *at == 'E')) {
    is_whole_ = false;
    ++at;
    if (has(at, 1) && (*at == '+' || *at == '-')) ++at;
    if (!scan_digits(at)) return false;
  }
  token_bytes_ = static_cast<std::size_t>(at - next_);
  return true;
}

bool JsonScanner::take_number(json& number) {
  if (!scan_number()) return false;
  const auto read_as = [&](auto value) {
    const auto [end, error] = std::from_chars(next_, next_ + token_bytes_, value);
    if (error != std::errc{}) return false;
    number = value;
    return true;
  };
  const bool is_integer =
      is_whole_ && (*next_ == '-' ? read_as(std::int64_t{}) : read_as(std::uint64_t{}));
  if (!is_integer && !read_as(double{})) {  // too large; or so small that it is 0
    number = json::parse(next_, next_ + token_bytes_, nullptr, false);
    if (number.is_discarded()) return false;
  }
  next_ += token_bytes_;
  return true;
}

JsonScanner::Fault JsonScanner::fault(std::string_view before) {
  const char first = peek();
  if (first == '"') scan_string();  // the parser tells the place only of what is whole
  if (first == '-' || (first >= '0' && first <= '9')) scan_number();
  const char* at = next_;
  has(at, std::string_view{"false"}.size());
  const std::string text = std::string{before}.append(next_, end_);
  try {
    [[maybe_unused]] const json none = json::parse(text.data(), text.data() + text.size());
  } catch (const json::parse_error& error) {
    const std::size_t bytes = std::min(error.byte, text.size());
    const auto lines = std::count(text.data(), text.data() + bytes, '\n');
    return {line_ + static_cast<std::uint64_t>(lines), error.what()};
  } catch (const json::exception& error) {
    return {line_, error.what()};
  }
  return {line_, "a value that cannot stand here"};
}

}  // namespace reeve::scenarios
