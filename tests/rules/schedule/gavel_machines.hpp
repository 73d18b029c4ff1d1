// The rule `schedule` with Gavel's rounds on a bench of machines of several kinds: what it decides
// takes effect at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/rules/rule_bench.hpp"
#include "tests/rules/schedule/oracles/gavel.hpp"

namespace reeve::policies::gavel_machines {

using tests::oracle::MovingJob;
using tests::oracle::Whereabouts;

struct CapacityChange {
  std::int64_t at = 0;
  PoolId pool;
  std::uint32_t instances = 0;
};

struct World {
  std::vector<MovingJob> jobs = {};
  std::vector<std::int64_t> machines = {};
  std::int64_t round = 6;
  std::vector<CapacityChange> changes = {};
};

/// The rule on a bench; what it decides takes effect at once.
class Machines {
 public:
  explicit Machines(const World& world)
      : world_{world},
        bench_{"schedule",
               R"({"algorithm": "gavel", "round": ")" + std::to_string(world.round) + "m\"}"},
        rows_(world.jobs.size()),
        where_(world.jobs.size()) {
    bench_.directory.queues.push_back({.name = "queue"});
    bench_.directory.types.clear();
    bench_.directory.pools.clear();
    for (std::uint32_t pool = 0; pool < world.machines.size(); ++pool) {
      const std::string name = "kind" + std::to_string(pool);
      bench_.directory.types.push_back({.name = name, .gpus = 1, .price = {}});
      bench_.directory.pools.push_back({.name = name, .type = {pool}});
      news_.push_back(
          CapacityChanged{PoolId{pool}, static_cast<std::uint32_t>(world.machines[pool])});
    }
  }

  Whereabouts until(std::int64_t end) {
    for (std::int64_t now = 0; now < end; ++now) {
      for (const CapacityChange& change : world_.changes) {
        if (change.at == now) news_.push_back(CapacityChanged{change.pool, change.instances});
      }
      for (std::size_t job = 0; job < rows_.size(); ++job) hear(job, now);
      for (Fact& timer : bench_.fired(std::chrono::minutes{now})) news_.push_back(timer);
      while (!news_.empty()) {
        carry_out(bench_.at(std::chrono::minutes{now}, std::exchange(news_, {})));
      }
      for (std::size_t job = 0; job < rows_.size(); ++job) live(job);
    }
    return where_;
  }

  std::size_t preempted() const { return preempted_; }
  /// From now on the platform sends no job to the pool.
  void refuse(PoolId pool) { refused_ = pool; }
  std::size_t refusals() const { return refusals_; }

 private:
  struct Row {
    AttemptNumber attempt = 0;
    std::int64_t done = 0;
    std::size_t pool = 0;  ///< in whose line it stands, or that it runs on
    bool runs = false;
    bool is_over = false;
  };

  void hear(std::size_t job, std::int64_t now) {
    Row& row = rows_[job];
    if (world_.jobs[job].submit == now) {
      row.pool = world_.jobs[job].asks_for;
      submit(job);
    }
    if (row.attempt > 0 && !row.is_over && row.done >= world_.jobs[job].work) {
      row.is_over = true;
      row.runs = false;
      news_.push_back(changed(id(job), 9, Secondary::completed, row.attempt));
    }
    for (const auto& [fails, returns] : world_.jobs[job].absences) {
      if (row.is_over) return;
      if (fails == now) {
        row.runs = false;
        news_.push_back(changed(id(job), 9, Secondary::failed, row.attempt));
      } else if (returns == now) {
        row.pool = world_.jobs[job].asks_for;
        submit(job);
      }
    }
  }

  void submit(std::size_t job) {
    const MovingJob& facts = world_.jobs[job];
    JobDescription description;
    description.instances = static_cast<std::uint32_t>(facts.instances);
    description.submitted_at = kStart + std::chrono::minutes{facts.submit};
    description.pool = {static_cast<std::uint32_t>(rows_[job].pool)};
    description.type = {description.pool.index};
    SpeedsByType speeds;
    for (const std::int64_t speed : facts.speeds) {
      speeds.push_back(static_cast<std::uint32_t>(speed * 1'000'000));
    }
    JobTerms terms;
    terms.queue = QueueId{0};
    terms.speeds = bench_.directory.intern(speeds).value();
    description.terms = bench_.directory.intern(terms).value();
    news_.push_back(submitted(id(job), ++rows_[job].attempt, description));
  }

  void carry_out(const Wishes& wishes) {
    for (const PreemptJob& verb : wishes.all<PreemptJob>()) {
      Row& row = rows_[verb.job.index];
      EXPECT_TRUE(row.runs);
      row.runs = false;
      ++preempted_;
      news_.push_back(
          settled(verb.job, VerbKind::preempt_job, Outcome::done, kOwnSeat, verb.attempt));
      news_.push_back(changed(verb.job, 9, Secondary::stopped, verb.attempt));
      submit(verb.job.index);
    }
    for (const PlaceJob& verb : wishes.all<PlaceJob>()) place(verb);
    for (const StartJob& verb : wishes.all<StartJob>()) {
      Row& row = rows_[verb.job.index];
      EXPECT_FALSE(row.runs);
      row.runs = true;
      EXPECT_GE(room(row.pool), 0) << "pool " << row.pool;
      news_.push_back(changed(verb.job, 1, Secondary::training, verb.attempt));
    }
  }

  void place(const PlaceJob& verb) {
    Row& row = rows_[verb.job.index];
    EXPECT_FALSE(row.runs);
    EXPECT_GT(world_.jobs[verb.job.index].speeds[verb.pool.index], 0);
    if (refused_ == verb.pool) {
      ++refusals_;
      news_.push_back(refused_by(Refusal::platform, verb.job, VerbKind::place_job, verb.attempt));
      return;
    }
    row.pool = verb.pool.index;
    news_.push_back(JobPlaced{verb.job, verb.attempt, verb.pool});
  }

  std::int64_t room(std::size_t pool) const {
    std::int64_t left = world_.machines[pool];
    for (std::size_t job = 0; job < rows_.size(); ++job) {
      if (rows_[job].runs && rows_[job].pool == pool) left -= world_.jobs[job].instances;
    }
    return left;
  }

  void live(std::size_t job) {
    Row& row = rows_[job];
    where_[job].push_back(row.runs ? std::optional{row.pool} : std::nullopt);
    if (row.runs) row.done += world_.jobs[job].speeds[row.pool];
  }

  static JobId id(std::size_t job) { return {static_cast<std::uint32_t>(job)}; }

  const World& world_;
  RuleBench bench_;
  std::vector<Fact> news_;
  std::vector<Row> rows_;
  Whereabouts where_;
  std::optional<PoolId> refused_;
  std::size_t refusals_ = 0;
  std::size_t preempted_ = 0;
};

inline constexpr std::int64_t kLong = 1'000'000;

/// How many of the minutes it was there.
inline double part(const std::vector<std::optional<std::size_t>>& where, std::size_t pool) {
  const auto there = std::count(where.begin(), where.end(), std::optional{pool});
  return static_cast<double>(there) / static_cast<double>(where.size());
}

}  // namespace reeve::policies::gavel_machines
