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
#include "app/live/proposal_tables.hpp"
#include "app/live/recording.hpp"
#include "app/study/interruption.hpp"
#include "app/study/study_arguments.hpp"
#include "app/usage_error.hpp"
#include "host/enum_names.hpp"
#include "report/format.hpp"
#include "scenarios/load.hpp"
#include "scenarios/load/resolved/live_types.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {

using scenarios::in_quotes;

scenarios::Scenario load_live_configuration(const std::string& file, const Console& console,
                                            std::string* text) {
  const auto source = scenarios::SourceFile::load(file);
  if (text != nullptr) *text = source->text();
  scenarios::Loaded loaded = scenarios::load(source, std::filesystem::path{file}.parent_path());
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

namespace {

/// The modes of the configuration, by rule: a run has them all in shadow mode.
std::map<std::string, host::Mode> modes_of(const scenarios::PolicySpec& policy) {
  std::map<std::string, host::Mode> modes;
  for (const scenarios::SeatSpec& seat : policy.seats) modes[seat.label] = seat.mode;
  return modes;
}

/// Of a journal, which has one listener.
class AllListeners final : public host::Journal::Listener {
 public:
  explicit AllListeners(std::vector<host::Journal::Listener*> all) : all_{std::move(all)} {}
  void on_entry(const host::Entry& entry) override {
    for (host::Journal::Listener* each : all_) each->on_entry(entry);
  }

 private:
  std::vector<host::Journal::Listener*> all_;
};

}  // namespace

RuleRun::RuleRun(const RuleRunArguments& arguments, const Console& console)
    : configuration_{load_live_configuration(arguments.file, console, &configuration_text_)},
      modes_{modes_of(only_policy(configuration_, arguments.policies))},
      policy_{arguments.acts ? only_policy(configuration_, arguments.policies)
                             : shadowed(only_policy(configuration_, arguments.policies))},
      roster_{configuration_.world.directory, configuration_.live->account,
              configuration_.live->region,
              [this](std::string_view name) {
                return scenarios::type_of_account(*configuration_.live, name);
              }},
      acts_{arguments.acts},
      proposals_{roster_, configuration_.world.platform.runtime_includes_startup} {
  if (!arguments.journal) return;
  journal_path_ = *arguments.journal;
  check_output_file(journal_path_, "reeve-journal", "--journal");
  check_replaced_file(journal_path_, "--journal");
  journal_.write_text_to(file_.emplace(journal_path_).stream());
}

void RuleRun::run(const Observed& observed) {
  start_ = observed.start;
  has_metrics_ = observed.metrics != nullptr;
  configuration_.world.start = start_.value_or(configuration_.world.start);
  std::vector<host::Journal::Listener*> all{&proposals_};
  all.insert(all.end(), observed.acting.listeners.begin(), observed.acting.listeners.end());
  AllListeners listeners{std::move(all)};
  journal_.set_listener(&listeners);
  experiments::RunOptions options;
  options.earlier = observed.acting.earlier;
  options.confirmed = observed.acting.confirmed;
  // Each call has a reply, perhaps "unknown".  Without one, a try still waits for its turn.
  constexpr std::chrono::hours longest_turn{1};
  if (observed.acting.actuator != nullptr) options.retry.reply_timeout = longest_turn;
  host_ = experiments::make_host(configuration_, policy_, journal_, options);
  proposals_.observe(*host_);
  const models::Metrics& metrics = configuration_.world.platform.metrics;
  live::LocalAlarms alarms{
      observed.feed,
      roster_,
      observed.metrics,
      {metrics.publish_delay, metrics.extra_datapoints, observed.is_snapshot, observed.on_trouble},
      observed.acting.actuator};
  const std::atomic<bool>& interrupted = interruption();
  try {
    host::run(*host_, alarms, alarms, observed.until, [&] {
      for (const host::Muted& muted : host_->muted()) alarms.drop(muted.seat);
      observed.on_step();
      return interrupted.load() && !observed.is_snapshot;  // of what was read, all is judged
    });
    metrics_unread_since_ = alarms.unread_since();
    journal_.flush_text();
  } catch (const std::exception& error) {  // of the journal: what was decided is still told
    failure_ = error.what();
  }
  journal_.set_listener(nullptr);
  if (interrupted) note_interruption();
  is_partial_ = interrupted;
}

void RuleRun::recall_stop(policy::JobId job, policy::AttemptNumber attempt,
                          const std::string& rule) {
  for (std::uint32_t seat = 0; seat < host_->seats().size(); ++seat) {
    if (host_->seats()[seat].name == rule) host_->recall_stop(job, attempt, {seat});
  }
}

void RuleRun::keep_journal(const Console& console) {
  if (!file_ || !failure_.empty()) return;
  file_->close();
  file_->put_in_place();
  console.note("wrote " + journal_path_ + '\n');
}

std::vector<std::string> RuleRun::active_rules() const {
  std::vector<std::string> names;
  if (host_ == nullptr) return names;
  for (const host::Seat& seat : host_->seats()) {
    if (seat.mode != host::Mode::off) names.push_back(seat.name);
  }
  return names;
}

report::Table RuleRun::rules_table(std::string_view command, std::vector<std::string> facts,
                                   const std::string& why_partial) const {
  report::Table table = app::rules_table(active_rules(), proposals());
  table.name = configuration_.name + '/' + policy_.name;
  facts.push_back(scenarios::counted(roster_.jobs(), "training job"));
  table.facts = {{configuration_.name, policy_.name,
                  acts_ ? std::string{command} : fmt::format("{}: nothing was changed", command)},
                 std::move(facts)};
  if (start_ && host_->steps() > 0) {
    const std::string to = report::instant(host_->now());
    const std::string span = *start_ == host_->now() ? to : report::instant(*start_) + " to " + to;
    table.facts.push_back({span, "digest " + short_digest(journal_.digest().hex())});
  }
  std::string quiet;
  for (const auto& [rule, mode] : modes_) {
    if (mode != host::Mode::warn && mode != host::Mode::shadow) continue;
    quiet += fmt::format("{}{} ({})", quiet.empty() ? "" : ", ", rule, host::name_of(mode));
  }
  if (!quiet.empty()) {
    table.notes.push_back("in these modes a rule changes no job: " + quiet);
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
  report::Table table = app::proposals_table(proposals(), for_people);
  table.name = configuration_.name + '/' + policy_.name + "/proposals";
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
