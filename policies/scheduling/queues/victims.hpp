// Who loses its instances first when a queue takes some back.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <reeve/policy/ids.hpp>
#include <reeve/policy/units.hpp>
#include <set>
#include <string_view>
#include <vector>

namespace reeve::policies {

/// A running attempt that may be preempted.
struct Victim {
  policy::JobId job;
  std::int32_t priority = 0;
  policy::Instant since;  ///< when it got its instances
  std::int64_t instances = 0;
};

/// The keys by which victims are ordered, the first counts most.  AWS publishes none: "relative
/// priorities, duration, and a custom heuristic".
class VictimOrder {
 public:
  enum class Key : std::uint8_t {
    lowest_priority,
    latest_start,
    earliest_start,
    fewest_instances,
    most_instances,
  };
  static constexpr std::size_t keys_at_most = 5;
  using Rank = std::array<std::int64_t, keys_at_most>;

  /// Of names with commas between them; nothing where one of them is none, or stands there twice.
  /// `borrowed` comes first if at all: only who has more than its quota gives anything back.
  static std::optional<VictimOrder> of(std::string_view names);

  Rank rank(const Victim& victim) const;
  bool priority_first() const { return !keys_.empty() && keys_[0] == Key::lowest_priority; }

 private:
  std::vector<Key> keys_;
};

/// What stands for a candidate among others: smaller goes first.  Where all keys are equal, the
/// smallest that is enough; else the largest.
struct Preference {
  VictimOrder::Rank rank = {};
  bool too_small = false;
  std::int64_t fit = 0;
  policy::JobId job;

  friend bool operator<(const Preference& a, const Preference& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.too_small != b.too_small) return b.too_small;
    if (a.fit != b.fit) return a.fit < b.fit;
    return a.job < b.job;
  }
};

/// Those of one share that may be preempted, in order: O(log n) for each that comes, goes or is
/// chosen, and O(priorities) where priority is not the first key.
class Victims {
 public:
  static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

  void add(const VictimOrder& order, const Victim& victim);
  void remove(const VictimOrder& order, const Victim& victim);
  /// The best of those whose priority is lower than `below`, for a need of `enough` instances.
  std::optional<Preference> best(const VictimOrder& order, std::int64_t enough,
                                 std::int64_t below) const;
  /// Instances of all whose priority is lower.
  std::int64_t instances(std::int64_t below) const;
  std::int64_t instances() const { return instances_; }

 private:
  struct Entry {
    VictimOrder::Rank rank = {};
    std::int64_t instances = 0;
    policy::JobId job;
    friend bool operator<(const Entry& a, const Entry& b) {
      if (const auto by = a.rank <=> b.rank; by != 0) return by < 0;
      if (a.instances != b.instances) return a.instances < b.instances;
      return a.job < b.job;
    }
  };
  struct Tier {
    std::set<Entry> entries;
    std::int64_t instances = 0;
  };
  static Preference best_of(const Tier& tier, std::int64_t enough);

  std::map<std::int32_t, Tier> tiers_;  ///< by priority
  std::int64_t instances_ = 0;          ///< of all of them
};

}  // namespace reeve::policies
