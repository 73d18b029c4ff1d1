#include "experiments/fit/tail.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace reeve::experiments {
namespace {

constexpr std::size_t samples_of_test = 199;
constexpr std::size_t least_of_test = 10;
constexpr std::size_t most_of_test = 1'000;

/// The largest distance between the law above `threshold` and what the lifetimes show.  Sorted by
/// length; those of one length are one step.
double distance(const DurationFit& law, double threshold, std::span<const Lifetime> sorted) {
  const double above = law.log_survival(threshold);
  double at_risk = static_cast<double>(sorted.size());
  double survival = 1;
  double largest = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    double here = 0;
    double ended = 0;
    const double length = sorted[i].at;
    for (; i < sorted.size() && sorted[i].at == length; ++i) {
      here += 1;
      if (sorted[i].ended) ended += 1;
    }
    if (ended > 0) {
      const double expected = std::exp(law.log_survival(length) - above);
      largest = std::max(largest, std::abs(survival - expected));
      survival *= 1 - ended / at_risk;
      largest = std::max(largest, std::abs(survival - expected));
    }
    at_risk -= here;
  }
  return largest;
}

void sort_by_length(std::vector<Lifetime>& lifetimes) {
  std::sort(lifetimes.begin(), lifetimes.end(),
            [](const Lifetime& a, const Lifetime& b) { return a.at < b.at; });
}

/// The jobs above the threshold; of very many every n-th one.
std::vector<Lifetime> above(double threshold, std::span<const Lifetime> lifetimes) {
  std::vector<Lifetime> tail;
  for (const Lifetime& life : lifetimes) {
    if (life.at > threshold && life.entry <= threshold) tail.push_back(life);
  }
  sort_by_length(tail);
  if (tail.size() <= most_of_test) return tail;
  const std::size_t step = (tail.size() + most_of_test - 1) / most_of_test;
  std::vector<Lifetime> thinned;
  for (std::size_t i = step / 2; i < tail.size(); i += step) thinned.push_back(tail[i]);
  return thinned;
}

double test(const DurationFit& law, double threshold, std::span<const Lifetime> tail,
            RandomNumbers& random) {
  const double seen = distance(law, threshold, tail);
  std::size_t larger = 0;
  std::vector<Lifetime> drawn;
  for (std::size_t sample = 0; sample < samples_of_test; ++sample) {
    drawn.clear();
    for (const Lifetime& life : tail) {
      const double length = law.draw_above(threshold, random);
      const double limit = !life.ended ? life.at : life.limit;
      const bool cut = limit > threshold && length > limit;
      drawn.push_back({.at = cut ? limit : length, .ended = !cut});
    }
    sort_by_length(drawn);
    if (distance(law, threshold, drawn) >= seen) ++larger;
  }
  return static_cast<double>(larger + 1) / static_cast<double>(samples_of_test + 1);
}

}  // namespace

double tail_threshold(std::span<const Lifetime> lifetimes) {
  constexpr double much_censored = 0.2;
  std::vector<double> ended;
  std::vector<double> all;
  for (const Lifetime& life : lifetimes) {
    all.push_back(life.at);
    if (life.ended) ended.push_back(life.at);
  }
  if (ended.empty()) return 0;
  std::sort(ended.begin(), ended.end());
  std::sort(all.begin(), all.end());
  const auto longer = [](const std::vector<double>& lengths, double than) {
    return static_cast<double>(lengths.end() -
                               std::upper_bound(lengths.begin(), lengths.end(), than));
  };
  double threshold = 0;
  for (int percent = 50; percent <= 95; percent += 5) {
    threshold = ended[static_cast<std::size_t>(percent) * (ended.size() - 1) / 100];
    const double left = longer(all, threshold);
    if (left > 0 && (left - longer(ended, threshold)) > much_censored * left) break;
  }
  return threshold;
}

std::optional<DurationTail> fit_tail(std::span<const Lifetime> lifetimes, std::uint64_t seed,
                                     std::uint32_t group) {
  constexpr std::size_t least_of_mixture = 30;
  const auto ended = std::count_if(lifetimes.begin(), lifetimes.end(),
                                   [](const Lifetime& life) { return life.ended; });
  if (ended == 0) return std::nullopt;
  const std::vector<Lifetime> fewer = condensed(lifetimes);
  std::vector<DurationFit> laws{fit_law(LawKind::lognormal, fewer),
                                fit_law(LawKind::weibull, fewer)};
  if (static_cast<std::size_t>(ended) >= least_of_mixture) {
    laws.push_back(fit_law(LawKind::two_lognormals, fewer));
  }
  std::stable_sort(laws.begin(), laws.end(),
                   [](const DurationFit& a, const DurationFit& b) { return a.aic < b.aic; });
  DurationTail result{.threshold_s = tail_threshold(lifetimes), .best = laws.front()};
  const std::vector<Lifetime> tail = above(result.threshold_s, lifetimes);
  if (tail.size() < least_of_test) {
    result.law = laws.front();
    return result;
  }
  RandomNumbers random{seed, sim::Cause::fit_tail, group};
  for (const DurationFit& law : laws) {
    const double p_value = test(law, result.threshold_s, tail, random);
    if (!result.p_value) result.p_value = p_value;
    if (p_value < refused_below) continue;
    result.law = law;
    result.p_value = p_value;
    break;
  }
  return result;
}

}  // namespace reeve::experiments
