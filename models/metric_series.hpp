// One metric of one host over time, and the samples that a monitoring service takes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <reeve/policy/units.hpp>
#include <vector>

namespace reeve::models {

using policy::Duration;
using policy::Instant;

/// The aggregate of the samples of a period.  Without samples, `count` is 0 and the rest is
/// meaningless.  `mean()` lies in [minimum, maximum], so it is exact if all samples are equal.
struct SampleSet {
  std::int64_t count = 0;
  double sum = 0;
  double minimum = 0;
  double maximum = 0;

  void add(double value, std::int64_t times);
  double mean() const;
};

/// A piecewise-constant metric: each segment holds until the next one, the last one for ever.  The
/// metric is missing before the first segment and in segments marked so.  In the metric's own unit
/// (percent, summed over GPUs if the platform sums).  16 bytes per segment; neighbouring segments
/// differ.
class MetricSeries {
 public:
  /// The metric is `value` (none: missing) from `from` on.  Throws std::invalid_argument if `from`
  /// is before the last one given; at the same instant the later call wins.
  void append(Instant from, std::optional<double> value);

  /// Forgets the values from `from` on: the metric keeps its earlier value from there.
  void cut(Instant from);

  /// Forgets the values before `before`, if they are many; the value at `before` stays.
  void forget(Instant before);

  /// Grows whenever the metric may have changed, which invalidates cached results.
  std::uint32_t version() const { return version_; }

  std::optional<double> at(Instant instant) const;
  std::size_t segments() const { return segments_.size(); }
  Instant segment_start(std::size_t index) const { return segments_[index].from; }
  std::optional<double> segment_value(std::size_t index) const;

  /// The number of segments that start at or before `instant`: the index of the next change.
  std::size_t next_change(Instant instant) const;

  /// The samples of [from, until): one per `sample_period`, the time-weighted mean of the part of
  /// that period where the metric is present, none if it is missing throughout.  `from` and `until`
  /// lie on sample boundaries.  The cost grows with the segments, not with the samples.
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
  Instant told_ = Instant::min();  ///< of the last `append`, which may not have changed the metric
  std::uint32_t version_ = 0;
};

}  // namespace reeve::models
