// Lints for restarts that do not end: resumes without a limit, completed jobs started again.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <vector>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/restarts.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/keys/condition.hpp"
#include "scenarios/load/resolved/attempt_status.hpp"

namespace reeve::scenarios {
namespace {

/// Where the clones of a stated rule may run: where it sends them, or anywhere if it sends them
/// nowhere.
std::vector<policy::PoolId> fleets_of_clones(const models::World& world, const SeatSpec& seat) {
  const std::string& market = seat.options.text(known::override_market);
  const std::string& fleet = seat.options.text(known::override_fleet);
  std::vector<policy::PoolId> fleets;
  for (std::uint32_t id = 0; id < world.pools.size(); ++id) {
    const policy::PoolFacts& pool = world.directory.pools[id];
    const std::string_view of = policy::market_names[static_cast<std::size_t>(pool.market)];
    const bool in_market = market == "as_before" || market == of;
    if (in_market && (fleet.empty() || fleet == pool.name)) fleets.push_back({id});
  }
  return fleets;
}

/// The numbers of attempts at which tests of a condition may turn, and one that is later than all.
std::set<std::int64_t> turns_of_attempts(const policy::Condition& when) {
  std::set<std::int64_t> numbers{std::numeric_limits<std::int32_t>::max()};
  if (when.kind == policy::Condition::Kind::test && when.field == policy::ConditionField::attempt) {
    for (const std::int64_t number : when.numbers) {
      numbers.insert({number - 1, number, number + 1});
    }
  }
  for (const policy::Condition& part : when.parts) numbers.merge(turns_of_attempts(part));
  return numbers;
}

/// Whether the condition of a stated rule itself ends its clones: there is an attempt of which it
/// does not hold, or it holds of none where it sends them.
bool is_bounded(const models::World& world, const SeatSpec& seat) {
  using policy::ConditionField;
  const policy::Condition& when = seat.options.condition(known::when);
  const std::vector<policy::PoolId> fleets = fleets_of_clones(world, seat);
  const auto ends_at = [&](std::int64_t attempt, policy::PoolId id) {
    const policy::PoolFacts& pool = world.directory.pools[id.index];
    const auto known = [&](const policy::Condition& test) -> std::optional<bool> {
      if (test.field == ConditionField::attempt) return holds_of_number(test, attempt);
      if (test.field == ConditionField::origin) return holds_of_text(test, "rule");
      if (test.field == ConditionField::fleet) return holds_of_text(test, pool.name);
      if (test.field != ConditionField::market) return std::nullopt;
      const auto of = static_cast<std::size_t>(pool.market);
      return holds_of_text(test, policy::market_names[of]);
    };
    return holds_where(when, known) == false;
  };
  const std::set<std::int64_t> attempts = turns_of_attempts(when);
  return std::any_of(attempts.begin(), attempts.end(), [&](std::int64_t attempt) {
    return attempt > 1 && std::all_of(fleets.begin(), fleets.end(),
                                      [&](policy::PoolId id) { return ends_at(attempt, id); });
  });
}

/// Whether it may hold of such a job that has ended as Completed.
bool may_hold_of_done(const Resolved& resolved, const policy::Condition& when,
                      const models::JobProfile& profile) {
  using policy::ConditionField;
  const models::World& world = resolved.world();
  const TagsOf tags = [&](std::string_view key) { return world.directory.tag(profile.tags, key); };
  AttemptStatus done = completed;
  done.tags = &tags;
  const auto id = static_cast<std::size_t>(&profile - world.profiles.data());
  return holds_where(when, [&](const policy::Condition& test) -> std::optional<bool> {
           if (test.field == ConditionField::startup_time) return holds_of_time(test, {});
           if (test.field == ConditionField::blocked_by) return holds_of_text(test, {});
           const bool at_least = test.comparison == policy::Comparison::above ||
                                 test.comparison == policy::Comparison::at_least;
           if (test.field == ConditionField::instances && at_least &&
               id < resolved.largest.size()) {
             const bool holds = holds_of_number(test, resolved.largest[id]);
             return holds ? std::nullopt : std::optional{false};  // others of it are smaller
           }
           return holds_of(test, done);
         }) != false;
}

/// A stated rule that does the work of jobs once more that have done it.
void check_again(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                 const OptionPlaces& places, Findings& findings) {
  if (!clones_after(seat, completed)) return;
  const models::World& world = resolved.world();
  const auto may_be_done = [&](const models::JobProfile& profile) {
    return may_hold(seat, profile, policy, world) &&
           may_hold_of_done(resolved, *stated(seat), profile);
  };
  if (std::none_of(world.profiles.begin(), world.profiles.end(), may_be_done)) return;
  findings.warning(places.find(known::when).value_or(places.seat), "W0573",
                   "a completed job is started again",
                   "the condition may hold for a job with status Completed",
                   "add { \"field\": \"status\", \"op\": \"!=\", \"value\": \"Completed\" }");
}

/// Whether nothing is started again but what the hours of a rule have ended: each ends so once a
/// day, and none because of itself.
bool resumes_hours_alone(const PolicySpec& policy, const SeatSpec& seat) {
  const auto& seats = policy.seats;
  if (const auto* ends = value_of<std::vector<std::string>>(seat, known::when)) {
    constexpr std::string_view by = "stopped_by:";
    return std::all_of(ends->begin(), ends->end(), [&](std::string_view end) {
      if (!end.starts_with(by)) return false;
      return std::any_of(seats.begin(), seats.end(), [&](const SeatSpec& other) {
        const std::string_view named = end.substr(by.size());
        return other.kind->keeps_hours && (named == other.label || named == other.kind->name);
      });
    });
  }
  AttemptStatus failure = failed;
  for (std::size_t id = 1; id < policy::failure_class_names.size(); ++id) {
    failure.failure = static_cast<policy::FailureClass>(id);
    if (clones_after(seat, failure)) return false;
  }
  const auto& ends = ends_that_ran;
  return !clones_after(seat, timed_out) &&
         std::none_of(ends.begin(), ends.end(),
                      [&](const AttemptStatus& end) { return clones_after(seat, end); }) &&
         std::none_of(seats.begin(), seats.end(), [&](const SeatSpec& by) {
           return !by.kind->keeps_hours && resumes_stopped(seat, by);
         });
}

/// D14: nothing ends the clones of a job.
void check_limits(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                  const OptionPlaces& places, Findings& findings) {
  const bool clones = says(seat, known::does, "clone");
  const std::string_view option = clones ? known::max_clones : known::max_resumes;
  const auto* limit = value_of<std::int64_t>(seat, option);
  if (limit == nullptr || *limit >= 0) return;
  if (clones && is_bounded(resolved.world(), seat)) return;
  if (resumes_hours_alone(policy, seat)) return;
  findings.warning(places.find(option).value_or(places.seat), "W0447",
                   "a job that always fails is restarted without limit", "each attempt is billed",
                   fmt::format("\"{}\": 2", option));
}

/// How a job ends that does all that its log tells.
AttemptStatus end_as_logged(const models::JobSpec& job) {
  AttemptStatus end = failed;
  end.failure = models::failure_of(job.ends);
  end.trained = job.work;
  if (end.failure != policy::FailureClass::none) return end;
  end.primary = policy::Primary::stopped;
  end.secondary = job.ends == models::WorkEnd::time_limit ? policy::Secondary::max_runtime_exceeded
                                                          : policy::Secondary::stopped;
  return end;
}

/// A rule whose retries are without effect, because each of them ends as the log says.
void check_logged_ends(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                       const OptionPlaces& places, Findings& findings) {
  const models::World& world = resolved.world();
  const auto& jobs = world.jobs.specs;
  const auto ends_again = std::count_if(jobs.begin(), jobs.end(), [&](const models::JobSpec& job) {
    return job.ends != models::WorkEnd::completed && restarts_after(seat, end_as_logged(job)) &&
           may_hold(seat, world.profiles[job.profile], policy, world);
  });
  if (ends_again == 0) return;
  const auto count = static_cast<std::uint64_t>(ends_again);
  findings.warning(
      places.find(known::when).value_or(places.seat.find("rule").value_or(places.seat)), "W0600",
      fmt::format("retries of {} end as the trace records", counted(count, "job")),
      "each retry repeats lost work and ends at the same point",
      "\"end_status\": \"ignore\" in \"workload\"; model faults with \"drawn_faults\"");
}

}  // namespace

std::span<const Lint> restart_limit_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0447", "resumes without a limit (defect D14)",
        "A job that fails each time is restarted, and billed, each time.", "\"max_resumes\": -1",
        "\"max_resumes\": 2"},
       check_limits,
       RunIf::handler_runs},
      {{"W0573", "a completed job is started again",
        "A rule of kind `rule` clones every ended job that meets its condition. A condition that "
        "only excludes values may also match Completed jobs, whose work is then repeated and "
        "billed again.",
        "\"do\": \"clone\", \"when\": { \"not\": { \"field\": \"failure\", \"op\": \"==\", "
        "\"value\": \"code\" } }",
        "beside it { \"field\": \"status\", \"op\": \"==\", \"value\": \"Failed\" }"},
       check_again,
       RunIf::handler_runs},
      {{"W0600", "retries that end as the trace records",
        "reeve replays the column `end_status` of a trace. The log does not tell what work "
        "remained after a failure, so each retry trains up to the recorded end and ends there "
        "again. A rule that restarts such jobs only adds cost, and none of them completes. With "
        "\"end_status\": \"ignore\" all jobs of the trace complete, and failures come from "
        "\"drawn_faults\".",
        "\"workload\": { \"trace\": \"jobs.csv\" } with failed jobs, and { \"rule\": \"resume\" }",
        "\"workload\": { \"trace\": \"jobs.csv\", \"end_status\": \"ignore\" }"},
       check_logged_ends,
       RunIf::handler_runs},
  });
  return rows;
}

}  // namespace reeve::scenarios
