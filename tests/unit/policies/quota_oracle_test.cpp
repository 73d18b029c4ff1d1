// The rule `schedule` with quota shares against a plain oracle of them, in random worlds.
#include <random>
#include <set>

#include "rule_bench.hpp"
#include "tests/property/oracles/quota_shares.hpp"

namespace reeve::policies {
namespace {

namespace oracle = tests::oracle;
using oracle::Tick;

constexpr PoolId kPool{0};

struct World {
  std::vector<oracle::Share> shares;
  std::vector<oracle::Job> jobs;
  oracle::QuotaModel model;
  std::vector<oracle::LimitChange> limits;
  std::vector<oracle::PriorityChange> priorities;
  std::int64_t machines = 0;
};

World drawn(std::uint32_t seed) {
  std::mt19937 luck{seed};
  const auto number = [&luck](std::uint32_t low, std::uint32_t high) {
    return static_cast<std::int64_t>(low + luck() % (high - low + 1));
  };
  World world;
  for (std::int64_t left = number(1, 5); left > 0; --left) {
    oracle::Share share;
    share.limit = number(1, 12);
    share.sharing = static_cast<oracle::Sharing>(std::min<std::int64_t>(number(0, 4), 2));
    if (number(0, 2) == 0) share.borrow_pct = number(0, 200);
    share.in_share_preemption = number(0, 1) == 0;
    world.machines += share.limit;
    world.shares.push_back(share);
  }
  const std::int64_t count = number(2, 60);
  for (std::int64_t left = count; left > 0; --left) {
    oracle::Job job;
    job.submit = number(0, 200);
    job.work = number(1, 60);
    job.needs = {number(1, 6)};
    job.priority = number(0, 4);
    job.share = static_cast<std::size_t>(number(1, 1000)) % world.shares.size();
    job.checkpoint_every = number(0, 3);
    world.jobs.push_back(job);
  }
  world.model.blocked_borrower_blocks = number(0, 2) == 0;
  world.model.surplus_at_once = number(0, 1) == 0;
  for (std::int64_t left = number(0, 2); left > 0; --left) {
    const std::size_t share = static_cast<std::size_t>(number(1, 1000)) % world.shares.size();
    world.limits.push_back({number(1, 200), share, number(0, 12)});
  }
  for (std::int64_t left = number(0, 3); left > 0; --left) {
    const std::size_t job = static_cast<std::size_t>(number(1, 1000)) % world.jobs.size();
    world.priorities.push_back({number(1, 200), job, number(0, 5)});
  }
  return world;
}

/// The rule on a bench, asked as an oracle is.
class Rule final : public oracle::Order {
 public:
  explicit Rule(const World& world)
      : world_{world},
        bench_{"schedule", options_of(world.model)},
        attempts_(world.jobs.size()),
        priorities_(world.jobs.size()) {
    bench_.directory.queues.push_back({.name = "queue"});
    news_.push_back(CapacityChanged{kPool, static_cast<std::uint32_t>(world.machines)});
    for (std::uint32_t share = 0; share < world.shares.size(); ++share) {
      const oracle::Share& terms = world.shares[share];
      ShareFacts facts;
      facts.sharing = static_cast<Sharing>(terms.sharing);
      facts.borrow_limit_pct = static_cast<std::int32_t>(terms.borrow_pct);
      facts.in_share_preemption = terms.in_share_preemption;
      bench_.directory.shares.push_back(facts);
      news_.push_back(QuotaChanged{{share}, kPool, static_cast<std::uint32_t>(terms.limit)});
    }
    for (std::size_t job = 0; job < priorities_.size(); ++job) {
      priorities_[job] = static_cast<std::int32_t>(world.jobs[job].priority);
    }
  }

  oracle::Moves decide(const oracle::State& state) override {
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
    for (const auto& change : world_.limits) {
      if (change.at > state.now) next = std::min(next, change.at);
    }
    for (const auto& change : world_.priorities) {
      if (change.at > state.now) next = std::min(next, change.at);
    }
    return next;
  }

 private:
  static std::string options_of(const oracle::QuotaModel& model) {
    return std::string{R"({"algorithm": "quota", "blocked_borrower": ")"} +
           (model.blocked_borrower_blocks ? "blocks_others" : "waits_alone") +
           R"(", "lowered_quota": ")" + (model.surplus_at_once ? "at_once" : "when_wanted") + "\"}";
  }

  /// What came and went since.
  void hear(const oracle::State& state) {
    for (const std::size_t job : running_) {
      if (state.runs(job)) continue;
      news_.push_back(changed(id(job), 9, Secondary::completed, attempts_[job]));
    }
    for (const oracle::LimitChange& change : world_.limits) {
      if (change.at != state.now) continue;
      news_.push_back(QuotaChanged{{static_cast<std::uint32_t>(change.share)},
                                   kPool,
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
    description.priority = priorities_[job];
    description.submitted_at = kStart + std::chrono::minutes{facts.submit};
    JobTerms terms;
    terms.queue = QueueId{0};
    terms.share = ShareId{static_cast<std::uint32_t>(facts.share)};
    description.terms = bench_.directory.intern(terms).value();
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

  const World& world_;
  RuleBench bench_;
  std::vector<Fact> news_;
  std::vector<AttemptNumber> attempts_;
  std::vector<std::int32_t> priorities_;
  std::set<std::size_t> running_;
};

/// Without those that were over before they began.
std::vector<std::pair<Tick, Tick>> spans(const oracle::Course& course) {
  std::vector<std::pair<Tick, Tick>> out;
  for (const auto& span : course.held) {
    if (span.from < span.until) out.emplace_back(span.from, span.until);
  }
  return out;
}

TEST(QuotaShares, InRandomWorldsEachHoldsItsMachinesWhenTheOracleSays) {
  std::size_t preempted = 0;
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    const World world = drawn(seed);
    oracle::QuotaShares plain{world.shares, world.model, world.limits, world.priorities};
    Rule rule{world};
    const auto expected = oracle::schedule(world.jobs, {world.machines}, plain);
    const auto courses = oracle::schedule(world.jobs, {world.machines}, rule);
    for (std::size_t job = 0; job < world.jobs.size(); ++job) {
      ASSERT_EQ(spans(courses[job]), spans(expected[job])) << "seed " << seed << ", job " << job;
      preempted += spans(courses[job]).size() > 1 ? 1U : 0U;
    }
  }
  EXPECT_GT(preempted, 100U);
}

}  // namespace
}  // namespace reeve::policies
