// Synthetic months from a history: weeks of users, drawn with replacement.
#pragma once

#include <cstdint>
#include <vector>

#include "experiments/fit/observed_job.hpp"

namespace reeve::experiments {

/// A job of the history, submitted again at another time.
struct ResampledJob {
  std::size_t job = 0;        ///< index into the history
  policy::Duration submit{};  ///< since the start of the synthetic time
  std::uint32_t copy = 0;     ///< which of the equal weeks of that user in this week, from 0
};

inline constexpr std::size_t least_user_weeks = 8;

/// Draws synthetic weeks (Zakay and Feitelson, 2014).  A user's week is all jobs that the user
/// submitted in one whole week of the history; it moves by whole weeks, so bursts, the rhythm of
/// the week, and what belongs to a user stay.
class WeekResampling {
 public:
  /// The history must live as long.  Throws std::invalid_argument without a whole week.
  explicit WeekResampling(const ObservedHistory& history);

  /// `weeks` weeks, sorted by submission.  Each week has as many users' weeks as one week of the
  /// history, drawn from all of them.  With fewer than eight users' weeks, or without users, whole
  /// weeks of the history are drawn.
  std::vector<ResampledJob> draw(std::size_t weeks, std::uint32_t replication) const;

  bool draws_whole_weeks() const { return draws_whole_weeks_; }

 private:
  struct Block {
    policy::Instant start{};  ///< of its week
    std::vector<std::size_t> jobs;
  };
  const ObservedHistory& history_;
  std::uint64_t seed_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> blocks_per_week_;
  bool draws_whole_weeks_ = false;
};

}  // namespace reeve::experiments
