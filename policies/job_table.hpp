// A column by JobId that grows as jobs become known.
#pragma once

#include <cstddef>
#include <reeve/policy/ids.hpp>
#include <vector>

namespace reeve::policies {

/// One `Row` per job. A job without a row has a default row.
template <class Row>
class JobTable {
 public:
  Row& operator[](policy::JobId job) {
    if (job.index >= rows_.size()) rows_.resize(std::size_t{job.index} + 1);
    return rows_[job.index];
  }
  const Row* find(policy::JobId job) const { return knows(job) ? &rows_[job.index] : nullptr; }
  bool knows(policy::JobId job) const { return job.index < rows_.size(); }

 private:
  std::vector<Row> rows_;
};

}  // namespace reeve::policies
