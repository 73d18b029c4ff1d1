// Alarms that reeve evaluates: the states are those of an alarm that knows the whole metric.
#include "live/alarms/local_alarms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "live/alarms/cloud_metrics.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace local_alarms_test {

using namespace std::chrono_literals;
using policy::AlarmRule;
using policy::AlarmState;
using policy::Instant;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Instant start = std::chrono::sys_days{std::chrono::year{2026} / 3 / 2} + 9h;
constexpr policy::AlarmId of_the_job{{0}, 1, 0};

/// Nothing happens, up to an end.
struct QuietFeed final : host::Feed {
  Instant now = start;
  Instant end = policy::never;
  Instant advance(Instant deadline, host::Intake& /*out*/) override {
    if (deadline > end) return policy::never;
    return now = std::max(now, deadline);
  }
};

/// The same series for all hosts.  Samples end by `until`.
struct KnownMetrics final : MetricSource {
  models::MetricSeries series;
  std::vector<std::string> asked;
  int failures = 0;

  Read gpu_utilization(std::span<const std::string> hosts, Instant from, Instant until) override {
    asked.insert(asked.end(), hosts.begin(), hosts.end());
    if (failures-- > 0) {
      return FailedCall{"cloudwatch:GetMetricData",
                        {CallErrorKind::throttled, "Throttling", {}, {}, true}};
    }
    SampledSeries sampled;
    for (Instant at = from; at + metric_sample <= until; at += metric_sample) {
      const models::SampleSet sample = series.samples(at, at + metric_sample, metric_sample);
      if (sample.count > 0) sampled.add(at, sample.mean());
    }
    return std::vector<models::MetricSeries>(hosts.size(), std::move(sampled).take());
  }
};

policy::InstanceType unpriced(std::string_view name) {
  return {std::string{name}, 0, {}};
}

struct Bench {
  policy::Directory directory;
  Roster roster{directory, "", "", unpriced};
  QuietFeed feed;
  KnownMetrics metrics;
  std::vector<std::string> troubles;
  AlarmSettings settings{.on_trouble = [this](const FailedCall& failed) {
    troubles.push_back(failed.action + ' ' + failed.error.code);
  }};

  Bench() {
    FleetEvent event;
    TrainingJobCreated created;
    created.job.name = "train";
    created.job.instance_type = "ml.x";
    created.job.instances = 2;
    created.job.tags.emplace();
    event.time = start;
    event.detail = created;
    std::vector<policy::Observation> seen;
    roster.take(event, start, seen);
  }
  LocalAlarms alarms() { return {feed, roster, &metrics, settings}; }
};

host::Attempt local(policy::Verb verb) {
  return {.action = {1}, .verb = std::move(verb), .is_local = true};
}

std::vector<models::Transition> run(LocalAlarms& alarms, Instant until) {
  std::vector<models::Transition> changes;
  AlarmState before = AlarmState::insufficient_data;
  host::Intake intake;
  for (Instant now = start; now < until;) {
    intake.clear();
    now = alarms.advance(until, intake);
    for (const policy::Observation& seen : intake.observations) {
      const auto& changed = std::get<policy::AlarmChanged>(seen.fact);
      changes.push_back({seen.happened_at, before, changed.state});
      before = changed.state;
    }
  }
  return changes;
}

AlarmRule random_rule(std::mt19937& random) {
  AlarmRule rule;
  rule.period = std::chrono::minutes{1 + random() % 6};
  rule.evaluation_periods = static_cast<std::uint16_t>(1 + random() % 5);
  rule.datapoints_to_alarm = static_cast<std::uint16_t>(1 + random() % rule.evaluation_periods);
  rule.threshold = 50;
  rule.missing = static_cast<policy::MissingData>(random() % 4);
  return rule;
}

models::MetricSeries random_series(std::mt19937& random) {
  models::MetricSeries series;
  for (Instant at = start - 1h; at < start + 6h; at += std::chrono::seconds{1 + random() % 2'000}) {
    const double value = static_cast<double>(random() % 3) * 50;
    series.append(at, random() % 4 == 0 ? std::nullopt : std::optional{value});
  }
  return series;
}

TEST(LocalAlarms, ChangeAsAnAlarmThatKnowsTheWholeMetric) {
  std::mt19937 random{7};
  std::size_t changes = 0;
  for (int round = 0; round < 200; ++round) {
    Bench bench;
    const AlarmRule rule = random_rule(random);
    bench.metrics.series = random_series(random);
    bench.settings.publish_delay = std::chrono::seconds{random() % 150};
    LocalAlarms alarms = bench.alarms();
    host::Intake intake;
    alarms.advance(start, intake);
    alarms.submit(local(policy::PutAlarm{of_the_job, 1, rule}));
    models::Alarm known{rule, {metric_sample, bench.settings.publish_delay, {}, 2}, start};
    std::vector<models::Transition> expected;
    known.advance(bench.metrics.series, start + 6h, expected);
    EXPECT_EQ(run(alarms, start + 6h), expected) << "round " << round;
    changes += expected.size();
  }
  EXPECT_GT(changes, 200U);
}

TEST(LocalAlarms, OneLooksAtTheHostsOfItsAttempt) {
  Bench bench;
  LocalAlarms alarms = bench.alarms();
  host::Intake intake;
  alarms.advance(start, intake);
  alarms.submit(local(policy::PutAlarm{{{0}, 2, 0}, 1, {}}));
  alarms.advance(start, intake);
  EXPECT_THAT(bench.metrics.asked, ElementsAre("train/algo-2"));
  bench.metrics.asked.clear();
  alarms.submit(local(policy::DeleteAlarm{{{0}, 2, 0}, 1}));
  alarms.submit(local(policy::PutAlarm{{{0}, policy::lowest_of_hosts, 0}, 1, {}}));
  alarms.advance(start + 1min, intake);
  EXPECT_THAT(bench.metrics.asked, ElementsAre("train/algo-1", "train/algo-2"));
}

TEST(LocalAlarms, AHostOfSeveralAlarmsIsReadOnceAndNotAfterItsEnd) {
  Bench bench;
  LocalAlarms alarms = bench.alarms();
  host::Intake intake;
  alarms.advance(start, intake);
  alarms.submit(local(policy::PutAlarm{{{0}, 1, 0}, 1, {}}));
  alarms.submit(local(policy::PutAlarm{{{0}, 1, 1}, 1, {}}));
  alarms.advance(start, intake);
  EXPECT_THAT(bench.metrics.asked, ElementsAre("train/algo-1"));
  FleetEvent event;
  TrainingJobState ended;
  ended.name = "train";
  ended.primary = policy::Primary::completed;
  ended.secondary = policy::Secondary::completed;
  event.time = start + 1min;
  event.detail = ended;
  bench.roster.take(event, start + 1min, intake.observations);
  run(alarms, start + 3h);
  const std::size_t asked = bench.metrics.asked.size();
  run(alarms, start + 6h);
  EXPECT_EQ(bench.metrics.asked.size(), asked) << "an attempt that is over is still read";
  EXPECT_GT(alarms.evaluations(), 700U);
  alarms.drop({0});
  EXPECT_EQ(alarms.size(), 1U);
}

TEST(LocalAlarms, AFailedReadIsTriedAgainAndNoEvaluationIsLost) {
  Bench bench;
  bench.metrics.series.append(start - 1h, 100);
  bench.metrics.series.append(start, 0);
  bench.metrics.failures = 20;
  LocalAlarms alarms = bench.alarms();
  host::Intake intake;
  alarms.advance(start, intake);
  AlarmRule rule;
  rule.threshold = 1;
  alarms.submit(local(policy::PutAlarm{of_the_job, 1, rule}));
  run(alarms, start + 10min);
  EXPECT_EQ(alarms.unread_since(), start);
  const auto changes = run(alarms, start + 1h);
  EXPECT_FALSE(alarms.unread_since());
  EXPECT_THAT(changes,
              ElementsAre(models::Transition{start, AlarmState::insufficient_data, AlarmState::ok},
                          models::Transition{start + 15min, AlarmState::ok, AlarmState::alarm}));
  EXPECT_THAT(bench.troubles, SizeIs(20));
}

TEST(LocalAlarms, ASnapshotJudgesOnceAndEnds) {
  Bench bench;
  bench.metrics.series.append(start - 1h, 0);
  bench.feed.end = start;
  bench.settings.at_once = true;
  LocalAlarms alarms = bench.alarms();
  host::Intake intake;
  alarms.advance(start, intake);
  alarms.submit(local(policy::PutAlarm{of_the_job, 1, {}}));
  EXPECT_EQ(alarms.advance(policy::never, intake), start);
  ASSERT_THAT(intake.observations, SizeIs(1));
  EXPECT_EQ(std::get<policy::AlarmChanged>(intake.observations[0].fact).state, AlarmState::alarm);
  EXPECT_EQ(alarms.advance(policy::never, intake), policy::never);
}

TEST(LocalAlarms, WhatIsToBeSentIsRefused) {
  Bench bench;
  LocalAlarms alarms = bench.alarms();
  EXPECT_THROW(alarms.submit({.action = {1}, .verb = policy::StopJob{{0}, 1}}), std::logic_error);
}

class CloudMetricsTest : public ::testing::Test {
 protected:
  MetricSource::Read read(std::string reply, int status = 200) {
    scripted.transport.answer(status, std::move(reply));
    const std::vector<std::string> hosts{"train/algo-1", "train/algo-2"};
    Credentials credentials;
    credentials.key = {"AKID", Secret{std::string_view{"secret"}}, {}};
    FixedCredentials key{credentials};
    Client client{scripted.surroundings(), key, {"us-east-1", 1}};
    return CloudMetrics{client}.gpu_utilization(hosts, start, start + 3min);
  }
  Scripted scripted;
};

std::string reply_of(const std::string& results) {
  return "<GetMetricDataResponse><GetMetricDataResult><MetricDataResults>" + results +
         "</MetricDataResults></GetMetricDataResult></GetMetricDataResponse>";
}

TEST_F(CloudMetricsTest, SamplesBecomeASeriesWithGaps) {
  const auto got = read(
      reply_of("<member><Id>h1</Id><Timestamps/><Values/><StatusCode>Complete</StatusCode></member>"
               "<member><Id>h0</Id><Timestamps><member>2026-03-02T09:00:00Z</member>"
               "<member>2026-03-02T09:02:00Z</member></Timestamps>"
               "<Values><member>700.5</member><member>0.0</member></Values>"
               "<StatusCode>PartialData</StatusCode></member>"));
  const auto& series = std::get<std::vector<models::MetricSeries>>(got);
  ASSERT_THAT(series, SizeIs(2));
  EXPECT_EQ(series[0].at(start), 700.5);
  EXPECT_EQ(series[0].at(start + 1min), std::nullopt);
  EXPECT_EQ(series[0].at(start + 2min), 0);
  EXPECT_EQ(series[0].at(start + 3min), std::nullopt);
  EXPECT_EQ(series[1].segments(), 0U);
  const std::string& body = scripted.transport.requests[0].body;
  EXPECT_THAT(body, HasSubstr("Action=GetMetricData&Version=2010-08-01"));
  EXPECT_THAT(body, HasSubstr("MetricDataQueries.member.2.MetricStat.Metric.Dimensions.member.1."
                              "Value=train%2Falgo-2"));
}

TEST_F(CloudMetricsTest, AReplyThatCannotBeReadIsNoLackOfSamples) {
  for (const char* results : {"<member><Id>h9</Id><StatusCode>Complete</StatusCode></member>",
                              "<member><Id>h0</Id><StatusCode>InternalError</StatusCode></member>",
                              "<member><Id>h0</Id><StatusCode>Complete</"
                              "StatusCode><Timestamps><member>soon</member></Timestamps>"
                              "<Values><member>1</member></Values></member>",
                              "<member><Id>h0</Id><StatusCode>Complete</StatusCode>"
                              "<Timestamps><member>2026-03-02T09:00:00Z</member></Timestamps>"
                              "<Values><member>1</member><member>2</member></Values></member>"}) {
    const auto got = read(reply_of(results));
    ASSERT_TRUE(std::holds_alternative<FailedCall>(got)) << results;
    EXPECT_EQ(std::get<FailedCall>(got).error.code, "UnreadableReply");
  }
  const auto refused = read(
      "<ErrorResponse><Error><Code>AccessDenied</Code><Message>no</Message></Error>"
      "</ErrorResponse>",
      403);
  EXPECT_EQ(std::get<FailedCall>(refused).error.code, "AccessDenied");
}

}  // namespace local_alarms_test
}  // namespace reeve::live
