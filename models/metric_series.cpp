#include "models/metric_series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace reeve::models {

namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// As many segments as that are forgotten together.
constexpr std::size_t forgotten_at_once = 256;

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

void SampleSet::add(double value, std::int64_t times) {
  minimum = count == 0 ? value : std::min(minimum, value);
  maximum = count == 0 ? value : std::max(maximum, value);
  sum += value * static_cast<double>(times);
  count += times;
}

double SampleSet::mean() const {
  // Rounding may push the quotient past the samples: a threshold equal to a constant metric
  // would then be missed, hence the clamp.
  return std::clamp(sum / static_cast<double>(count), minimum, maximum);
}

void MetricSeries::append(Instant from, std::optional<double> value) {
  if (from < told_) throw std::invalid_argument{"a metric series grows at its end"};
  told_ = from;
  ++version_;
  if (!segments_.empty() && from == segments_.back().from) segments_.pop_back();
  const double now = value.value_or(missing);
  const double before = segments_.empty() ? missing : segments_.back().value;
  if (!same(now, before)) segments_.push_back({from, now});
}

void MetricSeries::cut(Instant from) {
  while (!segments_.empty() && segments_.back().from >= from) segments_.pop_back();
  told_ = std::min(told_, from);
  ++version_;
}

void MetricSeries::forget(Instant before) {
  const std::size_t next = next_change(before);
  if (next <= forgotten_at_once) return;
  segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(next) - 1);
}

std::optional<double> MetricSeries::at(Instant instant) const {
  const double value = value_before(next_change(instant));
  return std::isnan(value) ? std::nullopt : std::optional{value};
}

std::optional<double> MetricSeries::segment_value(std::size_t index) const {
  const double value = segments_[index].value;
  return std::isnan(value) ? std::nullopt : std::optional{value};
}

std::size_t MetricSeries::next_change(Instant instant) const {
  const auto next =
      std::upper_bound(segments_.begin(), segments_.end(), instant,
                       [](Instant left, const Segment& right) { return left < right.from; });
  return static_cast<std::size_t>(next - segments_.begin());
}

double MetricSeries::value_before(std::size_t next) const {
  return next == 0 ? missing : segments_[next - 1].value;
}

Instant MetricSeries::start_or_never(std::size_t next) const {
  return next == segments_.size() ? policy::never : segments_[next].from;
}

SampleSet MetricSeries::samples(std::size_t next, Instant from, Instant until,
                                Duration sample_period) const {
  SampleSet out;
  for (Instant at = from; at < until;) {
    while (start_or_never(next) <= at) ++next;
    const std::int64_t whole = (std::min(start_or_never(next), until) - at) / sample_period;
    if (whole > 0) {
      if (const double value = value_before(next); !std::isnan(value)) out.add(value, whole);
      at += whole * sample_period;
      continue;
    }
    // A sample with a change in it: nanoseconds are its weights.
    SampleSet parts;
    for (const Instant end = at + sample_period; at < end; ++next) {
      const Instant stop = std::min(start_or_never(next), end);
      if (const double value = value_before(next); !std::isnan(value)) {
        parts.add(value, (stop - at).count());
      }
      at = stop;
      if (at == end) break;
    }
    if (parts.count > 0) out.add(parts.mean(), 1);
  }
  return out;
}

}  // namespace reeve::models
