// reeve import: logs of jobs, lists of nodes, recorded markets and queues of others, as files reeve
// reads.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/files/import_batch.hpp"
#include "app/files/import_products.hpp"
#include "app/files/output_place.hpp"
#include "app/files/text_file.hpp"
#include "app/history/import_history.hpp"
#include "app/history/import_kind.hpp"
#include "app/session.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "report/table.hpp"
#include "scenarios/exchange/job_import.hpp"
#include "scenarios/history/readers.hpp"
#include "scenarios/history/recognition.hpp"
#include "scenarios/records/market_trace.hpp"
#include "scenarios/text/foreign_file.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::app {
namespace {

using policy::Duration;
using scenarios::ImportedJob;
using scenarios::ImportedJobs;
using scenarios::JobImporter;

constexpr std::string_view nodes_kind = "openb-nodes";
constexpr std::string_view market_kind = "spot-traces";
constexpr std::string_view batch_kind = "batch";
constexpr std::string_view history_kind = "history";

struct ImportArguments {
  std::string kind;
  std::vector<std::string> files;
  std::string out;
  std::string since;
  bool anonymize = false;
  bool runnable = false;
  std::vector<std::string> columns;  ///< OURS=THEIRS
  std::string format;
  std::string convention;
  std::string series;
  BatchArguments batch;
  HistoryArguments history;

  const std::string& file() const { return files.front(); }
  bool of_market() const { return !format.empty() || !convention.empty() || !series.empty(); }
};

/// How many rows there are, and how many are no work for a workload, by reason.
struct Runnable {
  std::uint64_t all = 0;
  std::map<scenarios::Unrunnable, std::uint64_t> refused;
  std::uint64_t runnable() const {
    std::uint64_t count = all;
    for (const auto& [reason, rows] : refused) count -= rows;
    return count;
  }
};

/// "2 of 4 rows cannot be run: 1 has no GPUs (E0240), 1 did not start"
std::string refused_text(const Runnable& rows, bool by_nodes) {
  std::string reasons;
  for (const auto& [reason, count] : rows.refused) {
    const std::string_view has = count == 1 ? "has" : "have";
    reasons += reasons.empty() ? "" : ", ";
    switch (reason) {
      case scenarios::Unrunnable::no_size:
        reasons += fmt::format("{} {} no {} (E0240)", count, has, by_nodes ? "nodes" : "GPUs");
        break;
      case scenarios::Unrunnable::no_duration:
        reasons += fmt::format("{} {} no duration (E0241)", count, has);
        break;
      case scenarios::Unrunnable::never_started:
        reasons += fmt::format("{} did not start", count);
        break;
    }
  }
  return fmt::format("{} of {} rows cannot run: {}", rows.all - rows.runnable(), rows.all, reasons);
}

/// A date, where the log has dates, or a time after its first submission.
Duration parse_since(const std::string& written, std::optional<policy::Instant> zero) {
  if (const auto length = scenarios::parse_duration(written)) return *length;
  const bool is_day = written.size() == 10;
  const auto date = scenarios::parse_instant(is_day ? written + "T00:00:00Z" : written);
  if (!date) {
    throw UsageError{"--since is neither a duration nor a date: " + scenarios::in_quotes(written),
                     "write 30d, 2017-10-01 or 2017-10-01T12:00:00Z"};
  }
  if (!zero) {
    throw UsageError{"the log has no dates: --since needs a duration", "write 30d"};
  }
  return std::max(Duration::zero(), *date - *zero);
}

/// What the file calls reeve's columns: `--columns job_id=JobID,duration_s=Elapsed`.
std::vector<scenarios::ColumnName> parse_columns(const std::vector<std::string>& written) {
  std::vector<std::string_view> known;
  for (const auto& column : scenarios::trace_columns()) known.push_back(column.name);
  std::vector<scenarios::ColumnName> names;
  for (const std::string& each : written) {
    const std::size_t equals = each.find('=');
    if (equals == each.npos || equals + 1 == each.size()) {
      throw UsageError{"--columns takes OURS=THEIRS, not " + scenarios::in_quotes(each),
                       "write --columns job_id=JobID,duration_s=Elapsed"};
    }
    const std::string ours = each.substr(0, equals);
    const std::string theirs = each.substr(equals + 1);
    if (!scenarios::is_trace_column(ours)) {
      throw UsageError{"--columns: a trace has no column " + scenarios::in_quotes(ours),
                       scenarios::is_trace_column(theirs)
                           ? fmt::format("write reeve's name first: {}={}", theirs, ours)
                           : scenarios::did_you_mean(ours, known)};
    }
    names.push_back({ours, theirs});
  }
  return names;
}

const JobImporter* job_importer(std::string_view kind) {
  const auto importers = scenarios::job_importers();
  const auto found = std::find_if(importers.begin(), importers.end(),
                                  [&](const auto& known) { return known.name == kind; });
  return found == importers.end() ? nullptr : &*found;
}

/// Whether the kind is one of the exports that a history is made of.
bool reads_exports(std::string_view kind) {
  return is_history_kind(kind) && job_importer(kind) == nullptr;
}

EachJob each_of(ImportedJobs imported) {
  auto all = std::make_shared<const ImportedJobs>(std::move(imported));
  return [all](const auto& with) {
    for (const ImportedJob& job : all->jobs) with(job);
  };
}

/// Those from `since` on, which count from then.
EachJob later_jobs(EachJob jobs, Duration since) {
  return [jobs = std::move(jobs), since](const auto& with) {
    jobs([&](const ImportedJob& job) {
      if (job.submit < since) return;
      ImportedJob later = job;
      later.submit -= since;
      with(later);
    });
  };
}

EachJob runnable_jobs(EachJob jobs, bool by_nodes) {
  return [jobs = std::move(jobs), by_nodes](const auto& with) {
    jobs([&](const ImportedJob& job) {
      if (!scenarios::unrunnable(job, by_nodes)) with(job);
    });
  };
}

EachJob anonymous_jobs(const EachJob& jobs) {
  ImportedJobs all;
  jobs([&](const ImportedJob& job) { all.jobs.push_back(job); });
  anonymize(all);
  return each_of(std::move(all));
}

/// The trace of what was read, without the jobs that options drop.
Imported trace_product(const ImportArguments& arguments, const JobImporter& importer, EachJob jobs,
                       std::optional<policy::Instant> zero, bool by_nodes) {
  if (!arguments.since.empty()) {
    const Duration since = parse_since(arguments.since, zero);
    jobs = later_jobs(std::move(jobs), since);
    if (zero) *zero += since;
  }
  Runnable rows;
  JobTotals totals;
  jobs([&](const ImportedJob& job) {
    ++rows.all;
    const auto reason = scenarios::unrunnable(job, by_nodes);
    if (reason) ++rows.refused[*reason];
    if (!reason || !arguments.runnable) totals.note(job);
  });
  if (rows.all == 0) throw UsageError{"no job was submitted since " + arguments.since, ""};
  if (arguments.runnable) {
    if (rows.runnable() == 0) throw UsageError{"no row of the log can run", ""};
    jobs = runnable_jobs(std::move(jobs), by_nodes);
  }
  if (arguments.anonymize && !reads_exports(arguments.kind)) jobs = anonymous_jobs(jobs);
  Imported product = jobs_product(importer, std::move(jobs), std::move(totals), zero, by_nodes);
  if (!rows.refused.empty()) {
    product.summary.notes.push_back(
        refused_text(rows, by_nodes) +
        (arguments.runnable ? "; they are dropped" : ": --runnable drops them"));
  }
  return product;
}

Imported import_log(const ImportArguments& arguments, const JobImporter& importer,
                    std::vector<scenarios::Diagnostic>& found) {
  auto columns = parse_columns(arguments.columns);
  if (!columns.empty() && importer.read_named == nullptr) {
    throw UsageError{fmt::format("--columns does not apply to {}", importer.name),
                     "reeve import csv takes any names of columns"};
  }
  ImportedJobs imported = scenarios::import_jobs(importer, arguments.file(), std::move(columns));
  found = imported.warnings;
  const bool by_nodes = counts_nodes(imported);  // before it is moved from
  const auto zero = imported.zero;
  return trace_product(arguments, importer, each_of(std::move(imported)), zero, by_nodes);
}

/// What `read` makes of the file.  If it fails at once, or behind a first document of JSON, the
/// error names the kind of the file, unless names of columns would help.
template <class Read>
auto read_kind_of(std::string_view kind, std::string_view one_file, const Read& read) {
  try {
    return read();
  } catch (const scenarios::InputError& error) {
    const auto& found = error.diagnostics().front();
    const bool is_whole = scenarios::failed_at_once(error) || found.code == "E0113";
    if (!found.file.empty() && is_whole && found.help.find("--columns '") == found.help.npos) {
      scenarios::refuse_other_file(found.file, kind, one_file);
    }
    throw;
  }
}

bool drops_jobs(const ImportArguments& arguments) {
  return !arguments.since.empty() || arguments.runnable;
}

void check_history_options(const ImportArguments& arguments) {
  if (arguments.of_market() || arguments.batch.any()) {
    throw UsageError{
        "--format, --convention, --series and the options of batch do not apply to exports",
        "reeve help import"};
  }
  if (drops_jobs(arguments) && (arguments.kind == history_kind || arguments.anonymize)) {
    throw UsageError{"--since and --runnable do not apply to history, nor with --anonymize",
                     "reeve import csv JOBS.csv --anonymize, of the trace of this import"};
  }
}

/// Options of one kind beside another.
void check_options(const ImportArguments& arguments) {
  const bool is_from_aws = !arguments.history.from_aws.empty();
  if (is_from_aws && arguments.kind != history_kind) {
    throw UsageError{"--from-aws applies only to history", "reeve import history --from-aws 90d"};
  }
  if (arguments.files.empty() && !is_from_aws) {
    throw UsageError{"FILE is required", fmt::format("reeve import {} FILE", arguments.kind)};
  }
  if (arguments.kind == history_kind || reads_exports(arguments.kind)) {
    return check_history_options(arguments);
  }
  if (arguments.history.any()) {
    throw UsageError{
        "--as, --as-of, --timezone, --usd-per, --join, --prices, --key, --tags, --from-aws and "
        "--keep-going apply only to exports of a team",
        "reeve help import"};
  }
  const bool of_jobs =
      arguments.kind != nodes_kind && arguments.kind != market_kind && arguments.kind != batch_kind;
  const bool shapes_jobs = !arguments.since.empty() || !arguments.columns.empty() ||
                           arguments.anonymize || arguments.runnable;
  if (!of_jobs && shapes_jobs) {
    throw UsageError{"--columns, --since, --runnable and --anonymize apply only to jobs",
                     "reeve help import"};
  }
  if (arguments.kind != market_kind && arguments.of_market()) {
    throw UsageError{"--format, --convention and --series apply only to spot-traces",
                     "reeve help import"};
  }
  if (arguments.kind == batch_kind) return;
  if (arguments.batch.any()) {
    throw UsageError{"--queue, --instance-type, --jobs and --name apply only to batch",
                     "reeve help import"};
  }
  if (arguments.files.size() > 1) {
    throw UsageError{
        "one file at a time; only batch takes several",
        fmt::format("reeve import {} {}", arguments.kind, shell_word(arguments.file()))};
  }
}

Imported make_import(const ImportArguments& arguments, std::vector<scenarios::Diagnostic>& found) {
  if (arguments.kind == nodes_kind) {
    return read_kind_of(nodes_kind, "a list of nodes",
                        [&] { return nodes_product(arguments.file()); });
  }
  if (arguments.kind == market_kind) {
    return read_kind_of(market_kind, "a recorded market", [&] {
      return market_product(
          {arguments.file(), arguments.format, arguments.convention, arguments.series}, found);
    });
  }
  if (reads_exports(arguments.kind)) {
    HistoryArguments history = arguments.history;
    history.columns = arguments.columns;
    ReadKind read = read_kind(arguments.kind, arguments.files, history, arguments.anonymize, found);
    if (read.table && drops_jobs(arguments)) {
      throw UsageError{"--since and --runnable apply only to jobs", "reeve help import"};
    }
    if (read.table) return std::move(*read.table);
    const auto* reader = scenarios::history_reader(arguments.kind);
    return trace_product(arguments, {reader->name, reader->what, {}, {}, nullptr},
                         std::move(read.jobs), read.zero, read.by_nodes);
  }
  const auto one_file = arguments.kind == "csv" ? "a trace of jobs" : "a log of " + arguments.kind;
  return read_kind_of(arguments.kind, one_file,
                      [&] { return import_log(arguments, *job_importer(arguments.kind), found); });
}

void print_import(const Console& console, const report::Table& table) {
  console.print(table);
}

/// The options of this call, for the next.
std::string said_of_import(const ImportArguments& arguments) {
  std::string text = arguments.anonymize ? " --anonymize" : "";
  if (arguments.runnable) text += " --runnable";
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", option, shell_word(value));
  };
  add("--since", arguments.since);
  add("--columns", fmt::format("{}", fmt::join(arguments.columns, ",")));
  add("--format", arguments.format);
  add("--convention", arguments.convention);
  add("--series", arguments.series);
  return text;
}

int import(const ImportArguments& arguments, const Console& console) {
  check_options(arguments);
  HistoryArguments history = arguments.history;
  history.columns = arguments.columns;
  if (arguments.kind == history_kind) {
    return import_history(arguments.files, history, arguments.anonymize, arguments.out, console);
  }
  if (arguments.kind == batch_kind) {
    return import_batch(arguments.files, arguments.batch, arguments.out, console);
  }
  std::vector<scenarios::Diagnostic> found;
  Imported product = make_import(arguments, found);
  if (!found.empty()) {
    console.note(scenarios::render(found, {.colour = console.colour_err(), .columns = 100}));
  }
  if (arguments.out.empty()) {
    print_import(console, product.summary);
    console.note(fmt::format("nothing was written\nnext: reeve import {} {}{} -o OUT.csv\n",
                             arguments.kind, shell_word(arguments.file()),
                             said_of_import(arguments)));
    return ExitCode::done;
  }
  check_output_copy(arguments.out, product.write, "-o");
  write_file(arguments.out, product.write);
  print_import(console, product.summary);
  console.note("wrote " + arguments.out + "\n");
  if (!product.next.empty()) {
    console.note(fmt::format("next: {}\"{}\"{} }}\n", product.next, arguments.out, product.beside));
  }
  return ExitCode::done;
}

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const auto& importer : scenarios::job_importers()) names.emplace_back(importer.name);
  names.emplace_back(nodes_kind);
  names.emplace_back(market_kind);
  names.emplace_back(batch_kind);
  names.emplace_back(history_kind);
  for (const auto& reader : scenarios::history_readers()) {
    if (job_importer(reader.name) == nullptr) names.emplace_back(reader.name);
  }
  return names;
}

/// A table of the kinds, below the help.
std::string kinds_text() {
  std::string text = "Kinds:\n";
  for (const auto& importer : scenarios::job_importers()) {
    text += fmt::format("  {:<16} {}\n", importer.name, importer.what);
  }
  text += fmt::format("  {:<16} Alibaba openb 2023: the list of nodes, counted\n", nodes_kind);
  text += fmt::format("  {:<16} a recorded market, as t_s,instances[,usd_per_hour]\n", market_kind);
  text += fmt::format("  {:<16} queues of AWS Batch, as a scenario\n", batch_kind);
  text += fmt::format("  {:<16} exports of a team, joined, as a scenario that replays them; of:",
                      history_kind);
  for (const auto& reader : scenarios::history_readers()) {
    text += fmt::format("\n    {:<14} {}", reader.name, reader.what);
  }
  return text;
}

}  // namespace

void add_import(Program& program, Session& session) {
  auto arguments = std::make_shared<ImportArguments>();
  Command& command = add_command(
      program, "import", "Converts job logs, Spot markets and AWS Batch queues to reeve's files",
      "reeve import ms-itp cluster01.csv -o jobs.csv\n"
      "reeve import philly cluster_job_log --since 30d -o jobs.csv\n"
      "reeve import csv ours.csv --anonymize -o jobs.csv\n"
      "reeve import csv ours.csv --columns job_id=JobID,duration_s=Elapsed -o jobs.csv\n"
      "reeve import slurm sacct.txt -o jobs.csv\n"
      "reeve import spot-traces zone.json --convention up -o market.csv\n"
      "reeve import batch environments.json queues.json policies.json shares.json "
      "-o queues.jsonc\n"
      "reeve import history dump/ -o ours\n"
      "reeve import history --from-aws 90d bill.csv -o ours");
  command.footer += "\n\n" + kinds_text();
  command.option("KIND", &arguments->kind, "The format of the input: see below",
                 {.required = true, .one_of = kinds()});
  command.option(
      "FILE", &arguments->files,
      "The log, plain or gzip; history: folders too, of which files of no known kind and "
      "earlier imports are left out; batch: the output of `aws batch describe-...` and "
      "`list-quota-shares`, or a CloudFormation template, in JSON");
  command.option("-o,--out", &arguments->out,
                 "The trace (batch: the scenario) to write. Default: prints totals only");
  command.option("--since", &arguments->since,
                 "Drops jobs submitted earlier: 30d before the last one, or 2017-10-01");
  command.option("--columns", &arguments->columns,
                 "csv: names of columns in the file, OURS=THEIRS,...: job_id=JobID",
                 {.comma_separated = true, .takes = Takes::one_at_a_time});
  command.option("--runnable", &arguments->runnable,
                 "Drops rows without a duration or without GPUs");
  command.option(
      "--anonymize", &arguments->anonymize,
      "Replaces names of jobs, users, queues and sweeps, and values of tags, by numbers");
  std::vector<std::string> formats;
  for (const auto& [name, value] : scenarios::offer_formats()) formats.emplace_back(name);
  command.option("--format", &arguments->format, "The format of a recorded market",
                 {.one_of = formats});
  command.option("--convention", &arguments->convention,
                 "The meaning of a 1 in the recorded market", {.one_of = {"up", "preempted"}});
  command.option("--series", &arguments->series, "The series to read, if the file has several");
  command.option("--queue", &arguments->batch.queues, "batch: the queues to import. Default: all",
                 {.takes = Takes::one_at_a_time});
  command.option("--instance-type", &arguments->batch.instance_type,
                 "batch: the instance type that NUM_INSTANCES counts. Default: ml.p4d.24xlarge");
  command.option("--jobs", &arguments->batch.jobs,
                 "batch: a trace of jobs to submit. Default: one example job per queue");
  command.option("--name", &arguments->batch.name,
                 "batch: the name of the scenario. Default: that of the template or file");
  add_history_options(command, arguments->history);
  on_parse(command, session, [&session, arguments] { return import(*arguments, session.console); });
}

}  // namespace reeve::app
