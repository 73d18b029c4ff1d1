#include "app/live/actor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <variant>

#include "app/live/cloud_error.hpp"
#include "app/live/kill_places.hpp"
#include "app/live/proposal_tables.hpp"
#include "app/text/shell_word.hpp"
#include "app/transport.hpp"
#include "app/usage_error.hpp"
#include "host/enum_names.hpp"
#include "live/act/unsettled.hpp"
#include "live/aws/timestamps.hpp"
#include "report/display_width.hpp"
#include "report/format.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using policy::VerbKind;
using scenarios::in_quotes;

/// Of the last day, which is as far as guards look back, in the order of time.
std::vector<experiments::EarlierAction> earlier_actions(const live::ActionLog& log,
                                                        policy::Instant now) {
  std::vector<experiments::EarlierAction> earlier;
  for (const auto& [id, standing] : log.standing()) {
    const bool stops = standing.action == host::name_of(VerbKind::stop_job);
    const bool clones = standing.action == host::name_of(VerbKind::clone_job);
    // What was sent may have had its effect, whatever its outcome.
    if (!standing.is_sent || (!stops && !clones)) continue;
    if (standing.at <= now - std::chrono::hours{24}) continue;
    earlier.push_back({standing.rule, stops ? VerbKind::stop_job : VerbKind::clone_job,
                       std::min(standing.at, now)});
  }
  std::stable_sort(earlier.begin(), earlier.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  return earlier;
}

}  // namespace

live::Addresses addresses_of(const scenarios::LiveSpec& settings) {
  auto read =
      live::read_addresses({settings.notify.sns, settings.notify.webhook, settings.notify.slack},
                           live::SystemEnvironment{});
  if (const live::Failure* failure = live::failure_of(read)) {
    throw UsageError{failure->message, "check \"notify\" of the key \"live\""};
  }
  return std::get<live::Addresses>(std::move(read));
}

namespace {

std::string confirm_command(const std::string& journal) {
  return "reeve live confirm " + shell_word(std::filesystem::absolute(journal).string());
}

/// Answers are kept in a file beside the journal.
void check_confirmation(const std::string& journal, const scenarios::LiveSpec& settings) {
  if (settings.confirm_first == 0 || !journal.starts_with(table_prefix)) return;
  throw UsageError{"\"confirm_first\" needs a journal of actions in a file",
                   "remove it, or use live run with a file"};
}

std::unique_ptr<live::Transport> transport_of_messages() {
  auto transport = new_transport(live::SystemEnvironment{});
  if (const live::Failure* failure = live::failure_of(transport)) {
    throw CloudError{failure->message, ""};
  }
  return std::get<std::unique_ptr<live::Transport>>(std::move(transport));
}

}  // namespace

Actor::Actor(const ActorArguments& arguments, RuleRun& rules, Account& account, host::Feed& feed,
             NamedLog& journal, const Console& console)
    : rules_{rules},
      account_{account},
      console_{console},
      is_single_pass_{arguments.is_single_pass},
      kill_switch_{kill_places(rules.settings(), arguments.kill_file), account.client(),
                   account.clock(), kill_trouble(console)},
      journal_name_{journal.name},
      log_{journal.log},
      transport_{transport_of_messages()} {
  check_confirmation(journal_name_, rules.settings());
  messenger_.emplace(account.client(), *transport_, addresses_of(rules.settings()));
  for (const auto& [id, standing] : log_.standing()) {
    if (!standing.resource.empty()) continue;  // no rule decided it
    last_entry_ = std::max(last_entry_.value_or(standing.acted), standing.acted);
  }
  settle_open();
  earlier_ = earlier_actions(log_, account.now());
  held_.emplace(feed, rules.roster(), log_, live::AnswerFile{journal_name_}, *messenger_,
                held_settings());
  actions_.emplace(*held_, account.client(), account.clock(), rules.roster(), log_, *messenger_,
                   action_settings());
}

live::HeldSettings Actor::held_settings() {
  live::HeldSettings settings;
  const scenarios::NotifySpec& notify = rules_.settings().notify;
  settings.confirm_first = rules_.settings().confirm_first;
  settings.command = confirm_command(journal_name_);
  settings.sends_messages = !(notify.sns + notify.webhook + notify.slack).empty();
  settings.is_killed = [this] { return kill_switch_.is_engaged(); };
  settings.now = [this] { return account_.now(); };
  settings.on_wait = [this](const live::LoggedAction& held) { tell_waiting(held); };
  settings.on_answer = [this](const live::Answer& answer,
                              const live::ActionLog::Standing& standing) {
    console_.note(fmt::format("{} of {}: {} by {}\n", standing.action,
                              report::printable(standing.job), standing.outcome,
                              report::printable(answer.by)));
  };
  settings.on_unread = [this](const live::Failure& failure) {
    console_.complain(fmt::format("{}\n  = help: {}\n", report::printable(failure.message),
                                  "let the user of this run read it; until then actions wait"));
  };
  settings.on_untold = [this](const live::LoggedAction& held, const live::ActionEnd& end) {
    console_.complain(fmt::format("no message tells that {} of {} waits: {}\n", held.action,
                                  report::printable(held.job), report::printable(end.detail)));
  };
  return settings;
}

live::ActionSettings Actor::action_settings() {
  live::ActionSettings settings;
  settings.is_single_pass = is_single_pass_;
  settings.is_killed = [this] { return kill_switch_.is_engaged(); };
  settings.on_stopped_before = [this](policy::JobId job, policy::AttemptNumber attempt,
                                      const std::string& rule) {
    rules_.recall_stop(job, attempt, rule);
  };
  settings.on_ended = [this](const std::string& job) { look_up_(job); };
  settings.on_settled = [this](const live::ActionRow& row) { tell(row); };
  settings.on_trouble = [this](const live::FailedCall& failed) {
    console_.complain(fmt::format("{} failed: {}: {}\n  = help: {}; until then it is not sent\n",
                                  failed.action, failed.error.code,
                                  report::printable(failed.error.message), hint_for(failed)));
  };
  return settings;
}

void Actor::settle_open() {
  live::TrainingJobReader reader{account_.client(), account_.clock()};
  live::ServiceJobReader service_jobs{account_.client(), account_.clock()};
  auto found =
      live::settle_unsettled(log_, reader, service_jobs, [this] { return account_.now(); });
  if (const auto* failed = std::get_if<live::FailedCall>(&found)) give_up(*failed);
  tell_unread(std::get<live::FoundActions>(found));
  for (const live::FoundAction& action : std::get<live::FoundActions>(found).settled) {
    console_.note(fmt::format("an earlier run did not settle {} of {}: {}\n", action.action,
                              report::printable(action.job), host::name_of(action.end.outcome)));
  }
  live::settle_ended_waits(log_, reader, [this] { return account_.now(); });
}

Acting Actor::acting() {
  Acting acting{.actuator = &*actions_, .listeners = {&*actions_, &*held_}, .earlier = earlier_};
  if (rules_.settings().confirm_first > 0) {
    acting.confirmed = [this](const policy::Verb& verb) { return held_->answer_about(verb); };
  }
  return acting;
}

bool Actor::finish() try {
  account_.outlive_interruption();
  held_->finish();
  actions_->finish();
  live::TrainingJobReader reader{account_.client(), account_.clock()};
  live::ServiceJobReader service_jobs{account_.client(), account_.clock()};
  const auto found =
      live::settle_unsettled(log_, reader, service_jobs, [this] { return account_.now(); });
  if (const auto* failed = std::get_if<live::FailedCall>(&found)) {
    console_.complain(
        fmt::format("{} failed: {}: actions that are in flight are settled by the next run\n",
                    failed->action, failed->error.code));
  } else {
    tell_unread(std::get<live::FoundActions>(found));
  }
  return true;
} catch (const live::JournalFailure& failure) {
  console_.complain(fmt::format("{} cannot be written: {}\n", journal_name_, failure.what()));
  return false;
}

void Actor::tell_unread(const live::FoundActions& found) const {
  for (const live::UnreadJob& job : found.unread) {
    console_.complain(fmt::format(
        "an action on {} cannot be settled: {}\n  = help: the next run tries it again\n",
        report::printable(job.name), report::printable(job.why)));
  }
}

void Actor::tell_waiting(const live::LoggedAction& held) const {
  if (console_.json) {
    const nlohmann::ordered_json line{{"at", live::iso_date(account_.now())},
                                      {"event", "waiting"},
                                      {"rule", held.rule},
                                      {"action", held.action},
                                      {"training_job", held.job},
                                      {"reason", held.details.value("reason", "")},
                                      {"basis", held.details.value("basis", "")},
                                      {"confirm", confirm_command(journal_name_) + ' ' + held.id}};
    console_.note(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                  '\n');
    return;
  }
  console_.note(fmt::format("{} {}: {} {} waits: {} {}\n", report::instant(account_.now()),
                            held.rule, held.action, report::printable(held.job),
                            confirm_command(journal_name_), held.id));
}

/// Under --json a line of JSON for each action, for what collects logs.
void Actor::tell(const live::ActionRow& row) const {
  if (console_.json) {
    const nlohmann::ordered_json line{{"at", live::iso_date(row.at)},
                                      {"event", "action"},
                                      {"rule", row.rule},
                                      {"action", host::name_of(row.action)},
                                      {"training_job", row.job},
                                      {"new_job", row.new_job},
                                      {"reason", row.reason},
                                      {"basis", row.basis},
                                      {"outcome", row.outcome},
                                      {"code", row.end.code},
                                      {"detail", row.end.detail},
                                      {"tries", row.end.tries},
                                      {"differences", row.differences}};
    console_.note(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                  '\n');
    return;
  }
  std::string text = fmt::format("{} {}: {} {}", report::instant(row.at), row.rule,
                                 host::name_of(row.action), report::printable(row.job));
  if (!row.new_job.empty()) text += " as " + report::printable(row.new_job);
  text += fmt::format(": {}", row.outcome);
  if (row.outcome != "done" && !row.end.code.empty()) text += ": " + row.end.code;
  console_.note(text + '\n');
  for (const std::string& difference : row.differences) {
    console_.detail("  " + report::printable(difference) + '\n');
  }
}

std::string Actor::outcome_of(const live::ActionRow& row) const {
  if (!row.outcome.empty()) return row.outcome;
  const auto found = log_.standing().find(row.id);
  const bool is_settled = found != log_.standing().end() && !found->second.outcome.empty();
  return is_settled ? found->second.outcome : "in flight";
}

std::vector<std::string> Actor::to_read_again() const {
  const policy::Instant since = account_.now() - std::chrono::hours{24};
  const policy::Instant held_since = account_.now() - std::chrono::days{14};
  std::set<std::string> cloned;
  for (const auto& [id, standing] : log_.standing()) {
    const bool clones = standing.action == host::name_of(VerbKind::clone_job);
    const bool is_done = standing.outcome == host::name_of(policy::Outcome::done);
    if (clones && is_done) cloned.insert(standing.job);
  }
  std::vector<std::string> jobs;
  for (const auto& [id, standing] : log_.standing()) {
    const bool is_message = standing.action == host::name_of(VerbKind::notify);
    const bool is_held = standing.outcome == "held" && standing.at > held_since;
    // What AWS refuses is tried again, but not for ever.
    const bool is_refused = standing.outcome == host::name_of(policy::Outcome::refused);
    const policy::Instant at = is_refused ? standing.first : standing.at;
    const bool is_old = at <= since && !is_held && !log_.waits_for_person(id);
    const bool is_job = !is_message && standing.resource.empty();
    if (!is_job || is_old || cloned.contains(standing.job)) continue;
    jobs.push_back(standing.job);
  }
  return jobs;
}

bool Actor::has_failed() const {
  return std::any_of(rows().begin(), rows().end(),
                     [&](const live::ActionRow& row) { return outcome_of(row) != "done"; });
}

report::Table Actor::summary(const std::string& command, std::vector<std::string> facts,
                             const std::string& why_partial) const {
  struct Sums {
    std::uint64_t stops = 0;
    std::uint64_t clones = 0;
    std::uint64_t messages = 0;
    std::uint64_t not_done = 0;
    std::uint64_t guarded = 0;
  };
  std::map<std::string, Sums> sums;
  for (const live::ActionRow& row : rows()) {
    if (row.is_of_earlier_run) continue;  // which has counted it
    Sums& rule = sums[row.rule];
    if (outcome_of(row) != "done") {
      ++rule.not_done;
    } else if (row.action == VerbKind::notify) {
      ++rule.messages;
    } else {
      ++(row.action == VerbKind::stop_job ? rule.stops : rule.clones);
    }
  }
  for (const Proposal& row : rules_.proposals()) {
    if (!row.refused_by.empty()) ++sums[row.rule].guarded;
  }
  report::Table table = rules_.rules_table(command, std::move(facts), why_partial);
  table.columns = {{"rule", "rule", report::Align::left},
                   {"mode", "mode", report::Align::left},
                   {"stopped", "stopped"},
                   {"cloned", "cloned"},
                   {"notified", "notified"},
                   {"not_done", "not done"},
                   {"refused", "refused by guards"}};
  table.rows.clear();
  table.footnotes.clear();
  for (const std::string& name : rules_.active_rules()) {
    const Sums& rule = sums[name];
    table.rows.push_back(
        {.cells = {report::cell(name), report::cell(host::name_of(rules_.mode_of(name))),
                   report::cell(rule.stops), report::cell(rule.clones), report::cell(rule.messages),
                   report::cell(rule.not_done), report::cell(rule.guarded)}});
  }
  if (!held_->unread().empty()) {
    table.footnotes.push_back(report::printable(held_->unread()) + ": actions wait");
  }
  return table;
}

report::Table Actor::actions_table(bool for_people) const {
  report::Table table;
  table.name = rules_.configuration_name() + '/' + rules_.policy_name() + "/actions";
  table.columns = {{"time", "time", report::Align::left},
                   {"training_job", "training job", report::Align::left},
                   {"rule", "rule", report::Align::left},
                   {"action", "action", report::Align::left},
                   {"outcome", "outcome", report::Align::left},
                   {"decisions", "decided"},
                   {"tries", "tries"},
                   {"detail", "detail", report::Align::left}};
  if (!for_people) {
    for (const char* name : {"new_job", "reason", "basis"}) {
      table.columns.push_back({name, name, report::Align::left});
    }
  }
  table.names = 4;
  for (const live::ActionRow& row : rows()) {
    std::string detail = row.end.detail;
    if (!row.end.code.empty()) detail = row.end.code + (detail.empty() ? "" : ": ") + detail;
    if (for_people && detail.empty()) {
      detail = row.new_job.empty() ? row.basis : "as " + row.new_job;
    }
    report::TableRow line{.cells = {time_cell(row.at), report::cell(row.job),
                                    report::cell(row.rule), report::cell(host::name_of(row.action)),
                                    report::cell(outcome_of(row)), report::cell(row.decisions),
                                    report::cell(row.end.tries), report::cell(detail)}};
    if (!for_people) {
      line.cells.push_back(report::cell(row.new_job));
      line.cells.push_back(report::cell(row.reason));
      line.cells.push_back(report::cell(row.basis));
    }
    table.rows.push_back(std::move(line));
  }
  return table;
}

}  // namespace reeve::app
