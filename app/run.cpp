// reeve run: one policy (or each) by itself, every number of it.
#include <fmt/format.h>

#include <memory>

#include "app/command.hpp"
#include "app/compare/comparison_json.hpp"
#include "app/compare/comparison_table.hpp"
#include "app/compare/group_table.hpp"
#include "app/compare/share_table.hpp"
#include "app/compare/stop_table.hpp"
#include "app/exit_code.hpp"
#include "app/explain/command.hpp"
#include "app/files/output_place.hpp"
#include "app/session.hpp"
#include "app/study/study_arguments.hpp"
#include "app/study/study_export.hpp"
#include "app/text/quantity_text.hpp"
#include "app/usage_error.hpp"
#include "models/platform_presets.hpp"
#include "reeve/version.hpp"
#include "report/export_directory.hpp"

namespace reeve::app {
namespace {

struct RunArguments {
  StudyArguments study;
  std::vector<std::string> journal;  ///< empty: none; an empty name: as journal_path says
};

/// Where the journal goes: the file named, else DIR/POLICY.journal.
std::filesystem::path journal_path(const RunArguments& arguments, const StudyPlan& plan) {
  if (plan.runs > 1) throw UsageError{"--journal records only one run", "add --runs 1"};
  if (!arguments.journal.front().empty()) {
    if (plan.policies.size() > 1)
      throw UsageError{"--journal FILE records only one policy", "add -p NAME"};
    return arguments.journal.front();
  }
  const std::filesystem::path directory = plan.out.value_or(".");
  return directory / "{}.journal";
}

void plan_journal(const RunArguments& arguments, StudyPlan& plan) {
  plan.journal = journal_path(arguments, plan);
  for (const scenarios::PolicySpec* policy : plan.policies) {
    const std::filesystem::path file = journal_of(*plan.journal, *policy);
    check_output_file(file, "reeve-journal", "--journal");
    if (plan.timeline && file.lexically_normal() == plan.timeline->lexically_normal()) {
      throw UsageError{"--journal and --timeline name the same file: " + file.generic_string(),
                       "use two names"};
    }
    if (plan.out && report::is_export_file(file.filename())) {
      throw UsageError{"--journal: " + file.filename().string() + " is a name of results",
                       "use another name, like " + policy->name + ".journal"};
    }
  }
}

report::Table table_of(const Study& study, const PolicyNumbers& numbers) {
  report::Table table;
  table.name = study.scenario->name + '/' + numbers.policy->name;
  table.facts = {{study.scenario->name, numbers.policy->name, draws_text(study)}};
  table.facts.push_back({"digest " + numbers.digest});
  table.facts.push_back({"reeve " + std::string{kVersion},
                         std::string{models::modelled_on(study.scenario->world.platform.model)}});
  table.columns = {{"measure", "measure", report::Align::left}, {"value", "value"}};
  const bool intervals = study.draws() > 1;
  if (intervals) {
    table.columns.push_back({"lo", "95 % interval"});
    table.columns.push_back({"hi", "to"});
  }
  const Number never_started = study.number(numbers, "jobs_never_started");
  const bool some_never_started =
      never_started.value && experiments::as_double(*never_started.value) > 0;
  for (const std::string& measure : study.measures) {
    const Number number = study.number(numbers, measure);
    const bool first_attempt = measure.starts_with("first_attempt.");
    if (!number.value || experiments::as_double(*number.value) == 0 || first_attempt) continue;
    report::TableRow row;
    row.cells = {report::cell(measure), quantity_cell(measure, *number.value)};
    if (number.estimate.samples > 1) {
      row.cells.back().text = quantity_text(measure, to_the_second(*number.value));
    }
    if (some_never_started && measure.ends_with("_wait_s")) {
      row.cells.back().footnote = 1;
      table.footnotes.resize(1, std::string{waits_are_of_started_jobs});
    }
    if (intervals && number.estimate.samples > 1) {
      for (const double end : {number.estimate.low, number.estimate.high}) {
        row.cells.push_back(
            report::cell(end, quantity_text(measure, quantity_like(*number.value, end))));
      }
    } else if (intervals) {  // one run says nothing about how far off it is
      row.cells.push_back(report::no_cell());
      row.cells.push_back(report::no_cell());
    }
    table.rows.push_back(std::move(row));
  }
  const std::string not_in_data = not_in_data_text(study, numbers);
  if (!not_in_data.empty()) table.notes.push_back(not_in_data);
  for (const std::string& alarm : numbers.unheard) {
    table.closing.push_back({"ALARM but running: " + alarm, report::Tone::bad});
  }
  for (const std::string& action : numbers.given_up) {
    table.closing.push_back({"given up: " + action, report::Tone::bad});
  }
  const std::string unmapped = unmapped_text(study, numbers);
  if (!unmapped.empty()) table.closing.push_back({unmapped, report::Tone::bad});
  if (study.partial) table.closing.push_back({"partial: interrupted", report::Tone::bad});
  return table;
}

int run(const RunArguments& arguments, const Console& console) {
  const scenarios::Scenario scenario = load_scenario(arguments.study, console);
  StudyPlan plan = plan_study(scenario, arguments.study);
  plan.every_measure = true;
  if (!arguments.journal.empty()) plan_journal(arguments, plan);
  const Study study = run_study(scenario, plan, console);
  if (study.exported) study.exported->finish(study);
  std::vector<report::Table> tables;
  for (const PolicyNumbers& numbers : study.policies) {
    if (numbers.samples.empty()) continue;
    tables.push_back(table_of(study, numbers));
    if (auto shares = share_table({&numbers})) tables.push_back(std::move(*shares));
    if (study.by) {
      if (auto groups = group_table(*study.by, {&numbers})) tables.push_back(std::move(*groups));
    }
    if (auto stops = stop_table({&numbers}, false)) tables.push_back(std::move(*stops));
  }
  if (console.json) {
    console.print(comparison_json(study, 0, tables));
  } else {
    for (const report::Table& table : tables) {
      if (&table != &tables.front()) console.print("\n");
      console.print(table);
    }
  }
  if (study.exported) console.note("wrote " + plan.out->generic_string() + "/datapackage.json\n");
  if (study.timeline) console.note("wrote " + study.timeline->generic_string() + '\n');
  if (!study.partial) {
    console.note("next: " + console.next(explain_command(study, arguments.study)) + '\n');
  }
  if (study.unbalanced > 0) {
    console.complain("reeve: the ledger does not sum to the bill; this is a bug in reeve\n");
    return ExitCode::failed;
  }
  if (!study.muted.empty()) return ExitCode::failed;
  return study.partial ? ExitCode::interrupted : ExitCode::done;
}

}  // namespace

void add_run(Program& program, Session& session) {
  auto arguments = std::make_shared<RunArguments>();
  Command& command =
      add_command(program, "run", "Runs one policy, or all, and prints every metric",
                  "reeve run stalled-weekend.jsonc -p gpu-alarm\n"
                  "reeve run stalled-weekend.jsonc -p gpu-alarm -o out/alarm --journal\n"
                  "reeve run week.jsonc -p watchdog --runs 1000 --seed 7 --json");
  add_study_options(command, arguments->study);
  add_out_option(command, arguments->study);
  add_queue_option(command, arguments->study);
  add_timeline_option(command, arguments->study);
  add_group_option(command, arguments->study);
  command.option("--journal", &arguments->journal,
                 "Writes the text journal. Default FILE: POLICY.journal",
                 {.takes = Takes::one_or_none, .type = "[FILE]"});
  on_parse(command, session, [&session, arguments] { return run(*arguments, session.console); });
}

}  // namespace reeve::app
