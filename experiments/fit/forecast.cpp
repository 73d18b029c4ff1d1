#include "experiments/fit/forecast.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace reeve::experiments {

std::optional<TotalForecast> TotalForecast::of(std::span<const double> totals) {
  constexpr std::size_t least_totals = 3;
  if (totals.size() < least_totals) return std::nullopt;
  TotalForecast forecast;
  double least = 0;
  for (const double total : totals) {
    if (total > 0 && (least == 0 || total < least)) least = total;
  }
  if (least == 0) return std::nullopt;
  forecast.least_ = least / 2;
  forecast.count_ = static_cast<double>(totals.size());
  for (const double total : totals) forecast.mean_ += forecast.log_of(total) / forecast.count_;
  double squares = 0;
  for (const double total : totals) {
    const double off = forecast.log_of(total) - forecast.mean_;
    squares += off * off;
  }
  forecast.deviation_ = std::sqrt(squares / (forecast.count_ - 1));
  return forecast;
}

double TotalForecast::log_of(double total) const {
  return std::log(std::max(total, least_));
}

double TotalForecast::centre() const {
  return std::exp(mean_);
}

double TotalForecast::half_width(double level) const {
  constexpr double rounding = 1e-9;  // equal totals are within their interval
  const boost::math::students_t student{count_ - 1};
  const double quantile = boost::math::quantile(student, 0.5 + level / 2);
  return std::max(quantile * deviation_ * std::sqrt(1 + 1 / count_), rounding);
}

double TotalForecast::share_up_to(double value) const {
  const double off = log_of(value) - mean_;
  const double scale = std::max(deviation_ * std::sqrt(1 + 1 / count_), 1e-9);
  const boost::math::students_t student{count_ - 1};
  return boost::math::cdf(student, off / scale);
}

Interval TotalForecast::widened(double level, double factor) const {
  const double half = half_width(level) * factor;
  return {std::exp(mean_ - half), std::exp(mean_ + half)};
}

double TotalForecast::reach(double value, double level) const {
  return std::abs(log_of(value) - mean_) / half_width(level);
}

std::optional<MeanForecast> MeanForecast::of(std::span<const double> totals) {
  constexpr std::size_t least_totals = 3;
  if (totals.size() < least_totals) return std::nullopt;
  MeanForecast forecast;
  forecast.count_ = static_cast<double>(totals.size());
  for (const double total : totals) forecast.mean_ += total / forecast.count_;
  double squares = 0;
  for (const double total : totals) squares += (total - forecast.mean_) * (total - forecast.mean_);
  const double deviation = std::sqrt(squares / (forecast.count_ - 1));
  constexpr double rounding = 1e-9;  // equal totals are within their interval
  forecast.scale_ = std::max(deviation * std::sqrt(1 + 1 / forecast.count_),
                             rounding * std::max(1.0, std::abs(forecast.mean_)));
  return forecast;
}

double MeanForecast::half_width(double level) const {
  return boost::math::quantile(boost::math::students_t{count_ - 1}, 0.5 + level / 2) * scale_;
}

double MeanForecast::share_up_to(double value) const {
  return boost::math::cdf(boost::math::students_t{count_ - 1}, (value - mean_) / scale_);
}

Interval MeanForecast::widened(double level, double factor) const {
  const double half = half_width(level) * factor;
  return {mean_ - half, mean_ + half};
}

double MeanForecast::reach(double value, double level) const {
  return std::abs(value - mean_) / half_width(level);
}

CountForecast::CountForecast(const RateFit& rate, double exposure)
    : shape_{rate.shape},
      success_{rate.hours / (rate.hours + exposure / rate.dispersion)},
      dispersion_{rate.dispersion},
      expected_{rate.per_hour * exposure} {}

double CountForecast::centre() const {
  return expected_;
}

double CountForecast::cumulative(double events) const {
  if (events < 0) return 0;
  if (success_ >= 1) return 1;
  return boost::math::ibeta(shape_, std::floor(events / dispersion_) + 1, success_);
}

double CountForecast::share_up_to(double value) const {
  return (cumulative(value) + cumulative(value - dispersion_)) / 2;
}

double CountForecast::quantile(double share) const {
  double high = 1;
  while (cumulative(high * dispersion_) < share) high *= 2;
  double low = -1;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    (cumulative(middle * dispersion_) < share ? low : high) = middle;
  }
  return high * dispersion_;
}

Interval CountForecast::interval(double level) const {
  // With waves the smallest count above the low end is not reached by whole waves alone.
  return {quantile((1 - level) / 2), quantile((1 + level) / 2) + dispersion_ - 1};
}

Interval CountForecast::widened(double level, double factor) const {
  const Interval plain = interval(level);
  return {std::max(0.0, expected_ - (expected_ - plain.low) * factor),
          expected_ + (plain.high - expected_) * factor};
}

double CountForecast::reach(double value, double level) const {
  const Interval plain = interval(level);
  const double width = value < expected_ ? expected_ - plain.low : plain.high - expected_;
  return width > 0 ? std::abs(value - expected_) / width : value == expected_ ? 0 : 1e6;
}

}  // namespace reeve::experiments
