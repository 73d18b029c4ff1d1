#include "scenarios/load/resolved/attempt_status.hpp"

#include <algorithm>

namespace reeve::scenarios {
namespace {

using policy::Comparison;
using policy::Condition;
using policy::ConditionField;

std::string_view word_of(policy::Secondary status) {
  for (const auto& [word, known] : policy::secondary_names) {
    if (known == status) return word;
  }
  return {};
}

/// Of a time that begins with machines: what has none yet has not begun any, and has no value of
/// one that may lack it.
std::optional<bool> may_have_begun(const Condition& test, const AttemptStatus& status) {
  const bool waits = status.secondary == policy::Secondary::queued ||
                     status.secondary == policy::Secondary::pending;
  if (!waits) return std::nullopt;
  if (policy::spec_of(test.field).may_lack) return false;
  const bool from =
      test.comparison == Comparison::above ||
      (test.comparison == Comparison::at_least && test.duration > policy::Duration{0});
  return from ? std::optional{false} : std::nullopt;
}

std::optional<bool> holds_of_test(const Condition& test, const AttemptStatus& status) {
  constexpr auto none = policy::FailureClass::none;
  switch (test.field) {
    case ConditionField::status:
      return holds_of_text(test, word_of(status.secondary));
    case ConditionField::primary_status:
      return holds_of_text(test, policy::primary_names[static_cast<std::size_t>(status.primary)]);
    case ConditionField::failure:
      return holds_of_text(
          test, status.failure == none
                    ? std::string_view{}
                    : policy::failure_class_names[static_cast<std::size_t>(status.failure)]);
    case ConditionField::stopped_by:
      return holds_of_text(test, status.stopped_by);
    case ConditionField::stopped_by_name:
      return holds_of_text(test, status.stopped_by_name);
    case ConditionField::tag: {
      if (status.tags == nullptr) return std::nullopt;
      const auto value = (*status.tags)(test.key);
      if (value && value->empty()) return std::nullopt;
      return holds_of_text(test, value.value_or(std::string_view{}));
    }
    case ConditionField::confidence_pct:  // how sure the class of a failure is: that varies
      return status.failure == none ? std::optional{holds_of_number(test, 100)} : std::nullopt;
    case ConditionField::training_time:
      if (status.trained) return holds_of_time(test, *status.trained);
      return may_have_begun(test, status);
    case ConditionField::time_since_start:
      return may_have_begun(test, status);
    default:
      return std::nullopt;
  }
}

}  // namespace

bool holds_of_text(const Condition& test, std::string_view text) {
  if (test.comparison == Comparison::exists) return !text.empty();
  if (text.empty()) return test.comparison == Comparison::differs;
  if (test.comparison == Comparison::matches) return test.pattern->matches(text);
  const bool named = std::find(test.texts.begin(), test.texts.end(), text) != test.texts.end();
  return named != (test.comparison == Comparison::differs);
}

bool holds_of_number(const Condition& test, std::int64_t number) {
  const std::int64_t with = test.numbers.front();
  switch (test.comparison) {
    case Comparison::below:
      return number < with;
    case Comparison::at_most:
      return number <= with;
    case Comparison::above:
      return number > with;
    case Comparison::at_least:
      return number >= with;
    case Comparison::differs:
      return number != with;
    default:
      return std::find(test.numbers.begin(), test.numbers.end(), number) != test.numbers.end();
  }
}

bool holds_of_time(const Condition& test, policy::Duration time) {
  switch (test.comparison) {
    case Comparison::below:
      return time < test.duration;
    case Comparison::at_most:
      return time <= test.duration;
    case Comparison::above:
      return time > test.duration;
    default:
      return time >= test.duration;
  }
}

std::optional<bool> holds_where(const Condition& condition, const TestOf& known) {
  if (condition.kind == Condition::Kind::test) return known(condition);
  if (condition.kind == Condition::Kind::none) {
    const auto inner = holds_where(condition.parts.front(), known);
    return inner ? std::optional{!*inner} : std::nullopt;
  }
  const bool any = condition.kind == Condition::Kind::any;
  std::optional<bool> whole{!any};
  for (const Condition& part : condition.parts) {
    const auto one = holds_where(part, known);
    if (one == any) return any;
    if (!one) whole = std::nullopt;
  }
  return whole;
}

std::optional<bool> holds_of(const Condition& condition, const AttemptStatus& status) {
  return holds_where(condition, [&](const Condition& test) { return holds_of_test(test, status); });
}

bool waits_for(const Condition& condition, ConditionField field, bool negated) {
  if (condition.kind != Condition::Kind::test) {
    const bool turned = negated != (condition.kind == Condition::Kind::none);
    return std::any_of(condition.parts.begin(), condition.parts.end(),
                       [&](const Condition& part) { return waits_for(part, field, turned); });
  }
  if (condition.field != field) return false;
  const bool from =
      condition.comparison == Comparison::above || condition.comparison == Comparison::at_least;
  const bool until =
      condition.comparison == Comparison::below || condition.comparison == Comparison::at_most;
  return negated ? until : from;
}

}  // namespace reeve::scenarios
