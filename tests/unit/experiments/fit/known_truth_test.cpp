// What a fit says of histories whose laws are known.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "experiments/fit/fit.hpp"
#include "experiments/fit/fit_text.hpp"
#include "tests/unit/experiments/fit/synthetic_history.hpp"

namespace reeve::experiments {
namespace known_truth_test {

std::uint64_t histories() {
  const char* const chosen = std::getenv("REEVE_FIT_HISTORIES");
  return chosen == nullptr ? 200 : std::strtoull(chosen, nullptr, 10);
}

TEST(KnownTruth, IsWithinTheIntervalInNineOfTenHistories) {
  const KnownTruth truth;
  const std::map<std::string, double> true_values{
      {"failures", truth.failures_per_hour},       {"stalls", truth.stalls_per_hour},
      {"node_faults", truth.node_faults_per_hour}, {"interruptions", truth.interruptions_per_hour},
      {"duration", truth.median_hours * 3600},     {"weekly_jobs", truth.jobs_per_week()},
  };
  std::map<std::string, double> covered;
  for (std::uint64_t seed = 0; seed < histories(); ++seed) {
    const OwnedHistory history = SyntheticHistory{truth, seed}.draw();
    const Fit result = fit(history.view(), {.hold_out = false});
    for (const auto& [name, value] : true_values) {
      const FittedQuantity* quantity = find(result, name);
      ASSERT_NE(quantity, nullptr) << name;
      ASSERT_TRUE(quantity->interval90) << name;
      covered[name] += quantity->interval90->contains(value) ? 1 : 0;
    }
  }
  for (const auto& [name, count] : covered) {
    const double share = count / static_cast<double>(histories());
    std::printf("[coverage] %-14s %.3f\n", name.c_str(), share);
    EXPECT_GE(share, 0.85) << name;
    EXPECT_LE(share, 0.95) << name;
  }
}

}  // namespace known_truth_test
}  // namespace reeve::experiments
