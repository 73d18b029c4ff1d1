// What holds of machines in each random world.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "experiments/run.hpp"
#include "host/tape.hpp"
#include "models/node_clock.hpp"
#include "models/offer_cursor.hpp"
#include "tests/property/invariants.hpp"
#include "tests/property/journaled_run.hpp"
#include "tests/property/random_scenario.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace invariants_test {

using experiments::RunResult;

TEST_F(Invariants, NobodyHoldsSpotMachinesThatAreNotOnOffer) {
  std::size_t changes = 0;
  each_seed([&](std::uint64_t seed) {
    const auto scenario = load_text(RandomScenario{seed}.text());
    const RunResult result =
        experiments::run(scenario, scenario.policies.back(), 0, {.keep = everything});
    for (std::uint32_t index = 0; index < scenario.world.pools.size(); ++index) {
      if (scenario.world.pools[index].market != policy::Market::spot) continue;
      models::OfferCursor market{scenario.world, 0, {index}};
      const auto turns = [&] { return policy::later(scenario.world.start, market.next_at()); };
      std::uint32_t held = 0;
      for (const models::UtilizationRow& row : result.record.utilization) {
        if (row.pool.index != index) continue;
        for (; turns() < row.at; market.advance(), ++changes) {
          EXPECT_LE(held, market.offered()) << "kept past " << row.at.time_since_epoch().count();
        }
        if (turns() == row.at) {
          market.advance();
          ++changes;
        }
        held = row.allocated;
        EXPECT_LE(held, market.offered());
      }
    }
  });
  EXPECT_GT(changes, 0u);
}

TEST_F(Invariants, NobodyHoldsMachinesThatAreBroken) {
  std::size_t changes = 0;
  each_seed([&](std::uint64_t seed) {
    const auto scenario = load_text(RandomScenario{seed}.text());
    const RunResult result =
        experiments::run(scenario, scenario.policies.back(), 0, {.keep = everything});
    for (std::uint32_t index = 0; index < scenario.world.pools.size(); ++index) {
      if (!scenario.world.pools[index].node_faults) continue;
      models::NodeClock nodes{scenario.world, 0, {index}};
      const auto turns = [&] { return policy::later(scenario.world.start, nodes.next_at()); };
      std::uint32_t held = 0;
      for (const models::UtilizationRow& row : result.record.utilization) {
        if (row.pool.index != index) continue;
        for (; turns() <= row.at; ++changes) {
          const policy::Instant at = turns();
          nodes.advance();
          const bool settled = at < row.at && turns() > at;
          if (settled) {
            EXPECT_LE(held, nodes.up()) << "kept past " << at.time_since_epoch().count();
          }
        }
        held = row.allocated;
        EXPECT_LE(held, nodes.up()) << row.at.time_since_epoch().count();
      }
    }
  });
  EXPECT_GT(changes, 0u);
}

/// While its zone is gone nobody gets machines of a pool.
bool is_out(const models::World& world, policy::PoolId pool, policy::Instant at) {
  return std::any_of(world.outages.begin(), world.outages.end(), [&](const models::Outage& outage) {
    return policy::later(world.start, outage.from) <= at &&
           at < policy::later(world.start, outage.until) &&
           std::find(outage.pools.begin(), outage.pools.end(), pool) != outage.pools.end();
  });
}

/// Instances of a spread pool whose zone is gone.
std::uint32_t part_out(const models::World& world, policy::PoolId pool, policy::Instant at) {
  std::set<std::size_t> zones;
  for (const models::Outage& outage : world.outages) {
    if (at < policy::later(world.start, outage.from)) continue;
    if (at >= policy::later(world.start, outage.until)) continue;
    for (const models::Outage::Part& part : outage.parts) {
      if (part.pool == pool) zones.insert(part.zone);
    }
  }
  std::uint32_t out = 0;
  for (const std::size_t zone : zones) out += world.pools[pool.index].zones[zone].instances;
  return out;
}

TEST_F(Invariants, NobodyHoldsMachinesOfAZoneThatIsGone) {
  std::size_t examined = 0;
  each_seed([&](std::uint64_t seed) {
    const auto scenario = load_text(RandomScenario{seed}.text());
    if (scenario.world.outages.empty()) return;
    const RunResult result =
        experiments::run(scenario, scenario.policies.back(), 0, {.keep = everything});
    std::map<policy::PoolId, models::UtilizationRow> last;
    for (const models::UtilizationRow& row : result.record.utilization) {
      const auto known = last.find(row.pool);
      const bool stayed = known != last.end() && known->second.at < row.at;
      if (stayed && is_out(scenario.world, row.pool, known->second.at)) {
        EXPECT_EQ(known->second.allocated, 0u) << known->second.at.time_since_epoch().count();
        ++examined;
      }
      if (stayed) {
        const models::Pool& pool = scenario.world.pools[row.pool.index];
        EXPECT_LE(known->second.allocated,
                  pool.capacity - part_out(scenario.world, row.pool, known->second.at))
            << known->second.at.time_since_epoch().count();
      }
      last[row.pool] = row;
    }
  });
  EXPECT_GT(examined, 0u);
}

TEST_F(Invariants, MaxWaitEndsNothingThatIsNotOnSpot) {
  std::size_t ended = 0;
  each_seed([&](std::uint64_t seed) {
    const auto scenario = load_text(RandomScenario{seed}.text());
    const RunResult result =
        experiments::run(scenario, scenario.policies.back(), 0, {.keep = everything});
    for (const models::AttemptRow& row : result.record.attempts) {
      if (row.reason != models::EndReason::max_wait) continue;
      ++ended;
      EXPECT_EQ(scenario.world.pools[row.pool.index].market, policy::Market::spot);
    }
  });
  EXPECT_GT(ended, 0u);
}

/// A stretch in which an attempt had lost its machines.
struct Loss {
  policy::Instant from;
  policy::Instant until;
  policy::Instant away;  ///< no machine that it had is away any longer than this
  bool certain;          ///< it waits in the line of its pool all the time
  std::uint32_t instances;
};

std::vector<Loss> losses_in(const models::World& world, const models::Record& record,
                            policy::PoolId pool) {
  using Attempt = std::pair<policy::JobId, policy::AttemptNumber>;
  std::set<Attempt> here;
  std::set<Attempt> began;
  for (const auto& row : record.attempts) {
    if (row.pool == pool) here.insert({row.job, row.number});
  }
  std::map<Attempt, Loss> open;
  std::vector<Loss> losses;
  for (const models::EventRow& event : record.events) {
    const Attempt attempt{event.job, event.attempt};
    if (event.duplicate || !here.contains(attempt)) continue;
    if (const auto lost = open.find(attempt); lost != open.end()) {
      lost->second.until = event.at;
      losses.push_back(lost->second);
      open.erase(lost);
    }
    const bool is_starting = event.secondary == policy::Secondary::starting;
    if (is_starting && !event.lacks_capacity) began.insert(attempt);
    const models::JobSpec& spec = record.jobs.specs[event.job.index];
    const bool waits = event.secondary == policy::Secondary::pending || event.lacks_capacity;
    const bool begins_again = waits && began.contains(attempt);
    if (begins_again) {  // retried or repaired, and there were too few
      open[attempt] = {event.at, record.end, event.at, true, spec.instances};
    }
    if (event.secondary != policy::Secondary::interrupted) continue;
    const auto& reclaim = world.pools[pool.index].reclaim;
    policy::Duration away = reclaim ? reclaim->away : policy::Duration{0};
    bool certain = true;
    for (const models::Fault& fault : world.profiles[spec.profile].faults) {
      if (fault.kind != models::FaultKind::interruption) continue;
      away = std::max(away, fault.lasts);
      certain = false;
    }
    open[attempt] = {event.at, record.end, policy::later(event.at, away), certain, spec.instances};
  }
  for (const auto& [attempt, loss] : open) losses.push_back(loss);
  return losses;
}

/// The longest time that the market takes to find machines of any launch of the run.
policy::Duration longest_search(const scenarios::Scenario& scenario, const models::Record& record,
                                const models::Pool& pool) {
  policy::Duration longest{0};
  if (!pool.capacity_wait) return longest;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> launches;
  for (const models::EventRow& event : record.events) ++launches[{event.job.index, event.attempt}];
  for (const auto& [attempt, most] : launches) {
    for (std::uint32_t launch = 0; launch <= most; ++launch) {
      const double luck = sim::uniform({scenario.world.seed, 0, sim::Cause::capacity_wait,
                                        attempt.first, attempt.second << 16 | launch});
      longest = std::max(longest, models::draw(*pool.capacity_wait, luck));
    }
  }
  return longest;
}

/// What a pool of Spot offers less what is held and away, as a run goes on.
class RoomToReturn {
 public:
  RoomToReturn(const models::World& world, const models::Record& record, policy::PoolId pool)
      : world_{world},
        losses_{losses_in(world, record, pool)},
        since_(losses_.size(), policy::never),
        market_{world, 0, pool} {
    if (world.pools[pool.index].node_faults) nodes_.emplace(world, 0, pool);
  }

  /// When something else than attempts changes next.
  policy::Instant next_at() const {
    const policy::Instant market = policy::later(world_.start, market_.next_at());
    return nodes_ ? std::min(market, policy::later(world_.start, nodes_->next_at())) : market;
  }
  void advance() {
    const policy::Instant at = next_at();
    while (policy::later(world_.start, market_.next_at()) <= at) market_.advance();
    while (nodes_ && policy::later(world_.start, nodes_->next_at()) <= at) nodes_->advance();
  }

  /// Whether there is room for each of those that wait to return, who are somebody; nothing where
  /// there is nobody.
  std::optional<bool> has_room(policy::Instant at, std::uint32_t allocated) const {
    const std::uint32_t up = nodes_ ? nodes_->up() : market_.offered();
    std::int64_t room = std::int64_t{std::min(market_.offered(), up)} - allocated;
    std::int64_t widest = 0;
    bool somebody = false;
    for (const Loss& loss : losses_) {
      if (loss.from <= at && at < loss.away) room -= loss.instances;
      if (at < loss.from || at >= loss.until) continue;
      widest = std::max(widest, std::int64_t{loss.instances});
      somebody = somebody || waits(loss, at);
    }
    return somebody ? std::optional{room >= widest} : std::nullopt;
  }

  /// Takes down who waits although there is room; nobody does where there is none.
  void note(policy::Instant at, bool room) {
    for (std::size_t i = 0; i < losses_.size(); ++i) {
      since_[i] = room && waits(losses_[i], at) ? std::min(since_[i], at) : policy::never;
    }
  }
  /// Since when the first of them does whose loss is not over by then; `never`: nobody does.
  policy::Instant since(policy::Instant at) const {
    policy::Instant first = policy::never;
    for (std::size_t i = 0; i < losses_.size(); ++i) {
      if (losses_[i].until >= at) first = std::min(first, since_[i]);
    }
    return first;
  }

 private:
  static bool waits(const Loss& loss, policy::Instant at) {
    return at >= loss.from && at < loss.until && (loss.certain || at >= loss.away);
  }

  const models::World& world_;
  std::vector<Loss> losses_;
  std::vector<policy::Instant> since_;  ///< by loss
  models::OfferCursor market_;
  std::optional<models::NodeClock> nodes_;
};

// Where the market takes its time, machines are kept for who was first, then for the next: nobody
// waits on for three times the longest search while there is room all the time.  One after the
// other may: who is found machines may lose them at once.
TEST_F(Invariants, NobodyWaitsToReturnWhileThereIsRoom) {
  std::size_t waits = 0;
  std::size_t searches = 0;
  const auto examine = [&](const std::string& text) {
    const auto scenario = load_text(text);
    const RunResult result =
        experiments::run(scenario, scenario.policies.back(), 0, {.keep = everything});
    const models::Record& record = result.record;
    for (std::uint32_t index = 0; index < scenario.world.pools.size(); ++index) {
      const models::Pool& pool = scenario.world.pools[index];
      if (pool.market != policy::Market::spot) continue;
      // There machines that outlive their attempt are taken too, and are away; no event says so.
      if (pool.reclaim && models::is_unmanaged(scenario.world.platform.model)) continue;
      // No row says when an outage began.
      if (pool.capacity_wait && !scenario.world.outages.empty()) continue;
      const policy::Duration patience = 3 * longest_search(scenario, record, pool);
      RoomToReturn room{scenario.world, record, {index}};
      std::uint32_t allocated = 0;
      const auto advance = [&](policy::Instant to) {
        while (room.next_at() <= to && room.next_at() != policy::never) {
          const policy::Instant at = room.next_at();
          room.advance();
          room.note(at, room.has_room(at, allocated).value_or(false));
        }
      };
      for (auto row = record.utilization.begin(); row != record.utilization.end(); ++row) {
        if (row->pool.index != index || row->at >= record.end) continue;
        advance(row->at);
        allocated = row->allocated;
        const auto enough = is_out(scenario.world, {index}, row->at)
                                ? std::nullopt
                                : room.has_room(row->at, allocated);
        room.note(row->at, enough.value_or(false));
        if (!enough) continue;
        ++(pool.capacity_wait ? searches : waits);
        if (!*enough) continue;
        const bool waited = !pool.capacity_wait || row->at - room.since(row->at) > patience;
        EXPECT_FALSE(waited) << "at " << (row->at - scenario.world.start).count();
      }
      advance(record.end);
      if (pool.capacity_wait && room.since(record.end) != policy::never) {
        EXPECT_LE(record.end - room.since(record.end), patience) << "at the end";
      }
    }
  };
  each_seed([&](std::uint64_t seed) {  // few of them search for long
    for (std::uint64_t nth = 4 * seed; nth < 4 * seed + 4; ++nth) {
      examine(RandomScenario{nth}.text());
    }
    examine(RandomScenario{seed, 1, Leaning::spot}.text());
  });
  EXPECT_GT(waits, 0u);
  EXPECT_GT(searches, 0u);
}

/// Whether machines of the attempt may have run on when it was over.
bool may_live_on(const models::AttemptRow& row, const models::Unmanaged& own) {
  using models::EndReason;
  const bool by_script = row.reason == EndReason::completed || row.reason == EndReason::failed ||
                         row.reason == EndReason::max_runtime;
  const bool held = row.reason == EndReason::failed && own.debug_hold > policy::Duration{0};
  return held || (by_script && own.self_destruct_fails > 0);
}

TEST_F(Invariants, LaunchesAreBilledForTheirMinimumOrNotAtAll) {
  std::size_t minimal = 0;
  std::size_t waived = 0;
  const auto examine = [&](const std::string& text) {
    const auto scenario = load_text(text);
    const models::Platform& platform = scenario.world.platform;
    const models::Unmanaged& own = platform.unmanaged;
    if (!models::is_unmanaged(platform.model)) return;
    const RunResult result =
        experiments::run(scenario, scenario.policies.back(), 0, {.keep = everything});
    EXPECT_TRUE(result.record.waived >= 0);
    for (const models::AttemptRow& row : result.record.attempts) {
      const policy::Market market = scenario.world.pools[row.pool.index].market;
      if (market == policy::Market::reserved || row.billed_from == policy::never) continue;
      if (may_live_on(row, own)) continue;
      const policy::Duration held = row.end - row.billed_from;
      if (row.reason == models::EndReason::capacity) {  // one-time: its only launch was taken
        const bool free = platform.billing.first_hour_free && market == policy::Market::spot &&
                          held < std::chrono::hours{1};
        EXPECT_EQ(row.billed,
                  free ? policy::Duration{0} : std::max(held, platform.billing.minimum));
        waived += free ? 1U : 0U;
      } else if (row.reason != models::EndReason::horizon && row.interruptions == 0) {
        EXPECT_EQ(row.billed, std::max(held, platform.billing.minimum));
        minimal += held < platform.billing.minimum ? 1U : 0U;
      }
    }
  };
  each_seed([&](std::uint64_t seed) {  // few of them lose machines in their first hour
    for (std::uint64_t nth = 4 * seed; nth < 4 * seed + 4; ++nth) {
      examine(RandomScenario{nth}.text());
      examine(RandomScenario{nth, 1, Leaning::own_spot}.text());
    }
  });
  EXPECT_GT(minimal, 0u);
  EXPECT_GT(waived, 0u);
}

TEST_F(Invariants, WhatSpotAnnouncesHappens) {
  std::size_t announced = 0;
  std::size_t in_part = 0;
  each_seed([&](std::uint64_t seed) {
    const auto scenario = load_text(RandomScenario{seed}.text());
    const Taped taped = run_taped(scenario, scenario.policies.back());
    const models::Record& record = taped.result.record;
    std::istringstream journal{taped.journal};
    const std::vector<host::Entry> entries = host::read_journal(journal).entries;
    const policy::Instant told_of = record.end - scenario.world.platform.events.delay;
    for (const host::Entry& entry : entries) {
      const auto* seen = std::get_if<policy::Observation>(&entry);
      const auto* notice = seen ? std::get_if<policy::SpotNotice>(&seen->fact) : nullptr;
      if (notice == nullptr || notice->signal != policy::SpotSignal::interruption) continue;
      ++announced;
      EXPECT_LE(notice->at - seen->happened_at, scenario.world.platform.notice.lead);
      const bool over = std::ranges::any_of(record.attempts, [&](const models::AttemptRow& row) {
        return row.job == notice->job && row.number == notice->attempt && row.end <= notice->at;
      });
      const bool lost = std::ranges::any_of(record.events, [&](const models::EventRow& event) {
        return event.job == notice->job && event.attempt == notice->attempt &&
               event.secondary == policy::Secondary::interrupted && event.at >= seen->happened_at &&
               event.at <= notice->at;
      });
      const bool some = std::ranges::any_of(entries, [&](const host::Entry& other) {
        const auto* news = std::get_if<policy::Observation>(&other);
        const auto* part = news ? std::get_if<policy::NodesLost>(&news->fact) : nullptr;
        return part && part->job == notice->job && part->attempt == notice->attempt &&
               news->happened_at == notice->at && part->lost <= notice->instances;
      });
      in_part += some ? 1 : 0;
      EXPECT_TRUE(over || lost || some || notice->at > told_of) << "job " << notice->job.index;
    }
  });
  EXPECT_GT(announced, 0u);
  RecordProperty("of_elastic_gangs", static_cast<int>(in_part));
}

}  // namespace invariants_test
}  // namespace reeve::tests
