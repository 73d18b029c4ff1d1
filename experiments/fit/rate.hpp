// Rates of events: their intervals, what other groups say of a group, and early failures.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "experiments/fit/interval.hpp"

namespace reeve::experiments {

/// What was seen: `events` within `exposure` hours (node-hours or attempt-hours).
struct RateEvidence {
  double events = 0;
  double exposure = 0;
  double dispersion = 1;  ///< variance over that of independent events (waves.hpp)
};

/// A rate per hour of exposure, as the Gamma distribution of what is known of it.
struct RateFit {
  double per_hour = 0;
  Interval interval{};            ///< of level `fit_level`
  std::optional<Interval> exact;  ///< Garwood's, beside it for fewer than five events
  double shape = 0;               ///< of the Gamma distribution
  double hours = 0;               ///< its rate
  double prior_weight = 0;        ///< share of `hours` that other evidence gives: 0 to 1
  double dispersion = 1;
};

/// Jeffreys' interval: Gamma(n + 1/2, T).  Without events the interval is one-sided, from 0 to
/// 3.0 / T, the 95 % bound.  `exposure` > 0.
RateFit fit_rate(const RateEvidence& evidence);

/// The same with what is known before: `events` within `hours`.
RateFit fit_rate(const RateEvidence& evidence, const RateEvidence& before);

/// The rates of groups, each drawn towards that of the others: Gamma-Poisson, by moments.  The
/// others weigh at most as much as was seen of them.
std::vector<RateFit> fit_rates(std::span<const RateEvidence> groups);

/// How long one attempt ran, and whether it ended with the event.
struct AttemptAge {
  double hours = 0;
  double weight = 1;  ///< nodes that can fail
  bool event = false;
};

/// Shape of a Weibull hazard: below 1 failures come early.
struct HazardShape {
  double shape = 1;
  Interval interval{};     ///< of level `fit_level`, by the profile likelihood
  double scale_hours = 0;  ///< of one node
};

/// Nothing with fewer than 20 events: a constant rate is all that can be said.
std::optional<HazardShape> fit_hazard(std::span<const AttemptAge> ages);

}  // namespace reeve::experiments
