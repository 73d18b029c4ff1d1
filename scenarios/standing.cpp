#include "scenarios/standing.hpp"

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

/// Of a test of a text; an empty one is no value.
bool holds_of_text(const Condition& test, std::string_view text) {
  if (test.comparison == Comparison::exists) return !text.empty();
  if (text.empty()) return test.comparison == Comparison::differs;
  if (test.comparison == Comparison::matches) return test.pattern->matches(text);
  const bool named = std::find(test.texts.begin(), test.texts.end(), text) != test.texts.end();
  return named != (test.comparison == Comparison::differs);
}

std::optional<bool> holds_of_test(const Condition& test, const Standing& standing) {
  constexpr auto none = policy::FailureClass::none;
  switch (test.field) {
    case ConditionField::status:
      return holds_of_text(test, word_of(standing.secondary));
    case ConditionField::primary_status:
      return holds_of_text(test, policy::primary_names[static_cast<std::size_t>(standing.primary)]);
    case ConditionField::failure:
      return holds_of_text(
          test, standing.failure == none
                    ? std::string_view{}
                    : policy::failure_class_names[static_cast<std::size_t>(standing.failure)]);
    case ConditionField::stopped_by:
      return holds_of_text(test, standing.stopped_by);
    case ConditionField::stopped_by_name:
      return holds_of_text(test, standing.stopped_by_name);
    case ConditionField::tag: {
      if (standing.tags == nullptr) return std::nullopt;
      const auto value = (*standing.tags)(test.key);
      if (value && value->empty()) return std::nullopt;
      return holds_of_text(test, value.value_or(std::string_view{}));
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<bool> holds_of(const Condition& condition, const Standing& standing) {
  if (condition.kind == Condition::Kind::test) return holds_of_test(condition, standing);
  if (condition.kind == Condition::Kind::none) {
    const auto inner = holds_of(condition.parts.front(), standing);
    return inner ? std::optional{!*inner} : std::nullopt;
  }
  const bool any = condition.kind == Condition::Kind::any;
  std::optional<bool> whole{!any};
  for (const Condition& part : condition.parts) {
    const auto one = holds_of(part, standing);
    if (one == any) return any;
    if (!one) whole = std::nullopt;
  }
  return whole;
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
