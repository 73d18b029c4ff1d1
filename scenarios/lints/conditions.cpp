// Lints for conditions whose numbers and tests leave nothing that they could hold of, or nothing
// that they could not.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "scenarios/lints/lint.hpp"
#include "scenarios/load/keys/condition.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::scenarios {
namespace {

using policy::Comparison;
using policy::Condition;
using policy::ConditionField;
using policy::ConditionType;

/// Numbers, and lengths of time in nanoseconds.
struct Range {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

Range range_of(ConditionField field) {
  if (policy::spec_of(field).type == ConditionType::duration) return {.least = 0};
  switch (field) {
    case ConditionField::attempt:
    case ConditionField::instances:
      return {.least = 1};
    case ConditionField::interruptions:
    case ConditionField::gpus:
      return {.least = 0};
    case ConditionField::confidence_pct:
      return {.least = 0, .most = 100};
    default:
      return {};
  }
}

bool is_of_numbers(const Condition& test) {
  return policy::spec_of(test.field).type != ConditionType::text &&
         test.comparison != Comparison::exists;
}

std::vector<std::int64_t> numbers_of(const Condition& test) {
  if (policy::spec_of(test.field).type == ConditionType::duration) return {test.duration.count()};
  return test.numbers;
}

/// A test of a text, which holds or not whatever others say.
using Claim = std::tuple<ConditionField, std::string, Comparison, std::vector<std::string>>;

Claim claim_of(const Condition& test) {
  return {test.field, test.key, test.comparison, test.texts};
}

/// What one job may be like, as far as the condition asks.
struct Sample {
  std::vector<std::pair<ConditionField, std::int64_t>> numbers;
  std::vector<std::pair<Claim, bool>> claims;
};

bool compares(const Condition& test, std::int64_t number) {
  const std::vector<std::int64_t> with = numbers_of(test);
  const bool named = std::find(with.begin(), with.end(), number) != with.end();
  switch (test.comparison) {
    case Comparison::below:
      return number < with.front();
    case Comparison::at_most:
      return number <= with.front();
    case Comparison::above:
      return number > with.front();
    case Comparison::at_least:
      return number >= with.front();
    case Comparison::differs:
      return !named;
    default:
      return named;
  }
}

bool holds_of_sample(const Condition& condition, const Sample& sample) {
  if (condition.kind == Condition::Kind::none) {
    return !holds_of_sample(condition.parts.front(), sample);
  }
  const auto holds = [&](const Condition& part) { return holds_of_sample(part, sample); };
  if (condition.kind == Condition::Kind::all) {
    return std::all_of(condition.parts.begin(), condition.parts.end(), holds);
  }
  if (condition.kind == Condition::Kind::any) {
    return std::any_of(condition.parts.begin(), condition.parts.end(), holds);
  }
  if (is_of_numbers(condition)) {
    const auto found =
        std::find_if(sample.numbers.begin(), sample.numbers.end(),
                     [&](const auto& number) { return number.first == condition.field; });
    return compares(condition, found->second);
  }
  const Claim claim = claim_of(condition);
  const auto found = std::find_if(sample.claims.begin(), sample.claims.end(),
                                  [&](const auto& one) { return one.first == claim; });
  return found->second;
}

/// What the tests of a condition ask about: each number at, below and above all that it is compared
/// with.
struct Questions {
  std::map<ConditionField, std::set<std::int64_t>> numbers;
  std::set<Claim> claims;
};

void collect_tests(const Condition& condition, Questions& into) {
  for (const Condition& part : condition.parts) collect_tests(part, into);
  if (condition.kind != Condition::Kind::test) return;
  if (!is_of_numbers(condition)) {
    into.claims.insert(claim_of(condition));
    return;
  }
  const Range range = range_of(condition.field);
  std::set<std::int64_t>& points = into.numbers[condition.field];
  for (const std::int64_t number : numbers_of(condition)) {
    const std::int64_t inside = std::clamp(number, range.least, range.most);
    points.insert(inside);
    if (inside > range.least) points.insert(inside - 1);
    if (inside < range.most) points.insert(inside + 1);
  }
}

constexpr std::size_t samples_at_most = 4096;

/// Whether it holds of some jobs, and of some not.
struct Sense {
  bool holds = false;
  bool fails = false;
};

void try_all(const Condition& condition, const Questions& asked, Sample sample, Sense& sense) {
  if (sense.holds && sense.fails) return;
  if (sample.numbers.size() < asked.numbers.size()) {
    const auto next =
        std::next(asked.numbers.begin(), static_cast<std::ptrdiff_t>(sample.numbers.size()));
    for (const std::int64_t number : next->second) {
      Sample with = sample;
      with.numbers.emplace_back(next->first, number);
      try_all(condition, asked, std::move(with), sense);
    }
    return;
  }
  if (sample.claims.size() < asked.claims.size()) {
    const auto next =
        std::next(asked.claims.begin(), static_cast<std::ptrdiff_t>(sample.claims.size()));
    for (const bool holds : {false, true}) {
      Sample with = sample;
      with.claims.emplace_back(*next, holds);
      try_all(condition, asked, std::move(with), sense);
    }
    return;
  }
  (holds_of_sample(condition, sample) ? sense.holds : sense.fails) = true;
}

Sense sense_of(const Condition& condition) {
  Questions asked;
  collect_tests(condition, asked);
  std::size_t samples = 1;
  for (const auto& [field, points] : asked.numbers)
    samples *= std::min(points.size(), samples_at_most);
  for (std::size_t i = 0; i < asked.claims.size() && samples <= samples_at_most; ++i) samples *= 2;
  if (samples > samples_at_most) return {true, true};  // too many to say
  Sense sense;
  try_all(condition, asked, {}, sense);
  return sense;
}

/// The innermost part that always holds, or never; false: there is none.
bool check_part(const Resolved& resolved, const Condition& part, const Node& node,
                Findings& findings) {
  if (part.kind == Condition::Kind::none) {
    if (check_part(resolved, part.parts.front(), *node.find("not"), findings)) return true;
  } else if (part.kind != Condition::Kind::test) {
    const auto nodes = node.find(part.kind == Condition::Kind::all ? "all" : "any");
    for (std::size_t i = 0; i < part.parts.size(); ++i) {
      if (check_part(resolved, part.parts[i], (*nodes)[i], findings)) return true;
    }
  }
  const bool test = part.kind == Condition::Kind::test;
  if (test && part.field == ConditionField::blocked_by &&
      resolved.world().directory.queues.empty()) {
    const bool always = part.comparison == Comparison::differs;
    findings.warning(node, "W0500",
                     fmt::format("this test {}", always ? "holds for every job" : "can never hold"),
                     "no job is in a queue");
    return true;
  }
  const Sense sense = sense_of(part);
  if (sense.holds && sense.fails) return false;
  findings.warning(node, "W0500",
                   fmt::format("{} {}", test ? "this test" : "this condition",
                               sense.holds ? "holds for every job" : "can never hold"),
                   sense.holds ? "it distinguishes no jobs"
                   : test      ? "the field has no such value"
                               : "its tests contradict each other");
  return true;
}

void check_senses(const Resolved& resolved, const SeatSpec& seat, const OptionPlaces& places,
                  Findings& findings) {
  for (const policy::OptionSpec& spec : seat.kind->options) {
    const auto when = places.find(spec.name);
    if (spec.type != policy::OptionType::condition || !when) continue;
    check_part(resolved, seat.options.condition(spec.name), *when, findings);
  }
}

}  // namespace

std::span<const Lint> condition_lints() {
  static constexpr std::array rows = std::to_array<Lint>({
      {{"W0500", "a rule that does not suit this scenario",
        "Its options are valid, but do not suit each other or the fleets and jobs of this "
        "scenario. The rule stops everything, never acts, or has an option without effect. The "
        "message says which, and why.",
        "\"allow\": [\"ml.g5*\"] and fleets of ml.p4d.24xlarge",
        "\"allow\": [\"ml.g5*\", \"ml.p4d*\"]"},
       check_senses},
  });
  return rows;
}

}  // namespace reeve::scenarios
