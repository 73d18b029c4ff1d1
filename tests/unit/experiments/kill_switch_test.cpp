// Whatever a rule was about to do while the kill switch was engaged happens when it is released,
// once.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <vector>

#include "experiments/run.hpp"
#include "host/target.hpp"
#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace kill_switch_test {

using policy::VerbKind;

/// One decision of one rule: made within [from, to] after the start if nothing keeps it.
struct Case {
  std::string name;
  std::string seat;     ///< the policy, in JSON
  std::string job;      ///< members of the job
  VerbKind verb{};      ///< what the rule does, once
  std::string engaged;  ///< "from", "to" in hours
  int release_h = 0;    ///< "to" again
  std::string verdict = "accepted";
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class Held : public testing::TestWithParam<Case> {
 protected:
  static RunResult run_with(const std::string& kill_switch) {
    const std::string text =
        R"({ "reeve": 1, "name": "held",
  "clock": { "start": "2026-05-22T18:00:00-04:00", "horizon": "2d" },
  "prices": { "instances": { "ml.demo.8gpu": { "usd_per_hour": 30.00, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "ml.demo.8gpu", "capacity": 16 } ],
  "platform": { "model": "sagemaker-training", "stop_grace": "0s" },
  "jobs": [ { "name": "job", "work": "10h", "instances": 2, )" +
        GetParam().job + R"( } ],
  "policies": { "p": [ )" +
        GetParam().seat + " ] }" + kill_switch + " }";
    const auto scenario =
        scenarios::load(scenarios::SourceFile::from_text("held.jsonc", text), ".").scenario;
    return run(scenario, scenario.policies.back(), 0,
               {.keep = {true, true, true, true, true}, .decisions = true});
  }

  /// When it happened, in the order of the run, each with its outcome.
  static std::vector<DecisionRow> effects(const RunResult& result) {
    std::vector<DecisionRow> found = result.decisions;
    std::erase_if(found, [](const DecisionRow& row) {
      return host::kind_of(row.verb) != GetParam().verb || row.verdict != GetParam().verdict;
    });
    return found;
  }
};

TEST_P(Held, HappensOnceAfterTheRelease) {
  const std::vector<DecisionRow> free = effects(run_with(""));
  ASSERT_EQ(free.size(), 1U) << "the rule must have something to be kept from";
  const RunResult kept =
      run_with(", \"kill_switch\": { \"engaged\": [[" + GetParam().engaged + "]] }");
  const std::vector<DecisionRow> held = effects(kept);
  ASSERT_EQ(held.size(), 1U);
  const policy::Instant start{std::chrono::seconds{1779487200}};  // as the clock says
  const policy::Instant release = start + std::chrono::hours{GetParam().release_h};
  EXPECT_LT(free[0].at, release);
  EXPECT_EQ(held[0].at, release);
  EXPECT_EQ(held[0].outcome, free[0].outcome);
  EXPECT_LE(kept.decisions.size(), 12U) << "nobody asks over and over meanwhile";
}

const char* const kStall = R"("faults": [ { "at": "1h", "kind": "stall" } ])";
const char* const kFailure = R"("faults": [ { "at": "3h", "kind": "failure" } ])";
const char* const kPlain = R"("checkpoint": { "every": "30m" })";

INSTANTIATE_TEST_SUITE_P(
    EveryRule, Held,
    testing::Values(
        Case{"required_tags_stop", R"({ "rule": "required_tags", "keys": ["k"] })", kPlain,
             VerbKind::stop_job, R"("0h", "2h")", 2},
        Case{"required_tags_notify",
             R"({ "rule": "required_tags", "keys": ["k"], "action": "notify" })", kPlain,
             VerbKind::notify, R"("0h", "2h")", 2},
        Case{"required_tags_warning",
             R"({ "rule": "required_tags", "keys": ["k"], "mode": "warn" })", kPlain,
             VerbKind::notify, R"("0h", "2h")", 2},
        Case{"required_tags_shadow",
             R"({ "rule": "required_tags", "keys": ["k"], "mode": "shadow" })", kPlain,
             VerbKind::stop_job, R"("0h", "2h")", 2, "shadow"},
        Case{"max_runtime_platform", R"({ "rule": "max_runtime", "limit": "5h" })", kPlain,
             VerbKind::limit_runtime, R"("0h", "2h")", 2},
        Case{"max_runtime_clock",
             R"({ "rule": "max_runtime", "limit": "1h", "enforce_by": "clock" })", kPlain,
             VerbKind::stop_job, R"("0h", "2h")", 2},
        Case{"stalled_gpu_put", R"({ "rule": "stalled_gpu" })", kPlain, VerbKind::put_alarm,
             R"("0h", "2h")", 2},
        Case{"stalled_gpu_stop", R"({ "rule": "stalled_gpu" })", kStall, VerbKind::stop_job,
             R"("1h", "3h")", 3},
        Case{"stalled_gpu_notify",
             R"({ "rule": "stalled_gpu", "action": { "stop": false, "notify": ["sns:T"] } })",
             kStall, VerbKind::notify, R"("1h", "3h")", 3},
        Case{"stalled_gpu_delete", R"({ "rule": "stalled_gpu" })", kPlain, VerbKind::delete_alarm,
             R"("9h", "12h")", 12},
        Case{"resume", R"({ "rule": "resume" })", kFailure, VerbKind::clone_job, R"("2h", "5h")",
             5},
        Case{"schedule", R"({ "rule": "schedule" })", kPlain, VerbKind::start_job, R"("0h", "2h")",
             2}),
    [](const testing::TestParamInfo<Case>& each) { return each.param.name; });

}  // namespace kill_switch_test
}  // namespace reeve::experiments
