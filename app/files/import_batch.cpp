// reeve import batch: reads what AWS Batch says, writes a scenario that says the same.
#include "app/files/import_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>

#include "app/exit_code.hpp"
#include "app/files/output_place.hpp"
#include "app/files/text_file.hpp"
#include "app/study/study_arguments.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "report/table.hpp"
#include "scenarios/exchange/batch_import.hpp"
#include "scenarios/history/recognition.hpp"
#include "scenarios/records/trace.hpp"
#include "scenarios/text/foreign_file.hpp"

namespace reeve::app {
namespace {

using report::cell;

constexpr std::string_view usual_type = "ml.p4d.24xlarge";

/// A name for a scenario out of any text.
std::string as_name(std::string_view text) {
  constexpr std::size_t longest = 100;
  std::string name;
  for (const char c : text.substr(0, longest)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    if (plain || (!name.empty() && name.back() != '-')) name += plain ? c : '-';
  }
  while (name.ends_with('-') || name.ends_with('.')) name.pop_back();
  while (name.starts_with('.')) name.erase(0, 1);
  return name.empty() ? "aws-batch" : name;
}

bool is_scenario_name(std::string_view text) {
  return !text.empty() && text.size() <= 200 && text.front() != '-' && text != "." &&
         text != ".." && text.find_first_of("=!<>\",/\\ \t\r\n") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7f; });
}

std::string name_of(const std::vector<std::string>& files, const BatchArguments& arguments,
                    const scenarios::BatchImport& imported) {
  if (!arguments.name.empty()) {
    if (is_scenario_name(arguments.name)) return arguments.name;
    throw UsageError{"--name is not a valid scenario name: " + scenarios::in_quotes(arguments.name),
                     "--name " + as_name(arguments.name)};
  }
  if (is_scenario_name(imported.scenario)) return imported.scenario;
  return as_name(std::filesystem::path{files.front()}.stem().string());
}

/// As the scenario must name the file: from where it stands.
std::string seen_from(const std::string& out, const std::string& file) {
  if (file.empty() || out.empty() || std::filesystem::path{file}.is_absolute()) return file;
  const auto folder = std::filesystem::absolute(out).parent_path();
  return std::filesystem::absolute(file).lexically_relative(folder).generic_string();
}

/// Which column tells how many instances a job has: that of the first row which tells any.
bool counts_nodes(const std::string& trace) {
  scenarios::TraceReader reader{trace};
  scenarios::TraceRow row;
  while (reader.next(row)) {
    if (row.nodes.value_or(0) > 0) return true;
    if (row.gpus_total.value_or(0) > 0) return false;
  }
  return false;
}

scenarios::BatchFrame frame_of(const std::vector<std::string>& files,
                               const BatchArguments& arguments, const std::string& out,
                               const scenarios::BatchImport& imported) {
  const bool asked = scenarios::counts_all_types(imported.set);
  if (!asked && !arguments.instance_type.empty()) {
    throw UsageError{"--instance-type applies to NUM_INSTANCES, and no limit counts that",
                     "remove --instance-type: the limits name their types"};
  }
  std::string type =
      arguments.instance_type.empty() ? std::string{usual_type} : arguments.instance_type;
  if (!type.starts_with("ml.") || !is_scenario_name(type)) {
    throw UsageError{"--instance-type is not a SageMaker type: " + scenarios::in_quotes(type),
                     "--instance-type ml.p4d.24xlarge"};
  }
  scenarios::BatchFrame frame{.name = name_of(files, arguments, imported),
                              .instance_type = std::move(type)};
  if (arguments.jobs.empty()) return frame;
  scenarios::require_file(arguments.jobs);
  frame.jobs = seen_from(out, arguments.jobs);
  frame.by_nodes = counts_nodes(arguments.jobs);
  return frame;
}

report::Table summary_of(const scenarios::BatchSet& set) {
  report::Table table;
  table.name = "batch";
  table.columns = {{"queue", "queue", report::Align::left},
                   {"order", "algorithm", report::Align::left},
                   {"environment", "environment", report::Align::left},
                   {"priority", "priority"},
                   {"shares", "shares"}};
  constexpr std::string_view orders[] = {"fifo", "fair_share", "quota"};
  for (const scenarios::BatchQueue& queue : set.queues) {
    table.rows.push_back(
        {{cell(queue.name), cell(std::string{orders[static_cast<std::size_t>(queue.order)]}),
          cell(queue.environment), cell(static_cast<std::uint64_t>(queue.priority)),
          cell(std::uint64_t{queue.shares.size()})}});
  }
  return table;
}

/// This call again.
std::string said(const std::vector<std::string>& files, const BatchArguments& arguments) {
  std::string text;
  for (const std::string& file : files) text += ' ' + shell_word(file);
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", option, shell_word(value));
  };
  for (const std::string& queue : arguments.queues) add("--queue", queue);
  add("--instance-type", arguments.instance_type);
  add("--jobs", arguments.jobs);
  add("--name", arguments.name);
  return text;
}

}  // namespace

namespace {

/// If a file is none of AWS Batch, that is the error.
scenarios::BatchImport read_sources(
    const std::vector<std::string>& files,
    const std::vector<std::shared_ptr<const scenarios::SourceFile>>& sources,
    const BatchArguments& arguments) {
  try {
    return scenarios::read_batch(sources, arguments.queues);
  } catch (const scenarios::InputError&) {
    for (const std::string& file : files) {
      scenarios::refuse_other_file(file, "batch", "a description of AWS Batch queues");
      scenarios::refuse_foreign(file, scenarios::FileUse::batch);
    }
    throw;
  }
}

}  // namespace

int import_batch(const std::vector<std::string>& files, const BatchArguments& arguments,
                 const std::string& out, const Console& console) {
  std::vector<std::shared_ptr<const scenarios::SourceFile>> sources;
  for (const std::string& file : files) sources.push_back(scenarios::SourceFile::load(file));
  const auto imported = read_sources(files, sources, arguments);
  const auto frame = frame_of(files, arguments, out, imported);
  show_warnings(console, imported.warnings);
  const std::string text = scenarios::scenario_text(imported.set, frame);
  if (!out.empty()) {
    check_output_copy(out, text, "-o");
    write_text_file(out, text);
  }
  const report::Table table = summary_of(imported.set);
  console.print(table);
  if (out.empty()) {
    console.note(fmt::format("nothing was written\nnext: reeve import batch{} -o OUT.jsonc\n",
                             said(files, arguments)));
    return ExitCode::done;
  }
  console.note("wrote " + out + "\n");
  console.note(fmt::format("FILL IN and CHECK mark what AWS Batch does not state\nnext: {}\n",
                           console.next("check " + shell_word(out))));
  return ExitCode::done;
}

}  // namespace reeve::app
