// What the next week may bring: a distribution with an interval, and how a week compares with it.
#pragma once

#include <optional>
#include <span>

#include "experiments/fit/interval.hpp"
#include "experiments/fit/rate.hpp"

namespace reeve::experiments {

/// The distribution of one coming number.
class Forecast {
 public:
  virtual ~Forecast() = default;
  virtual double centre() const = 0;
  /// The probability of at most `value`; of counts: less half the probability of `value` itself.
  virtual double share_up_to(double value) const = 0;
  virtual Interval interval(double level) const = 0;
  /// `interval` with its distance from the centre multiplied, on the scale of the forecast.
  virtual Interval widened(double level, double factor) const = 0;
  /// How far `value` is from the centre, in distances of that end of the interval.
  virtual double reach(double value, double level) const = 0;
};

/// Student's t on the logarithms of past totals.  A total of 0 counts as half of the least positive
/// one.  At least three totals, one of them positive.
class TotalForecast : public Forecast {
 public:
  static std::optional<TotalForecast> of(std::span<const double> totals);

  double centre() const override;
  double share_up_to(double value) const override;
  Interval interval(double level) const override { return widened(level, 1); }
  Interval widened(double level, double factor) const override;
  double reach(double value, double level) const override;

  double log_mean() const { return mean_; }
  double log_deviation() const { return deviation_; }

 private:
  double half_width(double level) const;
  double log_of(double total) const;
  double mean_ = 0;
  double deviation_ = 0;
  double count_ = 0;
  double least_ = 0;  ///< what 0 counts as
};

/// Student's t on past totals of any sign, such as savings.  At least three totals.
class MeanForecast : public Forecast {
 public:
  static std::optional<MeanForecast> of(std::span<const double> totals);

  double centre() const override { return mean_; }
  double share_up_to(double value) const override;
  Interval interval(double level) const override { return widened(level, 1); }
  Interval widened(double level, double factor) const override;
  double reach(double value, double level) const override;

 private:
  double half_width(double level) const;
  double mean_ = 0;
  double scale_ = 0;  ///< of the difference between a coming total and the mean
  double count_ = 0;
};

/// A number of events within a coming exposure: negative binomial, which is the Gamma-Poisson
/// prediction of a rate.
class CountForecast : public Forecast {
 public:
  CountForecast(const RateFit& rate, double exposure);

  double centre() const override;
  double share_up_to(double value) const override;
  Interval interval(double level) const override;
  Interval widened(double level, double factor) const override;
  double reach(double value, double level) const override;

 private:
  double cumulative(double events) const;
  double quantile(double share) const;
  double shape_;
  double success_;     ///< probability parameter of the negative binomial
  double dispersion_;  ///< events per independent event
  double expected_;
};

}  // namespace reeve::experiments
