// Lints for alarms that count what they should not, or look at other hosts than the one at fault.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <reeve/policy/training_job_name.hpp>
#include <vector>

#include "scenarios/lints/handlers.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/resolved/undisturbed.hpp"

namespace reeve::scenarios {
namespace {

/// Whether its alarm takes a host for idle that waits for another one of the gang.
bool sees_who_waits(const SeatSpec& seat, const models::JobProfile& profile,
                    const models::World& world) {
  if (!has(seat, of_alarm(seat, known::threshold)) || !has(seat, of_alarm(seat, known::scale)))
    return false;
  return breaches(world, seat, profile, profile.util_waiting);
}

/// The levels at which jobs of the profile work, where they are the same for long: none but these
/// is met to the last bit.
std::vector<double> levels_of_work(const models::JobProfile& profile) {
  const models::Utilization* varies = profile.utilization.get();
  if (varies == nullptr) return {profile.util_running};
  std::vector<double> levels;
  if (varies->trace == nullptr && !varies->draws()) levels.push_back(profile.util_running);
  for (const models::UtilPhase& phase : varies->phases) levels.push_back(phase.percent);
  const auto& points = varies->law.points;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (points[i].second == points[i - 1].second) levels.push_back(points[i].second);
  }
  if (varies->trace == nullptr) return levels;
  for (const auto& steps : varies->trace->hosts) {
    if (steps.size() == 1) levels.push_back(steps.front().percent);
  }
  return levels;
}

/// Whether something may join short phases for one alarm: a stall that ends, metrics
/// that are missing, another start of training, which has its phases anew.
bool may_join_phases(const models::World& world, const SeatSpec& seat,
                     const models::JobProfile& profile) {
  using models::FaultKind;
  const auto ends = [](const auto& fault) {
    return fault.kind == FaultKind::stall && fault.lasts != Duration::max();
  };
  const auto hides = [](const auto& fault) { return fault.kind == FaultKind::metrics_lost; };
  return says(seat, of_alarm(seat, known::missing), "breaching") || !profile.drawn_faults.empty() ||
         std::any_of(profile.faults.begin(), profile.faults.end(), ends) ||
         std::any_of(profile.faults.begin(), profile.faults.end(), hides) ||
         !starts_once(profile) || !is_steady(world, world.pools[profile.pool.index]);
}

/// Whether phases alone are as low as that, and all of them together too short for the datapoints
/// that the alarm needs.
bool passes_unseen(const models::World& world, const SeatSpec& seat,
                   const models::JobProfile& profile, double level) {
  const models::Utilization* varies = profile.utilization.get();
  if (varies == nullptr || varies->trace != nullptr || varies->draws()) return false;
  if (profile.util_running <= level || may_join_phases(world, seat, profile)) return false;
  const auto& points = seat.options.integers(of_alarm(seat, known::datapoints));
  const Duration period = seat.options.duration(of_alarm(seat, known::period));
  // So early an alarm may make do with fewer datapoints.
  const Duration early = (points.back() + world.platform.metrics.extra_datapoints + 1) * period;
  std::int64_t low = 0;
  for (const models::UtilPhase& phase : varies->phases) {
    if (phase.percent > level) continue;
    if (phase.every > Duration{0} || phase.at < early) return false;
    low += (phase.lasts - Duration{1}) / period + 2;  // datapoints that it has a part in
  }
  return low < points.front();
}

/// D3: the one level at which "at most" and "below" differ.  Work at it is counted by "at most"
/// alone; "below" misses a stall at it, and "at most" just detects it.
void check_compare(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                   const OptionPlaces& places, Findings& findings) {
  const std::string compare = of_alarm(seat, known::compare);
  const std::string threshold = of_alarm(seat, known::threshold);
  if (!has(seat, threshold) || !has(seat, of_alarm(seat, known::scale))) return;
  if (!looks_for_idle(seat)) return;
  const bool at_most = says(seat, compare, "<=");
  if (!at_most && !says(seat, compare, "<")) return;
  if (seat.options.number(threshold) <= 0) return;  // below it there is nothing
  const Node place = places.find(compare).value_or(places.find(threshold).value_or(places.seat));
  const models::World& world = resolved.world();
  for (const models::JobProfile& profile : world.profiles) {
    if (!may_hold(seat, profile, policy, world)) continue;
    const auto is_at = [&](double level) {
      return against_threshold(world, seat, profile, level) == 0;
    };
    const std::vector<double> levels = levels_of_work(profile);
    const auto level = std::find_if(levels.begin(), levels.end(), [&](double each) {
      return is_at(each) && !passes_unseen(world, seat, profile, each);
    });
    if (at_most && level != levels.end()) {
      return findings.warning(place, "W0435",
                              fmt::format("a utilization of {} % equals the threshold", *level),
                              "\"<=\" counts it, \"<\" does not", "\"compare\": \"<\"");
    }
    if (!is_at(profile.util_stalled)) continue;
    return findings.warning(
        place, "W0435",
        fmt::format("the utilization of a stall, {} %, equals the threshold", profile.util_stalled),
        at_most ? "\"<=\" counts it, but nothing slightly above it" : "\"<\" does not count it",
        "use a higher threshold");
  }
}

/// The hosts of which one may stand still alone, each time trouble of the profile strikes.
std::vector<std::vector<std::uint32_t>> hosts_that_may_stand(const Resolved& resolved,
                                                             const models::JobProfile& profile) {
  using models::FaultKind;
  std::vector<std::vector<std::uint32_t>> all;
  for (const models::Fault& fault : profile.faults) {
    const bool stands = fault.kind == FaultKind::stall || fault.kind == FaultKind::node_lost;
    if (stands && !fault.hosts.empty()) all.push_back(fault.hosts);
  }
  const models::World& world = resolved.world();
  if (!may_hang(world.pools[profile.pool.index])) return all;
  for (std::uint32_t host = 1; host <= hosts_of(resolved, profile); ++host) all.push_back({host});
  return all;
}

/// Trouble of a host that no alarm of the policy looks at (D5).
void check_watched(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                   const OptionPlaces& places, Findings& findings) {
  const std::string hosts = of_alarm(seat, known::hosts);
  const auto* watched = value_of<std::vector<std::string>>(seat, hosts);
  if (watched == nullptr || lists(seat, hosts, "all") || !looks_for_idle(seat)) return;
  const models::World& world = resolved.world();
  for (const models::JobProfile& profile : world.profiles) {
    if (!may_hold(seat, profile, policy, world) || hears_reports(world, policy, profile)) continue;
    const auto is_watched = [&](std::uint32_t number) {
      return std::any_of(policy.seats.begin(), policy.seats.end(), [&](const SeatSpec& other) {
        const std::string theirs = of_alarm(other, known::hosts);
        // In shadow an alarm rule puts none.
        if (&other != &seat && other.mode < host::Mode::warn) return false;
        if (does_nothing(other) || !may_hold(other, profile, policy, world)) return false;
        if (!has(other, theirs) || !looks_for_idle(other)) return false;
        const auto watches = [&](std::uint32_t host) {
          return lists(other, theirs, fmt::format("algo-{}", host));
        };
        if (lists(other, theirs, "all") || watches(number)) return true;
        bool any = false;  // of its gang that waits for the one at fault
        for (std::uint32_t host = 1; host <= hosts_of(resolved, profile); ++host) {
          any = any || watches(host);
        }
        return any && sees_who_waits(other, profile, world);
      });
    };
    for (const auto& hosts_at_fault : hosts_that_may_stand(resolved, profile)) {
      if (std::any_of(hosts_at_fault.begin(), hosts_at_fault.end(), is_watched)) continue;
      return findings.warning(places.find(hosts).value_or(places.seat), "W0436",
                              fmt::format("no alarm watches host algo-{}, which may stall alone",
                                          hosts_at_fault.front()),
                              fmt::format("{} watches other hosts", in_quotes(seat.label)),
                              "\"hosts\": [\"all\"]");
    }
  }
}

/// A job whose name is part of what its alarm is called (D8).
void check_found(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                 const OptionPlaces& places, Findings& findings) {
  if (!says(seat, known::action_found_by, "alarm_name") || !seat.options.flag(known::action_stop))
    return;
  const models::Jobs& jobs = resolved.world().jobs;
  const auto corrupted = [](const std::string& name) {
    return policy::job_in_alarm_name(name) != name;
  };
  const models::World& world = resolved.world();
  const auto is_held = [&](std::uint32_t profile) {
    return may_hold(seat, world.profiles[profile], policy, world);
  };
  std::string name;
  for (std::size_t id = 0; id < jobs.names.size() && name.empty(); ++id) {
    if (corrupted(jobs.names[id]) && is_held(jobs.specs[id].profile)) name = jobs.names[id];
  }
  const auto& drawn = world.drawn;
  if (name.empty() && drawn && corrupted(drawn->prefix) && is_held(drawn->profile)) {
    name = drawn->prefix;
  }
  if (name.empty()) return;
  const std::string left = policy::job_in_alarm_name(name);
  const bool is_other = std::find(jobs.names.begin(), jobs.names.end(), left) != jobs.names.end();
  findings.warning(
      places.find(known::action_found_by).value_or(places.seat), "W0438",
      fmt::format("the stop for {} goes to {}, which is {}", in_quotes(name), in_quotes(left),
                  is_other ? "another job and is stopped instead" : "no job"),
      "the rule removes each \"GPUUtil\" from the alarm name", "\"found_by\": \"job_name\"");
}

/// CloudWatch accepts it, and datapoints without a sample are missing.
void check_period(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                  Findings& findings) {
  if (!puts_alarm(seat)) return;
  const Duration period = seat.options.duration(of_alarm(seat, known::period));
  const Duration sample = resolved.world().platform.metrics.period;
  constexpr Duration minute = std::chrono::minutes{1};
  const bool fits_minutes = sample % minute == Duration{0} || minute % sample == Duration{0};
  if (period % sample == Duration{0} || !fits_minutes) return;
  const Node place = places.find(of_alarm(seat, known::period)).value_or(places.seat);
  const Duration multiple = (period / sample + 1) * sample;
  const std::string fits = fmt::format("\"period\": \"{}\"", show(multiple));
  if (period > sample) {
    return findings.warning(place, "W0593",
                            fmt::format("a period of {} is no multiple of the metric's period, {}",
                                        show(period), show(sample)),
                            "its datapoints hold unequal numbers of samples", fits);
  }
  const auto& points = seat.options.integers(of_alarm(seat, known::datapoints));
  const std::int64_t range =
      points.back() + std::int64_t{resolved.world().platform.metrics.extra_datapoints};
  const std::int64_t real = (range * period + sample - Duration{1}) / sample;
  findings.warning(
      place, "W0593",
      fmt::format("a period of {} is below the metric's period, {}", show(period), show(sample)),
      fmt::format("at most {} of {} datapoints exist, the others are missing", real, range), fits);
}

}  // namespace

std::span<const Lint> alarm_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0435", "utilization equal to the threshold (defect D3)",
        "The text of the article says below 1 %, its code at most 1 %. They differ if utilization "
        "equals the threshold: only at most counts work there, and below misses a stall there. "
        "reeve ignores phases that end before they fill as many datapoints as the alarm needs.",
        "\"threshold\": 1, \"compare\": \"<\" and a \"stalled\" utilization of 1 %",
        "a threshold above it; \"<\" if work has this utilization"},
       check_compare,
       RunIf::handler_runs},
      {{"W0436", "a host without an alarm (defect D5)",
        "The metric covers one instance. The alarm misses faults that strike only another "
        "instance, and hangs of nodes, which may strike any.",
        "\"hosts\": [\"algo-1\"] and a stall of host 5", "\"hosts\": [\"all\"]"},
       check_watched,
       RunIf::handler_runs},
      {{"W0438", "a job that its own alarm does not find (defect D8)",
        "The handler removes each \"GPUUtil\" from the alarm's name. If the job's own name "
        "contains it, the handler looks for another name and does not stop the job.",
        "\"found_by\": \"alarm_name\" and a job \"x-GPUUtil-y\"", "\"found_by\": \"job_name\""},
       check_found,
       RunIf::handler_runs},
      {{"W0593", "an alarm period that does not fit the metric samples",
        "CloudWatch accepts any period. A sample counts in the datapoint in which it ends. If the "
        "period is below platform.metrics.period, most datapoints are missing: with `missing` "
        "\"notBreaching\" or \"ignore\" the alarm then fires only if fewer datapoints are enough.",
        "\"period\": \"1m\" with metrics every 5m", "\"period\": \"5m\""},
       check_period},
  });
  return rows;
}

}  // namespace reeve::scenarios
