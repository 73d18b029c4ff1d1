// Chooses which setting to run next, so that a good one is found in few runs.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "experiments/design.hpp"
#include "experiments/surrogate.hpp"

namespace reeve::experiments {

/// What the runs of one candidate came to.  Less is better for the loss; a constraint is kept if
/// its excess is at most 0.
struct Measured {
  Belief loss;                 ///< `deviation`: the standard error of the mean
  std::vector<Belief> excess;  ///< by constraint
};

/// Bayesian optimization over a finite set of candidates: expected improvement times the
/// probability that the constraints are kept (Gardner et al., 2014).  Deterministic.
class Tuner {
 public:
  /// The first candidates of `candidates` are tried first: they should be spread evenly.
  Tuner(std::vector<DesignPoint> candidates, std::size_t constraints);

  /// The candidate to run next; nothing: all were run.
  std::optional<std::size_t> next();
  /// Each candidate once.
  void tell(std::size_t candidate, Measured measured);
  /// The candidate that is best by what is known of all; nothing: none seems to keep the
  /// constraints.
  std::optional<std::size_t> best() const;

 private:
  struct Tried {
    std::size_t candidate;
    Measured measured;
  };
  std::vector<Surrogate> surrogates() const;
  std::optional<std::size_t> best_by(const std::vector<Surrogate>& models) const;
  double merit(const DesignPoint& at, const std::vector<Surrogate>& models,
               std::optional<double> least) const;

  std::vector<DesignPoint> candidates_;
  std::size_t constraints_;
  std::vector<Tried> tried_;
  std::vector<bool> is_tried_;
};

}  // namespace reeve::experiments
