// What tests of Slurm's accounting compare: the values of a job by name.
#pragma once

#include "cases.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios::slurm_history_test {

using namespace history_cases;
using nlohmann::json;
using policy::Instant;

inline json time_text(std::optional<Instant> at) {
  return at ? json(show(*at)) : json{};
}

inline json slurm_value(const HistoryJob& job, const std::string& key) {
  const ImportedJob& record = job.record;
  if (key == "submit") return time_text(job.submitted).get<std::string>().substr(0, 19);
  if (key == "end") return time_text(job.ended);
  if (key == "wait_s") return seconds(record.observed_wait);
  if (key == "work_s") return seconds(record.duration);
  if (key == "limit_s") return seconds(record.time_limit);
  if (key == "all_attempts_s") return seconds(*record.duration) + seconds(*record.lost);
  if (key == "lost_s") return seconds(record.lost);
  if (key == "status") return std::string{name_of(record.end_status)};
  if (key == "cause") return record.end_cause ? json(name_of(*record.end_cause)) : json{};
  if (key == "reason") return record.failure_reason;
  if (key == "gpus") return record.gpus_total ? json(*record.gpus_total) : json{};
  if (key == "gpu_type") return record.gpu_type;
  if (key == "nodes") return record.nodes ? json(*record.nodes) : json{};
  if (key == "slices") return job.sliced;
  if (key == "censored") return record.censored ? json(*record.censored) : json{};
  if (key == "attempts") return record.attempts ? json(*record.attempts) : json{};
  if (key == "interruptions") return record.interruptions ? json(*record.interruptions) : json{};
  if (key == "restarts") return record.restarts ? json(*record.restarts) : json{};
  if (key == "by_uid") return std::stoi(job.stopped_by.substr(4));
  if (key == "stopped_by") return job.stopped_by;
  if (key == "gpu_util_mean") return record.gpu_util_mean ? json(*record.gpu_util_mean) : json{};
  if (key == "user") return record.user;
  if (key == "sweep") return record.sweep;
  if (key == "resource") return job.resource;
  if (key == "waited_at_least_s") return seconds(job.waited_at_least);
  return {};
}

/// The jobs as the cases have them, without what these say beside the values of a job.
inline void expect_jobs(const History& history, json jobs, const std::string& file) {
  for (json& values : jobs) {
    for (const char* remark : {"name", "from", "lost"}) values.erase(remark);
  }
  history_cases::expect_jobs(file, jobs, history, slurm_value);
}

struct SlurmOddity {
  std::string what, text, job, key;
  json value;
};

inline void expect_oddities(const std::vector<SlurmOddity>& oddities) {
  for (const SlurmOddity& oddity : oddities) {
    const History history = read_text(oddity.text);
    const auto job = job_named(history, oddity.job);
    ASSERT_NE(job, nullptr) << oddity.what;
    const json have = slurm_value(*job, oddity.key);
    EXPECT_TRUE(same(have, oddity.value)) << oddity.what << ": " << have;
  }
}

}  // namespace reeve::scenarios::slurm_history_test
