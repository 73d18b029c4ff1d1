#include "truth.hpp"

#include <algorithm>

#include "status_names.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// Where the job would find machines of its type on such terms.
std::optional<std::string_view> fleet_in(Market market, const JobDescription& job,
                                         const Directory& directory) {
  const auto pool = directory.pool_of(job.type, market);
  if (!pool || directory.pools[pool->index].size < job.instances) return std::nullopt;
  return directory.pools[pool->index].name;
}

/// Empty: none.
std::optional<std::string_view> named(std::string_view rule) {
  return rule.empty() ? std::nullopt : std::optional{rule};
}

std::optional<std::string_view> text_of(const Condition& test, const Subject& subject) {
  const FleetView& fleet = subject.fleet;
  const JobStatus& status = fleet.status(subject.job);
  const JobDescription& description = fleet.description(subject.job);
  const Directory& directory = fleet.directory();
  switch (test.field) {
    case ConditionField::status:
      return status_name(subject.passed ? subject.passed->second : status.secondary);
    case ConditionField::primary_status:
      return primary_names[static_cast<std::size_t>(subject.passed ? subject.passed->first
                                                                   : status.primary)];
    case ConditionField::failure:
      if (status.failure == FailureClass::none) return std::nullopt;
      return failure_class_names[static_cast<std::size_t>(status.failure)];
    case ConditionField::instance_type:
      return directory.types[description.type.index].name;
    case ConditionField::fleet:
      if (description.awaits_placement) return std::nullopt;
      return directory.pools[description.pool.index].name;
    case ConditionField::market:
      if (description.awaits_placement) return std::nullopt;
      return market_names[static_cast<std::size_t>(directory.pools[description.pool.index].market)];
    case ConditionField::origin:
      return origin_names[static_cast<std::size_t>(status.origin)];
    case ConditionField::stopped_by:
      return named(fleet.stopped_by(subject.job));
    case ConditionField::stopped_by_name:
      return named(fleet.stopped_by_name(subject.job));
    case ConditionField::on_demand_fleet:
      return fleet_in(Market::on_demand, description, directory);
    case ConditionField::reserved_fleet:
      return fleet_in(Market::reserved, description, directory);
    case ConditionField::spot_fleet:
      return fleet_in(Market::spot, description, directory);
    case ConditionField::capacity_block_fleet:
      return fleet_in(Market::capacity_block, description, directory);
    case ConditionField::alarm:
      if (!subject.alarm) return std::nullopt;
      return alarm_state_names[static_cast<std::size_t>(*subject.alarm)];
    case ConditionField::placement:
      return placement_names[static_cast<std::size_t>(description.placement)];
    case ConditionField::blocked_by:
      if (!subject.blocked_by) return std::nullopt;
      return blockage_names[static_cast<std::size_t>(*subject.blocked_by)];
    case ConditionField::tag:
      return fleet.tag(subject.job, test.key);
    default:
      return std::nullopt;
  }
}

std::int64_t number_of(ConditionField field, const Subject& subject) {
  const JobStatus& status = subject.fleet.status(subject.job);
  const JobDescription& description = subject.fleet.description(subject.job);
  switch (field) {
    case ConditionField::attempt:
      return status.attempt;
    case ConditionField::interruptions:
      return status.interruptions;
    case ConditionField::instances:
      return description.instances;
    case ConditionField::gpus:
      return subject.fleet.gpus(subject.job);
    case ConditionField::priority:
      return description.priority;
    case ConditionField::confidence_pct:
      return confidence_pct(status);
    default:
      return 0;
  }
}

/// From when to when a length of time is measured; `never`: not begun, not over.
struct Measured {
  Instant from = never;
  Instant until = never;
};

Measured measured(ConditionField field, const Subject& subject) {
  const JobStatus& status = subject.fleet.status(subject.job);
  switch (field) {
    case ConditionField::training_time:
      return {status.training_since, std::min(subject.uploads_since, status.ended_at)};
    case ConditionField::startup_time:
      return {subject.starts_since, never};
    case ConditionField::age:
      return {status.requested_at, status.ended_at};
    case ConditionField::time_since_start:
      return {subject.started_at, status.ended_at};
    case ConditionField::time_in_status:
      return {status.since, never};
    default:
      return {};
  }
}

template <class T>
bool compares(Comparison comparison, const T& value, const T& with) {
  switch (comparison) {
    case Comparison::below:
      return value < with;
    case Comparison::at_most:
      return value <= with;
    case Comparison::above:
      return value > with;
    case Comparison::at_least:
      return value >= with;
    case Comparison::equal:
      return value == with;
    default:
      return value != with;
  }
}

Truth truth_of(bool holds) {
  return holds ? Truth::yes : Truth::no;
}

/// No value equals nothing, and is no value of a list.
bool text_holds(const Condition& test, std::optional<std::string_view> text) {
  if (test.comparison == Comparison::exists) return text.has_value();
  if (!text) return test.comparison == Comparison::differs;
  if (test.comparison == Comparison::matches) return test.pattern->matches(*text);
  const bool named = std::find(test.texts.begin(), test.texts.end(), *text) != test.texts.end();
  return named != (test.comparison == Comparison::differs);
}

/// How long it is by now.
Duration length(const Measured& span, Instant now) {
  const Instant until = std::min(span.until, now);
  return until > span.from ? until - span.from : Duration{0};
}

Judged judge_duration(const Condition& test, const Subject& subject) {
  if (test.field == ConditionField::max_runtime) {
    const Duration limit = subject.fleet.description(subject.job).max_runtime;
    return {truth_of(compares(test.comparison, limit, test.duration)), never};
  }
  const Measured span = measured(test.field, subject);
  const bool none = spec_of(test.field).may_lack && span.from == never;
  if (none || test.comparison == Comparison::exists) return {truth_of(!none), never};
  if (span.from == never || span.from > subject.now) {
    const Instant begins = span.from;
    return {truth_of(compares(test.comparison, Duration{0}, test.duration)), begins};
  }
  const bool holds = compares(test.comparison, length(span, subject.now), test.duration);
  Judged judged{truth_of(holds), never};
  if (span.until != never) return judged;
  // `>` and `<=` change when the length is more than that: one nanosecond later.
  const bool beyond =
      test.comparison == Comparison::above || test.comparison == Comparison::at_most;
  const Instant turns = later(later(span.from, test.duration), Duration{beyond ? 1 : 0});
  if (turns > subject.now) judged.next = turns;
  return judged;
}

Judged judge_test(const Condition& test, const Subject& subject) {
  const ConditionFieldSpec& spec = spec_of(test.field);
  if (spec.submitted && !subject.fleet.is_described(subject.job)) return {Truth::unknown, never};
  switch (spec.type) {
    case ConditionType::text:
      return {truth_of(text_holds(test, text_of(test, subject))), never};
    case ConditionType::number:
      return {truth_of(number_holds(test, number_of(test.field, subject))), never};
    case ConditionType::duration:
      return judge_duration(test, subject);
  }
  return {};
}

Truth negated(Truth truth) {
  if (truth == Truth::unknown) return truth;
  return truth_of(truth == Truth::no);
}

}  // namespace

bool number_holds(const Condition& test, std::int64_t number) {
  if (test.comparison != Comparison::one_of) {
    return compares(test.comparison, number, test.numbers.front());
  }
  return std::find(test.numbers.begin(), test.numbers.end(), number) != test.numbers.end();
}

bool length_holds(const Condition& test, Duration length) {
  return test.comparison == Comparison::exists || compares(test.comparison, length, test.duration);
}

Judged judge(const Condition& condition, const Subject& subject) {
  if (condition.kind == Condition::Kind::test) return judge_test(condition, subject);
  const bool any = condition.kind == Condition::Kind::any;
  Judged whole{any ? Truth::no : Truth::yes, never};
  for (const Condition& part : condition.parts) {
    const Judged one = judge(part, subject);
    whole.truth = any ? std::max(whole.truth, one.truth) : std::min(whole.truth, one.truth);
    whole.next = std::min(whole.next, one.next);
  }
  if (condition.kind == Condition::Kind::none) whole.truth = negated(whole.truth);
  return whole;
}

std::string value_text(const Condition& test, const Subject& subject) {
  const ConditionFieldSpec& spec = spec_of(test.field);
  if (spec.submitted && !subject.fleet.is_described(subject.job)) return "unknown";
  if (spec.type == ConditionType::text) return std::string{text_of(test, subject).value_or("none")};
  if (spec.type == ConditionType::number) return std::to_string(number_of(test.field, subject));
  if (test.field == ConditionField::max_runtime) {
    return length_text(subject.fleet.description(subject.job).max_runtime);
  }
  const Measured span = measured(test.field, subject);
  const bool none = spec.may_lack && span.from == never;
  return none ? "none" : length_text(length(span, subject.now));
}

}  // namespace reeve::policies
