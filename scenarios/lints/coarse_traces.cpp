// Lints for alarms that judge recorded metrics with longer periods than they look back.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string_view>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

/// How far the alarm of the rule on GPU use looks back; nothing if it has none.
struct AlarmWindow {
  Duration length;
  std::string option;  ///< that sets it
};
std::optional<AlarmWindow> alarm_window(const SeatSpec& seat) {
  constexpr std::string_view over = "over";
  if (puts_alarm(seat)) {
    const std::string period = of_alarm(seat, known::period);
    const auto& points = seat.options.integers(of_alarm(seat, known::datapoints));
    return AlarmWindow{points.back() * seat.options.duration(period), period};
  }
  if (has(seat, known::min_pct) && value_of<Duration>(seat, over) != nullptr) {
    return AlarmWindow{seat.options.duration(over), std::string{over}};
  }
  return {};
}

Duration coarsest_period(const models::JobProfile& profile) {
  const bool recorded = profile.utilization != nullptr && profile.utilization->trace != nullptr;
  return recorded ? profile.utilization->trace->coarsest : Duration{0};
}

/// E0399: the mean of an hour neither shows nor excludes a stall of ten minutes.
void check_coarse(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                  const OptionPlaces& places, Findings& findings) {
  const auto window = alarm_window(seat);
  if (!window) return;
  const models::World& world = resolved.world();
  std::uint64_t jobs = 0;
  std::string worst;
  Duration longest{0};
  const auto look_at = [&](std::string_view job, std::uint32_t profile) {
    const Duration period = coarsest_period(world.profiles[profile]);
    if (period <= window->length || !may_hold(seat, world.profiles[profile], policy, world)) return;
    ++jobs;
    if (period <= longest) return;
    worst = job;
    longest = period;
  };
  for (std::size_t id = 0; id < world.jobs.specs.size(); ++id) {
    look_at(world.jobs.names[id], world.jobs.specs[id].profile);
  }
  if (world.drawn) look_at(world.drawn->prefix, world.drawn->profile);
  if (jobs == 0) return;
  findings.error(places.find(window->option).value_or(places.seat), "E0399",
                 fmt::format("an alarm over {} cannot judge samples of {}", show(window->length),
                             show(longest)),
                 fmt::format("job {}{}", in_quotes(worst),
                             jobs == 1 ? "" : fmt::format(" and {} more", jobs - 1)),
                 "use finer samples, a longer window, or jobs whose samples are fine enough");
}

}  // namespace

std::span<const Lint> coarse_trace_lints() {
  static constexpr std::array rows =
      std::to_array<Lint>({{also("E0399"), check_coarse, RunIf::handler_runs}});
  return rows;
}

}  // namespace reeve::scenarios
