#include "report/pool_use.hpp"

namespace reeve::report {

std::vector<bool> replaced_pool_rows(const models::Record& record, std::size_t pools) {
  const std::vector<models::UtilizationRow>& rows = record.utilization;
  std::vector<bool> replaced(rows.size());
  std::vector<policy::Instant> next(pools, policy::never);
  for (std::size_t row = rows.size(); row-- > 0;) {
    policy::Instant& later = next[rows[row].pool.index];
    replaced[row] = later == rows[row].at;
    later = rows[row].at;
  }
  return replaced;
}

}  // namespace reeve::report
