// reeve sweep: the same policies with other values of keys, on the same draws.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/files/text_file.hpp"
#include "app/session.hpp"
#include "app/study/study_arguments.hpp"
#include "app/sweep/aws_batch.hpp"
#include "app/sweep/cell_result.hpp"
#include "app/sweep/make_plan.hpp"
#include "app/sweep/shards.hpp"
#include "app/sweep/slurm.hpp"
#include "app/sweep/sweep_plan.hpp"
#include "app/sweep/sweep_tables.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "report/temporary_file.hpp"

namespace reeve::app {
namespace {

struct SweepArguments {
  SweepRequest request;
  std::vector<std::string> words;  ///< [plan] FILE, or shard, status, merge and a directory
  std::optional<std::uint32_t> shards;
  std::string sbatch;  ///< further options
  BatchOptions batch = {.queue = {}, .definition = {}, .program = "reeve"};
  bool markdown = false;
};

void print_tables(const SweepNumbers& numbers, const Objective& objective,
                  const SweepArguments& arguments, const Console& console) {
  std::vector<report::Table> tables{cells_table(numbers, objective),
                                    effects_table(numbers, objective)};
  for (std::size_t policy = 0; policy < numbers.plan().policies.size(); ++policy) {
    if (policy == numbers.baseline() && numbers.plan().policies.size() > 1) continue;
    if (auto map = heat_map(numbers, policy, objective)) tables.push_back(*std::move(map));
  }
  if (console.json) {
    std::string all = "[";
    for (const report::Table& table : tables) {
      all += (&table == &tables.front() ? "" : ",") + report::json(table);
    }
    console.print(all + "]\n");
    return;
  }
  for (const report::Table& table : tables) {
    if (&table != &tables.front()) console.print("\n");
    if (arguments.markdown) {
      console.print(report::markdown(table));
    } else {
      console.print(table);
    }
  }
}

/// Temporary files of a process that was killed do not count.
bool holds_files(const std::string& directory) {
  const std::filesystem::directory_iterator all{directory};
  return std::any_of(begin(all), end(all),
                     [](const auto& entry) { return !report::is_temporary(entry.path()); });
}

/// Writes the plan, or finds that the directory has the same.
void keep_plan(const std::string& directory, const SweepPlan& plan) {
  const std::filesystem::path file = std::filesystem::path{directory} / "plan.json";
  const std::string text = plan_json(plan);
  if (!std::filesystem::exists(file)) {
    const bool is_used = std::filesystem::exists(directory) &&
                         (!std::filesystem::is_directory(directory) || holds_files(directory));
    if (is_used) {
      throw UsageError{directory + " is not empty and has no sweep", "choose a new directory"};
    }
    write_text_file(file, text);
    return;
  }
  SweepPlan kept = read_plan(text_of(file), file.string());
  kept.cells_per_shard = plan.cells_per_shard;
  if (plan_json(kept) != text) {
    throw UsageError{directory + " has another sweep", "choose a new directory, or remove it"};
  }
}

SweepPlan plan_in(const std::string& directory) {
  const std::string file = directory + "/plan.json";
  return read_plan(text_of(file), file);
}

int interrupted(const SweepArguments& arguments, const Console& console) {
  console.complain(arguments.request.study.out
                       ? "interrupted: the same command goes on where it stopped\n"
                       : "interrupted: with -o DIR the cells are kept, and it can go on\n");
  return ExitCode::interrupted;
}

int sweep_here(const SweepArguments& arguments, const Console& console) {
  const SweepPlan plan = make_plan(arguments.request, console);
  const Objective objective = objective_of(arguments.request.objective, plan);
  const std::string directory = arguments.request.study.out.value_or("");
  if (!directory.empty()) keep_plan(directory, plan);
  std::vector<CellResult> cells;
  if (!run_cells(plan, {0, plan.cells.size()}, directory, threads_of(arguments.request.study),
                 console, &cells)) {
    return interrupted(arguments, console);
  }
  const SweepNumbers numbers{plan, std::move(cells)};
  if (!directory.empty()) {
    write_sweep_csv(directory, numbers, objective);
    console.note("wrote " + directory + "/datapackage.json\n");
  }
  print_tables(numbers, objective, arguments, console);
  return ExitCode::done;
}

int plan_sweep(const SweepArguments& arguments, const Console& console) {
  if (!arguments.request.study.out) throw UsageError{"a plan needs a directory", "-o DIR"};
  const std::string& directory = *arguments.request.study.out;
  SweepPlan plan = make_plan(arguments.request, console);
  objective_of(arguments.request.objective, plan);
  if (arguments.shards) {
    plan.cells_per_shard = (plan.cells.size() + *arguments.shards - 1) / *arguments.shards;
  } else {  // of about a minute: to start one takes seconds
    constexpr double shortest_s = 60;
    const auto began = std::chrono::steady_clock::now();
    if (!run_cell(plan, 0, threads_of(arguments.request.study), console))
      return interrupted(arguments, console);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    const double cells = std::ceil(shortest_s / std::max(took.count(), 1e-3));
    plan.cells_per_shard = std::min(plan.cells.size(), static_cast<std::size_t>(cells));
  }
  keep_plan(directory, plan);
  const SweepPlan kept = plan_in(directory);
  const std::size_t last = kept.shards() - 1;
  const std::string shard = console.next("sweep shard " + shell_word(directory));
  console.print_as("shards", fmt::format("{}\n", kept.shards()));
  console.note(
      fmt::format("{} cells in {} shards, 0 to {}\n"
                  "one machine: seq 0 {} | xargs -n 1 {}\n"
                  "Slurm:       {}\n"
                  "AWS Batch:   {} --queue QUEUE --definition DEFINITION\n"
                  "then:        {}\n",
                  kept.cells.size(), kept.shards(), last, last, shard,
                  console.next("sweep slurm " + shell_word(directory)),
                  console.next("sweep batch " + shell_word(directory)),
                  console.next("sweep merge " + shell_word(directory))));
  return ExitCode::done;
}

/// As a job of `sweep batch` tells it, with a place in its shards.
std::string batch_shard(const char* shards) {
  const char* index = std::getenv("AWS_BATCH_JOB_ARRAY_INDEX");
  const std::string place = index == nullptr ? "0" : index;
  const auto shard = shard_at(shards, std::strtoull(place.c_str(), nullptr, 10));
  return shard ? std::to_string(*shard) : fmt::format("number {} of \"{}\"", place, shards);
}

/// As Slurm, AWS Batch or GNU parallel tells it.
std::string told_shard() {
  if (const char* shards = std::getenv(shards_variable)) return batch_shard(shards);
  std::string told;
  for (const char* variable : {"SLURM_ARRAY_TASK_ID", "AWS_BATCH_JOB_ARRAY_INDEX"}) {
    if (const char* value = std::getenv(variable); value != nullptr) told = value;
  }
  // GNU parallel counts from 1.
  if (const char* value = std::getenv("PARALLEL_SEQ"); told.empty() && value != nullptr) {
    told = std::to_string(std::strtoull(value, nullptr, 10) - 1);
  }
  return told;
}

/// As typed, else as a scheduler tells it.
std::size_t shard_index(const SweepArguments& arguments, const SweepPlan& plan) {
  const std::string written = arguments.words.size() > 2 ? arguments.words[2] : told_shard();
  std::size_t index = 0;
  const auto read = std::from_chars(written.data(), written.data() + written.size(), index);
  const bool is_number = read.ec == std::errc{} && read.ptr == written.data() + written.size();
  if (!is_number || index >= plan.shards()) {
    throw UsageError{fmt::format("{} is not a shard from 0 to {}",
                                 written.empty() ? "(no number)" : written, plan.shards() - 1),
                     "reeve sweep shard DIR 0"};
  }
  return index;
}

int run_shard(const SweepArguments& arguments, const Console& console) {
  const std::string& directory = arguments.words[1];
  const SweepPlan plan = plan_in(directory);
  const std::size_t shard = shard_index(arguments, plan);
  if (!run_cells(plan, cells_of(plan, shard), directory, threads_of(arguments.request.study),
                 console, nullptr)) {
    console.complain("interrupted: the same command goes on where it stopped\n");
    return ExitCode::interrupted;
  }
  console.note(fmt::format("shard {} of {} is done\n", shard, plan.shards()));
  return ExitCode::done;
}

int show_status(const SweepArguments& arguments, const Console& console) {
  const std::string& directory = arguments.words[1];
  const SweepPlan plan = plan_in(directory);
  const auto missing = missing_in(directory, plan, nullptr);
  report::Table table;
  table.name = plan.name;
  table.facts = {{plan.name, directory}};
  table.columns = {{"cells", "cells"},
                   {"done", "done"},
                   {"missing", "missing"},
                   {"missing_shards", "missing shards", report::Align::left}};
  const std::string shards = shards_text(shards_of(plan, missing));
  table.rows.push_back({{report::cell(std::uint64_t{plan.cells.size()}),
                         report::cell(std::uint64_t{plan.cells.size() - missing.size()}),
                         report::cell(std::uint64_t{missing.size()}), report::cell(shards)}});
  const std::string where = shell_word(directory);
  const std::string next = missing.empty()
                               ? "reeve sweep merge " + where
                               : "reeve sweep shard " + where + " N, or reeve sweep slurm " + where;
  table.closing.push_back({"next: " + next, report::Tone::faint});
  console.print(table);
  return ExitCode::done;
}

int merge(const SweepArguments& arguments, const Console& console) {
  const std::string& directory = arguments.words[1];
  const SweepPlan plan = plan_in(directory);
  const Objective objective = objective_of(arguments.request.objective, plan);
  std::vector<CellResult> cells;
  const auto missing = missing_in(directory, plan, &cells);
  if (!missing.empty()) {
    console.complain(fmt::format("{} of {} cells are missing: shards {}\n", missing.size(),
                                 plan.cells.size(), shards_text(shards_of(plan, missing))));
    return ExitCode::failed;
  }
  const SweepNumbers numbers{plan, std::move(cells)};
  write_sweep_csv(directory, numbers, objective);
  console.note("wrote " + directory + "/datapackage.json\n");
  print_tables(numbers, objective, arguments, console);
  return ExitCode::done;
}

/// Until no cell is missing, then the tables.
int sweep_elsewhere(const SweepArguments& arguments, const Console& console) {
  const std::string& directory = arguments.words[1];
  const bool is_batch = arguments.words[0] == "batch";
  if (is_batch && (arguments.batch.queue.empty() || arguments.batch.definition.empty())) {
    throw UsageError{"a job of AWS Batch needs a queue and a definition",
                     "reeve sweep batch DIR --queue QUEUE --definition DEFINITION"};
  }
  const SweepPlan plan = plan_in(directory);
  objective_of(arguments.request.objective, plan);
  const bool is_done = is_batch ? finish_on_batch(directory, plan, arguments.batch, console)
                                : finish_on_slurm(directory, plan, arguments.sbatch, console);
  if (!is_done) {
    console.complain("interrupted: the same command goes on where it stopped\n");
    return ExitCode::interrupted;
  }
  return merge(arguments, console);
}

int run_sweep(SweepArguments arguments, const Console& console) {
  const std::string verb = arguments.words.front();
  const bool is_elsewhere = verb == "slurm" || verb == "batch";
  const bool is_of_directory =
      is_elsewhere || verb == "shard" || verb == "status" || verb == "merge";
  const std::size_t most = verb == "shard" ? 3 : is_of_directory || verb == "plan" ? 2 : 1;
  if (arguments.words.size() > most || (most > 1 && arguments.words.size() < 2)) {
    throw UsageError{"reeve sweep " + verb + ": wrong number of arguments", "reeve help sweep"};
  }
  if (is_of_directory) {
    const SweepRequest& request = arguments.request;
    if (!request.sets.empty() || request.study.out || !request.study.policies.empty() ||
        request.study.seed || request.study.runs || !request.sample.empty() ||
        !request.baseline.empty() || !request.metrics.empty() || arguments.shards) {
      throw UsageError{
          "--set, --sample, -p, --baseline, --metric, --seed, --runs, --shards and -o "
          "belong to the plan of the sweep",
          "reeve help sweep"};
    }
    if (verb == "shard") return run_shard(arguments, console);
    if (is_elsewhere) return sweep_elsewhere(arguments, console);
    return verb == "status" ? show_status(arguments, console) : merge(arguments, console);
  }
  arguments.request.study.file = arguments.words.back();
  return verb == "plan" ? plan_sweep(arguments, console) : sweep_here(arguments, console);
}

}  // namespace

void add_sweep(Program& program, Session& session) {
  auto arguments = std::make_shared<SweepArguments>();
  Command& command = add_command(
      program, "sweep", "Compares policies with other values of keys, on the same draws",
      "reeve sweep week.jsonc --set policies.alarm.stalled_gpu.period=1m,5m,10m\n"
      "reeve sweep week.jsonc --set platform.startup=1m..20m --set fleet.pool.capacity=20..60 "
      "--sample lhs:64 -o out\n"
      "reeve sweep plan week.jsonc --set workload.jobs=50,100,200 -o out\n"
      "reeve sweep shard out 0\n"
      "reeve sweep status out\n"
      "reeve sweep batch out --queue spot --definition reeve:3\n"
      "reeve sweep merge out");
  command.option(
      "WORDS", &arguments->words,
      "FILE: sweeps here. plan FILE: only writes the plan to -o. shard DIR [INDEX]: runs "
      "a part of it, by default that of a Slurm or AWS Batch array job. status DIR: "
      "which parts are missing. slurm DIR, batch DIR: submits the missing parts to Slurm or AWS "
      "Batch until none is, and prints the tables. merge DIR: the tables",
      {.required = true});
  command.option("--set", &arguments->request.sets,
                 "PATH=V1,V2 or PATH=LOW..HIGH[:log]: a key of the scenario and its values; may be "
                 "repeated. Keys are separated by dots, rules go by their name or label",
                 {.takes = Takes::one_at_a_time, .type = "PATH=VALUES"});
  command.option("--sample", &arguments->request.sample,
                 "lhs:N or sobol:N: N samples of the ranges. Default: all combinations",
                 {.type = "DESIGN"});
  command.option("-p,--policy", &arguments->request.study.policies,
                 "Policies by name: a,b. Default: all", {.comma_separated = true});
  add_run_options(command, arguments->request.study);
  add_baseline_option(command, arguments->request.baseline);
  command.option("--objective", &arguments->request.objective,
                 "The metric that is to be least, or most: max:jobs_done. Default: net_saving_usd, "
                 "or billed_usd of a single policy",
                 {.type = "METRIC"});
  command.option("--metric", &arguments->request.metrics, "Also keeps this metric; may be repeated",
                 {.takes = Takes::one_at_a_time, .type = "METRIC"});
  command.option("-o,--out", &arguments->request.study.out,
                 "Keeps each cell and writes the tables as CSV. The same command goes on after an "
                 "interruption",
                 {.type = "DIR"});
  command.option("--shards", &arguments->shards, "plan: the most parts. Default: parts of a minute",
                 {.whole_in = WholeNumbers{1, most_cells}});
  command.option("--sbatch", &arguments->sbatch,
                 "slurm: further options of sbatch: '--partition=gpu --cpus-per-task=8'",
                 {.type = "OPTIONS"});
  command.option("--queue", &arguments->batch.queue, "batch: the job queue; it may be an ARN",
                 {.type = "NAME"});
  command.option("--definition", &arguments->batch.definition,
                 "batch: the job definition, whose containers have DIR at the same path",
                 {.type = "NAME"});
  command.option("--program", &arguments->batch.program,
                 "batch: reeve in the image, or '' if it is the entry point. Default: reeve",
                 {.type = "PATH"});
  command.option("--md", &arguments->markdown, "Prints Markdown tables");
  on_parse(command, session,
           [&session, arguments] { return run_sweep(*arguments, session.console); });
}

}  // namespace reeve::app
