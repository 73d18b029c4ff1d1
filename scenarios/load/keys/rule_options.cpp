#include "scenarios/load/keys/rule_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <reeve/policy/known_options.hpp>
#include <set>
#include <utility>

#include "policies/registry.hpp"
#include "scenarios/load/keys/condition.hpp"
#include "scenarios/load/keys/rule_keys.hpp"
#include "scenarios/text/pattern.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using policy::OptionSpec;
using policy::OptionType;
using policy::OptionValue;
using policy::PolicyKind;

ShapeKind kind_of(OptionType type) {
  switch (type) {
    case OptionType::flag:
      return ShapeKind::flag;
    case OptionType::integer:
    case OptionType::integers:
      return ShapeKind::integer;
    case OptionType::number:
      return ShapeKind::number;
    case OptionType::duration:
      return ShapeKind::duration;
    case OptionType::choice:
      return ShapeKind::choice;
    case OptionType::text:
    case OptionType::texts:
    case OptionType::text_map:
    case OptionType::pattern_map:
      return ShapeKind::text;
    case OptionType::condition:
      return ShapeKind::condition;
  }
  return ShapeKind::text;
}

Shape list_of_shape(Shape element) {
  Shape shape;
  shape.kind = ShapeKind::list;
  shape.parts = {std::move(element)};
  return shape;
}

Shape option_shape(const OptionSpec& spec) {
  Shape shape;
  shape.kind = kind_of(spec.type);
  shape.min = spec.min;
  shape.max = spec.max;
  if (spec.type == OptionType::duration) {  // as every duration of a scenario
    shape.max = std::min(shape.max, std::chrono::duration<double>(longest_duration).count());
  }
  shape.unit = spec.unit;
  shape.choices = spec.choices;
  if (!spec.choices.empty()) shape.kind = ShapeKind::choice;
  if (spec.type == OptionType::texts || spec.type == OptionType::integers) {
    return list_of_shape(shape);
  }
  const bool is_map = spec.type == OptionType::text_map || spec.type == OptionType::pattern_map;
  if (!is_map) return shape;
  Shape map;
  map.kind = ShapeKind::map;
  map.parts = {list_of_shape(shape)};
  return map;
}

FieldShape& nested(ObjectShape& object, std::string_view key) {
  for (FieldShape& row : object.fields) {
    if (row.name == key) return row;
  }
  FieldShape row;
  row.name = key;
  row.help = fmt::format("the {} of the rule", key);
  row.shape.kind = ShapeKind::object;
  auto inner = std::make_shared<ObjectShape>();
  inner->name = fmt::format("\"{}\" of {}", key, object.name);
  row.shape.object = inner;
  return object.fields.emplace_back(std::move(row));
}

/// The table as an object; a dot in an option's name is a nested one.
ObjectShape object_of(const PolicyKind& kind) {
  ObjectShape shape;
  shape.name = kind.name;
  shape.help = kind.summary;
  for (const OptionSpec& spec : kind.options) {
    FieldShape row{"", option_shape(spec), std::string{spec.default_json}, std::string{spec.help},
                   spec.default_json.empty()};
    const auto dot = spec.name.find('.');
    row.name = dot == std::string_view::npos ? spec.name : spec.name.substr(dot + 1);
    if (dot == std::string_view::npos) {
      shape.fields.push_back(std::move(row));
      continue;
    }
    FieldShape& outer = nested(shape, spec.name.substr(0, dot));
    auto inner = std::make_shared<ObjectShape>(*outer.shape.object);
    inner->fields.push_back(std::move(row));
    outer.shape.object = std::move(inner);
  }
  return shape;
}

template <class T, class Read>
std::optional<OptionValue> read_list(const Node& node, Findings& findings, Read read) {
  if (!expect_kind(node, Kind::array, findings)) return std::nullopt;
  std::vector<T> values;
  bool complete = true;
  for (const Node child : node.as_array()) {
    auto value = read(child);
    complete = complete && value.has_value();
    if (value) values.push_back(std::move(*value));
  }
  if (!complete) return std::nullopt;
  return values;
}

/// A list of names says each once: which was meant where one is written twice?
std::optional<OptionValue> read_names(const Node& node, Findings& findings, const Shape& element) {
  std::set<std::string> seen;
  bool repeated = false;
  auto names = read_list<std::string>(node, findings, [&](const Node& child) {
    auto name = read_text(child, element, findings);
    if (name && !seen.insert(*name).second) {
      findings.add(at(child, "E0208", fmt::format("{} is listed twice", in_quotes(*name)), "",
                      Severity::error)
                       .with_help("list each name once"));
      repeated = true;
    }
    return name;
  });
  return repeated ? std::nullopt : names;
}

/// The texts of an object of lists of texts, each with its key and where it stands.
struct MappedText {
  std::string key;
  std::string text;
  Node node;
};

std::optional<std::vector<MappedText>> read_mapped_texts(const Node& node, const Shape& shape,
                                                         Findings& findings) {
  if (!expect_kind(node, Kind::object, findings)) return std::nullopt;
  std::vector<MappedText> texts;
  bool complete = true;
  const NodeRange range = node.as_object();
  std::vector<Node> members(range.begin(), range.end());
  std::sort(members.begin(), members.end(),
            [](const Node& a, const Node& b) { return a.key() < b.key(); });
  for (const Node& member : members) {
    const bool is_list = expect_kind(member, Kind::array, findings);
    complete = complete && is_list;
    if (!is_list) continue;
    if (member.as_array().empty()) {
      findings.add(at_key(member, "E0245",
                          fmt::format("no value of {} is listed", in_quotes(member.key())),
                          "as if the key were absent")
                       .with_help("name at least one, or remove the key to allow any value"));
      complete = false;
    }
    for (const Node child : member.as_array()) {
      auto text = read_text(child, shape.parts[0].parts[0], findings);
      complete = complete && text.has_value();
      if (text) texts.push_back({std::string{member.key()}, std::move(*text), child});
    }
  }
  if (!complete) return std::nullopt;
  return texts;
}

std::optional<OptionValue> read_text_map(const Node& node, const Shape& shape, Findings& findings) {
  const auto texts = read_mapped_texts(node, shape, findings);
  if (!texts) return std::nullopt;
  std::vector<policy::Tag> tags;
  for (const MappedText& text : *texts) tags.emplace_back(text.key, text.text);
  return tags;
}

std::optional<OptionValue> read_pattern_map(const Node& node, const Shape& shape,
                                            Findings& findings) {
  const auto texts = read_mapped_texts(node, shape, findings);
  if (!texts) return std::nullopt;
  std::vector<policy::KeyPattern> patterns;
  for (const MappedText& text : *texts) {
    std::string problem;
    if (auto pattern = compile_pattern(text.text, problem)) {
      patterns.emplace_back(text.key, std::move(*pattern));
    } else {
      findings.add(at(text.node, "E0223",
                      fmt::format("{} is not a regular expression", in_quotes(text.text)), problem)
                       .with_help("use RE2 syntax: no back references, no look-ahead; it must "
                                  "match the whole text"));
    }
  }
  if (patterns.size() < texts->size()) return std::nullopt;
  return patterns;
}

template <class T>
std::optional<OptionValue> some(const std::optional<T>& value) {
  return value ? std::optional<OptionValue>{OptionValue{*value}} : std::nullopt;
}

std::optional<OptionValue> read_option(const OptionSpec& spec, const Node& node,
                                       Findings& findings) {
  const Shape shape = option_shape(spec);
  switch (spec.type) {
    case OptionType::flag:
      return some(read_flag(node, findings));
    case OptionType::integer:
      return some(read_integer(node, shape, findings));
    case OptionType::number:
      return some(read_number(node, shape, findings));
    case OptionType::duration:
      return some(read_duration(node, shape, findings));
    case OptionType::choice:
    case OptionType::text:
      return some(read_text(node, shape, findings));
    case OptionType::texts:
      return read_names(node, findings, shape.parts[0]);
    case OptionType::integers:
      return read_list<std::int64_t>(node, findings, [&](const Node& child) {
        return read_integer(child, shape.parts[0], findings);
      });
    case OptionType::text_map:
      return read_text_map(node, shape, findings);
    case OptionType::pattern_map:
      return read_pattern_map(node, shape, findings);
    case OptionType::condition:
      return some(read_condition(node, findings));
  }
  return std::nullopt;
}

OptionValue default_of(const OptionSpec& spec) {
  const Document document = Document::parse(
      SourceFile::from_text(std::string{spec.name}, std::string{spec.default_json}));
  Findings findings;
  const auto value = read_option(spec, document.root(), findings);
  if (!value) throw InputError{findings.sorted()};
  return *value;
}

/// Reports keys that the rule does not have, also inside nested objects.
void check_member(const Node& member, const ObjectShape& shape, Findings& findings) {
  const auto row = std::find_if(shape.fields.begin(), shape.fields.end(),
                                [&](const FieldShape& f) { return f.name == member.key(); });
  if (row == shape.fields.end()) {
    report_unknown_key(member, shape, findings);
  } else if (row->shape.kind == ShapeKind::object && expect_kind(member, Kind::object, findings)) {
    for (const Node inner : member.as_object()) {
      check_member(inner, *row->shape.object, findings);
    }
  }
}

std::optional<Node> find_in(const Node& value, std::string_view rest) {
  return rest.empty() ? std::optional{value} : value.find(rest);
}

/// Where a problem is shown: what the person wrote last, the seat's own keys before its preset's.
struct ProblemPlace {
  std::string_view option;  ///< empty: the seat, for neither option is written
  Node node;
};

ProblemPlace place_of_option(const policy::OptionProblem& problem, const OptionPlaces& places) {
  const OptionPlaces own{places.seat, places.own, std::nullopt};
  for (const OptionPlaces& where : {own, places}) {
    for (const std::string_view option : {problem.option, problem.against}) {
      const auto node = option.empty() ? std::nullopt : where.find(option);
      if (!node) continue;
      if (option != problem.option || !problem.element) return {option, *node};
      return {option, *std::next(node->as_array().begin(), static_cast<int>(*problem.element))};
    }
  }
  return {{}, places.seat};
}

/// A list on one line is underlined from bracket to bracket.
Diagnostic at_all_of(const Node& node, std::string_view code, std::string message,
                     std::string label) {
  Diagnostic diagnostic = at(node, code, message, label);
  if (!node.is_array() || node.raw().find('\n') != std::string_view::npos) return diagnostic;
  Diagnostic whole = node.source().diagnose(node.offset(), node.raw().size(), code,
                                            std::move(message), std::move(label));
  whole.pointer = diagnostic.pointer;
  return whole;
}

Diagnostic told_as(std::string_view code, const PolicyKind& kind,
                   const policy::OptionProblem& problem, const OptionPlaces& places) {
  // The option is the subject of messages that begin with a verb.
  const bool verb = problem.message.starts_with("is ") || problem.message.starts_with("must ") ||
                    problem.message.starts_with("names ");
  const ProblemPlace place = place_of_option(problem, places);
  const bool other = !place.option.empty() && place.option != problem.option;
  const auto near = nearest(problem.wrong, problem.words);
  const std::string help =
      near ? fmt::format("did you mean {}? {}", in_quotes(*near), problem.help) : problem.help;
  return at_all_of(place.node, code,
                   fmt::format("\"{}\"{} {}", problem.option, verb ? "" : ":", problem.message),
                   other ? fmt::format("with this \"{}\"", place.option)
                         : fmt::format("option of {}", kind.name))
      .with_help(help);
}

}  // namespace

std::string problem_of_options(const PolicyKind& kind) {
  for (const OptionSpec& spec : kind.options) {
    if (spec.name.empty()) return "an option has no name";
    const auto same = [&](const OptionSpec& other) { return other.name == spec.name; };
    if (std::count_if(kind.options.begin(), kind.options.end(), same) > 1) {
      return fmt::format("two options have the name {}", in_quotes(spec.name));
    }
    for (const std::string_view taken : {"rule", "use", "name", "priority", "mode", "scope"}) {
      if (spec.name == taken) return fmt::format("{} is a key of every rule", in_quotes(taken));
    }
    if (spec.default_json.empty()) continue;
    try {
      default_of(spec);
    } catch (const std::exception& problem) {
      return fmt::format("the default of {}: {}", in_quotes(spec.name), problem.what());
    }
  }
  return {};
}

Codec<std::string> rule_name() {
  Shape shape;
  shape.kind = ShapeKind::choice;
  for (const PolicyKind& kind : policies::kinds()) shape.choices.push_back(kind.name);
  return {shape, [](const Node& node, Findings& findings, std::string& into) {
            std::vector<std::string_view> names;  // plug-ins may have been loaded since
            for (const PolicyKind& kind : policies::kinds()) names.push_back(kind.name);
            const auto value = findings.attempt([&] { return std::string{node.as_text()}; });
            if (!value) return false;
            if (std::find(names.begin(), names.end(), *value) == names.end()) {
              std::string help = did_you_mean(*value, names);
              if (help.empty()) help = fmt::format("the rules are {}", fmt::join(names, ", "));
              help += "\nload your own rule with --plugin PATH (docs/how-to/write-a-plugin.md)";
              findings.add(at(node, "E0213", fmt::format("unknown rule {}", in_quotes(*value)),
                              "no rule of this name")
                               .with_help(help));
              return false;
            }
            into = *value;
            return true;
          }};
}

bool has_own_use(std::string_view rule) {
  const PolicyKind* kind = policies::find_kind(rule);
  return kind != nullptr && kind->owns_use;
}

Codec<RawInput> preset() {
  Shape shape;
  shape.kind = ShapeKind::any_of;
  for (ObjectShape& options : option_shapes()) {
    for (FieldShape& row : options.fields) row.required = false;
    Shape one;
    one.kind = ShapeKind::object;
    one.object = std::make_shared<ObjectShape>(std::move(options));
    shape.parts.push_back(std::move(one));
  }
  return kept<RawInput>(Kind::object, shape);
}

std::vector<ObjectShape> option_shapes() {
  std::vector<ObjectShape> shapes;
  for (const PolicyKind& kind : policies::kinds()) shapes.push_back(object_of(kind));
  return shapes;
}

std::optional<Node> OptionPlaces::find(std::string_view option) const {
  const auto dot = option.find('.');
  const std::string_view head = option.substr(0, dot);
  const std::string_view rest =
      dot == std::string_view::npos ? std::string_view{} : option.substr(dot + 1);
  for (const Node& member : own) {
    if (member.key() != head) continue;
    if (const auto value = find_in(member, rest)) return value;
  }
  const auto base = preset ? preset->find(head) : std::nullopt;
  return base ? find_in(*base, rest) : std::nullopt;
}

std::vector<std::pair<std::string, Node>> named_fleets(const std::vector<std::string>& fleets,
                                                       const OptionPlaces& places) {
  const auto written = places.find(policy::known::fleets);
  const bool listed = written && written->is_array();
  std::vector<std::pair<std::string, Node>> all;
  for (std::size_t i = 0; i < fleets.size(); ++i) {
    const auto here = fleets.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(fleets.begin(), here, fleets[i]) != here) continue;
    all.emplace_back(fleets[i], listed && i < written->size() ? (*written)[i] : places.seat);
  }
  return all;
}

std::optional<policy::Options> read_options(const PolicyKind& kind, const OptionPlaces& places,
                                            Findings& findings) {
  const std::size_t errors_before = findings.errors();
  const ObjectShape shape = object_of(kind);
  for (const Node& member : places.own) check_member(member, shape, findings);
  if (places.preset) {
    for (const Node member : places.preset->as_object()) check_member(member, shape, findings);
  }
  const std::vector<std::string> meant = misspelled_keys(places.own, shape);
  bool all_read = true;  // a value may be lost without an error of its own, if there are too many
  policy::Options options;
  for (const OptionSpec& spec : kind.options) {
    const auto node = places.find(spec.name);
    if (node) {
      auto value = read_option(spec, *node, findings);
      all_read = all_read && value.has_value();
      if (value) options.set(spec.name, std::move(*value));
    } else if (!spec.default_json.empty()) {
      options.set(spec.name, default_of(spec));
    } else if (std::find(meant.begin(), meant.end(), spec.name) == meant.end()) {
      findings.add(at(places.seat, "E0202",
                      fmt::format("{} lacks the option \"{}\"", kind.name, spec.name),
                      std::string{spec.help}));
    }
  }
  if (!all_read || findings.errors() > errors_before) return std::nullopt;
  if (kind.check == nullptr) return options;
  const policy::OptionProblem problem = kind.check(options);
  if (problem.message.empty()) return options;
  findings.add(told_as("E0217", kind, problem, places));
  return std::nullopt;
}

policy::Options complete_options(
    const PolicyKind& kind, const std::vector<std::pair<std::string_view, OptionValue>>& given) {
  policy::Options options;
  for (const OptionSpec& spec : kind.options) {
    const auto own = std::find_if(given.begin(), given.end(),
                                  [&](const auto& value) { return value.first == spec.name; });
    options.set(spec.name, own == given.end() ? default_of(spec) : own->second);
  }
  return options;
}

void report_doubt(const PolicyKind& kind, const policy::Options& options,
                  const policy::Directory& directory, const OptionPlaces& places,
                  Findings& findings) {
  if (kind.doubt == nullptr || directory.pools.empty()) return;
  const policy::OptionProblem problem = kind.doubt(options, directory);
  if (problem.message.empty()) return;
  Diagnostic doubt = told_as("W0500", kind, problem, places);
  doubt.severity = Severity::warning;
  findings.add(doubt);
}

}  // namespace reeve::scenarios
