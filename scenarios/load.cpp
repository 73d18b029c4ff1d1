#include "scenarios/load.hpp"

#include <algorithm>

#include "scenarios/lints/lint.hpp"
#include "scenarios/load/keys/input.hpp"
#include "scenarios/text/foreign_file.hpp"

namespace reeve::scenarios {
namespace {

bool has_scenario_key(const Node& root) {
  if (!root.is_object()) return false;
  const NodeRange members = root.as_object();
  return std::any_of(members.begin(), members.end(),
                     [](const Node& member) { return scenario_table().has(member.key()); });
}

}  // namespace

Loaded load(std::shared_ptr<const SourceFile> source, const std::filesystem::path& folder,
            const LoadLimits& limits) {
  Findings findings;
  const Document document = Document::parse(std::move(source));
  if (!has_scenario_key(document.root())) {
    const SourceFile& text = document.source();
    refuse_foreign_text(text.name(), text.text(), FileUse::scenario);
  }
  ScenarioInput input = decode(document, findings);
  Resolved resolved = resolve(document, std::move(input), folder, limits, findings);
  lint(resolved, findings);
  if (findings.errors() > 0) throw InputError{findings.sorted()};
  return {std::move(resolved.scenario), findings.sorted()};
}

Loaded load(const std::filesystem::path& file, const LoadLimits& limits) {
  return load(SourceFile::load(file), file.parent_path(), limits);
}

}  // namespace reeve::scenarios
