#include "report/sentences.hpp"

#include <gtest/gtest.h>

namespace reeve::report {
namespace sentences_test {

using namespace std::chrono_literals;
using policy::Usd;

Comparison weekend() {
  Comparison comparison;
  comparison.policy = "alarm+resume";
  comparison.baseline = "none";
  comparison.spent = Usd::from_micros(17'280'000'000);
  comparison.saved = Usd::from_micros(16'967'866'667);
  comparison.sooner = 143h + 5min - (72h + 23min + 2s);
  return comparison;
}

TEST(Sentence, ClosesTheWeekend) {
  EXPECT_EQ(sentence(weekend()),
            "alarm+resume saves $16,967.87 of $17,280.00 and finishes 70h41m58s sooner than none.");
}

TEST(Sentence, SaysWhatARuleCosts) {
  Comparison comparison = weekend();
  comparison.saved = Usd::from_micros(-92'130'000);
  comparison.sooner = -23min;
  EXPECT_EQ(sentence(comparison),
            "alarm+resume costs $92.13 more and finishes 23m00s later than none.");
  comparison.sooner = std::nullopt;
  EXPECT_EQ(sentence(comparison), "alarm+resume costs $92.13 more than none.");
  comparison.saved = {};
  EXPECT_EQ(sentence(comparison), "alarm+resume costs the same as none.");
  comparison.guardrails_saved = Usd::from_micros(4'000);  // as it is printed: nothing
  EXPECT_EQ(sentence(comparison), "alarm+resume costs the same as none.");
}

TEST(Sentence, TellsGuardrailsApartWhereMachinesCostTheSame) {
  Comparison comparison = weekend();
  comparison.saved = {};
  comparison.sooner = std::nullopt;
  comparison.guardrails_saved = Usd::from_micros(370'083'333);
  EXPECT_EQ(sentence(comparison),
            "alarm+resume costs the same in instances and $370.08 less in alarms, calls and "
            "messages than none.");
  comparison.guardrails_saved = -comparison.guardrails_saved;
  EXPECT_EQ(sentence(comparison),
            "alarm+resume costs the same in instances and $370.08 more in alarms, calls and "
            "messages than none.");
}

TEST(Sentence, GivesIntervalAndNumberOfPairedRuns) {
  Comparison comparison = weekend();
  comparison.sooner = std::nullopt;
  comparison.interval = Usd::from_micros(345'000'000);
  comparison.runs = 1200;
  EXPECT_EQ(sentence(comparison),
            "alarm+resume saves $16,967.87 ± $345.00 of $17,280.00 against none, over 1,200 paired "
            "runs.");
}

TEST(Sentence, SaysFirstWhatIsLeftUndoneAndNeverThatItSaves) {
  Comparison comparison = weekend();
  comparison.sooner = std::nullopt;
  comparison.saved = Usd::from_micros(540'000'000);
  comparison.undone = "the job is not done";
  EXPECT_EQ(sentence(comparison),
            "under alarm+resume the job is not done; it spends $540.00 less than none.");
  comparison.saved = Usd::from_micros(-540'000'000);
  EXPECT_EQ(sentence(comparison),
            "under alarm+resume the job is not done; it costs $540.00 more than none.");
  comparison.saved = {};
  EXPECT_EQ(sentence(comparison),
            "under alarm+resume the job is not done; it costs the same as none.");
}

TEST(Sentence, NeverSavesDollarsOnReservedCapacity) {
  Comparison comparison = weekend();
  comparison.reserved = true;
  comparison.recovered = models::Charge{40'500} * 1'000'000'000;
  comparison.sooner = std::nullopt;
  const std::string text = sentence(comparison);
  EXPECT_EQ(text, "alarm+resume recovers 11.25 instance-hours of reserved capacity against none.");
  EXPECT_EQ(text.find('$'), std::string::npos);
  comparison.recovered = models::Charge{1'000'000'000};  // one second of one instance
  EXPECT_EQ(sentence(comparison), "alarm+resume recovers no reserved capacity against none.");
}

TEST(WasteNote, NamesThePartsOfTheWasteOnly) {
  // 960 s + 2 s of 8 x $30/h stalled, 120 s of grace; an hour of good work is not waste.
  const policy::UsdPerHour rate{30'000'000'000};
  models::UseCharges uses{};
  uses[static_cast<std::size_t>(models::Use::productive)] = models::charge(rate, 8, 1h);
  uses[static_cast<std::size_t>(models::Use::stalled)] = models::charge(rate, 8, 962s);
  uses[static_cast<std::size_t>(models::Use::drain)] = models::charge(rate, 8, 120s);
  EXPECT_EQ(waste_note("gpu-alarm", uses), "wasted, gpu-alarm: stalled $64.13 + stop grace $8.00");
  EXPECT_EQ(waste_note("gpu-alarm", uses, "rest of the tick"),
            "wasted, gpu-alarm: stalled $64.13 + rest of the tick $8.00");
  EXPECT_EQ(waste_note("ideal", {}), "");
}

TEST(Expectations, ShowWhetherAllHeld) {
  EXPECT_EQ(expectations(9, 9), "✓ 9 of 9 expectations");
  EXPECT_EQ(expectations(7, 9), "✗ 7 of 9 expectations");
  EXPECT_EQ(expectations(1, 1), "✓ 1 of 1 expectation");
}

TEST(Sentence, SaysThatADifferenceIsNotSignificant) {
  Comparison comparison = weekend();
  comparison.saved = Usd::from_micros(24'000'000);
  comparison.interval = Usd::from_micros(30'000'000);
  comparison.sooner = 5min;
  comparison.sooner_interval = policy::Duration{9min};
  comparison.runs = 20;
  EXPECT_EQ(sentence(comparison),
            "alarm+resume costs $24.00 ± $30.00 less (not significant) and finishes 5m00s ± 9m00s "
            "sooner (not significant) than none, over 20 paired runs.");
  comparison.sooner_interval = policy::Duration{1min};
  comparison.interval = Usd::from_micros(3'000'000);
  EXPECT_EQ(
      sentence(comparison),
      "alarm+resume saves $24.00 ± $3.00 of $17,280.00 and finishes 5m00s ± 1m00s sooner than "
      "none, over 20 paired runs.");
  comparison.reserved = true;
  comparison.sooner = std::nullopt;
  comparison.recovered = models::Charge{7'200'000'000'000};
  comparison.recovered_interval = models::Charge{9'000'000'000'000};
  EXPECT_EQ(sentence(comparison),
            "alarm+resume recovers 2.00 ± 2.50 instance-hours of reserved capacity (not "
            "significant) against none, over 20 paired runs.");
}

/// The distances to the ends are apart where the samples are skewed; it is the end near 0 that says
/// whether a difference is shown.
TEST(SentencesTest, AnIntervalThatIsNotSymmetricHasItsEnds) {
  Comparison comparison = weekend();
  comparison.sooner.reset();
  comparison.runs = 20;
  comparison.saved = Usd::from_micros(100'000'000);
  comparison.spent = Usd::from_micros(500'000'000);
  comparison.interval = {Usd::from_micros(40'000'000), Usd::from_micros(150'000'000)};
  EXPECT_EQ(sentence(comparison),
            "alarm+resume saves $100.00 [$60.00, $250.00] of $500.00 against none, over 20 paired "
            "runs.");
  comparison.interval = {Usd::from_micros(150'000'000), Usd::from_micros(40'000'000)};
  EXPECT_EQ(sentence(comparison),
            "alarm+resume costs $100.00 [−$50.00, $140.00] less (not significant) than none, over "
            "20 paired runs.");
}

}  // namespace sentences_test
}  // namespace reeve::report
