// A small world that loses, repeats, delays and reorders, and two rules that keep a host busy in
// it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "scripted_host.hpp"

namespace reeve::host {

constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

class TroubledWorld final : public Feed, public Actuator {
 public:
  TroubledWorld(std::uint64_t seed, std::uint32_t jobs) : seed_{seed}, jobs_(jobs) {
    for (std::uint32_t job = 0; job < jobs; ++job) {
      later_.emplace(at(1s * draw(600)), Happening{What::submit, job, 1, Primary::queued});
    }
    later_.emplace(at(200s), Happening{What::kill_switch_on});
    later_.emplace(at(400s), Happening{What::kill_switch_off});
  }

  Instant advance(Instant deadline, Intake& out) override {
    while (true) {
      Instant next = deadline;
      if (!later_.empty()) next = std::min(next, later_.begin()->first);
      if (!news_.empty()) next = std::min(next, news_.begin()->first);
      if (!replies_.empty()) next = std::min(next, replies_.begin()->first);
      now_ = std::max(now_, next);
      if (!later_.empty() && later_.begin()->first <= now_) {
        const Happening what = later_.begin()->second;
        later_.erase(later_.begin());
        happen(what);
        continue;
      }
      take(news_, out.observations);
      take(replies_, out.replies);
      return now_;
    }
  }

  void submit(const Attempt& attempt) override {
    const bool works = applied_.contains(attempt.action.value) || draw(4) != 0;
    const std::uint64_t trouble = draw(8);
    if (!works) {
      if (trouble < 6) reply(attempt, trouble < 3 ? ReplyKind::throttled : ReplyKind::unknown);
      return;
    }
    const bool possible = applied_.contains(attempt.action.value) || apply(attempt.verb);
    if (possible) applied_.insert(attempt.action.value);
    if (trouble == 0) return;  // lost
    if (trouble == 1) return reply(attempt, ReplyKind::unknown);
    reply(attempt, possible ? ReplyKind::done : ReplyKind::rejected);
    if (trouble == 2) reply(attempt, ReplyKind::done);  // twice, and contradicting itself
  }

 private:
  enum class What { submit, run, stop, end, kill_switch_on, kill_switch_off };
  struct Happening {
    What kind;
    std::uint32_t job = 0;
    AttemptNumber attempt = 1;
    Primary end_state = Primary::completed;
  };
  struct Job {
    AttemptNumber attempt = 0;
    std::uint16_t revision = 0;
    Primary primary = Primary::queued;
  };

  std::uint64_t draw(std::uint64_t below) { return mix(seed_ + ++draws_) % below; }

  template <class T>
  void take(std::multimap<Instant, T>& from, std::vector<T>& to) {
    while (!from.empty() && from.begin()->first <= now_) {
      to.push_back(from.begin()->second);
      from.erase(from.begin());
    }
  }

  void tell(const policy::Fact& fact) {
    const std::uint64_t copies = 1 + (draw(4) == 0 ? 1 : 0);
    for (std::uint64_t copy = 0; copy < copies; ++copy) {
      news_.emplace(now_ + 1s * draw(20), Observation{now_, fact});
    }
  }
  void reply(const Attempt& attempt, ReplyKind kind) {
    replies_.emplace(now_ + 1s * draw(40), Reply{attempt.action, attempt.number, kind});
  }

  void enter(std::uint32_t index, Primary primary, Secondary secondary) {
    Job& job = jobs_[index];
    job.primary = primary;
    tell(policy::JobChanged{{index}, job.attempt, ++job.revision, primary, secondary});
  }

  void happen(const Happening& what) {
    if (what.kind >= What::kill_switch_on) {
      return tell(policy::KillSwitchChanged{what.kind == What::kill_switch_on});
    }
    Job& job = jobs_[what.job];
    if (what.kind == What::submit) {
      job = {what.attempt, 0, Primary::queued};
      policy::JobSubmitted news;
      news.job = {what.job};
      news.attempt = what.attempt;
      news.description.submitted_at = now_;
      return tell(news);
    }
    if (job.attempt != what.attempt || policy::is_terminal(job.primary)) return;
    if (what.kind == What::run) {
      enter(what.job, Primary::in_progress, Secondary::training);
    } else if (what.kind == What::stop) {
      enter(what.job, Primary::stopping, Secondary::stopping);
    } else {
      enter(what.job, what.end_state, Secondary::other);
    }
  }

  bool apply(const policy::Verb& verb) {
    const Target about = target(verb);
    if (!changes_job(verb)) return true;
    const Job& job = jobs_[about.job.index];
    const auto soon = [&](Happening what, Duration wait) { later_.emplace(now_ + wait, what); };
    if (std::holds_alternative<policy::CloneJob>(verb)) {
      if (job.attempt + 1 != about.attempt || !policy::is_terminal(job.primary)) return false;
      soon({What::submit, about.job.index, about.attempt}, 0s);
      return true;
    }
    if (job.attempt != about.attempt || policy::is_terminal(job.primary)) return false;
    if (std::holds_alternative<policy::StartJob>(verb)) {
      soon({What::run, about.job.index, about.attempt}, 1s * draw(5));
      soon({What::end, about.job.index, about.attempt}, 10s + 1s * draw(900));
    } else if (std::holds_alternative<policy::StopJob>(verb)) {
      soon({What::stop, about.job.index, about.attempt}, 1s);
      soon({What::end, about.job.index, about.attempt, Primary::stopped}, 120s);
    }
    return true;
  }

  std::uint64_t seed_;
  std::uint64_t draws_ = 0;
  Instant now_ = at(0s);
  std::vector<Job> jobs_;
  std::set<std::uint64_t> applied_;
  std::multimap<Instant, Happening> later_;
  std::multimap<Instant, Observation> news_;
  std::multimap<Instant, Reply> replies_;
};

/// Starts, stops, restarts, alarms and tells, by belief and by a fixed hash of what it sees.
class Busybody final : public policy::Policy {
 public:
  explicit Busybody(std::uint64_t taste) : taste_{taste} {}

  void decide(const policy::Step& step, policy::Decisions& out) override {
    for (const Observation& seen : step.observed) {
      if (const auto* news = std::get_if<policy::JobSubmitted>(&seen.fact)) {
        act(step, news->job, out);
      } else if (const auto* change = std::get_if<policy::JobChanged>(&seen.fact)) {
        act(step, change->job, out);
      } else if (const auto* timer = std::get_if<policy::TimerFired>(&seen.fact)) {
        act(step, {static_cast<std::uint32_t>(timer->key)}, out);
      } else if (const auto* settled = std::get_if<policy::ActionSettled>(&seen.fact)) {
        if (settled->outcome == Outcome::expired) act(step, settled->job, out);
      }
    }
  }

 private:
  void act(const policy::Step& step, JobId job, policy::Decisions& out) {
    const policy::JobStatus& status = step.fleet.status(job);
    const std::uint64_t mood = mix(taste_ + job.index + 1000U * status.revision + ++acts_) % 8;
    if (status.primary == Primary::queued) {
      out.propose(policy::StartJob{job, status.attempt}, "start what waits");
    } else if (status.primary == Primary::in_progress && mood < 3) {
      out.propose(policy::StopJob{job, status.attempt}, "stop what \"runs\"");
    } else if (policy::is_terminal(status.primary) && status.attempt < 3) {
      out.propose(policy::CloneJob{job, static_cast<AttemptNumber>(status.attempt + 1)}, "again");
    }
    if (mood == 4) out.propose(policy::Notify{job, status.attempt}, "tell");
    if (mood == 5) out.propose(policy::PutAlarm{{job, 1, 0}, status.attempt, {}}, "watch");
    if (mood == 6) out.propose(policy::LimitRuntime{job, status.attempt, 1h}, "cap");
    if (acts_ < 200) out.wake_at(job.index, step.now + std::chrono::seconds{mood * 7});
  }

  std::uint64_t taste_;
  std::uint64_t acts_ = 0;
};

inline std::vector<Seat> busy_seats(std::uint64_t taste) {
  std::vector<Seat> seats;
  seats.push_back({"low", "busybody", 1, Mode::enforce, std::make_unique<Busybody>(taste)});
  seats.push_back({"high", "busybody", 2, Mode::enforce, std::make_unique<Busybody>(taste + 1)});
  seats.push_back({"shade", "busybody", 3, Mode::shadow, std::make_unique<Busybody>(taste + 2)});
  seats.push_back({"voice", "busybody", 0, Mode::warn, std::make_unique<Busybody>(taste + 3)});
  return seats;
}

inline Guards busy_guards() {
  Guards guards;
  guards.push_back(stops_per_hour(5));
  guards.push_back(std::make_unique<KillSwitch>());
  return guards;
}

}  // namespace reeve::host
