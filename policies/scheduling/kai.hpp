// As NVIDIA's KAI scheduler: shares have what they deserve, and divide what is left by weight.
#pragma once

#include <memory>

#include "algorithm.hpp"

namespace reeve::policies {

/// KAI-Scheduler, docs/fairness ("Resource division", "Reclaim strategies") and the plug-in
/// `proportion`, with queues of one level and instances as the only resource.  A share's quota is
/// what it deserves, 1/weight its over-quota weight, and with what it may borrow its limit. Whoever
/// fits starts, those first whose share is not above its fair share; who would not go above it
/// reclaims machines of shares that are; a higher priority preempts a lower one of its own share.
/// Who cannot be preempted has machines only within what its share deserves.  O(shares × kinds of
/// jobs) for each that starts, and O(shares) for each that is preempted.
std::unique_ptr<Algorithm> kai();

}  // namespace reeve::policies
