#include "scenarios/history/history.hpp"

#include <algorithm>
#include <array>

namespace reeve::scenarios {

using policy::Duration;
using policy::Instant;

std::string_view name_of(HistoryEvent::Kind kind) {
  constexpr std::array<std::string_view, 7> names{"created",     "stop_requested", "stop_refused",
                                                  "interrupted", "restarted",      "rebalance",
                                                  "evicted"};
  return names[static_cast<std::size_t>(kind)];
}

void sum_up_work(History& history, std::optional<Instant> as_of) {
  join_objects(history);
  auto file = history.files.begin();
  std::size_t place = 0;
  history.jobs.rewrite([&](HistoryJob& job) {
    while (file != history.files.end() && place >= file->jobs_until) ++file;
    if (file != history.files.end()) job.seen = file->newest;
    ++place;
    ImportedJob& record = job.record;
    const std::optional<Instant> now = as_of ? as_of : job.seen;
    if (!job.work.empty()) {
      Duration sum{0};
      for (Stretch& stretch : job.work) {
        if (!stretch.until) stretch.until = job.ended.value_or(now.value_or(stretch.from));
        sum += std::max(Duration{0}, *stretch.until - stretch.from);
      }
      record.duration = sum;
    }
    const Duration known =
        record.startup.value_or(Duration{0}) + record.duration.value_or(Duration{0});
    if (!record.lost && job.held && record.duration && *job.held > known) {
      record.lost = *job.held - known;
    }
    return JobPass::changed;
  });
}

}  // namespace reeve::scenarios
