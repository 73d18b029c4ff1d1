// Pending jobs that were not asked yet whether another fleet is worth its price.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/ids.hpp>
#include <reeve/policy/units.hpp>
#include <set>
#include <utility>
#include <vector>

namespace reeve::policies {

/// A pending job, by the begin of its wait.
using Waiter = std::pair<policy::Instant, policy::JobId>;

/// Of jobs that may move to the same fleets, in the order of their wait.
class UnaskedJobs {
 public:
  /// The first of them in the lane.
  std::optional<Waiter> next(const std::set<Waiter>& lane) const {
    if (!came_late_.empty()) return *came_late_.begin();
    const auto first = asked_to_ ? lane.upper_bound(*asked_to_) : lane.begin();
    return first == lane.end() ? std::nullopt : std::optional{*first};
  }
  void asked(const Waiter& next) {
    if (came_late_.erase(next) == 0) asked_to_ = next;
  }
  /// `is_in_order`: its position in the queue of its fleet is that of its wait.
  void came(const Waiter& job, bool is_in_order) {
    if (!is_in_order) out_of_order_.insert(job);
    if (asked_to_ && !(*asked_to_ < job)) came_late_.insert(job);
  }
  void left(const Waiter& job) {
    out_of_order_.erase(job);
    came_late_.erase(job);
  }
  /// All are asked again, except those before `from`, if there is one and the order is known.
  void begin_again(const std::optional<Waiter>& from) {
    if (!from || !out_of_order_.empty()) {
      asked_to_.reset();
      came_late_.clear();
    } else if (asked_to_ && *from < *asked_to_) {
      asked_to_ = from;
      came_late_.erase(came_late_.upper_bound(*from), came_late_.end());
    }
  }

  std::vector<policy::PoolId> rooms;  ///< fleets that they were asked about
  std::uint32_t version = 0;          ///< of the forecast for their own fleet

 private:
  std::optional<Waiter> asked_to_;  ///< this and all before it were asked
  std::set<Waiter> came_late_;      ///< except these
  std::set<Waiter> out_of_order_;
};

}  // namespace reeve::policies
