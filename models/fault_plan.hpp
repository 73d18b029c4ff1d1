// Which trouble an attempt will meet, and when: the explicit faults and the drawn ones together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/world.hpp"

namespace reeve::models {

/// How many drawn faults a profile may list: their draws have addresses of their own.
inline constexpr std::size_t drawn_faults_max = 64;

/// Faults of one attempt ordered by `at`; equal times keep their order in the file, drawn ones
/// last.
std::vector<Fault> fault_plan(const World& world, std::uint32_t replication, policy::JobId job,
                              const JobProfile& profile, policy::AttemptNumber attempt);

/// What an attempt meets next, of one plan that no restart makes longer.  Times of the plan count
/// from the first training of the attempt.  What no restart mends counts anew after a retry; a
/// stall of that kind that was met, after each restart.  Trouble of a time at which nothing ran is
/// not met.
class FaultCursor {
 public:
  FaultCursor() = default;
  explicit FaultCursor(std::vector<Fault> plan) : plan_(std::move(plan)) {}

  /// The attempt begins to train, or does so again; `retried`: by the platform.
  void train(Instant now, bool retried);

  Instant next_at() const { return plan_.empty() ? policy::never : next().at; }
  /// The index of what comes at `next_at`, which is met.
  std::uint32_t meet();
  /// Trouble that was in no plan and is met now; its index.
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
  std::vector<std::uint32_t> met_;  ///< stalls that come again; those of earlier runs are in order
  std::uint32_t earlier_ = 0;       ///< how many of them were met in earlier runs
  std::uint32_t again_ = 0;         ///< the next of those
  std::uint32_t once_ = 0;          ///< the next of the plan that a restart mends
  std::uint32_t lasting_ = 0;       ///< the next that none mends, and that was not met yet
  Instant first_ = policy::never;   ///< when the attempt first trained
  Instant tried_ = policy::never;   ///< likewise, after its last retry
  Instant since_ = policy::never;   ///< likewise, after its last restart
};

}  // namespace reeve::models
