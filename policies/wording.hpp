// Durations, amounts and numbers as text, in the form that rules use for the basis of a decision.
#pragma once

#include <array>
#include <charconv>
#include <cstdint>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace reeve::policies {

/// As in a scenario: "1h8m20s", "35.5s".
inline std::string length_text(policy::Duration length) {
  using policy::Duration;
  if (length == Duration::max()) return "longer than any";
  if (length == Duration{0}) return "0s";
  std::string text = length < Duration{0} ? "-" : "";
  std::uint64_t left = static_cast<std::uint64_t>(length.count());
  if (length < Duration{0}) left = 0 - left;
  constexpr std::uint64_t second = 1'000'000'000;
  constexpr std::array<std::pair<std::uint64_t, char>, 3> units{
      {{86'400 * second, 'd'}, {3'600 * second, 'h'}, {60 * second, 'm'}}};
  for (const auto& [unit, letter] : units) {
    if (left >= unit) text += std::to_string(left / unit) + letter;
    left %= unit;
  }
  if (left == 0) return text;
  text += std::to_string(left / second);
  if (left % second != 0) {
    std::string rest = std::to_string(second + left % second);
    rest.erase(rest.find_last_not_of('0') + 1);
    text += '.' + rest.substr(1);
  }
  return text + 's';
}

/// Six significant digits: "0.25", "1e+09", "nan".
inline std::string number_text(double value) {
  char digits[32];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, value, std::chars_format::general, 6);
  return {digits, end.ptr};
}

/// "$96.00", to the nearest cent.
inline std::string usd_text(std::int64_t micros) {
  const std::int64_t cents = (micros + 5'000) / 10'000;
  std::string rest = std::to_string(100 + cents % 100);
  return '$' + std::to_string(cents / 100) + '.' + rest.substr(1);
}

}  // namespace reeve::policies
