#include "app/live/enforce.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "app/exit_code.hpp"
#include "app/live/account.hpp"
#include "app/live/action_journal_file.hpp"
#include "app/live/kill_places.hpp"
#include "app/live/plan_file.hpp"
#include "app/study/interruption.hpp"
#include "host/enum_names.hpp"
#include "live/act/job_stopper.hpp"
#include "live/act/protected_tag.hpp"
#include "live/act/unsettled.hpp"
#include "live/aws/timestamps.hpp"
#include "report/display_width.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using live::ActionEnd;
using scenarios::counted;
using scenarios::in_quotes;

constexpr std::chrono::hours oldest_plan{1};
constexpr std::string_view stop_job = "stop_job";

/// Why the plan is not carried out, before anything is sent.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A planned action and how it ended.
struct Row {
  const PlannedAction& action;
  std::string outcome;
  ActionEnd end;
};

class Enforcement {
 public:
  Enforcement(const EnforceArguments& arguments, const PlanFile& plan, Account& account,
              const Console& console)
      : arguments_{arguments},
        plan_{plan},
        account_{account},
        console_{console},
        reader_{account.client(), account.clock()},
        service_jobs_{account.client(), account.clock()},
        stopper_{account.client(), account.clock(), reader_, service_jobs_},
        kill_switch_{kill_places_of(plan, arguments), account.client(), account.clock(),
                     kill_trouble(console)},
        journal_{open_action_log(arguments.journal, account)},
        log_{journal_.log} {}

  /// Throws Refusal, then nothing was sent.
  void check() {
    check_plan();
    settle_earlier();
    std::vector<std::string> changed;
    for (const PlannedAction& action : plan_.actions) {
      if (log_.is_done(id_of(action))) continue;
      const std::string why = why_stale(action);
      if (!why.empty()) changed.push_back(in_quotes(action.job) + ' ' + why);
    }
    if (!changed.empty()) {
      throw Refusal{fmt::format(
          "the plan is stale: training job {}{}", report::printable(changed.front()),
          changed.size() == 1
              ? std::string{}
              : fmt::format(", and {} more changed", counted(changed.size() - 1, "job")))};
    }
  }

  void act() {
    account_.outlive_interruption();
    const std::atomic<bool>& interrupted = interruption();
    note_interruption();  // between two actions
    for (const PlannedAction& action : plan_.actions) {
      const std::string id = id_of(action);
      if (log_.is_done(id)) {
        rows_.push_back({action, "done before", {}});
      } else if (interrupted) {
        rows_.push_back({action, "not sent", {}});
      } else if (kill_switch_.is_engaged()) {
        rows_.push_back({action, "not sent", {}});
        held_back_ = true;
      } else if (is_guarded()) {
        ActionEnd end;
        end.detail = fmt::format("guard stops_per_hour allows {}", *plan_.stops_per_hour);
        rows_.push_back({action, "refused", std::move(end)});
        held_back_ = true;
      } else {
        carry_out(action, id);
      }
    }
  }

  report::Table table() const;
  int exit_code() const;

 private:
  void check_plan() {
    const policy::Instant now = account_.now();
    if (now - plan_.at > oldest_plan) {
      throw Refusal{"the plan is stale: it is of " + report::instant(plan_.at)};
    }
    if (plan_.account != account_.id()) {
      throw Refusal{fmt::format("the plan is of account {}, the credentials of {}", plan_.account,
                                account_.id())};
    }
    for (const PlannedAction& action : plan_.actions) {
      if (action.action == stop_job) continue;
      throw Refusal{fmt::format("live enforce cannot {} yet: rule {} would do it for {}",
                                action.action, in_quotes(action.rule), in_quotes(action.job))};
    }
    if (kill_switch_.is_engaged()) throw Refusal{kill_switch_.why()};
  }

  static live::KillPlaces kill_places_of(const PlanFile& plan, const EnforceArguments& arguments) {
    live::KillPlaces places = plan.kill_switch;
    if (arguments.kill_file) places.file = *arguments.kill_file;
    return places;
  }

  /// Earlier plans count too.
  bool is_guarded() const {
    return plan_.stops_per_hour && log_.stops_within_hour(account_.now()) >= *plan_.stops_per_hour;
  }

  /// What became of actions that an earlier run sent and did not settle.
  void settle_earlier() {
    const auto found =
        live::settle_unsettled(log_, reader_, service_jobs_, [this] { return account_.now(); });
    if (const auto* failed = std::get_if<live::FailedCall>(&found)) give_up(*failed);
    const auto& actions = std::get<live::FoundActions>(found);
    for (const live::UnreadJob& job : actions.unread) {
      throw Refusal{"training job " + in_quotes(job.name) + " cannot be read: " + job.why};
    }
    for (const live::FoundAction& action : actions.settled) {
      console_.note(fmt::format("an earlier run did not settle the stop of {}: {}\n",
                                report::printable(action.job), host::name_of(action.end.outcome)));
    }
  }

  static std::string id_of(const PlannedAction& action) {
    return live::ActionLog::stop_id(action.job, action.created);
  }

  static const live::TrainingJobState& state_of(const live::FleetEvent& event) {
    return std::get<live::TrainingJobState>(event.detail);
  }

  /// Throws CloudError if it cannot be read.
  live::TrainingJobReader::Described described_job(const std::string& job) {
    auto described = reader_.describe(job);
    if (const auto* failed = std::get_if<live::FailedCall>(&described)) give_up(*failed);
    if (const auto* unread = std::get_if<live::UnreadJob>(&described)) {
      throw Refusal{"training job " + in_quotes(job) + " cannot be read: " + unread->why};
    }
    return described;
  }

  /// Empty: the job is still the one of the plan, and runs.
  std::string why_stale(const PlannedAction& action) {
    const auto described = described_job(action.job);
    const auto* event = std::get_if<live::FleetEvent>(&described);
    if (event == nullptr) return "is gone";
    const live::TrainingJobState& job = state_of(*event);
    if (job.created != action.created) return "is another one of that name";
    if (job.primary != policy::Primary::in_progress) return "has ended or is stopping";
    const auto tags = job.tags.value_or(std::vector<policy::Tag>{});
    const std::string kept = live::protected_tag(tags, plan_.protected_tags);
    return kept.empty() ? kept : "has the protected tag " + kept;
  }

  void carry_out(const PlannedAction& action, const std::string& id) {
    const live::LoggedAction logged{id,
                                    action.rule,
                                    action.action,
                                    action.job,
                                    {{"plan", plan_.digest},
                                     {"created", live::iso_date(action.created)},
                                     {"reason", action.reason},
                                     {"basis", action.basis}}};
    log_.plan(account_.now(), logged);
    bool& muted = live::is_named_by_batch(action.job) ? muted_of_batch_ : muted_;
    ActionEnd end;
    if (muted) {
      end.outcome = policy::Outcome::refused;
      end.detail = "not sent: an earlier stop was refused for all jobs";
    } else {
      end = stopper_.stop(
          logged,
          [&](std::uint32_t number, const live::StopCall& stop) {
            log_.send(account_.now(), id, number, action_of(stop), stop.service_job);
          },
          [&] { return kill_switch_.is_engaged(); });
    }
    muted = muted || end.concerns_all;
    held_back_ = held_back_ || end.is_held_back;
    log_.settle(account_.now(), id, end);
    rows_.push_back({action, std::string{host::name_of(end.outcome)}, std::move(end)});
  }

  const EnforceArguments& arguments_;
  const PlanFile& plan_;
  Account& account_;
  const Console& console_;
  live::TrainingJobReader reader_;
  live::ServiceJobReader service_jobs_;
  live::JobStopper stopper_;
  live::KillSwitch kill_switch_;
  NamedLog journal_;
  live::ActionLog& log_;  ///< of it
  std::vector<Row> rows_;
  bool muted_ = false;           ///< stops by SageMaker
  bool muted_of_batch_ = false;  ///< stops by AWS Batch
  bool held_back_ = false;       ///< by the kill switch or a guard
};

report::Table Enforcement::table() const {
  report::Table table;
  table.name = arguments_.plan;
  table.facts = {{"enforce", arguments_.plan, account_.region(), "account " + account_.id()},
                 {"journal " + journal_.name}};
  table.columns = {{"training_job", "training job", report::Align::left},
                   {"rule", "rule", report::Align::left},
                   {"action", "action", report::Align::left},
                   {"outcome", "outcome", report::Align::left},
                   {"tries", "tries"},
                   {"detail", "detail", report::Align::left}};
  table.names = 3;
  for (const Row& row : rows_) {
    std::string detail = row.end.detail;
    if (row.end.outcome != policy::Outcome::done && !row.end.code.empty()) {
      detail = row.end.code + ": " + detail;
    }
    table.rows.push_back({.cells = {report::cell(row.action.job), report::cell(row.action.rule),
                                    report::cell(row.action.action), report::cell(row.outcome),
                                    report::cell(row.end.tries), report::cell(detail)}});
  }
  return table;
}

int Enforcement::exit_code() const {
  const auto is = [](std::string_view outcome) {
    return [outcome](const Row& row) { return row.outcome == outcome; };
  };
  if (held_back_) return ExitCode::refused;
  if (std::any_of(rows_.begin(), rows_.end(), is("not sent"))) return ExitCode::interrupted;
  const bool all_done = std::all_of(rows_.begin(), rows_.end(), [](const Row& row) {
    return row.outcome == "done" || row.outcome == "done before";
  });
  return all_done ? ExitCode::done : ExitCode::cloud;
}

}  // namespace

int enforce(const EnforceArguments& arguments, const Console& console) {
  const PlanFile plan = read_plan(arguments.plan);
  scenarios::LiveSpec settings;
  settings.region = plan.region;
  Account account{settings};
  Enforcement run{arguments, plan, account, console};
  try {
    run.check();
  } catch (const Refusal& refusal) {
    console.complain(fmt::format(
        "refused: {}\n  = help: nothing was changed; reeve live plan makes a new plan\n",
        refusal.what()));
    return ExitCode::refused;
  }
  try {
    run.act();
  } catch (const live::JournalFailure& failure) {
    console.complain(fmt::format("the journal cannot be written: {}\n", failure.what()));
    console.print(run.table());
    return ExitCode::failed;
  }
  console.print(run.table());
  return run.exit_code();
}

}  // namespace reeve::app
