#include "models/record.hpp"

#include <algorithm>

namespace reeve::models {

std::optional<Duration> makespan(const Record& record) {
  Instant first = policy::never;
  Instant last = record.start;
  for (std::size_t job = 0; job < record.job_rows.size(); ++job) {
    const JobRow& row = record.job_rows[job];
    if (row.attempts == 0) continue;
    first = std::min(first, record.jobs.specs[job].submit);
    last = std::max(last, row.end == policy::never ? record.end : row.end);
  }
  if (first == policy::never) return std::nullopt;
  return last - first;
}

std::vector<policy::Usd> pool_bills(const Record& record) {
  std::vector<policy::Usd> bills;
  Charge sum = 0;
  for (const PoolRow& row : record.pool_rows) {
    const policy::Usd before = to_usd(sum);
    sum += row.billed;
    bills.push_back(to_usd(sum) - before);
  }
  return bills;
}

Occupancy occupancy(const World& world, const Record& record) {
  Occupancy all;
  const Charge length = makespan(record).value_or(Duration{0}).count();
  for (const Pool& pool : world.pools) all.capacity += length * pool.capacity;
  for (const Charge time : record.allocated_time) all.allocated += time;
  for (const Charge time : record.used_time) all.used += time;
  return all;
}

}  // namespace reeve::models
