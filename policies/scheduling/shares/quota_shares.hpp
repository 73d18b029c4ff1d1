// Quota shares: each team's own instances, lent while they idle and taken back when wanted.
#pragma once

#include <memory>
#include <optional>
#include <reeve/policy/queue.hpp>

#include "algorithm.hpp"
#include "victims.hpp"

namespace reeve::policies {

/// What AWS Batch does not publish, and what a plan tries out for all shares at once.
struct QuotaModel {
  VictimOrder victims = {};
  /// A borrower that does not fit keeps those who came later from borrowing.
  bool blocked_borrower_blocks = false;
  /// What a lowered quota leaves without cover is preempted when it is lowered, not when wanted.
  bool surplus_at_once = true;
  bool in_share_preemption = true;                        ///< where a share says so
  std::optional<policy::Sharing> sharing = std::nullopt;  ///< instead of what shares say
};

std::unique_ptr<Algorithm> quota_shares(QuotaModel model);

}  // namespace reeve::policies
