// reeve pack: the rules that put tasks onto nodes whose CPU, memory and GPUs are shared, compared.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/files/output_place.hpp"
#include "app/files/text_file.hpp"
#include "app/session.hpp"
#include "app/study/interruption.hpp"
#include "app/study/progress_bar.hpp"
#include "app/study/study_arguments.hpp"
#include "app/text/quantity_text.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "experiments/measures.hpp"
#include "experiments/packing.hpp"
#include "experiments/statistics.hpp"
#include "report/csv.hpp"
#include "report/format.hpp"
#include "report/table.hpp"

namespace reeve::app {
namespace {

using experiments::Estimate;
using experiments::NamedPackingRule;
using experiments::PackingDraws;
using experiments::PackingFill;
using experiments::PackingReplay;
using models::PackingRule;
using policy::Duration;
using report::Align;
using report::cell;

struct PackArguments {
  std::string nodes;
  std::string tasks;
  std::vector<std::string> rules;  ///< empty: all
  std::optional<std::uint32_t> load;
  std::uint32_t runs = 10;
  std::uint64_t seed = 1;
  bool replay = false;
  std::string out;
};

/// What is compared, and on what.
struct Packing {
  scenarios::SharedNodes nodes;
  scenarios::SharedTasks tasks;
  std::vector<models::TypicalTask> typical;
  std::vector<NamedPackingRule> rules;  ///< the first is what others are compared with
  std::int64_t gpu_milli = 0;
};

/// By rule, then by run.
template <class Outcome>
using Outcomes = std::vector<std::vector<Outcome>>;

std::vector<NamedPackingRule> rules_of(const PackArguments& arguments) {
  const auto all = experiments::packing_rules();
  if (arguments.rules.empty()) return {all.begin(), all.end()};
  std::vector<NamedPackingRule> rules;
  for (const std::string& name : arguments.rules) {
    const auto is_it = [&name](const NamedPackingRule& rule) { return rule.name == name; };
    const auto known = std::find_if(all.begin(), all.end(), is_it);
    if (known == all.end()) {
      std::vector<std::string_view> names;
      for (const NamedPackingRule& rule : all) names.push_back(rule.name);
      throw UsageError{"there is no packing rule " + scenarios::in_quotes(name),
                       scenarios::did_you_mean(name, names)};
    }
    if (std::none_of(rules.begin(), rules.end(), is_it)) rules.push_back(*known);
  }
  return rules;
}

Packing read_pack(const PackArguments& arguments, const Console& console) {
  Packing packing;
  packing.rules = rules_of(arguments);
  packing.nodes = scenarios::read_shared_nodes(arguments.nodes);
  show_warnings(console, packing.nodes.warnings);
  packing.tasks = scenarios::read_shared_tasks(arguments.tasks, packing.nodes);
  show_warnings(console, packing.tasks.warnings);
  std::vector<models::TaskShape> shapes;
  for (const auto& task : packing.tasks.tasks) shapes.push_back(task.shape);
  packing.typical = models::typical_tasks(shapes);
  for (const auto& node : packing.nodes.nodes) {
    packing.gpu_milli += node.gpus * models::whole_gpu_milli;
  }
  return packing;
}

ProgressOf progress_of(std::uint64_t runs) {
  return {.runs = runs, .start = {}, .end = policy::never, .headline = {}};
}

double percent_of(double part, std::int64_t whole) {
  return 100 * part / static_cast<double>(whole);
}

report::Cell two_digits_cell(double number) {
  return cell(number, fmt::format("{:.2f}", number));
}

report::Cell half_cell(const Estimate& estimate) {
  if (estimate.reach() == 0) return report::no_cell();
  return two_digits_cell(estimate.reach());
}

/// A number of each run; where a rule has one run only, that is every run of it.
template <class Outcome>
using NumberOf = std::function<double(const Outcome&)>;

template <class Outcome>
Estimate mean_of_runs(const std::vector<Outcome>& outcomes, const NumberOf<Outcome>& number) {
  std::vector<double> samples;
  for (const Outcome& outcome : outcomes) samples.push_back(number(outcome));
  return experiments::estimate(samples);
}

template <class Outcome>
Estimate difference(const std::vector<Outcome>& of, const std::vector<Outcome>& base,
                    const NumberOf<Outcome>& number) {
  std::vector<double> samples;
  for (std::size_t run = 0; run < std::max(of.size(), base.size()); ++run) {
    samples.push_back(number(of[std::min(run, of.size() - 1)]) -
                      number(base[std::min(run, base.size() - 1)]));
  }
  return experiments::estimate(samples);
}

/// Adds the cells of a difference with what the first rule did; none for the first itself.
template <class Outcome>
void add_difference(report::TableRow& row, const Outcomes<Outcome>& all, std::size_t rule,
                    const NumberOf<Outcome>& number) {
  if (rule == 0) {
    row.cells.push_back(report::no_cell());
    row.cells.push_back(report::no_cell());
    return;
  }
  const Estimate apart = difference(all[rule], all[0], number);
  row.cells.push_back(cell(apart.mean, fmt::format("{:+.2f}", apart.mean + 0.0)));
  row.cells.push_back(half_cell(apart));
}

report::Table begin_table(const PackArguments& arguments, const Packing& packing,
                          const std::string& how) {
  report::Table table;
  const std::filesystem::path file{arguments.tasks};
  const std::string stem = file.filename().string();
  table.name = stem.substr(0, stem.find('.'));
  const auto counted = [](std::uint64_t number, const char* what) {
    return fmt::format("{} {}{}", report::count(number), what, number == 1 ? "" : "s");
  };
  const auto gpus = static_cast<std::uint64_t>(packing.gpu_milli / models::whole_gpu_milli);
  table.facts = {{table.name, counted(packing.nodes.nodes.size(), "node"), counted(gpus, "GPU"),
                  counted(packing.tasks.tasks.size(), "task")},
                 {how}};
  return table;
}

// ── until the nodes are full ──

Outcomes<PackingFill> fill_all(const PackArguments& arguments, const Packing& packing,
                               const Console& console) {
  Outcomes<PackingFill> all(packing.rules.size());
  ProgressBar bar{console, progress_of(std::uint64_t{arguments.runs} * packing.rules.size())};
  for (std::uint32_t run = 0; run < arguments.runs; ++run) {
    const PackingDraws draws{arguments.seed, run};
    const auto tasks = experiments::drawn_tasks(packing.tasks.tasks, packing.gpu_milli,
                                                arguments.load.value_or(130), draws);
    for (std::size_t rule = 0; rule < packing.rules.size(); ++rule) {
      all[rule].push_back(experiments::fill(packing.rules[rule].rule, packing.nodes,
                                            packing.typical, tasks, draws, &interruption()));
      if (interruption()) return {};
      bar.finished_run(tasks.size());
    }
  }
  return all;
}

report::Table fill_table(const PackArguments& arguments, const Packing& packing,
                         const Outcomes<PackingFill>& all) {
  report::Table table =
      begin_table(arguments, packing,
                  fmt::format("tasks until they request {} % of the GPUs; {}, seed {}",
                              arguments.load.value_or(130),
                              scenarios::counted(arguments.runs, "order"), arguments.seed));
  const std::string against = fmt::format("vs {}", packing.rules[0].name);
  table.columns = {{"rule", "rule", Align::left},   {"allocated_pct", "GPU allocated %"},
                   {"allocated_half_pct", "±"},     {"difference_pct", against},
                   {"difference_half_pct", "±"},    {"placed_pct", "placed %"},
                   {"fragments_pct", "fragments %"}};
  const NumberOf<PackingFill> allocated = [](const PackingFill& run) {
    return percent_of(static_cast<double>(run.allocated), run.gpu_milli);
  };
  const NumberOf<PackingFill> placed = [](const PackingFill& run) {
    return percent_of(static_cast<double>(run.placed), static_cast<std::int64_t>(run.tasks));
  };
  const NumberOf<PackingFill> fragments = [](const PackingFill& run) { return run.fragments_pct; };
  for (std::size_t rule = 0; rule < all.size(); ++rule) {
    const Estimate mean = mean_of_runs(all[rule], allocated);
    report::TableRow row{
        {cell(packing.rules[rule].name), two_digits_cell(mean.mean), half_cell(mean)}};
    add_difference(row, all, rule, allocated);
    row.cells.push_back(two_digits_cell(mean_of_runs(all[rule], placed).mean));
    row.cells.push_back(two_digits_cell(mean_of_runs(all[rule], fragments).mean));
    table.rows.push_back(std::move(row));
  }
  table.notes = {"fragments: free GPU capacity that a randomly drawn task of the file cannot use"};
  return table;
}

std::string fill_csv(const Packing& packing, const Outcomes<PackingFill>& all) {
  std::ostringstream out;
  report::CsvWriter csv{out, "the table"};
  for (const auto* column :
       {"rule", "run", "tasks", "placed", "gpu_milli", "allocated_gpu_milli", "fragments_pct"}) {
    csv.text(column);
  }
  csv.end_row();
  for (std::size_t rule = 0; rule < all.size(); ++rule) {
    for (std::size_t run = 0; run < all[rule].size(); ++run) {
      const PackingFill& one = all[rule][run];
      csv.text(packing.rules[rule].name);
      csv.count(run);
      csv.count(one.tasks);
      csv.count(one.placed);
      csv.integer(one.gpu_milli);
      csv.integer(one.allocated);
      csv.number(one.fragments_pct);
      csv.end_row();
    }
  }
  csv.flush();
  return out.str();
}

// ── as they came ──

Outcomes<PackingReplay> replay_all(const PackArguments& arguments, const Packing& packing,
                                   const Console& console) {
  Outcomes<PackingReplay> all(packing.rules.size());
  const auto runs_of = [&](PackingRule rule) {
    return rule == PackingRule::random_fit ? arguments.runs : 1;
  };
  std::uint64_t runs = 0;
  for (const auto& [name, rule] : packing.rules) runs += runs_of(rule);
  ProgressBar bar{console, progress_of(runs)};
  for (std::size_t rule = 0; rule < packing.rules.size(); ++rule) {
    for (std::uint32_t run = 0; run < runs_of(packing.rules[rule].rule); ++run) {
      all[rule].push_back(experiments::replay(packing.rules[rule].rule, packing.nodes,
                                              packing.typical, packing.tasks.tasks,
                                              {arguments.seed, run}, &interruption()));
      if (interruption()) return {};
      bar.finished_run(packing.tasks.tasks.size());
    }
  }
  return all;
}

double mean_allocated(const PackingReplay& run) {
  if (run.span == Duration{0}) return 0;
  return percent_of(static_cast<double>(run.allocated_time) / static_cast<double>(run.span.count()),
                    run.gpu_milli);
}

report::Cell wait_cell(double mean) {
  return cell(mean, report::duration(Duration{static_cast<std::int64_t>(mean) * 1'000'000'000}));
}

/// The last two cells, a difference and half its interval, as durations.
void show_as_time(const Estimate& apart, report::TableRow& row) {
  const double half = apart.reach();
  const auto text = [&](double value) { return text_beside("wait_s", 0.0, value, half); };
  report::Cell& mean = row.cells[row.cells.size() - 2];
  mean.text = (apart.mean > 0 ? "+" : "") + text(apart.mean);
  if (half > 0) row.cells.back().text = text(half);
}

report::Table replay_table(const PackArguments& arguments, const Packing& packing,
                           const Outcomes<PackingReplay>& all) {
  report::Table table = begin_table(
      arguments, packing, "in order of arrival; a task that fits runs ahead of one that does not");
  const std::string against = fmt::format("vs {}", packing.rules[0].name);
  table.columns = {{"rule", "rule", Align::left},
                   {"mean_wait_s", "mean wait"},
                   {"mean_wait_difference_s", against},
                   {"mean_wait_difference_half_s", "±"},
                   {"p99_wait_s", "p99"},
                   {"longest_wait_s", "longest"},
                   {"waited_pct", "waited %"},
                   {"peak_allocated_pct", "peak GPU %"},
                   {"mean_allocated_pct", "mean GPU %"}};
  using Replay = PackingReplay;
  const NumberOf<Replay> wait = [](const Replay& run) { return run.waits.mean_s().value_or(0); };
  const NumberOf<Replay> p99 = [](const Replay& run) {
    return run.waits.quantile_s(0.99).value_or(0);
  };
  const NumberOf<Replay> longest = [](const Replay& run) {
    return experiments::seconds(run.waits.largest().value_or(Duration{0}));
  };
  const NumberOf<Replay> waited = [](const Replay& run) {
    return run.tasks == 0
               ? 0
               : percent_of(static_cast<double>(run.waited), static_cast<std::int64_t>(run.tasks));
  };
  const NumberOf<Replay> peak = [](const Replay& run) {
    return percent_of(static_cast<double>(run.peak_allocated), run.gpu_milli);
  };
  for (std::size_t rule = 0; rule < all.size(); ++rule) {
    report::TableRow row{
        {cell(packing.rules[rule].name), wait_cell(mean_of_runs(all[rule], wait).mean)}};
    add_difference(row, all, rule, wait);
    if (rule > 0) show_as_time(difference(all[rule], all[0], wait), row);
    row.cells.push_back(wait_cell(mean_of_runs(all[rule], p99).mean));
    row.cells.push_back(wait_cell(mean_of_runs(all[rule], longest).mean));
    row.cells.push_back(two_digits_cell(mean_of_runs(all[rule], waited).mean));
    row.cells.push_back(two_digits_cell(mean_of_runs(all[rule], peak).mean));
    row.cells.push_back(two_digits_cell(mean_of_runs<Replay>(all[rule], mean_allocated).mean));
    table.rows.push_back(std::move(row));
  }
  const Replay& any = all[0][0];
  const std::uint64_t never_ran = packing.tasks.tasks.size() - any.tasks - any.homeless;
  if (never_ran > 0) {
    table.notes.push_back(
        fmt::format("ignored: {} without scheduled_time or deletion_time (unknown run time)",
                    scenarios::counted(never_ran, "task")));
  }
  if (any.homeless > 0) {
    table.notes.push_back(fmt::format("ignored: {} that would not fit even if all nodes were empty",
                                      scenarios::counted(any.homeless, "task")));
  }
  return table;
}

std::string replay_csv(const Packing& packing, const Outcomes<PackingReplay>& all) {
  std::ostringstream out;
  report::CsvWriter csv{out, "the table"};
  for (const auto* column :
       {"rule", "run", "tasks", "waited", "homeless", "mean_wait_s", "p99_wait_s", "longest_wait_s",
        "gpu_milli", "peak_allocated_gpu_milli", "mean_allocated_pct", "span_s"}) {
    csv.text(column);
  }
  csv.end_row();
  for (std::size_t rule = 0; rule < all.size(); ++rule) {
    for (std::size_t run = 0; run < all[rule].size(); ++run) {
      const PackingReplay& one = all[rule][run];
      csv.text(packing.rules[rule].name);
      csv.count(run);
      csv.count(one.tasks);
      csv.count(one.waited);
      csv.count(one.homeless);
      csv.number(one.waits.mean_s().value_or(0));
      csv.number(one.waits.quantile_s(0.99).value_or(0));
      csv.seconds(one.waits.largest().value_or(Duration{0}));
      csv.integer(one.gpu_milli);
      csv.integer(one.peak_allocated);
      csv.number(mean_allocated(one));
      csv.seconds(one.span);
      csv.end_row();
    }
  }
  csv.flush();
  return out.str();
}

// ── the command ──

struct PackOutput {
  report::Table table;
  std::string csv;
};

constexpr std::string_view csv_begins = "rule,run,tasks,";

std::optional<PackOutput> make_output(const PackArguments& arguments, const Packing& packing,
                                      const Console& console) {
  interruption();
  note_interruption();  // each task looks at it
  if (arguments.replay) {
    const auto all = replay_all(arguments, packing, console);
    if (all.empty()) return std::nullopt;
    return PackOutput{replay_table(arguments, packing, all), replay_csv(packing, all)};
  }
  const auto all = fill_all(arguments, packing, console);
  if (all.empty()) return std::nullopt;
  return PackOutput{fill_table(arguments, packing, all), fill_csv(packing, all)};
}

void check_replay(const PackArguments& arguments, const Packing& packing) {
  if (!arguments.replay) return;
  if (!packing.tasks.timed) {
    throw UsageError{"--replay needs the columns creation_time, scheduled_time and deletion_time",
                     "run without --replay, or add these columns"};
  }
  const auto ran = [](const scenarios::SharedTask& task) { return task.run.has_value(); };
  if (std::none_of(packing.tasks.tasks.begin(), packing.tasks.tasks.end(), ran)) {
    throw UsageError{"no task has both scheduled_time and deletion_time", "run without --replay"};
  }
}

int pack(const PackArguments& arguments, const Console& console) {
  if (arguments.replay && arguments.load) {
    throw UsageError{"--load cannot be combined with --replay", "remove one of the two"};
  }
  if (!arguments.out.empty()) check_output_file(arguments.out, csv_begins, "-o");
  const Packing packing = read_pack(arguments, console);
  check_replay(arguments, packing);
  std::optional<PackOutput> product;
  try {
    product = make_output(arguments, packing, console);
  } catch (const std::length_error& error) {
    throw UsageError{error.what(), "use a smaller --load, or tasks that request more of a GPU"};
  } catch (const std::overflow_error& error) {
    throw UsageError{error.what(), "use shorter tasks or more nodes"};
  }
  if (!product) return ExitCode::interrupted;
  if (!arguments.out.empty()) write_text_file(arguments.out, product->csv);
  console.print(product->table);
  if (!arguments.out.empty()) console.note("wrote " + arguments.out + "\n");
  if (!arguments.replay && packing.tasks.timed) {
    console.note(fmt::format("next: reeve pack {} {} --replay\n", shell_word(arguments.nodes),
                             shell_word(arguments.tasks)));
  }
  return ExitCode::done;
}

std::string rules_text() {
  std::string text = "Rules:";
  for (const auto& rule : experiments::packing_rules()) text += fmt::format(" {}", rule.name);
  return text + "; docs/how-to/pack-gpus.md says what each does.";
}

}  // namespace

void add_pack(Program& program, Session& session) {
  auto arguments = std::make_shared<PackArguments>();
  Command& command =
      add_command(program, "pack", "Compares rules that place tasks with fractional GPUs on nodes",
                  "reeve pack nodes.csv tasks.csv\n"
                  "reeve pack nodes.csv tasks.csv --rule best_fit,fgd --load 110 --runs 30\n"
                  "reeve pack nodes.csv tasks.csv --replay -o waits.csv");
  command.footer += "\n\n" + rules_text();
  command.option("NODES", &arguments->nodes, "CSV or gzip: cpu_milli,memory_mib,gpu,model",
                 {.required = true});
  command.option("TASKS", &arguments->tasks,
                 "CSV or gzip: cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec",
                 {.required = true});
  command.option("--rule", &arguments->rules, "Rules by name: a,b. Default: all",
                 {.comma_separated = true});
  command.option("--load", &arguments->load,
                 "Requested GPUs in percent of the GPUs of the nodes (130)",
                 {.whole_in = WholeNumbers{1, 1000}});
  command.option("--replay", &arguments->replay,
                 "Replays arrivals and durations of the file, with a queue");
  command.option("--runs", &arguments->runs, "Number of random orders of the tasks (10)",
                 {.whole_in = WholeNumbers{1, 100'000}});
  command.option("--seed", &arguments->seed, "Random seed (1)", {.whole_in = WholeNumbers{0}});
  command.option("-o,--out", &arguments->out, "Writes a CSV file with one row per rule and run");
  on_parse(command, session, [&session, arguments] { return pack(*arguments, session.console); });
}

}  // namespace reeve::app
