#include "scenarios/history/data/history_job.hpp"

#include <algorithm>

namespace reeve::scenarios {

using policy::Duration;
using policy::Instant;

bool sum_up(HistoryJob& job, std::optional<Instant> now) {
  ImportedJob& record = job.record;
  const auto duration = record.duration;
  bool is_changed = false;
  Duration sum{0};
  for (Stretch& stretch : job.work) {
    if (!stretch.until) {
      stretch.until = job.ended.value_or(now.value_or(stretch.from));
      is_changed = true;
    }
    sum += std::max(Duration{0}, *stretch.until - stretch.from);
  }
  if (!job.work.empty()) record.duration = sum;
  const Duration known =
      record.startup.value_or(Duration{0}) + record.duration.value_or(Duration{0});
  if (!record.lost && job.held && record.duration && *job.held > known) {
    record.lost = *job.held - known;
    is_changed = true;
  }
  return is_changed || record.duration != duration;
}

}  // namespace reeve::scenarios
