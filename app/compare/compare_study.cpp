#include "app/compare/compare_study.hpp"

#include <fmt/format.h>

#include <chrono>

#include "app/compare/comparison_json.hpp"
#include "app/compare/comparison_table.hpp"
#include "app/compare/difference_table.hpp"
#include "app/compare/group_table.hpp"
#include "app/compare/history_savings.hpp"
#include "app/compare/share_table.hpp"
#include "app/compare/stop_table.hpp"
#include "app/compare/tested_lines.hpp"
#include "app/exit_code.hpp"
#include "app/study/study_export.hpp"
#include "app/text/output_format.hpp"

namespace reeve::app {
namespace {

int verdict(const Study& study) {
  if (study.unbalanced > 0 || !study.muted.empty()) return ExitCode::failed;
  if (study.partial) return ExitCode::interrupted;
  return study.lines_held() == study.lines_asked() ? ExitCode::done : ExitCode::untrue;
}

}  // namespace

int show_comparison(const Study& study, const ComparisonView& view, const Console& console) {
  const std::size_t baseline = baseline_of(study, view.baseline);
  const auto savings = history_savings(study, baseline);
  if (study.exported) study.exported->finish(study, baseline, savings);
  std::vector<report::Table> tables{comparison_table(study, baseline, view.next)};
  if (!savings.empty()) {
    tables.push_back(savings_table(study, study.policies[baseline], savings));
    if (auto hurt = hurt_table(study, savings)) tables.push_back(std::move(*hurt));
  }
  tables.push_back(difference_table(study, baseline));
  std::vector<const PolicyNumbers*> all;
  for (const PolicyNumbers& numbers : study.policies) all.push_back(&numbers);
  if (auto shares = share_table(all)) tables.push_back(std::move(*shares));
  if (study.by) {
    if (auto groups = group_table(*study.by, all)) tables.push_back(std::move(*groups));
  }
  if (auto stops = stop_table(all, true)) tables.push_back(std::move(*stops));
  const std::string format = format_of(view.format, console);
  if (format == "json") {
    console.print(comparison_json(study, baseline, tables, savings));
    return verdict(study);
  }
  if (format != "text") {
    TestedFile file;
    file.name = study.scenario->file.generic_string();
    file.interrupted = study.partial;
    file.elapsed = study.elapsed;
    if (!study.partial) add_lines(study, file);
    console.print(tested_text(format, {file}));
    return verdict(study);
  }
  if (!view.markdown) {  // what machines read is the same in each run
    const auto took = std::chrono::round<std::chrono::milliseconds>(study.elapsed);
    tables.front().facts.back().push_back(fmt::format("{} ms", took.count()));
  }
  for (const report::Table& table : tables) {
    if (table.columns.empty()) continue;
    if (&table != &tables.front()) console.print("\n");
    if (view.markdown) {
      console.print(report::markdown(table));
    } else {
      console.print(table);
    }
  }
  return verdict(study);
}

}  // namespace reeve::app
