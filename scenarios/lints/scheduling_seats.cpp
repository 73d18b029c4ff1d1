#include "scenarios/lints/scheduling_seats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/load/resolved/share_reach.hpp"

namespace reeve::scenarios {

bool any_runs(const Resolved& resolved, std::string_view algorithm) {
  return any_seat(resolved, [&](const SeatSpec& seat) { return runs(seat, algorithm); });
}

bool any_looks_at_shares(const Resolved& resolved) {
  constexpr std::array<std::string_view, 9> algorithms{"quota",   "capacity",   "fair_share",
                                                       "max_min", "drf",        "multifactor",
                                                       "kueue",   "kueue_fair", "kai"};
  return std::any_of(algorithms.begin(), algorithms.end(),
                     [&](std::string_view name) { return any_runs(resolved, name); });
}

}  // namespace reeve::scenarios
