// Metrics of CloudWatch and Prometheus: published forms and their oddities.
#include <gtest/gtest.h>

#include <cmath>

#include "scenarios/history/metrics/series.hpp"
#include "tests/unit/scenarios/history/reading_of_text.hpp"

namespace reeve::scenarios::history_test {
namespace metrics {

using namespace std::chrono_literals;
using nlohmann::json;

/// Values one period apart, null where one is missing.
void expect_values(const UtilizationSeries& series, const json& values, double divisor,
                   policy::Duration period) {
  std::size_t next = 0;
  ASSERT_FALSE(series.samples.empty());
  const auto samples = series.samples.unpacked();
  const auto first = samples[0].at;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].is_null()) continue;
    ASSERT_LT(next, samples.size());
    EXPECT_EQ(samples[next].at, first + period * static_cast<std::int64_t>(i));
    EXPECT_NEAR(samples[next].percent / divisor, values[i].get<double>(), 1e-9);
    ++next;
  }
  EXPECT_EQ(next, samples.size());
}

TEST(CloudwatchCases, AreReadAsExpected) {
  if (!std::filesystem::exists(case_folder)) GTEST_SKIP() << "no ../shared/cases/history here";
  const json expected = expected_of("cloudwatch");
  for (const auto& [file, want] : expected.items()) {
    SCOPED_TRACE(file);
    if (file.starts_with("console")) continue;  // no published sample of its form
    const Reading reading = read_case("cloudwatch", file);
    if (want.contains("error")) {
      EXPECT_NE(reading.error(), "none");
    } else {
      EXPECT_EQ(reading.error(), "none");
    }
    if (!want.contains("series")) continue;
    EXPECT_EQ(reading.history.series.size(), want["series"].size());
    for (const auto& [label, values] : want["series"].items()) {
      const std::size_t slash = label.find('/');
      const auto* series =
          find_series(reading.history, label.substr(0, slash), label.substr(slash + 1));
      ASSERT_NE(series, nullptr) << label;
      EXPECT_TRUE(series->is_sum);
      expect_values(*series, values, want["gpus"].get<double>(), 60s);
    }
  }
}

TEST(CloudwatchCases, RefusedFilesSayWhy) {
  if (!std::filesystem::exists(case_folder)) GTEST_SKIP() << "no ../shared/cases/history here";
  const json expected = expected_of("cloudwatch");
  const Reading partial = read_case("cloudwatch", "partial-page.json");
  EXPECT_EQ(partial.error(), expected["partial-page.json"]["error"][0]);
  ASSERT_EQ(partial.errors.size(), 2u);
  EXPECT_EQ(partial.errors[1].code, expected["partial-page.json"]["warning"]);
  EXPECT_EQ(read_case("cloudwatch", "statistics-unordered.json").error(), "E0402");
  EXPECT_EQ(read_case("cloudwatch", "no-host-in-label.json").error(), "E0402");
  EXPECT_EQ(read_case("cloudwatch", "console-unverified.csv").error(), "E0420");
}

TEST(CloudwatchCases, StatisticsOfANamedHostAreSorted) {
  if (!std::filesystem::exists(case_folder)) GTEST_SKIP() << "no ../shared/cases/history here";
  HistoryOptions options;
  options.job = "train";
  EXPECT_EQ(read_case("cloudwatch", "statistics-unordered.json", options).error(), "E0402");
  options.host = "algo-1";
  const Reading reading = read_case("cloudwatch", "statistics-unordered.json", options);
  const auto* series = find_series(reading.history, "train", "algo-1");
  ASSERT_NE(series, nullptr);
  const json want = expected_of("cloudwatch")["statistics-unordered.json"]["values_in_order"];
  expect_values(*series, want, 1, 60s);
}

TEST(CloudwatchCases, EachStretchHasItsPeriod) {
  if (!std::filesystem::exists(case_folder)) GTEST_SKIP() << "no ../shared/cases/history here";
  const json want = expected_of("cloudwatch")["mixed-periods.json"];
  const Reading reading = read_case("cloudwatch", "mixed-periods.json");
  ASSERT_EQ(reading.history.series.size(), 1u);
  std::vector<double> periods;
  for (const auto& period : reading.history.series[0].periods) {
    periods.push_back(std::chrono::duration<double>(period.lasts).count());
  }
  EXPECT_EQ(periods, want["periods"].get<std::vector<double>>());
  ASSERT_TRUE(reading.warned("W0653"));
  EXPECT_NE(reading.history.files[0].warnings[0].message.find("before 2026-08-25"),
            std::string::npos)
      << reading.history.files[0].warnings[0].message;
}

TEST(PrometheusCases, AreReadAsExpected) {
  if (!std::filesystem::exists(case_folder)) GTEST_SKIP() << "no ../shared/cases/history here";
  const json expected = expected_of("prometheus");
  for (const auto& [file, want] : expected.items()) {
    SCOPED_TRACE(file);
    const Reading reading = read_case("prometheus", file);
    EXPECT_EQ(reading.error(), want.contains("error") ? "E0395" : "none");
    if (!want.contains("series")) continue;
    std::uint64_t idle = 0;
    for (const auto& series : reading.history.series) idle += series.job.empty();
    EXPECT_EQ(idle, want.value("of_nobody", 0u));
    EXPECT_EQ(reading.history.series.size(), want["series"].size() + idle);
    for (const auto& [job, values] : want["series"].items()) {
      const auto* series = find_series(reading.history, job, "n1", "0");
      ASSERT_NE(series, nullptr) << job;
      EXPECT_FALSE(series->is_sum);
      expect_values(*series, values, 1, 30s);
    }
    if (want.contains("warning")) {
      EXPECT_TRUE(reading.warned("W0650"));
    }
  }
}

// ---- CloudWatch: further forms ---------------------------------------------------------------

std::string result(const std::string& label, const std::string& times, const std::string& values,
                   const std::string& status = "Complete", const std::string& id = "m") {
  return R"({ "Id": ")" + id + R"(", "Label": ")" + label + R"(", "StatusCode": ")" + status +
         R"(", "Timestamps": [)" + times + R"(], "Values": [)" + values + "] }";
}
std::string answer(const std::string& results, const std::string& more = {}) {
  return R"({ "MetricDataResults": [)" + results + "]" + more + " }";
}

struct CloudwatchOddity {
  std::string what;
  std::string text;
  std::string host;      ///< of job t
  std::string samples;   ///< shown
  std::string warnings;  ///< codes
};

TEST(Cloudwatch, OdditiesAreReadRightly) {
  const std::vector<CloudwatchOddity> oddities{
      {"pages that the CLI merged: one label, several results",
       answer(result("t/algo-1", "120, 60", "3, 2", "PartialData") + "," +
              result("t/algo-1", "0", "1")),
       "algo-1", "00:00:00 1, 00:01:00 2, 00:02:00 3", ""},
      {"the last page is partial", answer(result("t/algo-1", "0, 60", "1, 2", "PartialData")),
       "algo-1", "00:00:00 1, 00:01:00 2", "W0312"},
      {"a query that failed beside one that did not",
       answer(result("t/algo-1", "0", "1") + "," +
              result("t/algo-2", "", "", "InternalError", "m2")),
       "algo-1", "00:00:00 1", "W0650"},
      {"pages that a loop wrote one after another",
       answer(result("t/algo-1", "60", "2"), R"(, "NextToken": "AA")") +
           answer(result("t/algo-1", "0", "1")),
       "algo-1", "00:00:00 1, 00:01:00 2", ""},
      {"an empty NextToken is no page",
       answer(result("t/algo-1", "0", "1"), R"(, "NextToken": "")"), "algo-1", "00:00:00 1", ""},
      {"the metric's name before the label", answer(result("GPUUtilization t/algo-3", "0", "9")),
       "algo-3", "00:00:00 9", ""},
      {"another metric of the host",
       answer(result("t/algo-1", "0", "1") + "," +
              result("t/algo-1 GPUMemoryUtilization", "0", "77", "Complete", "m2")),
       "algo-1", "00:00:00 1", "W0652"},
      {"a result without host beside one that has it",
       answer(result("t/algo-1", "0", "1") + "," + result("expr", "0", "5", "Complete", "e1")),
       "algo-1", "00:00:00 1", "W0651"},
      {"times of the CLI, version 1: floats", answer(result("t/algo-1", "0.0, 60.5", "1, 2")),
       "algo-1", "00:00:00 1, 00:01:00 2", ""},
      {"an offset", answer(result("t/algo-1", R"("2026-08-03T09:10:00-08:00")", "1")), "algo-1",
       "17:10:00 1", ""},
      {"milliseconds", answer(result("t/algo-1", "0, 1785748260000", "1, 2")), "algo-1",
       "00:00:00 1", "W0632"},
      {"a negative value", answer(result("t/algo-1", "0, 60", "1, -2")), "algo-1", "00:00:00 1",
       "W0654"},
      {"a null value", answer(result("t/algo-1", "0, 60", "1, null")), "algo-1", "00:00:00 1",
       "W0632"},
      {"a time twice with another value", answer(result("t/algo-1", "0, 60, 60", "1, 2, 3")),
       "algo-1", "00:00:00 1, 00:01:00 2", "W0654"},
      {"a message of CloudWatch",
       answer(result("t/algo-1", "0", "1"), R"(, "Messages": [{ "Code": "MaxMetricsExceeded" }])"),
       "algo-1", "00:00:00 1", "W0650"},
      {"an error reply among the answers",
       answer(result("t/algo-1", "0", "1")) + R"({ "Error": { "Code": "ThrottlingException" } })",
       "algo-1", "00:00:00 1", "W0630"},
      {"fewer values than times",
       answer(result("t/algo-1", "0", "1") + "," + result("t/algo-1", "60, 120", "1")), "algo-1",
       "00:00:00 1", "W0632"},
  };
  for (const CloudwatchOddity& oddity : oddities) {
    SCOPED_TRACE(oddity.what);
    const Reading reading = read_text(oddity.text);
    EXPECT_EQ(reading.error(), "none");
    EXPECT_EQ(reading.kind(), "cloudwatch");
    const auto* series = find_series(reading.history, "t", oddity.host);
    ASSERT_NE(series, nullptr);
    EXPECT_EQ(shown(*series), oddity.samples);
    EXPECT_EQ(reading.warnings(), oddity.warnings);
  }
}

TEST(Cloudwatch, OptionsNameWhatLabelsDoNot) {
  HistoryOptions options;
  options.labels["q1"] = "t/algo-2";
  const std::string text = answer(result("GPUUtilization", "0", "5", "Complete", "q1"));
  EXPECT_EQ(read_text(text).error(), "E0402");
  const Reading by_id = read_text(text, options);
  EXPECT_NE(find_series(by_id.history, "t", "algo-2"), nullptr);
  HistoryOptions named;
  named.job = "t";
  named.host = "algo-7";
  EXPECT_NE(find_series(read_text(text, named).history, "t", "algo-7"), nullptr);
}

TEST(Cloudwatch, WhatIsWrongIsNamed) {
  EXPECT_EQ(read_text(answer(result("t/algo-1", "0", "1"), R"(, "NextToken": "x")")).error(),
            "E0335");
  EXPECT_EQ(read_text(answer(result("t", "0", "1"))).error(), "E0402");
  EXPECT_EQ(read_text(R"({ "MetricDataResults": [ { "Id")").error(), "E0400");
  EXPECT_EQ(read_text("Full label,t/algo-1\nPeriod,60\n").error(), "E0420");
}

/// A minute export over the last hours of what an export by five minutes covers, too.
TEST(Cloudwatch, WhereTwoExportsOverlapTheFinerOneCounts) {
  std::string coarse_times, coarse_values, fine_times, fine_values;
  for (int at = 0; at < 7'200; at += 300) {
    coarse_times += (at > 0 ? "," : "") + std::to_string(at);
    coarse_values += at > 0 ? ",50" : "50";
  }
  for (int at = 3'600; at < 7'200; at += 60) {
    fine_times += (at > 3'600 ? "," : "") + std::to_string(at);
    fine_values += at > 3'600 ? ",10" : "10";
  }
  const std::string coarse = answer(result("t/algo-1", coarse_times, coarse_values));
  const std::string fine = answer(result("t/algo-1", fine_times, fine_values));
  const std::string both =
      answer(result("t/algo-1", coarse_times, coarse_values, "Complete", "a") + "," +
             result("t/algo-1", fine_times, fine_values, "Complete", "b"));
  Reading forward, backward, at_once;
  read_more(coarse, {}, forward);
  read_more(fine, {}, forward);
  read_more(fine, {}, backward);
  read_more(coarse, {}, backward);
  read_more(both, {}, at_once);
  for (const Reading* reading : {&forward, &backward, &at_once}) {
    ASSERT_EQ(reading->history.series.size(), 1u);
    const auto& series = reading->history.series[0];
    EXPECT_EQ(series.samples.size(), 12u + 60u);
    EXPECT_EQ(series.samples.unpacked()[11].percent, 50);
    EXPECT_EQ(series.samples.unpacked()[12].percent, 10);
    ASSERT_EQ(series.periods.size(), 2u);
    EXPECT_EQ(series.periods[0].lasts, 5min);
    EXPECT_EQ(series.periods[1].lasts, 1min);
    EXPECT_FALSE(reading->warned("W0654"));
  }
}

TEST(Cloudwatch, TheSameFileTwiceChangesNothing) {
  Reading twice;
  const std::string text = answer(result("t/algo-1", "120, 60, 0", "3, 2, 1"));
  read_more(text, {}, twice);
  read_more(text, {}, twice);
  ASSERT_EQ(twice.history.series.size(), 1u);
  EXPECT_EQ(shown(twice.history.series[0]), "00:00:00 1, 00:01:00 2, 00:02:00 3");
  EXPECT_EQ(twice.warnings(), "");
  EXPECT_EQ(twice.history.newest, policy::Instant{120s});
}

// ---- Prometheus: further forms ---------------------------------------------------------------

std::string matrix(const std::string& series, const std::string& more = {}) {
  return R"({ "status": "success", "data": { "resultType": "matrix", "result": [)" + series +
         "] }" + more + " }";
}
std::string of_gpu(const std::string& labels, const std::string& values,
                   const std::string& metric = "DCGM_FI_DEV_GPU_UTIL") {
  const std::string name = metric.empty() ? "" : R"("__name__": ")" + metric + R"(", )";
  return R"({ "metric": { )" + name + labels + R"( }, "values": [)" + values + "] }";
}

struct PrometheusOddity {
  std::string what;
  std::string text;
  std::string job, host, gpu;
  std::string samples;
  std::string warnings;
};

TEST(Prometheus, OdditiesAreReadRightly) {
  const std::string gpu = R"("Hostname": "n1", "gpu": "0")";
  const std::vector<PrometheusOddity> oddities{
      {"`pod` is the job's where nothing was renamed",
       matrix(of_gpu(gpu + R"(, "pod": "train-0", "namespace": "nlp")", R"([0, "5"])")),
       "nlp/train-0", "n1", "0", "00:00:00 5", ""},
      {"`pod` is the exporter's: an idle GPU",
       matrix(of_gpu(gpu + R"(, "pod": "dcgm-exporter-9x", "namespace": "mon")", R"([0, "0"])")),
       "", "n1", "0", "00:00:00 0", ""},
      {"a pod without a namespace", matrix(of_gpu(gpu + R"(, "pod": "p")", R"([0, "5"])")), "p",
       "n1", "0", "00:00:00 5", ""},
      {"job 0 of a batch system is none", matrix(of_gpu(gpu + R"(, "jobid": "0")", R"([0, "5"])")),
       "", "n1", "0", "00:00:00 5", ""},
      {"a part of a GPU (MIG)",
       matrix(of_gpu(gpu + R"(, "GPU_I_ID": "7", "hpc_job": "9")", R"([0, "5"])")), "9", "n1",
       "0.7", "00:00:00 5", ""},
      {"a ratio that rounding puts above 1",
       matrix(of_gpu(gpu + R"(, "hpc_job": "9")", R"([0, "1.0004"])",
                     "DCGM_FI_PROF_GR_ENGINE_ACTIVE")),
       "9", "n1", "0", "00:00:00 100", ""},
      {"the 32-bit blank value",
       matrix(of_gpu(gpu + R"(, "hpc_job": "9")", R"([0, "5"], [60, "2147483634"])")), "9", "n1",
       "0", "00:00:00 5", "W0650"},
      {"infinity", matrix(of_gpu(gpu + R"(, "hpc_job": "9")", R"([0, "5"], [60, "+Inf"])")), "9",
       "n1", "0", "00:00:00 5", "W0650"},
      {"an exponent", matrix(of_gpu(gpu + R"(, "hpc_job": "9")", R"([0, "1e+01"])")), "9", "n1",
       "0", "00:00:00 10", ""},
      {"more than 100 %", matrix(of_gpu(gpu + R"(, "hpc_job": "9")", R"([0, "5"], [60, "180"])")),
       "9", "n1", "0", "00:00:00 5", "W0654"},
      {"both metrics of one GPU: the first counts",
       matrix(
           of_gpu(gpu + R"(, "hpc_job": "9")", R"([0, "5"])") + "," +
           of_gpu(gpu + R"(, "hpc_job": "9")", R"([0, "0.9"])", "DCGM_FI_PROF_GR_ENGINE_ACTIVE")),
       "9", "n1", "0", "00:00:00 5", "W0652"},
      {"a temperature beside it",
       matrix(of_gpu(gpu + R"(, "hpc_job": "9")", R"([0, "5"])") + "," +
              of_gpu(gpu + R"(, "hpc_job": "9")", R"([0, "61"])", "DCGM_FI_DEV_GPU_TEMP")),
       "9", "n1", "0", "00:00:00 5", "W0652"},
      {"an exporter that was restarted: two series of one GPU",
       matrix(of_gpu(gpu + R"(, "hpc_job": "9", "instance": "a:1")", R"([0, "5"])") + "," +
              of_gpu(gpu + R"(, "hpc_job": "9", "instance": "a:2")", R"([60, "6"])")),
       "9", "n1", "0", "00:00:00 5, 00:01:00 6", ""},
      {"avg drops the metric's name: percent",
       matrix(of_gpu(R"("hpc_job": "9", "Hostname": "n1")", R"([0, "55"], [60, "1"])", "")), "9",
       "n1", "", "00:00:00 55, 00:01:00 1", "W0651"},
      {"avg drops the metric's name: ratios",
       matrix(of_gpu(R"("hpc_job": "9", "Hostname": "n1")", R"([0, "0.5"], [60, "1"])", "")), "9",
       "n1", "", "00:00:00 50, 00:01:00 100", "W0651"},
      {"a series of histograms",
       matrix(of_gpu(gpu + R"(, "hpc_job": "9")", R"([0, "5"])") +
              R"(, { "metric": {}, "histograms": [] })"),
       "9", "n1", "0", "00:00:00 5", "W0632"},
      {"a refused query among others",
       matrix(of_gpu(gpu + R"(, "hpc_job": "9")", R"([0, "5"])")) +
           R"({ "status": "error", "errorType": "timeout", "error": "query timed out" })",
       "9", "n1", "0", "00:00:00 5", "W0630"},
  };
  for (const PrometheusOddity& oddity : oddities) {
    SCOPED_TRACE(oddity.what);
    const Reading reading = read_text(oddity.text);
    EXPECT_EQ(reading.error(), "none");
    EXPECT_EQ(reading.kind(), "prometheus");
    const auto* series = find_series(reading.history, oddity.job, oddity.host, oddity.gpu);
    ASSERT_NE(series, nullptr);
    EXPECT_EQ(shown(*series), oddity.samples);
    EXPECT_EQ(reading.warnings(), oddity.warnings);
  }
}

TEST(Prometheus, WhatIsWrongIsNamed) {
  EXPECT_EQ(read_text(R"({ "status": "error", "errorType": "timeout", "error": "x" })").error(),
            "E0421");
  EXPECT_EQ(read_text(matrix("")).error(), "E0422");
  EXPECT_EQ(
      read_text(matrix(of_gpu(R"("gpu": "0")", R"([0, "61"])", "DCGM_FI_DEV_GPU_TEMP"))).error(),
      "E0422");
  const std::string scalar = R"({ "status": "success", "data": { "resultType": "scalar" } })";
  EXPECT_EQ(read_text(scalar).error(), "E0395");
}

}  // namespace metrics
}  // namespace reeve::scenarios::history_test
