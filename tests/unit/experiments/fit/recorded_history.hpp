// A history of one of the published traces, if it is here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/fit/observed_job.hpp"
#include "scenarios/records/trace.hpp"

namespace reeve::experiments {

inline const std::filesystem::path recorded_data =
    std::filesystem::path{REEVE_SOURCE_DIR} / ".." / "shared" / "data";

/// The jobs of a history that own their memory.
struct OwnedHistory {
  std::vector<ObservedJob> jobs;
  std::vector<ObservedOutage> outages;
  policy::Instant start{};
  policy::Instant end{};

  ObservedHistory view() const { return {start, end, jobs, outages}; }
};

/// The window is from the first submission to a second after the last.
inline OwnedHistory recorded_history(const std::filesystem::path& file) {
  OwnedHistory history;
  scenarios::TraceReader reader{file};
  scenarios::TraceRow row;
  history.start = policy::Instant::max();
  while (reader.next(row)) {
    ObservedJob job;
    job.submit = policy::Instant{row.submit};
    job.duration = row.duration;
    job.user = row.user;
    job.nodes = row.nodes.value_or(1);
    job.gpus = static_cast<double>(row.gpus_total.value_or(0));
    job.end_status = row.end_status;
    job.wait = row.observed_wait;
    job.time_limit = row.time_limit;
    history.start = std::min(history.start, job.submit);
    history.end = std::max(history.end, job.submit);
    history.jobs.push_back(std::move(job));
  }
  history.end += std::chrono::seconds{1};
  return history;
}

}  // namespace reeve::experiments
