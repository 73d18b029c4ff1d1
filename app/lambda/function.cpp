#include "app/lambda/function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "app/live/actor.hpp"
#include "app/live/snapshot_run.hpp"
#include "app/usage_error.hpp"
#include "live/feed/training_job_reader.hpp"
#include "report/display_width.hpp"

namespace reeve::app {
namespace {

constexpr std::size_t most_ended = 10'000;  // jobs that are remembered

bool has_ended(const live::FleetEvent& event) {
  const auto* job = std::get_if<live::TrainingJobState>(&event.detail);
  return job != nullptr && policy::is_terminal(job->primary);
}

}  // namespace

/// What a pass came to.
struct LambdaFunction::Summary {
  std::size_t jobs = 0;
  std::size_t actions = 0;
  std::size_t not_done = 0;
  std::string why_partial;

  std::string text() const {
    return nlohmann::ordered_json{{"training_jobs", jobs},
                                  {"actions", actions},
                                  {"not_done", not_done},
                                  {"partial", why_partial}}
        .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  }
};

LambdaFunction::LambdaFunction(FunctionSettings settings, const Console& console)
    : settings_{std::move(settings)},
      console_{console},
      first_rules_{std::make_unique<RuleRun>(settings_.rules, console)} {
  check_guards_of_pass("the function", first_rules_->guards());
  addresses_of(first_rules_->settings());
  if (first_rules_->settings().confirm_first == 0) return;
  throw UsageError{"the function cannot ask a person: \"confirm_first\"", "use live run"};
}

/// Rules have no memory of the pass before.  Warnings are told once.
std::unique_ptr<RuleRun> LambdaFunction::next_rules() {
  if (first_rules_) return std::move(first_rules_);
  Console silent = console_;
  silent.quiet = true;
  return std::make_unique<RuleRun>(settings_.rules, silent);
}

std::string LambdaFunction::answer(const std::string& payload) {
  RecordBatch batch{payload};
  for (const auto& [id, why] : batch.unreadable()) {
    console_.complain(
        fmt::format("message {}: {}\n", report::printable(id), report::printable(why)));
  }
  try {
    const Summary summary = pass(batch);
    return batch.has_records() ? batch.answer() : summary.text();
  } catch (const std::exception& error) {
    if (!batch.has_records()) throw;
    console_.complain(fmt::format("the messages stay in the queue: {}\n", error.what()));
    batch.fail_all();
    return batch.answer();
  }
}

LambdaFunction::Summary LambdaFunction::pass(RecordBatch& batch) {
  const std::unique_ptr<RuleRun> rules = next_rules();
  if (!account_) account_.emplace(rules->settings());
  // After a failure the journal is read from its beginning.
  std::optional<NamedLog> journal = std::exchange(journal_, std::nullopt);
  if (journal) {
    journal->log.refresh();
    check_chain(*journal);
  } else {
    journal.emplace(open_table_log(settings_.table, *account_));
  }
  SnapshotRun run{*rules, *account_, console_};
  ActorArguments acting;
  acting.is_single_pass = true;
  Actor actor{acting, *rules, *account_, run.feed(), *journal, console_};
  std::set<std::string> names;  // of jobs that do not run, as far as the listing tells
  for (const std::string& job : actor.to_read_again()) names.insert(job);
  for (const RecordedEvent& recorded : batch.events()) names.insert(job_of(recorded.event));
  for (const live::FleetEvent& event : run.jobs().jobs) names.erase(job_of(event));
  names.erase("");
  std::vector<live::FleetEvent> described;
  live::TrainingJobReader reader{account_->client(), account_->clock()};
  for (const std::string& job : names) look_up(job, reader, batch, described);
  for (live::FleetEvent& event : described) run.add(std::move(event));
  for (const RecordedEvent& recorded : batch.events()) run.add(recorded.event);
  run.observe(actor.feed(), actor.acting());
  const bool is_kept = actor.finish();
  rules->complain(console_);
  if (!rules->failure().empty()) throw std::runtime_error{rules->failure()};
  if (!is_kept) throw std::runtime_error{"the journal cannot be written"};
  journal_ = std::move(journal);
  for (const live::UnreadJob& unread : run.jobs().unread) batch.fail_job(unread.name);
  Summary summary{rules->roster().jobs(), actor.rows().size(), 0, run.why_partial()};
  for (const live::ActionRow& row : actor.rows()) {
    if (actor.is_done(row)) continue;
    ++summary.not_done;
    // What AWS refuses it refuses again, and a message that arrived somewhere is not repeated.
    if (row.outcome != "refused" && row.outcome != "partly_done") batch.fail_job(row.job);
  }
  return summary;
}

/// A job that has ended is not listed.
void LambdaFunction::look_up(const std::string& job, live::TrainingJobReader& reader,
                             RecordBatch& batch, std::vector<live::FleetEvent>& found) {
  if (const auto known = ended_.find(job); known != ended_.end()) {
    found.push_back(known->second);
    return;
  }
  auto described = reader.describe(job);
  if (const auto* failed = std::get_if<live::FailedCall>(&described)) give_up(*failed);
  if (const auto* unread = std::get_if<live::UnreadJob>(&described)) {
    console_.complain(fmt::format("training job {} cannot be read: {}\n", report::printable(job),
                                  report::printable(unread->why)));
    batch.fail_job(job);
  }
  auto* event = std::get_if<live::FleetEvent>(&described);
  if (event == nullptr) return;
  if (has_ended(*event)) {
    if (ended_.size() >= most_ended) ended_.clear();
    ended_.emplace(job, *event);
  }
  found.push_back(std::move(*event));
}

}  // namespace reeve::app
