#include "live/act/held_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "host/enum_names.hpp"
#include "host/target.hpp"
#include "live/act/logged_action.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::live {

namespace {

/// While something waits: a quiet feed must not keep an answer waiting.
constexpr std::chrono::seconds answers_each{20};

}  // namespace

using policy::Instant;
using GuardAnswer = host::ConfirmFirst::Answer;

HeldActions::HeldActions(host::Feed& feed, const Roster& roster, ActionLog& log, AnswerFile answers,
                         Messenger& messenger, HeldSettings settings)
    : feed_{feed},
      roster_{roster},
      log_{log},
      answers_{std::move(answers)},
      messenger_{messenger},
      settings_{std::move(settings)} {
  take_answers();
}

Instant HeldActions::advance(Instant deadline, host::Intake& out) {
  take_answers();
  const Instant now = settings_.now();
  tell_due(now);
  const Instant at = std::max(now, now_);
  if (!again_.empty()) deadline = std::min(deadline, at);
  if (!waiting_.empty()) deadline = std::min(deadline, at + answers_each);
  if (!notices_.empty() && !settings_.is_killed()) {
    deadline = std::min(deadline, std::max(notices_.front().due, at));
  }
  const Instant reached = feed_.advance(deadline, out);
  if (reached == policy::never) return reached;
  now_ = reached;
  note_changes(out);
  out.observations.insert(out.observations.end(), again_.begin(), again_.end());
  again_.clear();
  return reached;
}

void HeldActions::on_entry(const host::Entry& entry) {
  if (const auto* seat = std::get_if<host::SeatListed>(&entry)) {
    seats_.resize(std::max<std::size_t>(seats_.size(), seat->seat.index + 1U));
    seats_[seat->seat.index] = seat->name;
  } else if (const auto* refused = std::get_if<host::Refused>(&entry)) {
    if (refused->why == host::Why::guard) note_held(*refused);
  }
}

/// A held stop needs no entry: its job runs, so a later run reads it anyway.
void HeldActions::note_held(const host::Refused& refused) {
  const bool is_asked = refused.guard == host::ConfirmFirst::name;
  const bool is_final = refused.guard == "protected_tags" || refused.guard == "scope";
  const bool clones = host::kind_of(refused.verb) == policy::VerbKind::clone_job;
  if (is_final || (!is_asked && !clones)) return;
  const LoggedAction held = logged_action({.rule = seats_[refused.seat.index],
                                           .verb = refused.verb,
                                           .reason = std::string{refused.reason},
                                           .basis = std::string{refused.basis}},
                                          roster_);
  if (log_.answer_about(held.id) != nullptr && is_asked) return;
  const auto before = log_.standing().find(held.id);
  const bool is_open =
      before != log_.standing().end() && before->second.is_sent && before->second.outcome.empty();
  if (is_open || log_.is_done(held.id)) return;  // an entry would hide what became of it
  const bool is_known = before != log_.standing().end() && before->second.outcome == "held" &&
                        before->second.guard == refused.guard;
  if (!is_known) log_.hold(settings_.now(), held, refused.guard);
  if (!is_asked || !waiting_.emplace(held.id, host::target(refused.verb).job).second) return;
  if (!is_known) settings_.on_wait(held);
  if (!settings_.sends_messages || log_.is_done(ActionLog::notice_id(held.id))) return;
  const host::Target of = host::target(refused.verb);
  const int followed = clones ? 1 : 0;  // the attempt that a further one follows
  notices_.push_back({held, of.job, static_cast<policy::AttemptNumber>(of.attempt - followed)});
}

GuardAnswer HeldActions::answer_about(const policy::Verb& verb) const {
  const std::string id =
      logged_action({.rule = {}, .verb = verb, .reason = {}, .basis = {}}, roster_).id;
  if (log_.is_done(id)) return GuardAnswer::may_act;
  const Answer* answer = log_.answer_about(id);
  if (answer != nullptr) return answer->confirms ? GuardAnswer::may_act : GuardAnswer::refused;
  return log_.confirmed() < settings_.confirm_first ? GuardAnswer::waits : GuardAnswer::may_act;
}

/// Only about what waits: an answer with a mistyped id is ignored.
void HeldActions::take_answers() {
  if (!asks()) return;
  const bool asked = log_.confirmed() < settings_.confirm_first;
  const auto read = answers_.read_new();
  const Failure* failure = failure_of(read);
  const bool is_said = failure == nullptr || failure->message == unread_;
  unread_ = failure == nullptr ? std::string{} : failure->message;
  if (!is_said) settings_.on_unread(*failure);
  if (failure != nullptr) return;
  for (const Answer& answer : std::get<std::vector<Answer>>(read)) {
    if (!log_.waits_for_person(answer.action)) continue;
    log_.answer(settings_.now(), answer);
    settings_.on_answer(answer, log_.standing().at(answer.action));
    drop_notice(answer.action);
    if (answer.confirms) look_again(answer.action);
    waiting_.erase(answer.action);
  }
  if (asked && log_.confirmed() >= settings_.confirm_first) look_again_at_all();
}

void HeldActions::look_again(const std::string& action) {
  const auto held = waiting_.find(action);
  if (held == waiting_.end()) return;
  const auto newest = newest_.find(held->second);
  if (newest != newest_.end()) again_.push_back(newest->second);
  waiting_.erase(held);
}

/// Nothing waits for a person any more.
void HeldActions::look_again_at_all() {
  while (!notices_.empty()) drop_notice(std::string{notices_.front().held.id});
  while (!waiting_.empty()) look_again(std::string{waiting_.begin()->first});
}

void HeldActions::note_changes(const host::Intake& out) {
  if (!asks() || log_.confirmed() >= settings_.confirm_first) return;
  for (const policy::Observation& seen : out.observations) {
    const auto* changed = std::get_if<policy::JobChanged>(&seen.fact);
    if (changed == nullptr) continue;
    const auto [known, is_new] = newest_.try_emplace(changed->job, seen);
    const auto& before = std::get<policy::JobChanged>(known->second.fact);
    const bool is_newer = std::pair{changed->attempt, changed->revision} >=
                          std::pair{before.attempt, before.revision};
    if (!is_new && is_newer) known->second = seen;
    if (policy::is_terminal(changed->primary)) end_waiting(*changed);
  }
}

/// A job that ended needs no stop.
void HeldActions::end_waiting(const policy::JobChanged& ended) {
  const policy::Verb stop = policy::StopJob{ended.job, ended.attempt};
  const std::string id =
      logged_action({.rule = {}, .verb = stop, .reason = {}, .basis = {}}, roster_).id;
  if (!log_.waits_for_person(id)) return;
  log_.settle(settings_.now(), id, {.detail = std::string{ended_before_confirmed}});
  waiting_.erase(id);
  drop_notice(id);
}

void HeldActions::drop_notice(const std::string& action) {
  const auto notice = std::find_if(notices_.begin(), notices_.end(),
                                   [&](const Notice& each) { return each.held.id == action; });
  if (notice == notices_.end()) return;
  if (notice->tries > 0) {
    log_.settle(settings_.now(), ActionLog::notice_id(action),
                {.detail = "no longer needed", .tries = notice->tries});
  }
  notices_.erase(notice);
}

/// One at a time, so that the feed is read between them.
void HeldActions::tell_due(Instant now) {
  if (notices_.empty() || notices_.front().due > now || settings_.is_killed()) return;
  constexpr std::uint32_t most_tries = 5;
  Notice notice = std::move(notices_.front());
  notices_.pop_front();
  if (tell(notice, notice.tries + 1 >= most_tries)) return;
  notice.due = now + std::chrono::minutes{1};
  notices_.push_back(std::move(notice));
}

void HeldActions::finish() {
  while (!notices_.empty() && !settings_.is_killed()) {
    tell(notices_.front(), true);
    notices_.pop_front();
  }
}

/// Whether it needs no further try.
bool HeldActions::tell(Notice& notice, bool is_last) {
  const LoggedAction& held = notice.held;
  LoggedAction message{ActionLog::notice_id(held.id),
                       held.rule,
                       std::string{host::name_of(policy::VerbKind::notify)},
                       held.job,
                       {{"waits", held.id}, {"reason", held.details.value("reason", "")}}};
  if (notice.tries == 0) log_.plan(settings_.now(), message);
  log_.send(settings_.now(), message.id, ++notice.tries, "message");
  const Messenger::Sent sent =
      messenger_.send({.rule = held.rule,
                       .job = held.job,
                       .attempt = notice.attempt,
                       .incident = 0,
                       .reason = fmt::format("{} waits for confirmation: {}", held.action,
                                             held.details.value("reason", "")),
                       .basis = settings_.command + ' ' + held.id,
                       .owner = owner_of(roster_, notice.job, notice.attempt),
                       .key = message.id,
                       .at = settings_.now()});
  ActionEnd end{.code = sent.code, .detail = sent.detail, .tries = notice.tries};
  switch (sent.kind) {
    case host::ReplyKind::done:
      end.outcome = policy::Outcome::done;
      break;
    case host::ReplyKind::partly_done:
      end.outcome = policy::Outcome::partly_done;
      break;
    case host::ReplyKind::rejected:
      end.outcome = policy::Outcome::refused;
      break;
    default:
      if (!is_last) return false;
  }
  log_.settle(settings_.now(), message.id, end);
  if (end.outcome != policy::Outcome::done) settings_.on_untold(held, end);
  return true;
}

}  // namespace reeve::live
