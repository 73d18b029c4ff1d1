// The names behind the ids: tags, instance types, pools, queues and shares.  Entries never change.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <reeve/policy/ids.hpp>
#include <reeve/policy/market.hpp>
#include <reeve/policy/queue.hpp>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reeve::policy {

/// Key and value of one tag.
using Tag = std::pair<std::string, std::string>;

/// An instance type as a rule needs it.
struct InstanceType {
  std::string name;
  std::uint32_t gpus = 0;  ///< per instance
  UsdPerHour price;        ///< on demand
};

/// What a rule knows of a pool: instances of one type and market.
struct PoolFacts {
  std::string name;
  TypeId type = {};
  Market market = Market::on_demand;
  std::uint32_t size = 0;  ///< instances, if the market offers all; now: FleetView::capacity
  bool gpu_sum = true;  ///< the GPU metric of an instance is the sum over its GPUs (0..100 x GPUs);
                        ///< else their mean
};

/// How fast each instance type does a job's work, in millionths of the pace that the work is stated
/// for.  0: the type cannot run it.
using SpeedsByType = std::vector<std::uint32_t>;

/// Append only.  Ids are indices of the columns.  Entry 0 of `tag_sets` is the empty set.  Entry 0
/// of `terms` is for jobs in no queue.  Entry 0 of `speeds` is empty: the scenario states no speeds
/// for the job.
class Directory {
 public:
  std::vector<InstanceType> types;
  std::vector<PoolFacts> pools;
  std::vector<EnvironmentFacts> environments = {};
  std::vector<QueueFacts> queues = {};
  std::vector<ShareFacts> shares = {};
  std::vector<JobTerms> terms = {{}};
  std::vector<SpeedsByType> speeds = {{}};
  std::vector<std::vector<Tag>> tag_sets{{}};  ///< each sorted by key

  /// The value of `key`, or nothing if the set has no such key.
  std::optional<std::string_view> tag(TagSetId set, std::string_view key) const {
    for (const Tag& tag : tag_sets[set.index]) {
      if (tag.first == key) return tag.second;
    }
    return std::nullopt;
  }

  /// The first pool of `type` in `market`, or nothing if there is none.
  std::optional<PoolId> pool_of(TypeId type, Market market) const {
    for (std::uint32_t pool = 0; pool < pools.size(); ++pool) {
      if (pools[pool].type == type && pools[pool].market == market) return PoolId{pool};
    }
    return std::nullopt;
  }

  /// The pool of that name, or nothing if there is none.
  std::optional<PoolId> pool_named(std::string_view name) const {
    for (std::uint32_t pool = 0; pool < pools.size(); ++pool) {
      if (pools[pool].name == name) return PoolId{pool};
    }
    return std::nullopt;
  }

  /// The id of the set with exactly these tags; adds it if it is new.  Linear in the number of
  /// sets.
  TagSetId intern(std::vector<Tag> tags) {
    std::sort(tags.begin(), tags.end());
    const auto known = std::find(tag_sets.begin(), tag_sets.end(), tags);
    const auto index = static_cast<std::uint32_t>(known - tag_sets.begin());
    if (known == tag_sets.end()) tag_sets.push_back(std::move(tags));
    return {index};
  }

  /// The index of exactly these terms; adds them if they are new.  Nothing if all 65,536 are used.
  std::optional<std::uint16_t> intern(const JobTerms& of) {
    const auto known = std::find(terms.begin(), terms.end(), of);
    const auto place = static_cast<std::size_t>(known - terms.begin());
    if (place > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
    if (known == terms.end()) terms.push_back(of);
    return static_cast<std::uint16_t>(place);
  }

  /// The same for speeds.
  std::optional<std::uint16_t> intern(const SpeedsByType& of) {
    const auto known = std::find(speeds.begin(), speeds.end(), of);
    const auto place = static_cast<std::size_t>(known - speeds.begin());
    if (place > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
    if (known == speeds.end()) speeds.push_back(of);
    return static_cast<std::uint16_t>(place);
  }
};

}  // namespace reeve::policy
