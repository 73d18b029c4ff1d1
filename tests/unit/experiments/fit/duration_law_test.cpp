// Durations that are censored or truncated: the curve, the laws and the choice of the tail.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "experiments/fit/law.hpp"
#include "experiments/fit/survival.hpp"
#include "experiments/fit/tail.hpp"

namespace reeve::experiments {
namespace duration_law_test {

/// Remission times of 21 patients with 6-mercaptopurine (Freireich et al., Blood 21, 1963), the
/// example of most books: S(10) = 0.753, S(23) = 0.448, the median is 23.
TEST(SurvivalCurve, FreireichsPatientsHaveThePublishedCurve) {
  std::vector<Lifetime> lives;
  for (const double at : {6, 6, 6, 7, 10, 13, 16, 22, 23}) lives.push_back({.at = at});
  for (const double at : {6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35}) {
    lives.push_back({.at = at, .ended = false});
  }
  const SurvivalCurve curve{lives};
  EXPECT_NEAR(curve.at(6), 0.857, 0.0005);
  EXPECT_NEAR(curve.at(10), 0.753, 0.0005);
  EXPECT_NEAR(curve.at(23), 0.448, 0.0005);
  EXPECT_EQ(curve.quantile(0.5), 23);
  EXPECT_FALSE(curve.quantile(0.6)) << "too many are censored";
  const auto interval = curve.quantile_interval(0.5, 0.95, 1);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 13);
  EXPECT_TRUE(std::isinf(interval->high));
}

TEST(SurvivalCurve, WithoutCensoringItIsTheEmpiricalDistribution) {
  std::vector<Lifetime> lives;
  for (int i = 1; i <= 100; ++i) lives.push_back({.at = static_cast<double>(i)});
  const SurvivalCurve curve{lives};
  for (const int i : {1, 37, 99}) EXPECT_NEAR(curve.at(i), 1 - i / 100.0, 1e-12);
  EXPECT_EQ(curve.quantile(0.95), 95);
}

class DrawnLives {
 public:
  explicit DrawnLives(std::uint32_t entity) : random_{3, sim::Cause::scenario_fuzz, entity} {}

  double lognormal(double median, double sigma) {
    return median * std::exp(sigma * sim::normal_quantile(std::min(random_.next(), 1 - 1e-16)));
  }
  double uniform() { return random_.next(); }

 private:
  RandomNumbers random_;
};

/// Long jobs are the more probable to run when the window begins.
TEST(SurvivalCurve, LeftTruncationUndoesTheLengthBias) {
  DrawnLives draws{1};
  std::vector<Lifetime> lives;
  std::vector<Lifetime> naive;
  for (int i = 0; i < 40'000; ++i) {
    const double length = draws.lognormal(100, 1);
    const double age = 2'000 * draws.uniform();  // of the job when the window begins
    if (age >= length) continue;
    lives.push_back({.at = length, .entry = age});
    naive.push_back({.at = length});
  }
  EXPECT_NEAR(*SurvivalCurve{lives}.quantile(0.5), 100, 8);
  EXPECT_GT(*SurvivalCurve{naive}.quantile(0.5), 200);
}

TEST(ClusterDispersion, JobsThatEndAlikeCountOnce) {
  std::vector<Lifetime> single;
  std::vector<Lifetime> five_alike;
  DrawnLives draws{2};
  for (std::size_t i = 0; i < 400; ++i) {
    const double length = draws.lognormal(100, 1);
    single.push_back({.at = length, .cluster = i});
    for (int copy = 0; copy < 5; ++copy) five_alike.push_back({.at = length, .cluster = i});
  }
  EXPECT_NEAR(cluster_dispersion(single, 100), 1, 1e-9);
  EXPECT_NEAR(cluster_dispersion(five_alike, 100), 5, 1e-9);
}

std::vector<Lifetime> drawn_lognormals(std::size_t count, double limit, std::uint32_t entity) {
  DrawnLives draws{entity};
  std::vector<Lifetime> lives;
  for (std::size_t i = 0; i < count; ++i) {
    const double length = draws.lognormal(3'600, 1.8);
    const bool cut = limit > 0 && length > limit;
    lives.push_back({.at = cut ? limit : length, .ended = !cut, .limit = limit});
  }
  return lives;
}

TEST(Law, CensoredLikelihoodFindsWhatDroppingWouldBias) {
  const std::vector<Lifetime> lives = drawn_lognormals(5'000, 40'000, 3);  // 9 % are cut
  const DurationFit law = fit_law(LawKind::lognormal, lives);
  EXPECT_NEAR(law.parameters[0], std::log(3'600), 0.08);
  EXPECT_NEAR(law.parameters[1], 1.8, 0.06);
  std::vector<Lifetime> dropped;
  std::copy_if(lives.begin(), lives.end(), std::back_inserter(dropped),
               [](const Lifetime& life) { return life.ended; });
  EXPECT_LT(fit_law(LawKind::lognormal, dropped).parameters[0], std::log(3'600) - 0.15);
}

TEST(Law, CondensedLifetimesHaveTheSameLaw) {
  const std::vector<Lifetime> lives = drawn_lognormals(50'000, 40'000, 4);
  const std::vector<Lifetime> fewer = condensed(lives);
  EXPECT_LT(fewer.size(), 3'000u);
  for (const LawKind kind : {LawKind::lognormal, LawKind::weibull}) {
    const DurationFit all = fit_law(kind, lives);
    const DurationFit few = fit_law(kind, fewer);
    EXPECT_NEAR(few.quantile(0.5) / all.quantile(0.5), 1, 0.01);
    EXPECT_NEAR(few.quantile(0.99) / all.quantile(0.99), 1, 0.02);
  }
}

TEST(Law, QuantileAndSurvivalAgree) {
  const std::vector<Lifetime> lives = drawn_lognormals(500, 0, 5);
  for (const LawKind kind : {LawKind::lognormal, LawKind::weibull, LawKind::two_lognormals}) {
    const DurationFit law = fit_law(kind, lives);
    for (const double share : {0.01, 0.5, 0.999}) {
      EXPECT_NEAR(std::exp(law.log_survival(law.quantile(share))), 1 - share, 1e-9) << law.name();
    }
    RandomNumbers random{1, sim::Cause::scenario_fuzz, 6};
    const double threshold = law.quantile(0.9);
    double above = 0;
    for (int i = 0; i < 4'000; ++i) {
      const double length = law.draw_above(threshold, random);
      EXPECT_GE(length, threshold);
      above += length > law.quantile(0.95) ? 1 : 0;
    }
    EXPECT_NEAR(above / 4'000, 0.5, 0.03) << law.name();
  }
}

TEST(Tail, TheTrueLawIsChosenAndNotRefused) {
  int refused = 0;
  for (std::uint32_t entity = 100; entity < 120; ++entity) {
    const auto tail = fit_tail(drawn_lognormals(1'000, 40'000, entity), 1, entity);
    ASSERT_TRUE(tail);
    refused += tail->law ? 0 : 1;
  }
  EXPECT_LE(refused, 1);
}

/// All that are longer than 10,000 s have one of two lengths: no smooth law is like that.
TEST(Tail, SpikesRefuseAllLaws) {
  std::vector<Lifetime> lives = drawn_lognormals(2'000, 0, 7);
  for (Lifetime& life : lives) {
    if (life.at > 30'000) life.at = life.at > 80'000 ? 360'000 : 86'400;
  }
  const auto tail = fit_tail(lives, 1, 1);
  ASSERT_TRUE(tail);
  EXPECT_FALSE(tail->law);
  EXPECT_LT(tail->p_value.value(), refused_below);
}

TEST(Tail, BeginsWhereCensoringIsHeavy) {
  std::vector<Lifetime> lives;
  for (int i = 1; i <= 100; ++i) lives.push_back({.at = static_cast<double>(i)});
  EXPECT_EQ(tail_threshold(lives), 95);
  for (int i = 0; i < 40; ++i) lives.push_back({.at = 70.5, .ended = false});
  EXPECT_LT(tail_threshold(lives), 70.5);
}

}  // namespace duration_law_test
}  // namespace reeve::experiments
