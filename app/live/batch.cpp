#include "app/live/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "app/exit_code.hpp"
#include "app/live/account.hpp"
#include "app/live/action_journal_file.hpp"
#include "app/live/batch_changes.hpp"
#include "app/live/kill_places.hpp"
#include "app/live/proposal_tables.hpp"
#include "app/study/interruption.hpp"
#include "app/study/study_arguments.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "host/enum_names.hpp"
#include "report/display_width.hpp"
#include "scenarios/load.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using live::ServiceJob;
using report::cell;
using scenarios::in_quotes;

/// Ctrl-C while the account is read.
struct Interrupted {};

void check_interruption() {
  if (interruption()) throw Interrupted{};
}

template <class Value>
Value value_or_give_up(std::variant<Value, live::FailedCall> result) {
  check_interruption();
  if (const auto* failed = std::get_if<live::FailedCall>(&result)) give_up(*failed);
  return std::get<Value>(std::move(result));
}

/// The queues of a scenario beside those of the account.
class BatchRun {
 public:
  BatchRun(const BatchQueuesArguments& arguments, const scenarios::Scenario& scenario,
           scenarios::BatchSet wanted, const Console& console)
      : arguments_{arguments},
        scenario_{scenario},
        wanted_{std::move(wanted)},
        settings_{scenario.live.value_or(scenarios::LiveSpec{})},
        account_{settings_},
        console_{console} {}

  /// Throws CloudError.
  void read() {
    std::vector<std::string> names;
    for (const scenarios::BatchQueue& queue : wanted_.queues) names.push_back(queue.name);
    found_ = value_or_give_up(live::read_batch_account(account_.client(), names));
    changes_ = changes_of_queues(wanted_, found_);
    for (const std::string& name : names) {
      if (found_.queues.contains(name)) read_jobs(name);
    }
    add_priorities(scenario_, jobs_, changes_);
    preempted_ = preempted_by(wanted_, found_, jobs_);
    outcomes_.resize(changes_.updates.size());
  }

  void apply();
  void print() const;
  int exit_code() const;

 private:
  void read_jobs(const std::string& queue);
  bool is_lowered(const std::string& queue) const;
  bool has_priorities(const std::string& queue) const;
  std::string outcome_of(const BatchChange& change) const;
  report::Table changes_table() const;
  report::Table preempted_table() const;
  report::Table shares_table() const;
  report::Table waiting_table() const;

  const BatchQueuesArguments& arguments_;
  const scenarios::Scenario& scenario_;
  scenarios::BatchSet wanted_;
  scenarios::LiveSpec settings_;
  Account account_;
  const Console& console_;
  live::BatchAccount found_;
  std::vector<ServiceJob> jobs_;
  std::vector<std::string> front_;  ///< ids of waiting jobs
  BatchChanges changes_;
  std::vector<PreemptibleJob> preempted_;
  std::vector<std::optional<live::ActionEnd>> outcomes_;  ///< by update; none: not sent
  std::string journal_;
  std::string why_held_;  ///< by the kill switch; empty: it was not engaged
};

bool BatchRun::has_priorities(const std::string& queue) const {
  const auto& all = scenario_.queue_priorities;
  return std::any_of(all.begin(), all.end(), [&](const scenarios::QueuePriority& each) {
    return scenario_.world.directory.queues[each.queue.index].name == queue;
  });
}

bool BatchRun::is_lowered(const std::string& queue) const {
  return std::any_of(changes_.changes.begin(), changes_.changes.end(), [&](const auto& change) {
    return change.resource == live::BatchResource::share && change.update &&
           change.name.starts_with(queue + '/') &&
           change.setting.setting.starts_with("capacityLimits");
  });
}

/// Their descriptions only if a priority decides something.
void BatchRun::read_jobs(const std::string& queue) {
  auto jobs = value_or_give_up(live::list_service_jobs(account_.client(), queue));
  if (has_priorities(queue) || is_lowered(queue)) {
    const std::atomic<bool>& interrupted = interruption();
    std::size_t done = 0;
    const bool shows = console_.watched() && !console_.quiet;
    const std::size_t all = jobs.size();
    const auto failed = live::describe_service_jobs(account_.client(), account_.clock(), jobs, [&] {
      if (shows) console_.complain(fmt::format("\rservice jobs read: {} of {}", ++done, all));
      return !interrupted.load();
    });
    if (shows) console_.complain("\r\x1b[K");
    check_interruption();
    if (failed) give_up(*failed);
  }
  const auto front = value_or_give_up(live::front_of_queue(account_.client(), queue));
  front_.insert(front_.end(), front.begin(), front.end());
  std::move(jobs.begin(), jobs.end(), std::back_inserter(jobs_));
}

void BatchRun::apply() {
  NamedLog journal = open_action_log(arguments_.journal, account_, "batch");
  journal_ = journal.name;
  live::KillSwitch kill_switch{kill_places(settings_, arguments_.kill_file), account_.client(),
                               account_.clock(), kill_trouble(console_)};
  live::BatchUpdater updater{account_.client(), account_.clock(), journal.log,
                             [this] { return account_.now(); },
                             [&] { return kill_switch.is_engaged(); }};
  if (const auto failed = updater.settle_open()) give_up(*failed);
  account_.outlive_interruption();
  const std::atomic<bool>& interrupted = interruption();
  note_interruption();  // between two updates
  for (std::size_t each = 0; each < changes_.updates.size() && !interrupted; ++each) {
    if (kill_switch.is_engaged()) {
      why_held_ = kill_switch.why();
      break;
    }
    outcomes_[each] = updater.carry_out(changes_.updates[each]);
    if (outcomes_[each]->is_held_back) why_held_ = kill_switch.why();
  }
}

std::string BatchRun::outcome_of(const BatchChange& change) const {
  if (!change.update) return change.obstacle;
  const std::string operation{live::update_of(change.resource)};
  if (!arguments_.apply) return operation;
  const auto& end = outcomes_[*change.update];
  if (!end) return why_held_.empty() ? "not sent" : "not sent: " + why_held_;
  std::string text{host::name_of(end->outcome)};
  if (end->outcome == policy::Outcome::done) return text;
  return text + ": " + end->code + ' ' + report::printable(end->detail);
}

report::Table BatchRun::changes_table() const {
  report::Table table;
  table.name = scenario_.name + "/batch";
  table.facts = {{"batch", account_.region(), "account " + account_.id()}};
  if (!journal_.empty()) table.facts.push_back({"journal " + journal_});
  table.columns = {{"resource", "resource", report::Align::left},
                   {"name", "name", report::Align::left},
                   {"setting", "setting", report::Align::left},
                   {"account", "account", report::Align::left},
                   {"scenario", "scenario", report::Align::left},
                   {"outcome", arguments_.apply ? "outcome" : "call", report::Align::left}};
  table.names = 3;
  for (const BatchChange& change : changes_.changes) {
    table.rows.push_back({.cells = {cell(live::name_of(change.resource)), cell(change.name),
                                    cell(change.setting.setting), cell(change.setting.found),
                                    cell(change.setting.wanted), cell(outcome_of(change))}});
  }
  return table;
}

report::Table BatchRun::preempted_table() const {
  report::Table table;
  table.name = scenario_.name + "/preempted";
  table.facts = {{"jobs that a lowered quota preempts, by the order that reeve models"}};
  table.columns = {{"queue", "queue", report::Align::left}, {"share", "share", report::Align::left},
                   {"job", "job", report::Align::left},     {"priority", "priority"},
                   {"unit", "unit", report::Align::left},   {"instances", "instances"}};
  table.names = 3;
  for (const PreemptibleJob& each : preempted_) {
    table.rows.push_back(
        {.cells = {
             cell(each.job->queue), cell(each.job->share), cell(each.job->name),
             cell(static_cast<double>(each.job->priority), std::to_string(each.job->priority)),
             cell(each.unit), cell(static_cast<std::uint64_t>(each.instances))}});
  }
  return table;
}

/// Instances in use and waiting jobs, by share.
report::Table BatchRun::shares_table() const {
  struct Sums {
    std::int64_t used = 0;
    std::uint64_t running = 0;
    std::uint64_t waiting = 0;
  };
  std::map<std::pair<std::string, std::string>, Sums> sums;
  for (const scenarios::BatchQueue& queue : wanted_.queues) {
    if (!found_.queues.contains(queue.name)) continue;
    if (queue.shares.empty()) sums[{queue.name, ""}];
    for (const scenarios::BatchShare& share : queue.shares) sums[{queue.name, share.name}];
  }
  for (const ServiceJob& job : jobs_) {
    Sums& share = sums[{job.queue, job.share}];
    ++(job.holds_instances() ? share.running : share.waiting);
    if (!job.holds_instances()) continue;
    for (const auto& [unit, instances] : job.usage) share.used += instances;
  }
  report::Table table;
  table.name = scenario_.name + "/shares";
  table.columns = {{"queue", "queue", report::Align::left},
                   {"share", "share", report::Align::left},
                   {"instances", "instances in use"},
                   {"running", "running jobs"},
                   {"waiting", "waiting jobs"}};
  table.names = 2;
  for (const auto& [key, share] : sums) {
    table.rows.push_back(
        {.cells = {cell(key.first), cell(key.second.empty() ? "–" : key.second),
                   cell(static_cast<std::uint64_t>(std::max<std::int64_t>(share.used, 0))),
                   cell(share.running), cell(share.waiting)}});
  }
  return table;
}

/// In the order of AWS Batch.
report::Table BatchRun::waiting_table() const {
  report::Table table;
  table.name = scenario_.name + "/waiting";
  table.columns = {{"position", "position"},
                   {"queue", "queue", report::Align::left},
                   {"share", "share", report::Align::left},
                   {"job", "job", report::Align::left},
                   {"since", "since", report::Align::left}};
  table.names = 4;
  std::map<std::string, const ServiceJob*> by_id;
  std::uint64_t waiting = 0;
  for (const ServiceJob& job : jobs_) {
    by_id[job.id] = &job;
    waiting += job.holds_instances() ? 0U : 1U;
  }
  std::map<std::pair<std::string, std::string>, std::uint64_t> positions;
  for (const std::string& id : front_) {
    const auto found = by_id.find(id);
    if (found == by_id.end() || found->second->holds_instances()) continue;
    const ServiceJob& job = *found->second;
    table.rows.push_back({.cells = {cell(++positions[{job.queue, job.share}]), cell(job.queue),
                                    cell(job.share.empty() ? "–" : job.share), cell(job.name),
                                    time_cell(job.created)}});
  }
  if (table.rows.size() < waiting) {
    table.notes.push_back(fmt::format("AWS Batch shows the first {} of {}", table.rows.size(),
                                      scenarios::counted(waiting, "waiting job")));
  }
  return table;
}

void BatchRun::print() const {
  const report::Table changes = changes_table();
  const report::Table preempted = preempted_table();
  const report::Table shares = shares_table();
  const report::Table waiting = waiting_table();
  if (console_.json) {
    console_.print("[" + report::json(changes) + "," + report::json(preempted) + "," +
                   report::json(shares) + "," + report::json(waiting) + "]\n");
    return;
  }
  if (changes.rows.empty()) console_.print("the queues of the account are those of the scenario\n");
  const std::size_t most_waiting = 10;
  report::Table first_waiting = waiting;
  if (first_waiting.rows.size() > most_waiting && !console_.verbose) {
    first_waiting.rows.resize(most_waiting);
    first_waiting.notes.push_back(
        fmt::format("and {} more: -v", waiting.rows.size() - most_waiting));
  }
  for (const report::Table* table :
       {&changes, &preempted, &shares, &std::as_const(first_waiting)}) {
    if (table->rows.empty()) continue;
    if (table != &changes) console_.print("\n");
    console_.print(*table);
  }
  if (!arguments_.apply && !changes_.updates.empty()) {
    console_.note(fmt::format(
        "nothing was changed\nnext: {}\n",
        console_.next("live batch " + shell_word(arguments_.file) +
                      (arguments_.policies.empty() ? std::string{}
                                                   : " -p " + shell_word(arguments_.policies[0])) +
                      " --apply")));
  }
}

int BatchRun::exit_code() const {
  const bool is_stuck =
      std::any_of(changes_.changes.begin(), changes_.changes.end(), [](const auto& change) {
        return !change.update && !(change.setting.setting.empty() && change.setting.wanted.empty());
      });
  if (!arguments_.apply) {
    const bool differs = is_stuck || !changes_.updates.empty();
    return arguments_.detailed_exitcode && differs ? ExitCode::pending : ExitCode::done;
  }
  if (!why_held_.empty()) return ExitCode::refused;
  bool is_unsent = false;
  for (const auto& end : outcomes_) {
    if (end && end->outcome != policy::Outcome::done) return ExitCode::cloud;
    is_unsent = is_unsent || !end;
  }
  if (is_unsent) return ExitCode::interrupted;
  return is_stuck ? ExitCode::refused : ExitCode::done;
}

/// The range of `schedulingPriority`.
void check_priorities(const scenarios::Scenario& scenario) {
  constexpr std::int32_t most = 9999;
  for (const scenarios::QueuePriority& each : scenario.queue_priorities) {
    if (each.priority >= 0 && each.priority <= most) continue;
    throw UsageError{fmt::format("queue {} gives the priority {}",
                                 in_quotes(scenario.world.directory.queues[each.queue.index].name),
                                 each.priority),
                     "AWS Batch allows 0 to 9999"};
  }
}

}  // namespace

int live_batch(const BatchQueuesArguments& arguments, const Console& console) {
  scenarios::Loaded loaded = scenarios::load(arguments.file);
  show_warnings(console, loaded.warnings);
  const scenarios::Scenario& scenario = loaded.scenario;
  check_priorities(scenario);
  const scenarios::PolicySpec& policy = only_policy(scenario, arguments.policies);
  scenarios::BatchReading reading = scenarios::batch_of(scenario, policy);
  if (console.verbose) show_warnings(console, reading.warnings);
  BatchRun run{arguments, scenario, std::move(reading.set), console};
  interruption();  // from here on Ctrl-C is looked at
  note_interruption();
  try {
    run.read();
  } catch (const Interrupted&) {
    console.complain("interrupted: nothing was changed\n");
    return ExitCode::interrupted;
  } catch (const nlohmann::json::exception&) {
    give_up(live::unreadable_reply("batch:DescribeJobQueues"));
  }
  if (arguments.apply) {
    try {
      run.apply();
    } catch (const live::JournalFailure& failure) {
      console.complain(fmt::format("the journal cannot be written: {}\n", failure.what()));
      run.print();
      return ExitCode::failed;
    }
  }
  run.print();
  return run.exit_code();
}

}  // namespace reeve::app
