#include "app/history/import_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "app/exit_code.hpp"
#include "app/files/text_file.hpp"
#include "app/files/trace_text.hpp"
#include "app/history/fetched_history.hpp"
#include "app/history/import_place.hpp"
#include "app/history/import_tables.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "report/csv.hpp"
#include "report/gzip_stream.hpp"
#include "scenarios/history/anonymize.hpp"
#include "scenarios/history/history_scenario.hpp"
#include "scenarios/history/join.hpp"
#include "scenarios/history/metrics/utilization_files.hpp"
#include "scenarios/history/readers.hpp"
#include "scenarios/history/reading/time_zone.hpp"
#include "scenarios/history/runnable.hpp"
#include "scenarios/history/sum_up.hpp"
#include "scenarios/load.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::app {
namespace {

namespace fs = std::filesystem;

using scenarios::History;
using scenarios::JoinedHistory;

std::string read_file(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void write_jobs(const scenarios::PackedJobs& jobs, std::ostream& to) {
  report::GzipStream out{to, "reeve import"};
  write_trace(out, [&](const auto& with) {
    for (const scenarios::HistoryJob& job : jobs) with(job.record);
  });
  out.finish();
}

/// For the owner alone.
void write_key(const fs::path& file, const std::string& text) {
  if (const auto folder = file.parent_path(); !folder.empty()) fs::create_directories(folder);
  std::ofstream{file, std::ios::app};  // exists before it holds a name
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
  write_text_file(file, text);
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
}

void write_events(const History& history, policy::Instant zero, std::ostream& out) {
  report::CsvWriter csv{out, "the events"};
  for (const auto* column : {"t_s", "job_id", "event", "instance", "region", "account", "detail"})
    csv.text(column);
  csv.end_row();
  for (const auto& event : history.events) {
    csv.seconds(event.at - zero);
    csv.text(event.job);
    csv.text(name_of(event.kind));
    csv.text(event.instance);
    csv.text(event.region);
    csv.text(event.account);
    csv.text(event.by);
    csv.end_row();
  }
  csv.flush();
}

/// A job's name as that of a file below a directory; empty if it cannot be one.
std::string file_of(const std::string& job) {
  constexpr std::size_t longest = 200;
  const fs::path path{job};
  const bool sound = !job.empty() && job.size() <= longest && path.is_relative() &&
                     job.find_first_of("{}\\") == job.npos && job.find(".csv/") == job.npos &&
                     std::find(path.begin(), path.end(), "..") == path.end();
  return sound ? job + ".csv" : std::string{};
}

/// The usual period of an alarm on GPUs: coarser samples cannot show what it watches.
constexpr policy::Duration finest_needed = std::chrono::minutes{5};

/// A job with metrics, before names are taken out.
struct MeasuredJob {
  std::size_t place = 0;
  std::vector<const scenarios::UtilizationSeries*> series;
  std::vector<scenarios::Stretch> work;
  std::int64_t gpus = 1;
  std::int64_t instances = 1;
};

std::vector<MeasuredJob> measured_jobs(const History& history, const JoinedHistory& joined) {
  std::vector<MeasuredJob> measured;
  const auto series = scenarios::series_by_job(history, joined.jobs);
  if (series.empty()) return measured;
  std::size_t place = 0;
  for (const scenarios::HistoryJob& job : joined.jobs) {
    const std::size_t at = place++;
    const auto found = series.find(job.record.job_id);
    if (found == series.end()) continue;
    const std::int64_t gpus = std::max<std::int64_t>(1, job.record.gpus_per_node.value_or(1));
    const std::int64_t instances = scenarios::machines_of(job.record, joined.by_nodes);
    measured.push_back({at, found->second, job.work, gpus, instances});
  }
  return measured;
}

struct Measured {
  std::size_t files = 0;
  std::size_t coarse = 0;   ///< jobs with samples that are too coarse
  std::size_t outside = 0;  ///< jobs without a sample of the time that they trained
};

/// Writes JOB.csv for each job with metrics.  `named`: the jobs as the output calls them.
Measured write_utilization_files(const std::vector<MeasuredJob>& jobs, const JoinedHistory& named,
                                 const fs::path& directory) {
  Measured measured;
  for (const MeasuredJob& job : jobs) {
    const std::string file = file_of(std::string{named.jobs.name(job.place)});
    if (file.empty()) continue;
    std::ostringstream text;
    const auto written = write_utilization(text, job.series, job.work, job.gpus, job.instances);
    if (written.rows == 0) {
      ++measured.outside;
      continue;
    }
    if (written.coarsest > finest_needed) {
      ++measured.coarse;
      continue;
    }
    write_text_file(directory / file, text.str());
    ++measured.files;
  }
  return measured;
}

fs::path key_file(const HistoryArguments& arguments, const std::string& out) {
  return arguments.key.empty() ? fs::path{out} / "names.key" : fs::path{arguments.key};
}

/// That of an earlier import, or a new one.
scenarios::NameKey read_key(const HistoryArguments& arguments, const std::string& out) {
  const fs::path file = key_file(arguments, out);
  std::error_code error;
  if (!fs::exists(file, error) || fs::file_size(file, error) == 0) return {};
  return scenarios::NameKey::parse(file.string(), read_file(file));
}

void take_names_out(JoinedHistory& joined, scenarios::NameKey& key,
                    const HistoryArguments& arguments, const std::string& out) {
  anonymize(joined, key, arguments.tags);
  if (!out.empty()) write_key(key_file(arguments, out), key.text());
}

void print_tables(const History& history, const JoinedHistory& joined,
                  scenarios::HistoryPrices prices, bool anonymous, const Console& console) {
  if (console.json) {
    console.print(import_json(history, joined, prices, anonymous, {}));
    return;
  }
  constexpr std::size_t most_files = 20;
  console.print(history.files.size() > most_files ? kinds_table(history)
                                                  : files_table(history, anonymous));
  console.print(machines_table(joined, prices));
  const report::Table bill = bill_table(joined);
  if (!bill.rows.empty()) return console.print(bill);
  for (const std::string& note : bill.notes) console.print(' ' + note + '\n');
}

/// Replies with names do not stay beside an import without them.
void check_replies(const HistoryArguments& arguments, bool anonymize, const std::string& out) {
  if (!arguments.from_aws.empty() && out.empty()) {
    throw UsageError{"--from-aws needs a directory for what it reads", "-o ours"};
  }
  const fs::path replies = fs::path{out} / replies_folder;
  std::error_code error;
  if (anonymize && !out.empty() && fs::exists(replies, error)) {
    throw UsageError{replies.string() + " has replies of AWS with names",
                     "use another directory for --anonymize"};
  }
}

/// Adds what was fetched.  The replies stay in memory if names must not stay.  Returns the folder
/// of the replies; empty: there is none.
fs::path add_account(bool anonymize, const fs::path& out, scenarios::HistoryOptions options,
                     FetchedHistory& fetched, History& history) {
  if (fetched.files.empty()) return {};
  options.as.clear();
  std::vector<std::string> names;
  fs::path folder;
  if (!anonymize) folder = write_replies(fetched, out / replies_folder);
  for (auto& [name, bytes] : fetched.files) {
    names.push_back(anonymize ? "AWS: " + name : (folder / name).string());
    if (anonymize) options.in_memory[names.back()] = std::move(bytes);
  }
  fetched.files.clear();
  add_to_history(names, options, history);
  return folder;
}

/// The options of this call, for the next: all but -o and --from-aws.
std::string said_options(const HistoryArguments& arguments, bool anonymize) {
  std::string text = anonymize ? " --anonymize" : "";
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", option, shell_word(value));
  };
  add("--as", arguments.as);
  add("--as-of", arguments.as_of);
  add("--columns", fmt::format("{}", fmt::join(arguments.columns, ",")));
  add("--timezone", arguments.timezone);
  for (const std::string& each : arguments.usd_per) add("--usd-per", each);
  add("--job", arguments.job);
  add("--host", arguments.host);
  add("--join", arguments.join);
  if (arguments.prices != "bill") add("--prices", arguments.prices);
  if (arguments.keep_going) text += " --keep-going";
  add("--key", arguments.key);
  add("--tags", fmt::format("{}", fmt::join(arguments.tags, ",")));
  return text;
}

std::string said_files(const std::vector<std::string>& files) {
  std::string text;
  for (const std::string& file : files) text += " " + shell_word(file);
  return text;
}

/// Whether one of the files is the folder in which `replies` lies.
bool has_parent_of(const std::vector<std::string>& given, const fs::path& replies) {
  std::error_code error;
  return std::any_of(given.begin(), given.end(), [&](const std::string& file) {
    return fs::equivalent(file, replies.parent_path(), error);
  });
}

/// AWS has no call for the bill.  `replies` is their folder, if they can be read again.
void ask_for_bill(const HistoryArguments& arguments, const std::vector<std::string>& given,
                  bool anonymize, const fs::path& replies, const std::string& out,
                  const Console& console) {
  std::string first;
  if (replies.empty() || !arguments.as.empty()) {
    first = " --from-aws " + shell_word(arguments.from_aws);
  } else if (!has_parent_of(given, replies)) {
    first = " " + shell_word(replies.string());
  }
  console.note(
      fmt::format("The bill: give its CSV file as well, reeve import history{}{} bill.csv{} "
                  "-o {}\n",
                  first, said_files(given), said_options(arguments, anonymize), shell_word(out)));
}

}  // namespace

void add_history_options(Command& command, HistoryArguments& arguments) {
  command.option("--as", &arguments.as, "history: the kind of every file. Default: recognized");
  command.option("--as-of", &arguments.as_of,
                 "history: when the files were exported. Default: the newest time in them");
  command.option("--timezone", &arguments.timezone,
                 "history: of times without an offset, Europe/Berlin or +02:00. Default: UTC");
  command.option("--usd-per", &arguments.usd_per,
                 "history: dollars per unit of a bill's currency, EUR=1.10",
                 {.takes = Takes::one_at_a_time});
  command.option("--job", &arguments.job, "history: the job of metrics that name none");
  command.option("--host", &arguments.host, "history: the host of metrics that name none");
  command.option("--join", &arguments.join,
                 "history: the setting of a tracked run that names its job, "
                 "config.training_job_name");
  command.option("--prices", &arguments.prices,
                 "history: dollars of the replay: what the bill says, or list prices",
                 {.one_of = {"bill", "list"}, .shows_default = true});
  command.option("--keep-going", &arguments.keep_going,
                 "history: reports files that it cannot read, and goes on");
  command.option("--key", &arguments.key,
                 "history: the file of pseudonyms for --anonymize. Default: names.key in -o");
  command.option("--from-aws", &arguments.from_aws,
                 "history: reads jobs, stops, metrics, Spot prices and AWS Batch of an account, "
                 "90d back, with the credentials of the environment; sends read calls alone",
                 {.type = "TIME"});
  command.option("--tags", &arguments.tags,
                 "history: keys of tags that --anonymize keeps, with numbered values",
                 {.comma_separated = true, .takes = Takes::one_at_a_time});
}

scenarios::HistoryOptions history_options(const HistoryArguments& arguments) {
  scenarios::HistoryOptions options;
  options.as = arguments.as;
  options.columns = arguments.columns;
  scenarios::TimeZone::named(arguments.timezone);  // wrong also where no file needs it
  options.timezone = arguments.timezone;
  options.job = arguments.job;
  options.host = arguments.host;
  options.join = arguments.join;
  options.keep_going = arguments.keep_going;
  if (!arguments.as.empty() && scenarios::history_reader(arguments.as) == nullptr) {
    std::vector<std::string_view> known;
    for (const auto& reader : scenarios::history_readers()) known.push_back(reader.name);
    throw UsageError{"--as: no kind of file is called " + scenarios::in_quotes(arguments.as),
                     scenarios::did_you_mean(arguments.as, known)};
  }
  if (!arguments.as_of.empty()) {
    const bool is_day = arguments.as_of.size() == 10;
    const auto at = scenarios::parse_instant(arguments.as_of + (is_day ? "T00:00:00Z" : ""));
    if (!at) {
      throw UsageError{"--as-of is not a time: " + scenarios::in_quotes(arguments.as_of),
                       "write 2026-08-31T00:00:00Z"};
    }
    options.as_of = *at;
  }
  for (const std::string& each : arguments.usd_per) {
    const std::size_t equals = each.find('=');
    const auto rate =
        equals == each.npos ? std::nullopt : scenarios::parse_decimal(each.substr(equals + 1), 9);
    if (!rate || *rate <= 0) {
      throw UsageError{"--usd-per takes CURRENCY=DOLLARS, not " + scenarios::in_quotes(each),
                       "write --usd-per EUR=1.10"};
    }
    options.usd_per[each.substr(0, equals)] = static_cast<double>(*rate) / 1e9;
  }
  return options;
}

namespace {

/// What was written can be read: an import does not end with a scenario that reeve refuses.
int check_written(const fs::path& scenario, const Console& console) {
  try {
    scenarios::load(scenario);
    return ExitCode::done;
  } catch (const scenarios::InputError& error) {
    const scenarios::RenderStyle style{.colour = console.colour_err(), .columns = 100};
    console.complain(scenarios::render(error.diagnostics(), style));
    console.complain("the replay needs a change before it runs\n");
    return ExitCode::invalid;
  }
}

void write_import(const fs::path& directory, const History& history,
                  const std::vector<MeasuredJob>& measured_jobs, JoinedHistory& joined,
                  scenarios::HistoryPrices prices, bool anonymous) {
  begin_import(directory, anonymous);
  write_file(directory / "jobs.csv.gz", [&](std::ostream& out) { write_jobs(joined.jobs, out); });
  if (!anonymous) {
    write_file(directory / "events.csv",
               [&](std::ostream& out) { write_events(history, joined.zero, out); });
  }
  const auto measured = write_utilization_files(measured_jobs, joined, unfinished_util(directory));
  finish_util(directory, anonymous);
  if (measured.coarse > 0) {
    joined.missing.push_back(
        fmt::format("samples of 5 minutes or less for {}: false alarms of rules do not show",
                    scenarios::counted(measured.coarse, "job")));
  }
  if (measured.outside > 0) {
    joined.missing.push_back(
        fmt::format("samples of the time of {} with metrics: no verdict of rules on GPU alarms",
                    scenarios::counted(measured.outside, "job")));
  }
  const std::size_t unmeasured =
      joined.jobs.size() - measured.files - measured.coarse - measured.outside;
  if (measured.files > 0 && unmeasured > 0) {
    joined.missing.push_back(fmt::format("utilization of {}: no verdict of rules on GPU alarms",
                                         scenarios::counted(unmeasured, "job")));
  }
  for (const auto& price : scenarios::prices_of(joined, prices)) {
    if (price.source != "none") continue;
    joined.missing.push_back("a price of " + price.instance_type +
                             ": an instance counts as 1 dollar per hour");
  }
  const std::string scenario = scenario_text(
      joined, {.prices = prices, .utilization = measured.files > 0 ? "util/{job}.csv" : ""});
  // First what tells an edited scenario from this one.
  write_text_file(directory / "import.json", import_json(history, joined, prices, anonymous,
                                                         import_checksums(directory, scenario)));
  write_text_file(directory / "import.md", import_page(history, joined, prices, anonymous));
  write_text_file(directory / "scenario.jsonc", scenario);
}

/// Joins, tells and writes; with no `out` writes nothing.  Whether the files have a bill.
bool join_files(History& history, const HistoryArguments& arguments,
                const scenarios::HistoryOptions& options, const FetchedHistory& fetched,
                scenarios::NameKey* key, const std::string& out, const Console& console) {
  scenarios::sum_up_work(history, options.as_of);
  const scenarios::RenderStyle style{.colour = console.colour_err(), .columns = 100};
  for (const auto& file : history.files) console.note(scenarios::render(file.warnings, style));
  JoinedHistory joined = scenarios::join_history(history, options.as_of);
  scenarios::keep_runnable(joined, history.bill);
  console.note(scenarios::render(joined.warnings, style));
  joined.warnings.insert(joined.warnings.begin(), fetched.warnings.begin(), fetched.warnings.end());
  const auto prices =
      arguments.prices == "list" ? scenarios::HistoryPrices::list : scenarios::HistoryPrices::bill;
  const auto measured = measured_jobs(history, joined);
  const bool anonymize = key != nullptr;
  if (anonymize) take_names_out(joined, *key, arguments, out);
  print_tables(history, joined, prices, anonymize, console);
  if (!out.empty()) write_import(out, history, measured, joined, prices, anonymize);
  return !history.bill.uses.empty();
}

/// What is not written, and how to write it.
int end_without_out(const std::vector<std::string>& given, const HistoryArguments& arguments,
                    bool anonymize, const Console& console) {
  console.note(fmt::format("nothing was written\nnext: reeve import history{}{} -o ours\n",
                           said_files(given), said_options(arguments, anonymize)));
  return ExitCode::done;
}

}  // namespace

int import_history(const std::vector<std::string>& given, const HistoryArguments& arguments,
                   bool anonymize, const std::string& out, const Console& console) {
  const auto options = history_options(arguments);
  const bool from_aws = !arguments.from_aws.empty();
  const auto span = from_aws ? span_from_aws(arguments.from_aws) : policy::Duration{0};
  check_replies(arguments, anonymize, out);
  // What is wrong with places and files is found before the calls.
  if (!out.empty()) check_import_place(out, anonymize);
  scenarios::NameKey key;
  if (anonymize) key = read_key(arguments, out);
  History history;
  add_to_history(given, options, history);
  FetchedHistory fetched;
  fs::path replies;
  if (from_aws) {
    fetched = fetch_history(span, !given.empty(), console);
    if (fetched.interrupted) {
      console.complain("interrupted: " + out + " is not written\n");
      return ExitCode::interrupted;
    }
    replies = add_account(anonymize, out, options, fetched, history);
  }
  const bool has_bill =
      join_files(history, arguments, options, fetched, anonymize ? &key : nullptr, out, console);
  if (out.empty()) return end_without_out(given, arguments, anonymize, console);
  const std::string scenario = (fs::path{out} / "scenario.jsonc").string();
  console.note(fmt::format("wrote {}\n", out));
  const int status = check_written(scenario, console);
  if (status == ExitCode::done) {
    console.note(
        fmt::format("next: reeve compare {} --baseline as-it-was\n", shell_word(scenario)));
    if (from_aws && !has_bill) ask_for_bill(arguments, given, anonymize, replies, out, console);
  }
  return status;
}

}  // namespace reeve::app
