// What training scripts report reaches a rule that asks for it, and what the rule does about it
// reaches the job.  No rule of this version asks: the kind is the test's own.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <string>

#include "experiments/run.hpp"
#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace reports_test {

using namespace std::chrono_literals;

/// Stops whose loss is no number.
class StopsAtNan final : public policy::Policy {
 public:
  void decide(const policy::Step& step, policy::Decisions& out) override {
    for (const policy::Observation& seen : step.observed) {
      const auto* report = std::get_if<policy::TrainingReported>(&seen.fact);
      if (report == nullptr || !report->has_loss || !std::isnan(report->loss)) continue;
      out.propose(policy::StopJob{report->job, report->attempt}, "the loss is no number");
    }
  }
};

const policy::PolicyKind& stops_at_nan() {
  static const policy::PolicyKind kind = [] {
    policy::PolicyKind made;
    made.name = "stops_at_nan";
    made.reads_reports = true;
    made.make = [](const policy::Options&) -> std::unique_ptr<policy::Policy> {
      return std::make_unique<StopsAtNan>();
    };
    return made;
  }();
  return kind;
}

RunResult run_in(host::Mode mode) {
  const std::string text = R"({ "reeve": 1,
    "clock": { "start": "2026-05-22T18:00:00Z", "horizon": "2d" },
    "prices": { "instances": { "gpu.8": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "instance_type": "gpu.8", "capacity": 1 } ],
    "platform": { "model": "sagemaker-training", "provisioning": "0s", "startup": "10m",
                  "stop_grace": "0s" },
    "jobs": [ { "name": "a", "work": "10h", "checkpoint": { "every": "1h" },
      "reports": { "every": "7m", "delay": "1m",
                   "loss": { "start": 8, "half_life": "1h", "nan_at": "3h" } } } ] })";
  const auto scenario =
      scenarios::load(scenarios::SourceFile::from_text("reports.jsonc", text), ".").scenario;
  scenarios::PolicySpec spec;
  spec.name = "p";
  spec.seats.push_back(
      {.label = "stops_at_nan", .kind = &stops_at_nan(), .options = {}, .mode = mode});
  return run(scenario, spec, 0, {.keep = {true, true, true, true, true}});
}

TEST(Reports, ARuleThatReadsThemActsOnThem) {
  const RunResult result = run_in(host::Mode::enforce);
  const models::JobRow& row = result.record.job_rows.at(0);
  EXPECT_EQ(row.status, policy::Primary::stopped);
  // 3 h are no number; the 26th report, after 182 minutes, is the first that says so.
  EXPECT_EQ(row.end - result.record.start, 10min + 182min + 1min);
  EXPECT_EQ(row.progress, 3h);
}

TEST(Reports, ARuleThatIsOffIsToldNothing) {
  for (const host::Mode mode : {host::Mode::off, host::Mode::shadow}) {
    const RunResult result = run_in(mode);
    EXPECT_EQ(result.record.job_rows.at(0).status, policy::Primary::completed);
    // 10 h and a minute of training in reports of 7 minutes each, if anybody reads them.
    const bool read = mode == host::Mode::shadow;
    EXPECT_EQ(result.record.events_simulated > 2 * 85, read);
  }
}

}  // namespace reports_test
}  // namespace reeve::experiments
