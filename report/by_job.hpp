// Rows of a table, found by their job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <reeve/policy/ids.hpp>
#include <span>
#include <vector>

namespace reeve::report {

/// The indices of rows by job; rows of a job keep their order.  Rows without a job (`belongs` is
/// false) are left out.
class ByJob {
 public:
  template <class Rows, class Belongs>
  ByJob(std::size_t jobs, const Rows& rows, Belongs belongs) : begins_(jobs + 1) {
    for (const auto& row : rows) {
      if (belongs(row)) ++begins_[row.job.index + 1];
    }
    for (std::size_t job = 0; job < jobs; ++job) begins_[job + 1] += begins_[job];
    rows_.resize(begins_.back());
    std::vector<std::size_t> next = begins_;
    std::uint32_t index = 0;
    for (const auto& row : rows) {
      if (belongs(row)) rows_[next[row.job.index]++] = index;
      ++index;
    }
  }
  template <class Rows>
  ByJob(std::size_t jobs, const Rows& rows) : ByJob{jobs, rows, [](const auto&) { return true; }} {}

  std::span<const std::uint32_t> of(policy::JobId job) const {
    return std::span{rows_}.subspan(begins_[job.index],
                                    begins_[job.index + 1] - begins_[job.index]);
  }

 private:
  std::vector<std::size_t> begins_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace reeve::report
