#include "scenarios/load/keys/condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scenarios/text/pattern.hpp"

namespace reeve::scenarios {
namespace {

using policy::Comparison;
using policy::Condition;
using policy::ConditionFieldSpec;
using policy::ConditionType;

Shape plain(ShapeKind kind) {
  Shape shape;
  shape.kind = kind;
  return shape;
}

FieldShape key(std::string name, Shape shape, std::string help) {
  return {std::move(name), std::move(shape), {}, std::move(help), false};
}

Shape comparison_shape() {
  Shape shape = plain(ShapeKind::choice);
  shape.choices.assign(policy::comparison_names.begin(), policy::comparison_names.end());
  return shape;
}

Shape field_shape() {
  Shape names = plain(ShapeKind::choice);
  for (const ConditionFieldSpec& spec : policy::condition_fields) {
    if (spec.field != policy::ConditionField::tag) names.choices.push_back(spec.name);
  }
  Shape tag = plain(ShapeKind::text);
  tag.pattern = "^tag:.+$";
  Shape shape = plain(ShapeKind::any_of);
  shape.parts = {names, tag};
  return shape;
}

Shape value_shape() {
  Shape list = plain(ShapeKind::list);
  Shape element = plain(ShapeKind::any_of);
  element.parts = {plain(ShapeKind::text), plain(ShapeKind::integer)};
  list.parts = {element};
  list.min_items = 1;
  Shape shape = plain(ShapeKind::any_of);
  shape.parts = {plain(ShapeKind::text), plain(ShapeKind::integer), list};
  return shape;
}

ObjectShape make_shape() {
  Shape condition = plain(ShapeKind::condition);
  Shape list = plain(ShapeKind::list);
  list.parts = {condition};
  list.min_items = 1;
  ObjectShape shape;
  shape.name = "a condition";
  shape.help = "A combination of conditions, or a test of one field of a job.";
  shape.exactly_one = {"all", "any", "not", "field"};
  shape.fields = {
      key("all", list, "each of these conditions holds"),
      key("any", list, "at least one of these conditions holds"),
      key("not", condition, "this condition does not hold"),
      key("field", field_shape(), "the field to test; `tag:KEY`: the value of that tag"),
      key("op", comparison_shape(), "the comparison operator"),
      key("value", value_shape(), "the value to compare with; `in`: a list; `exists`: none"),
  };
  return shape;
}

std::string_view name_of(ConditionType type) {
  switch (type) {
    case ConditionType::text:
      return "a text";
    case ConditionType::number:
      return "a number";
    case ConditionType::duration:
      return "a duration";
  }
  return {};
}

/// The comparisons that a test of the field may make.
std::string comparisons_of(const ConditionFieldSpec& spec) {
  std::string names;
  for (std::size_t i = 0; i < policy::comparison_names.size(); ++i) {
    if (!policy::fits(static_cast<Comparison>(i), spec)) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", policy::comparison_names[i]);
  }
  return names;
}

const ConditionFieldSpec* read_field(const Node& node, Findings& findings) {
  const auto name = findings.attempt([&] { return node.as_text(); });
  if (!name) return nullptr;
  if (const auto field = policy::condition_field_named(*name)) return &policy::spec_of(*field);
  std::vector<std::string_view> names;
  for (const ConditionFieldSpec& spec : policy::condition_fields) names.push_back(spec.name);
  std::string help = did_you_mean(*name, names);
  if (*name == policy::tag_prefix) help = "add the key of the tag: \"tag:project\"";
  if (help.empty()) help = fmt::format("the fields are {}", fmt::join(names, ", "));
  findings.add(
      at(node, "E0290", fmt::format("unknown field {}", in_quotes(*name)), "not a field of a job")
          .with_help(help));
  return nullptr;
}

std::optional<Comparison> read_comparison(const Node& node, const ConditionFieldSpec& spec,
                                          Findings& findings) {
  if (node.is_text() && node.as_text() == "<>") {  // by its letters it would be "<="
    findings.add(at(node, "E0204", R"("op": unknown value "<>")", "not one of the choices")
                     .with_help(R"(did you mean "!="?)"));
    return std::nullopt;
  }
  const auto index = read_choice(node, comparison_shape(), findings);
  if (!index) return std::nullopt;
  const auto comparison = static_cast<Comparison>(*index);
  if (policy::fits(comparison, spec)) return comparison;
  const bool always = comparison == Comparison::exists;
  findings.add(at(node, "E0291",
                  fmt::format("\"{}\" cannot be used with \"{}\"", policy::comparison_names[*index],
                              spec.name),
                  always ? "it always has a value" : fmt::format("it is {}", name_of(spec.type)))
                   .with_help(fmt::format("one of {}", comparisons_of(spec))));
  return std::nullopt;
}

bool read_one_value(const Node& node, const ConditionFieldSpec& spec, Findings& findings,
                    Condition& into) {
  Shape shape;
  if (spec.type == ConditionType::duration) {
    shape.min = 0;
    shape.max = std::chrono::duration<double>(longest_duration).count();
    const auto duration = read_duration(node, shape, findings);
    if (duration) into.duration = *duration;
    return duration.has_value();
  }
  if (spec.type == ConditionType::number) {
    const auto number = read_integer(node, shape, findings);
    if (number) into.numbers.push_back(*number);
    return number.has_value();
  }
  shape.choices.assign(spec.words.begin(), spec.words.end());
  auto text = read_text(node, shape, findings);
  if (text) into.texts.push_back(std::move(*text));
  return text.has_value();
}

bool read_pattern(const Node& node, Findings& findings, Condition& into) {
  const auto text = findings.attempt([&] { return std::string{node.as_text()}; });
  if (!text) return false;
  std::string problem;
  into.pattern = compile_pattern(*text, problem);
  if (into.pattern) {
    into.texts.push_back(*text);  // as it is told
    return true;
  }
  findings.add(
      at(node, "E0223", fmt::format("{} is not a regular expression", in_quotes(*text)), problem)
          .with_help(
              "use RE2 syntax: no back references, no look-ahead; it must match the whole text"));
  return false;
}

bool read_value(const Node& node, const ConditionFieldSpec& spec, Findings& findings,
                Condition& into) {
  if (into.comparison == Comparison::matches) return read_pattern(node, findings, into);
  if (into.comparison != Comparison::one_of) return read_one_value(node, spec, findings, into);
  if (!expect_items(node, 1, findings)) return false;
  bool complete = true;
  for (const Node child : node.as_array()) {
    complete = read_one_value(child, spec, findings, into) && complete;
  }
  return complete;
}

std::optional<Condition> read_test(const Node& node, Findings& findings) {
  const Node field = *node.find("field");
  const ConditionFieldSpec* const spec = read_field(field, findings);
  if (spec == nullptr) return std::nullopt;
  const auto written = node.find("op");
  if (!written) {
    findings.add(at(node, "E0202", "a condition with \"field\" lacks the key \"op\"",
                    fmt::format("one of {}", comparisons_of(*spec))));
    return std::nullopt;
  }
  const auto comparison = read_comparison(*written, *spec, findings);
  if (!comparison) return std::nullopt;
  Condition test;
  test.kind = Condition::Kind::test;
  test.field = spec->field;
  test.comparison = *comparison;
  if (spec->field == policy::ConditionField::tag) {
    test.key = field.as_text().substr(policy::tag_prefix.size());
  }
  const auto value = node.find("value");
  if (test.comparison == Comparison::exists) {
    if (!value) return test;
    findings.add(at(*value, "E0293", "\"exists\" takes no value", "leave it out"));
    return std::nullopt;
  }
  if (!value) {
    findings.add(at(node, "E0202", "a condition with \"field\" lacks the key \"value\"",
                    fmt::format("{} to compare with", name_of(spec->type))));
    return std::nullopt;
  }
  if (!read_value(*value, *spec, findings, test)) return std::nullopt;
  return test;
}

std::optional<Condition> read_at(const Node& node, std::size_t depth, Findings& findings);

std::optional<Condition> read_parts(Condition::Kind kind, const Node& node, std::size_t depth,
                                    Findings& findings) {
  Condition whole;
  whole.kind = kind;
  const auto add = [&](const Node& part) {
    auto read = read_at(part, depth + 1, findings);
    if (read) whole.parts.push_back(std::move(*read));
    return read.has_value();
  };
  bool complete = true;
  if (kind == Condition::Kind::none) {
    complete = add(node);
  } else {
    if (!expect_items(node, 1, findings)) return std::nullopt;
    for (const Node part : node.as_array()) complete = add(part) && complete;
  }
  if (!complete) return std::nullopt;
  return whole;
}

/// `op` and `value` without `field` compare nothing.
bool check_keys(const Node& node, Findings& findings) {
  const std::size_t errors_before = findings.errors();
  for (const Node member : node.as_object()) {
    const auto& fields = condition_shape().fields;
    const bool known = std::any_of(fields.begin(), fields.end(),
                                   [&](const FieldShape& row) { return row.name == member.key(); });
    if (!known) report_unknown_key(member, condition_shape(), findings);
    const bool compares = member.key() == "op" || member.key() == "value";
    const bool whole = node.find("all") || node.find("any") || node.find("not");
    if (!compares || node.find("field") || !whole) continue;
    findings.add(at_key(member, "E0293", fmt::format("\"{}\" without \"field\"", member.key()),
                        "nothing is compared"));
  }
  report_missing_keys(node, {}, condition_shape(), findings);
  return findings.errors() == errors_before;
}

std::optional<Condition> read_at(const Node& node, std::size_t depth, Findings& findings) {
  if (findings.full() || !expect_kind(node, Kind::object, findings)) return std::nullopt;
  if (depth > policy::max_condition_depth) {
    findings.add(
        at(node, "E0292",
           fmt::format("conditions are nested more than {} deep", policy::max_condition_depth),
           "one too many")
            .with_help("\"all\" in \"all\", \"any\" in \"any\" and \"not\" of \"not\" can "
                       "be left out"));
    return std::nullopt;
  }
  if (!check_keys(node, findings)) return std::nullopt;
  if (const auto all = node.find("all")) {
    return read_parts(Condition::Kind::all, *all, depth, findings);
  }
  if (const auto any = node.find("any")) {
    return read_parts(Condition::Kind::any, *any, depth, findings);
  }
  if (const auto part = node.find("not")) {
    return read_parts(Condition::Kind::none, *part, depth, findings);
  }
  return read_test(node, findings);
}

void collect(const Node& node, std::vector<Node>& into) {
  if (node.find("field")) into.push_back(node);
  for (const std::string_view several : {"all", "any"}) {
    const auto parts = node.find(several);
    if (!parts || !parts->is_array()) continue;
    for (const Node part : parts->as_array()) collect(part, into);
  }
  if (const auto part = node.find("not")) collect(*part, into);
}

}  // namespace

std::optional<policy::Condition> read_condition(const Node& node, Findings& findings) {
  return read_at(node, 1, findings);
}

const ObjectShape& condition_shape() {
  static const ObjectShape shape = make_shape();
  return shape;
}

std::vector<Node> tests_in(const Node& condition) {
  std::vector<Node> tests;
  collect(condition, tests);
  return tests;
}

}  // namespace reeve::scenarios
