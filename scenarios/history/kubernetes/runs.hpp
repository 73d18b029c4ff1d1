// When the pods of a job ran, try by try.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "scenarios/history/kubernetes/objects.hpp"

namespace reeve::scenarios {

bool is_final(EndStatus end);

/// Pods that ran together.
struct Generation {
  std::optional<policy::Instant> started, ready, ended;  ///< `ended`: all of them
  std::int64_t restarts = 0;                             ///< of one container, at most
  bool has_failed = false;
  const KubernetesObject* failed = nullptr;  ///< the one that says most
  EndStatus end = EndStatus::pending;
};

/// The pods of a job in the order of their starts: a pod that starts after all others have ended
/// begins another generation.
std::vector<Generation> generations_of(std::vector<const KubernetesObject*> pods);

/// What the pods held at once, at most.
PodsAsked held_at_once(const std::vector<const KubernetesObject*>& pods);

}  // namespace reeve::scenarios
