// Kueue's scheduling of one cohort: nominal quotas, borrowing, and who is preempted.
#pragma once

#include <memory>

#include "algorithm.hpp"
#include "kueue_targets.hpp"

namespace reeve::policies {

/// Kueue, "Cluster Queue" and "Preemption" (kueue.sigs.k8s.io/docs/concepts), KEP-1714 for fair
/// sharing: shares are ClusterQueues of one cohort, pools the resources.  O(shares x sizes) and the
/// candidates that are looked at, for each that starts.
std::unique_ptr<Algorithm> kueue(KueueModel model);

}  // namespace reeve::policies
