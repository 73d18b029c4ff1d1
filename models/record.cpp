#include "models/record.hpp"

#include <algorithm>
#include <utility>

namespace reeve::models {

std::optional<std::pair<Instant, Instant>> span(const Record& record) {
  Instant first = policy::never;
  Instant last = record.start;
  for (std::size_t job = 0; job < record.job_rows.size(); ++job) {
    const JobRow& row = record.job_rows[job];
    if (row.attempts == 0) continue;
    first = std::min(first, record.jobs.specs[job].submit);
    last = std::max(last, row.end == policy::never ? record.end : row.end);
  }
  if (first == policy::never) return std::nullopt;
  return std::pair{first, last};
}

void Peak::see(std::uint64_t part_now, std::uint64_t whole_now) {
  if (whole_now == 0) return;
  if (whole > 0 && Charge{part_now} * whole <= Charge{part} * whole_now) return;
  part = part_now;
  whole = whole_now;
}

std::optional<Duration> makespan(const Record& record) {
  const auto jobs = span(record);
  if (!jobs) return std::nullopt;
  return jobs->second - jobs->first;
}

policy::TagSetId tags_of(const Record& record, policy::JobId job, policy::AttemptNumber attempt,
                         policy::TagSetId tags) {
  const auto row = record.untagged.find(job);
  if (row == record.untagged.end()) return tags;
  const bool lacks = std::ranges::binary_search(row->second.attempts, attempt);
  return lacks ? policy::TagSetId{} : tags;
}

Duration waited_again(const Record& record, policy::JobId job) {
  const auto waited = record.waits_again.find(job);
  return waited == record.waits_again.end() ? Duration{0} : waited->second;
}

std::uint64_t preemptions_of(const Record& record, policy::JobId job) {
  return static_cast<std::uint64_t>(
      std::count_if(record.preemptions.begin(), record.preemptions.end(),
                    [job](const PreemptionRow& each) { return each.job == job; }));
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

Occupancy occupancy(const Record& record) {
  Occupancy all;
  for (const PoolRow& row : record.pool_rows) all.capacity += row.there_time;
  for (const Charge time : record.allocated_time) all.allocated += time;
  for (const Charge time : record.used_time) all.used += time;
  return all;
}

}  // namespace reeve::models
