#include "live/act/account_actions.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "host/enum_names.hpp"
#include "host/target.hpp"
#include "live/act/clone_request.hpp"
#include "live/act/logged_action.hpp"
#include "live/act/outcomes.hpp"
#include "live/act/stop_call.hpp"
#include "live/aws/pages.hpp"
#include "live/aws/timestamps.hpp"
#include "live/events/json_fields.hpp"

namespace reeve::live {
namespace {

/// While the kill switch is engaged: a quiet feed must not hide its release.
constexpr std::chrono::seconds look_again{20};

/// In what the clone differs from the attempt before: a fleet that the rule chose, a limit, and the
/// limit of the job's submission where the attempt before had another one.
CloneChanges changes_of(const policy::CloneJob& verb, const LoggedAction& action,
                        const Roster& roster) {
  CloneChanges changes{.name = action.details.value("new_job", ""),
                       .first_name = roster.name(verb.job, 1)};
  changes.rule = action.rule;
  changes.attempt = verb.attempt;
  changes.keep_tags = verb.keep_tags;
  changes.from_scratch = verb.from == policy::ResumeFrom::scratch;
  changes.loses = verb.loses;
  if (verb.pool) {
    const policy::PoolFacts& pool = roster.directory().pools[verb.pool->index];
    changes.spot = pool.market == policy::Market::spot;
    changes.instance_type = roster.directory().types[pool.type.index].name;
  }
  std::optional<policy::Duration> limit;
  if (verb.max_runtime > policy::Duration{0}) limit = verb.max_runtime;
  const TrainingJobState* first = roster.known(verb.job, 1);
  if (!limit && first != nullptr) limit = first->max_runtime;
  if (limit) changes.max_runtime = std::chrono::ceil<std::chrono::seconds>(*limit);
  return changes;
}

/// What one refusal may concern: stops by AWS Batch need other permissions than those of SageMaker.
std::string kind_of_calls(const LoggedAction& action) {
  const bool stops = action.action == host::name_of(policy::VerbKind::stop_job);
  return stops && is_named_by_batch(action.job) ? action.action + " by AWS Batch" : action.action;
}

}  // namespace

using host::ReplyKind;
using policy::Instant;
using policy::VerbKind;

AccountActions::AccountActions(host::Feed& feed, Client& client, Clock& clock, const Roster& roster,
                               ActionLog& log, Messenger& messenger, ActionSettings settings)
    : feed_{feed},
      client_{client},
      clock_{clock},
      roster_{roster},
      log_{log},
      messenger_{messenger},
      settings_{std::move(settings)},
      reader_{client, clock},
      service_jobs_{client, clock,
                    std::min<policy::Duration>(settings_.apart, std::chrono::milliseconds{100})},
      has_earlier_{!log.standing().empty()} {}

Instant AccountActions::time() {
  return clock_.now() + client_.clock_correction();
}

Instant AccountActions::advance(Instant deadline, host::Intake& out) {
  send_due();
  const bool turns = settings_.is_killed() != was_killed_;
  if (replies_.empty() && !turns && !was_killed_ && !outbox_.empty()) {
    // The feed would look at its queue all the time that is left.
    const policy::Duration left = std::max(deadline - time(), policy::Duration{0});
    clock_.sleep(std::min(left, until_next_send()));
    send_due();
  }
  const bool has_more = !replies_.empty() || turns || (!outbox_.empty() && !was_killed_);
  if (has_more && now_ != Instant::min()) deadline = std::min(deadline, std::max(now_, time()));
  if (was_killed_) deadline = std::min(deadline, std::max(now_, time()) + look_again);
  Instant now = feed_.advance(deadline, out);
  if (now == policy::never) {
    if (replies_.empty()) return now;
    now = now_;  // nothing more is observed; the replies are
  }
  now_ = now;
  if (has_earlier_) recall_stops(out);
  look_at_switch(out, now);
  out.replies.insert(out.replies.end(), replies_.begin(), replies_.end());
  replies_.clear();
  return now;
}

/// A rule may act on what ended because of a stop, which the journal of actions knows.
void AccountActions::recall_stops(const host::Intake& out) {
  for (const policy::Observation& seen : out.observations) {
    const auto* changed = std::get_if<policy::JobChanged>(&seen.fact);
    if (changed == nullptr) continue;
    const TrainingJobState* job = roster_.known(changed->job, changed->attempt);
    if (job == nullptr || !job->created) continue;
    if (!recalled_.emplace(changed->job, changed->attempt).second) continue;
    const auto stop = log_.standing().find(ActionLog::stop_id(job->name, *job->created));
    const std::string_view done = host::name_of(policy::Outcome::done);
    if (stop == log_.standing().end() || stop->second.outcome != done) continue;
    settings_.on_stopped_before(changed->job, changed->attempt, stop->second.rule);
  }
}

void AccountActions::look_at_switch(host::Intake& out, Instant now) {
  const bool is_killed = settings_.is_killed();
  if (is_killed == was_killed_) return;
  was_killed_ = is_killed;
  out.observations.push_back({now, policy::KillSwitchChanged{is_killed}});
}

void AccountActions::on_entry(const host::Entry& entry) {
  if (const auto* seat = std::get_if<host::SeatListed>(&entry)) {
    seats_.resize(std::max<std::size_t>(seats_.size(), seat->seat.index + 1U));
    seats_[seat->seat.index] = seat->name;
  } else if (const auto* accepted = std::get_if<host::Accepted>(&entry)) {
    if (host::is_own_alarm(accepted->verb)) return;  // reeve evaluates its alarms itself
    decisions_[accepted->action] = {std::string{accepted->reason}, std::string{accepted->basis}};
  } else if (const auto* settled = std::get_if<host::Settled>(&entry)) {
    const auto found = actions_.find(settled->action);
    if (found == actions_.end()) return;
    std::erase_if(outbox_, [&](const auto& attempt) { return attempt.action == settled->action; });
    settle(found->second, settled->outcome);
    actions_.erase(found);
  }
}

void AccountActions::settle(Action& action, policy::Outcome outcome) {
  ActionRow& row = rows_[action.row];
  // To the host it expires if its effect is not observed again.
  if (action.was_done_before) outcome = policy::Outcome::done;
  row.end.outcome = outcome;
  row.outcome = host::name_of(outcome);
  if (action.is_planned) log_.settle(time(), action.logged.id, row.end);
  if (!action.was_done_before) settings_.on_settled(row);
}

void AccountActions::finish() {
  for (auto& [id, action] : actions_) {
    const bool is_done = action.reply == ReplyKind::done || action.reply == ReplyKind::partly_done;
    const bool is_message = rows_[action.row].action == VerbKind::notify;
    const bool is_refused = action.reply == ReplyKind::rejected && !action.may_have_worked;
    // AWS knows what became of a stop or a clone, whatever its last reply was.
    const bool can_be_asked = rows_[action.row].end.tries > 0 && !is_message;
    if (is_done) {
      settle(action, policy::Outcome::done);
    } else if (is_refused) {
      settle(action, policy::Outcome::refused);
    } else if (!can_be_asked) {
      settle(action, policy::Outcome::expired);
    }
  }
  actions_.clear();
  outbox_.clear();
}

void AccountActions::submit(const host::Attempt& attempt) {
  if (!actions_.contains(attempt.action)) plan(attempt);
  // A later try replaces one that still waits.
  const auto waiting = std::find_if(outbox_.begin(), outbox_.end(), [&](const auto& other) {
    return other.action == attempt.action;
  });
  if (waiting != outbox_.end()) {
    *waiting = attempt;
  } else {
    outbox_.push_back(attempt);
  }
  send_due();
}

/// In the log before it waits for its pace: a restart must know of it.
void AccountActions::plan(const host::Attempt& attempt) {
  Action action = describe(attempt);
  action.was_done_before = was_done_before(attempt, action.logged);
  rows_[action.row].is_of_earlier_run &= action.was_done_before;
  if (!action.was_done_before && !held_back(attempt, action)) {
    log_.plan(time(), action.logged);
    action.is_planned = true;
  }
  actions_.emplace(attempt.action, std::move(action));
}

bool AccountActions::was_done_before(const host::Attempt& attempt, const LoggedAction& logged) {
  if (!log_.is_done(logged.id)) return false;
  if (host::kind_of(attempt.verb) != VerbKind::notify) return true;
  // Rules count incidents from 1 in each run: of a job that runs, an old number is another one.
  constexpr std::chrono::hours same{1};
  const host::Target of = host::target(attempt.verb);
  return roster_.ended(of.job, of.attempt) || log_.standing().at(logged.id).at > time() - same;
}

AccountActions::Action AccountActions::describe(const host::Attempt& attempt) {
  Decided decided{
      .rule = {}, .verb = attempt.verb, .incident = attempt.incident, .reason = {}, .basis = {}};
  if (attempt.seat.index < seats_.size()) decided.rule = seats_[attempt.seat.index];
  if (const auto why = decisions_.find(attempt.action); why != decisions_.end()) {
    decided.reason = why->second.reason;
    decided.basis = why->second.basis;
    decisions_.erase(why);
  }
  Action action{.row = rows_.size(), .logged = logged_action(decided, roster_)};
  ActionRow row;
  row.id = action.logged.id;
  row.at = attempt.decided;
  row.rule = decided.rule;
  row.action = host::kind_of(attempt.verb);
  row.job = action.logged.job;
  row.new_job = action.logged.details.value("new_job", "");
  row.reason = decided.reason;
  row.basis = decided.basis;
  const auto [known, is_new] = row_of_.try_emplace({row.id, row.action, row.rule}, rows_.size());
  if (is_new || rows_[known->second].outcome.empty()) {
    known->second = rows_.size();
    rows_.push_back(std::move(row));
  } else {
    row.decisions = rows_[known->second].decisions + 1;
    row.is_of_earlier_run = rows_[known->second].is_of_earlier_run;
    rows_[known->second] = std::move(row);
  }
  action.row = known->second;
  return action;
}

Pace& AccountActions::pace_of(VerbKind verb) {
  return paces_.try_emplace(verb, clock_, settings_.apart).first->second;
}

/// Messages go to people, not to an operation with a rate.
policy::Duration AccountActions::until_next_send() {
  policy::Duration left = policy::Duration::max();
  for (const host::Attempt& attempt : outbox_) {
    const VerbKind verb = host::kind_of(attempt.verb);
    left = std::min(left, verb == VerbKind::notify ? policy::Duration{0} : pace_of(verb).left());
  }
  return left;
}

/// One call of each operation, so that the feed is read between them.
void AccountActions::send_due() {
  std::set<VerbKind> sent;
  const bool sends_all = settings_.is_single_pass || settings_.apart == policy::Duration{0};
  for (auto next = outbox_.begin(); next != outbox_.end();) {
    const VerbKind verb = host::kind_of(next->verb);
    if (!sends_all && sent.contains(verb)) {
      ++next;
      continue;
    }
    if (verb != VerbKind::notify) {
      Pace& pace = pace_of(verb);
      if (pace.left() > policy::Duration{0} && !settings_.is_single_pass) {
        ++next;
        continue;
      }
      pace.wait();
    }
    if (settings_.is_killed()) return;  // the host lets it expire
    sent.insert(verb);
    const host::Attempt attempt = *next;
    next = outbox_.erase(next);
    carry_out(attempt, actions_.at(attempt.action));
  }
}

void AccountActions::carry_out(const host::Attempt& attempt, Action& action) {
  ActionRow& row = rows_[action.row];
  std::optional<Sent> sent = held_back(attempt, action);
  if (!sent) sent = send(attempt, action);
  row.end.code = sent->code;
  row.end.detail = sent->detail;
  action.reply = sent->kind;
  action.may_have_worked = action.may_have_worked || sent->kind == ReplyKind::unknown;
  replies_.push_back({attempt.action, attempt.number, sent->kind});
}

std::optional<AccountActions::Sent> AccountActions::held_back(const host::Attempt& attempt,
                                                              const Action& action) {
  const VerbKind verb = host::kind_of(attempt.verb);
  if (verb != VerbKind::stop_job && verb != VerbKind::clone_job && verb != VerbKind::notify) {
    return Sent{ReplyKind::rejected, {}, "SageMaker has no call for it"};
  }
  if (action.was_done_before) return Sent{ReplyKind::done, {}, "done before"};
  return std::nullopt;
}

void AccountActions::note(const host::Attempt& attempt, Action& action, std::string_view call,
                          std::string_view service_job) {
  std::uint32_t& tries = rows_[action.row].end.tries;
  log_.send(time(), action.logged.id, settings_.is_single_pass ? tries + 1 : attempt.number, call,
            service_job);
  ++tries;
  ++calls_;
}

AccountActions::Sent AccountActions::send(const host::Attempt& attempt, Action& action) {
  constexpr std::chrono::minutes muted_for{5};
  if (const auto denied = denied_.find(kind_of_calls(action.logged)); denied != denied_.end()) {
    if (time() < denied->second + muted_for) {
      return {ReplyKind::rejected, "NotSent", "an earlier call of its kind was refused"};
    }
    denied_.erase(denied);
  }
  if (std::holds_alternative<policy::StopJob>(attempt.verb)) return stop(attempt, action);
  if (std::holds_alternative<policy::Notify>(attempt.verb)) {
    constexpr int most_tries = 5;
    std::chrono::seconds wait{1};
    note(attempt, action, "message");
    Sent sent = tell(attempt, action);
    // Else the host tries again.
    for (int left = most_tries - 1; settings_.is_single_pass && left > 0; --left) {
      const bool may_pass = sent.kind == ReplyKind::throttled || sent.kind == ReplyKind::unknown;
      if (!may_pass || settings_.is_killed()) break;
      clock_.sleep(wait);
      wait *= 2;
      note(attempt, action, "message");
      sent = tell(attempt, action);
    }
    return sent;
  }
  note(attempt, action, "sagemaker:CreateTrainingJob");
  return clone(std::get<policy::CloneJob>(attempt.verb), action);
}

/// A refusal that concerns all calls of a kind mutes it.
AccountActions::Sent AccountActions::refused(const std::string& kind, const FailedCall& failed,
                                             ReplyKind reply) {
  if (reply == ReplyKind::rejected && concerns_all(failed.error)) {
    denied_[kind] = time();
    settings_.on_trouble(failed);
  }
  return {reply, failed.error.code, failed.error.message};
}

/// What the reply means.  `called`: as IAM names it.
AccountActions::Sent AccountActions::sent_as(const std::string& kind, const std::string& called,
                                             const CallResult& result) {
  const ReplyKind reply = reply_kind(called.substr(called.find(':') + 1), result);
  if (!result.error) return {reply, {}, {}};
  return refused(kind, {called, *result.error}, reply);
}

AccountActions::Sent AccountActions::stop(const host::Attempt& attempt, Action& action) {
  const LoggedAction& logged = action.logged;
  auto chosen = stop_call(service_jobs_, logged, roster_.service_job(logged.job));
  if (const auto* failed = std::get_if<FailedCall>(&chosen)) {  // of a reading: nothing was sent
    const bool is_refused = failed->error.kind == CallErrorKind::rejected;
    Sent sent = refused(kind_of_calls(logged), *failed,
                        is_refused ? ReplyKind::rejected : ReplyKind::throttled);
    sent.detail = failed->action + ": " + sent.detail;
    return sent;
  }
  auto& stop = std::get<StopCall>(chosen);
  if (stop.is_over) {
    settings_.on_ended(logged.job);
    return {ReplyKind::done, {}, std::string{service_job_is_over}};
  }
  stop.call.max_attempts = tries();
  note(attempt, action, action_of(stop), stop.service_job);
  const CallResult result = client_.call(stop.call);
  Sent sent = sent_as(kind_of_calls(logged), action_of(stop), result);
  if (result.error && sent.kind == ReplyKind::done) settings_.on_ended(logged.job);
  return sent;
}

AccountActions::Sent AccountActions::clone(const policy::CloneJob& verb, Action& action) {
  const std::string& original = action.logged.job;
  const CallResult described =
      client_.call({services::sagemaker, "DescribeTrainingJob", {{"TrainingJobName", original}}});
  const auto unread = [&](const char* operation, const CallError& error) {
    const bool is_refused = error.kind == CallErrorKind::rejected;
    return Sent{is_refused ? ReplyKind::rejected : ReplyKind::throttled, error.code,
                std::string{operation} + ": " + error.message};
  };
  if (described.error) return unread("DescribeTrainingJob", *described.error);
  if (text_of(described.value, "TrainingJobArn").empty()) {
    return {ReplyKind::rejected, "UnreadableReply", "DescribeTrainingJob: no TrainingJobArn"};
  }
  nlohmann::json tags = nlohmann::json::array();
  Call listing{services::sagemaker,
               "ListTags",
               {{"ResourceArn", text_of(described.value, "TrainingJobArn")}, {"MaxResults", 100}}};
  const auto error = read_pages(client_, std::move(listing), [&](const nlohmann::json& page) {
    const auto some = page.find("Tags");
    if (some != page.end() && some->is_array()) tags.insert(tags.end(), some->begin(), some->end());
    return true;
  });
  if (error) return unread("ListTags", *error);
  const nlohmann::json request =
      clone_request(described.value, tags, changes_of(verb, action.logged, roster_));
  rows_[action.row].differences = differences(described.value, request);
  Call call{services::sagemaker, "CreateTrainingJob", request};
  call.max_attempts = tries();
  const CallResult result = client_.call(call);
  Sent sent = sent_as(kind_of_calls(action.logged), "sagemaker:CreateTrainingJob", result);
  const bool is_in_use = result.error && result.error->code == "ResourceInUse";
  return is_in_use ? is_that_clone(verb, action, std::move(sent)) : sent;
}

/// A job of that name exists: it is this further attempt, or another job.
AccountActions::Sent AccountActions::is_that_clone(const policy::CloneJob& verb,
                                                   const Action& action, Sent in_use) {
  const auto described = reader_.describe(action.logged.details.value("new_job", ""));
  const auto* event = std::get_if<FleetEvent>(&described);
  if (event == nullptr) return {ReplyKind::unknown, in_use.code, in_use.detail};
  const auto& tags = std::get<TrainingJobState>(event->detail).tags;
  const auto has = [&](std::string_view key, const std::string& value) {
    return tags && std::find(tags->begin(), tags->end(), policy::Tag{std::string{key}, value}) !=
                       tags->end();
  };
  if (has(retry_of_tag, roster_.name(verb.job, 1)) &&
      has(attempt_tag, std::to_string(verb.attempt))) {
    return {ReplyKind::done, in_use.code, "it was created before"};
  }
  return {ReplyKind::rejected, in_use.code, "another job has this name"};
}

AccountActions::Sent AccountActions::tell(const host::Attempt& attempt, const Action& action) {
  const ActionRow& row = rows_[action.row];
  const host::Target of = host::target(attempt.verb);
  const Message message{.rule = row.rule,
                        .job = row.job,
                        .attempt = of.attempt,
                        .incident = of.incident,
                        .reason = row.reason,
                        .basis = row.basis,
                        .owner = owner_of(roster_, of.job, of.attempt),
                        .key = action.logged.id,
                        .at = row.at};
  Messenger::Sent sent = messenger_.send(message);
  return {sent.kind, std::move(sent.code), std::move(sent.detail)};
}

}  // namespace reeve::live
