// F122: alarms that a rule forgot are deleted by a sweep, whatever happens to reeve in between.
#include <gtest/gtest.h>

#include <algorithm>

#include "scenarios/load.hpp"
#include "tests/property/journaled_run.hpp"

namespace reeve::tests {
namespace leftover_alarms_test {

/// Ten jobs that time out after an hour, at which the article's rule does not delete its alarm.
constexpr const char* kTenAlarms = R"jsonc({
  "reeve": 1, "name": "ten-alarms",
  "clock": { "start": "2026-05-01T00:00:00Z", "horizon": "1d" },
  "prices": { "instances": { "gpu": { "usd_per_hour": 1, "gpus": 1, "managed": true } } },
  "fleet": [ { "name": "pool", "instance_type": "gpu", "capacity": 10 } ],
  "platform": { "model": "sagemaker-training", "api": { "latency": "1s", "lost_reply": 0.3 } },
  "jobs": [ { "name": "job", "count": 10, "submit_every": "7m", "work": "6h",
    "max_runtime": "1h" } ],
  "policies": { "swept": [
    { "rule": "stalled_gpu", "disarm_on": ["Completed", "Failed", "Stopped"] },
    { "rule": "orphan_sweep" } ] }
})jsonc";

TEST(LeftoverAlarms, NoneIsLeftWhereverReeveCrashes) {
  const scenarios::Scenario scenario =
      scenarios::load(scenarios::SourceFile::from_text("ten-alarms.jsonc", kTenAlarms), ".")
          .scenario;
  const scenarios::PolicySpec& policy = scenario.policies.front();
  const Taped whole = run_taped(scenario, policy);
  const auto& alarms = whole.result.record.alarms;
  ASSERT_EQ(alarms.size(), 10U);
  for (const models::AlarmRow& alarm : alarms) {
    EXPECT_LT(alarm.deleted, policy::never);
    EXPECT_FALSE(alarm.orphan);
  }
  const auto lines =
      static_cast<std::uint64_t>(std::count(whole.journal.begin(), whole.journal.end(), '\n'));
  for (std::uint64_t cut = 3; cut < lines; cut += lines / 40 + 1) {
    EXPECT_EQ(run_with_crash(scenario, policy, cut, whole.journal), whole.journal)
        << "cut after line " << cut;
  }
}

}  // namespace leftover_alarms_test
}  // namespace reeve::tests
