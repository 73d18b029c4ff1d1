// Which jobs the metrics of batch systems and clusters are of, and what they show.
#include <fmt/format.h>

#include "cases.hpp"
#include "scenarios/history/join.hpp"
#include "scenarios/history/utilization_files.hpp"

namespace reeve::scenarios::measured_jobs_test {

using namespace history_cases;

/// 2026-08-03T01:00:00Z.
constexpr int one_oclock = 1'785'718'800;

/// The answer of Prometheus: GPUs with these labels are busy until 01:20, idle until 02:00.
std::string gpus_idle_at_last(const std::vector<std::string>& labels) {
  std::string values, results;
  for (int minute = 10; minute < 60; ++minute) {
    values += fmt::format(R"({}[{}, "{}"])", values.empty() ? "" : ",", one_oclock + 60 * minute,
                          minute < 20 ? 90 : 0);
  }
  for (const std::string& each : labels) {
    results += fmt::format(R"({}{{ "metric": {{ "__name__": "DCGM_FI_DEV_GPU_UTIL", {} }},
        "values": [{}] }})",
                           results.empty() ? "" : ",", each, values);
  }
  return R"({ "status": "success", "data": { "resultType": "matrix", "result": [)" + results +
         "] } }";
}

JoinedHistory joined_of(const std::vector<std::string>& texts, History& history) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    read_history_stream(fmt::format("file{}", i), std::make_unique<std::istringstream>(texts[i]),
                        {}, history);
  }
  sum_up_work(history, {});
  return join_history(history, {});
}

/// Seconds of idle GPUs up to the end of the first job; -1: not measured.
double stalled(const std::vector<std::string>& texts) {
  History history;
  const JoinedHistory joined = joined_of(texts, history);
  const auto found = joined.jobs[0].record.stalled;
  return found ? seconds(*found) : -1;
}

/// Rows of sacct, each from minute to minute after one o'clock.
std::string sacct(const std::vector<std::string>& rows) {
  std::string text = "JobID|JobIDRaw|State|Submit|Start|End|ElapsedRaw|NNodes|AllocTRES\n";
  for (const std::string& row : rows) text += row + "|1|gres/gpu=8,node=1\n";
  return text;
}

const std::string gpu_of_7 = R"("Hostname": "n1", "gpu": "0", "hpc_job": "7")";

TEST(MeasuredJobs, AStallOfASlurmJobIsFound) {
  const std::string killed = sacct(
      {"7|7|CANCELLED by 5|2026-08-03T01:00:00|2026-08-03T01:10:00|2026-08-03T01:40:00|1800"});
  EXPECT_EQ(stalled({killed, gpus_idle_at_last({gpu_of_7})}), 1200);
  History history;
  const JoinedHistory joined = joined_of({killed}, history);
  EXPECT_EQ(seconds(*joined.jobs[0].record.duration), 1800);
}

TEST(MeasuredJobs, OfASlurmJobThatRanTwiceTheLastRunCounts) {
  const std::string twice =
      sacct({"7|7|REQUEUED|2026-08-03T01:00:00|2026-08-03T01:02:00|2026-08-03T01:12:00|600",
             "7|7|TIMEOUT|2026-08-03T01:12:00|2026-08-03T01:15:00|2026-08-03T01:35:00|1200"});
  EXPECT_EQ(stalled({twice, gpus_idle_at_last({gpu_of_7})}), 900);
}

}  // namespace reeve::scenarios::measured_jobs_test
