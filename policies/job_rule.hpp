// A rule that decides for one job at a time: when it looks at a job, and when it asks again.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <reeve/policy/policy.hpp>
#include <variant>

#include "held_back.hpp"
#include "job_news.hpp"
#include "job_table.hpp"
#include "timer_key.hpp"

namespace reeve::policies {

/// Looks at a job when there is news of it, when a timer set for it fires, and when what was kept
/// back may be decided again.  What came to nothing, but not on its merits, is forgotten in time,
/// so that the next look asks for it again.  `Row` is what the rule remembers of a job.
template <class Row>
class JobRule : public policy::Policy {
 public:
  void decide(const policy::Step& step, policy::Decisions& out) final {
    for (const policy::Observation& seen : step.observed) {
      const auto* settled = std::get_if<policy::ActionSettled>(&seen.fact);
      if (settled != nullptr && settled->seat == step.seat) settle(*settled, step, out);
    }
    for (const HeldBack::Target& held : held_.released(step, out)) {
      forget(jobs_[held.job], held.attempt);
      look_at(held.job, step, out);
    }
    for (const policy::Observation& seen : step.observed) {
      hear(seen);
      if (const auto job = job_with_news(seen, step.seat)) look_at(*job, step, out);
      if (const auto* timer = std::get_if<policy::TimerFired>(&seen.fact)) {
        const policy::JobId job = TimerKey::unpacked(timer->key).job;
        if (jobs_.knows(job)) look_at(job, step, out);
      }
    }
    look_around(step, out);
  }

 protected:
  /// Proposes what is to be done for the job as it is now believed to be, unless it was proposed.
  virtual void look_at(policy::JobId job, const policy::Step& step, policy::Decisions& out) = 0;

  /// What the belief does not keep of an observation, before its job is looked at.
  virtual void hear(const policy::Observation& /*seen*/) {}

  /// After all of them, once in each step: for what news of one job means for others.
  virtual void look_around(const policy::Step& /*step*/, policy::Decisions& /*out*/) {}

  /// What was proposed for this attempt may be proposed again.
  virtual void forget(Row& row, policy::AttemptNumber attempt) = 0;

  /// It worked, or was refused on its merits.
  virtual void conclude(const policy::ActionSettled& /*settled*/, const policy::Step& /*step*/,
                        policy::Decisions& /*out*/) {}

  /// The platform has no room for it now: it is asked for again later, after longer each time.
  virtual void lack_room(const policy::ActionSettled& settled, const policy::Step& step,
                         policy::Decisions& out) {
    std::uint8_t& times = lacked_[settled.job];
    ask_later(settled, ask_again_after(times), step, out);
    if (times < std::numeric_limits<std::uint8_t>::max()) ++times;
  }

  JobTable<Row> jobs_;

 private:
  void settle(const policy::ActionSettled& settled, const policy::Step& step,
              policy::Decisions& out) {
    if (worked(settled)) lacked_.erase(settled.job);
    switch (again(settled)) {
      case Again::never:
        return conclude(settled, step, out);
      case Again::when_released:
        return held_.add(settled, out);
      case Again::with_news:
        return forget(jobs_[settled.job], settled.attempt);
      case Again::later:
        return ask_later(settled, kAskAgainAfter, step, out);
      case Again::when_room:
        return lack_room(settled, step, out);
    }
  }

  void ask_later(const policy::ActionSettled& settled, policy::Duration pause,
                 const policy::Step& step, policy::Decisions& out) {
    forget(jobs_[settled.job], settled.attempt);
    out.wake_at(TimerKey{.job = settled.job, .attempt = settled.attempt}.packed(),
                policy::later(step.now, pause));
  }

  HeldBack held_;
  std::map<policy::JobId, std::uint8_t> lacked_;  ///< how often there was no room; few ever are
};

}  // namespace reeve::policies
