// Lints for clones of jobs: what they are called, what they lack, and whether they ever end.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <reeve/policy/training_job_name.hpp>
#include <set>
#include <utility>

#include "scenarios/lints/lint.hpp"
#include "scenarios/lints/restarts.hpp"
#include "scenarios/lints/rule_facts.hpp"
#include "scenarios/load/condition.hpp"
#include "scenarios/load/standing.hpp"

namespace reeve::scenarios {
namespace {

/// A clone that would be called as another job is (D13).
void check_names_meet(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                      Findings& findings) {
  if (!says(seat, known::naming, "appended")) return;
  const models::JobNames& names = resolved.world().jobs.names;
  const models::World& world = resolved.world();
  const std::set<std::string_view> taken(names.begin(), names.end());
  const auto* resumes = most_clones(seat);
  const bool endless = resumes == nullptr || *resumes < 0 || *resumes > 12;
  const auto last = static_cast<policy::AttemptNumber>(endless ? 13 : *resumes + 1);
  for (std::size_t id = 0; id < names.size(); ++id) {
    const std::string& name = names[id];
    if (!may_hold(seat, world.profiles[world.jobs.specs[id].profile], {}, world)) continue;
    for (policy::AttemptNumber attempt = 2; attempt <= last; ++attempt) {
      const std::string clone = policy::appended_name(name, attempt);
      if (clone.size() > policy::training_job_name_max) break;
      if (!taken.contains(clone)) continue;
      return findings.warning(places.find(known::naming).value_or(places.seat), "W0541",
                              fmt::format("a clone of {} would be named {}, like another job",
                                          in_quotes(name), in_quotes(clone)),
                              "SageMaker rejects a name that is already used",
                              "\"naming\": \"numbered\"");
    }
  }
}

/// How many clones a name has room for, if fewer than may be made (D13).
void check_names_of_clones(const Resolved& resolved, const SeatSpec& seat,
                           const OptionPlaces& places, Findings& findings) {
  if (!says(seat, known::naming, "appended")) return;
  constexpr std::string_view suffix = "clone";
  const models::World& world = resolved.world();
  const auto is_held = [&](std::uint32_t profile) {
    return may_hold(seat, world.profiles[profile], {}, world);
  };
  std::size_t longest = 0;
  if (world.drawn && (is_held(world.drawn->profile) || is_held(world.drawn->untagged_profile))) {
    longest = fmt::format("{}{}", world.drawn->prefix, world.drawn->jobs).size();
  }
  for (std::size_t id = 0; id < world.jobs.names.size(); ++id) {
    if (is_held(world.jobs.specs[id].profile)) {
      longest = std::max(longest, world.jobs.names[id].size());
    }
  }
  if (longest == 0) return;  // the rule sees no job
  const std::size_t room = policy::training_job_name_max - std::min<std::size_t>(longest, 63);
  const std::size_t clones = room / suffix.size();
  const auto* limit = most_clones(seat);
  const bool fit = limit != nullptr && *limit >= 0 && std::cmp_less_equal(*limit, clones);
  if (fit) return;
  findings.warning(places.find(known::naming).value_or(places.seat), "W0446",
                   fmt::format("each clone's name is {} characters longer", suffix.size()),
                   clones == 0 ? std::string{"the longest name has no room for one"}
                               : fmt::format("the longest name has room for only {}", clones),
                   "\"naming\": \"numbered\"");
}

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

/// What a clone is created without, and cannot run without (D12).
void check_lost_fields(const Resolved& /*resolved*/, const SeatSpec& seat,
                       const OptionPlaces& places, Findings& findings) {
  for (const std::string_view field : {"InputDataConfig", "VpcConfig"}) {
    if (!lists(seat, known::loses, field)) continue;
    return findings.warning(places.find(known::loses).value_or(places.seat), "W0457",
                            fmt::format("a clone without its {} fails after it starts", field),
                            "its startup is billed", "copy it");
  }
}

/// What a clone runs without, but was created with to be looked at (F50).
void check_lost_settings(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                         Findings& findings) {
  std::vector<std::string_view> lost;
  for (const std::string_view field :
       {"Environment", "ExperimentConfig", "DebugHookConfig", "ProfilerConfig"}) {
    if (lists(seat, known::loses, field)) lost.push_back(field);
  }
  const models::World& world = resolved.world();
  const bool retried = std::any_of(
      world.profiles.begin(), world.profiles.end(), [&](const models::JobProfile& profile) {
        return profile.retries > 0 && may_hold(seat, profile, {}, world);
      });
  if (retried && lists(seat, known::loses, "RetryStrategy")) lost.push_back("RetryStrategy");
  if (lost.empty()) return;
  findings.warning(places.find(known::loses).value_or(places.seat), "W0458",
                   fmt::format("a clone loses its {}", fmt::join(lost, ", ")),
                   "it runs, but differs from what was submitted",
                   "copy the fields that are still used");
}

/// Whether it may hold of such a job that has ended as Completed.
bool may_hold_of_done(const Resolved& resolved, const policy::Condition& when,
                      const models::JobProfile& profile) {
  using policy::ConditionField;
  const models::World& world = resolved.world();
  const TagsOf tags = [&](std::string_view key) { return world.directory.tag(profile.tags, key); };
  Standing done = completed;
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
  Standing failure = failed;
  for (std::size_t id = 1; id < policy::failure_class_names.size(); ++id) {
    failure.failure = static_cast<policy::FailureClass>(id);
    if (clones_after(seat, failure)) return false;
  }
  const auto& ends = ends_that_ran;
  return !clones_after(seat, timed_out) &&
         std::none_of(ends.begin(), ends.end(),
                      [&](const Standing& end) { return clones_after(seat, end); }) &&
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

/// How jobs of a profile stand as they start, with the tags that they have, or with none.
bool is_stopped_at_start(const SeatSpec& rule, const TagsOf& tags, bool surely) {
  const auto* when = value_of<policy::Condition>(rule, known::when);
  if (when == nullptr || !says(rule, known::does, "stop")) return false;
  using policy::Secondary;
  for (const Secondary status :
       {Secondary::starting, Secondary::downloading, Secondary::training}) {
    const Standing starts{.secondary = status, .tags = &tags};
    const auto holds = holds_of(*when, starts);
    if (holds == true || (!surely && !holds)) return true;
  }
  return false;
}

/// Whether the rule stops attempts without tags, and lets jobs of the profile alone.
bool stops_tagless(const SeatSpec& rule, const models::World& world,
                   const models::JobProfile& profile) {
  const auto tag = [&](std::string_view key) { return world.directory.tag(profile.tags, key); };
  if (has(rule, known::keys)) {
    const std::vector<std::string>& keys = rule.options.texts(known::keys);
    return !keys.empty() && !says(rule, known::action, "notify") &&
           std::all_of(keys.begin(), keys.end(), [&](const auto& key) { return tag(key); });
  }
  const TagsOf none = [](std::string_view) { return std::optional<std::string_view>{}; };
  return is_stopped_at_start(rule, none, true) && !is_stopped_at_start(rule, tag, false);
}

/// D12: a clone without the tags that its first attempt was let alone for.
void check_lost_tags(const Resolved& resolved, const PolicySpec& policy, const SeatSpec& seat,
                     const OptionPlaces& places, Findings& findings) {
  const auto* keeps = value_of<bool>(seat, known::keep_tags);
  const auto* loses = value_of<std::vector<std::string>>(seat, known::loses);
  const bool dropped = keeps != nullptr && !*keeps;
  const bool lost =
      loses != nullptr && std::find(loses->begin(), loses->end(), "Tags") != loses->end();
  if (!dropped && !lost) return;
  const models::World& world = resolved.world();
  for (const SeatSpec& other : policy.seats) {
    if (other.mode != host::Mode::enforce) continue;
    const auto stops = [&](const models::JobProfile& profile) {
      models::JobProfile clone = profile;
      clone.tags = {};  // which no scope of tags holds
      return may_hold(seat, profile, policy, world) && may_hold(other, clone, policy, world) &&
             stops_tagless(other, world, profile);
    };
    if (std::none_of(world.profiles.begin(), world.profiles.end(), stops)) continue;
    return findings.warning(
        places.find(dropped ? known::keep_tags : known::loses).value_or(places.seat), "W0457",
        fmt::format("a clone without its tags is stopped by {}", in_quotes(other.label)),
        "its startup is billed", dropped ? "\"keep_tags\": true" : "copy them");
  }
}

}  // namespace

std::span<const Lint> clone_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0541", "clone names that other jobs already have (defect D13)",
        "The article names a clone after the job, plus \"clone\". If another job has that name, "
        "SageMaker refuses the clone and the job is not resumed.",
        "jobs \"train\" and \"trainclone\", and \"naming\": \"appended\"",
        "\"naming\": \"numbered\""},
       check_names_meet,
       RunIf::handler_runs},
      {{"W0446", "clone names that grow (defect D13)",
        "Each clone gets the previous name plus \"clone\". SageMaker refuses names longer than 63 "
        "characters.",
        "\"naming\": \"appended\"", "\"naming\": \"numbered\""},
       check_names_of_clones,
       RunIf::handler_runs},
      {{"W0447", "resumes without a limit (defect D14)",
        "A job that fails each time is restarted, and billed, each time.", "\"max_resumes\": -1",
        "\"max_resumes\": 2"},
       check_limits,
       RunIf::handler_runs},
      {{"W0457", "a clone that cannot run (defect D12)",
        "A clone has only the fields that are copied. Without its data or its network, it fails "
        "after startup. Without its tags, a rule that requires them stops it.",
        "\"loses\": [\"InputDataConfig\"]", "no such field in \"loses\""},
       check_lost_fields,
       RunIf::handler_runs},
      {also("W0457"), check_lost_tags},
      {{"W0458", "a clone without its settings (defect D12)",
        "A clone has only the fields that are copied. It runs without its environment, debugger "
        "and profiler. Without ExperimentConfig it belongs to no experiment. Without RetryStrategy "
        "nothing restarts it after an infrastructure failure.",
        "\"loses\": [\"ExperimentConfig\"]", "no such field in \"loses\""},
       check_lost_settings,
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
  });
  return rows;
}

}  // namespace reeve::scenarios
