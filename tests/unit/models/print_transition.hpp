// An alarm's transition as text, for messages of failed tests.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <ostream>

#include "models/alarm.hpp"

namespace reeve::models {

inline void PrintTo(const Transition& transition, std::ostream* out) {
  static constexpr std::array<const char*, 3> names{"INSUFFICIENT_DATA", "OK", "ALARM"};
  *out << fmt::format("{} ns: {} -> {}", transition.at.time_since_epoch().count(),
                      names.at(static_cast<std::size_t>(transition.from)),
                      names.at(static_cast<std::size_t>(transition.to)));
}

}  // namespace reeve::models
