// A rule that decides for one job at a time: when it looks at a job, and when it proposes again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <reeve/policy/policy.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "held_back.hpp"
#include "job_events.hpp"
#include "job_table.hpp"
#include "sent_messages.hpp"
#include "timer_key.hpp"

namespace reeve::policies {

/// Looks at a job when an observation concerns it, when its timer fires, and when HeldBack releases
/// it.  A proposal that failed, but not on its merits, is forgotten in time, so the next look can
/// propose it again.  `Row` is the rule's memory of a job.
template <class Row>
class JobRule : public policy::Policy {
 public:
  void decide(const policy::Step& step, policy::Decisions& out) override {
    const std::size_t before = out.proposed().size();
    for (const policy::Observation& seen : step.observed) {
      const auto* settled = std::get_if<policy::ActionSettled>(&seen.fact);
      const bool own = settled != nullptr && settled->seat == step.seat;
      if (own && is_deed(*settled)) settle(*settled, step, out);
    }
    for (const HeldBack::Target& held : held_.released(step, out)) {
      let_ask_again(held, step, out);
      look_at(held.job, step, out);
    }
    for (const policy::Observation& seen : step.observed) {
      attend(seen, step, out);
      if (const auto job = job_to_review(seen, step.seat)) look_at(*job, step, out);
      if (const auto* timer = std::get_if<policy::TimerFired>(&seen.fact)) {
        const policy::JobId job = TimerKey::unpacked(timer->key).job;
        if (!jobs_.knows(job)) continue;
        remember(job, step, out);
        look_at(job, step, out);
      }
    }
    look_around(step, out);
    if (out.proposed().size() > before && tells_of_attempts()) messages_.note(out, before);
    if (!unsaid_.empty()) say_what_is_over(step, out);
  }

 protected:
  /// Proposes the actions for the job by the current belief, unless it has proposed them already.
  virtual void look_at(policy::JobId job, const policy::Step& step, policy::Decisions& out) = 0;

  /// Takes from an observation what the belief does not keep, before the rule looks at the job.
  virtual void hear(const policy::Observation& /*seen*/) {}

  /// Like `hear`, for an observation on which the rule decides at once.
  virtual void attend(const policy::Observation& seen, const policy::Step& /*step*/,
                      policy::Decisions& /*out*/) {
    hear(seen);
  }

  /// Whether its messages are about the attempts that they name, and not about a state of many
  /// jobs.
  virtual bool tells_of_attempts() const { return true; }

  /// Whether an undelivered message is sent again unchanged, even if its content is outdated.
  virtual bool tells_of_the_past() const { return false; }

  /// Whether the rule's own settlement concerns an action on a job.
  virtual bool is_deed(const policy::ActionSettled& /*settled*/) const { return true; }

  /// Called once at the end of each step, for effects of one job on others.
  virtual void look_around(const policy::Step& /*step*/, policy::Decisions& /*out*/) {}

  /// Proposals for the job may be repeated; called before `forget`.
  virtual void may_ask_again(policy::JobId /*job*/) {}

  /// A message about an attempt that has ended was not delivered.
  virtual void tell_again(policy::JobId job, SentMessage failed, policy::Decisions& out) {
    out.propose(policy::Notify{job, failed.attempt, failed.incident}, failed.reason,
                std::move(failed.basis));
  }

  /// The proposals for this attempt may be repeated.
  virtual void forget(Row& row, policy::AttemptNumber attempt) = 0;

  /// A proposal for this attempt was refused: it had no effect.
  virtual void take_back(Row& /*row*/, policy::AttemptNumber /*attempt*/) {}

  /// A message was not delivered.  `forget` is called when it may be proposed again.
  virtual void miss(Row& /*row*/, const policy::ActionSettled& /*message*/) {}

  /// A guard or the kill switch prevents the action for now.  It may be decided again later.
  virtual void put_off(const policy::ActionSettled& /*settled*/, const policy::Step& /*step*/) {}

  /// Receives each of the rule's own settlements, before all other callbacks.
  virtual void heed(const policy::ActionSettled& /*settled*/, const policy::Step& /*step*/,
                    policy::Decisions& /*out*/) {}

  /// The action worked, or was refused for good.
  virtual void conclude(const policy::ActionSettled& /*settled*/, const policy::Step& /*step*/,
                        policy::Decisions& /*out*/) {}

  /// The platform has no room now: the rule proposes again after increasing waits.
  virtual void lack_room(const policy::ActionSettled& settled, const policy::Step& step,
                         policy::Decisions& out) {
    ask_ever_later(settled, step, out);
  }

  /// The platform rejected a necessary action (`must_be_done`).  Likewise.
  virtual void lack_consent(const policy::ActionSettled& settled, const policy::Step& step,
                            policy::Decisions& out) {
    ask_ever_later(settled, step, out);
  }

  /// The rejected action was of another incident: the waits start from the shortest again.
  void back_off_anew(policy::JobId job, policy::AttemptNumber attempt) {
    if (!lacked_.empty()) lacked_.erase({job, attempt});
  }

  JobTable<Row> jobs_;

 private:
  void settle(const policy::ActionSettled& settled, const policy::Step& step,
              policy::Decisions& out) {
    heed(settled, step, out);
    messages_.settle(settled);
    if (worked(settled) && !lacked_.empty()) lacked_.erase({settled.job, settled.attempt});
    if (settled.outcome == policy::Outcome::refused) {
      take_back(jobs_[settled.job], settled.attempt);
    }
    const bool is_message = settled.verb == policy::VerbKind::notify;
    if (is_message && may_be_sent_again(settled)) miss(jobs_[settled.job], settled);
    switch (again(settled)) {
      case Again::not_needed:
        if (was_rejected(settled) && must_be_done(settled.verb)) {
          return lack_consent(settled, step, out);
        }
        return conclude(settled, step, out);
      case Again::when_released:
        put_off(settled, step);
        return held_.add(settled, out);
      case Again::after_other_action:
        return let_ask_again({settled.job, settled.attempt}, step, out);
      case Again::later:
        return ask_later(settled, kAskAgainAfter, step, out);
      case Again::when_room:
        return lack_room(settled, step, out);
    }
  }

  void ask_ever_later(const policy::ActionSettled& settled, const policy::Step& step,
                      policy::Decisions& out) {
    Lacked& lacked = lacked_[{settled.job, settled.attempt}];
    ask_later(settled, lacked.pause_before(settled.attempt), step, out);
  }

  void ask_later(const policy::ActionSettled& settled, policy::Duration pause,
                 const policy::Step& step, policy::Decisions& out) {
    const policy::Instant at = policy::later(step.now, pause);
    later_[{settled.job, settled.attempt}] = at;
    constexpr auto purpose = std::numeric_limits<std::uint16_t>::max();  // used by no rule
    out.wake_at(TimerKey{settled.job, settled.attempt, purpose}.packed(), at);
  }

  void remember(policy::JobId job, const policy::Step& step, policy::Decisions& out) {
    for (auto due = later_.lower_bound({job, 0}); due != later_.end() && due->first.job == job;) {
      if (due->second > step.now) {
        ++due;
        continue;
      }
      let_ask_again({job, due->first.attempt}, step, out);
      due = later_.erase(due);
    }
  }

  void let_ask_again(const HeldBack::Target& of, const policy::Step& step, policy::Decisions& out) {
    if (messages_.has_failed(of)) {
      const bool followed = of.attempt < step.fleet.status(of.job).attempt;
      followed || tells_of_the_past() ? tell_again(of, out) : unsaid_.push_back(of);
    }
    may_ask_again(of.job);
    forget(jobs_[of.job], of.attempt);
  }

  void tell_again(const HeldBack::Target& of, policy::Decisions& out) {
    for (SentMessage& failed : messages_.take_failed(of)) {
      tell_again(of.job, std::move(failed), out);
    }
  }

  /// The rule did not repeat the message in this step.  For a running attempt it is no longer true.
  void say_what_is_over(const policy::Step& step, policy::Decisions& out) {
    const std::size_t before = out.proposed().size();
    for (const HeldBack::Target& of : std::exchange(unsaid_, {})) {
      const policy::JobStatus& status = step.fleet.status(of.job);
      if (status.attempt == of.attempt && !policy::is_terminal(status.primary)) {
        messages_.take_failed(of);
      } else {
        tell_again(of, out);
      }
    }
    messages_.note(out, before);
  }

  HeldBack held_;
  SentMessages messages_;
  std::vector<HeldBack::Target> unsaid_;       ///< with failed messages that may be sent again
  std::map<HeldBack::Target, Lacked> lacked_;  ///< few jobs have an entry
  /// What may be proposed again, and from when on.
  std::map<HeldBack::Target, policy::Instant> later_;
};

/// The proposed stop did not end the attempt, because it was refused or only a message: the next
/// proposal is another incident.
template <class Row>
void end_incident(Row& row, policy::AttemptNumber attempt) {
  if (row.asked != attempt) return;
  --row.asked;
  ++row.incidents;
}

/// Resets the memory of a job for a new attempt, except for what was proposed.
template <class Row>
void begin_attempt(Row& row, policy::AttemptNumber attempt) {
  if (attempt > row.attempt) row = {.attempt = attempt, .asked = row.asked};
}

}  // namespace reeve::policies
