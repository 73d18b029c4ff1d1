// The decimal text of a number to an exact count of a decimal unit, with integer arithmetic only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reeve::scenarios {

enum class DecimalFault : std::uint8_t {
  none,
  malformed,  ///< not digits, optional point, digits, optional exponent
  overflow,   ///< does not fit in int64
  finer,      ///< digits below the unit that are not zero (only where it must be exact)
};

enum class Rounding : std::uint8_t { exact, nearest };  ///< nearest: a half goes away from zero

/// `value` units of 10^-decimals; 0 where there is a fault.
struct ScaledDecimal {
  std::int64_t value = 0;
  DecimalFault fault = DecimalFault::none;
};

constexpr bool is_decimal_digit(char c) {
  return c >= '0' && c <= '9';
}

/// "-12.5e-1" and the like: a sign only in front, at least one digit before or after the point.
ScaledDecimal scale_decimal(std::string_view text, unsigned decimals, Rounding rounding);

/// "$1,234.50" without the currency sign and the thousands commas; nothing if they are wrong.
std::optional<std::string> plain_dollars(std::string_view text);

/// The whole text as a number that is neither infinite nor NaN.
std::optional<double> finite_number(std::string_view text);

/// A whole number of up to nine plain digits, which cannot overflow; nothing if it is anything
/// else. By far the most common cell of a trace, so inline.
inline std::optional<std::int64_t> few_digits(std::string_view text) {
  if (text.empty() || text.size() > 9) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace reeve::scenarios
