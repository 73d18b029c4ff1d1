#include "models/alarm.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <limits>
#include <memory_resource>
#include <stdexcept>

#include "models/alarm_windows.hpp"

namespace reeve::models {

namespace {

using policy::Compare;
using policy::MissingData;
using policy::Statistic;

using std::chrono::hours;

constexpr Duration minute = alarm_minute;

/// What the published algorithm needs to know of an evaluation range.
struct RangeCounts {
  std::int64_t real = 0;       ///< datapoints that exist
  std::int64_t breaching = 0;  ///< among the newest N real ones
  std::int64_t age = 0;        ///< position of the oldest real one, the newest datapoint being 1
};

/// Of a range, oldest first.
RangeCounts counts_of(const AlarmRule& rule, std::span<const AlarmDatapoint> range) {
  RangeCounts counts;
  for (std::size_t i = 0; i < range.size(); ++i) {
    const AlarmDatapoint& point = range[range.size() - 1 - i];
    if (!point.present) continue;
    if (counts.real < rule.evaluation_periods && breaches(rule, point.value)) ++counts.breaching;
    ++counts.real;
    counts.age = static_cast<std::int64_t>(i) + 1;
  }
  return counts;
}

AlarmState decide(const AlarmRule& rule, const RangeCounts& range, AlarmState current) {
  const std::int64_t n = rule.evaluation_periods;
  const std::int64_t m = rule.datapoints_to_alarm;
  const auto alarm_if = [](bool yes) { return yes ? AlarmState::alarm : AlarmState::ok; };
  if (range.real >= n) return alarm_if(range.breaching >= m);
  switch (rule.missing) {
    case MissingData::breaching:
      return alarm_if(range.breaching + (n - range.real) >= m);
    case MissingData::not_breaching:
      return alarm_if(range.breaching >= m);
    case MissingData::missing:
    case MissingData::ignore:
      break;
  }
  const bool ignore = rule.missing == MissingData::ignore;
  if (range.real == 0) return ignore ? current : AlarmState::insufficient_data;
  if (range.breaching >= m) return AlarmState::alarm;
  if (range.breaching == range.real) {
    // The "premature alarm" rule.  Its prose would also cover ranges with a good datapoint; the
    // published table says otherwise, and the table wins.
    return range.age >= m && !ignore ? AlarmState::alarm : current;
  }
  return AlarmState::ok;
}

void check(const AlarmRule& rule, const MetricsTiming& timing) {
  const Duration sample = timing.sample_period;
  const bool samples_fit =
      sample > Duration{0} && (minute % sample == Duration{0} || sample % minute == Duration{0});
  if (!samples_fit) throw std::invalid_argument{"sample period neither divides nor fills minutes"};
  if (rule.period <= Duration{0} || rule.period % minute != Duration{0}) {
    throw std::invalid_argument{"alarm period is not whole minutes"};
  }
  if (rule.datapoints_to_alarm < 1 || rule.datapoints_to_alarm > rule.evaluation_periods) {
    throw std::invalid_argument{"datapoints to alarm not in 1..evaluation periods"};
  }
  if (timing.evaluation_offset < Duration{0} || timing.evaluation_offset >= minute ||
      timing.publish_delay < Duration{0}) {
    throw std::invalid_argument{"evaluation offset not in a minute or negative publish delay"};
  }
}

enum class Datapoint : std::uint8_t { missing, good, breaching };

Datapoint classify(const AlarmRule& rule, std::optional<double> value) {
  if (!value) return Datapoint::missing;
  return breaches(rule, *value) ? Datapoint::breaching : Datapoint::good;
}

/// Walks through the evaluations at which the range may differ from the one before.
///
/// The datapoint of a bucket, as a function of the bucket's end, is constant except near changes
/// of the series: it is kept as runs.  A range can change only where one of its datapoints enters
/// another run, at (start of a run) + i * lag; in between an evaluation repeats the one before it.
class Scan {
 public:
  /// Starts at the evaluation at `first`, which always counts as one to look at.
  Scan(const MetricSeries& series, const AlarmRule& rule, const MetricsTiming& timing,
       Instant first)
      : series_{series},
        rule_{rule},
        grid_{rule, timing},
        sample_period_{timing.sample_period},
        at_{first},
        now_{grid_.seen_at(first)} {
    runs_.reserve(inline_runs);
    known_ = evaluated_ = now_ - (grid_.points - 1) * grid_.lag;
    change_ = tail_ = series.next_change(grid_.end(known_) - grid_.period);
    runs_.push_back({known_, datapoint(known_)});
    skip_harmless_changes();
  }
  Scan(const Scan&) = delete;
  Scan& operator=(const Scan&) = delete;

  Instant at() const { return at_; }

  RangeCounts range() {
    know(now_);
    RangeCounts counts;
    std::int64_t used = 0;  // datapoints in newer runs
    for (std::size_t j = runs_.size(); j-- > head_ && used < grid_.points;) {
      if (runs_[j].from > now_) continue;
      const std::int64_t until =
          j == head_ ? grid_.points
                     : std::min(grid_.points, (now_ - runs_[j].from) / grid_.lag + 1);
      if (runs_[j].kind != Datapoint::missing && until > used) {
        if (runs_[j].kind == Datapoint::breaching) {
          const std::int64_t room = rule_.evaluation_periods - counts.real;
          counts.breaching += std::clamp(until - used, std::int64_t{0}, std::max(room, zero));
        }
        counts.real += until - used;
        counts.age = until;
      }
      used = std::max(used, until);
    }
    return counts;
  }

  /// Moves to the next evaluation to look at; false: from here on the range stays as it is.
  bool next() {
    const std::int64_t candidate = next_number();
    if (candidate == forever) return false;
    go_to(candidate);
    return true;
  }

  static constexpr std::int64_t forever = std::numeric_limits<std::int64_t>::max();

  /// Of the window at which the range changes next; `forever`: at none.
  std::int64_t next_number() {
    std::int64_t candidate = next_entry();
    while (candidate > known_) {
      if (known_ == forever) return forever;
      know(known_ + 1);
      candidate = next_entry();
    }
    return candidate;
  }

  /// The kinds of the range, newest first.
  std::vector<Datapoint> kinds() {
    know(now_);
    std::vector<Datapoint> all(static_cast<std::size_t>(grid_.points), Datapoint::missing);
    std::int64_t used = 0;
    for (std::size_t j = runs_.size(); j-- > head_ && used < grid_.points;) {
      if (runs_[j].from > now_) continue;
      const std::int64_t until =
          j == head_ ? grid_.points
                     : std::min(grid_.points, (now_ - runs_[j].from) / grid_.lag + 1);
      for (; used < until; ++used) all[static_cast<std::size_t>(used)] = runs_[j].kind;
    }
    return all;
  }

  void go_to(std::int64_t candidate) {
    at_ = grid_.evaluation_of(candidate);
    now_ = grid_.seen_at(at_);
    // Only the newest of the runs that the whole range has passed is still of use.
    while (head_ + 1 < runs_.size() &&
           runs_[head_ + 1].from <= now_ - (grid_.points - 1) * grid_.lag) {
      ++head_;
    }
    if (head_ >= inline_runs / 2) {
      runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(head_));
      head_ = 0;
    }
  }

 private:
  static constexpr std::int64_t zero = 0;
  static constexpr std::size_t inline_runs = 32;

  struct Run {
    std::int64_t from;
    Datapoint kind;
  };

  /// The smallest number after `now_` at which a datapoint of the range enters a known run.
  std::int64_t next_entry() const {
    std::int64_t least = forever;
    for (std::size_t j = head_ + 1; j < runs_.size(); ++j) {
      const std::int64_t from = runs_[j].from;
      const std::int64_t i = from > now_ ? 0 : (now_ - from) / grid_.lag + 1;
      if (i < grid_.points) least = std::min(least, from + i * grid_.lag);
    }
    return least;
  }

  /// Extends the runs until they are complete up to number g.
  void know(std::int64_t g) {
    while (known_ < g) {
      if (change_ == series_.segments()) {
        known_ = forever;
        return;
      }
      const Instant changed = series_.segment_start(change_);
      const std::int64_t last = grid_.ceil(changed + grid_.period);
      for (std::int64_t end = std::max(evaluated_ + 1, grid_.floor(changed) + 1); end <= last;
           ++end) {
        const Datapoint kind = datapoint(end);
        if (kind != runs_.back().kind) runs_.push_back({end, kind});
      }
      evaluated_ = std::max(evaluated_, last);
      known_ = std::max(known_, last);
      ++change_;
      skip_harmless_changes();
    }
  }

  /// Passes over changes that cannot touch a datapoint: with a mean or an extreme, buckets of
  /// values on one side of the threshold lie on that side too.  `known_` grows up to the change
  /// that remains.
  void skip_harmless_changes() {
    const bool counts_matter =
        rule_.statistic == Statistic::sum || rule_.statistic == Statistic::sample_count;
    if (!counts_matter) {
      Datapoint before = change_ == 0 ? Datapoint::missing : segment(change_ - 1);
      for (; change_ < series_.segments(); ++change_) {
        const Datapoint after = segment(change_);
        if (after != before) break;
        before = after;
      }
    }
    if (change_ == series_.segments()) {
      known_ = forever;
    } else {
      known_ = std::max(known_, grid_.floor(series_.segment_start(change_)));
    }
  }

  Datapoint segment(std::size_t index) const {
    return classify(rule_, series_.segment_value(index));
  }

  /// The datapoint of the bucket that ends at number `end`; asked for in ascending order.
  Datapoint datapoint(std::int64_t end) {
    const Instant until = grid_.end(end);
    const Instant from = until - grid_.period;
    while (tail_ < series_.segments() && series_.segment_start(tail_) <= from) ++tail_;
    return classify(
        rule_, statistic(series_.samples(tail_, from, until, sample_period_), rule_.statistic));
  }

  const MetricSeries& series_;
  const AlarmRule& rule_;
  const AlarmGrid grid_;
  const Duration sample_period_;
  std::array<std::byte, inline_runs * sizeof(Run)> inline_;
  std::pmr::monotonic_buffer_resource memory_{inline_.data(), inline_.size()};
  std::pmr::vector<Run> runs_{&memory_};
  std::size_t head_ = 0;        ///< the run of the oldest datapoint of the range
  std::size_t change_ = 0;      ///< the next segment of the series that the runs do not reflect
  std::size_t tail_ = 0;        ///< series_.next_change(start of the last bucket asked for)
  std::int64_t evaluated_ = 0;  ///< the last bucket asked for
  std::int64_t known_ = 0;      ///< the runs are complete up to this number
  Instant at_;
  std::int64_t now_;
};

/// The same of several series at once: a datapoint is the lowest of theirs.  Who has none does not
/// count (metric math, MIN of an array of series).
class LowestScan {
 public:
  LowestScan(std::span<const MetricSeries> series, const AlarmRule& rule,
             const MetricsTiming& timing, Instant first)
      : rule_{rule} {
    for (const MetricSeries& each : series) scans_.emplace_back(each, rule, timing, first);
  }

  Instant at() const { return scans_.front().at(); }

  RangeCounts range() {
    std::vector<Datapoint> lowest;
    for (Scan& scan : scans_) {
      const std::vector<Datapoint> kinds = scan.kinds();
      if (lowest.empty()) lowest.assign(kinds.size(), Datapoint::missing);
      for (std::size_t i = 0; i < kinds.size(); ++i) lowest[i] = lower(lowest[i], kinds[i]);
    }
    RangeCounts counts;
    for (std::size_t i = 0; i < lowest.size(); ++i) {
      if (lowest[i] == Datapoint::missing) continue;
      const bool counted = counts.real < rule_.evaluation_periods;
      if (counted && lowest[i] == Datapoint::breaching) ++counts.breaching;
      ++counts.real;
      counts.age = static_cast<std::int64_t>(i) + 1;
    }
    return counts;
  }

  bool next() {
    std::int64_t least = Scan::forever;
    for (Scan& scan : scans_) least = std::min(least, scan.next_number());
    if (least == Scan::forever) return false;
    for (Scan& scan : scans_) scan.go_to(least);
    return true;
  }

 private:
  /// Which of two datapoints says what the lower one says.
  Datapoint lower(Datapoint a, Datapoint b) const {
    if (a == Datapoint::missing) return b;
    if (b == Datapoint::missing) return a;
    const bool below = rule_.compare == Compare::less || rule_.compare == Compare::less_or_equal;
    const Datapoint decides = below ? Datapoint::breaching : Datapoint::good;
    return a == decides || b == decides ? decides : a;
  }

  const AlarmRule& rule_;
  std::deque<Scan> scans_;
};

/// The same, evaluation by evaluation, of an alarm whose windows hold unequal numbers of samples:
/// some datapoints are then missing although the metric is there, others in the next evaluation.
class EachEvaluation {
 public:
  EachEvaluation(std::span<const MetricSeries> series, const AlarmRule& rule,
                 const MetricsTiming& timing, Instant first, Instant until)
      : series_{series},
        rule_{rule},
        timing_{timing},
        at_{first},
        last_{last_new_range(series, rule, timing, first)} {
    if (until != policy::never) last_ = std::max(last_, until);
  }

  Instant at() const { return at_; }
  RangeCounts range() const {
    return counts_of(rule_, evaluation_range(series_, rule_, timing_, at_));
  }
  bool next() {
    at_ = policy::later(at_, between_evaluations(rule_));
    return at_ <= last_;
  }

 private:
  std::span<const MetricSeries> series_;
  const AlarmRule& rule_;
  const MetricsTiming& timing_;
  Instant at_;
  Instant last_;
};

/// From the first evaluation to look at.
struct Evaluations {
  Instant first;
  Instant until;
};

/// Calls `look(at, counts)` with each evaluation up to `until`, until it says that it has seen
/// enough.
template <class Look>
void look_through(std::span<const MetricSeries> series, const AlarmRule& rule,
                  const MetricsTiming& timing, const Evaluations& within, const Look& look) {
  const auto through = [&](auto&& scan) {
    do {
      if (!look(scan.at(), [&] { return scan.range(); })) return;
    } while (scan.next());
  };
  if (!holds_whole_samples(rule, timing)) [[unlikely]] {
    if (!series.empty()) through(EachEvaluation{series, rule, timing, within.first, within.until});
  } else if (series.size() == 1) [[likely]] {
    Scan scan{series.front(), rule, timing, within.first};
    through(scan);
  } else if (!series.empty()) {
    LowestScan scan{series, rule, timing, within.first};
    through(scan);
  }
}

std::uint64_t version_of(std::span<const MetricSeries> series) {
  std::uint64_t sum = 0;
  for (const MetricSeries& each : series) sum += each.version();
  return sum;
}

}  // namespace

bool breaches(const AlarmRule& rule, double value) {
  switch (rule.compare) {
    case Compare::less:
      return value < rule.threshold;
    case Compare::less_or_equal:
      return value <= rule.threshold;
    case Compare::greater:
      return value > rule.threshold;
    case Compare::greater_or_equal:
      return value >= rule.threshold;
  }
  return false;
}

AlarmState evaluate(const AlarmRule& rule, std::span<const AlarmDatapoint> range,
                    AlarmState current) {
  return decide(rule, counts_of(rule, range), current);
}

Alarm::Alarm(const AlarmRule& rule, const MetricsTiming& timing, Instant created)
    : rule_{rule}, timing_{timing} {
  check(rule_, timing_);
  next_ = evaluation_from(created);
}

/// The first one at or after `at`; `never` at the end of time.
Instant Alarm::evaluation_from(Instant at) const {
  if (at > policy::never - hours{2}) return policy::never;
  return first_evaluation(at, between_evaluations(rule_), timing_.evaluation_offset);
}

void Alarm::update(const AlarmRule& rule, Instant at) {
  check(rule, timing_);
  rule_ = rule;
  if (next_ == policy::never) return;
  peeked_at_.reset();
  next_ = evaluation_from(next_ > at ? at + Duration{1} : at);  // the one at `at` may be over
}

void Alarm::advance(std::span<const MetricSeries> series, Instant until,
                    std::vector<Transition>& out) {
  if (until < next_) return;
  if (!has_peeked(series)) {
    look_up_to(series, until, out);
  } else if (peeked_ && peeked_->at <= until) {
    out.push_back(*peeked_);
    state_ = peeked_->to;
    peeked_at_.reset();
    next_ = evaluation_from(policy::later(peeked_->at, Duration{1}));
    if (next_ <= until) look_up_to(series, until, out);
  }
  next_ = evaluation_from(policy::later(until, Duration{1}));
}

/// Applies every evaluation from `next_` to `until`.
void Alarm::look_up_to(std::span<const MetricSeries> series, Instant until,
                       std::vector<Transition>& out) {
  look_through(series, rule_, timing_, {next_, until}, [&](Instant at, const auto& range) {
    if (at > until) return false;
    const AlarmState to = decide(rule_, range(), state_);
    if (to != state_) out.push_back({at, state_, to});
    state_ = to;
    return true;
  });
  peeked_at_.reset();
}

bool Alarm::has_peeked(std::span<const MetricSeries> series) const {
  return peeked_at_ == version_of(series);
}

std::optional<Transition> Alarm::peek(std::span<const MetricSeries> series) {
  if (next_ == policy::never) return std::nullopt;
  if (has_peeked(series)) return peeked_;
  peeked_at_ = version_of(series);
  peeked_.reset();
  look_through(series, rule_, timing_, {next_, policy::never}, [&](Instant at, const auto& range) {
    const AlarmState to = decide(rule_, range(), state_);
    if (to != state_) peeked_ = {at, state_, to};
    return to == state_;
  });
  return peeked_;
}

std::vector<AlarmDatapoint> Alarm::datapoints(std::span<const MetricSeries> series,
                                              Instant at) const {
  return evaluation_range(series, rule_, timing_, at);
}

}  // namespace reeve::models
