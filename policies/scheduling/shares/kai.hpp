// As NVIDIA's KAI scheduler: shares have what they deserve, and divide what is left by weight.
#pragma once

#include <memory>

#include "algorithm.hpp"

namespace reeve::policies {

/// KAI-Scheduler, docs/fairness ("Resource division", "Reclaim strategies") and the plug-in
/// `proportion`, with queues of one level and instances as the only resource.  A share's quota is
/// what it deserves, 1/weight its over-quota weight, and with what it may borrow its limit.  A job
/// that fits starts, those of shares that are not above their fair share first.  A job whose share
/// would not exceed its fair share reclaims instances of shares that do.  A higher priority
/// preempts a lower one of its own share.  Jobs that are not preemptible run only within what their
/// share deserves.  O(shares × kinds of jobs) for each that starts, O(shares) for each that is
/// preempted.
std::unique_ptr<Algorithm> kai();

}  // namespace reeve::policies
