#include "grounds.hpp"

#include <vector>

#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

std::string compared_with(const Condition& test) {
  if (test.comparison == Comparison::exists) return {};
  if (test.comparison == Comparison::matches) return " \"" + test.texts.front() + '"';
  if (spec_of(test.field).type == ConditionType::duration) return ' ' + length_text(test.duration);
  std::vector<std::string> values = test.texts;
  for (const std::int64_t number : test.numbers) values.push_back(std::to_string(number));
  std::string all;
  for (const std::string& value : values) all += (all.empty() ? "" : ", ") + value;
  return test.comparison == Comparison::one_of ? " [" + all + ']' : ' ' + all;
}

std::string test_text(const Condition& test, const Subject& subject) {
  std::string text{spec_of(test.field).name};
  if (test.field == ConditionField::tag) text = std::string{tag_prefix} + test.key;
  text += ' ';
  text += comparison_names[static_cast<std::size_t>(test.comparison)];
  return text + compared_with(test) + " (it was " + value_text(test, subject) + ')';
}

/// Each part that by itself makes `all` fail, or `any` hold; else they do so together.
std::vector<const Condition*> deciding(const Condition& condition, const Subject& subject) {
  const Truth by_itself = condition.kind == Condition::Kind::any ? Truth::yes : Truth::no;
  std::vector<const Condition*> some;
  std::vector<const Condition*> all;
  for (const Condition& part : condition.parts) {
    all.push_back(&part);
    if (judge(part, subject).truth == by_itself) some.push_back(&part);
  }
  return some.empty() ? all : some;
}

std::string told(const Condition& condition, const Subject& subject, bool inside) {
  if (condition.kind == Condition::Kind::test) return test_text(condition, subject);
  if (condition.kind == Condition::Kind::none) {
    return "not (" + told(condition.parts.front(), subject, false) + ')';
  }
  const std::vector<const Condition*> parts = deciding(condition, subject);
  if (parts.size() == 1) return told(*parts.front(), subject, inside);
  std::string text;
  for (const Condition* part : parts) {
    text += (text.empty() ? "" : ", ") + told(*part, subject, true);
  }
  const std::string which = condition.kind == Condition::Kind::any ? "any of" : "all of";
  return inside ? which + " (" + text + ')' : which + ": " + text;
}

}  // namespace

std::string grounds(const Condition& condition, const Subject& subject) {
  return told(condition, subject, false);
}

}  // namespace reeve::policies
