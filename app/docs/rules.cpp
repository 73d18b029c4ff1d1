// The reference pages of the rules: their notes between the summary and the table of options.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/docs.hpp"
#include "app/docs/markdown.hpp"
#include "app/docs/option_text.hpp"
#include "policies/registry.hpp"

namespace reeve::app {
namespace {

/// A folder of policies/.
struct RuleFamily {
  std::string_view folder;
  std::string_view title;
  std::span<const RuleNotes> notes;
};

std::array<RuleFamily, 3> families() {
  return {{{"governance", "Governance", governance_notes()},
           {"scheduling", "Scheduling", scheduling_notes()},
           {"spot", "Spot", spot_notes()}}};
}

const RuleNotes* notes_of(const RuleFamily& family, std::string_view rule) {
  const auto found = std::find_if(family.notes.begin(), family.notes.end(),
                                  [&](const RuleNotes& notes) { return notes.name == rule; });
  return found == family.notes.end() ? nullptr : &*found;
}

std::string type_cell(const policy::OptionSpec& option) {
  std::string_view type = type_text(option.type);
  if (type.starts_with("a ")) type.remove_prefix(2);
  if (type.starts_with("an ")) type.remove_prefix(3);
  return option.unit.empty() ? std::string{type} : fmt::format("{}, {}", type, option.unit);
}

std::string range_cell(const policy::OptionSpec& option) {
  if (option.choices.empty()) return range_text(option);
  std::string out;
  for (const std::string_view choice : option.choices) {
    out += fmt::format("{}`{}`", out.empty() ? "" : ", ", choice);
  }
  return out;
}

std::string option_table(const policy::PolicyKind& kind) {
  DocsTable table{"Option", "Type", "Default", "Range", "What it does"};
  for (const policy::OptionSpec& option : kind.options) {
    table.add({docs_code(option.name), type_cell(option),
               option.default_json.empty() ? "required" : docs_code(option.default_json),
               range_cell(option), docs_prose(option.help, "../../")});
  }
  const std::string text = table.text();
  return text.empty() ? "This rule has no options of its own.\n\n" : text;
}

DocsPage rule_page(const policy::PolicyKind& kind, const RuleFamily* family) {
  const std::string source =
      family == nullptr
          ? std::string{"the rule of a plug-in"}
          : fmt::format("policies/{0}/{1}.md and policies/{0}/{1}.cpp", family->folder, kind.name);
  std::string text = docs_head(kind.name, source);
  text += docs_prose(docs_sentence(kind.summary), "../../") + "\n\n";
  if (family != nullptr) {
    std::string_view notes = notes_of(*family, kind.name)->text;
    while (notes.ends_with('\n')) notes.remove_suffix(1);
    text += fmt::format("{}\n\n", notes);
  }
  text += "## Options\n\n" + option_table(kind);
  text +=
      "The keys `name`, `mode`, `priority`, `scope` and `use` apply to every rule; see\n"
      "[scenario keys](../keys.md#policies).\n\n";
  text += fmt::format("## Source\n\n{}\n", docs_prose(docs_sentence(kind.source), "../../"));
  return {fmt::format("rules/{}.md", kind.name), std::move(text)};
}

void add_row(DocsTable& table, const policy::PolicyKind& kind) {
  table.add({fmt::format("[{0}](rules/{0}.md)", kind.name), docs_prose(kind.summary, "../")});
}

}  // namespace

std::vector<DocsPage> rule_pages() {
  std::vector<DocsPage> pages;
  std::string index = docs_head("Rules", "the tables of options in policies/");
  index +=
      "A policy is a list of these rules. `reeve policies NAME` prints the options of one.\n\n";
  const auto all = families();
  for (const RuleFamily& family : all) {
    DocsTable table{"Rule", "What it does"};
    for (const policy::PolicyKind& kind : policies::kinds()) {
      if (notes_of(family, kind.name) == nullptr) continue;
      add_row(table, kind);
      pages.push_back(rule_page(kind, &family));
    }
    index += fmt::format("## {}\n\n{}", family.title, table.text());
  }
  DocsTable others{"Rule", "What it does"};
  for (const policy::PolicyKind& kind : policies::kinds()) {
    const bool has_notes = std::any_of(all.begin(), all.end(), [&](const RuleFamily& family) {
      return notes_of(family, kind.name) != nullptr;
    });
    if (has_notes) continue;
    add_row(others, kind);
    pages.push_back(rule_page(kind, nullptr));
  }
  if (const std::string table = others.text(); !table.empty()) {
    index += "## Plug-ins\n\n" + table;
  }
  index.pop_back();
  pages.push_back({"rules.md", std::move(index)});
  return pages;
}

}  // namespace reeve::app
