// Money: rounding half to even, shares that sum to the whole, and a bill that adds up.
#include "models/ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "sim/draws.hpp"

namespace reeve::models {
namespace ledger_test {

using policy::Usd;
using namespace std::chrono_literals;

/// One micro-dollar, in nano-dollars per hour x nanoseconds.
constexpr Charge micro = Charge{3'600'000'000'000} * 1'000;

/// Deterministic numbers of any size up to 2^bits, of both signs.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : seed_{seed} {}
  Charge up_to(unsigned bits) {
    const Charge high = next();
    const Charge magnitude = (high << 64 | Charge{next()}) & ((Charge{1} << bits) - 1);
    return next() % 2 == 0 ? magnitude : -magnitude;
  }
  std::uint64_t next() { return sim::random_bits({seed_, 0, sim::Cause::scenario_fuzz, 0, ++n_}); }

 private:
  std::uint64_t seed_;
  std::uint32_t n_ = 0;
};

/// By long division, digit by digit, as on paper; an exact half goes to the even neighbour.
Usd rounded_on_paper(Charge amount) {
  const bool negative = amount < 0;
  Charge rest = negative ? -amount : amount;
  std::string digits;
  const Charge whole = rest / micro;
  rest %= micro;
  for (int place = 0; place < 40; ++place) {
    rest *= 10;
    digits += static_cast<char>('0' + static_cast<int>(rest / micro));
    rest %= micro;
  }
  const bool exact = rest == 0;
  const std::string half = "5" + std::string(39, '0');
  const bool up = digits > half || (digits == half && (!exact || whole % 2 == 1));
  const auto micros = static_cast<std::int64_t>(whole + (up ? 1 : 0));
  return Usd::from_micros(negative ? -micros : micros);
}

TEST(ToUsd, RoundsHalvesToEvenInBothDirections) {
  EXPECT_EQ(to_usd(micro / 2), Usd::from_micros(0));
  EXPECT_EQ(to_usd(micro / 2 + 1), Usd::from_micros(1));
  EXPECT_EQ(to_usd(micro + micro / 2), Usd::from_micros(2));
  EXPECT_EQ(to_usd(2 * micro + micro / 2), Usd::from_micros(2));
  EXPECT_EQ(to_usd(-micro / 2), Usd::from_micros(0));
  EXPECT_EQ(to_usd(-(micro + micro / 2)), Usd::from_micros(-2));
  EXPECT_EQ(to_usd(-(micro / 2 + 1)), Usd::from_micros(-1));
}

TEST(ToUsd, AgreesWithLongDivisionOnPaper) {
  Numbers numbers{1};
  for (int round = 0; round < 20'000; ++round) {
    Charge amount = numbers.up_to(40 + static_cast<unsigned>(round % 60));
    if (round % 3 == 0) amount = amount / micro * micro + micro / 2;  // ties
    ASSERT_EQ(to_usd(amount), rounded_on_paper(amount)) << "round " << round;
  }
}

TEST(ToUsd, PriceTimesTimeIsWhatTheInvoiceSays) {
  // $30/h, 8 machines, 72 h: $17,280; and one second of one machine at $36/h: one cent.
  EXPECT_EQ(to_usd(charge({30'000'000'000}, 8, 72h)), Usd::from_micros(17'280'000'000));
  EXPECT_EQ(to_usd(charge({36'000'000'000}, 1, 1s)), Usd::from_micros(10'000));
  EXPECT_EQ(to_usd(charge({63'296'000'000}, 100'000, 24h * 365)),
            Usd::from_micros(std::int64_t{63'296'000} * 365 * 24 * 100'000));
}

TEST(Apportion, RoundedPartsSumToTheRoundedWhole) {
  Numbers numbers{2};
  for (int round = 0; round < 5'000; ++round) {
    UseCharges parts;
    for (Charge& part : parts) part = numbers.up_to(20 + static_cast<unsigned>(round % 75));
    const auto rounded = apportion(parts);
    Usd sum;
    for (const Usd part : rounded) sum += part;
    ASSERT_EQ(sum, to_usd(std::accumulate(parts.begin(), parts.end(), Charge{0})));
    for (std::size_t use = 0; use < use_count; ++use) {
      const Charge off = Charge{rounded[use].micros()} * micro - parts[use];
      ASSERT_TRUE(off <= micro && -off <= micro) << "a part is off by more than a micro-dollar";
    }
  }
}

TEST(Apportion, PartsThatAreNotNegativeStaySo) {
  Numbers numbers{3};
  for (int round = 0; round < 2'000; ++round) {
    UseCharges parts;
    for (Charge& part : parts) {
      part = numbers.up_to(52);
      if (part < 0) part = -part;
    }
    for (const Usd part : apportion(parts)) ASSERT_GE(part, Usd{});
  }
}

TEST(Ledger, ResidualIsWhatTheUsesDoNotExplain) {
  Ledger ledger;
  ledger.bill(charge({1}, 1, 10ns));
  ledger.attribute(Use::productive, 7, true);
  EXPECT_TRUE(ledger.residual() == 3);
  ledger.attribute(Use::stalled, 3, false);
  EXPECT_TRUE(ledger.residual() == 0);
  EXPECT_TRUE(ledger.first_attempt_uses()[static_cast<std::size_t>(Use::productive)] == 7);
  EXPECT_TRUE(ledger.first_attempt_uses()[static_cast<std::size_t>(Use::stalled)] == 0);
}

TEST(Use, WasteIsWhatBoughtNothing) {
  EXPECT_FALSE(is_waste(Use::productive));
  EXPECT_FALSE(is_waste(Use::startup));
  EXPECT_FALSE(is_waste(Use::checkpoint));
  for (const Use use : {Use::stalled, Use::lost_work, Use::drain, Use::orphan, Use::idle_reserved,
                        Use::false_stop}) {
    EXPECT_TRUE(is_waste(use)) << name(use);
  }
  EXPECT_EQ(name(Use::lost_work), "lost_work");
  EXPECT_EQ(name(Use::false_stop), "false_stop");
}

}  // namespace ledger_test
}  // namespace reeve::models
