#include "sim/draws.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

namespace reeve::sim {

namespace {

void require(bool is_valid, const char* message) {
  if (!is_valid) throw std::invalid_argument(message);
}

void require_uniform(double u) {
  require(u > 0.0 && u <= 1.0, "a uniform lies in (0, 1]");
}

using Coefficients = std::array<double, 8>;

double polynomial(const Coefficients& coefficients, double x) {
  double sum = coefficients[7];
  for (std::size_t i = 7; i > 0; --i) sum = sum * x + coefficients[i - 1];
  return sum;
}

// PPND16 of AS 241: centre, flank and tail.
constexpr Coefficients centre_top{3.3871328727963666080e0,  1.3314166789178437745e+2,
                                  1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                  4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                  3.3430575583588128105e+4, 2.5090809287301226727e+3};
constexpr Coefficients centre_bottom{1.0,
                                     4.2313330701600911252e+1,
                                     6.8718700749205790830e+2,
                                     5.3941960214247511077e+3,
                                     2.1213794301586595867e+4,
                                     3.9307895800092710610e+4,
                                     2.8729085735721942674e+4,
                                     5.2264952788528545610e+3};
constexpr Coefficients flank_top{1.42343711074968357734e0,  4.63033784615654529590e0,
                                 5.76949722146069140550e0,  3.64784832476320460504e0,
                                 1.27045825245236838258e0,  2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr Coefficients flank_bottom{1.0,
                                    2.05319162663775882187e0,
                                    1.67638483018380384940e0,
                                    6.89767334985100004550e-1,
                                    1.48103976427480074590e-1,
                                    1.51986665636164571966e-2,
                                    5.47593808499534494600e-4,
                                    1.05075007164441684324e-9};
constexpr Coefficients tail_top{6.65790464350110377720e0,  5.46378491116411436990e0,
                                1.78482653991729133580e0,  2.96560571828504891230e-1,
                                2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr Coefficients tail_bottom{1.0,
                                   5.99832206555887937690e-1,
                                   1.36929880922735805310e-1,
                                   1.48753612908506148525e-2,
                                   7.86869131145613259100e-4,
                                   1.84631831751005468180e-5,
                                   1.42151175831644588870e-7,
                                   2.04426310338993978564e-15};

// -log(u), the quantile of the unit exponential at 1 - u turned around to grow with u.
double unit_exponential(double u) {
  // 1 - u is exact for a multiple of 2^-53, and 0 for u = 1 alone, which half a step stands for.
  const double above = 1.0 - u;
  return -std::log(above > 0.0 ? above : 0x1p-54);
}

}  // namespace

double normal_quantile(double p) {
  require(p > 0.0 && p < 1.0, "a normal quantile is asked of a probability in (0, 1)");
  const double q = p - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(centre_top, r) / polynomial(centre_bottom, r);
  }
  const double r = std::sqrt(-std::log(q < 0.0 ? p : 1.0 - p));
  const double x = r <= 5.0 ? polynomial(flank_top, r - 1.6) / polynomial(flank_bottom, r - 1.6)
                            : polynomial(tail_top, r - 5.0) / polynomial(tail_bottom, r - 5.0);
  return q < 0.0 ? -x : x;
}

double exponential(double mean, double u) {
  require_uniform(u);
  require(mean >= 0.0, "the mean of an exponential is not negative");
  return mean * unit_exponential(u);
}

double lognormal(double median, double sigma, double u) {
  require_uniform(u);
  require(median >= 0.0 && sigma >= 0.0, "a lognormal's median and sigma are not negative");
  return median * std::exp(sigma * normal_quantile(u < 1.0 ? u : 1.0 - 0x1p-53));
}

double weibull(double shape, double scale, double u) {
  require_uniform(u);
  require(shape > 0.0 && scale >= 0.0, "a Weibull's shape is positive, its scale not negative");
  return scale * std::pow(unit_exponential(u), 1.0 / shape);
}

double pareto(double shape, double scale, double u) {
  require_uniform(u);
  require(shape > 0.0 && scale >= 0.0, "a Pareto's shape is positive, its scale not negative");
  return scale * std::exp(unit_exponential(u) / shape);
}

double uniform_between(double low, double high, double u) {
  require_uniform(u);
  require(low <= high, "the low end of a range is not above its high end");
  return u < 1.0 ? low + (high - low) * u : high;
}

Duration nearest(double nanoseconds) {
  require(!std::isnan(nanoseconds), "a duration is a number");
  if (nanoseconds >= 0x1p63) return Duration::max();
  if (nanoseconds <= -0x1p63) return Duration::min();
  return Duration{static_cast<Duration::rep>(std::round(nanoseconds))};
}

Duration exponential(Duration mean, double u) {
  return nearest(exponential(static_cast<double>(mean.count()), u));
}

Duration lognormal(Duration median, double sigma, double u) {
  return nearest(lognormal(static_cast<double>(median.count()), sigma, u));
}

Duration weibull(double shape, Duration scale, double u) {
  return nearest(weibull(shape, static_cast<double>(scale.count()), u));
}

Duration pareto(double shape, Duration scale, double u) {
  return nearest(pareto(shape, static_cast<double>(scale.count()), u));
}

Duration uniform_between(Duration low, Duration high, double u) {
  return nearest(
      uniform_between(static_cast<double>(low.count()), static_cast<double>(high.count()), u));
}

}  // namespace reeve::sim
