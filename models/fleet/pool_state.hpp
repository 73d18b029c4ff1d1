// The state of a pool: what it offers, who holds it, and what is known of its future.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "models/fleet/attempt.hpp"
#include "models/node_clock.hpp"
#include "models/offer_cursor.hpp"

namespace reeve::models {

/// An attempt that loses instances, and how many.
struct Loser {
  Slot slot = no_slot;
  std::uint32_t instances = 0;
};

struct Foreseen {  ///< what a market will offer
  Instant at;
  std::uint32_t offered = 0;
  std::int64_t held = 0;  ///< by attempts then, as is known by now
};

struct Counted {  ///< what an attempt holds, and when it loses that, as it is counted
  std::int64_t instances = 0;
  Instant loss = policy::never;
  bool foreseen = false;
  std::uint32_t losing = 0;
  std::vector<LaterLoss> then = {};
};

struct Keeper {  ///< who has an instance
  enum class Kind : std::uint8_t { none, attempt, spare };
  Kind kind = Kind::none;
  std::uint32_t id = no_slot;  ///< slot of the attempt, or id of the spare
};

struct Nodes {  ///< the instances of a pool by number, where they break
  NodeClock clock;
  std::set<std::uint32_t> free;  ///< up, and not held
  std::vector<Keeper> keepers;   ///< by instance; an instance that is away has none
};

struct PoolTime {  ///< what a pool had in a stretch of time
  Stretch stretch;
  std::uint32_t offered = 0;
  std::uint32_t free = 0;
  std::uint32_t down = 0;
  std::uint32_t there = 0;  ///< see Fleet::there
};

struct InUse {  ///< instances, of one pool or of all
  std::uint64_t there = 0;
  std::uint64_t allocated = 0;
  std::uint64_t used = 0;
};

struct PoolTruth {
  std::uint32_t offered = 0;
  std::uint32_t allocated = 0;
  std::uint32_t promised = 0;  ///< not held, and kept for attempts that wait for capacity
  std::uint32_t taken = 0;     ///< interrupted attempts' instances, away with the platform
  std::uint32_t used = 0;
  std::uint32_t outages = 0;   ///< under way
  std::uint64_t runnable = 0;  ///< instances wanted by requests
  Instant since;
  Charge allocated_time = 0;
  Charge used_time = 0;
  Charge there_later = 0;                        ///< after span_until_: may be in it yet
  InUse in_use;                                  ///< as it is counted in in_use_
  std::deque<policy::JobId> waiting;             ///< direct admission: first in, first out
  std::deque<policy::JobId> returning;           ///< interrupted attempts, before all who wait
  std::map<std::uint64_t, policy::JobId> small;  ///< elastic gangs that lack instances and could
                                                 ///< take some, the longest first
  std::uint64_t smalls = 0;                      ///< that there ever were
  Instant turns = policy::never;                 ///< when `offered` changes next
  std::optional<OfferCursor> market;             ///< none: the whole capacity, always
  std::map<std::uint32_t, Slot> holders;  ///< of instances, where there is a market; by launch
  std::uint32_t launches = 0;             ///< likewise
  std::optional<OfferCursor> ahead;  ///< the future offer of the market, if losses are announced
  std::deque<Foreseen> foreseen;     ///< by `ahead`, not yet so
  std::map<std::uint32_t, Counted> counted;             ///< likewise, holders; by launch
  std::int64_t counted_later = 0;                       ///< by them, after all that is foreseen
  std::set<std::pair<Instant, std::uint32_t>> leaving;  ///< of them, those that are chosen
  std::vector<std::uint32_t> zones;                     ///< free instances of each zone
  std::vector<std::uint32_t> zones_out;                 ///< outages under way of each zone
  std::uint32_t gone = 0;                               ///< instances of zones that are gone
  std::vector<PoolTime> tail;   ///< after the last work: no part of a run that ended with it
  std::optional<Nodes> nodes;   ///< none: no instance breaks
  std::vector<Charge> held_in;  ///< its windows, instance-nanoseconds; only where lines are kept
};

}  // namespace reeve::models
