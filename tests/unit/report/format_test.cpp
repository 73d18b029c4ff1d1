#include "report/format.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

namespace reeve::report {
namespace format_test {

using namespace std::chrono_literals;
using policy::Duration;
using policy::Instant;
using policy::Usd;

std::string usd_cell(std::int64_t micros) {
  std::string out;
  append_usd(out, Usd::from_micros(micros));
  return out;
}

std::string seconds_cell(Duration length) {
  std::string out;
  append_seconds(out, length);
  return out;
}

std::string percent_cell(models::Charge part, models::Charge whole) {
  std::string out;
  append_percent(out, part, whole);
  return out;
}

TEST(Money, HasThousandsSeparatorsAndCents) {
  EXPECT_EQ(money(Usd::from_micros(17'280'000'000)), "$17,280.00");
  EXPECT_EQ(money(Usd::from_micros(312'133'333)), "$312.13");
  EXPECT_EQ(money(Usd::from_micros(-12'000'000)), "\u2212$12.00");
  EXPECT_EQ(money(Usd::from_micros(1'234'567'890'000'000)), "$1,234,567,890.00");
  EXPECT_EQ(money(Usd{}), "$0.00");
}

TEST(Money, RoundsHalfACentToEvenAndNeverPrintsMinusZero) {
  EXPECT_EQ(money(Usd::from_micros(5'000)), "$0.00");
  EXPECT_EQ(money(Usd::from_micros(5'001)), "$0.01");
  EXPECT_EQ(money(Usd::from_micros(15'000)), "$0.02");
  EXPECT_EQ(money(Usd::from_micros(25'000)), "$0.02");
  EXPECT_EQ(money(Usd::from_micros(-5'000)), "$0.00");
  EXPECT_EQ(money(Usd::from_micros(-15'000)), "\u2212$0.02");
  EXPECT_EQ(money(Usd::from_micros(999'995'000)), "$1,000.00");
}

TEST(Money, HoldsTheWholeRange) {
  EXPECT_EQ(usd_cell(std::numeric_limits<std::int64_t>::min()), "-9223372036854.775808");
  EXPECT_EQ(usd_cell(std::numeric_limits<std::int64_t>::max()), "9223372036854.775807");
  EXPECT_EQ(money(Usd::from_micros(std::numeric_limits<std::int64_t>::min())),
            "\u2212$9,223,372,036,854.78");
}

TEST(Money, ChangesCarryTheirSign) {
  EXPECT_EQ(money_change(Usd::from_micros(20'000'000)), "+$20.00");
  EXPECT_EQ(money_change(Usd::from_micros(-16'967'866'667)), "\u2212$16,967.87");
  EXPECT_EQ(money_change(Usd{}), "$0.00");
}

TEST(Money, CellsAreExact) {
  EXPECT_EQ(usd_cell(17'280'000'000), "17280.000000");
  EXPECT_EQ(usd_cell(-1), "-0.000001");
  EXPECT_EQ(usd_cell(0), "0.000000");
}

TEST(Price, KeepsEveryDigit) {
  EXPECT_EQ(price({30'000'000'000}), "$30.00/h");
  EXPECT_EQ(price({32'772'600'000}), "$32.7726/h");
  EXPECT_EQ(price({1'000'000'001}), "$1.000000001/h");
}

TEST(Durations, ReadAsInTheProductDrawing) {
  EXPECT_EQ(duration(143h + 5min), "143h05m00s");
  EXPECT_EQ(duration(16min), "16m00s");
  EXPECT_EQ(duration(72h + 23min + 2s), "72h23m02s");
  EXPECT_EQ(duration(0s), "0s");
  EXPECT_EQ(duration(1500ms), "1.5s");
  EXPECT_EQ(duration(61s + 1ns), "1m01.000000001s");
  EXPECT_EQ(duration(1h), "1h00m00s");
  EXPECT_EQ(duration(-16min), "\u221216m00s");
  EXPECT_EQ(duration(Duration::min()), "\u22122562047h47m16.854775808s");
}

TEST(Durations, AreShortWhereTheyAreRound) {
  EXPECT_EQ(short_duration(72h), "72 h");
  EXPECT_EQ(short_duration(30min), "30 min");
  EXPECT_EQ(short_duration(5h + 45min), "5h45m");
  EXPECT_EQ(short_duration(0s), "0");
  EXPECT_EQ(short_duration(90s), "1m30s");
}

TEST(Durations, AreExactSecondsInCells) {
  EXPECT_EQ(seconds_cell(4682s), "4682");
  EXPECT_EQ(seconds_cell(500ms), "0.5");
  EXPECT_EQ(seconds_cell(4682s + 1ns), "4682.000000001");
  EXPECT_EQ(seconds_cell(0s), "0");
  EXPECT_EQ(seconds_cell(-500ms), "-0.5");
  EXPECT_EQ(seconds_cell(10s + 10ms), "10.01");
}

TEST(Instants, AreIso8601Utc) {
  const Instant weekend = std::chrono::sys_days{std::chrono::year{2026} / 5 / 22} + 22h;
  EXPECT_EQ(instant(weekend), "2026-05-22T22:00:00Z");
  EXPECT_EQ(instant(weekend + 500ms), "2026-05-22T22:00:00.5Z");
  EXPECT_EQ(instant(Instant{} - 1ns), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(instant(policy::never), "\u2013");
  std::string cell;
  append_instant(cell, policy::never);
  EXPECT_EQ(cell, "");
}

TEST(Percents, RoundOnceHalfToEven) {
  EXPECT_EQ(percent(40, 100), "40.0 %");
  EXPECT_EQ(percent(1, 3), "33.3 %");
  EXPECT_EQ(percent(1, 800, 1), "0.1 %");
  EXPECT_EQ(percent(5, 1000, 0), "0 %");
  EXPECT_EQ(percent(15, 1000, 0), "2 %");
  EXPECT_EQ(percent(1, 0), "\u2013");
  EXPECT_EQ(percent_cell(85, 175), "48.571429");
  EXPECT_EQ(percent_cell(8, 8), "100");
  EXPECT_EQ(percent_cell(1, 0), "");
  // A million instances for a century.
  const models::Charge much = models::Charge{1'000'000} * 3'155'760'000 * 1'000'000'000;
  EXPECT_EQ(percent_cell(much / 4, much), "25");
}

TEST(Counts, HaveSeparators) {
  EXPECT_EQ(count(0), "0");
  EXPECT_EQ(count(999), "999");
  EXPECT_EQ(count(1'234'567), "1,234,567");
}

TEST(Doubles, ReadBackAsTheSame) {
  for (const double number : {0.1, 1.0 / 3.0, 6.02214076e23, -0.0, 5e-324, 800.0}) {
    std::string text;
    append_double(text, number);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), number) << text;
  }
  std::string text;
  append_double(text, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(text, "");
}

}  // namespace format_test
}  // namespace reeve::report
