// Lints for alarms that do without datapoints, or go off because there are none.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "scenarios/lints/handlers.hpp"
#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/keys/condition.hpp"
#include "scenarios/load/resolved/attempt_status.hpp"

namespace reeve::scenarios {
namespace {

/// Whether jobs of the profile may stand still, each alone or because a host does.
bool may_stand(const models::World& world, const models::JobProfile& profile) {
  using models::FaultKind;
  return may_have(profile, {FaultKind::stall, FaultKind::node_lost, FaultKind::hardware}) ||
         may_hang(world.pools[profile.pool.index]);
}

/// Whether the condition may hold while the alarm has no data.
bool minds_no_data(const policy::Condition& condition) {
  return holds_where(condition, [](const policy::Condition& test) {
           return test.field == policy::ConditionField::alarm
                      ? std::optional{holds_of_text(test, "insufficient_data")}
                      : std::nullopt;
         }) != false;
}

/// The lowest of the hosts is of those that have metrics: one without them is never seen.
void check_left_out(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                    const OptionPlaces& places, Findings& findings) {
  using models::FaultKind;
  const models::World& world = resolved.world();
  const std::string missing = of_alarm(seat, known::missing);
  const auto unseen = [&](const models::JobProfile& profile) {
    const bool stands = may_have(profile, {FaultKind::stall, FaultKind::hardware});
    const auto leaves_out = [&](const models::Fault& fault) {
      const bool alone = fault.kind == FaultKind::metrics_lost && !fault.hosts.empty() && stands;
      return alone || fault.kind == FaultKind::node_lost;
    };
    return std::any_of(profile.faults.begin(), profile.faults.end(), leaves_out) &&
           may_hold(seat, profile, policy, world) && !hears_reports(world, policy, profile);
  };
  const auto& profiles = world.profiles;
  if (std::none_of(profiles.begin(), profiles.end(), unseen)) return;
  findings.warning(places.find(missing).value_or(places.seat), "W0437",
                   "a host may lack metrics, and the minimum covers only the others",
                   "\"breaching\" applies only if all hosts lack metrics",
                   "\"match\": \"any\" detects it");
}

/// Whether another rule, whose alarms go off without data, looks at all of such a job that this one
/// looks at.
bool is_covered(const models::World& world, const PolicySpec& policy, const SeatSpec& seat,
                const models::JobProfile& profile) {
  const auto* hosts = value_of<std::vector<std::string>>(seat, of_alarm(seat, known::hosts));
  const auto covers = [&](const SeatSpec& other) {
    const std::string theirs = of_alarm(other, known::hosts);
    if (&other == &seat || other.mode < host::Mode::warn) return false;
    if (!may_hold(other, profile, policy, world)) return false;
    if (does_nothing(other) || !acts_on_alarms(other) || !looks_for_idle(other)) return false;
    if (!says(other, of_alarm(other, known::missing), "breaching") || hosts == nullptr)
      return false;
    if (says(other, of_alarm(other, known::match), "min")) return false;
    return lists(other, theirs, "all") ||
           std::all_of(hosts->begin(), hosts->end(),
                       [&](const std::string& host) { return lists(other, theirs, host); });
  };
  return std::any_of(policy.seats.begin(), policy.seats.end(), covers);
}

/// For how long after it is put the alarm has too few datapoints to be anything but in ALARM, if
/// those that are missing count as breaching.
Duration blind_for(const models::Metrics& metrics, const SeatSpec& seat) {
  const auto& points = seat.options.integers(of_alarm(seat, known::datapoints));
  const Duration period = seat.options.duration(of_alarm(seat, known::period));
  const std::int64_t more = points.empty() ? 0 : points.back() - points.front();
  // One by the clock is there when it is over: the first a whole one after the job began, at worst.
  const bool by_clock = says(seat, of_alarm(seat, known::window), "wall_clock");
  const Duration first = by_clock ? period : metrics.period;
  return more * period + first + metrics.publish_delay;
}

/// Whether the condition of a stated rule fails while a job has trained for less than that,
/// whatever its alarms say.
bool waits_for_training(const SeatSpec& seat, Duration least) {
  const policy::Condition* when = stated(seat);
  if (when == nullptr) return false;
  using policy::Comparison;
  return holds_where(*when, [least](const policy::Condition& test) -> std::optional<bool> {
           if (test.field == policy::ConditionField::alarm) return holds_of_text(test, "alarm");
           if (test.field != policy::ConditionField::training_time || test.duration < least) {
             return std::nullopt;
           }
           return test.comparison == Comparison::below || test.comparison == Comparison::at_most;
         }) == false;
}

/// D6 mended, and no more: the time before the job has no data either.
void check_arm_delay(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                     const OptionPlaces& places, Findings& findings) {
  const models::World& world = resolved.world();
  if (!acts_on_alarms(seat) || seat.mode == host::Mode::off) return;
  const auto is_told = [&](const auto& profile) { return may_hold(seat, profile, policy, world); };
  if (std::none_of(world.profiles.begin(), world.profiles.end(), is_told)) return;
  // What a stated rule asks to have lasted is over as soon as a healthy job has its datapoints.
  const Duration lasts =
      stated(seat) != nullptr ? seat.options.duration(known::after) : Duration{0};
  const Duration blind = blind_for(world.platform.metrics, seat);
  const Duration delay = seat.options.duration(of_alarm(seat, known::arm_delay));
  if (delay + lasts >= blind || waits_for_training(seat, blind)) return;
  const auto& points = seat.options.integers(of_alarm(seat, known::datapoints));
  const Duration enough =
      (points.back() + 2) * seat.options.duration(of_alarm(seat, known::period));
  const std::string missing = of_alarm(seat, known::missing);
  findings.warning(
      places.find(missing).value_or(places.seat), "W0572",
      "the alarm fires as soon as it is created",
      "the time before has no data, which counts as breaching",
      fmt::format("\"arm_delay\": \"{}\" (its datapoints and two more)", show(enough)));
}

/// D6: a job that may stand still, and whose metrics may be lost.
void check_missing(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                   const OptionPlaces& places, Findings& findings) {
  const std::string missing = of_alarm(seat, known::missing);
  if (!has(seat, missing) || !looks_for_idle(seat)) return;
  if (says(seat, missing, "breaching")) {
    check_arm_delay(resolved, policy, seat, places, findings);
    if (says(seat, of_alarm(seat, known::match), "min"))
      check_left_out(resolved, policy, seat, places, findings);
    return;
  }
  const policy::Condition* when = stated(seat);
  if (when != nullptr && says(seat, missing, "missing") && minds_no_data(*when)) return;
  const models::World& world = resolved.world();
  const auto unseen = [&](const models::JobProfile& profile) {
    return may_have(profile, {models::FaultKind::metrics_lost}) && may_stand(world, profile) &&
           may_hold(seat, profile, policy, world) && !hears_reports(world, policy, profile) &&
           !is_covered(world, policy, seat, profile);
  };
  const auto& profiles = world.profiles;
  if (std::none_of(profiles.begin(), profiles.end(), unseen)) return;
  findings.warning(places.find(missing).value_or(places.seat), "W0437",
                   "metrics may be lost, and no alarm fires without them",
                   "a job that stalls without metrics is never detected",
                   "\"missing\": \"breaching\" detects it, and also a healthy job without metrics; "
                   "add \"arm_delay\" for the time before the job");
}

}  // namespace

std::span<const Lint> missing_metrics_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0437", "lost metrics that look healthy (defect D6)",
        "With notBreaching, a period without samples counts as healthy. If a stall also stops the "
        "metrics, the alarm never goes off. The lowest of all hosts ignores hosts without metrics, "
        "whatever `missing` says.",
        "\"missing\": \"notBreaching\"",
        "\"missing\": \"breaching\" and an \"arm_delay\" of N + 2 periods; this also stops a "
        "healthy job whose metrics are late"},
       check_missing,
       RunIf::handler_runs},
      {{"W0572", "an alarm that goes off as soon as it is created",
        "Before training there are no datapoints. If missing ones count as breaching, an alarm "
        "that is created when training begins goes off at once and stops a healthy job. A rule of "
        "kind `rule` can wait with \"after\", or with a test of \"training_time\".",
        "\"missing\": \"breaching\", and no \"arm_delay\"",
        "an \"arm_delay\" of two periods more than the alarm evaluates"},
       check_missing,
       RunIf::handler_runs},
  });
  return rows;
}

}  // namespace reeve::scenarios
