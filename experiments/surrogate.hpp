// A Gaussian process over the unit cube: what a metric is where nothing was run.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <vector>

#include "experiments/design.hpp"

namespace reeve::experiments {

/// What is known of a value: its mean, and how uncertain it is.
struct Belief {
  double mean = 0;
  double deviation = 0;
};

/// A value that was measured at a point, with the variance of its error.
struct MeasuredPoint {
  DesignPoint at;
  double value = 0;
  double variance = 0;
};

/// Matern 5/2 kernel with one length per dimension and a constant mean (Rasmussen and Williams,
/// 2006, chapters 2 and 5).  The lengths maximize the marginal likelihood over a fixed grid, so the
/// result is deterministic.
class Surrogate {
 public:
  /// Throws std::invalid_argument without observations.
  explicit Surrogate(std::vector<MeasuredPoint> observations);

  Belief at(const DesignPoint& point) const;
  const std::vector<double>& lengths() const { return lengths_; }

 private:
  double kernel(const DesignPoint& a, const DesignPoint& b) const;
  /// Solves for the current lengths; returns the logarithm of the marginal likelihood.
  double fit();

  std::vector<MeasuredPoint> observations_;  ///< standardized
  double center_ = 0;
  double scale_ = 1;
  std::vector<double> lengths_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  Eigen::VectorXd weights_;
};

}  // namespace reeve::experiments
