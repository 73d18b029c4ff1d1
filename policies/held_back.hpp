// What the kill switch kept a rule from doing, to be decided again when it is released.
#pragma once

#include <algorithm>
#include <compare>
#include <reeve/policy/policy.hpp>
#include <utility>
#include <vector>

namespace reeve::policies {

/// Remembers targets, each once, while the kill switch is engaged.  Whether a decision is still
/// right is for the rule to say when it gets them back.
class HeldBack {
 public:
  struct Target {
    policy::JobId job;
    policy::AttemptNumber attempt = 0;
    friend constexpr auto operator<=>(const Target&, const Target&) = default;
  };

  void add(const policy::ActionSettled& refused) {
    targets_.push_back({refused.job, refused.attempt});
  }

  /// All of them, by job, if the switch is not engaged (any more); they are forgotten.
  std::vector<Target> released(const policy::FleetView& fleet) {
    if (targets_.empty() || fleet.kill_switch_engaged()) return {};
    std::vector<Target> all = std::exchange(targets_, {});
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }

 private:
  std::vector<Target> targets_;
};

}  // namespace reeve::policies
