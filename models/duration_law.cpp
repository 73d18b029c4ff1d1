#include "models/duration_law.hpp"

#include <algorithm>
#include <cmath>

#include "sim/draws.hpp"

namespace reeve::models {
namespace {

using policy::Duration;

double as_number(Duration duration) {
  return static_cast<double>(duration.count());
}

double normal_below(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

// The means of min(X, high), high > 0.

double exponential_mean(double scale, double high) {
  return scale * (1 - std::exp(-high / scale));
}

double lognormal_mean(double median, double sigma, double high) {
  if (sigma <= 0) return std::min(median, high);
  const double z = std::log(high / median) / sigma;
  return median * std::exp(sigma * sigma / 2) * normal_below(z - sigma) +
         high * (1 - normal_below(z));
}

double pareto_mean(double scale, double shape, double high) {
  if (high <= scale) return high;
  if (std::abs(shape - 1) < 1e-9) return scale * (1 + std::log(high / scale));
  return scale * (1 + (std::pow(high / scale, 1 - shape) - 1) / (1 - shape));
}

/// No closed form with elementary functions if the cut matters: then the mean of many quantiles.
double weibull_mean(double scale, double shape, double high) {
  if (std::pow(high / scale, shape) > 40) return scale * std::tgamma(1 + 1 / shape);
  constexpr int parts = 1 << 14;
  double sum = 0;
  for (int part = 0; part < parts; ++part) {
    const double survival = (part + 0.5) / parts;
    sum += std::min(scale * std::pow(-std::log(survival), 1 / shape), high);
  }
  return sum / parts;
}

}  // namespace

Duration draw(const DurationLaw& law, double uniform) {
  Duration value = law.scale;
  switch (law.shape) {
    case Shape::fixed:
      return value;
    case Shape::uniform:
      return sim::uniform_between(law.scale, law.high, uniform);
    case Shape::exponential:
      value = sim::exponential(law.scale, uniform);
      break;
    case Shape::lognormal:
      value = sim::lognormal(law.scale, law.parameter, uniform);
      break;
    case Shape::weibull:
      value = sim::weibull(law.parameter, law.scale, uniform);
      break;
    case Shape::pareto:
      value = sim::pareto(law.parameter, law.scale, uniform);
      break;
  }
  return law.high.count() > 0 ? std::min(value, law.high) : value;
}

Duration draw_above(const DurationLaw& law, Duration floor, double uniform) {
  if (floor <= Duration{0}) return draw(law, uniform);
  const double scale = as_number(law.scale);
  const double from = as_number(floor);
  const double longer = std::max(1 - uniform, 0x1p-54);  // the share that exceeds the value
  double above = from;
  switch (law.shape) {
    case Shape::fixed:
      above = scale;
      break;
    case Shape::uniform: {
      const Duration high = std::max(law.high, floor);
      return sim::uniform_between(std::clamp(law.scale, floor, high), high, uniform);
    }
    case Shape::exponential:
      above = from - scale * std::log(longer);
      break;
    case Shape::lognormal: {
      if (law.parameter <= 0) return std::max(floor, law.scale);
      const double share = longer * normal_below(-std::log(from / scale) / law.parameter);
      if (share > 0 && share < 1) {
        above = scale * std::exp(-law.parameter * sim::normal_quantile(share));
      }
      break;
    }
    case Shape::weibull: {
      const double hazard = std::pow(from / scale, law.parameter) - std::log(longer);
      above = scale * std::pow(hazard, 1 / law.parameter);
      break;
    }
    case Shape::pareto:
      above = std::max(from, scale) * std::pow(longer, -1 / law.parameter);
      break;
  }
  const Duration value = sim::nearest(above);
  return std::max(floor, law.high > Duration{0} ? std::min(value, law.high) : value);
}

DurationLaw drawn_law(const FittedLaw& fitted, double first, double second) {
  const auto normal = [](double uniform) {
    constexpr double least = 1e-12;  // its quantile is finite
    return sim::normal_quantile(std::clamp(uniform, least, 1 - least));
  };
  const double scale_off = normal(first);
  const double own = std::sqrt(std::max(0.0, 1 - fitted.correlation * fitted.correlation));
  const double shape_off = fitted.correlation * scale_off + own * normal(second);
  DurationLaw law = fitted.law;
  law.scale = std::max(
      Duration{1}, sim::nearest(as_number(law.scale) * std::exp(fitted.scale_error * scale_off)));
  law.parameter *= std::exp(fitted.shape_error * shape_off);
  return law;
}

double share_below(const DurationLaw& law, Duration limit) {
  if (limit <= Duration{0}) return 0;
  const double of_scale = as_number(limit) / as_number(law.scale);
  switch (law.shape) {
    case Shape::fixed:
      return law.scale < limit ? 1 : 0;
    case Shape::uniform:
      return std::clamp(as_number(limit - law.scale) / as_number(law.high - law.scale), 0.0, 1.0);
    case Shape::exponential:
      return -std::expm1(-of_scale);
    case Shape::lognormal:
      return normal_below(std::log(of_scale) / law.parameter);
    case Shape::weibull:
      return -std::expm1(-std::pow(of_scale, law.parameter));
    case Shape::pareto:
      return of_scale <= 1 ? 0 : 1 - std::pow(of_scale, -law.parameter);
  }
  __builtin_unreachable();
}

Duration longest_of(const DurationLaw& law) {
  if (law.shape == Shape::fixed) return law.scale;
  return law.high > Duration{0} ? law.high : Duration::max();
}

Duration mean(const DurationLaw& law) {
  const double scale = as_number(law.scale);
  const double high = as_number(law.high.count() > 0 ? law.high : Duration::max());
  switch (law.shape) {
    case Shape::fixed:
      return law.scale;
    case Shape::uniform:
      return sim::nearest((scale + high) / 2);
    case Shape::exponential:
      return sim::nearest(exponential_mean(scale, high));
    case Shape::lognormal:
      return sim::nearest(lognormal_mean(scale, law.parameter, high));
    case Shape::weibull:
      return sim::nearest(weibull_mean(scale, law.parameter, high));
    case Shape::pareto:
      return sim::nearest(pareto_mean(scale, law.parameter, high));
  }
  __builtin_unreachable();
}

}  // namespace reeve::models
