// Kueue's scheduling of one cohort: nominal quotas, borrowing, and who is preempted.
#pragma once

#include <memory>

#include "algorithm.hpp"
#include "kueue_targets.hpp"

namespace reeve::policies {

/// Kueue, "Cluster Queue" and "Preemption" (kueue.sigs.k8s.io/docs/concepts), KEP-1714 for fair
/// sharing: shares are ClusterQueues of one cohort, pools the resources.  O(shares x sizes) for
/// each that starts; for each of these that does not fit the shares that borrow are looked at, and
/// as many candidates as may have to go.
std::unique_ptr<Algorithm> kueue(KueueModel model);

}  // namespace reeve::policies
