// Gavel's rounds on machines of several kinds: by hand, in the long run, and against a plain oracle
// in random worlds.
#include "policies/scheduling/gavel.hpp"

#include <cmath>
#include <random>

#include "policies/scheduling/max_min_lp.hpp"
#include "rule_bench.hpp"
#include "tests/property/oracles/gavel.hpp"

namespace reeve::policies {
namespace gavel_test {

using tests::oracle::GavelOracle;
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
  /// From now on the platform sends nobody to the pool.
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

constexpr std::int64_t kLong = 1'000'000;

/// How many of the minutes it was there.
double part(const std::vector<std::optional<std::size_t>>& where, std::size_t pool) {
  const auto there = std::count(where.begin(), where.end(), std::optional{pool});
  return static_cast<double>(there) / static_cast<double>(where.size());
}

// The paper's section 3: two jobs, one machine of each of two kinds, of which one is 3 times as
// fast for the one and 2 times for the other: each is to be on either for half of its time.
TEST(Gavel, JobsTakeTurnsOnMachinesOfTwoKinds) {
  const World world{.jobs = {{0, kLong, 1, {1, 3}, 0}, {0, kLong, 1, {1, 2}, 0}},
                    .machines = {1, 1}};
  const Whereabouts where = Machines{world}.until(120);
  EXPECT_EQ(where[0][7], std::optional<std::size_t>{where[0][1] == 1U ? 0U : 1U});
  for (const auto& each : where) {
    EXPECT_EQ(part(each, 0), 0.5);
    EXPECT_EQ(part(each, 1), 0.5);
  }
}

// A job of which nobody stated any speeds stays where it asked to run.
TEST(Gavel, WhoIsForOneKindIsNeverSentElsewhere) {
  const World world{.jobs = {{0, kLong, 1, {1, 0}, 0}, {0, kLong, 1, {1, 0}, 0}},
                    .machines = {1, 5}};
  const Whereabouts where = Machines{world}.until(120);
  EXPECT_EQ(part(where[0], 0), 0.5);
  EXPECT_EQ(part(where[1], 0), 0.5);
}

// For the first half of an hour there is no fast one; then both are to be there all of their time.
TEST(Gavel, MachinesThatAreNewAreInTheNextProgramme) {
  const World world{.jobs = {{0, kLong, 1, {1, 3}, 0}, {0, kLong, 1, {1, 2}, 0}},
                    .machines = {1, 2},
                    .changes = {{0, {1}, 0}, {30, {1}, 2}}};
  const Whereabouts where = Machines{world}.until(120);
  for (const auto& each : where) {
    EXPECT_EQ(part({each.begin(), each.begin() + 30}, 1), 0);
    EXPECT_EQ(part({each.begin() + 36, each.end()}, 1), 1);
  }
}

TEST(Gavel, WhereThePlatformRefusesAJobItIsNotSentAgain) {
  const World world{.jobs = {{0, kLong, 1, {1, 3}, 0}, {0, kLong, 1, {1, 2}, 0}},
                    .machines = {1, 1}};
  Machines machines{world};
  machines.refuse({1});
  const Whereabouts where = machines.until(240);
  EXPECT_EQ(machines.refusals(), 2U) << "once for each job";
  EXPECT_NEAR(part(where[0], 0), 0.5, 0.06);
  EXPECT_NEAR(part(where[1], 0), 0.5, 0.06);
}

World drawn(std::uint32_t seed, bool stays) {
  std::mt19937 luck{seed};
  const auto number = [&luck](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(luck() % static_cast<std::uint32_t>(high - low + 1));
  };
  World world;
  world.round = number(1, 4) * 5;
  for (std::int64_t pools = number(1, 3); pools > 0; --pools) {
    world.machines.push_back(number(1, 6));
  }
  for (std::int64_t left = number(1, 8); left > 0; --left) {
    MovingJob job;
    job.submit = stays ? 0 : number(0, 150);
    job.work = stays ? kLong : number(5, 200);
    job.asks_for = static_cast<std::size_t>(number(0, std::ssize(world.machines) - 1));
    job.instances = number(1, std::min<std::int64_t>(3, world.machines[job.asks_for]));
    for (std::size_t pool = 0; pool < world.machines.size(); ++pool) {
      job.speeds.push_back(pool == job.asks_for ? number(1, 3) : number(0, 3));
    }
    world.jobs.push_back(job);
  }
  return world;
}

TEST(Gavel, InRandomWorldsEachIsWhereTheOracleSays) {
  std::size_t preempted = 0;
  std::size_t moved = 0;
  const std::int64_t begin = kStart.time_since_epoch() / std::chrono::minutes{1};
  for (std::uint32_t seed = 1; seed <= 500 && !testing::Test::HasFailure(); ++seed) {
    const World world = drawn(seed, false);
    Machines machines{world};
    const Whereabouts mine = machines.until(400);
    const Whereabouts expected =
        GavelOracle{world.jobs, world.machines, world.round, begin % world.round}.until(400);
    for (std::size_t job = 0; job < mine.size(); ++job) {
      for (std::size_t minute = 0; minute < mine[job].size(); ++minute) {
        ASSERT_EQ(mine[job][minute], expected[job][minute])
            << "seed " << seed << ", job " << job << ", minute " << minute;
      }
      moved += part(mine[job], world.jobs[job].asks_for) == 0 ? 1U : 0U;
    }
    preempted += machines.preempted();
  }
  EXPECT_GT(preempted, 2000U);
  EXPECT_GT(moved, 100U);
}

// Where nobody comes or goes each has, in the long run, what the programme says; more only where
// machines would be idle.
TEST(Gavel, InTheLongRunEachHasTheTimeOfTheProgramme) {
  std::size_t looked_at = 0;
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    World world = drawn(seed, true);
    std::vector<TimeClaim> claims;
    for (MovingJob& job : world.jobs) {
      job.instances = 1;  // gangs leave machines that nobody fits on
      claims.push_back({.speeds = {job.speeds.begin(), job.speeds.end()}});
    }
    const std::vector<double> capacity{world.machines.begin(), world.machines.end()};
    const TimeShares shares = max_min_time(claims, capacity);
    const std::int64_t rounds = 300;
    const Whereabouts where = Machines{world}.until(rounds * world.round);
    for (std::size_t job = 0; job < where.size(); ++job) {
      double served = 0;
      double due = 0;
      for (std::size_t pool = 0; pool < capacity.size(); ++pool) {
        const auto speed = static_cast<double>(world.jobs[job].speeds[pool]);
        served += part(where[job], pool) * speed;
        due += shares.fractions[job][pool] * speed;
      }
      ++looked_at;
      EXPECT_GE(served, due * 0.97) << "seed " << seed << ", job " << job;
    }
  }
  EXPECT_GT(looked_at, 200U);
}

}  // namespace gavel_test
}  // namespace reeve::policies
