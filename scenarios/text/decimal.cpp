#include "scenarios/text/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

namespace reeve::scenarios {
namespace {

constexpr ScaledDecimal fault(DecimalFault reason) {
  return {0, reason};
}

std::size_t count_digits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_decimal_digit(text[count])) ++count;
  return count;
}

struct Parts {
  bool valid = false;
  bool negative = false;
  std::string_view whole, fraction;
  std::int64_t exponent = 0;
};

// An exponent beyond any use is as good as a huge one: the result is an overflow or a zero.
constexpr std::int64_t largest_exponent = 1'000'000'000;

bool read_exponent(std::string_view text, std::int64_t& exponent) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || count_digits(text) != text.size()) return false;
  for (const char c : text) exponent = std::min(exponent * 10 + (c - '0'), largest_exponent);
  if (negative) exponent = -exponent;
  return true;
}

Parts split(std::string_view text) {
  Parts parts;
  parts.negative = text.starts_with('-');
  if (parts.negative) text.remove_prefix(1);
  parts.whole = text.substr(0, count_digits(text));
  text.remove_prefix(parts.whole.size());
  if (text.starts_with('.')) {
    parts.fraction = text.substr(1, count_digits(text.substr(1)));
    text.remove_prefix(1 + parts.fraction.size());
  }
  if (parts.whole.empty() && parts.fraction.empty()) return parts;
  if (text.starts_with('e') || text.starts_with('E')) {
    if (!read_exponent(text.substr(1), parts.exponent)) return parts;
  } else if (!text.empty()) {
    return parts;
  }
  parts.valid = true;
  return parts;
}

/// The value of a short number that needs no rounding and has no exponent; nothing of others.
std::optional<std::int64_t> scale_usual(std::string_view text, unsigned decimals) {
  constexpr std::size_t longest = 18;  // digits that fit, with those that `decimals` adds
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > longest) return {};
  std::int64_t value = 0;
  std::size_t digits = 0, missing = decimals;
  bool has_point = false;
  for (const char c : text) {
    if (is_decimal_digit(c)) {
      if (has_point && missing-- == 0) return {};
      value = value * 10 + (c - '0');
      ++digits;
    } else if (c == '.' && !has_point) {
      has_point = true;
    } else {
      return {};
    }
  }
  if (digits == 0 || digits + missing > longest) return {};
  for (; missing > 0; --missing) value *= 10;
  return negative ? -value : value;
}

}  // namespace

ScaledDecimal scale_decimal(std::string_view text, unsigned decimals, Rounding rounding) {
  if (const auto usual = scale_usual(text, decimals)) return {*usual, DecimalFault::none};
  const Parts parts = split(text);
  if (!parts.valid) return fault(DecimalFault::malformed);
  const std::size_t size = parts.whole.size() + parts.fraction.size();
  const auto digit = [&parts](std::size_t i) {
    const std::size_t whole = parts.whole.size();
    return static_cast<unsigned>((i < whole ? parts.whole[i] : parts.fraction[i - whole]) - '0');
  };
  std::size_t first = 0;  // significant digits are [first, last)
  std::size_t last = size;
  while (last > 0 && digit(last - 1) == 0) --last;
  while (first < last && digit(first) == 0) ++first;
  if (first == last) return {};
  // The digits before this index count whole units.
  const auto point = static_cast<std::int64_t>(parts.whole.size()) + parts.exponent +
                     static_cast<std::int64_t>(decimals);
  const auto begin = static_cast<std::int64_t>(first);
  const auto end = static_cast<std::int64_t>(last);
  if (point < end && rounding == Rounding::exact) return fault(DecimalFault::finer);
  if (point - begin > 19) return fault(DecimalFault::overflow);
  std::uint64_t value = 0;  // at most 19 digits: fits
  for (std::int64_t i = begin; i < point; ++i) {
    value = value * 10 + (i < end ? digit(static_cast<std::size_t>(i)) : 0);
  }
  if (point >= begin && point < end && digit(static_cast<std::size_t>(point)) >= 5) ++value;
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value > largest) return fault(DecimalFault::overflow);
  const auto magnitude = static_cast<std::int64_t>(value);
  return {parts.negative ? -magnitude : magnitude, DecimalFault::none};
}

std::optional<std::string> plain_dollars(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.starts_with('$')) text.remove_prefix(1);
  if (text.empty() || text[0] == '-') return std::nullopt;
  std::string plain = negative ? "-" : "";
  const std::string_view whole = text.substr(0, text.find_first_of(".eE"));
  if (whole.find(',') == whole.npos) return plain.append(text);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool comma_due = (whole.size() - i) % 4 == 0;
    if ((whole[i] == ',') != comma_due || (i == 0 && comma_due)) return std::nullopt;
    if (whole[i] != ',') plain += whole[i];
  }
  return plain.append(text.substr(whole.size()));
}

std::optional<double> finite_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace reeve::scenarios
