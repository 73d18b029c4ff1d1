#include "experiments/fit/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "experiments/fit/normal_tail.hpp"

namespace reeve::experiments {
namespace {

struct Part {
  double mean = 0;
  double deviation = 1;
  double weight = 0.5;
};

struct LogLifetime {
  double at = 0;  ///< logarithm of seconds
  bool ended = true;
  double weight = 1;
};

/// What one lifetime adds to the sums of a part.
struct Sums {
  double weight = 0;
  double first = 0;   ///< of logarithms
  double second = 0;  ///< of their squares

  void add(const Part& part, const LogLifetime& life, double share) {
    weight += share;
    if (life.ended) {
      first += share * life.at;
      second += share * life.at * life.at;
      return;
    }
    // The moments of a normal variable above a bound.
    const double z = (life.at - part.mean) / part.deviation;
    const double hazard = std::exp(log_normal_density(z) - log_normal_survival(z));
    const double mean = part.mean + part.deviation * hazard;
    const double variance =
        part.deviation * part.deviation * std::max(1 + z * hazard - hazard * hazard, 0.0);
    first += share * mean;
    second += share * (variance + mean * mean);
  }

  Part part(double all) const {
    const double mean = first / weight;
    const double variance = second / weight - mean * mean;
    return {mean, std::max(std::sqrt(std::max(variance, 0.0)), least_deviation), weight / all};
  }
};

double log_part(const Part& part, const LogLifetime& life) {
  const double z = (life.at - part.mean) / part.deviation;
  const double one =
      life.ended ? log_normal_density(z) - std::log(part.deviation) : log_normal_survival(z);
  return std::log(part.weight) + one;
}

struct Mixture {
  Part first;
  Part second;
  double log_likelihood = -std::numeric_limits<double>::infinity();
};

Mixture improved(Mixture mixture, std::span<const LogLifetime> lifetimes) {
  constexpr int most_steps = 300;
  constexpr double least_weight = 1e-3;
  for (int step = 0; step < most_steps; ++step) {
    Sums first;
    Sums second;
    double log_likelihood = 0;
    double all = 0;
    for (const LogLifetime& life : lifetimes) {
      const double of_first = log_part(mixture.first, life);
      const double both = log_sum(of_first, log_part(mixture.second, life));
      log_likelihood += life.weight * both;
      const double share = std::exp(of_first - both);
      first.add(mixture.first, life, life.weight * share);
      second.add(mixture.second, life, life.weight * (1 - share));
      all += life.weight;
    }
    const double gain = log_likelihood - mixture.log_likelihood;
    mixture.log_likelihood = log_likelihood;
    if (gain < 1e-3) break;
    if (std::min(first.weight, second.weight) < least_weight * all) break;
    mixture.first = first.part(all);
    mixture.second = second.part(all);
  }
  return mixture;
}

/// A start: the parts below and above the quantile `share`.
Mixture split_at(double share, std::span<const LogLifetime> sorted) {
  const auto cut = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  const auto part_of = [](std::span<const LogLifetime> lives, double weight) {
    Sums sums;
    for (const LogLifetime& life : lives) {
      sums.weight += life.weight;
      sums.first += life.weight * life.at;
      sums.second += life.weight * life.at * life.at;
    }
    Part part = sums.part(1);
    part.weight = weight;
    return part;
  };
  if (cut == 0 || cut == sorted.size()) {
    const Part part = part_of(sorted, 0.5);
    return {part, part};
  }
  return {part_of(sorted.first(cut), share), part_of(sorted.subspan(cut), 1 - share)};
}

}  // namespace

std::array<double, 5> fit_mixture(std::span<const Lifetime> lifetimes) {
  std::vector<LogLifetime> sorted;
  for (const Lifetime& life : lifetimes) {
    sorted.push_back({std::log(life.at), life.ended, life.weight});
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const LogLifetime& a, const LogLifetime& b) { return a.at < b.at; });
  Mixture best;
  for (const double share : {0.2, 0.5, 0.8}) {
    const Mixture tried = improved(split_at(share, sorted), sorted);
    if (tried.log_likelihood > best.log_likelihood) best = tried;
  }
  Part first = best.first;
  Part second = best.second;
  if (second.mean < first.mean) std::swap(first, second);
  return {first.mean, second.mean, first.deviation, second.deviation, first.weight};
}

}  // namespace reeve::experiments
