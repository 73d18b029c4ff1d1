// What a rule asks of the world because of its options.
#pragma once

#include <algorithm>

#include "scenarios/scenario.hpp"

namespace reeve::scenarios {

inline bool has_option(const policy::PolicyKind& kind, std::string_view name) {
  return std::any_of(kind.options.begin(), kind.options.end(),
                     [&](const policy::OptionSpec& row) { return row.name == name; });
}

/// Of rules that measure how much of what is billed lasts: told by reports of training.
inline bool measures_progress(const SeatSpec& seat) {
  constexpr std::string_view option = "min_progress";
  return has_option(*seat.kind, option) && seat.options.number(option) > 0;
}

/// Of rules that tell jobs to save before a loss.
inline bool asks_to_save(const SeatSpec& seat) {
  const bool asks = has_option(*seat.kind, "lead") && has_option(*seat.kind, "block_end");
  return asks && seat.mode != host::Mode::off;
}

/// Whether the rule is told what training scripts report.
inline bool reads_reports(const SeatSpec& seat) {
  if (seat.mode == host::Mode::off) return false;
  return seat.kind->reads_reports || measures_progress(seat);
}

}  // namespace reeve::scenarios
