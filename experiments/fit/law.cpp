#include "experiments/fit/law.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "experiments/fit/mixture.hpp"
#include "experiments/fit/normal_tail.hpp"
#include "experiments/fit/simplex.hpp"

namespace reeve::experiments {
namespace {

/// The density of log(length), so that the laws have comparable likelihoods.
double log_density(const DurationFit& law, double length) {
  const auto& p = law.parameters;
  const double log_length = std::log(length);
  switch (law.kind) {
    case LawKind::lognormal:
      return log_normal_density((log_length - p[0]) / p[1]) - std::log(p[1]);
    case LawKind::weibull: {
      const double power = p[0] * (log_length - std::log(p[1]));
      return std::log(p[0]) + power - std::exp(power);
    }
    case LawKind::two_lognormals:
      return log_sum(
          std::log(p[4]) + log_normal_density((log_length - p[0]) / p[2]) - std::log(p[2]),
          std::log1p(-p[4]) + log_normal_density((log_length - p[1]) / p[3]) - std::log(p[3]));
  }
  return 0;
}

double log_likelihood(const DurationFit& law, std::span<const Lifetime> lifetimes) {
  double sum = 0;
  for (const Lifetime& life : lifetimes) {
    double one = life.ended ? log_density(law, life.at) : law.log_survival(life.at);
    if (life.entry > 0) one -= law.log_survival(life.entry);
    sum += life.weight * one;
  }
  return sum;
}

struct Moments {
  double mean = 0;
  double deviation = 0;  ///< of logarithms, at least 0.001
};

Moments log_moments(std::span<const Lifetime> lifetimes) {
  double weight = 0;
  double sum = 0;
  for (const Lifetime& life : lifetimes) {
    weight += life.weight;
    sum += life.weight * std::log(life.at);
  }
  const double mean = sum / weight;
  double squares = 0;
  for (const Lifetime& life : lifetimes) {
    const double off = std::log(life.at) - mean;
    squares += life.weight * off * off;
  }
  return {mean, std::max(std::sqrt(squares / weight), 1e-3)};
}

bool is_whole(std::span<const Lifetime> lifetimes) {
  return std::all_of(lifetimes.begin(), lifetimes.end(),
                     [](const Lifetime& life) { return life.ended && life.entry == 0; });
}

/// A law from the numbers that the search varies: all of them unbounded.
DurationFit law_at(LawKind kind, const std::vector<double>& free) {
  DurationFit law{.kind = kind};
  switch (kind) {
    case LawKind::lognormal:
      law.parameters = {free[0], std::exp(free[1])};
      break;
    case LawKind::weibull:
      law.parameters = {std::exp(free[0]), std::exp(free[1])};
      break;
    case LawKind::two_lognormals:
      law.parameters = {free[0], free[1], std::max(std::exp(free[2]), least_deviation),
                        std::max(std::exp(free[3]), least_deviation), 1 / (1 + std::exp(-free[4]))};
      break;
  }
  return law;
}

DurationFit searched(LawKind kind, std::span<const Lifetime> lifetimes,
                     const std::vector<double>& start) {
  const auto loss = [&](const std::vector<double>& free) {
    return -log_likelihood(law_at(kind, free), lifetimes);
  };
  return law_at(kind, minimize(loss, start, 0.2));
}

DurationFit fit_two_lognormals(std::span<const Lifetime> lifetimes) {
  DurationFit law{.kind = LawKind::two_lognormals, .parameters = fit_mixture(lifetimes)};
  const bool truncated = std::any_of(lifetimes.begin(), lifetimes.end(),
                                     [](const Lifetime& life) { return life.entry > 0; });
  if (!truncated) return law;
  const auto& p = law.parameters;
  return searched(law.kind, lifetimes,
                  {p[0], p[1], std::log(p[2]), std::log(p[3]), std::log(p[4] / (1 - p[4]))});
}

double parameter_count(LawKind kind) {
  return kind == LawKind::two_lognormals ? 5 : 2;
}

/// Puts runs of equal count together; their common length has the mean logarithm.
void append_condensed(std::vector<Lifetime>& result, std::vector<Lifetime> lives,
                      std::size_t most) {
  std::sort(lives.begin(), lives.end(),
            [](const Lifetime& a, const Lifetime& b) { return a.at < b.at; });
  const std::size_t step = (lives.size() + most - 1) / most;
  for (std::size_t first = 0; first < lives.size(); first += std::max<std::size_t>(step, 1)) {
    const std::size_t last = std::min(first + step, lives.size());
    Lifetime life = lives[first];
    if (last - first > 1) {
      double sum = 0;
      for (std::size_t i = first; i < last; ++i) sum += std::log(lives[i].at);
      life.weight = static_cast<double>(last - first);
      life.at = std::exp(sum / life.weight);
    }
    result.push_back(life);
  }
}

}  // namespace

std::string DurationFit::name() const {
  switch (kind) {
    case LawKind::lognormal:
      return "lognormal";
    case LawKind::weibull:
      return "weibull";
    case LawKind::two_lognormals:
      return "two lognormals";
  }
  return {};
}

std::vector<std::pair<std::string, double>> DurationFit::named_parameters() const {
  const auto& p = parameters;
  switch (kind) {
    case LawKind::lognormal:
      return {{"law_median_s", std::exp(p[0])}, {"law_sigma", p[1]}};
    case LawKind::weibull:
      return {{"law_shape", p[0]}, {"law_scale_s", p[1]}};
    case LawKind::two_lognormals:
      return {{"law_median_1_s", std::exp(p[0])},
              {"law_sigma_1", p[2]},
              {"law_weight_1", p[4]},
              {"law_median_2_s", std::exp(p[1])},
              {"law_sigma_2", p[3]}};
  }
  return {};
}

double DurationFit::log_survival(double length) const {
  const auto& p = parameters;
  const double log_length = std::log(length);
  switch (kind) {
    case LawKind::lognormal:
      return log_normal_survival((log_length - p[0]) / p[1]);
    case LawKind::weibull:
      return -std::exp(p[0] * (log_length - std::log(p[1])));
    case LawKind::two_lognormals:
      return log_sum(std::log(p[4]) + log_normal_survival((log_length - p[0]) / p[2]),
                     std::log1p(-p[4]) + log_normal_survival((log_length - p[1]) / p[3]));
  }
  return 0;
}

double DurationFit::quantile(double share) const {
  double low = -50;  // logarithms of seconds
  double high = 50;
  const double wanted = std::log1p(-share);
  for (int halving = 0; halving < 80; ++halving) {
    const double middle = (low + high) / 2;
    (log_survival(std::exp(middle)) > wanted ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

double DurationFit::draw_above(double threshold, RandomNumbers& random) const {
  const auto& p = parameters;
  if (kind == LawKind::weibull) {
    const double hazard = -log_survival(threshold) - std::log(random.next());
    return p[1] * std::pow(hazard, 1 / p[0]);
  }
  double mean = p[0];
  double deviation = p[1];
  const double log_threshold = std::log(threshold);
  if (kind == LawKind::two_lognormals) {
    const double first = std::log(p[4]) + log_normal_survival((log_threshold - p[0]) / p[2]);
    const bool is_first = std::log(random.next()) < first - log_survival(threshold);
    mean = is_first ? p[0] : p[1];
    deviation = is_first ? p[2] : p[3];
  }
  return std::exp(mean +
                  deviation * normal_above((log_threshold - mean) / deviation, random.next()));
}

std::vector<Lifetime> condensed(std::span<const Lifetime> lifetimes) {
  if (lifetimes.size() <= most_lifetimes) return {lifetimes.begin(), lifetimes.end()};
  std::vector<Lifetime> result;
  std::vector<Lifetime> ended;
  std::vector<Lifetime> open;
  for (const Lifetime& life : lifetimes) {
    if (life.entry > 0 || life.weight != 1) {
      result.push_back(life);
    } else {
      (life.ended ? ended : open).push_back(life);
    }
  }
  append_condensed(result, std::move(ended), most_lifetimes);
  append_condensed(result, std::move(open), most_lifetimes / 4);
  return result;
}

LawErrors errors_of(const DurationFit& law, std::span<const Lifetime> lifetimes) {
  if (law.kind == LawKind::two_lognormals) throw std::invalid_argument{"no single scale"};
  constexpr double step = 1e-2;  // of the logarithms: far above the rounding of the likelihood
  const auto& p = law.parameters;
  const bool is_normal = law.kind == LawKind::lognormal;
  const double log_scale = is_normal ? p[0] : std::log(p[1]);
  const double log_shape = std::log(is_normal ? p[1] : p[0]);
  const auto loss = [&](double scale_steps, double shape_steps) {
    const double scale = log_scale + step * scale_steps;
    const double shape = log_shape + step * shape_steps;
    return -log_likelihood(
        law_at(law.kind, is_normal ? std::vector{scale, shape} : std::vector{shape, scale}),
        lifetimes);
  };
  const double here = loss(0, 0);
  const double of_scale = (loss(1, 0) - 2 * here + loss(-1, 0)) / (step * step);
  const double of_shape = (loss(0, 1) - 2 * here + loss(0, -1)) / (step * step);
  const double mixed = (loss(1, 1) - loss(1, -1) - loss(-1, 1) + loss(-1, -1)) / (4 * step * step);
  const double determinant = of_scale * of_shape - mixed * mixed;
  if (!(of_scale > 0 && of_shape > 0 && determinant > 0)) {  // a ridge: as if one job had ended
    return {is_normal ? p[1] : 1 / p[0], std::numbers::sqrt2 / 2, 0};
  }
  return {std::sqrt(of_shape / determinant), std::sqrt(of_scale / determinant),
          -mixed / std::sqrt(of_scale * of_shape)};
}

DurationFit fit_law(LawKind kind, std::span<const Lifetime> lifetimes) {
  const Moments moments = log_moments(lifetimes);
  DurationFit law;
  if (kind == LawKind::two_lognormals) {
    law = fit_two_lognormals(lifetimes);
  } else if (kind == LawKind::lognormal) {
    law = is_whole(lifetimes)
              ? DurationFit{.kind = kind, .parameters = {moments.mean, moments.deviation}}
              : searched(kind, lifetimes, {moments.mean, std::log(moments.deviation)});
  } else {
    const double shape = std::numbers::pi / std::sqrt(6.0) / moments.deviation;
    law = searched(kind, lifetimes, {std::log(shape), moments.mean + std::numbers::egamma / shape});
  }
  law.aic = 2 * parameter_count(kind) - 2 * log_likelihood(law, lifetimes);
  return law;
}

}  // namespace reeve::experiments
