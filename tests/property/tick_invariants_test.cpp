// What must hold in every tick world: random ones, with each strategy, checked end to end.
#include <gtest/gtest.h>

#include <algorithm>

#include "models/offer_cursor.hpp"
#include "scenarios/load.hpp"
#include "tests/property/journaled_run.hpp"
#include "tests/property/random_ticks.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace tick_invariants_test {

using models::Charge;
using models::Use;

scenarios::Scenario load_text(const std::string& text) {
  return scenarios::load(scenarios::SourceFile::from_text("ticks.jsonc", text), ".").scenario;
}

class TickInvariants : public EachSeed {
 protected:
  template <class Check>
  void each_world(Check check) {
    each_seed([&](std::uint64_t seed) { check(seed, load_text(RandomTicks{seed}.text())); });
  }
};

TEST_F(TickInvariants, UsesLinesAndTimesSumToTheBill) {
  std::size_t done = 0;
  std::size_t interrupted = 0;
  each_world([&](std::uint64_t, const scenarios::Scenario& scenario) {
    const auto result =
        experiments::run(scenario, scenario.policies.back(), 0, {.keep = everything});
    const models::Record& record = result.record;
    EXPECT_TRUE(record.ledger.residual() == 0);
    Charge lines = 0;
    std::vector<Charge> held(scenario.world.pools.size());
    std::vector<Charge> worked(record.job_rows.size());
    for (const models::LedgerLine& line : record.ledger_lines) {
      lines += line.amount;
      const Charge time = Charge{line.instances} * (line.until - line.from).count();
      held[line.pool.index] += time;
      EXPECT_TRUE(line.amount == time * scenario.world.pools[line.pool.index].price.nanos);
      if (line.use == Use::productive) worked[line.job.index] += time;
    }
    EXPECT_TRUE(lines == record.ledger.billed());
    for (std::size_t pool = 0; pool < held.size(); ++pool) {
      EXPECT_TRUE(held[pool] == record.billed_time[pool]);
      EXPECT_TRUE(held[pool] == record.allocated_time[pool]);
    }
    for (const models::AttemptRow& row : record.attempts) {
      const auto alive = static_cast<std::int64_t>(record.job_ticks[row.job.index]);
      EXPECT_LE(models::waited_again(record, row.job) + row.billed,
                scenario.world.ticks.tick * alive);
    }
    for (std::size_t job = 0; job < worked.size(); ++job) {
      const models::JobSpec& spec = record.jobs.specs[job];
      const models::JobRow& row = record.job_rows[job];
      const bool finished = row.status == policy::Primary::completed;
      EXPECT_TRUE(worked[job] == Charge{spec.instances} * row.progress.count()) << "all lasts";
      EXPECT_EQ(finished, row.progress == spec.work && row.end != policy::never);
      done += finished ? 1 : 0;
    }
    interrupted += record.interruptions;
  });
  EXPECT_GT(done, 0u);
  EXPECT_GT(interrupted, 0u);
}

TEST_F(TickInvariants, EverythingHappensAtTheStartOfATick) {
  each_world([&](std::uint64_t, const scenarios::Scenario& scenario) {
    const auto result =
        experiments::run(scenario, scenario.policies.back(), 0, {.keep = everything});
    const policy::Duration tick = scenario.world.ticks.tick;
    for (const models::AttemptRow& row : result.record.attempts) {
      EXPECT_EQ(row.billed % tick, policy::Duration{0});
      if (!row.had_machines()) continue;  // the run's end, or its job's, is no tick's
      EXPECT_EQ((row.billed_from - scenario.world.start) % tick, policy::Duration{0});
      EXPECT_EQ((row.end - scenario.world.start) % tick, policy::Duration{0});
    }
    for (const models::EventRow& row : result.record.events) {
      EXPECT_GE(row.delivered, row.at);
      if (row.secondary == policy::Secondary::pending) continue;  // it may be submitted in between
      EXPECT_EQ((row.at - scenario.world.start) % tick, policy::Duration{0});
    }
  });
}

TEST_F(TickInvariants, NobodyHoldsMachinesThatAreNotOnOffer) {
  std::size_t rows = 0;
  each_world([&](std::uint64_t, const scenarios::Scenario& scenario) {
    const models::World& world = scenario.world;
    const auto result =
        experiments::run(scenario, scenario.policies.back(), 0, {.keep = everything});
    for (std::uint32_t index = 0; index < world.pools.size(); ++index) {
      models::OfferCursor market{world, 0, {index}};
      for (const models::UtilizationRow& row : result.record.utilization) {
        if (row.pool.index != index) continue;
        const policy::Duration at = row.at - world.start;
        const policy::Duration tick_start = at - at % world.ticks.tick;
        while (market.next_at() <= tick_start) market.advance();
        EXPECT_LE(row.allocated, market.offered()) << "at " << at.count();
        EXPECT_LE(row.used, row.allocated);
        EXPECT_LE(row.allocated, row.there);
        ++rows;
      }
    }
    const models::Record& record = result.record;
    const auto occupied = models::occupancy(record);
    for (const auto& [time, peak] : {std::pair{occupied.allocated, record.peak_allocated},
                                     {occupied.used, record.peak_used}}) {
      EXPECT_TRUE(time <= occupied.capacity);
      EXPECT_TRUE(time * peak.whole <= occupied.capacity * peak.part) << "the mean is no peak";
    }
  });
  EXPECT_GT(rows, 0u);
}

TEST_F(TickInvariants, StrategiesInShadowChangeNothing) {
  each_world([&](std::uint64_t, const scenarios::Scenario& scenario) {
    const auto alone =
        experiments::run(scenario, scenario.policies.front(), 0, {.keep = everything});
    const auto watched =
        experiments::run(scenario, scenario.policies.back(), 0, {.keep = everything});
    EXPECT_TRUE(alone.record.ledger.billed() == watched.record.ledger.billed());
    for (std::size_t job = 0; job < alone.record.job_rows.size(); ++job) {
      EXPECT_EQ(alone.record.job_rows[job].end, watched.record.job_rows[job].end);
      EXPECT_EQ(alone.record.job_ticks[job], watched.record.job_ticks[job]);
    }
    EXPECT_EQ(alone.record.events.size(), watched.record.events.size());
  });
}

TEST_F(TickInvariants, TwiceThePriceIsTwiceTheDollars) {
  each_world([&](std::uint64_t seed, const scenarios::Scenario& once) {
    const auto twice = load_text(RandomTicks{seed, 2}.text());
    const auto a = experiments::run(once, once.policies.back(), 0);
    const auto b = experiments::run(twice, twice.policies.back(), 0);
    for (std::size_t use = 0; use < models::use_count; ++use) {
      EXPECT_TRUE(2 * a.record.ledger.uses()[use] == b.record.ledger.uses()[use]);
    }
    EXPECT_EQ(a.digest, b.digest);
  });
}

TEST_F(TickInvariants, AJournalReplayedOrCutAnywhereLeadsToTheSameEnd) {
  each_world([&](std::uint64_t seed, const scenarios::Scenario& scenario) {
    const scenarios::PolicySpec& policy = scenario.policies.back();
    const Taped taped = run_taped(scenario, policy);
    EXPECT_EQ(taped.journal, run_taped(scenario, policy).journal);
    const auto [replayed, digest] = replay(scenario, policy, taped.journal);
    EXPECT_EQ(taped.journal, replayed);
    EXPECT_EQ(taped.result.digest, digest);
    const auto lines = std::count(taped.journal.begin(), taped.journal.end(), '\n');
    const double place = sim::uniform({seed, 1, sim::Cause::scenario_fuzz, 0, 0});
    const auto cut = 1 + static_cast<std::uint64_t>(place * static_cast<double>(lines - 1));
    EXPECT_EQ(run_with_crash(scenario, policy, cut, taped.journal), taped.journal)
        << "cut after line " << cut;
  });
}

}  // namespace tick_invariants_test
}  // namespace reeve::tests
