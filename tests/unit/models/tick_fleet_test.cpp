// The tick world behind its ports, without a host: calls tick by tick, and what they come to.
#include "models/fleet/tick_fleet.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace reeve::models {
namespace tick_fleet_test {

using namespace std::chrono_literals;
using policy::JobId;
using policy::PoolId;

constexpr PoolId spot{0};
constexpr PoolId on_demand{1};
constexpr Instant start = std::chrono::sys_days{std::chrono::year{2026} / 1 / 2};

/// Ticks of 10 min, restarts of 5 min; Spot costs a cent a minute and instance, on demand ten.
struct TickRig {
  TickRig() {
    world.start = start;
    world.platform.model = PlatformModel::ticks;
    world.ticks.tick = 10min;
    world.ticks.restart_overhead = 5min;
    world.directory.types.push_back({.name = "gpu", .gpus = 1, .price = {6'000'000'000}});
    world.directory.types.push_back({.name = "cpu", .gpus = 0, .price = {6'000'000'000}});
    add_pool(0, Market::spot, 600'000'000);
    add_pool(0, Market::on_demand, 6'000'000'000);
    world.profiles.push_back({});
    world.profiles[0].pool = spot;
  }
  void add_pool(std::uint32_t type, Market market, std::int64_t nanos) {
    const std::string name = "pool-" + std::to_string(world.pools.size());
    world.pools.push_back({name, {type}, market, 4, {nanos}});
    world.directory.pools.push_back({name, {type}, market});
  }
  JobId add_job(Duration work, Duration submit = 0s, std::uint32_t instances = 1) {
    world.jobs.specs.push_back({start + submit, work, work, instances, 0, 0});
    world.jobs.names.push_back("job-" + std::to_string(world.jobs.specs.size()));
    return {static_cast<std::uint32_t>(world.jobs.specs.size() - 1)};
  }
  void offer(std::vector<Offer> steps) { world.pools[0].replay = Replay{std::move(steps)}; }

  static policy::MoveJob to(JobId job, PoolId pool) { return {job, 1, true, pool}; }
  static policy::MoveJob off(JobId job) { return {job, 1, false, spot}; }

  /// `at[when]` is called when the clock gets there, and says what is asked for.
  using Script = std::map<Duration, std::vector<policy::Verb>>;
  Record run(const Script& script, std::uint32_t replication = 0) {
    TickFleet fleet{world, replication, {true, true, true, true, true}};
    Script left = script;
    std::uint64_t action = 0;
    for (;;) {
      host::Intake intake;
      const Instant now = fleet.advance(world.end, intake);
      if (now == policy::never) break;
      for (const auto& seen : intake.observations) {
        EXPECT_LE(seen.happened_at, now);
        if (std::holds_alternative<policy::ProgressReported>(seen.fact)) reports.push_back(seen);
        if (std::holds_alternative<policy::KillSwitchChanged>(seen.fact)) ++switches;
        if (const auto* offered = std::get_if<policy::CapacityChanged>(&seen.fact)) {
          if (offered->pool == spot) offers.emplace_back(now - start, offered->instances);
        }
      }
      for (const auto& reply : intake.replies) replies[reply.action.value] = reply.kind;
      if (now == world.end) break;
      const auto calls = left.extract(now - start);
      if (calls.empty()) continue;
      for (const policy::Verb& verb : calls.mapped()) fleet.submit({{++action}, 1, verb});
    }
    EXPECT_TRUE(left.empty()) << "a call at no tick";
    Record record = fleet.finish(world.end == policy::never ? start : world.end, false);
    EXPECT_TRUE(record.ledger.residual() == 0);
    Charge lines = 0;
    for (const LedgerLine& line : record.ledger_lines) lines += line.amount;
    EXPECT_TRUE(lines == record.ledger.billed());
    return record;
  }
  policy::ProgressReported report(std::size_t nth) const {
    return std::get<policy::ProgressReported>(reports.at(nth).fact);
  }

  World world;
  std::vector<policy::Observation> reports;
  std::vector<std::pair<Duration, std::uint32_t>> offers;  ///< of Spot, and when they were told
  std::map<std::uint64_t, host::ReplyKind> replies;        ///< by call, from 1
  std::size_t switches = 0;
};

std::int64_t cents(Charge amount) {
  return to_usd(amount).micros() / 10'000;
}

TEST(TickFleet, WhatIsHeldIsKeptAndPaidForInWholeTicks) {
  TickRig rig;
  const JobId job = rig.add_job(20min);
  const Record record = rig.run({{0s, {TickRig::to(job, on_demand)}}});
  EXPECT_EQ(record.job_rows[0].end, start + 30min);
  EXPECT_EQ(record.job_ticks[0], 3u);
  EXPECT_EQ(cents(record.ledger.billed()), 300) << "5 + 20 min are three ticks";
  EXPECT_EQ(cents(record.ledger.uses()[static_cast<std::size_t>(Use::startup)]), 50);
  EXPECT_EQ(cents(record.ledger.uses()[static_cast<std::size_t>(Use::productive)]), 200);
  EXPECT_EQ(cents(record.ledger.uses()[static_cast<std::size_t>(Use::drain)]), 50);
  ASSERT_EQ(rig.reports.size(), 3u) << "no rule is asked when the work is done";
  EXPECT_EQ(rig.report(1).done, 5min);
  EXPECT_EQ(rig.report(1).pool, on_demand);
  EXPECT_EQ(rig.report(2).done, 15min);
  ASSERT_EQ(record.attempts.size(), 1u);
  EXPECT_EQ(record.attempts[0].billed, 30min);
  EXPECT_EQ(record.attempts[0].pool, on_demand);
  EXPECT_EQ(record.ledger_lines.size(), 3u) << "one line for each use";
}

TEST(TickFleet, AnOverheadLongerThanATickEatsIntoTheNext) {
  TickRig rig;
  rig.world.ticks.restart_overhead = 25min;
  const JobId job = rig.add_job(5min);
  const Record record = rig.run({{0s, {TickRig::to(job, spot)}}});
  EXPECT_EQ(rig.report(1).overhead_left, 15min);
  EXPECT_EQ(rig.report(2).overhead_left, 5min);
  EXPECT_EQ(record.job_rows[0].end, start + 30min);
}

TEST(TickFleet, EveryMachineNewlyHeldStartsAnew) {
  TickRig rig;
  const JobId job = rig.add_job(20min);
  const Record record =
      rig.run({{0s, {TickRig::to(job, spot)}}, {10min, {TickRig::to(job, on_demand)}}});
  // 5 min of work in each of the first two ticks, then ten.
  EXPECT_EQ(record.job_rows[0].end, start + 30min);
  EXPECT_EQ(cents(record.ledger.billed()), 10 + 200);
  EXPECT_EQ(record.interruptions, 0u) << "it went by itself";
}

TEST(TickFleet, TheTickHasThePriceOfItsStart) {
  TickRig rig;
  rig.world.pools[0].prices = {{0s, {600'000'000}}, {15min, {1'200'000'000}}};
  const JobId job = rig.add_job(20min);
  const Record record = rig.run({{0s, {TickRig::to(job, spot)}}});
  EXPECT_EQ(cents(record.ledger.billed()), 10 + 10 + 20);
}

TEST(TickFleet, SpotIsLostAtTheStartOfATickAndNothingElseIs) {
  TickRig rig;
  rig.offer({{0s, 4}, {20min, 0}, {30min, 4}});
  const JobId job = rig.add_job(20min);
  const Record record =
      rig.run({{0s, {TickRig::to(job, spot)}}, {30min, {TickRig::to(job, spot)}}});
  EXPECT_EQ(record.interruptions, 1u);
  EXPECT_FALSE(rig.report(2).holds_machines);
  EXPECT_EQ(rig.report(2).done, 15min);
  EXPECT_EQ(record.job_rows[0].end, start + 40min);
  EXPECT_EQ(record.job_ticks[0], 4u) << "the idle one too";
  const std::vector<std::pair<Duration, std::uint32_t>> told{{0s, 4}, {20min, 0}, {30min, 4}};
  EXPECT_EQ(rig.offers, told) << "changes alone are told";
}

TEST(TickFleet, WhatIsDoneAtTheStartOfATickLosesNothing) {
  TickRig rig;
  rig.offer({{0s, 4}, {20min, 0}});
  const JobId job = rig.add_job(15min);
  const Record record = rig.run({{0s, {TickRig::to(job, spot)}}});
  EXPECT_EQ(record.job_rows[0].status, policy::Primary::completed);
  EXPECT_EQ(record.interruptions, 0u);
}

TEST(TickFleet, JobsShareWhatIsOnOffer) {
  TickRig rig;
  rig.offer({{0s, 3}});
  const JobId first = rig.add_job(15min, 0s, 2);
  const JobId second = rig.add_job(15min, 0s, 2);
  const Record record = rig.run({{0s, {TickRig::to(first, spot), TickRig::to(second, spot)}},
                                 {10min, {TickRig::off(first), TickRig::to(second, spot)}},
                                 {20min, {TickRig::off(second), TickRig::to(first, on_demand)}},
                                 {30min, {TickRig::to(second, spot)}}});
  EXPECT_EQ(rig.replies[1], host::ReplyKind::done);
  EXPECT_EQ(rig.replies[2], host::ReplyKind::rejected) << "one machine is left";
  EXPECT_EQ(rig.replies[4], host::ReplyKind::done) << "given back in the same tick";
  EXPECT_EQ(record.peak_instances, 4u);
  EXPECT_EQ(record.job_rows[0].end, start + 40min);
  EXPECT_EQ(record.job_rows[1].end, start + 50min);
}

TEST(TickFleet, WhoLosesMachinesFollowsTheOrderOfTheFleet) {
  for (const ReclaimOrder order : {ReclaimOrder::newest, ReclaimOrder::oldest}) {
    TickRig rig;
    rig.world.pools[0].reclaim_order = order;
    rig.offer({{0s, 2}, {20min, 1}});
    const JobId first = rig.add_job(1h);
    const JobId second = rig.add_job(1h);
    rig.world.end = start + 30min;
    const Record record =
        rig.run({{0s, {TickRig::to(first, spot)}}, {10min, {TickRig::to(second, spot)}}});
    EXPECT_EQ(record.job_rows[0].interruptions, order == ReclaimOrder::oldest ? 1 : 0);
    EXPECT_EQ(record.job_rows[1].interruptions, order == ReclaimOrder::newest ? 1 : 0);
  }
}

TEST(TickFleet, RefusesWhatHasNoMeaning) {
  TickRig rig;
  rig.add_pool(1, Market::on_demand, 1);
  const JobId job = rig.add_job(10min);
  const JobId later = rig.add_job(10min, 1h);
  rig.world.end = start + 20min;
  const std::vector<policy::Verb> calls{TickRig::to(job, PoolId{2}),
                                        TickRig::to(job, PoolId{3}),
                                        TickRig::to({9}, spot),
                                        TickRig::to(later, spot),
                                        policy::MoveJob{job, 2, true, spot},
                                        policy::StopJob{job, 1},
                                        TickRig::to(job, spot),
                                        TickRig::to(job, spot),
                                        policy::Notify{job, 1}};
  const Record record = rig.run({{0s, calls}});
  for (std::uint64_t call = 1; call <= 6; ++call) {
    EXPECT_EQ(rig.replies[call], host::ReplyKind::rejected) << call;
  }
  EXPECT_EQ(rig.replies[7], host::ReplyKind::done);
  EXPECT_EQ(rig.replies[8], host::ReplyKind::done) << "a repeat changes nothing";
  EXPECT_EQ(rig.replies[9], host::ReplyKind::done);
  EXPECT_EQ(record.notifications, 1u);
}

TEST(TickFleet, ACallBetweenTwoTicksIsRefused) {
  TickRig rig;
  rig.world.kill_switch.engaged = {{13min, 16min}};
  const JobId job = rig.add_job(10min);
  rig.world.end = start + 20min;
  rig.run({{13min, {TickRig::to(job, spot)}}});
  EXPECT_EQ(rig.switches, 2u);
  EXPECT_EQ(rig.replies[1], host::ReplyKind::rejected);
}

TEST(TickFleet, AJobThatComesBetweenTwoTicksWaitsForTheNext) {
  TickRig rig;
  const JobId job = rig.add_job(5min, 12min);
  const Record record = rig.run({{20min, {TickRig::to(job, spot)}}});
  EXPECT_EQ(record.job_rows[0].first_start, start + 20min);
  EXPECT_EQ(record.job_rows[0].end, start + 30min);
}

TEST(TickFleet, TheHorizonEndsWhatIsNotDone) {
  TickRig rig;
  const JobId job = rig.add_job(1h);
  rig.world.end = start + 30min;
  const Record record = rig.run({{0s, {TickRig::to(job, spot)}}});
  EXPECT_EQ(record.end, start + 30min);
  EXPECT_EQ(record.job_rows[0].status, policy::Primary::in_progress);
  EXPECT_EQ(record.job_rows[0].progress, 25min);
  EXPECT_EQ(cents(record.ledger.billed()), 30);
  ASSERT_EQ(record.attempts.size(), 1u);
  EXPECT_EQ(record.attempts[0].reason, EndReason::horizon);
}

TEST(TickFleet, WhatIsDoneWithTheHorizonIsDone) {
  TickRig rig;
  const JobId job = rig.add_job(25min);
  rig.world.end = start + 30min;
  const Record record = rig.run({{0s, {TickRig::to(job, spot)}}});
  EXPECT_EQ(record.job_rows[0].status, policy::Primary::completed);
}

TEST(TickFleet, EachRunMeetsItsWindowAndIsOverWithIt) {
  for (const std::uint32_t replication : {0u, 1u}) {
    TickRig rig;
    rig.offer({{0s, 4}, {30min, 0}, {50min, 4}});
    rig.world.pools[0].prices = {{0s, {600'000'000}}, {20min, {1'200'000'000}}};
    rig.world.ticks.windows = {{2, 5}, {1, 2}};
    const JobId job = rig.add_job(15min);
    const TickRig::Script tries{{0s, {TickRig::to(job, spot)}}};
    const TickRig::Script again{{0s, {TickRig::to(job, spot)}}, {30min, {TickRig::to(job, spot)}}};
    const Record record = rig.run(replication == 0 ? again : tries, replication);
    if (replication == 0) {  // ticks 2 to 6: up, down, down, up, up
      EXPECT_EQ(record.job_rows[0].end, start + 50min) << "with the last tick";
      EXPECT_EQ(cents(record.ledger.billed()), 3 * 20);
    } else {  // ticks 1 and 2: up, up
      EXPECT_EQ(record.job_rows[0].status, policy::Primary::completed);
      EXPECT_EQ(cents(record.ledger.billed()), 10 + 20);
    }
  }
}

TEST(TickFleet, AJobThatItsWindowEndsHasNoResult) {
  TickRig rig;
  rig.world.ticks.windows = {{0, 2}};
  const JobId job = rig.add_job(1h);
  const Record record = rig.run({{0s, {TickRig::to(job, spot)}}});
  EXPECT_EQ(record.job_rows[0].status, policy::Primary::in_progress);
  EXPECT_EQ(record.job_rows[0].end, policy::never);
  EXPECT_EQ(record.job_ticks[0], 2u);
  EXPECT_EQ(record.end, start + 20min);
  EXPECT_EQ(record.utilization.back().allocated, 0u);
}

TEST(TickFleet, RulesMayBeAskedOnceMoreWhenTheWorkIsDone) {
  for (const bool gives_back : {false, true}) {
    TickRig rig;
    rig.world.ticks.asks_when_done = true;
    const JobId job = rig.add_job(5min);
    TickRig::Script script{{0s, {TickRig::to(job, spot)}}};
    if (gives_back) script[10min] = {TickRig::off(job)};
    const Record record = rig.run(script);
    EXPECT_EQ(rig.report(1).done, 5min);
    EXPECT_EQ(record.job_ticks[0], 2u);
    EXPECT_EQ(record.job_rows[0].end, start + 20min);
    EXPECT_EQ(cents(record.ledger.billed()), gives_back ? 10 : 20);
    EXPECT_EQ(cents(record.ledger.uses()[static_cast<std::size_t>(Use::drain)]),
              gives_back ? 0 : 10);
  }
}

TEST(TickFleet, AWorldInWhichNothingCanHappenEnds) {
  TickRig rig;
  rig.world.ticks.tick = 24h;
  rig.add_job(1h);
  const Record record = rig.run({});
  EXPECT_EQ(record.job_rows[0].status, policy::Primary::in_progress);
  EXPECT_EQ(rig.reports.size(), 367u) << "after a year without progress";
  EXPECT_TRUE(record.ledger.billed() == 0);
  ASSERT_EQ(record.attempts.size(), 1u);
  EXPECT_FALSE(record.attempts[0].had_machines());
}

TEST(TickFleet, TheUtilizationTableSumsToTheTimesOfThePools) {
  TickRig rig;
  rig.offer({{0s, 4}, {20min, 0}, {30min, 4}});
  const JobId wide = rig.add_job(22min, 0s, 3);
  const JobId other = rig.add_job(7min, 10min);
  const Record record = rig.run({{0s, {TickRig::to(wide, spot)}},
                                 {10min, {TickRig::to(other, on_demand)}},
                                 {30min, {TickRig::to(wide, spot)}}});
  for (std::uint32_t pool = 0; pool < 2; ++pool) {
    Charge allocated = 0;
    Charge used = 0;
    UtilizationRow before{.at = start, .pool = {pool}};
    for (const UtilizationRow& row : record.utilization) {
      if (row.pool.index != pool) continue;
      EXPECT_GE(row.at, before.at);
      EXPECT_LE(row.used, row.allocated);
      allocated += Charge{before.allocated} * (row.at - before.at).count();
      used += Charge{before.used} * (row.at - before.at).count();
      before = row;
    }
    EXPECT_EQ(before.allocated, 0u) << "everything was given back";
    EXPECT_TRUE(allocated == record.allocated_time[pool]);
    EXPECT_TRUE(used == record.used_time[pool]);
    EXPECT_TRUE(allocated == record.billed_time[pool]);
    EXPECT_TRUE(used > 0);
  }
}

}  // namespace tick_fleet_test
}  // namespace reeve::models
