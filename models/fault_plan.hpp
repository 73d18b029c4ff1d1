// The faults of an attempt and their times: explicit and drawn ones together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/world.hpp"

namespace reeve::models {

/// The number of drawn faults that a profile may list: each has its own draw addresses.
inline constexpr std::size_t drawn_faults_max = 64;

/// An attempt, and how long it trains if nothing intervenes.
struct PlannedAttempt {
  policy::AttemptNumber number = 1;
  Duration trains = Duration::max();
};

/// The faults of one attempt by `at`.  At equal times they keep file order, drawn ones last.
std::vector<Fault> fault_plan(const World& world, std::uint32_t replication, policy::JobId job,
                              const JobProfile& profile, const PlannedAttempt& attempt);

/// The next fault of an attempt.  Times of the plan count from the first training of the attempt.
/// A fault that no restart fixes counts again from each retry of the platform; a stall of that kind
/// that has occurred counts again from each restart.  A fault with a time at which the attempt
/// does not train does not occur.
class FaultCursor {
 public:
  FaultCursor() = default;
  explicit FaultCursor(std::vector<Fault> plan) : plan_(std::move(plan)) {}

  /// The attempt starts or resumes training.  `retried`: by the platform.
  void train(Instant now, bool retried);

  Instant next_at() const { return plan_.empty() ? policy::never : next().at; }
  /// The index of the fault at `next_at`, which occurs now.
  std::uint32_t meet();
  /// Adds a fault that is in no plan and occurs now; returns its index.
  std::uint32_t add(Fault fault);

  const Fault& operator[](std::size_t index) const { return plan_[index]; }

 private:
  enum class Kind : std::uint8_t { once, lasting, again };
  struct Next {
    Instant at = policy::never;
    std::uint32_t index = 0;
    Kind kind = Kind::once;
  };
  Next next() const;
  void pass_others();
  bool was_met(std::uint32_t index) const;

  std::vector<Fault> plan_;
  std::vector<std::uint32_t> met_;  ///< stalls that recur; those of earlier runs are in order
  std::uint32_t earlier_ = 0;       ///< number of those that occurred in earlier runs
  std::uint32_t again_ = 0;         ///< the next of those
  std::uint32_t once_ = 0;          ///< the next in the plan that a restart fixes
  std::uint32_t lasting_ = 0;       ///< the next that no restart fixes and that has not occurred
  Instant first_ = policy::never;   ///< first training of the attempt
  Instant tried_ = policy::never;   ///< training after its last retry
  Instant since_ = policy::never;   ///< training after its last restart
};

}  // namespace reeve::models
