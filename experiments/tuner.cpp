#include "experiments/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace reeve::experiments {
namespace {

double density(double z) {
  constexpr double inverse_root_of_two_pi = 0.3989422804014327;
  return inverse_root_of_two_pi * std::exp(-0.5 * z * z);
}

double probability_below(double z) {
  constexpr double inverse_root_of_two = 0.7071067811865476;
  return 0.5 * std::erfc(-z * inverse_root_of_two);
}

/// That the true value is at most 0.
double probability_of_keeping(const Belief& excess) {
  if (excess.deviation <= 0) return excess.mean <= 0 ? 1 : 0;
  return probability_below(-excess.mean / excess.deviation);
}

/// Of the least value so far by one more.
double expected_improvement(const Belief& loss, double least) {
  if (loss.deviation <= 0) return std::max(0.0, least - loss.mean);
  const double z = (least - loss.mean) / loss.deviation;
  return (least - loss.mean) * probability_below(z) + loss.deviation * density(z);
}

}  // namespace

Tuner::Tuner(std::vector<DesignPoint> candidates, std::size_t constraints)
    : candidates_{std::move(candidates)},
      constraints_{constraints},
      is_tried_(candidates_.size(), false) {}

std::vector<Surrogate> Tuner::surrogates() const {
  std::vector<Surrogate> models;
  for (std::size_t metric = 0; metric <= constraints_; ++metric) {
    std::vector<MeasuredPoint> seen;
    for (const Tried& each : tried_) {
      const Belief& of = metric == 0 ? each.measured.loss : each.measured.excess[metric - 1];
      seen.push_back({candidates_[each.candidate], of.mean, of.deviation * of.deviation});
    }
    models.emplace_back(std::move(seen));
  }
  return models;
}

/// `least`: the loss to improve; nothing: no candidate keeps the constraints yet.
double Tuner::merit(const DesignPoint& at, const std::vector<Surrogate>& models,
                    std::optional<double> least) const {
  double kept = 1;
  for (std::size_t constraint = 1; constraint < models.size(); ++constraint) {
    kept *= probability_of_keeping(models[constraint].at(at));
  }
  return least ? kept * expected_improvement(models[0].at(at), *least) : kept;
}

std::optional<std::size_t> Tuner::next() {
  const std::size_t first = 3 + 2 * (candidates_.empty() ? 0 : candidates_.front().size());
  std::optional<std::size_t> chosen;
  if (tried_.size() < first) {
    for (std::size_t at = 0; at < candidates_.size() && !chosen; ++at) {
      if (!is_tried_[at]) chosen = at;
    }
  } else {
    const auto models = surrogates();
    const auto incumbent = best_by(models);
    std::optional<double> least;
    if (incumbent) least = models[0].at(candidates_[*incumbent]).mean;
    double most = -1;
    for (std::size_t at = 0; at < candidates_.size(); ++at) {
      if (is_tried_[at]) continue;
      const double value = merit(candidates_[at], models, least);
      if (value > most) {
        most = value;
        chosen = at;
      }
    }
  }
  return chosen;
}

void Tuner::tell(std::size_t candidate, Measured measured) {
  is_tried_.at(candidate) = true;
  tried_.push_back({candidate, std::move(measured)});
}

std::optional<std::size_t> Tuner::best() const {
  return tried_.empty() ? std::nullopt : best_by(surrogates());
}

std::optional<std::size_t> Tuner::best_by(const std::vector<Surrogate>& models) const {
  std::optional<std::size_t> best;
  double least = 0;
  for (const Tried& each : tried_) {
    const DesignPoint& at = candidates_[each.candidate];
    bool keeps = true;
    for (std::size_t constraint = 1; constraint < models.size(); ++constraint) {
      const bool is_kept_so_far = each.measured.excess[constraint - 1].mean <= 0;
      keeps = keeps && is_kept_so_far && models[constraint].at(at).mean <= 0;
    }
    if (!keeps) continue;
    const double loss = models[0].at(at).mean;
    if (!best || loss < least) {
      best = each.candidate;
      least = loss;
    }
  }
  return best;
}

}  // namespace reeve::experiments
