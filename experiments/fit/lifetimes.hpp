// The jobs of a history as lifetimes: how long each worked, and whether that is all of its work.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "experiments/fit/observed_job.hpp"
#include "experiments/fit/survival.hpp"

namespace reeve::experiments {

/// What counts as the end of the work; others are censored.
enum class WorkEnds : std::uint8_t {
  by_itself,            ///< no failure, no stop
  by_itself_or_people,  ///< and stops by people
  by_anything,          ///< all but jobs that still ran
};

class Lifetimes {
 public:
  /// The history must live as long.
  explicit Lifetimes(const ObservedHistory& history);

  /// The life of a job that ran within the window.  A job that began before the window was seen
  /// only because it still ran then: it is left-truncated.
  std::optional<Lifetime> of(std::size_t job, WorkEnds ends) const;
  /// The lives of those jobs that have one.
  std::vector<Lifetime> of(std::span<const std::size_t> jobs,
                           WorkEnds ends = WorkEnds::by_itself) const;

 private:
  const ObservedHistory& history_;
  std::vector<std::size_t> users_;  ///< of each job
};

}  // namespace reeve::experiments
