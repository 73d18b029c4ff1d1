#include "experiments/surrogate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace reeve::experiments {
namespace {

constexpr std::array tried_lengths{0.08, 0.15, 0.3, 0.6, 1.2, 2.4, 5.0};

}  // namespace

Surrogate::Surrogate(std::vector<MeasuredPoint> observations)
    : observations_{std::move(observations)} {
  if (observations_.empty()) throw std::invalid_argument("a surrogate needs an observation");
  double sum = 0;
  for (const MeasuredPoint& each : observations_) sum += each.value;
  center_ = sum / static_cast<double>(observations_.size());
  double squares = 0;
  for (const MeasuredPoint& each : observations_) squares += std::pow(each.value - center_, 2);
  scale_ = std::sqrt(squares / static_cast<double>(observations_.size()));
  if (!(scale_ > 0)) scale_ = 1;
  for (MeasuredPoint& each : observations_) {
    each.value = (each.value - center_) / scale_;
    each.variance /= scale_ * scale_;
  }
  lengths_.assign(observations_.front().at.size(), 0.6);
  double best = fit();
  for (int round = 0; round < 2; ++round) {
    for (double& length : lengths_) {
      double chosen = length;
      for (const double tried : tried_lengths) {
        length = tried;
        const double likelihood = fit();
        if (likelihood > best) {
          best = likelihood;
          chosen = tried;
        }
      }
      length = chosen;
    }
  }
  fit();
}

double Surrogate::kernel(const DesignPoint& a, const DesignPoint& b) const {
  double squares = 0;
  for (std::size_t dimension = 0; dimension < a.size(); ++dimension) {
    squares += std::pow((a[dimension] - b[dimension]) / lengths_[dimension], 2);
  }
  const double distance = std::sqrt(5 * squares);
  return (1 + distance + distance * distance / 3) * std::exp(-distance);
}

double Surrogate::fit() {
  // What rounding needs, and what no smooth function explains.
  constexpr double jitter = 1e-6;
  const auto size = static_cast<Eigen::Index>(observations_.size());
  Eigen::MatrixXd covariance(size, size);
  Eigen::VectorXd values(size);
  for (Eigen::Index row = 0; row < size; ++row) {
    const MeasuredPoint& of = observations_[static_cast<std::size_t>(row)];
    values(row) = of.value;
    for (Eigen::Index column = 0; column <= row; ++column) {
      covariance(row, column) = kernel(of.at, observations_[static_cast<std::size_t>(column)].at);
    }
    covariance(row, row) += of.variance + jitter;
  }
  factor_.compute(covariance.selfadjointView<Eigen::Lower>());
  if (factor_.info() != Eigen::Success) return -std::numeric_limits<double>::infinity();
  weights_ = factor_.solve(values);
  const Eigen::MatrixXd lower = factor_.matrixL();
  return -0.5 * values.dot(weights_) - lower.diagonal().array().log().sum();
}

Belief Surrogate::at(const DesignPoint& point) const {
  const auto size = static_cast<Eigen::Index>(observations_.size());
  Eigen::VectorXd near(size);
  for (Eigen::Index row = 0; row < size; ++row) {
    near(row) = kernel(point, observations_[static_cast<std::size_t>(row)].at);
  }
  const double explained = near.dot(factor_.solve(near));
  return {center_ + scale_ * near.dot(weights_), scale_ * std::sqrt(std::max(0.0, 1 - explained))};
}

}  // namespace reeve::experiments
