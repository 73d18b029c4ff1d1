// One metric of one host over time, and the samples that a monitoring service makes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <reeve/policy/units.hpp>
#include <vector>

namespace reeve::models {

using policy::Duration;
using policy::Instant;

/// What the samples of a stretch of time add up to; no samples: `count` is 0, the rest means
/// nothing.  `mean()` lies in [minimum, maximum], so it is exact where all samples are equal.
struct SampleSet {
  std::int64_t count = 0;
  double sum = 0;
  double minimum = 0;
  double maximum = 0;

  void add(double value, std::int64_t times);
  double mean() const;
};

/// A piecewise-constant metric: each segment holds until the next one, the last one for ever.
/// Before the first segment, and where a segment says so, the metric is missing.  The unit is the
/// metric's own (percent, summed over GPUs where the platform sums).  16 bytes a segment;
/// neighbouring segments differ.
class MetricSeries {
 public:
  /// The metric is `value` (none: missing) from `from` on.  `from` is not before the last one
  /// given, else std::invalid_argument; at the same instant the later call wins.
  void append(Instant from, std::optional<double> value);

  /// Forgets what was said of `from` and later: from there on the metric stays as it was.
  void cut(Instant from);

  /// Forgets what was said of times before `before`, if that is much; what the metric is at
  /// `before` stays.
  void forget(Instant before);

  /// Grows whenever the metric may have changed: who has looked at it knows so much no more.
  std::uint32_t version() const { return version_; }

  std::optional<double> at(Instant instant) const;
  std::size_t segments() const { return segments_.size(); }
  Instant segment_start(std::size_t index) const { return segments_[index].from; }
  std::optional<double> segment_value(std::size_t index) const;

  /// How many segments start at or before `instant`: the index of the next change.
  std::size_t next_change(Instant instant) const;

  /// The samples of [from, until): one per `sample_period`, the time-weighted mean of that period
  /// over the part where the metric is present, none if it never is.  `from` and `until` lie on
  /// sample boundaries.  Costs the segments of the stretch, not its samples.
  SampleSet samples(Instant from, Instant until, Duration sample_period) const {
    return samples(next_change(from), from, until, sample_period);
  }
  /// The same for a caller that knows `next_change(from)`.
  SampleSet samples(std::size_t next, Instant from, Instant until, Duration sample_period) const;

 private:
  struct Segment {
    Instant from;
    double value;  ///< NaN: missing
  };
  double value_before(std::size_t next) const;
  Instant start_or_never(std::size_t next) const;

  std::vector<Segment> segments_;
  Instant told_ = Instant::min();  ///< of the last `append`, which may have changed nothing
  std::uint32_t version_ = 0;
};

}  // namespace reeve::models
