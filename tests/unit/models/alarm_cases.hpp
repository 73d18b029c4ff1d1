// What tests of alarms and series share.
#pragma once

#include <chrono>

#include "models/alarm.hpp"
#include "models/metric_series.hpp"
#include "tests/unit/models/print_transition.hpp"

namespace reeve::models {
namespace alarm_test {

using namespace std::chrono_literals;
using policy::MissingData;

inline constexpr AlarmState insufficient = AlarmState::insufficient_data;
inline constexpr AlarmState ok = AlarmState::ok;
inline constexpr AlarmState alarm = AlarmState::alarm;

// An instant on a UTC hour, to which the checks are relative.
inline constexpr Instant t0 = std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 15h;

/// The articles' alarm: average GPU use <= 1 in 3 of 3 times 5 minutes.
inline AlarmRule blog_rule() {
  AlarmRule rule;
  rule.threshold = 1;
  rule.missing = MissingData::not_breaching;
  return rule;
}

}  // namespace alarm_test
}  // namespace reeve::models
