// The rule `schedule` in the place of a plain oracle: it is told what the oracle would see, and its
// decisions take effect at once.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/rules/rule_bench.hpp"
#include "tests/rules/schedule/oracles/quota_shares.hpp"

namespace reeve::policies {

namespace oracle = tests::oracle;
using oracle::Tick;

/// Of one pool.
struct QueueWorld {
  std::int64_t machines = 0;
  std::vector<oracle::Job> jobs = {};
  std::vector<ShareFacts> shares = {};
  std::vector<std::int64_t> quotas = {};  ///< of the shares; empty: there are none
  std::vector<std::string> users = {};    ///< of the jobs, as tags; empty: they have none
  std::vector<oracle::LimitChange> limits = {};
  std::vector<oracle::PriorityChange> priorities = {};
};

/// The rule on a bench, asked as an oracle is.
class RuleAsOrder final : public oracle::Order {
 public:
  RuleAsOrder(const QueueWorld& world, const std::string& options)
      : world_{world},
        bench_{"schedule", options},
        attempts_(world.jobs.size()),
        priorities_(world.jobs.size()) {
    bench_.directory.queues.push_back({.name = "queue"});
    news_.push_back(CapacityChanged{PoolId{0}, static_cast<std::uint32_t>(world.machines)});
    for (std::uint32_t share = 0; share < world.shares.size(); ++share) {
      bench_.directory.shares.push_back(world.shares[share]);
      if (world.quotas.empty()) continue;
      news_.push_back(
          QuotaChanged{{share}, PoolId{0}, static_cast<std::uint32_t>(world.quotas[share])});
    }
    for (std::size_t job = 0; job < priorities_.size(); ++job) {
      priorities_[job] = static_cast<std::int32_t>(world.jobs[job].priority);
    }
  }

  oracle::Moves decide(const oracle::State& state) override {
    for (Fact& timer : bench_.fired(std::chrono::minutes{state.now})) {
      news_.push_back(std::move(timer));
    }
    hear(state);
    const std::set<std::size_t> before{state.running.begin(), state.running.end()};
    std::set<std::size_t> stopped;
    running_ = before;
    while (!news_.empty()) {
      const Wishes wishes = bench_.at(std::chrono::minutes{state.now}, std::exchange(news_, {}));
      for (const PreemptJob& verb : wishes.all<PreemptJob>()) {
        preempt(verb);
        if (before.count(verb.job.index) == 1) stopped.insert(verb.job.index);
      }
      for (const StartJob& verb : wishes.all<StartJob>()) {
        running_.insert(verb.job.index);
        news_.push_back(changed(verb.job, 1, Secondary::training, verb.attempt));
      }
    }
    oracle::Moves moves;
    moves.stop.assign(stopped.begin(), stopped.end());
    for (const std::size_t job : running_) {
      if (before.count(job) == 0 || stopped.count(job) == 1) moves.start.push_back(job);
    }
    return moves;
  }

  Tick next_change(const oracle::State& state) override {
    Tick next = oracle::never;
    if (const auto timer = bench_.next_timer())
      next = std::chrono::ceil<std::chrono::minutes>(*timer).count();
    for (const auto& change : world_.limits) {
      if (change.at > state.now) next = std::min(next, change.at);
    }
    for (const auto& change : world_.priorities) {
      if (change.at > state.now) next = std::min(next, change.at);
    }
    return next;
  }

 private:
  /// What came and went since.
  void hear(const oracle::State& state) {
    for (const std::size_t job : running_) {
      if (state.runs(job)) continue;
      news_.push_back(changed(id(job), 9, Secondary::completed, attempts_[job]));
    }
    for (const oracle::LimitChange& change : world_.limits) {
      if (change.at != state.now) continue;
      news_.push_back(QuotaChanged{{static_cast<std::uint32_t>(change.share)},
                                   PoolId{0},
                                   static_cast<std::uint32_t>(change.limit)});
    }
    for (const oracle::PriorityChange& change : world_.priorities) {
      if (change.at != state.now) continue;
      priorities_[change.job] = static_cast<std::int32_t>(change.priority);
      if (attempts_[change.job] == 0) continue;
      news_.push_back(
          PriorityChanged{id(change.job), attempts_[change.job], priorities_[change.job]});
    }
    for (const std::size_t job : state.waiting) {
      if (attempts_[job] == 0) submit(job, Origin::person);
    }
  }

  void submit(std::size_t job, Origin origin) {
    const oracle::Job& facts = world_.jobs[job];
    JobDescription description;
    description.instances = static_cast<std::uint32_t>(facts.needs.front());
    description.expected_work = std::chrono::minutes{facts.estimated()};
    description.priority = priorities_[job];
    description.submitted_at = kStart + std::chrono::minutes{facts.submit};
    JobTerms terms;
    terms.queue = QueueId{0};
    terms.keeps_machines = facts.keeps;
    terms.share = ShareId{static_cast<std::uint32_t>(facts.share)};
    description.terms = bench_.directory.intern(terms).value();
    if (!world_.users.empty() && !world_.users[job].empty())
      description.tags = bench_.tags({{"username", world_.users[job]}});
    news_.push_back(submitted(id(job), ++attempts_[job], description, origin));
  }

  void preempt(const PreemptJob& verb) {
    EXPECT_EQ(running_.erase(verb.job.index), 1U);
    news_.push_back(
        settled(verb.job, VerbKind::preempt_job, Outcome::done, kOwnSeat, verb.attempt));
    news_.push_back(changed(verb.job, 9, Secondary::stopped, verb.attempt));
    submit(verb.job.index, Origin::queue);
  }

  static JobId id(std::size_t job) { return {static_cast<std::uint32_t>(job)}; }

  const QueueWorld& world_;
  RuleBench bench_;
  std::vector<Fact> news_;
  std::vector<AttemptNumber> attempts_;
  std::vector<std::int32_t> priorities_;
  std::set<std::size_t> running_;
};

/// Without those that were over before they began.
inline std::vector<std::pair<Tick, Tick>> spans(const oracle::Course& course) {
  std::vector<std::pair<Tick, Tick>> out;
  for (const auto& span : course.held) {
    if (span.from < span.until) out.emplace_back(span.from, span.until);
  }
  return out;
}

}  // namespace reeve::policies
