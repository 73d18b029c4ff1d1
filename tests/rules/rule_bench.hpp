// A rule on a bench: hand-made steps in, its decisions out; belief and timers as the host keeps
// them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/rules/rule_options.hpp"

namespace reeve::policies {

using namespace policy;  // NOLINT: tests of the contract
using namespace std::chrono_literals;

inline constexpr SeatId kOwnSeat{2};
inline constexpr SeatId kOtherSeat{1};
inline constexpr Instant kStart{std::chrono::hours{400'000}};

/// Folds observations as the contract says: news of a job is ordered by (attempt, revision).
class TestFleet : public FleetView {
 public:
  explicit TestFleet(const Directory& directory) : FleetView{directory} {
    rules_ = {"max_runtime", "stalled_gpu", "resume"};
    rule_names_ = {"cap", "gpus", "again"};
  }

  void fold(const Observation& seen) {
    if (const auto* news = std::get_if<JobSubmitted>(&seen.fact)) {
      JobStatus& known = grow(news->job);
      if (news->attempt > known.attempt) begin(known, news->attempt, seen.happened_at);
      if (news->attempt >= known.described) {
        description_[news->job.index] = news->description;
        known.described = news->attempt;
      }
      if (news->attempt == known.attempt) {
        known.origin = news->origin;
        known.requested_at = seen.happened_at;
      }
    } else if (const auto* changed = std::get_if<JobChanged>(&seen.fact)) {
      fold(*changed, seen.happened_at);
    } else if (const auto* capacity = std::get_if<CapacityChanged>(&seen.fact)) {
      if (capacity->pool.index >= capacity_.size()) capacity_.resize(capacity->pool.index + 1);
      capacity_[capacity->pool.index] = capacity->instances;
    } else if (const auto* quota = std::get_if<QuotaChanged>(&seen.fact)) {
      const std::size_t pools = directory_.pools.size();
      quota_.resize(directory_.shares.size() * pools);
      quota_[quota->share.index * pools + quota->pool.index] = quota->instances;
    } else if (const auto* priority = std::get_if<PriorityChanged>(&seen.fact)) {
      grow(priority->job);
      description_[priority->job.index].priority = priority->priority;
    } else if (const auto* progress = std::get_if<ProgressReported>(&seen.fact)) {
      if (progress->job.index >= progress_.size()) progress_.resize(progress->job.index + 1);
      progress_[progress->job.index] = {progress->done, progress->overhead_left, progress->pool,
                                        progress->attempt, progress->holds_machines};
    } else if (const auto* kill_switch = std::get_if<KillSwitchChanged>(&seen.fact)) {
      if (seen.happened_at < switched_at_) return;
      kill_switch_engaged_ = kill_switch->engaged;
      switched_at_ = seen.happened_at;
    }
  }

  JobStatus& grow(JobId job) {
    if (job.index >= status_.size()) {
      status_.resize(job.index + 1);
      description_.resize(job.index + 1);
    }
    return status_[job.index];
  }

 private:
  static void begin(JobStatus& status, AttemptNumber attempt, Instant at) {
    const AttemptNumber described = status.described;
    status = {};
    status.described = described;
    status.attempt = attempt;
    status.since = at;
    status.requested_at = at;
    status.training_since = never;
    status.ended_at = never;
  }

  void fold(const JobChanged& news, Instant at) {
    JobStatus& known = grow(news.job);
    if (news.attempt > known.attempt) begin(known, news.attempt, at);
    if (news.attempt < known.attempt) return;
    if (news.secondary == Secondary::training) {
      known.training_since = std::min(known.training_since, at);
    }
    known.interruptions = std::max(known.interruptions, news.interruptions);
    if (news.revision <= known.revision) return;
    known.revision = news.revision;
    known.primary = news.primary;
    known.secondary = news.secondary;
    known.failure = news.failure;
    known.doubt_pct = news.doubt_pct;
    known.lacks_capacity = news.lacks_capacity;
    known.since = at;
    if (is_terminal(news.primary)) known.ended_at = at;
  }

  Instant switched_at_ = Instant::min();
};

/// What one step brought.
struct Wishes {
  std::vector<Verb> verbs;

  template <class V>
  std::vector<V> all() const {
    std::vector<V> found;
    for (const Verb& verb : verbs) {
      if (const V* match = std::get_if<V>(&verb)) found.push_back(*match);
    }
    return found;
  }
  template <class V>
  std::size_t count() const {
    return all<V>().size();
  }
};

class RuleBench {
 public:
  RuleBench(std::string_view rule, const std::string& options) : policy_{make_rule(rule, options)} {
    directory.types.push_back({.name = "ml.demo.8gpu", .gpus = 8, .price = {}});
    directory.pools.push_back({.name = "pool"});
  }
  RuleBench(const RuleBench&) = delete;
  RuleBench& operator=(const RuleBench&) = delete;

  /// A step at `kStart + at` with news that happened then.
  Wishes at(Duration at, std::vector<Fact> facts) {
    std::vector<Observation> seen;
    for (Fact& fact : facts) seen.push_back({kStart + at, std::move(fact)});
    return step(at, seen);
  }
  Wishes step(Duration at, std::vector<Observation> seen) {
    answer_puts(at, seen);
    for (const Observation& news : seen) fleet.fold(news);
    Decisions out;
    policy_->decide({.now = kStart + at, .seat = kOwnSeat, .observed = seen, .fleet = fleet}, out);
    for (const auto& timer : out.timers()) timers_[timer.key] = timer.at;
    Wishes wishes;
    for (const Decision& decision : out.proposed()) {
      EXPECT_FALSE(decision.reason.empty());
      wishes.verbs.push_back(decision.verb);
      if (const auto* put = std::get_if<PutAlarm>(&decision.verb)) puts_.push_back(*put);
    }
    return wishes;
  }
  /// A step at `kStart + at` that fires whatever timers are due.
  Wishes tick(Duration at) { return this->at(at, fired(at)); }
  /// The timers that are due, as news.
  std::vector<Fact> fired(Duration at) {
    std::vector<Fact> due;
    for (auto timer = timers_.begin(); timer != timers_.end();) {
      const bool fires = timer->second <= kStart + at;
      if (fires) due.push_back(TimerFired{timer->first});
      timer = fires ? timers_.erase(timer) : std::next(timer);
    }
    return due;
  }
  /// Since `kStart`; nothing: there is none.
  std::optional<Duration> next_timer() const {
    std::optional<Duration> next;
    for (const auto& timer : timers_) {
      if (!next || timer.second - kStart < *next) next = timer.second - kStart;
    }
    return next;
  }
  std::size_t timers() const { return timers_.size(); }
  /// From now on alarms that were put stay unanswered until the test says otherwise.
  void leave_puts_unanswered() { answers_puts_ = false; }

  TagSetId tags(std::vector<Tag> set) { return directory.intern(std::move(set)); }

  Directory directory;
  TestFleet fleet{directory};

 private:
  /// As the host would: alarms that were put have worked by the next step, unless that says else.
  void answer_puts(Duration at, std::vector<Observation>& seen) {
    const bool told = std::any_of(seen.begin(), seen.end(), [](const Observation& news) {
      const auto* settled = std::get_if<ActionSettled>(&news.fact);
      return settled != nullptr && settled->verb == VerbKind::put_alarm;
    });
    if (answers_puts_ && !told) {
      for (const PutAlarm& put : puts_) {
        seen.insert(seen.begin(), {kStart + at, ActionSettled{{1},
                                                              VerbKind::put_alarm,
                                                              Outcome::done,
                                                              kOwnSeat,
                                                              put.alarm.job,
                                                              put.attempt,
                                                              put.alarm.host,
                                                              Refusal::none}});
      }
    }
    puts_.clear();
  }

  bool answers_puts_ = true;
  std::vector<PutAlarm> puts_;
  std::unique_ptr<Policy> policy_;
  std::map<std::uint64_t, Instant> timers_;
};

inline Fact submitted(JobId job, AttemptNumber attempt = 1, JobDescription description = {},
                      Origin origin = Origin::person) {
  return JobSubmitted{job, attempt, origin, description};
}

inline Primary primary_of(Secondary status) {
  switch (status) {
    case Secondary::queued:
      return Primary::queued;
    case Secondary::stopping:
      return Primary::stopping;
    case Secondary::completed:
      return Primary::completed;
    case Secondary::failed:
      return Primary::failed;
    case Secondary::stopped:
    case Secondary::max_runtime_exceeded:
    case Secondary::max_wait_time_exceeded:
      return Primary::stopped;
    default:
      return Primary::in_progress;
  }
}

inline Fact changed(JobId job, std::uint16_t revision, Secondary status, AttemptNumber attempt = 1,
                    FailureClass failure = FailureClass::none) {
  return JobChanged{job, attempt, revision, primary_of(status), status, failure};
}

inline Fact settled(JobId job, VerbKind verb, Outcome outcome, SeatId seat = kOwnSeat,
                    AttemptNumber attempt = 1) {
  const bool of_alarm = verb == VerbKind::put_alarm || verb == VerbKind::delete_alarm;
  const bool counts = verb == VerbKind::notify || verb == VerbKind::stop_job;
  return ActionSettled{.action = {1},
                       .verb = verb,
                       .outcome = outcome,
                       .seat = seat,
                       .job = job,
                       .attempt = attempt,
                       .host = of_alarm ? 1U : 0U,
                       .refusal = outcome == Outcome::refused ? Refusal::guard : Refusal::none,
                       .incident = static_cast<std::uint16_t>(counts ? 1 : 0)};
}

/// The settlement of another message, or stop, than the attempt's first.
inline Fact of_incident(std::uint16_t incident, Fact settlement) {
  std::get<ActionSettled>(settlement).incident = incident;
  return settlement;
}

/// Like `settled`, as refused by somebody else than a guard.
inline Fact refused_by(Refusal who, JobId job, VerbKind verb, AttemptNumber attempt = 1) {
  Fact fact = settled(job, verb, Outcome::refused, kOwnSeat, attempt);
  std::get<ActionSettled>(fact).refusal = who;
  return fact;
}

/// Like `settled`, of the alarm of another host.
inline Fact settled_on(std::uint32_t host, JobId job, VerbKind verb, Outcome outcome,
                       AttemptNumber attempt = 1) {
  Fact fact = settled(job, verb, outcome, kOwnSeat, attempt);
  std::get<ActionSettled>(fact).host = host;
  return fact;
}

}  // namespace reeve::policies
