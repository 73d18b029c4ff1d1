#include "app/near_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/format.hpp"

namespace reeve::app {
namespace {

using policy::Comparison;
using policy::Condition;
using policy::ConditionField;
using policy::Duration;
using policy::Instant;

constexpr std::size_t changes_at_most = 6;  // each is a run

/// A test compares the other way round within `not`.
Comparison turned(Comparison comparison) {
  switch (comparison) {
    case Comparison::below:
      return Comparison::at_least;
    case Comparison::at_most:
      return Comparison::above;
    case Comparison::above:
      return Comparison::at_most;
    case Comparison::at_least:
      return Comparison::below;
    default:
      return comparison;
  }
}

/// When the attempt first was in that status; `never`: it was not.
Instant first_in(const models::Record& record, const EndedAttempt& ended,
                 policy::Secondary status) {
  Instant first = policy::never;
  for (const models::EventRow& event : record.events) {
    const bool its = event.job == ended.job && event.attempt == ended.attempt;
    if (its && event.secondary == status) first = std::min(first, event.at);
  }
  return first;
}

/// More than needed, in whole minutes: the limit with which the attempt ends by itself.
std::optional<Duration> enough(const Needed& needed, Measure measure) {
  const auto length = needed(measure);
  if (!length) return std::nullopt;
  constexpr Duration minute = std::chrono::minutes{1};
  return (*length / minute + 1) * minute;
}

/// The alarm one datapoint slower, with longer periods, and at the strictest threshold.
std::vector<Change> slower_alarm(const policy::Options& options, const std::string& prefix) {
  std::vector<Change> changes;
  const std::vector<std::int64_t> points = options.integers(prefix + "datapoints");
  if (points.size() == 2) {
    changes.push_back({prefix + "datapoints",
                       std::vector<std::int64_t>{points[0] + 1, points[1] + 1},
                       fmt::format("datapoints {} of {}", points[0] + 1, points[1] + 1)});
  }
  const Duration twice = 2 * options.duration(prefix + "period");
  changes.push_back(
      {prefix + "period", twice, fmt::format("period {}", report::short_duration(twice))});
  if (options.number(prefix + "threshold") != 0) {
    changes.push_back({prefix + "threshold", 0.0, "threshold 0"});
  }
  return changes;
}

/// The limit with which a rule that goes by the clock would have let the attempt end by itself.
std::vector<Change> longer_limit(const Needed& needed, Measure measure) {
  const auto limit = enough(needed, measure);
  if (!limit) return {};
  return {{"limit", *limit, fmt::format("limit {}", report::short_duration(*limit))}};
}

Change twice(const policy::Options& options, std::string_view option) {
  const Duration length = 2 * options.duration(option);
  return {std::string{option}, length,
          fmt::format("{} {}", option, report::short_duration(length))};
}

/// The highest of the datapoints that the newest alarm of the attempt went off for, of one GPU.
std::optional<double> highest_datapoint(const EndedAttempt& ended) {
  std::optional<double> highest;
  const models::World& world = *ended.world;
  for (const models::AlarmRow& alarm : ended.record->alarms) {
    if (alarm.id.job != ended.job || alarm.attempt != ended.attempt) continue;
    const models::AlarmChange* newest = nullptr;
    for (const models::AlarmChange& change : alarm.changes) {
      if (change.state == policy::AlarmState::alarm && change.at <= ended.at) newest = &change;
    }
    if (newest == nullptr) continue;
    for (const models::AlarmDatapoint& point : newest->datapoints) {
      if (point.present) highest = std::max(highest.value_or(0), point.value);
    }
  }
  if (!highest || !world.platform.metrics.gpu_sum) return highest;
  for (const models::AttemptRow& row : ended.record->attempts) {
    if (row.job != ended.job || row.number != ended.attempt) continue;
    const auto type = world.pools[row.pool.index].type;
    return *highest / std::max<std::uint32_t>(world.directory.types[type.index].gpus, 1);
  }
  return std::nullopt;
}

/// The highest whole percentage that one of the datapoints reaches, and more patience.
std::vector<Change> lower_minimum(const policy::Options& options, const EndedAttempt& ended) {
  std::vector<Change> changes;
  if (const auto highest = highest_datapoint(ended)) {
    const double minimum = std::floor(*highest);
    if (minimum > 0 && minimum < options.number("min_pct")) {
      changes.push_back({"min_pct", minimum, fmt::format("min_pct {}", minimum)});
    }
  }
  changes.push_back(twice(options, "over"));
  changes.push_back(twice(options, "stop_after"));
  return changes;
}

/// One miss more, and longer periods.
std::vector<Change> slower_heartbeat(const policy::Options& options) {
  const std::int64_t misses = options.integer("misses") + 1;
  return {{"misses", misses, fmt::format("misses {}", misses)}, twice(options, "period")};
}

/// Which length of time a field of a condition is, if it is one that goes on with the attempt.
std::optional<Measure> measure_of(ConditionField field) {
  switch (field) {
    case ConditionField::training_time:
      return Measure::training;
    case ConditionField::startup_time:
      return Measure::startup;
    case ConditionField::age:
      return Measure::age;
    case ConditionField::time_since_start:
      return Measure::since_start;
    default:
      return std::nullopt;
  }
}

/// What a number of a condition was; nothing where the run does not say.
std::optional<std::int64_t> number_of(ConditionField field, const EndedAttempt& ended) {
  const models::JobSpec& spec = ended.record->jobs.specs[ended.job.index];
  if (field == ConditionField::attempt) return ended.attempt;
  if (field == ConditionField::instances) return spec.instances;
  if (field != ConditionField::interruptions) return std::nullopt;
  std::int64_t interruptions = 0;
  policy::Secondary before = policy::Secondary::queued;
  for (const models::EventRow& event : ended.record->events) {
    const bool its = event.job == ended.job && event.attempt == ended.attempt;
    if (!its || event.duplicate || event.at > ended.at) continue;
    const bool begins =
        event.secondary == policy::Secondary::interrupted && before != event.secondary;
    if (begins) ++interruptions;
    before = event.secondary;
  }
  return interruptions;
}

/// Sets the threshold of a test so that it would not have held; false: there is no such one.
bool loosen(Condition& test, Comparison comparison, const EndedAttempt& ended,
            const Needed& needed) {
  const bool over = comparison == Comparison::above || comparison == Comparison::at_least;
  if (const auto measure = measure_of(test.field); measure && over) {
    const auto limit = enough(needed, *measure);
    if (!limit || *limit <= test.duration) return false;
    test.duration = *limit;
    return true;
  }
  const auto number = number_of(test.field, ended);
  if (!number || test.numbers.size() != 1) return false;
  std::int64_t& threshold = test.numbers.front();
  const std::int64_t before = threshold;
  if (over) {
    threshold = test.comparison == Comparison::above || test.comparison == Comparison::at_most
                    ? *number
                    : *number + 1;
    return threshold > before;
  }
  if (comparison != Comparison::below && comparison != Comparison::at_most) return false;
  threshold = test.comparison == Comparison::below || test.comparison == Comparison::at_least
                  ? *number
                  : *number - 1;
  return threshold < before;
}

std::string text_of(const Condition& test) {
  const std::string value = policy::spec_of(test.field).type == policy::ConditionType::duration
                                ? report::short_duration(test.duration)
                                : fmt::format("{}", test.numbers.front());
  return fmt::format("{} {} {}", policy::spec_of(test.field).name,
                     policy::comparison_names[static_cast<std::size_t>(test.comparison)], value);
}

/// One change for each test of the condition that another threshold might have turned.
void loosen_each(Condition& part, Condition& copy, bool within_not, const EndedAttempt& ended,
                 const Needed& needed, std::vector<Change>& changes) {
  if (part.kind == Condition::Kind::test) {
    const Condition before = part;
    const Comparison comparison = within_not ? turned(part.comparison) : part.comparison;
    if (loosen(part, comparison, ended, needed)) {
      changes.push_back({"when", copy, text_of(part)});
      part = before;
    }
    return;
  }
  const bool inside = within_not != (part.kind == Condition::Kind::none);
  for (Condition& one : part.parts) {
    loosen_each(one, copy, inside, ended, needed, changes);
  }
}

std::vector<Change> of_stated(const policy::Options& options, const EndedAttempt& ended,
                              const Needed& needed) {
  std::vector<Change> changes;
  const Condition& when = options.condition("when");
  if (policy::asks_for(when, ConditionField::alarm)) changes = slower_alarm(options, "alarm.");
  if (options.text("do") == "limit_runtime") {
    for (Change& change : longer_limit(needed, Measure::training)) {
      changes.push_back(std::move(change));
    }
  }
  Condition copy = when;
  loosen_each(copy, copy, false, ended, needed, changes);
  if (options.duration("after") > Duration{0}) changes.push_back(twice(options, "after"));
  return changes;
}

}  // namespace

std::optional<Duration> lasted(const models::Record& record, const EndedAttempt& ended,
                               Measure measure) {
  Duration billed{0};
  const models::AttemptRow* attempt = nullptr;
  for (const models::AttemptRow& row : record.attempts) {
    if (row.job != ended.job || row.number > ended.attempt) continue;
    billed += row.billed;
    if (row.number == ended.attempt) attempt = &row;
  }
  if (attempt == nullptr || attempt->reason == models::EndReason::horizon) return std::nullopt;
  if (measure == Measure::billed) return billed;
  if (measure == Measure::age) return attempt->end - attempt->requested;
  const Instant starting = first_in(record, ended, policy::Secondary::starting);
  const Instant training = first_in(record, ended, policy::Secondary::training);
  const bool from_start = measure == Measure::startup || measure == Measure::since_start;
  if (from_start && starting == policy::never) return std::nullopt;
  if (measure == Measure::startup) return std::min(training, attempt->end) - starting;
  if (measure == Measure::since_start) return attempt->end - starting;
  if (training == policy::never || training > attempt->end) return std::nullopt;
  return attempt->end - training;
}

std::vector<Change> near_changes(const scenarios::SeatSpec& seat, const EndedAttempt& ended,
                                 const Needed& needed) {
  const std::string_view kind = seat.kind->name;
  std::vector<Change> changes;
  if (kind == "stalled_gpu") changes = slower_alarm(seat.options, "");
  if (kind == "min_gpu") changes = lower_minimum(seat.options, ended);
  if (kind == "heartbeat") changes = slower_heartbeat(seat.options);
  if (kind == "rule") changes = of_stated(seat.options, ended, needed);
  if (kind == "max_runtime") changes = longer_limit(needed, Measure::training);
  if (kind == "startup_limit") changes = longer_limit(needed, Measure::startup);
  if (kind == "uptime_cap") changes = longer_limit(needed, Measure::billed);
  if (changes.size() > changes_at_most) changes.resize(changes_at_most);
  return changes;
}

}  // namespace reeve::app
