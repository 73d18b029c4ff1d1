#include "experiments/design.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <boost/random/sobol.hpp>
#include <numeric>

#include "sim/draws.hpp"

namespace reeve::experiments {

std::vector<DesignPoint> latin_hypercube(std::size_t points, std::size_t dimensions,
                                         std::uint64_t seed) {
  std::vector<DesignPoint> all(points, DesignPoint(dimensions));
  for (std::uint32_t dimension = 0; dimension < dimensions; ++dimension) {
    const auto bits = [&](sim::Cause cause, std::size_t point) {
      return sim::Address{seed, 0, cause, dimension, static_cast<std::uint32_t>(point)};
    };
    std::vector<std::size_t> order(points);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t last = points; last > 1; --last) {  // Fisher and Yates
      std::swap(order[last - 1],
                order[sim::random_bits(bits(sim::Cause::design_order, last)) % last]);
    }
    for (std::size_t point = 0; point < points; ++point) {
      const double inside = 1 - sim::uniform(bits(sim::Cause::design_point, point));
      all[point][dimension] =
          (static_cast<double>(order[point]) + inside) / static_cast<double>(points);
    }
  }
  return all;
}

std::vector<DesignPoint> sobol(std::size_t points, std::size_t dimensions) {
  std::vector<DesignPoint> all(points, DesignPoint(dimensions));
  if (dimensions == 0) return all;
  boost::random::sobol sequence{dimensions};  // it begins behind the origin
  for (DesignPoint& point : all) {
    for (double& coordinate : point) coordinate = static_cast<double>(sequence()) * 0x1p-64;
  }
  return all;
}

std::vector<double> slopes(const std::vector<DesignPoint>& points,
                           const std::vector<double>& values) {
  if (points.empty()) return {};
  const auto rows = static_cast<Eigen::Index>(points.size());
  const auto columns = static_cast<Eigen::Index>(points.front().size()) + 1;
  Eigen::MatrixXd matrix(rows, columns);
  Eigen::VectorXd right(rows);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const auto index = static_cast<std::size_t>(row);
    matrix(row, 0) = 1;
    for (Eigen::Index column = 1; column < columns; ++column) {
      matrix(row, column) = points[index][static_cast<std::size_t>(column) - 1];
    }
    right(row) = values[index];
  }
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> decomposed{matrix};
  if (decomposed.rank() < columns) return {};
  const Eigen::VectorXd solution = decomposed.solve(right);
  return {solution.data() + 1, solution.data() + columns};
}

}  // namespace reeve::experiments
