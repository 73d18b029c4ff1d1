// The reference page of the keys of scenario files, from the tables that decode them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/docs.hpp"
#include "app/docs/markdown.hpp"
#include "app/docs/shape_text.hpp"
#include "scenarios/load/keys/condition.hpp"
#include "scenarios/load/keys/input.hpp"

namespace reeve::app {
namespace {

using scenarios::FieldShape;
using scenarios::ObjectShape;

/// An object with a heading of its own.
struct KeySection {
  const ObjectShape* object;
  std::vector<std::string> paths;  ///< of the keys that hold it, in the order of the tables
  std::string heading = {};
};

/// All sections of the page, outer objects first.
class KeySections {
 public:
  KeySections() {
    const ObjectShape& root = *scenarios::scenario_table().shape();
    sections_.push_back({&root, {""}, "Top level"});
    visit(root, "");
    add(scenarios::condition_shape(), "when");
    name_all();
  }

  const std::vector<KeySection>& all() const { return sections_; }

  const KeySection& of(const ObjectShape& object) const {
    return *std::find_if(sections_.begin(), sections_.end(),
                         [&](const KeySection& section) { return section.object == &object; });
  }

 private:
  void visit(const ObjectShape& object, const std::string& prefix) {
    // What jobs share with their defaults is told of jobs.
    std::vector<const FieldShape*> fields;
    for (const FieldShape& field : object.fields) fields.push_back(&field);
    std::stable_partition(fields.begin(), fields.end(), [](const FieldShape* field) {
      return field->name != "job_defaults" && field->name != "workload";
    });
    for (const FieldShape* field : fields) {
      if (holds_rule_options(field->shape)) continue;
      for (const ObjectShape* inner : objects_in(field->shape)) add(*inner, prefix + field->name);
    }
  }

  void add(const ObjectShape& object, const std::string& path) {
    for (KeySection& section : sections_) {
      if (section.object != &object) continue;
      const bool is_copy = path.starts_with("job_defaults.") || path.starts_with("workload.");
      const bool is_known =
          std::find(section.paths.begin(), section.paths.end(), path) != section.paths.end();
      if (!is_copy && !is_known) section.paths.push_back(path);
      return;
    }
    sections_.push_back({&object, {path}});
    visit(object, path + '.');
  }

  /// By its key; by what it is called if several keys hold it, or a key holds several.
  void name_all() {
    std::map<std::string, int> uses;
    for (const KeySection& section : sections_) ++uses[section.paths.front()];
    std::set<std::string> taken;
    for (KeySection& section : sections_) {
      std::string_view called = section.object->name;
      for (const std::string_view article : {"a ", "an ", "the "}) {
        if (called.starts_with(article)) called.remove_prefix(article.size());
      }
      const std::string& path = section.paths.front();
      if (section.heading.empty()) section.heading = below_shared(path);
      if (uses[path] > 1) section.heading = called;
      if (section.paths.size() > 1) section.heading = called;
      while (!taken.insert(docs_anchor(section.heading)).second) {
        section.heading += fmt::format(" of {}", path);
      }
    }
  }

  /// The path, from the nearest object that several keys hold: "distribution.weibull".
  std::string below_shared(const std::string& path) const {
    for (const KeySection& outer : sections_) {
      const std::string prefix = outer.paths.front() + '.';
      if (outer.paths.size() < 2 || !path.starts_with(prefix)) continue;
      return fmt::format("{}.{}", outer.heading, path.substr(prefix.size()));
    }
    return path;
  }

  std::vector<KeySection> sections_;
};

/// The type with links to other sections of the page.
std::string key_type(const scenarios::Shape& shape, const KeySections& sections) {
  const auto link = [&](const ObjectShape& object) {
    const std::string& heading = sections.of(object).heading;
    return fmt::format("[{}](#{})", heading, docs_anchor(heading));
  };
  const auto literal = [](const std::string& json) { return fmt::format("`{}`", json); };
  return shape_text(shape, {link, literal, "options of a [rule](rules.md)"});
}

const ObjectShape& jobs_object() {
  for (const FieldShape& field : scenarios::scenario_table().shape()->fields) {
    if (field.name == "jobs") return *objects_in(field.shape).front();
  }
  return *scenarios::scenario_table().shape();
}

/// A job has the same key.
bool is_of_jobs(const FieldShape& field) {
  const ObjectShape& jobs = jobs_object();
  return std::any_of(jobs.fields.begin(), jobs.fields.end(), [&](const FieldShape& other) {
    return other.name == field.name && other.help == field.help;
  });
}

std::string default_cell(const FieldShape& field) {
  if (field.required) return "required";
  return field.default_json.empty() ? std::string{} : docs_code(field.default_json);
}

std::string key_uses(const KeySection& section) {
  if (section.paths.size() < 2) return {};
  std::string out;
  for (const std::string& path : section.paths) {
    out += fmt::format("{}`{}`", out.empty() ? "" : ", ", path);
  }
  return fmt::format("Value of {}.\n\n", out);
}

std::string key_section_text(const KeySection& section, const KeySections& sections) {
  const ObjectShape& object = *section.object;
  std::string text = fmt::format("## {}\n\n{}\n\n{}", section.heading,
                                 docs_prose(docs_sentence(object.help), "../"), key_uses(section));
  const bool copies =
      section.paths.front() == "job_defaults" || section.paths.front() == "workload";
  DocsTable table{"Key", "Type", "Default", "What it does"};
  std::string shared;
  for (const FieldShape& field : object.fields) {
    if (copies && is_of_jobs(field)) {
      shared += fmt::format("{}`{}`", shared.empty() ? "" : ", ", field.name);
      continue;
    }
    const bool names_rule = !object.by_rule.empty() && field.name == "rule";
    table.add({docs_code(field.name),
               names_rule ? "name of a [rule](rules.md)" : key_type(field.shape, sections),
               default_cell(field), docs_prose(field.help, "../")});
  }
  text += table.text();
  if (!shared.empty()) text += fmt::format("Keys as in [jobs](#jobs): {}.\n\n", shared);
  if (!object.exactly_one.empty()) {
    text += fmt::format("Exactly one of these keys is required: `{}`.\n\n",
                        fmt::join(object.exactly_one, "`, `"));
  }
  if (!object.by_rule.empty()) {
    text += "The other keys are the options of the rule: see [rules](rules.md).\n\n";
  }
  return text;
}

}  // namespace

DocsPage keys_page() {
  const KeySections sections;
  std::string text = docs_head("Scenario keys", "the tables in scenarios/");
  text +=
      "A scenario is one JSON object; comments (`//`, `/* */`) and trailing commas are allowed. "
      "`reeve explain KEY` prints one key, `reeve schema` the JSON Schema.\n\n"
      "* A *duration* is text with units, at most 100 years: `\"1h30m\"`. Units: `w`, `d`, `h`, "
      "`m`, "
      "`s`, `ms`, `us`, `ns`.\n"
      "* An *instant* has an offset from UTC: `\"2026-05-22T18:00:00-04:00\"`.\n"
      "* *Dollars* are a number or text.\n\n";
  for (const KeySection& section : sections.all()) text += key_section_text(section, sections);
  text.pop_back();
  return {"keys.md", std::move(text)};
}

}  // namespace reeve::app
