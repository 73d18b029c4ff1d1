// What CLP asks of LAPACK, the factors of a small dense matrix, without LAPACK: which BLAS a
// machine has is its own choice, and some use threads and other instructions on each CPU, so that
// the same programme would have other answers elsewhere.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace {

/// Column by column, `stride` between them.
struct Matrix {
  double* values;
  std::ptrdiff_t stride;
  double& at(int row, int column) const { return values[row + column * stride]; }
};

void swap_rows(const Matrix& matrix, int columns, int a, int b) {
  if (a == b) return;
  for (int column = 0; column < columns; ++column) {
    std::swap(matrix.at(a, column), matrix.at(b, column));
  }
}

int pivot_of(const Matrix& matrix, int rows, int step) {
  int best = step;
  for (int row = step + 1; row < rows; ++row) {
    if (std::abs(matrix.at(row, step)) > std::abs(matrix.at(best, step))) best = row;
  }
  return best;
}

/// One right-hand side, the lower factor having ones on its diagonal.
void solve_plain(const Matrix& factors, int size, const Matrix& right, int of) {
  for (int row = 0; row < size; ++row) {
    for (int below = row + 1; below < size; ++below) {
      right.at(below, of) -= factors.at(below, row) * right.at(row, of);
    }
  }
  for (int row = size - 1; row >= 0; --row) {
    right.at(row, of) /= factors.at(row, row);
    for (int above = 0; above < row; ++above) {
      right.at(above, of) -= factors.at(above, row) * right.at(row, of);
    }
  }
}

void solve_transposed(const Matrix& factors, int size, const Matrix& right, int of) {
  for (int row = 0; row < size; ++row) {
    for (int before = 0; before < row; ++before) {
      right.at(row, of) -= factors.at(before, row) * right.at(before, of);
    }
    right.at(row, of) /= factors.at(row, row);
  }
  for (int row = size - 1; row >= 0; --row) {
    for (int after = row + 1; after < size; ++after) {
      right.at(row, of) -= factors.at(after, row) * right.at(after, of);
    }
  }
}

}  // namespace

/// LAPACK's: A = P L U in place, with partial pivoting; `info`: the first column without a pivot.
extern "C" void dgetrf_(const int* rows, const int* columns, double* a, const int* lda, int* pivots,
                        int* info) {
  const Matrix matrix{a, *lda};
  *info = 0;
  for (int step = 0; step < std::min(*rows, *columns); ++step) {
    const int pivot = pivot_of(matrix, *rows, step);
    pivots[step] = pivot + 1;
    if (matrix.at(pivot, step) == 0) {
      if (*info == 0) *info = step + 1;
      continue;
    }
    swap_rows(matrix, *columns, step, pivot);
    for (int row = step + 1; row < *rows; ++row) matrix.at(row, step) /= matrix.at(step, step);
    for (int column = step + 1; column < *columns; ++column) {
      for (int row = step + 1; row < *rows; ++row) {
        matrix.at(row, column) -= matrix.at(row, step) * matrix.at(step, column);
      }
    }
  }
}

/// LAPACK's: solves A x = b, or its transpose, by those factors.
extern "C" void dgetrs_(const char* transposed, const int* size, const int* count, double* a,
                        const int* lda, const int* pivots, double* b, const int* ldb, int* info,
                        std::size_t) {
  const Matrix factors{a, *lda};
  const Matrix right{b, *ldb};
  *info = 0;
  const bool plain = *transposed == 'N' || *transposed == 'n';
  if (plain) {
    for (int row = 0; row < *size; ++row) swap_rows(right, *count, row, pivots[row] - 1);
  }
  for (int of = 0; of < *count; ++of) {
    if (plain) {
      solve_plain(factors, *size, right, of);
    } else {
      solve_transposed(factors, *size, right, of);
    }
  }
  if (plain) return;
  for (int row = *size - 1; row >= 0; --row) swap_rows(right, *count, row, pivots[row] - 1);
}
