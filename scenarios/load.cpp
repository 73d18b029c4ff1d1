#include "scenarios/load.hpp"

#include "scenarios/lints/lint.hpp"

namespace reeve::scenarios {

Loaded load(std::shared_ptr<const SourceFile> source, const std::filesystem::path& folder,
            const LoadLimits& limits) {
  Findings findings;
  const Document document = Document::parse(std::move(source));
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
