// Forecasts of weekly totals against the weeks that followed, of Microsoft's ITP clusters.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

#include "experiments/fit/fit.hpp"
#include "tests/unit/experiments/fit/recorded_history.hpp"

namespace reeve::experiments {
namespace recorded_weeks_test {

TEST(RecordedWeeks, GpuHoursOfTheNextWeekAreWithinTheirInterval) {
  const auto folder = recorded_data / "canonical";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no ../shared/data/canonical";
  double weeks = 0;
  double covered = 0;
  double covered_half = 0;
  for (const std::string cluster : {"01", "02", "03", "05", "07", "09", "10"}) {
    const OwnedHistory history =
        recorded_history(folder / ("ms_itp_cluster" + cluster + ".csv.gz"));
    const Fit result = fit(history.view());
    const FittedQuantity* next = find(result, "next_week_gpu_hours");
    ASSERT_NE(next, nullptr) << cluster;
    if (!next->hold_out) continue;  // fewer than six whole weeks
    const auto count = static_cast<double>(next->hold_out->weeks);
    weeks += count;
    covered += next->hold_out->coverage90 * count;
    covered_half += next->hold_out->coverage50 * count;
  }
  std::printf("[ITP     ] %g of %g weeks in the 90 %% interval, %g in the 50 %% interval\n",
              covered, weeks, covered_half);
  ASSERT_GE(weeks, 15);
  EXPECT_GE(covered / weeks, 0.8);
}

}  // namespace recorded_weeks_test
}  // namespace reeve::experiments
