#include "scenarios/history/sum_up.hpp"

#include <algorithm>

#include "scenarios/history/kubernetes/objects.hpp"
#include "scenarios/history/slurm/join.hpp"

namespace reeve::scenarios {

using policy::Duration;
using policy::Instant;

namespace {

/// Whether that changed the job.  `now`: when it was described.
bool sum_up_work(HistoryJob& job, std::optional<Instant> now) {
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

}  // namespace

void sum_up_work(History& history, std::optional<Instant> as_of) {
  join_objects(history);
  join_slurm(history);
  auto file = history.files.begin();
  std::size_t place = 0;
  history.jobs.rewrite([&](HistoryJob& job) {
    while (file != history.files.end() && place >= file->jobs_until) ++file;
    ++place;
    auto seen = job.seen;
    if (!seen && file != history.files.end()) seen = file->newest;
    return sum_up_work(job, as_of ? as_of : seen) ? JobPass::changed : JobPass::left_as_is;
  });
}

}  // namespace reeve::scenarios
