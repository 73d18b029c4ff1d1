// What must hold in every world: random scenarios with random trouble, checked end to end.
#include "tests/property/invariants.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "experiments/oracle.hpp"
#include "experiments/run.hpp"
#include "experiments/stop_verdicts.hpp"
#include "host/tape.hpp"
#include "models/offer_cursor.hpp"
#include "tests/property/journaled_run.hpp"
#include "tests/property/random_scenario.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace invariants_test {

using experiments::RunOptions;
using experiments::RunResult;
using models::Charge;

/// The same with prices of Spot that move every few hours.
scenarios::Scenario with_moving_prices(scenarios::Scenario scenario, std::uint64_t seed,
                                       std::int64_t factor = 1) {
  for (models::Pool& pool : scenario.world.pools) {
    if (pool.market != policy::Market::spot || seed % 3 == 0) continue;
    policy::Duration at{0};
    for (std::uint32_t nth = 0; nth < 60; ++nth) {
      const auto luck = [&](std::uint32_t of) {
        return sim::uniform({seed, 2, sim::Cause::scenario_fuzz, of, nth});
      };
      const auto nanos = static_cast<std::int64_t>(luck(0) * 2e10) + 1;
      pool.prices.push_back({at, {factor * nanos}});
      at += policy::Duration{static_cast<std::int64_t>(luck(1) * 2e13) + 1};
    }
  }
  return scenario;
}

/// Spot takes the machines of attempts, which are interrupted, and those that jobs left behind.
bool offered_all(const models::World& world, const models::Record& record, std::uint32_t index) {
  const models::Pool& pool = world.pools[index];
  return !models::offers_change(pool) && !pool.node_faults && world.outages.empty() &&
         record.pool_rows[index].interruptions == 0 &&
         std::ranges::none_of(record.offers, [&](const models::OfferRow& row) {
           return row.pool.index == index && row.lost > 0;
         });
}

/// Shares of the capacity are of what rows of utilization say that was there: never more than all
/// of it, and on the mean no more than at most.
void expect_what_was_there(const models::World& world, const models::Record& record) {
  const auto jobs = models::span(record);
  ASSERT_TRUE(jobs);
  const policy::Instant until = std::max(jobs->second, record.held_until);
  std::vector<Charge> there(world.pools.size());
  std::vector<policy::Instant> since(world.pools.size(), jobs->first);
  std::vector<std::uint32_t> last(world.pools.size());
  const auto pass = [&](std::uint32_t pool, policy::Instant at) {
    const policy::Instant to = std::clamp(at, since[pool], std::max(until, since[pool]));
    there[pool] += (to - since[pool]).count() * Charge{last[pool]};
    since[pool] = to;
  };
  for (const models::UtilizationRow& row : record.utilization) {
    EXPECT_LE(row.allocated, row.there);
    pass(row.pool.index, row.at);
    last[row.pool.index] = row.there;
  }
  for (std::uint32_t pool = 0; pool < world.pools.size(); ++pool) {
    pass(pool, until);
    const Charge all = (until - jobs->first).count() * Charge{world.pools[pool].capacity};
    const Charge counted = record.pool_rows[pool].there_time;
    EXPECT_TRUE(counted == there[pool]) << world.pools[pool].name;
    EXPECT_TRUE(counted <= all) << world.pools[pool].name;
    EXPECT_TRUE(counted == all || !offered_all(world, record, pool)) << world.pools[pool].name;
  }
  const auto occupied = models::occupancy(record);
  const auto no_more = [&](Charge time, const models::Peak& peak) {
    return time * peak.whole <= occupied.capacity * peak.part;
  };
  EXPECT_TRUE(no_more(occupied.allocated, record.peak_allocated));
  EXPECT_TRUE(no_more(occupied.used, record.peak_used));
}

/// Who waits again waits for further attempts at least, and never while there was nobody to wait.
void expect_waits_after_losses(const models::Record& record) {
  std::vector<policy::Duration> asked_anew(record.job_rows.size());
  for (const models::AttemptRow& row : record.attempts) {
    if (record.job_rows[row.job.index].first_start > row.requested) continue;
    asked_anew[row.job.index] += (row.had_machines() ? row.billed_from : row.end) - row.requested;
  }
  for (std::size_t job = 0; job < record.job_rows.size(); ++job) {
    const models::JobRow& row = record.job_rows[job];
    const policy::JobId id{static_cast<std::uint32_t>(job)};
    const std::string name = record.jobs.name(id);
    const policy::Duration waited = models::waited_again(record, id);
    const policy::Instant end = row.end == policy::never ? record.end : row.end;
    const bool started = row.first_start != policy::never;
    const auto most = started ? end - row.first_start : policy::Duration{0};
    EXPECT_LE(waited, most) << name;
    EXPECT_TRUE(!started || row.attempts == 1 || waited >= asked_anew[job]) << name;
  }
}

TEST_F(Invariants, UsesSumToTheBillExactly) {
  Charge billed = 0;
  int bounded = 0;
  each_seed([&](std::uint64_t seed) {
    const auto scenario = with_moving_prices(load_text(RandomScenario{seed}.text()), seed);
    for (const auto& policy : scenario.policies) {
      const RunResult result = experiments::run(scenario, policy, 0, {.keep = everything});
      const models::Ledger& ledger = result.record.ledger;
      EXPECT_TRUE(ledger.residual() == 0) << policy.name;
      for (const Charge use : ledger.uses()) EXPECT_TRUE(use >= 0) << policy.name;
      const auto occupied = models::occupancy(result.record);
      EXPECT_TRUE(occupied.allocated <= occupied.capacity && occupied.used <= occupied.capacity)
          << policy.name;
      expect_what_was_there(scenario.world, result.record);
      expect_waits_after_losses(result.record);
      const auto bound = experiments::clairvoyant_bill(scenario.world, result.record);
      EXPECT_TRUE(!bound || *bound <= models::to_usd(ledger.billed()))
          << policy.name << " bills less than a policy that knows the future";
      bounded += bound ? 1 : 0;
      policy::Usd parts;
      for (const policy::Usd part : models::apportion(ledger.uses())) parts += part;
      EXPECT_EQ(parts, models::to_usd(ledger.billed())) << policy.name;
      Charge lines = 0;
      for (const models::LedgerLine& line : result.record.ledger_lines) {
        EXPECT_GE(line.until, line.from);
        EXPECT_TRUE(line.amount >= 0);
        lines += line.amount;
      }
      EXPECT_TRUE(lines == ledger.billed()) << policy.name << ": the lines miss money";
      for (const Charge use : ledger.uses()) EXPECT_TRUE(use >= 0);
      EXPECT_TRUE(ledger.guardrail() >= 0);
      billed += ledger.billed();
    }
  });
  EXPECT_TRUE(billed > 0) << "no scenario cost anything: nothing was examined";
  EXPECT_GT(bounded, 0) << "no bill had a bound";
}

/// The instant since which the host is free to act: the last turn of the kill switch, or the start.
policy::Instant free_since(const models::World& world) {
  policy::Instant since = world.start;
  for (const auto& [from, until] : world.kill_switch.engaged) {
    since = std::max(since, policy::later(world.start, until));
  }
  return since;
}

TEST_F(Invariants, EachAcceptedActionIsSettledOnce) {
  // Five attempts, each waiting for its reply and its effect, are over sooner than this.
  constexpr policy::Duration longest_life = std::chrono::hours{1};
  std::size_t settled_in_all = 0;
  each_seed([&](std::uint64_t seed) {
    const auto scenario = load_text(RandomScenario{seed}.text());
    const Taped taped = run_taped(scenario, scenario.policies.back());
    std::istringstream journal{taped.journal};
    const host::JournalText text = host::read_journal(journal);
    std::map<policy::ActionId, policy::Instant> in_flight;
    policy::Instant now;
    for (const host::Entry& entry : text.entries) {
      if (const auto* step = std::get_if<host::StepBegun>(&entry)) {
        now = step->now;
      } else if (const auto* accepted = std::get_if<host::Accepted>(&entry)) {
        EXPECT_TRUE(in_flight.emplace(accepted->action, now).second) << "an id was given twice";
      } else if (const auto* attempted = std::get_if<host::Attempted>(&entry)) {
        EXPECT_TRUE(in_flight.contains(attempted->action)) << "sent, though not in flight";
      } else if (const auto* settled = std::get_if<host::Settled>(&entry)) {
        EXPECT_EQ(in_flight.erase(settled->action), 1u) << "settled twice, or never accepted";
        ++settled_in_all;
      }
    }
    const bool endless = scenario.world.end == policy::never;
    for (const auto& [action, since] : in_flight) {
      EXPECT_FALSE(endless) << "a world that ended by itself left an action open";
      const policy::Instant alive = std::max(since, free_since(scenario.world));
      EXPECT_LT(scenario.world.end, policy::later(alive, longest_life)) << "never settled";
    }
  });
  EXPECT_GT(settled_in_all, 0u);
}

TEST_F(Invariants, BeliefNeverPrecedesTruth) {
  std::size_t seen_in_all = 0;
  each_seed([&](std::uint64_t seed) {
    const auto scenario = load_text(RandomScenario{seed}.text());
    const Taped taped = run_taped(scenario, scenario.policies.back());
    using Truth =
        std::tuple<policy::JobId, policy::AttemptNumber, policy::Secondary, policy::Instant>;
    std::set<Truth> truths;
    for (const models::EventRow& event : taped.result.record.events) {
      truths.insert({event.job, event.attempt, event.secondary, event.at});
      EXPECT_GE(event.delivered, event.at);
    }
    std::istringstream journal{taped.journal};
    policy::Instant now;
    for (const host::Entry& entry : host::read_journal(journal).entries) {
      if (const auto* step = std::get_if<host::StepBegun>(&entry)) {
        EXPECT_GE(step->now, now) << "time ran backwards";
        now = step->now;
      }
      const auto* seen = std::get_if<policy::Observation>(&entry);
      if (seen == nullptr) continue;
      EXPECT_LE(seen->happened_at, now) << "news of the future";
      if (const auto* change = std::get_if<policy::JobChanged>(&seen->fact)) {
        ++seen_in_all;
        EXPECT_TRUE(
            truths.contains({change->job, change->attempt, change->secondary, seen->happened_at}))
            << "news of what never happened";
      }
    }
  });
  EXPECT_GT(seen_in_all, 0u);
}

/// The world of a run, without what rules said about it.
std::string world_of(const RunResult& result) {
  std::ostringstream out;
  for (const models::JobRow& row : result.record.job_rows) {
    out << row.first_start.time_since_epoch().count() << ' ' << row.end.time_since_epoch().count()
        << ' ' << row.attempts << ' ' << static_cast<int>(row.status) << ' '
        << static_cast<long long>(models::to_usd(row.billed).micros()) << '\n';
  }
  for (const models::AttemptRow& row : result.record.attempts) {
    out << row.job.index << ' ' << row.number << ' ' << row.end.time_since_epoch().count() << '\n';
  }
  const auto of_the_account =
      std::count_if(result.record.alarms.begin(), result.record.alarms.end(),
                    [](const auto& alarm) { return !alarm.is_local; });
  out << models::to_usd(result.record.ledger.billed()).micros() << ' '
      << result.record.notifications << ' ' << of_the_account;
  return out.str();
}

TEST_F(Invariants, ShadowChangesNothing) {
  std::size_t shadowed = 0;
  each_seed([&](std::uint64_t seed) {
    auto scenario = load_text(RandomScenario{seed}.text());
    scenarios::PolicySpec shadow = scenario.policies.back();
    for (scenarios::SeatSpec& seat : shadow.seats) seat.mode = host::Mode::shadow;
    const RunOptions options{.keep = everything, .decisions = true};
    const RunResult watched = experiments::run(scenario, shadow, 0, options);
    const RunResult alone = experiments::run(scenario, scenario.policies.front(), 0, options);
    // Without a horizon a world lasts as long as a rule has a timer for it, and what was left
    // behind is billed as long as the world lasts (W0461).
    const auto& uses = watched.record.ledger.uses();
    const bool left = uses[static_cast<std::size_t>(models::Use::orphan)] != 0;
    if (scenario.world.end == policy::never && left) return;
    EXPECT_EQ(world_of(watched), world_of(alone));
    shadowed += watched.decisions.size();
  });
  EXPECT_GT(shadowed, 0u) << "no seat in shadow ever wished for anything: nothing was examined";
}

/// Calls are throttled and tried again there, too: nothing that happens may hang by what is only
/// wished for.  Where a decision was refused it may: that is told with the next step, and a seat in
/// shadow may bring a step.
TEST_F(Invariants, SeatsInShadowBesideOthersChangeNothing) {
  std::size_t wished = 0;
  std::size_t tried_again = 0;
  each_seed([&](std::uint64_t seed) {
    auto scenario = load_text(RandomScenario{seed}.text());
    const scenarios::PolicySpec& enforced = scenario.policies.back();
    scenarios::PolicySpec both = enforced;
    for (scenarios::SeatSpec seat : enforced.seats) {
      seat.label += "-shadow";
      seat.mode = host::Mode::shadow;
      both.seats.push_back(std::move(seat));
    }
    const RunOptions options{.keep = everything, .decisions = true};
    const RunResult watched = experiments::run(scenario, both, 0, options);
    const RunResult alone = experiments::run(scenario, enforced, 0, options);
    if (scenario.world.end == policy::never) return;  // it lasts as long as a rule has a timer
    const auto was_refused = [](const auto& row) { return row.verdict == "refused"; };
    if (std::any_of(alone.decisions.begin(), alone.decisions.end(), was_refused)) return;
    EXPECT_EQ(world_of(watched), world_of(alone));
    wished += watched.decisions.size() - std::min(watched.decisions.size(), alone.decisions.size());
    for (const auto& row : alone.decisions) tried_again += row.tries > 1 ? 1 : 0;
  });
  EXPECT_GT(wished, 0u) << "no seat in shadow ever wished for anything: nothing was examined";
  EXPECT_GT(tried_again, 0u) << "nothing was ever tried again";
}

TEST_F(Invariants, TwiceThePriceIsTwiceTheDollars) {
  each_seed([&](std::uint64_t seed) {
    const auto once = with_moving_prices(load_text(RandomScenario{seed}.text()), seed);
    const auto twice = with_moving_prices(load_text(RandomScenario{seed, 2}.text()), seed, 2);
    for (std::size_t policy = 0; policy < once.policies.size(); ++policy) {
      const Taped a = run_taped(once, once.policies[policy]);
      const Taped b = run_taped(twice, twice.policies[policy]);
      const models::Ledger& cheap = a.result.record.ledger;
      const models::Ledger& dear = b.result.record.ledger;
      EXPECT_TRUE(2 * cheap.billed() == dear.billed());
      for (std::size_t use = 0; use < models::use_count; ++use) {
        EXPECT_TRUE(2 * cheap.uses()[use] == dear.uses()[use]);
      }
      // A budget says what was spent.
      EXPECT_EQ(without_texts(a.journal, "basis"), without_texts(b.journal, "basis"))
          << "a price changed a decision of rules that know no price";
    }
  });
}

TEST_F(Invariants, DollarsOfFalseStopsAreTheUseOfThatName) {
  std::size_t judged = 0;
  each_seed([&](std::uint64_t seed) {
    const auto scenario = load_text(RandomScenario{seed}.text());
    const RunResult result = experiments::run(scenario, scenario.policies.back(), 0,
                                              {.keep = everything, .decisions = true});
    policy::Usd destroyed;
    std::uint64_t wrong = 0;
    std::uint64_t in_force = 0;
    for (const experiments::JudgedStop& stop : experiments::judge_stops(scenario, result)) {
      if (result.seats[stop.seat.index].mode != host::Mode::enforce) {
        EXPECT_TRUE(stop.verdict == experiments::StopVerdict::missed || stop.usd == policy::Usd{});
        continue;
      }
      if (stop.verdict != experiments::StopVerdict::missed) ++in_force;
      if (stop.verdict != experiments::StopVerdict::wrong) continue;
      destroyed += stop.usd;
      ++wrong;
    }
    const auto uses = models::apportion(result.record.ledger.uses());
    EXPECT_EQ(destroyed.micros(), uses[static_cast<std::size_t>(models::Use::false_stop)].micros());
    EXPECT_EQ(wrong, result.record.false_stops);
    EXPECT_EQ(in_force, result.record.stops.size());
    judged += wrong;
  });
  EXPECT_GT(judged, 0u) << "no stop was ever wrong: nothing was examined";
}

/// In millionths, of a whole gang that meets everything that makes machines slow.
std::uint32_t slowest(const models::World& world) {
  std::uint64_t spread = 1'000'000;
  for (const models::Pool& pool : world.pools) {
    spread = std::min<std::uint64_t>(spread, pool.spread_ppm);
  }
  std::uint64_t speed = spread;
  for (const models::JobProfile& kind : world.profiles) {
    if (!kind.throughput) continue;
    std::uint64_t own = spread;
    for (const std::uint64_t type : kind.throughput->of_types) {
      own = std::min(own, spread * type / 1'000'000);
    }
    if (const auto& slow = kind.throughput->stragglers) own = own * slow->speed_ppm / 1'000'000;
    speed = std::min<std::uint64_t>({speed, own, kind.throughput->fed.value_or(1'000'000)});
  }
  return static_cast<std::uint32_t>(speed - 2);  // parts of a gang are rounded down once more
}

TEST_F(Invariants, WorkIsProductiveOnce) {
  Charge productive_in_all = 0;
  each_seed([&](std::uint64_t seed) {
    const auto scenario = load_text(RandomScenario{seed}.text());
    const models::World& world = scenario.world;
    const RunResult result =
        experiments::run(scenario, scenario.policies.back(), 0, {.keep = everything});
    const models::Record& record = result.record;
    std::vector<Charge> productive(record.job_rows.size());  // instance-nanoseconds
    for (const models::LedgerLine& line : record.ledger_lines) {
      if (line.use != models::Use::productive) continue;
      productive[line.job.index] += line.amount / world.pools[line.pool.index].price.nanos;
    }
    for (std::size_t job = 0; job < productive.size(); ++job) {
      const models::JobSpec& spec = record.jobs.specs[job];
      // Slower machines take longer, and speeds are millionths.
      EXPECT_TRUE(productive[job] * slowest(world) <=
                  Charge{spec.instances} * spec.work.count() * 1'000'010)
          << record.jobs.name({static_cast<std::uint32_t>(job)});
      productive_in_all += productive[job];
    }
  });
  EXPECT_TRUE(productive_in_all > 0);
}

}  // namespace invariants_test
}  // namespace reeve::tests
