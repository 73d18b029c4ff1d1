// Whose turn it is in a round of Gavel, without a look at each job that waits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <reeve/policy/units.hpp>
#include <set>
#include <utility>
#include <vector>

#include "kinetic_tournament.hpp"

namespace reeve::policies {

/// A waiting job in one pool.  What it is due there is that of its kind and the offset; had: ms.
struct GavelTurn {
  std::int64_t offset = 0;  ///< millionths of milliseconds
  std::int64_t pace = 0;    ///< the time that it had there; 0: it is the most urgent
  policy::Instant submitted;
  policy::JobId job;

  friend bool operator<(const GavelTurn& a, const GavelTurn& b) {
    if (a.offset != b.offset) return a.offset > b.offset;
    if (a.submitted != b.submitted) return a.submitted < b.submitted;
    return a.job < b.job;
  }
};

/// The waiting jobs of one kind, in one pool.
class PoolTurns {
 public:
  using Slot = KineticTournament<GavelTurn>::Slot;

  Slot insert(const GavelTurn& turn) {
    by_submission_.emplace(turn.submitted, turn.job);
    if (turn.pace > 0) return served_.insert(turn);
    fresh_.insert(turn);
    return 0;
  }
  void erase(const GavelTurn& turn, Slot slot) {
    by_submission_.erase({turn.submitted, turn.job});
    if (turn.pace > 0) return served_.erase(slot);
    fresh_.erase(turn);
  }
  /// A round begins.  `due`: what the kind is due to its end; 0: nothing, and the earliest
  /// submission is first.  A kind that had no job for a while may be due less than before.
  void begin_round(std::int64_t due) {
    due_ = due;
    if (due > 0) served_.advance(due);
  }
  std::int64_t due() const { return due_; }

  /// Jobs in their turns, as of the beginning of the round.  Valid until one comes or goes.
  class Walk {
   public:
    explicit Walk(const PoolTurns& of)
        : of_{&of},
          submitted_{of.by_submission_.begin()},
          fresh_{of.fresh_.begin()},
          served_{of.served_} {}
    std::optional<policy::JobId> front() const {
      if (of_->due_ <= 0) {
        if (submitted_ == of_->by_submission_.end()) return std::nullopt;
        return submitted_->second;
      }
      if (fresh_ != of_->fresh_.end()) return fresh_->job;
      if (served_.front() == nullptr) return std::nullopt;
      return served_.front()->job;
    }
    void pop() {
      if (of_->due_ <= 0) {
        ++submitted_;
      } else if (fresh_ != of_->fresh_.end()) {
        ++fresh_;
      } else {
        served_.pop();
      }
    }

   private:
    const PoolTurns* of_;
    std::set<std::pair<policy::Instant, policy::JobId>>::const_iterator submitted_;
    std::set<GavelTurn>::const_iterator fresh_;
    KineticTournament<GavelTurn>::Walk served_;
  };

 private:
  std::set<std::pair<policy::Instant, policy::JobId>> by_submission_;
  std::set<GavelTurn> fresh_;
  KineticTournament<GavelTurn> served_;
  std::int64_t due_ = 0;
};

}  // namespace reeve::policies
