#include "app/live/rule_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>

#include "app/compare/comparison_table.hpp"
#include "app/files/output_place.hpp"
#include "app/live/recording.hpp"
#include "app/study/interruption.hpp"
#include "app/study/study_arguments.hpp"
#include "app/usage_error.hpp"
#include "host/enum_names.hpp"
#include "report/format.hpp"
#include "scenarios/load.hpp"
#include "scenarios/load/live_types.hpp"
#include "scenarios/load/seat_needs.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using scenarios::in_quotes;

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

std::map<std::string, RuleSums> sums_by_rule(const std::vector<Proposal>& proposals) {
  std::map<std::string, RuleSums> sums;
  for (const Proposal& row : proposals) {
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

/// To the second; the value is exact.
report::Cell time_cell(policy::Instant at) {
  report::Cell cell = report::cell(report::instant(at));
  cell.text = report::instant(std::chrono::floor<std::chrono::seconds>(at));
  return cell;
}

}  // namespace

scenarios::Scenario load_live_configuration(const std::string& file, const Console& console) {
  scenarios::Loaded loaded = scenarios::load(file);
  show_warnings(console, loaded.warnings);
  if (!loaded.scenario.live) {
    throw UsageError{in_quotes(file) + " is a scenario, not a live configuration",
                     "a live configuration has the key \"live\" and no jobs"};
  }
  return std::move(loaded.scenario);
}

bool needs_metrics(const scenarios::PolicySpec& policy) {
  return std::any_of(policy.seats.begin(), policy.seats.end(), [](const auto& seat) {
    return seat.mode != host::Mode::off && scenarios::puts_alarm(seat);
  });
}

RuleRun::RuleRun(const RuleRunArguments& arguments, const Console& console)
    : configuration_{load_live_configuration(arguments.file, console)},
      policy_{shadowed(only_policy(configuration_, arguments.policies))},
      roster_{configuration_.world.directory, configuration_.live->account,
              configuration_.live->region,
              [this](std::string_view name) {
                return scenarios::type_of_account(*configuration_.live, name);
              }},
      proposals_{roster_} {
  if (!arguments.journal) return;
  journal_path_ = *arguments.journal;
  check_output_file(journal_path_, "reeve-journal", "--journal");
  if (std::filesystem::exists(journal_path_) &&
      !std::filesystem::is_regular_file(journal_path_)) {  // it would be replaced
    throw UsageError{"--journal: " + journal_path_ + " is not a regular file", "name a file"};
  }
  journal_.write_text_to(file_.emplace(journal_path_).stream());
}

void RuleRun::run(const Observed& observed) {
  start_ = observed.start;
  has_metrics_ = observed.metrics != nullptr;
  configuration_.world.start = start_.value_or(configuration_.world.start);
  journal_.set_listener(&proposals_);
  host_ = experiments::make_host(configuration_, policy_, journal_);
  proposals_.observe(*host_);
  const models::Metrics& metrics = configuration_.world.platform.metrics;
  live::LocalAlarms alarms{
      observed.feed,
      roster_,
      observed.metrics,
      {metrics.publish_delay, metrics.extra_datapoints, observed.is_snapshot, observed.on_trouble}};
  const std::atomic<bool>& interrupted = interruption();
  try {
    host::run(*host_, alarms, alarms, observed.until, [&] { return interrupted.load(); });
    journal_.flush_text();
  } catch (const std::runtime_error& error) {  // of the journal: what was decided is still told
    failure_ = error.what();
  }
  if (interrupted) note_interruption();
  is_partial_ = interrupted;
}

void RuleRun::keep_journal(const Console& console) {
  if (!file_ || !failure_.empty()) return;
  file_->close();
  file_->put_in_place();
  console.note("wrote " + journal_path_ + '\n');
}

report::Table RuleRun::rules_table(std::string_view command, std::vector<std::string> facts,
                                   const std::string& why_partial) const {
  report::Table table;
  table.name = configuration_.name + '/' + policy_.name;
  facts.push_back(scenarios::counted(roster_.jobs(), "training job"));
  table.facts = {
      {configuration_.name, policy_.name, fmt::format("{}: nothing was changed", command)},
      std::move(facts)};
  if (start_ && host_->steps() > 0) {
    const std::string to = report::instant(host_->now());
    const std::string span = *start_ == host_->now() ? to : report::instant(*start_) + " to " + to;
    table.facts.push_back({span, "digest " + short_digest(journal_.digest().hex())});
  }
  table.columns = {{"rule", "rule", report::Align::left},
                   {"would_stop", "would stop"},
                   {"would_clone", "would clone"},
                   {"would_notify", "would notify"},
                   {"would_do_else", "other"},
                   {"refused", "refused by guards"},
                   {"saves_up_to_usd", "saves up to"}};
  const auto sums = sums_by_rule(proposals());
  bool has_unpriced = false;
  for (const host::Seat& seat : host_->seats()) {
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
  for (const scenarios::SeatSpec& seat : policy_.seats) {
    if (has_metrics_ || seat.mode == host::Mode::off || !scenarios::puts_alarm(seat)) continue;
    table.notes.push_back(in_quotes(seat.label) +
                          " needs metrics, which events do not carry: its alarms never fire");
  }
  if (!why_partial.empty()) table.closing.push_back({"partial: " + why_partial, report::Tone::bad});
  return table;
}

report::Table RuleRun::proposals_table(bool for_people) const {
  report::Table table;
  table.name = configuration_.name + '/' + policy_.name + "/proposals";
  table.columns = {{"time", "time", report::Align::left},
                   {"training_job", "training job", report::Align::left},
                   {"rule", "rule", report::Align::left},
                   {"action", "would", report::Align::left},
                   {"reason", "because", report::Align::left}};
  if (!for_people) table.columns.push_back({"basis", "basis", report::Align::left});
  table.columns.push_back({"refused_by", "refused by", report::Align::left});
  table.columns.push_back({"saves_up_to_usd", "saves up to"});
  table.names = 4;
  for (const Proposal& row : proposals()) {
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

void RuleRun::print(const report::Table& rules, const Console& console) const {
  const report::Table each = proposals_table(!console.json);
  if (console.json) {
    console.print("[" + report::json(rules) + "," + report::json(each) + "]\n");
    return;
  }
  console.print(rules);
  if (each.rows.empty()) return;
  console.print("\n");
  console.print(each);
}

void RuleRun::complain(const Console& console) const {
  for (const host::Muted& muted : host_->muted()) {
    console.complain(fmt::format("rule {} is muted: {}\n",
                                 in_quotes(host_->seats()[muted.seat.index].name), muted.why));
  }
  const auto undescribed = roster_.undescribed();
  if (undescribed.empty()) return;
  console.complain(fmt::format(
      "the events of {} lack tags or instances; rules that need these wait for them (the first is "
      "{})\n",
      scenarios::counted(undescribed.size(), "training job"), in_quotes(undescribed.front())));
}

}  // namespace reeve::app
