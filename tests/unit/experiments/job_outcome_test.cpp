#include "experiments/explain/job_outcome.hpp"

#include <gtest/gtest.h>

#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace job_outcome_test {

/// A limit of 10 hours and one of 5: the lower one ends it, whichever was set first.
TEST(JobOutcome, TheLowestOfSeveralLimitsEndsAnAttempt) {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("limits.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-04-01T00:00:00Z", "horizon": "3d" },
    "prices": { "instances": { "one": { "usd_per_hour": 30, "gpus": 1 } } },
    "fleet": [ { "name": "pool", "instance_type": "one", "capacity": 1 } ],
    "platform": { "model": "sagemaker-training" },
    "jobs": [ { "name": "a", "work": "20h" } ],
    "policies": { "p": [ { "rule": "max_runtime", "name": "long", "limit": "10h" },
                         { "rule": "max_runtime", "name": "short", "limit": "5h" } ] } })"),
                      ".")
          .scenario;
  RunOptions options;
  options.keep = {true, true, true, true, true};
  options.decisions = true;
  const RunResult result = run(scenario, scenario.policies.front(), 0, options);
  const auto ended = endings_by_rules(job_outcome(scenario, result, {0}));
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended.front().rule, "short");
}

}  // namespace job_outcome_test
}  // namespace reeve::experiments
