#include "scenarios/text/clock_time.hpp"

#include <array>
#include <chrono>

#include "scenarios/text/decimal.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {

std::optional<policy::Duration> parse_clock_time(std::string_view text) {
  std::array<std::int64_t, 3> parts{};  // days, hours, minutes
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::size_t end = text.find(part == 0 ? '-' : ':');
    if (part == 0 && end == text.npos) continue;
    if (end == text.npos) return std::nullopt;
    const auto value = few_digits(text.substr(0, end));
    if (!value) return std::nullopt;
    parts[part] = *value;
    text.remove_prefix(end + 1);
  }
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  const ScaledDecimal seconds = scale_decimal(text, 9, Rounding::nearest);
  constexpr std::int64_t minute = 60'000'000'000;
  const auto [days, hours, minutes] = parts;
  if (seconds.fault != DecimalFault::none || seconds.value >= minute || minutes > 59 ||
      days > 36'525 || hours > 876'600) {
    return std::nullopt;
  }
  const policy::Duration all = std::chrono::days{days} + std::chrono::hours{hours} +
                               std::chrono::minutes{minutes} + policy::Duration{seconds.value};
  return all <= longest_duration ? std::optional{all} : std::nullopt;
}

}  // namespace reeve::scenarios
