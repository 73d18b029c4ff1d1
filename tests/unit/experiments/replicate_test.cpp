// Replications: threads change nothing, results come in order, an interruption keeps what is done.
#include "experiments/replicate.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/measures.hpp"
#include "experiments/statistics.hpp"
#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace replicate_test {

scenarios::Scenario drawn_jobs() {
  return scenarios::load(scenarios::SourceFile::from_text("drawn.jsonc", R"({ "reeve": 1,
    "clock": { "horizon": "until_done" },
    "random": { "seed": 7, "runs": 4 },
    "prices": { "instances": { "t": { "usd_per_hour": 36, "gpus": 8 } } },
    "fleet": [ { "instance_type": "t", "capacity": 4 } ],
    "platform": { "model": "ideal" },
    "workload": { "jobs": 20, "name": "job", "instances": 1,
                  "arrivals": { "process": "poisson", "gap": "10m" },
                  "work": { "exponential": "1h" } },
    "policies": { "fifo": [ { "rule": "schedule", "algorithm": "fifo" } ],
                  "sjf": [ { "rule": "schedule", "algorithm": "sjf" } ] } })"),
                         ".")
      .scenario;
}

ReplicateOptions options_of(const scenarios::Scenario& scenario, std::uint32_t runs,
                            unsigned threads) {
  ReplicateOptions options;
  for (const auto& policy : scenario.policies) options.policies.push_back(&policy);
  options.runs = runs;
  options.threads = threads;
  return options;
}

std::vector<std::string> digests(const scenarios::Scenario& scenario, unsigned threads) {
  std::vector<std::string> out;
  replicate(scenario, options_of(scenario, 12, threads), [&](RunResult&& result) {
    out.push_back(result.policy + '/' + std::to_string(result.replication) + ' ' + result.digest);
  });
  return out;
}

class Fragile final : public policy::Policy {
  void decide(const policy::Step& step, policy::Decisions&) override {
    if (step.now - policy::Instant{} >= std::chrono::hours{1}) throw std::runtime_error{"boom"};
  }
};

TEST(RunTest, ARunThatIsInterruptedBeforeItsFirstEventStandsAtTheStartOfTheClock) {
  scenarios::Scenario scenario = drawn_jobs();
  const std::atomic<bool> at_once{true};
  RunProgress progress;
  RunOptions options;
  options.interrupted = &at_once;
  options.progress = &progress;
  const RunResult result = run(scenario, scenario.policies.front(), 0, options);
  EXPECT_TRUE(result.record.partial);
  EXPECT_EQ(progress.clock_ns, scenario.world.start.time_since_epoch().count());
  EXPECT_EQ(result.record.end, scenario.world.start);
  EXPECT_EQ(result.record.events_simulated, 0U);
}

TEST(RunTest, ARuleThatThrowsIsMutedAndTheRestGoesOn) {
  scenarios::Scenario scenario = drawn_jobs();
  const RunResult sound = run(scenario, scenario.policies[0], 0);
  policy::PolicyKind kind;
  kind.name = "fragile";
  kind.make = [](const policy::Options&) -> std::unique_ptr<policy::Policy> {
    return std::make_unique<Fragile>();
  };
  scenarios::PolicySpec mended = scenario.policies[0];
  mended.seats.push_back({.label = "fragile", .kind = &kind, .options = {}});
  const RunResult result = run(scenario, mended, 0);
  ASSERT_EQ(result.muted.size(), 1U);
  EXPECT_EQ(result.muted[0].rule, "fragile");
  EXPECT_EQ(result.muted[0].why, "boom");
  EXPECT_EQ(result.record.ledger.billed(), sound.record.ledger.billed());
  EXPECT_TRUE(sound.muted.empty());
}

TEST(ReplicateTest, ThreadsChangeNeitherOrderNorBytes) {
  const scenarios::Scenario scenario = drawn_jobs();
  const std::vector<std::string> alone = digests(scenario, 1);
  ASSERT_EQ(alone.size(), 24u);
  EXPECT_TRUE(alone[0].starts_with("fifo/0 "));
  EXPECT_TRUE(alone[1].starts_with("sjf/0 "));
  EXPECT_TRUE(alone[23].starts_with("sjf/11 "));
  EXPECT_NE(alone[0].substr(7), alone[2].substr(7)) << "replications are the same";
  for (const unsigned threads : {2u, 3u, 8u, 100u}) EXPECT_EQ(digests(scenario, threads), alone);
}

TEST(ReplicateTest, PoliciesMeetTheSameDraws) {
  const scenarios::Scenario scenario = drawn_jobs();
  std::vector<std::vector<std::pair<policy::Instant, policy::Duration>>> jobs;
  replicate(scenario, options_of(scenario, 3, 2), [&](RunResult&& result) {
    auto& of = jobs.emplace_back();
    for (const auto& spec : result.record.jobs.specs) of.emplace_back(spec.submit, spec.work);
  });
  ASSERT_EQ(jobs.size(), 6u);
  for (std::size_t run = 0; run < jobs.size(); run += 2) EXPECT_EQ(jobs[run], jobs[run + 1]);
  EXPECT_NE(jobs[0], jobs[2]) << "replications are the same";
}

TEST(ReplicateTest, AnInterruptionKeepsTheFinishedPrefix) {
  const scenarios::Scenario scenario = drawn_jobs();
  const std::vector<std::string> all = digests(scenario, 1);
  for (const unsigned threads : {1u, 4u}) {
    std::atomic<bool> interrupted{false};
    ReplicateOptions options = options_of(scenario, 12, threads);
    options.run.interrupted = &interrupted;
    std::vector<std::string> whole;
    std::size_t partial = 0;
    replicate(scenario, options, [&](RunResult&& result) {
      if (result.record.partial) {
        ++partial;
      } else {
        EXPECT_EQ(partial, 0u) << "a whole run after one that was cut off";
        whole.push_back(result.policy + '/' + std::to_string(result.replication) + ' ' +
                        result.digest);
      }
      if (whole.size() == 5) interrupted = true;
    });
    ASSERT_GE(whole.size(), 5u);
    EXPECT_LT(whole.size(), all.size()) << threads << " threads went on to the end";
    EXPECT_EQ(whole, std::vector<std::string>(
                         all.begin(), all.begin() + static_cast<std::ptrdiff_t>(whole.size())));
  }
}

TEST(ReplicateTest, WhatTheReceiverThrowsComesOut) {
  const scenarios::Scenario scenario = drawn_jobs();
  for (const unsigned threads : {1u, 4u}) {
    std::size_t received = 0;
    EXPECT_THROW(replicate(scenario, options_of(scenario, 12, threads),
                           [&](RunResult&&) {
                             if (++received == 3) throw std::runtime_error{"the disk is full"};
                           }),
                 std::runtime_error);
    EXPECT_EQ(received, 3u);
  }
}

TEST(ReplicateTest, TheIntervalOfThreeRunsIsTheOneByHand) {
  const scenarios::Scenario scenario = drawn_jobs();
  std::vector<double> fifo;
  std::vector<double> sjf;
  replicate(scenario, options_of(scenario, 3, 2), [&](RunResult&& result) {
    const auto wait = measure(scenario, result, "mean_wait_s");
    (result.policy == "fifo" ? fifo : sjf).push_back(as_double(*wait));
  });
  ASSERT_EQ(fifo.size(), 3u);
  const double d0 = sjf[0] - fifo[0];
  const double d1 = sjf[1] - fifo[1];
  const double d2 = sjf[2] - fifo[2];
  const double mean = (d0 + d1 + d2) / 3;
  const double variance =
      ((d0 - mean) * (d0 - mean) + (d1 - mean) * (d1 - mean) + (d2 - mean) * (d2 - mean)) / 2;
  const Estimate difference = estimate(std::array{d0, d1, d2});
  EXPECT_GT(variance, 0);
  EXPECT_NEAR(difference.mean, mean, 1e-9);
  EXPECT_NEAR(difference.half_width(), 4.302653 * std::sqrt(variance / 3), 1e-4);  // t(2, 0.975)
}

}  // namespace replicate_test
}  // namespace reeve::experiments
