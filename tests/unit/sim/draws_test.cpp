#include "sim/draws.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace reeve::sim {
namespace draws_test {

using namespace std::chrono_literals;

constexpr int draws = 100'000;

double nth_uniform(int nth) {
  return uniform({2024, 3, Cause::scenario_fuzz, 17, static_cast<std::uint32_t>(nth)});
}

double mean_of(const std::function<double(double)>& variate) {
  double sum = 0;
  for (int nth = 0; nth < draws; ++nth) sum += variate(nth_uniform(nth));
  return sum / draws;
}

// The 99.9 % point of chi-square with 99 degrees of freedom is 148.2; these draws never change.
void expect_flat(const std::function<double(int)>& draw, const char* along) {
  std::array<int, 100> cells{};
  for (int i = 0; i < draws; ++i) {
    const double u = draw(i);
    ASSERT_GT(u, 0.0);
    ASSERT_LE(u, 1.0);
    ++cells[static_cast<std::size_t>(std::ceil(u * 100)) - 1];
  }
  double chi_square = 0;
  for (const int count : cells) chi_square += (count - 1000.0) * (count - 1000.0) / 1000.0;
  EXPECT_LT(chi_square, 148.2) << along;
  EXPECT_GT(chi_square, 58.0) << along << ": flatter than chance";
}

TEST(Uniform, IsFlatAlongEveryPartOfTheAddress) {
  const auto number = [](int i) { return static_cast<std::uint32_t>(i); };
  expect_flat([&](int i) { return uniform({1, 2, Cause::work, 3, number(i)}); }, "nth");
  expect_flat([&](int i) { return uniform({1, 2, Cause::work, number(i), 0}); }, "entity");
  expect_flat([&](int i) { return uniform({1, number(i), Cause::work, 3, 0}); }, "replication");
  expect_flat([&](int i) { return uniform({number(i), 2, Cause::work, 3, 0}); }, "seed");
}

TEST(Uniform, DependsOnEveryPartOfTheAddress) {
  const Address base{1, 2, Cause::work, 3, 4};
  const std::vector<Address> others{
      {2, 2, Cause::work, 3, 4}, {1 + (1ull << 32), 2, Cause::work, 3, 4},
      {1, 3, Cause::work, 3, 4}, {1, 2, Cause::stall, 3, 4},
      {1, 2, Cause::work, 4, 4}, {1, 2, Cause::work, 3, 5}};
  for (const Address& other : others) EXPECT_NE(uniform(base), uniform(other));
}

// Recorded results hang on these numbers: they may never change.
TEST(Uniform, IsFixedForever) {
  static_assert(static_cast<std::uint32_t>(Cause::scenario_fuzz) == 16);
  EXPECT_EQ(random_bits({0, 0, Cause::arrival, 0, 0}), 0x6627e8d5e169c58d);
  EXPECT_EQ(random_bits({0x299f31d0a4093822, 0x03707344, static_cast<Cause>(0x13198a2e), 0x85a308d3,
                         0x243f6a88}),
            0xd16cfe0994fdcceb);
}

// The luck of job 7 is the same whether or not another policy made job 6 draw more often.
TEST(Uniform, OfOneEntityIsUntouchedByDrawsOfAnother) {
  const auto failures_of_7 = [](std::uint32_t retries_of_6) {
    std::vector<double> luck;
    for (std::uint32_t attempt = 0; attempt < 5; ++attempt) {
      double others = 0;
      for (std::uint32_t i = 0; i < retries_of_6; ++i) {
        others += uniform({42, 0, Cause::failure, 6, attempt * retries_of_6 + i});
      }
      luck.push_back(uniform({42, 0, Cause::failure, 7, attempt}) + 0.0 * others);
    }
    return luck;
  };
  EXPECT_EQ(failures_of_7(0), failures_of_7(9));
}

TEST(Variates, HaveTheirTextbookMeans) {
  EXPECT_NEAR(mean_of([](double u) { return exponential(5.0, u); }), 5.0, 0.05);
  EXPECT_NEAR(mean_of([](double u) { return lognormal(2.0, 0.5, u); }), 2.0 * std::exp(0.125),
              0.02);
  EXPECT_NEAR(mean_of([](double u) { return weibull(0.7, 3.0, u); }),
              3.0 * std::tgamma(1 + 1 / 0.7), 0.06);
  EXPECT_NEAR(mean_of([](double u) { return pareto(3.0, 2.0, u); }), 3.0, 0.03);
  EXPECT_NEAR(mean_of([](double u) { return uniform_between(-1.0, 3.0, u); }), 1.0, 0.015);
}

TEST(Variates, HitTheirQuantiles) {
  EXPECT_DOUBLE_EQ(exponential(2.0, 0.5), 2.0 * std::log(2.0));
  EXPECT_DOUBLE_EQ(lognormal(7.0, 1.5, 0.5), 7.0);
  EXPECT_NEAR(weibull(2.0, 3.0, 1 - std::exp(-1.0)), 3.0, 1e-12);
  EXPECT_NEAR(pareto(1.1, 2.0, 0.9), 2.0 * std::pow(0.1, -1 / 1.1), 1e-10);
  EXPECT_EQ(uniform_between(1.0, 2.0, 1.0), 2.0);
}

TEST(Variates, NeverFallAsTheUniformGrows) {
  const std::vector<std::pair<int, double>> choices{{0, 1}, {1, 0}, {2, 2}};
  const std::vector<std::function<double(double)>> variates{
      [](double u) { return exponential(1.0, u); },
      [](double u) { return lognormal(1.0, 2.0, u); },
      [](double u) { return weibull(0.5, 1.0, u); },
      [](double u) { return pareto(1.1, 1.0, u); },
      [](double u) { return uniform_between(-5.0, 5.0, u); },
      [&](double u) { return static_cast<double>(discrete(choices, u)); },
      [](double u) { return static_cast<double>(exponential(3h, u).count()); }};
  std::vector<double> grid{0x1p-53, 0x1p-52, 1e-12, 1e-6};
  for (int i = 1; i < 2000; ++i) grid.push_back(i / 2000.0);
  for (const double step : {1e-6, 1e-12, 0x1p-52, 0x1p-53, 0.0}) grid.push_back(1.0 - step);
  for (std::size_t which = 0; which < variates.size(); ++which) {
    for (std::size_t i = 1; i < grid.size(); ++i) {
      EXPECT_LE(variates[which](grid[i - 1]), variates[which](grid[i])) << which << " " << grid[i];
    }
    EXPECT_TRUE(std::isfinite(variates[which](1.0))) << which;
    EXPECT_LT(variates[which](grid.front()), variates[which](1.0)) << which;
  }
}

TEST(Variates, InTimeAreRoundedAndSaturate) {
  EXPECT_EQ(exponential(Duration{1'000'000'000}, 0.5), Duration{693'147'181});
  EXPECT_EQ(uniform_between(0ns, 3ns, 0.5), 2ns);
  EXPECT_EQ(pareto(0.01, 1h, 1.0), Duration::max());
  EXPECT_EQ(lognormal(Duration::max(), 1.0, 0.9), Duration::max());
  EXPECT_EQ(exponential(Duration::zero(), 1.0), Duration::zero());
  EXPECT_EQ(nearest(-1e300), Duration::min());
  EXPECT_EQ(nearest(-2.4), Duration{-2});
}

TEST(Variates, RefuseParametersOutOfRange) {
  EXPECT_THROW(exponential(-1.0, 0.5), std::invalid_argument);
  EXPECT_THROW(exponential(1.0, 0.0), std::invalid_argument);
  EXPECT_THROW(exponential(1.0, 1.5), std::invalid_argument);
  EXPECT_THROW(weibull(0.0, 1.0, 0.5), std::invalid_argument);
  EXPECT_THROW(pareto(-1.0, 1.0, 0.5), std::invalid_argument);
  EXPECT_THROW(lognormal(1.0, -1.0, 0.5), std::invalid_argument);
  EXPECT_THROW(uniform_between(2.0, 1.0, 0.5), std::invalid_argument);
  EXPECT_THROW(discrete<int>({}, 0.5), std::invalid_argument);
  EXPECT_THROW(discrete<int>({{1, 0.0}}, 0.5), std::invalid_argument);
  EXPECT_THROW(nearest(std::nan("")), std::invalid_argument);
  EXPECT_THROW(normal_quantile(1.0), std::invalid_argument);
}

TEST(Discrete, ChoosesInProportionAndNeverWeightZero) {
  const std::vector<std::pair<std::size_t, double>> choices{{0, 0}, {1, 1}, {2, 0}, {3, 3}, {4, 0}};
  std::array<int, 5> chosen{};
  for (int nth = 0; nth < draws; ++nth) ++chosen[discrete(choices, nth_uniform(nth))];
  EXPECT_EQ(chosen[0] + chosen[2] + chosen[4], 0);
  EXPECT_NEAR(chosen[1], draws / 4, 600);
  EXPECT_EQ(discrete(choices, 0x1p-53), 1u);
  EXPECT_EQ(discrete(choices, 1.0), 3u);
}

// The distribution function at the quantile gives the probability back, far into both tails.
TEST(NormalQuantile, InvertsTheDistributionFunction) {
  for (const double p : {0x1p-53, 1e-12, 1e-5, 0.01, 0.075, 0.2, 0.5, 0.8, 0.925, 0.99}) {
    const double back = 0.5 * std::erfc(-normal_quantile(p) / std::sqrt(2.0));
    EXPECT_NEAR(back / p, 1.0, 1e-13) << p;
  }
  EXPECT_EQ(normal_quantile(0.25), -normal_quantile(0.75));
  EXPECT_NEAR(normal_quantile(0.975), 1.9599639845400545, 1e-15);
}

}  // namespace draws_test
}  // namespace reeve::sim
