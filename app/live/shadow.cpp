#include "app/live/shadow.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <istream>
#include <map>

#include "app/compare/comparison_table.hpp"
#include "app/exit_code.hpp"
#include "app/files/output_place.hpp"
#include "app/live/interruptible_input.hpp"
#include "app/live/proposals.hpp"
#include "app/live/recording.hpp"
#include "app/study/interruption.hpp"
#include "app/study/study_arguments.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "experiments/run.hpp"
#include "host/check.hpp"
#include "host/enum_names.hpp"
#include "live/feed/event_lines.hpp"
#include "report/format.hpp"
#include "report/temporary_file.hpp"
#include "scenarios/load.hpp"
#include "scenarios/load/live_types.hpp"
#include "scenarios/load/seat_needs.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using scenarios::in_quotes;

/// Rules in shadow mode propose actions and send none.
class NoActuator final : public host::Actuator {
 public:
  void submit(const host::Attempt& /*attempt*/) override {
    REEVE_CHECK(false, "a rule in shadow mode sent an action");
  }
};

scenarios::Scenario load_configuration(const ShadowArguments& arguments, const Console& console) {
  scenarios::Loaded loaded = scenarios::load(arguments.file);
  show_warnings(console, loaded.warnings);
  if (!loaded.scenario.live) {
    throw UsageError{in_quotes(arguments.file) + " is a scenario, not a live configuration",
                     "a live configuration has the key \"live\" and no jobs"};
  }
  return std::move(loaded.scenario);
}

/// What one look at the events gave.
struct Observed {
  const scenarios::Scenario& configuration;
  const scenarios::PolicySpec& policy;
  const live::Roster& roster;
  const live::EventLines& events;
  const Proposals& proposals;
  const host::Host& host;
  std::string digest;
  std::optional<policy::Instant> start;
  bool partial = false;
};

struct RuleSums {
  std::uint64_t stops = 0;
  std::uint64_t clones = 0;
  std::uint64_t messages = 0;
  std::uint64_t others = 0;
  std::uint64_t refused = 0;
  policy::Usd saves;
  bool has_unpriced = false;
};

std::uint64_t& count_of(RuleSums& sums, policy::VerbKind action) {
  if (action == policy::VerbKind::stop_job) return sums.stops;
  if (action == policy::VerbKind::clone_job) return sums.clones;
  return action == policy::VerbKind::notify ? sums.messages : sums.others;
}

std::map<std::string, RuleSums> sums_by_rule(const Observed& observed) {
  std::map<std::string, RuleSums> sums;
  for (const Proposal& row : observed.proposals.rows()) {
    RuleSums& rule = sums[row.rule];
    if (!row.refused_by.empty()) {
      ++rule.refused;
      continue;
    }
    ++count_of(rule, row.action);
    if (row.saves_up_to) rule.saves += *row.saves_up_to;
    const bool stops = row.action == policy::VerbKind::stop_job;
    rule.has_unpriced = rule.has_unpriced || (stops && !row.saves_up_to);
  }
  return sums;
}

std::string events_text(const Observed& observed) {
  const live::RosterCounts& counts = observed.roster.counts();
  std::string text = scenarios::counted(counts.all(), "event");
  if (counts.unused > 0) text += fmt::format(", {} not used", counts.unused);
  if (counts.foreign > 0) text += fmt::format(", {} of other accounts or regions", counts.foreign);
  if (observed.events.unreadable() > 0) {
    text += fmt::format(", {} unreadable", observed.events.unreadable());
  }
  return text;
}

/// Rules that would do nothing are listed as well.
report::Table table_of(const Observed& observed) {
  report::Table table;
  table.name = observed.configuration.name + '/' + observed.policy.name;
  table.facts = {
      {observed.configuration.name, observed.policy.name, "shadow: nothing was changed"},
      {events_text(observed), scenarios::counted(observed.roster.jobs(), "training job")}};
  if (observed.start) {
    table.facts.push_back(
        {report::instant(*observed.start) + " to " + report::instant(observed.host.now()),
         "digest " + short_digest(observed.digest)});
  }
  table.columns = {{"rule", "rule", report::Align::left},
                   {"would_stop", "would stop"},
                   {"would_clone", "would clone"},
                   {"would_notify", "would notify"},
                   {"would_do_else", "other"},
                   {"refused", "refused by guards"},
                   {"saves_up_to_usd", "saves up to"}};
  const auto sums = sums_by_rule(observed);
  bool has_unpriced = false;
  for (const host::Seat& seat : observed.host.seats()) {
    if (seat.mode == host::Mode::off) continue;
    const auto found = sums.find(seat.name);
    const RuleSums rule = found == sums.end() ? RuleSums{} : found->second;
    report::Cell saves = rule.stops == 0 ? report::no_cell() : report::cell(rule.saves);
    if (rule.has_unpriced) saves = report::marked(std::move(saves), 1);
    has_unpriced = has_unpriced || rule.has_unpriced;
    table.rows.push_back(
        {.cells = {report::cell(seat.name), report::cell(rule.stops), report::cell(rule.clones),
                   report::cell(rule.messages), report::cell(rule.others),
                   report::cell(rule.refused), std::move(saves)}});
  }
  if (has_unpriced) {
    table.footnotes.push_back(
        "without stops of attempts that have no max_runtime, no known price or reserved instances");
  }
  for (const scenarios::SeatSpec& seat : observed.policy.seats) {
    if (seat.mode == host::Mode::off || !scenarios::puts_alarm(seat)) continue;
    table.notes.push_back(
        in_quotes(seat.label) +
        " acts on alarms, which it cannot have in shadow mode: it decides nothing");
  }
  if (observed.partial) table.closing.push_back({"partial: interrupted", report::Tone::bad});
  return table;
}

/// To the second; the value is exact.
report::Cell time_cell(policy::Instant at) {
  report::Cell cell = report::cell(report::instant(at));
  cell.text = report::instant(std::chrono::floor<std::chrono::seconds>(at));
  return cell;
}

/// Each proposal, so that everything printed is exported.  For people, the evidence stands for the
/// reason.
report::Table proposals_table(const Observed& observed, bool for_people) {
  report::Table table;
  table.name = observed.configuration.name + '/' + observed.policy.name + "/proposals";
  table.columns = {{"time", "time", report::Align::left},
                   {"training_job", "training job", report::Align::left},
                   {"rule", "rule", report::Align::left},
                   {"action", "would", report::Align::left},
                   {"reason", "because", report::Align::left}};
  if (!for_people) table.columns.push_back({"basis", "basis", report::Align::left});
  table.columns.push_back({"refused_by", "refused by", report::Align::left});
  table.columns.push_back({"saves_up_to_usd", "saves up to"});
  table.names = 4;
  for (const Proposal& row : observed.proposals.rows()) {
    const bool shows_basis = for_people && !row.basis.empty();
    report::TableRow line{.cells = {time_cell(row.at), report::cell(row.name),
                                    report::cell(row.rule), report::cell(host::name_of(row.action)),
                                    report::cell(shows_basis ? row.basis : row.reason)}};
    if (!for_people) line.cells.push_back(report::cell(row.basis));
    line.cells.push_back(report::cell(row.refused_by));
    line.cells.push_back(row.saves_up_to ? report::cell(*row.saves_up_to) : report::no_cell());
    table.rows.push_back(std::move(line));
  }
  return table;
}

void complain_about_lines(const Observed& observed, const ShadowArguments& arguments,
                          const Console& console) {
  for (const live::UnreadableLine& line : observed.events.first_unreadable()) {
    console.complain(fmt::format("{}:{}: {}\n", arguments.from, line.line, line.why));
  }
  const auto shown = observed.events.first_unreadable().size();
  if (observed.events.unreadable() > shown) {
    console.complain(fmt::format("and {} more lines that are no events\n",
                                 observed.events.unreadable() - shown));
  }
  for (const host::Muted& muted : observed.host.muted()) {
    console.complain(fmt::format("rule {} is muted: {}\n",
                                 in_quotes(observed.host.seats()[muted.seat.index].name),
                                 muted.why));
  }
  const auto undescribed = observed.roster.undescribed();
  if (undescribed.empty()) return;
  console.complain(fmt::format(
      "the events of {} lack tags or instances; rules that need these wait for them (the first is "
      "{})\n",
      scenarios::counted(undescribed.size(), "training job"), in_quotes(undescribed.front())));
}

/// The table of rules, then the proposals, in the form that the console asks for.
void print(const Observed& observed, const Console& console) {
  const report::Table rules = table_of(observed);
  const report::Table proposals = proposals_table(observed, !console.json);
  if (console.json) {
    console.print("[" + report::json(rules) + "," + report::json(proposals) + "]\n");
    return;
  }
  console.print(rules);
  if (proposals.rows.empty()) return;
  console.print("\n");
  console.print(proposals);
}

int observe(const ShadowArguments& arguments, std::istream& lines, const Console& console) {
  scenarios::Scenario configuration = load_configuration(arguments, console);
  const scenarios::PolicySpec policy = shadowed(only_policy(configuration, arguments.policies));
  live::Roster roster{
      configuration.world.directory, configuration.live->account, configuration.live->region,
      [&](std::string_view name) { return scenarios::type_of_account(*configuration.live, name); }};
  live::EventLines events{lines, roster};
  const std::optional<policy::Instant> start = events.start();
  configuration.world.start = start.value_or(configuration.world.start);

  host::Journal journal;
  std::optional<report::TemporaryFile> file;
  if (arguments.journal) {
    check_output_file(*arguments.journal, "reeve-journal", "--journal");
    journal.write_text_to(file.emplace(*arguments.journal).stream());
  }
  Proposals proposals{roster};
  journal.set_listener(&proposals);
  const auto host = experiments::make_host(configuration, policy, journal);
  proposals.observe(*host);
  NoActuator actuator;
  const std::atomic<bool>& interrupted = interruption();
  host::run(*host, events, actuator, policy::never, [&] { return interrupted.load(); });
  if (interrupted) note_interruption();
  journal.flush_text();
  const Observed observed{
      configuration,     policy, roster, events, proposals, *host, journal.digest().hex(), start,
      interrupted.load()};
  complain_about_lines(observed, arguments, console);
  print(observed, console);
  if (file) {
    file->close();
    file->put_in_place();
    console.note("wrote " + *arguments.journal + '\n');
  }
  if (observed.partial) return ExitCode::interrupted;
  if (events.unreadable() > 0 && roster.counts().all() == 0) {
    console.complain("no line is an event: write one JSON object per line\n");
    return ExitCode::invalid;
  }
  return host->muted().empty() ? ExitCode::done : ExitCode::failed;
}

}  // namespace

int shadow(const ShadowArguments& arguments, const Console& console) {
  InterruptibleInput input{arguments.from};
  if (!input.is_open()) {
    throw UsageError{"--from " + in_quotes(arguments.from) + " cannot be read",
                     "name a file with one event per line, or - for standard input"};
  }
  std::istream lines{&input};
  return observe(arguments, lines, console);
}

}  // namespace reeve::app
