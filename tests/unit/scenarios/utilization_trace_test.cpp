// Utilization traces: three formats, what they leave open, and what is told about it.
#include "scenarios/records/utilization_trace.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <chrono>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

namespace reeve::scenarios {
namespace utilization_trace_test {

using namespace std::chrono_literals;
using models::UtilStep;
using models::UtilTrace;

UtilFile read(const std::string& text, const UtilOptions& options = {}) {
  return read_utilization("util", std::make_unique<std::istringstream>(text), options);
}

/// "0 90, 60 -, 120 0": seconds and percent, - where the metric is missing.
std::string shown(const UtilTrace& trace, std::size_t host = 1) {
  std::ostringstream text;
  for (const UtilStep& step : trace.hosts.at(host - 1)) {
    text << (text.tellp() > 0 ? ", " : "") << std::chrono::duration<double>(step.at).count() << ' ';
    std::isnan(step.percent) ? text << '-' : text << step.percent;
  }
  return text.str();
}
std::string shown(const UtilFile& file, std::size_t host = 1) {
  return shown(*file.jobs.at(0).trace, host);
}

std::string code_of(const std::string& text, const UtilOptions& options = {}) {
  try {
    read(text, options);
  } catch (const InputError& error) {
    return error.diagnostics().at(0).code;
  }
  return "none";
}

std::string warnings_of(const UtilFile& file) {
  std::string codes;
  for (const Diagnostic& warning : file.warnings) {
    EXPECT_EQ(warning.severity, Severity::warning);
    codes += (codes.empty() ? "" : " ") + warning.code;
  }
  return codes;
}

UtilOptions sums_of(std::uint32_t gpus) {
  UtilOptions options;
  options.scale = UtilScale::sum;
  options.gpus = gpus;
  return options;
}

const std::string header = "t_s,host,gpu_util_pct\n";

// ---------------------------------------------------------------------------------------- CSV

TEST(UtilCsv, EqualNeighboursAreOneStep) {
  const UtilFile file = read(header + "0,1,90\n60,1,90\n120,1,90.5\n180,1,90.5\n240,1,0\n");
  EXPECT_EQ(shown(file), "0 90, 120 90.5, 240 0");
  EXPECT_EQ(file.jobs[0].trace->length, 300s);
  EXPECT_EQ(file.samples, 5u);
  EXPECT_EQ(file.changes, 3u);
  EXPECT_TRUE(file.warnings.empty());
}

TEST(UtilCsv, AMillionEqualSamplesAreOneStep) {
  std::string text = header;
  for (int i = 0; i < 1'000'000; ++i) text += std::to_string(i) + ",1,97\n";
  const UtilFile file = read(text);
  EXPECT_EQ(shown(file), "0 97");
  EXPECT_EQ(file.samples, 1'000'000u);
  EXPECT_EQ(file.jobs[0].trace->hosts[0].capacity(), 1u);
}

TEST(UtilCsv, HostsByNumberNameOrJob) {
  const UtilFile file = read(
      "host,gpu_util_pct,t_s\r\n2,7,0\r\nalgo-1,5,0\r\n\"algo-2\", 8 ,1.5\r\nalgo-1,6,1.5\r\n");
  EXPECT_EQ(shown(file, 1), "0 5, 1.5 6");
  EXPECT_EQ(shown(file, 2), "0 7, 1.5 8");
  const UtilFile jobs = read(header + "0,b/algo-1,1\n0,a/algo-2,2\n60,b/algo-1,3\n60,a/algo-2,4\n");
  ASSERT_EQ(jobs.jobs.size(), 2u);
  EXPECT_EQ(jobs.jobs[0].job, "a");
  EXPECT_EQ(shown(*jobs.jobs[0].trace, 2), "0 2, 60 4");
  EXPECT_TRUE(jobs.jobs[0].trace->hosts[0].empty()) << "nobody recorded a/algo-1";
  EXPECT_EQ(shown(*jobs.jobs[1].trace), "0 1, 60 3");
}

TEST(UtilCsv, WithoutHostsItIsOfOne) {
  const UtilFile file = read("t_s,gpu_util_pct\n0,1\n");
  EXPECT_FALSE(file.jobs.at(0).names_hosts);
}

TEST(UtilCsv, WhatWasNotMeasuredIsMissing) {
  const UtilFile file = read(header + "0,1,9\n60,1,\n120,1,nan\n180,1,N/A\n240,1,9\n");
  EXPECT_EQ(shown(file), "0 9, 60 -, 240 9");
}

TEST(UtilCsv, AGapIsMissingFromTheNextSampleThatDidNotCome) {
  const UtilFile file = read(header + "0,1,9\n60,1,9\n120,1,9\n600,1,9\n660,1,5\n");
  EXPECT_EQ(shown(file), "0 9, 180 -, 600 9, 660 5");
  ASSERT_EQ(warnings_of(file), "W0310");
  EXPECT_EQ(file.warnings[0].message, "1 gap in the samples, the longest 8m instead of 1m");
  EXPECT_EQ(file.warnings[0].position, (Position{5, 1, 3}));
  EXPECT_TRUE(file.warnings[0].excerpt) << "with a caret";
}

TEST(UtilCsv, OfSeveralGapsTheFirstOfTheLongestIsPointedAt) {
  const std::string rows = "0,1,9\n60,1,9\n120,1,9\n400,1,9\n1000,1,9\n1600,1,9\n1660,1,9\n";
  const UtilFile file = read(header + rows);
  ASSERT_EQ(warnings_of(file), "W0310");
  EXPECT_EQ(file.warnings[0].message, "3 gaps in the samples, the longest 10m instead of 1m");
  EXPECT_EQ(file.warnings[0].position, (Position{6, 1, 4}));
  std::string early = header;  // host 2 ends after a minute
  for (int i = 0; i < 60; ++i) early += std::to_string(60 * i) + (i < 2 ? ",2,9\n" : ",1,9\n");
  const UtilFile ends = read(early);
  ASSERT_FALSE(ends.warnings.empty());
  EXPECT_EQ(ends.warnings.back().code, "W0310");
  EXPECT_EQ(ends.warnings.back().position.line, 3u);
  EXPECT_FALSE(ends.warnings.back().excerpt) << "nothing stands there that is wrong";
}

TEST(UtilCsv, SeveralEqualDistancesAreAStretchWithItsOwnPeriod) {
  std::string text = header;
  for (int at = 0; at < 14'400; at += 3'600) text += std::to_string(at) + ",1,9\n";
  for (int at = 14'400; at < 18'000; at += 300) text += std::to_string(at) + ",1,9\n";
  for (int at = 18'000; at < 21'600; at += 60) text += std::to_string(at) + ",1,9\n";
  const UtilFile file = read(text);
  EXPECT_EQ(shown(file), "0 9");
  EXPECT_EQ(warnings_of(file), "");
}

TEST(UtilCsv, NinetyDaysOfThreeResolutionsHaveNoGaps) {
  std::string text = header;
  constexpr int day = 86'400;
  for (int at = 0; at < 27 * day; at += 3'600) text += std::to_string(at) + ",1,9\n";
  for (int at = 27 * day; at < 75 * day; at += 300) text += std::to_string(at) + ",1,9\n";
  for (int at = 75 * day; at < 90 * day; at += 60) text += std::to_string(at) + ",1,9\n";
  const UtilFile file = read(text);
  EXPECT_EQ(shown(file), "0 9");
  EXPECT_EQ(warnings_of(file), "");
  EXPECT_EQ(file.jobs[0].trace->coarsest, 1h);
}

// In a stretch, samples may be missing from its first one on.
TEST(UtilCsv, AStretchWithHolesKeepsItsPeriod) {
  std::string text = header;
  for (const int hour : {0, 1, 3, 4, 6, 7, 9}) text += std::to_string(hour * 3'600) + ",1,9\n";
  for (int at = 36'000; at < 40'000; at += 60) text += std::to_string(at) + ",1,9\n";
  const UtilFile file = read(text);
  EXPECT_EQ(shown(file), "0 9") << "two hours are less than two and a half";
  EXPECT_EQ(warnings_of(file), "");
}

TEST(UtilCsv, AnHourWithoutSamplesAmongMinutesIsAGap) {
  std::string text = header;
  for (int at = 0; at < 1'200; at += 60) text += std::to_string(at) + ",1,9\n";
  for (int at = 4'740; at < 6'000; at += 60) text += std::to_string(at) + ",1,9\n";
  const UtilFile file = read(text);
  EXPECT_EQ(shown(file), "0 9, 1200 -, 4740 9");
  EXPECT_EQ(file.jobs[0].trace->coarsest, 60s);
}

const std::string with_periods = "t_s,host,gpu_util_pct,period_s\n";

TEST(UtilCsv, AStatedPeriodEndsEachSample) {
  const UtilFile file = read(with_periods + "0,1,9,60\n60,1,8,60\n180,1,7,60\n240,1,6,3600\n");
  EXPECT_EQ(shown(file), "0 9, 60 8, 120 -, 180 7, 240 6");
  EXPECT_EQ(warnings_of(file), "") << "the file says what is missing";
  EXPECT_EQ(file.jobs[0].trace->length, 3840s);
  EXPECT_EQ(file.jobs[0].trace->coarsest, 1h);
}

TEST(UtilCsv, AStatedPeriodEndsTheLastSampleOfEachHost) {
  const UtilFile file = read(with_periods + "120,2,9,60\n0,1,8,300\n");
  EXPECT_EQ(shown(file, 1), "0 8");
  EXPECT_EQ(shown(file, 2), "0 -, 120 9, 180 -");
  EXPECT_EQ(warnings_of(file), "");
}

TEST(UtilCsv, RowsOfChangesHaveNoPeriod) {
  UtilOptions changes;
  changes.gaps = UtilGaps::hold;
  const UtilFile file = read(with_periods + "0,1,9,60\n9000,1,7,60\n", changes);
  EXPECT_EQ(shown(file), "0 9, 9000 7");
  EXPECT_EQ(file.jobs[0].trace->coarsest, 0s);
}

// CloudWatch keeps no samples of three minutes: they are minutes of which two in three are lost.
TEST(UtilCsv, SamplesThatAreLostRegularlyAreGaps) {
  std::string text = header;
  for (int at = 0; at < 3'600; at += 60) text += std::to_string(at) + ",1,9\n";
  for (int at = 3'600; at < 5'400; at += 180) text += std::to_string(at) + ",1,9\n";
  EXPECT_EQ(warnings_of(read(text)), "W0310");
}

TEST(UtilCsv, SecondsThatAreMillisecondsAreSeen) {
  const auto seems = [](const std::string& rows) {
    return read(header + rows).seems_in_milliseconds;
  };
  EXPECT_TRUE(seems("0,1,9\n60000,1,9\n120000,1,9\n300000,1,9\n"));
  EXPECT_TRUE(seems("0,1,9\n1003,1,9\n2007,1,9\n3010,1,9\n")) << "a second and some";
  EXPECT_TRUE(seems("17,1,9\n60017,1,9\n120021,1,9\n")) << "minutes, one of them late";
  EXPECT_FALSE(seems("0,1,9\n3600,1,9\n7200,1,9\n")) << "by the hour";
  EXPECT_FALSE(seems("0,1,9\n999,1,9\n1998,1,9\n"));
  EXPECT_FALSE(seems("0,1,9\n60000,1,9\n60000,2,9\n63600,2,9\n")) << "one host by the hour";
  EXPECT_FALSE(seems("0,1,9\n")) << "no distance says anything";
}

TEST(UtilCsv, ALittleMoreThanUsualIsNoGap) {
  const UtilFile file = read(header + "0,1,9\n60,1,9\n120,1,8\n270,1,7\n330,1,7\n");
  EXPECT_EQ(shown(file), "0 9, 120 8, 270 7");
  EXPECT_TRUE(file.warnings.empty());
}

TEST(UtilCsv, RowsOfChangesHaveNoGaps) {
  UtilOptions changes;
  changes.gaps = UtilGaps::hold;
  const UtilFile file = read(header + "0,1,9\n60,1,8\n9000,1,7\n9060,1,7\n", changes);
  EXPECT_EQ(shown(file), "0 9, 60 8, 9000 7");
  EXPECT_EQ(file.jobs[0].trace->length, 9060s) << "the last row says how long it is";
  EXPECT_TRUE(file.warnings.empty());
}

TEST(UtilCsv, AHostThatEndsEarlyOrBeginsLateIsMissing) {
  std::string text = header;
  for (int i = 0; i < 100; ++i) {
    const std::string at = std::to_string(60 * i);
    text += at + ",1,50\n";
    if (i < 40) text += at + ",2,60\n";
    if (i >= 40) text += at + ",3,70\n";
  }
  const UtilFile file = read(text);
  EXPECT_EQ(shown(file, 1), "0 50");
  EXPECT_EQ(shown(file, 2), "0 60, 2400 -");
  EXPECT_EQ(shown(file, 3), "0 -, 2400 70");
  EXPECT_EQ(warnings_of(file), "W0312 W0310");
}

TEST(UtilCsv, OneSampleAHostSaysNothingAboutGaps) {
  const UtilFile file = read(header + "0,8,90\n60,1,9\n");
  EXPECT_EQ(shown(file, 8), "0 90") << "no two samples say what is usual";
  EXPECT_EQ(shown(file, 1), "0 9");
  EXPECT_EQ(file.changes, 2u);
  EXPECT_TRUE(file.warnings.empty());
}

TEST(UtilCsv, RepetitionsAreDroppedAndCounted) {
  const UtilFile file = read(header + "0,1,9\n0,1,9\n60,1,\n60,1,\n120,1,3\n");
  EXPECT_EQ(shown(file), "0 9, 60 -, 120 3");
  ASSERT_EQ(warnings_of(file), "W0311");
  EXPECT_EQ(file.warnings[0].message, "2 samples are duplicated");
}

TEST(UtilCsv, SumsAreDividedByTheGpus) {
  EXPECT_EQ(shown(read(header + "0,1,760\n60,1,800\n120,1,0\n", sums_of(8))),
            "0 95, 60 100, 120 0");
  EXPECT_EQ(code_of(header + "0,1,801\n", sums_of(8)), "E0332");
  EXPECT_EQ(code_of(header + "0,1,80\n", sums_of(0)), "E0332");
}

TEST(UtilCsv, SharesOfOneAreDoubted) {
  EXPECT_EQ(warnings_of(read(header + "0,1,0.5\n60,1,1\n")), "W0316");
  EXPECT_EQ(warnings_of(read(header + "0,1,0\n60,1,1\n")), "");
  EXPECT_EQ(warnings_of(read(header + "0,1,0.5\n60,1,1.5\n")), "");
}

TEST(UtilCsv, WhatIsWrongIsNamed) {
  EXPECT_EQ(code_of(""), "E0320");
  EXPECT_EQ(code_of(header), "E0320");
  EXPECT_EQ(code_of("t_s,host\n0,1\n"), "E0321");
  EXPECT_EQ(code_of("t_s,t_s,gpu_util_pct\n0,0,1\n"), "E0322");
  EXPECT_EQ(code_of(header + "0,1\n"), "E0312");
  EXPECT_EQ(code_of(header + "0,1,2,3\n"), "E0312");
  EXPECT_EQ(code_of(header + "x,1,2\n"), "E0313");
  EXPECT_EQ(code_of(header + "0,1,inf\n"), "E0313");
  EXPECT_EQ(code_of(header + "-1,1,2\n"), "E0314");
  EXPECT_EQ(code_of(header + "0,1,-2\n"), "E0314");
  EXPECT_EQ(code_of(header + "0,0,2\n"), "E0315");
  EXPECT_EQ(code_of(header + "0,algo-65536,2\n"), "E0315");
  EXPECT_EQ(code_of(header + "60,1,2\n59.999,1,2\n"), "E0330");
  EXPECT_EQ(code_of(header + "60,1,2\n60,1,\n"), "E0331");
  EXPECT_EQ(code_of(header + "1767600000,1,2\n"), "E0332");
  EXPECT_EQ(code_of(header + "0,1,101\n"), "E0332");
  UtilOptions narrow;
  narrow.limits.record_bytes = 100;
  EXPECT_EQ(code_of(header + std::string(200'000, '9'), narrow), "E0307");
}

TEST(UtilCsv, TheOrderOfHostsDoesNotMatter) {
  const UtilFile by_time = read(header + "0,1,1\n0,2,2\n60,1,3\n60,2,4\n");
  const UtilFile by_host = read(header + "0,1,1\n60,1,3\n0,2,2\n60,2,4\n");
  for (const std::size_t host : {1u, 2u}) EXPECT_EQ(shown(by_time, host), shown(by_host, host));
}

// --------------------------------------------------------------------------------- nvidia-smi

TEST(UtilLog, TheMeanOfTheGpusOfATick) {
  const UtilFile file = read(
      "timestamp, index, utilization.gpu [%], utilization.memory [%]\n"
      "2026/01/05 12:00:00.100, 0, 98 %, 40 %\n2026/01/05 12:00:00.102, 1, 90 %, 1 %\n"
      "2026/01/05 12:00:01.100, 0, 98 %, 40 %\n2026/01/05 12:00:01.103, 1, [N/A], 1 %\n"
      "2026/01/05 12:00:02.100, 0, 0 %, 0 %\n2026/01/05 12:00:02.100, 1, 0 %, 0 %\n");
  EXPECT_EQ(shown(file), "0 94, 1 98, 2 0");
  EXPECT_EQ(file.gpus_seen, 2u);
  EXPECT_FALSE(file.jobs[0].names_hosts);
}

TEST(UtilLog, WithoutHeaderOrUnitsItIsTheUsualQuery) {
  const std::string rows = "2026/01/05 12:00:00.100, GPU-1a, 98\n2026/01/05 12:00:01.100, GPU-1a, ";
  EXPECT_EQ(shown(read(rows + "97\n")), "0 98, 1 97");
  EXPECT_EQ(shown(read(rows + "[Not Supported]\n")), "0 98, 1 -");
  EXPECT_EQ(shown(read("2026/01/05 12:00:00, 98 %\n2026/01/05 12:00:01, 3 %\n")), "0 98, 1 3");
  EXPECT_EQ(code_of("2026/01/05 12:00:00, 0, 98 %, 3 %\n"), "E0321");
}

TEST(UtilLog, ClocksThatAreSetAreNamed) {
  const std::string head = "timestamp, utilization.gpu [%]\n2026/10/25 02:59:59.000, 9 %\n";
  EXPECT_EQ(code_of(head + "2026/10/25 02:00:00.000, 9 %\n"), "E0330");
  EXPECT_EQ(code_of(head + "2026/10/25 02:59:59.000, 8 %\n"), "E0331");
  std::string spring = "timestamp, utilization.gpu [%]\n";
  for (int s = 50; s < 60; ++s) spring += "2026/03/29 01:59:" + std::to_string(s) + ".000, 9 %\n";
  const UtilFile file = read(spring + "2026/03/29 03:00:00.000, 8 %\n");
  ASSERT_EQ(warnings_of(file), "W0310");
  EXPECT_EQ(file.warnings[0].notes.size(), 1u) << "an hour: possibly daylight saving time";
  EXPECT_EQ(shown(file), "0 9, 10 -, 3610 8");
}

TEST(UtilLog, WhatIsWrongIsNamed) {
  EXPECT_EQ(code_of("timestamp, index\n2026/01/05 12:00:00, 0\n"), "E0321");
  EXPECT_EQ(code_of("timestamp, utilization.gpu [MHz]\n2026/01/05 12:00:00, 0\n"), "E0332");
  EXPECT_EQ(code_of("timestamp, utilization.gpu [%]\n2026/13/05 12:00:00, 0\n"), "E0137");
  EXPECT_EQ(code_of("timestamp, utilization.gpu [%]\n2026/01/05 12:00:00\n"), "E0312");
  EXPECT_EQ(code_of("timestamp, utilization.gpu [%]\n2026/01/05 12:00:00, 0\n", sums_of(8)),
            "E0332");
  EXPECT_EQ(code_of("timestamp, utilization.gpu [%]\n"), "E0320");
}

// --------------------------------------------------------------------------------- CloudWatch

std::string answer(const std::string& results, const std::string& more = "") {
  return "{ \"MetricDataResults\": [" + results + "]" + more + " }";
}

TEST(UtilAnswer, NewestFirstAndSummedAsAwsSendsIt) {
  const std::string result =
      R"({ "Id": "a", "Label": "train/algo-2", "StatusCode": "Complete", "Timestamps":
      ["2026-01-05T10:02:00+00:00", "2026-01-05T10:01:00+00:00", "2026-01-05T10:00:00+00:00"],
      "Values": [0.0, 760.0, 760.0] })";
  UtilOptions options;
  options.gpus = 8;
  const UtilFile file = read(answer(result), options);
  EXPECT_EQ(file.jobs.at(0).job, "train");
  EXPECT_EQ(shown(file, 2), "0 95, 120 0");
  EXPECT_TRUE(file.jobs[0].trace->hosts[0].empty());
  EXPECT_EQ(code_of(answer(result)), "E0332") << "a sum over how many GPUs?";
}

TEST(UtilAnswer, PagesPutTogetherAreOneSeries) {
  const std::string pages =
      R"({ "Label": "t/algo-1", "Timestamps": [1767607320, 1767607260], "Values": [3, 2] },
         { "Label": "t/algo-1", "Timestamps": [1767607200, 1767607140], "Values": [1, 0] })";
  EXPECT_EQ(shown(read(answer(pages), sums_of(1))), "0 0, 60 1, 120 2, 180 3");
}

TEST(UtilAnswer, AMinuteWithoutADatapointIsMissing) {
  const std::string result =
      R"({ "Label": "t/algo-1", "Timestamps": [0, 60, 120, 240, 300], "Values": [1,1,1,1,1] })";
  const UtilFile file = read(answer(result), sums_of(1));
  EXPECT_EQ(shown(file), "0 1, 180 -, 240 1");
  ASSERT_EQ(warnings_of(file), "W0310");
  EXPECT_EQ(file.warnings[0].position, (Position{1, 75, 3})) << "at the 240";
}

/// Samples from `from` to before `until`, as GetMetricData answers.
void add_points(std::string& times, std::string& values, int from, int until, int period) {
  for (int at = from; at < until; at += period) {
    times += (times.empty() ? "" : ", ") + std::to_string(at);
    values += values.empty() ? "9" : ", 9";
  }
}

std::string points(const std::string& times, const std::string& values) {
  return answer(R"({ "Label": "t/algo-1", "Timestamps": [)" + times + R"(], "Values": [)" + values +
                "] }");
}

// CloudWatch keeps minutes for 15 days, five minutes for 63 days and hours for 455 days.
TEST(UtilAnswer, EachStretchHasItsOwnPeriod) {
  std::string times;
  std::string values;
  add_points(times, values, 0, 36'000, 3'600);
  add_points(times, values, 36'000, 45'000, 300);
  add_points(times, values, 45'000, 54'000, 60);
  const UtilFile file = read(points(times, values), sums_of(1));
  EXPECT_EQ(shown(file), "0 9");
  EXPECT_EQ(warnings_of(file), "");
  EXPECT_EQ(file.jobs[0].trace->length, 54'000s);
}

TEST(UtilAnswer, AGapIsJudgedByThePeriodOfItsStretch) {
  std::string times;
  std::string values;
  add_points(times, values, 0, 36'000, 3'600);
  add_points(times, values, 43'200, 57'600, 3'600);  // two hours are missing
  add_points(times, values, 57'600, 60'000, 60);
  add_points(times, values, 60'300, 90'000, 60);  // and five minutes
  const UtilFile file = read(points(times, values), sums_of(1));
  EXPECT_EQ(shown(file), "0 9, 36000 -, 43200 9, 60000 -, 60300 9");
  ASSERT_EQ(warnings_of(file), "W0310");
  EXPECT_EQ(file.warnings[0].message, "2 gaps in the samples, the longest 3h instead of 1h");
}

TEST(UtilAnswer, TheLastSampleStandsForThePeriodOfItsStretch) {
  std::string times;
  std::string values;
  add_points(times, values, 0, 36'000, 60);
  add_points(times, values, 36'000, 57'600, 3'600);
  const UtilFile file = read(points(times, values), sums_of(1));
  EXPECT_EQ(warnings_of(file), "");
  EXPECT_EQ(file.jobs[0].trace->length, 57'600s);
}

TEST(UtilAnswer, WhatIsWrongIsNamed) {
  const UtilOptions one = sums_of(1);
  const std::string good = R"({ "Label": "t/algo-1", "Timestamps": [0, 60], "Values": [1, 2] })";
  EXPECT_EQ(code_of(answer(good), one), "none");
  EXPECT_EQ(code_of(answer(good, R"(, "NextToken": "x")"), one), "E0335");
  EXPECT_EQ(code_of(answer(good, R"(, "NextToken": "")"), one), "none");
  EXPECT_EQ(code_of("{}", one), "E0202");
  EXPECT_EQ(code_of(answer(""), one), "E0320");
  EXPECT_EQ(code_of(answer(R"({ "Timestamps": [0, 60], "Values": [1] })"), one), "E0312");
  EXPECT_EQ(code_of(answer(R"({ "Timestamps": [0], "Values": ["x"] })"), one), "E0313");
  EXPECT_EQ(code_of(answer(R"({ "Timestamps": [true], "Values": [1] })"), one), "E0137");
  EXPECT_EQ(code_of(answer(R"({ "Timestamps": [0, 60, 30], "Values": [1, 2, 3] })"), one), "E0330");
  EXPECT_EQ(code_of(answer(R"({ "Timestamps": [0, 0], "Values": [1, 2] })"), one), "E0331");
  EXPECT_EQ(code_of(answer(R"({ "Timestamps": [0], "Values": [101] })"), one), "E0332");
  EXPECT_EQ(code_of(answer(R"({ "Timestamps": [0], "Values": [-1] })"), one), "E0314");
  EXPECT_EQ(code_of(answer(good + R"(, { "Timestamps": [0], "Values": [1] })"), one), "E0336");
  EXPECT_EQ(
      code_of(answer(R"({ "StatusCode": "Forbidden", "Timestamps": [], "Values": [] })"), one),
      "E0335");
}

TEST(UtilAnswer, OtherMetricsAreReadPastAndCounted) {
  const std::string results =
      R"({ "Label": "t/algo-1 CPUUtilization", "Timestamps": [0], "Values": [900] },
         { "Label": "GPUUtilization t/algo-1", "Timestamps": [0], "Values": [1] })";
  const UtilFile file = read(answer(results), sums_of(1));
  EXPECT_EQ(file.jobs.at(0).job, "t");
  EXPECT_EQ(shown(file), "0 1");
  EXPECT_EQ(warnings_of(file), "W0312");
}

// ----------------------------------------------------------------------------------- anything

TEST(UtilTrace, DamagedGzipIsToldAsSuch) {
  std::string text = header;
  for (int i = 0; i < 100'000; ++i)
    text += std::to_string(i) + ",1," + std::to_string(i % 97) + '\n';
  std::string packed(compressBound(text.size()) + 64, '\0');
  z_stream zlib{};
  ASSERT_EQ(deflateInit2(&zlib, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
  zlib.next_in = reinterpret_cast<Bytef*>(text.data());
  zlib.avail_in = static_cast<uInt>(text.size());
  zlib.next_out = reinterpret_cast<Bytef*>(packed.data());
  zlib.avail_out = static_cast<uInt>(packed.size());
  ASSERT_EQ(deflate(&zlib, Z_FINISH), Z_STREAM_END);
  packed.resize(packed.size() - zlib.avail_out);
  deflateEnd(&zlib);
  EXPECT_EQ(read(packed).samples, 100'000u);
  EXPECT_EQ(code_of(packed.substr(0, packed.size() / 2)), "E0304");
}

}  // namespace utilization_trace_test
}  // namespace reeve::scenarios
