// The one place that needs a matrix.  Without vector instructions, so that every compiler rounds in
// the same order.
#define EIGEN_DONT_VECTORIZE
#define EIGEN_MPL2_ONLY
#include <Eigen/Cholesky>

#include "models/market.hpp"

namespace reeve::models {

std::vector<double> cholesky(const std::vector<std::vector<double>>& correlation) {
  const auto size = static_cast<Eigen::Index>(correlation.size());
  Eigen::MatrixXd matrix(size, size);
  for (Eigen::Index row = 0; row < size; ++row) {
    for (Eigen::Index column = 0; column < size; ++column) {
      matrix(row, column) =
          correlation[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
    }
  }
  const Eigen::LLT<Eigen::MatrixXd> factored(matrix);
  if (factored.info() != Eigen::Success) return {};
  const Eigen::MatrixXd lower = factored.matrixL();
  std::vector<double> triangle;
  for (Eigen::Index row = 0; row < size; ++row) {
    for (Eigen::Index column = 0; column <= row; ++column) triangle.push_back(lower(row, column));
  }
  return triangle;
}

}  // namespace reeve::models
