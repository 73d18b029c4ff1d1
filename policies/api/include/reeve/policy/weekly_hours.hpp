// Recurring hours of the week, such as office hours.
#pragma once

#include <algorithm>
#include <bitset>
#include <chrono>
#include <cstdint>
#include <reeve/policy/units.hpp>

namespace reeve::policy {

/// A period on each of `days`: begins at `from`, lasts `length`, may reach into the next day.  Days
/// follow a clock with the fixed offset `ahead` to UTC.
struct WeeklyHours {
  std::bitset<7> days;  ///< Monday first
  Duration from{0};     ///< after midnight, less than a day
  Duration length{0};   ///< at most a day
  Duration ahead{0};    ///< of UTC; negative in the west

  /// From `from` to `to`, both after midnight; `to` is on the next day unless it is later than
  /// `from`.
  static WeeklyHours between(std::bitset<7> days, Duration from, Duration to, double utc_offset_h) {
    constexpr double hour = 3600.0 * 1e9;
    const Duration ahead{static_cast<std::int64_t>(utc_offset_h * hour)};
    const Duration length = to > from ? to - from : to - from + std::chrono::hours{24};
    return {days, from, length, ahead};
  }

  bool open(Instant at) const { return open_until(at) > at; }

  /// The end of the open period; `at` if it is closed.
  Instant open_until(Instant at) const {
    Instant until = at;
    // Adjacent periods join.  After a week of them, it never closes.
    for (int times = 0; times < 9; ++times) {
      const Instant longer = end_of_shift(until);
      if (longer == until) return until;
      until = longer;
    }
    return never;
  }

  /// The next opening; `at` if it is open.  `never` if there is none.
  Instant opens(Instant at) const {
    if (open(at)) return at;
    const std::chrono::sys_days today = day_of(at);
    for (int later = 0; later < 9; ++later) {
      const Instant opening = begin_on(today + std::chrono::days{later});
      if (is_on(today + std::chrono::days{later}) && opening >= at) return opening;
    }
    return never;
  }

  /// Whether it never closes after its next opening.
  bool is_always_open(Instant at) const {
    const Instant opening = opens(at);
    return opening != never && open_until(opening) == never;
  }

 private:
  std::chrono::sys_days day_of(Instant at) const {
    return std::chrono::floor<std::chrono::days>(at + ahead);
  }
  bool is_on(std::chrono::sys_days day) const {
    return length > Duration{0} && days[std::chrono::weekday{day}.iso_encoding() - 1];
  }
  Instant begin_on(std::chrono::sys_days day) const { return Instant{day} - ahead + from; }

  /// The latest end of the periods that contain `at`: today's, and yesterday's if it crosses
  /// midnight.
  Instant end_of_shift(Instant at) const {
    Instant end = at;
    for (int before = 0; before < 2; ++before) {
      const std::chrono::sys_days day = day_of(at) - std::chrono::days{before};
      const Instant begin = begin_on(day);
      if (is_on(day) && begin <= at && at < begin + length) end = std::max(end, begin + length);
    }
    return end;
  }
};

}  // namespace reeve::policy
