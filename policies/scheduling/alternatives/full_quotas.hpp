// Quotas of the account that refused an attempt: how long no job moves to instances of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <reeve/policy/units.hpp>

#include "job_events.hpp"
#include "quota.hpp"

namespace reeve::policies {

/// How long a job waits before it gives up its position in a queue: twice as long after each move,
/// so that it does not leave each fleet before its instances come.
constexpr policy::Duration patience(policy::Duration after, unsigned moves) {
  policy::Duration wait = moves > 0 ? std::max<policy::Duration>(after, kAskAgainAfter) : after;
  for (; moves > 0; --moves) {
    if (wait > policy::Duration::max() / 2) return policy::Duration::max();
    wait *= 2;
  }
  return wait;
}

/// Quotas of which no attempt has ended since they refused one.  Each is full until an instant,
/// later with each refusal; then one job finds out whether it has room.
class FullQuotas {
 public:
  explicit FullQuotas(policy::Duration after) : after_{after} {}

  /// Returns until when it is full.
  policy::Instant refused(Quota quota, std::uint32_t instances, policy::Instant now) {
    const auto [entry, is_new] = full_.try_emplace(quota);
    Full& full = entry->second;
    full.instances = is_new ? instances : std::min(full.instances, instances);
    full.until = policy::later(now, patience(after_, ++full.times) / 2);
    if (full.times == std::numeric_limits<std::uint8_t>::max()) --full.times;
    return full.until;
  }
  /// A job finds out whether it has room.  Returns until when others wait, if it was full.
  std::optional<policy::Instant> try_again(Quota quota, policy::Instant now) {
    const auto known = full_.find(quota);
    if (known == full_.end()) return std::nullopt;
    known->second.until = policy::later(now, patience(after_, known->second.times) / 2);
    return known->second.until;
  }
  bool is_full(Quota quota, std::uint32_t instances, policy::Instant now) const {
    const auto known = full_.find(quota);
    return known != full_.end() && instances >= known->second.instances &&
           now < known->second.until;
  }
  /// An attempt of it has ended, or started.  Returns whether it was full.
  bool reopen(Quota quota) { return full_.erase(quota) > 0; }

 private:
  struct Full {
    std::uint32_t instances = 0;  ///< attempts of this size or more are refused
    policy::Instant until = policy::never;
    std::uint8_t times = 0;  ///< refusals, one after the other
  };

  policy::Duration after_;
  std::map<Quota, Full> full_;
};

}  // namespace reeve::policies
