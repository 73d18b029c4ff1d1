// Recorded weeks drawn again: the jobs of one replication of a resampled trace.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "models/world.hpp"

namespace reeve::models {

inline constexpr policy::Duration week_length = std::chrono::hours{24 * 7};

/// Of a record with jobs: from the start of the clock to a second after the last submission.  So
/// times in whole seconds can make a whole week.
inline Duration recorded_length(const World& world) {
  return world.jobs.specs.back().submit - world.start + std::chrono::seconds{1};
}

/// The jobs of the replication.  The world has a `resampling`.
Jobs resample(const World& world, std::uint32_t replication);

/// How much the weeks to come have in all: lognormal between weeks, with the mean of past weeks.
/// What the past weeks leave open is drawn once per replication: the deviation of the logarithms
/// (its square by chi-square) and the error of their mean, so the logarithms are Student's t.
class WeekLevels {
 public:
  /// Nothing with fewer than three totals, or if all are 0.  One of 0 counts as half of the least
  /// positive one.
  static std::optional<WeekLevels> of(std::span<const double> totals, std::uint64_t seed,
                                      std::uint32_t replication);

  /// Of the `slot`th week to come; within an eighth of the least positive total and eight times
  /// the largest.
  double operator()(std::uint32_t slot) const;

 private:
  double normal(std::uint32_t entity, std::uint32_t nth) const;
  std::uint64_t seed_ = 0;
  std::uint32_t replication_ = 0;
  double centre_ = 0;     ///< of the logarithms, in this replication
  double deviation_ = 0;  ///< between weeks, in this replication
  double least_ = 0;
  double most_ = 0;
};

}  // namespace reeve::models
