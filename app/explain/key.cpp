#include "app/explain/key.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/docs/option_text.hpp"
#include "app/docs/shape_text.hpp"
#include "app/explain/headers.hpp"
#include "app/explain/rules.hpp"
#include "policies/registry.hpp"
#include "report/schema.hpp"
#include "scenarios/load/keys/condition.hpp"
#include "scenarios/load/keys/input.hpp"
#include "scenarios/load/keys/metric_names.hpp"

namespace reeve::app {
namespace {

using scenarios::FieldShape;
using scenarios::ObjectShape;

std::vector<std::string> segments(std::string_view path) {
  std::vector<std::string> out;
  std::string word;
  for (const char character : path) {
    if (character != '.' && character != '/' && character != '[' && character != ']') {
      word += character;
    } else if (!word.empty()) {
      out.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) out.push_back(std::move(word));
  return out;
}

/// The type in words alone.
std::string type_of(const scenarios::Shape& shape) {
  const auto name = [](const ObjectShape& object) { return object.name; };
  const auto literal = [](const std::string& json) { return json; };
  return shape_text(shape, {name, literal, "options of a rule"});
}

const FieldShape* field_named(const ObjectShape& object, std::string_view name) {
  const auto found = std::find_if(object.fields.begin(), object.fields.end(),
                                  [&](const FieldShape& field) { return field.name == name; });
  return found == object.fields.end() ? nullptr : &*found;
}

/// Segments that name no key of the object (an index, a name of a map's entry) are passed over.
const FieldShape* find_field(const ObjectShape& object, const std::vector<std::string>& path,
                             std::size_t at, bool inside) {
  const FieldShape* field = field_named(object, path[at]);
  if (field == nullptr) {
    const bool more = inside && at + 1 < path.size();
    return more ? find_field(object, path, at + 1, false) : nullptr;
  }
  if (at + 1 == path.size()) return field;
  for (const ObjectShape* inner : objects_in(field->shape)) {
    if (const FieldShape* found = find_field(*inner, path, at + 1, true)) return found;
  }
  return nullptr;
}

KeyHelp help_of(std::string path, const FieldShape& field) {
  KeyHelp help;
  help.path = std::move(path);
  help.help = field.help;
  help.type = type_of(field.shape);
  help.standard = field.default_json;
  help.required = field.required;
  for (const ObjectShape* object : objects_in(field.shape)) {
    for (const FieldShape& inner : object->fields) {
      if (std::find(help.keys.begin(), help.keys.end(), inner.name) == help.keys.end()) {
        help.keys.push_back(inner.name);
      }
    }
  }
  return help;
}

std::vector<std::string> keys_inside(const policy::OptionSpec& option) {
  std::vector<std::string> keys;
  if (option.type != policy::OptionType::condition) return keys;
  for (const FieldShape& field : scenarios::condition_shape().fields) keys.push_back(field.name);
  return keys;
}

/// `when.field`: the condition's own keys, however deep it is nested.
std::optional<KeyHelp> explain_condition(std::string_view path, std::string_view rest,
                                         const policy::OptionSpec& option) {
  if (option.type != policy::OptionType::condition || !rest.starts_with(option.name)) {
    return std::nullopt;
  }
  const std::vector<std::string> keys = segments(rest.substr(option.name.size()));
  if (keys.empty()) return std::nullopt;
  const FieldShape* field = find_field(scenarios::condition_shape(), keys, 0, true);
  if (field == nullptr) return std::nullopt;
  return help_of(std::string{path}, *field);
}

/// `stalled_gpu.action`: what stands in it; each is an option by itself.
std::optional<KeyHelp> explain_group(std::string_view path, std::string_view name,
                                     const policy::PolicyKind& kind) {
  const std::string prefix = fmt::format("{}.", name);
  KeyHelp help;
  for (const policy::OptionSpec& option : kind.options) {
    if (option.name.starts_with(prefix)) help.keys.emplace_back(option.name.substr(prefix.size()));
  }
  if (help.keys.empty()) return std::nullopt;
  help.path = path;
  help.help = fmt::format("options of {} that belong together", kind.name);
  help.type = "an object";
  help.source = kind.source;
  return help;
}

/// `rules.stalled_gpu.action.stop`, `stalled_gpu.period`.
std::optional<KeyHelp> explain_option(std::string_view path) {
  std::string_view rest = path;
  for (const std::string_view prefix : {"rules.", "policies."}) {
    if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
  }
  const std::size_t dot = rest.find('.');
  const policy::PolicyKind* kind = policies::find_kind(rest.substr(0, dot));
  if (kind == nullptr) return std::nullopt;
  if (dot == rest.npos) {
    KeyHelp help{std::string{path}, std::string{kind->summary}, "a rule", {}, false, {}, {}};
    for (const policy::OptionSpec& option : kind->options) help.keys.emplace_back(option.name);
    help.source = kind->source;
    return help;
  }
  for (const policy::OptionSpec& option : kind->options) {
    if (auto part = explain_condition(path, rest.substr(dot + 1), option)) return part;
    if (option.name != rest.substr(dot + 1)) continue;
    std::string type{type_text(option.type)};
    if (!option.unit.empty()) type += fmt::format(", {}", option.unit);
    if (const std::string range = range_text(option); !range.empty()) type += ", " + range;
    KeyHelp help{std::string{path},
                 std::string{option.help},
                 std::move(type),
                 std::string{option.default_json},
                 option.default_json.empty(),
                 keys_inside(option),
                 {}};
    help.source = kind->source;
    return help;
  }
  return explain_group(path, rest.substr(dot + 1), *kind);
}

void collect(const ObjectShape& object, const std::string& prefix, std::size_t depth,
             std::vector<std::string>& out) {
  for (const FieldShape& field : object.fields) {
    out.push_back(prefix + field.name);
    if (depth == 0) continue;
    for (const ObjectShape* inner : objects_in(field.shape)) {
      collect(*inner, prefix + field.name + '.', depth - 1, out);
    }
  }
}

std::string_view said_of(report::FieldType type) {
  return report::name(type);
}

/// A column, alone or behind the name of its table.
std::optional<KeyHelp> explain_column(std::string_view path) {
  const std::size_t dot = path.find('.');
  std::string_view column = dot == path.npos ? path : path.substr(dot + 1);
  if (column.starts_with("csv.")) column.remove_prefix(4);
  std::optional<KeyHelp> first;
  for (const report::TableSchema* table : report::schemas()) {
    if (dot != path.npos && path.substr(0, dot) != table->name) continue;
    for (const report::Field& field : table->fields) {
      if (field.name != column) continue;
      const std::string name = fmt::format("{}.csv, {}", table->name, field.name);
      if (first) {
        first->also.push_back(name);
        continue;
      }
      std::string type = fmt::format("a column, {}", said_of(field.type));
      if (!field.unit.empty()) type += fmt::format(" ({})", field.unit);
      first = KeyHelp{name, std::string{field.description}, std::move(type), {}, false, {}, {}};
    }
  }
  return first;
}

/// A table by the name of its file.
std::optional<KeyHelp> explain_table(std::string_view file) {
  for (const report::TableSchema* table : report::schemas()) {
    if (fmt::format("{}.csv", table->name) != file) continue;
    KeyHelp help{
        std::string{file}, std::string{table->title}, "a table of results", {}, false, {}, {}};
    for (const report::Field& field : table->fields) {
      const std::string unit = field.unit.empty() ? "" : fmt::format(" ({})", field.unit);
      help.columns.emplace_back(field.name, fmt::format("{}{}", field.description, unit));
    }
    return help;
  }
  return std::nullopt;
}

std::optional<KeyHelp> explain_whole(std::string_view path);

/// The keys whose last parts are `path`: those of jobs stand for the same keys elsewhere.
std::optional<KeyHelp> explain_end(std::string_view path) {
  const std::string end = fmt::format(".{}", path);
  std::vector<std::string> found;
  for (const std::string& key : known_keys()) {
    const bool copy = key.starts_with("job_defaults.") || key.starts_with("workload.");
    if (!key.ends_with(end)) continue;
    const std::string there = copy ? "jobs" + key.substr(key.find('.')) : key;
    if (std::find(found.begin(), found.end(), there) == found.end() && explain_whole(there)) {
      found.push_back(there);
    } else if (copy && !explain_whole(there)) {
      found.push_back(key);
    }
  }
  if (found.empty()) return std::nullopt;
  std::stable_sort(found.begin(), found.end(), [](const std::string& a, const std::string& b) {
    return std::count(a.begin(), a.end(), '.') < std::count(b.begin(), b.end(), '.');
  });
  auto help = explain_whole(found.front());
  if (help) help->also.assign(found.begin() + 1, found.end());
  return help;
}

/// A key, an option or a metric by its whole name.
std::optional<KeyHelp> explain_whole(std::string_view path) {
  const std::vector<std::string> parts = segments(path);
  if (parts.empty()) return std::nullopt;
  // Options of different rules have the same names: what is asked of one rule it says itself.
  if (path.starts_with("rules.")) {
    if (auto option = explain_option(path)) return option;
  }
  const ObjectShape& root = *scenarios::scenario_table().shape();
  if (const FieldShape* field = find_field(root, parts, 0, false)) {
    return help_of(std::string{path}, *field);
  }
  if (auto option = explain_option(path)) return option;
  const auto metric = scenarios::find_metric(path);
  if (!metric) return std::nullopt;
  return KeyHelp{std::string{path},
                 std::string{metric->spec->help},
                 fmt::format("a metric; its values are {}", name_of(metric->spec->unit)),
                 {},
                 false,
                 {},
                 {}};
}

}  // namespace

namespace {

/// What no header is called.
std::optional<KeyHelp> explain_name(std::string_view path) {
  if (auto table = explain_table(path)) return table;
  if (auto preset = explain_preset(path)) return preset;
  auto word = explain_field(path);
  if (!word) word = explain_word(path);
  if (auto key = explain_whole(path)) {
    if (word) key->also.push_back(fmt::format("{}, {}", path, word->type));
    return key;
  }
  const auto key = explain_end(path);
  const auto column = explain_column(path);
  if (!word) return key ? key : column;
  for (const auto& other : {key, column}) {
    if (other) word->also.push_back(other->path);
  }
  return word;
}

}  // namespace

std::optional<KeyHelp> explain_key(std::string_view path) {
  auto named = explain_name(path);
  auto header = explain_header(path);
  if (!named) return header;
  if (!header || header->help == named->help) return named;
  named->also.push_back(fmt::format("{}: {}", header->type, header->help));
  for (std::string& other : header->also) named->also.push_back(std::move(other));
  return named;
}

std::vector<std::string> known_keys() {
  std::vector<std::string> out;
  collect(*scenarios::scenario_table().shape(), "", 3, out);
  for (const policy::PolicyKind& kind : policies::kinds()) {
    for (const policy::OptionSpec& option : kind.options) {
      out.push_back(fmt::format("rules.{}.{}", kind.name, option.name));
    }
  }
  for (const auto& metric : scenarios::metric_names()) out.emplace_back(metric.name);
  for (const Header& header : headers()) {
    const bool known = std::find(out.begin(), out.end(), header.title) != out.end();
    if (!known) out.emplace_back(header.title);
  }
  for (std::string& word : words_of_rules()) out.push_back(std::move(word));
  return out;
}

}  // namespace reeve::app
