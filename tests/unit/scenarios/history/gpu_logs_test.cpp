// Logs of GPUs: nvidia-smi --query-gpu and dmon, dcgmi dmon.
#include <gtest/gtest.h>

#include "tests/unit/scenarios/history/reading_of_text.hpp"

namespace reeve::scenarios::history_test {
namespace gpu_logs {

HistoryOptions of_job(const std::string& timezone = {}) {
  HistoryOptions options;
  options.job = "t";
  options.timezone = timezone;
  return options;
}

struct LogOddity {
  std::string what;
  std::string text;
  std::string kind;
  std::string samples;
  std::string warnings;
};

std::vector<LogOddity> logs_of_queries() {
  const std::string query = "timestamp, index, utilization.gpu [%]\n";
  return {
      {"two GPUs of a tick",
       query + "2026/08/03 09:10:00.100, 0, 98 %\n2026/08/03 09:10:00.103, 1, 90 %\n"
               "2026/08/03 09:11:00.100, 0, 10 %\n2026/08/03 09:11:00.102, 1, 20 %\n",
       "nvidia-smi", "09:10:00 94, 09:11:00 15", ""},
      {"a GPU that is not measured",
       query + "2026/08/03 09:10:00, 0, 98 %\n2026/08/03 09:10:00, 1, [N/A]\n", "nvidia-smi",
       "09:10:00 98", ""},
      {"no header, no units", "2026/08/03 09:10:00, 0, 98\n2026/08/03 09:11:00, 0, 7\n",
       "nvidia-smi", "09:10:00 98, 09:11:00 7", ""},
      {"other columns, and a second header where it was started again",
       "timestamp, name, utilization.gpu [%], index\n2026/08/03 09:10:00, A, 98 %, 0\n"
       "timestamp, name, utilization.gpu [%], index\n2026/08/03 09:11:00, A, 7 %, 0\n",
       "nvidia-smi", "09:10:00 98, 09:11:00 7", ""},
      {"a line that broke off", query + "2026/08/03 09:10:00, 0, 98 %\n2026/08/03 09:1",
       "nvidia-smi", "09:10:00 98", "W0632"},
      {"a line of an error", query + "2026/08/03 09:10:00, 0, 98 %\nUnable to determine, the, x\n",
       "nvidia-smi", "09:10:00 98", "W0632"},
      {"no index and one GPU",
       "timestamp, utilization.gpu [%]\n2026/08/03 09:10:00, 98 %\n2026/08/03 09:11:00, 7 %\n",
       "nvidia-smi", "09:10:00 98, 09:11:00 7", ""},
      {"the clock set back", query + "2026/10/25 02:10:00, 0, 9 %\n2026/10/25 02:05:00, 0, 8 %\n",
       "nvidia-smi", "02:05:00 8, 02:10:00 9", "W0654"},
      {"more than 100 %", query + "2026/08/03 09:10:00, 0, 98 %\n2026/08/03 09:11:00, 0, 198 %\n",
       "nvidia-smi", "09:10:00 98", "W0654"}};
}

std::vector<LogOddity> logs_of_dmon() {
  const std::string dmon =
      "#Date       Time        gpu   pwr    sm   mem\n#YYYYMMDD   HH:MM:SS    Idx     W     %     "
      "%\n";
  return {
      {"dmon with dates",
       dmon + " 20260803   09:10:00      0    43    80     -\n"
              " 20260803   09:10:00      1    43    60     0\n"
              " 20260803   09:11:00      0    43     0     0\n",
       "nvidia-smi", "09:10:00 70, 09:11:00 0", ""},
      {"dmon repeats its header",
       dmon + " 20260803   09:10:00      0    43    80     0\n" + dmon +
           " 20260803   09:10:01      0    43    81     0\n",
       "nvidia-smi", "09:10:00 80, 09:10:01 81", ""},
      {"dmon of a GPU without the metric",
       dmon + " 20260803   09:10:00      0    43     -     -\n 20260803   09:10:01  0 43 5 -\n",
       "nvidia-smi", "09:10:01 5", ""},
      {"dmon --format csv",
       "#Date, Time, gpu, sm, mem\n#YYYYMMDD, HH:MM:SS, Idx, %, %\n20260803, 09:10:00, 0, 5, 0\n",
       "nvidia-smi", "09:10:00 5", ""},
      {"dcgmi behind ts",
       "2026-08-03T09:10:00Z #Entity   GPUTL  MCUTL\n2026-08-03T09:10:00Z ID\n"
       "2026-08-03T09:10:00Z GPU 0     90     12\n2026-08-03T09:10:00Z GPU 1     N/A    12\n"
       "2026-08-03T09:11:00Z GPU 0     10     12\n",
       "dcgmi", "09:10:00 90, 09:11:00 10", ""},
      {"dcgmi with a ratio and units",
       "[2026-08-03 09:10:00] # Entity  GRACT  POWER\n[2026-08-03 09:10:00]       Id  W\n"
       "[2026-08-03 09:10:00]     GPU 0  0.500  70.1\n",
       "dcgmi", "09:10:00 50", ""},
      {"dcgmi with seconds since 1970",
       "1785748200.250 #Entity GPUTL\n1785748200.250 GPU 0  33\n1785748201 GPU 0  x\n", "dcgmi",
       "09:10:00 33", "W0632"},
  };
}

TEST(GpuLogs, FormsAreReadRightly) {
  std::vector<LogOddity> logs = logs_of_queries();
  const std::vector<LogOddity> more = logs_of_dmon();
  logs.insert(logs.end(), more.begin(), more.end());
  for (const LogOddity& log : logs) {
    SCOPED_TRACE(log.what);
    const Reading reading = read_text(log.text, of_job());
    EXPECT_EQ(reading.error(), "none");
    EXPECT_EQ(reading.kind(), log.kind);
    const auto* series = find_series(reading.history, "t", "node1");
    ASSERT_NE(series, nullptr) << "the file's name is the node's";
    EXPECT_EQ(shown(*series), log.samples);
    EXPECT_EQ(reading.warnings(), log.warnings);
    EXPECT_GT(reading.history.files[0].bytes, 0u);
  }
}

TEST(GpuLogs, LocalTimesHaveAnOffset) {
  const std::string log = "timestamp, utilization.gpu [%]\n2026/08/03 09:10:00, 98 %\n";
  const auto samples = [&](const std::string& timezone) {
    const Reading reading = read_text(log, of_job(timezone));
    return reading.errors.empty() ? shown(reading.history.series.at(0)) : reading.error();
  };
  EXPECT_EQ(samples("UTC"), "09:10:00 98");
  EXPECT_EQ(samples("+02:00"), "07:10:00 98");
  EXPECT_EQ(samples("-0330"), "12:40:00 98");
  EXPECT_EQ(samples("Europe/Berlin"), "07:10:00 98");
  EXPECT_EQ(samples("Mars/Olympus"), "E0410");
}

TEST(GpuLogs, AnHourThatClocksShowTwiceGoesOn) {
  const Reading reading = read_text(
      "timestamp, utilization.gpu [%]\n2026/10/25 02:30:00, 1 %\n2026/10/25 02:50:00, 2 %\n"
      "2026/10/25 02:10:00, 3 %\n2026/10/25 03:00:00, 4 %\n",
      of_job("Europe/Berlin"));
  EXPECT_EQ(shown(reading.history.series.at(0)), "00:30:00 1, 00:50:00 2, 01:10:00 3, 02:00:00 4");
  EXPECT_EQ(reading.warnings(), "");
}

TEST(GpuLogs, WhatIsWrongIsNamed) {
  const std::string query = "timestamp, index, utilization.gpu [%]\n";
  const std::string row = "2026/08/03 09:10:00, 0, 98 %\n";
  EXPECT_EQ(read_text(query + row).error(), "E0402") << "which job?";
  EXPECT_EQ(read_text(query, of_job()).error(), "E0422");
  const auto error = [&](const std::string& text, const std::string& kind) {
    HistoryOptions options = of_job();
    options.as = kind;
    return read_text(text, options).error();
  };
  EXPECT_EQ(error("timestamp, index\n" + row, "nvidia-smi"), "E0321");
  EXPECT_EQ(error("a,b,c,d\n", "nvidia-smi"), "E0321");
  EXPECT_EQ(error("# gpu   pwr   sm\n# Idx     W    %\n    0    43   5\n", "nvidia-smi"), "E0423");
  EXPECT_EQ(error("#Time  gpu  sm\n#HH:MM:SS Idx %\n 09:10:00 0 5\n", "nvidia-smi"), "E0423");
  EXPECT_EQ(error("#Date Time gpu pwr\n", "nvidia-smi"), "E0321");
  EXPECT_EQ(error("#Entity   GPUTL\nID\nGPU 0     5\n", "dcgmi"), "E0423");
  EXPECT_EQ(error("#Entity   MCUTL\n", "dcgmi"), "E0321");
}

}  // namespace gpu_logs
}  // namespace reeve::scenarios::history_test
