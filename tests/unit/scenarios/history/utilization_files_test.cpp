// The utilization of one job as a file: what was read comes back from it.
#include "scenarios/history/metrics/utilization_files.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "scenarios/history/metrics/series.hpp"
#include "scenarios/records/utilization_trace.hpp"
#include "tests/unit/scenarios/history/reading_of_text.hpp"

namespace reeve::scenarios::history_test {
namespace utilization_files {

using namespace std::chrono_literals;
using policy::Duration;
using policy::Instant;

UtilizationSeries series(const std::string& host, std::vector<std::pair<int, double>> samples,
                         Duration period = 60s, const std::string& gpu = {}) {
  UtilizationSeries made{{"t", host, gpu, false}, {}, {}};
  for (const auto& [at, percent] : samples) {
    made.samples.push_back({Instant{std::chrono::seconds{at}}, percent});
  }
  if (!samples.empty()) made.periods = {{made.samples.front().at, period}};
  return made;
}

Stretch work(int from, int until) {
  return {Instant{std::chrono::seconds{from}}, Instant{std::chrono::seconds{until}}};
}

struct Written {
  std::string text;
  UtilizationFile file;
};
Written write(const std::vector<UtilizationSeries>& all, const std::vector<Stretch>& stretches,
              std::int64_t gpus = 1, std::int64_t instances = 0) {
  std::vector<const UtilizationSeries*> pointers;
  for (const auto& each : all) pointers.push_back(&each);
  std::ostringstream out;
  const UtilizationFile file = write_utilization(out, pointers, stretches, gpus, instances);
  return {out.str(), file};
}

/// What `gpu_util` reads from it: "0 90, 60 -".
std::string steps(const std::string& text, std::size_t host = 1) {
  const UtilFile file = read_utilization("f", std::make_unique<std::istringstream>(text), {});
  EXPECT_TRUE(file.warnings.empty());
  std::ostringstream shown;
  shown.precision(10);
  for (const auto& step : file.jobs.at(0).trace->hosts.at(host - 1)) {
    shown << (shown.tellp() > 0 ? ", " : "") << std::chrono::duration<double>(step.at).count()
          << ' ';
    std::isnan(step.percent) ? shown << '-' : shown << step.percent;
  }
  return shown.str();
}

TEST(UtilizationFiles, AMissingStretchStaysMissing) {
  const Written written =
      write({series("algo-1", {{1000, 90}, {1060, 80}, {1240, 70}})}, {work(1000, 1300)});
  EXPECT_EQ(steps(written.text), "0 90, 60 80, 120 -, 240 70");
  EXPECT_EQ(written.file.rows, 3u);
  EXPECT_EQ(written.file.hosts, 1u);
  EXPECT_DOUBLE_EQ(written.file.covered, 0.6);
}

TEST(UtilizationFiles, InstancesWithoutMetricsHaveNoValueAndNoWarning) {
  const auto host = [](const std::string& name) {
    UtilizationSeries series;
    series.host = name;
    series.samples.push_back({Instant{}, 90});
    return series;
  };
  const Written written = write({host("algo-2")}, {work(0, 60)}, 1, 3);
  EXPECT_EQ(steps(written.text, 1), "0 -");
  EXPECT_EQ(steps(written.text, 3), "0 -");
  EXPECT_NE(steps(written.text, 2).find("0 90"), std::string::npos);
  EXPECT_EQ(written.file.hosts, 1U);
  EXPECT_EQ(write({host("algo-1")}, {work(100, 160)}, 1, 3).file.rows, 0U);
}

TEST(UtilizationFiles, TimeCountsInStretchesOfWork) {
  const auto samples = series("algo-1", {{0, 10}, {60, 20}, {120, 30}, {180, 40}, {240, 50}});
  EXPECT_EQ(steps(write({samples}, {work(30, 90), work(200, 300)}).text),
            "0 10, 30 20, 60 40, 100 50");
}

TEST(UtilizationFiles, SamplesBeforeAndAfterTheWorkAreLeftOut) {
  const auto samples = series("algo-1", {{0, 10}, {600, 20}, {1200, 30}});
  const Written written = write({samples}, {work(600, 640)});
  EXPECT_EQ(written.text, "t_s,host,gpu_util_pct,period_s\n0,1,20,60\n40,1,,60\n");
}

TEST(UtilizationFiles, HostsKeepTheirNumbersOrAreNumberedByName) {
  const auto low = [](const std::string& host, double percent) {
    return series(host, {{0, percent}, {60, percent}});
  };
  const Written algo = write({low("algo-10", 10), low("algo-2", 2)}, {work(0, 120)});
  EXPECT_EQ(steps(algo.text, 2), "0 2");
  EXPECT_EQ(steps(algo.text, 10), "0 10");
  const Written nodes = write({low("node10", 10), low("node9", 9)}, {work(0, 120)});
  EXPECT_EQ(steps(nodes.text, 1), "0 9");
  EXPECT_EQ(steps(nodes.text, 2), "0 10");
}

TEST(UtilizationFiles, GpusOfAHostAreAMean) {
  const Written written = write({series("n", {{0, 100}, {60, 100}}, 60s, "0"),
                                 series("n", {{0, 0}, {60, 50}, {120, 50}}, 60s, "1")},
                                {work(0, 180)});
  EXPECT_EQ(steps(written.text), "0 50, 60 75, 120 50") << "the first GPU ended";
}

TEST(UtilizationFiles, SumsAreDivided) {
  auto sum = series("algo-1", {{0, 780}, {60, 840}});
  sum.is_sum = true;
  const Written written = write({sum}, {work(0, 120)}, 8);
  EXPECT_EQ(steps(written.text), "0 97.5, 60 100");
  EXPECT_EQ(written.file.too_high, 1u);
}

TEST(UtilizationFiles, ClocksThatAreNotExactMakeNoGaps) {
  auto log = series("n", {{0, 10}, {61, 20}, {119, 30}, {180, 40}});
  EXPECT_EQ(steps(write({log}, {work(0, 240)}).text), "0 10, 61 20, 119 30, 180 40");
}

/// 27 days of hours, 48 of five minutes, 15 of minutes, as CloudWatch keeps them.
TEST(UtilizationFiles, NinetyDaysOfCloudwatchComeBack) {
  constexpr int day = 86'400;
  std::string times, values;
  const auto add = [&](int from, int until, int period) {
    for (int at = from; at < until; at += period) {
      times += (times.empty() ? "" : ",") + std::to_string(at);
      values += values.empty() ? "720" : ",720";
    }
  };
  add(0, 27 * day, 3600);
  add(27 * day, 75 * day, 300);
  add(75 * day, 80 * day, 60);
  add(81 * day, 90 * day, 60);
  const Reading reading =
      read_text(R"({ "MetricDataResults": [ { "Label": "t/algo-1", "Timestamps": [)" + times +
                R"(], "Values": [)" + values + "] } ] }");
  ASSERT_EQ(reading.history.series.size(), 1u);
  const Written written = write({reading.history.series[0]}, {work(0, 90 * day)}, 8);
  EXPECT_EQ(steps(written.text), "0 90, 6912000 -, 6998400 90");
  EXPECT_EQ(written.file.coarsest, 1h);
  EXPECT_NEAR(written.file.covered, 89.0 / 90, 1e-9);
}

/// What the file says at a time, against the samples themselves.
TEST(UtilizationFiles, RandomSeriesComeBack) {
  std::mt19937 random{7};
  const auto draw = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    std::vector<std::pair<int, double>> samples;
    for (int at = 0, i = 0; i < 40; ++i, at += 60 * (draw(5) > 0 ? 1 : 2 + draw(9))) {
      samples.emplace_back(at, draw(101));
    }
    const int from = draw(600), pause = from + 1 + draw(900), again = pause + draw(900);
    const std::vector<Stretch> stretches{work(from, pause), work(again, again + 1 + draw(900))};
    const std::string text = write({series("algo-1", samples)}, stretches).text;
    if (text.find('\n') + 1 == text.size()) continue;  // no sample in the work
    const UtilFile file = read_utilization("f", std::make_unique<std::istringstream>(text), {});
    const auto& steps = file.jobs.at(0).trace->hosts.at(0);
    const auto said = [&](Duration t) {
      double percent = std::nan("");
      for (const auto& step : steps) {
        if (step.at <= t) percent = step.percent;
      }
      return t < file.jobs[0].trace->length ? percent : std::nan("");
    };
    Duration worked{0};
    for (const Stretch& stretch : stretches) {
      for (Instant at = stretch.from; at < *stretch.until; at += 7s) {
        double right = std::nan("");
        for (const auto& [begin, percent] : samples) {
          const Instant start{std::chrono::seconds{begin}};
          if (start <= at && at < start + 60s) right = percent;
        }
        const double found = said(worked + (at - stretch.from));
        EXPECT_TRUE(std::isnan(right) ? std::isnan(found) : found == right)
            << right << " and " << found << " at " << (at - Instant{}) / 1s;
      }
      worked += *stretch.until - stretch.from;
    }
  }
}

TEST(UtilizationFiles, SeriesAreGroupedByJob) {
  History history;
  history.series = {series("algo-1", {}), series("algo-2", {})};
  history.series.push_back({{"", "n1", "0", false}, {}, {}});
  const auto jobs = series_by_job(history, {});
  ASSERT_EQ(jobs.size(), 1u);
  EXPECT_EQ(jobs.at("t").size(), 2u);
}

}  // namespace utilization_files
}  // namespace reeve::scenarios::history_test
