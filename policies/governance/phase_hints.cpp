#include "phase_hints.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace reeve::policies {
namespace {

using namespace policy;

/// Takes "20m" off the front; at most a year.
std::optional<Duration> take_duration(std::string_view& text) {
  constexpr std::int64_t most = 366 * 24 * 3600;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0 || end == text.data() + text.size()) return std::nullopt;
  const std::int64_t unit = *end == 's' ? 1 : *end == 'm' ? 60 : *end == 'h' ? 3600 : 0;
  if (unit == 0 || number > most / unit) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return std::chrono::seconds{number * unit};
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<PhaseHint> take_phase(std::string_view& text) {
  const auto start = take_duration(text);
  if (!start || !take(text, '+')) return std::nullopt;
  const auto length = take_duration(text);
  if (!length || *length <= Duration{0}) return std::nullopt;
  if (!take(text, '/')) return PhaseHint{*start, *length, Duration{0}};
  const auto every = take_duration(text);
  if (!every || *every <= *length) return std::nullopt;
  return PhaseHint{*start, *length, *every};
}

/// When the phase is over that began last by `at`; nothing if it is, or has not begun.
std::optional<Duration> end_of_phase(const PhaseHint& hint, Duration at, Duration tail) {
  if (at < hint.start) return std::nullopt;
  const std::int64_t turns = hint.every > Duration{0} ? (at - hint.start) / hint.every : 0;
  const Duration end = hint.start + turns * hint.every + hint.length + tail;
  if (at < end) return end;
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<PhaseHint>> read_phase_hints(std::string_view value) {
  std::vector<PhaseHint> hints;
  while (true) {
    while (take(value, ' ')) {
    }
    if (value.empty()) break;
    const auto hint = take_phase(value);
    if (!hint || !(value.empty() || value.front() == ' ')) return std::nullopt;
    hints.push_back(*hint);
  }
  if (hints.empty()) return std::nullopt;
  return hints;
}

std::optional<Duration> quiet_until(const std::vector<PhaseHint>& hints, Duration at,
                                    Duration tail) {
  std::optional<Duration> until;
  for (const PhaseHint& hint : hints) {
    const auto end = end_of_phase(hint, at, tail);
    if (end) until = std::max(until.value_or(*end), *end);
  }
  return until;
}

bool never_end(const std::vector<PhaseHint>& hints, Duration tail) {
  // An attempt trains for 28 days at most; each of these steps is a phase, and they are few.
  constexpr Duration longest = std::chrono::days{28};
  constexpr int most_phases = 10'000;
  return std::any_of(hints.begin(), hints.end(), [&](const PhaseHint& first) {
    if (first.every == Duration{0}) return false;
    std::optional<Duration> until = first.start;
    for (int phases = 0; until && *until < longest && phases < most_phases; ++phases) {
      until = quiet_until(hints, *until, tail);
    }
    return until.has_value();
  });
}

}  // namespace reeve::policies
