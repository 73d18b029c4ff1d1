// What is printed must add up: differences of printed values, parts of printed sums.
#include "app/text/quantity_text.hpp"

#include <gtest/gtest.h>

#include "report/format.hpp"

namespace reeve::app {
namespace quantity_text_test {

using experiments::Quantity;
using policy::Usd;

std::string difference(std::string_view name, const Quantity& a, const Quantity& b) {
  return quantity_text(name, shown_difference(name, a, b));
}

TEST(QuantityText, DifferencesAreOfWhatIsShown) {
  EXPECT_EQ(quantity_text("wait_s", 916.6), "15m17s");
  EXPECT_EQ(quantity_text("wait_s", 539.4), "8m59s");
  EXPECT_EQ(difference("wait_s", 916.6, 539.4), "6m18s");  // 377.2 s would print as 6m17s
  const Quantity most = Usd::from_micros(10'006'000);
  const Quantity least = Usd::from_micros(5'004'000);
  EXPECT_EQ(quantity_text("billed_usd", most), "$10.01");
  EXPECT_EQ(quantity_text("billed_usd", least), "$5.00");
  EXPECT_EQ(difference("billed_usd", most, least), "$5.01");
  EXPECT_EQ(difference("billed_usd", least, most), "−$5.01");
  EXPECT_EQ(difference("mean_used_pct", 78.36, 78.34), "0.1 %");
  EXPECT_EQ(difference("mean_used_pct", 78.31, 78.34), "0.0 %");
  EXPECT_EQ(difference("jobs_done", 50.0, 42.0 + 1.0 / 6), "7.83");
  EXPECT_EQ(difference("makespan", std::chrono::hours{2}, std::chrono::seconds{1}), "1h59m59s");
}

TEST(QuantityText, PartsInCentsSumToTheWholeInCents) {
  report::CentRounding cents;
  Usd sum;
  Usd shown;
  for (const std::int64_t micros : {4'000, 4'000, 4'000, 64'133'333, 8'000'000, 1}) {
    sum += Usd::from_micros(micros);
    shown += cents.next(Usd::from_micros(micros));
    EXPECT_EQ(report::money(shown), report::money(sum));
    EXPECT_EQ(shown.micros() % 10'000, 0);
  }
}

experiments::Estimate of(double mean, double low, double high, bool cut = false) {
  return {.samples = 20, .mean = mean, .low = low, .high = high, .lopsided = cut};
}

TEST(QuantityText, IntervalsHaveSensibleDigitsAndEndAtTheBound) {
  EXPECT_EQ(estimate_text("mean_wait_s", 12.345678, of(12.345678, -32.7, 57.4)), "12s ± 45s");
  EXPECT_EQ(estimate_text("mean_wait_s", 12.345678, of(12.345678, 11.1, 13.6)), "12.346s ± 1.25s");
  EXPECT_EQ(estimate_text("false_stops", 0.1, of(0.1, 0, 0.3262, true)), "0.10 [0, 0.33]");
  EXPECT_EQ(estimate_text("billed_usd", Usd::from_micros(24'000'000), of(24, 21, 27)),
            "$24.00 ± $3.00");
  EXPECT_EQ(text_beside("mean_wait_s", Quantity{0.0}, -90.5004, 5), "−1m31s");
}

}  // namespace quantity_text_test
}  // namespace reeve::app
