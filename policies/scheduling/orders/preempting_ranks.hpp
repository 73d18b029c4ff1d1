// The orders of PreemptingOrder: how a job ranks by what it has run, and when that changes.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <reeve/policy/units.hpp>
#include <tuple>
#include <utility>
#include <vector>

#include "preempting_order.hpp"

namespace reeve::policies {

/// The rank of a job among all that are pending or run: smaller is ahead.
struct PreemptingRank {
  std::int64_t first = 0;
  policy::Instant second;
  policy::Instant third;
  policy::JobId job;
  friend bool operator<(const PreemptingRank& a, const PreemptingRank& b) {
    return std::tie(a.first, a.second, a.third, a.job) <
           std::tie(b.first, b.second, b.third, b.job);
  }
};

/// What an order depends on: what is known of a job now.
struct RunCourse {
  policy::Duration attained{0};                 ///< on instances, until it was asked to leave them
  policy::Duration forgiven{0};                 ///< of that, by when it began anew
  policy::Duration estimate{0};                 ///< of the whole work
  policy::Instant first_start = policy::never;  ///< `never`: it has not been on instances
  policy::Instant submitted;
  std::int64_t gpus = 1;  ///< in all
};

class RemainingFirst {
 public:
  explicit RemainingFirst(Remaining of) : of_{of} {}

  PreemptingRank rank(const RunCourse& course) const {
    const policy::Duration left = std::max(course.estimate - course.attained, policy::Duration{0});
    if (of_ == Remaining::time) return {left.count(), course.submitted, {}, {}};
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / course.gpus;
    return {std::min(left.count(), most) * course.gpus, course.submitted, {}, {}};
  }
  /// Those who run come no policy::later by running on.
  policy::Instant changes(const RunCourse&, policy::Instant) const { return policy::never; }
  std::optional<policy::Duration> rises_after(const RunCourse&) const { return std::nullopt; }

 private:
  Remaining of_;
};

/// How long a job must run to attain `gpu_s` GPU-seconds.
inline policy::Duration time_to_attain(std::int64_t gpu_s, std::int64_t gpus) {
  constexpr std::int64_t second = policy::Duration{std::chrono::seconds{1}}.count();
  const std::int64_t whole = gpu_s / gpus * second;
  const std::int64_t rest = gpu_s % gpus * second;
  return policy::Duration{whole + (rest + gpus - 1) / gpus};
}

class AttainedFirst {
 public:
  explicit AttainedFirst(LeastAttained model) : model_{std::move(model)} {}

  PreemptingRank rank(const RunCourse& course) const {
    return {static_cast<std::int64_t>(queue(course)), course.first_start, course.submitted, {}};
  }
  /// When one that runs on falls into the next queue.
  policy::Instant changes(const RunCourse& course, policy::Instant now) const {
    const std::size_t of = queue(course);
    if (of == model_.limits.size()) return policy::never;
    return policy::later(now, time_to_attain(model_.limits[of], course.gpus) - executed(course));
  }
  /// How long it waits, after it lost its instances, until it begins anew.
  std::optional<policy::Duration> rises_after(const RunCourse& course) const {
    if (!model_.promote_after || queue(course) == 0) return std::nullopt;
    const policy::Duration ran = executed(course);
    if (*model_.promote_after > 0 && ran > policy::Duration::max() / *model_.promote_after) {
      return policy::Duration::max();
    }
    return ran * *model_.promote_after;
  }

 private:
  static policy::Duration executed(const RunCourse& course) {
    return course.attained - course.forgiven;
  }
  std::size_t queue(const RunCourse& course) const {
    std::size_t of = 0;
    const policy::Duration ran = executed(course);
    while (of < model_.limits.size() && ran >= time_to_attain(model_.limits[of], course.gpus)) ++of;
    return of;
  }

  LeastAttained model_;
};

/// GPU-time that goes into a job, on average, for each end that comes of it, if it is left alone up
/// to whichever of the lengths makes that least: the inverse of its Gittins index.
class GittinsFirst {
 public:
  explicit GittinsFirst(std::vector<std::int64_t> lengths) : lengths_{std::move(lengths)} {
    std::sort(lengths_.begin(), lengths_.end());
  }

  PreemptingRank rank(const RunCourse& course) const {
    return {cost_of_an_end(course), course.first_start, course.submitted, {}};
  }
  /// When one that runs on has outlived the next length.  In between its end comes nearer, and it
  /// keeps its instances.
  policy::Instant changes(const RunCourse& course, policy::Instant now) const {
    const std::size_t next = outlived(course);
    if (next == lengths_.size()) return policy::never;
    return policy::later(now, time_to_attain(lengths_[next], course.gpus) - course.attained);
  }
  std::optional<policy::Duration> rises_after(const RunCourse&) const { return std::nullopt; }

 private:
  std::size_t outlived(const RunCourse& course) const {
    std::size_t of = 0;
    while (of < lengths_.size() && course.attained >= time_to_attain(lengths_[of], course.gpus))
      ++of;
    return of;
  }
  /// In GPU-milliseconds; none of the lengths is as long: the most there is.
  std::int64_t cost_of_an_end(const RunCourse& course) const {
    using std::chrono::milliseconds;
    const std::int64_t had = course.attained / milliseconds{1} * course.gpus;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t of_ended = 0;
    const std::size_t first = outlived(course);
    for (std::size_t last = first; last < lengths_.size(); ++last) {
      const std::int64_t each = std::max<std::int64_t>(lengths_[last] * 1000 - had, 0);
      of_ended += each;
      const auto ends = static_cast<std::int64_t>(last - first + 1);
      const auto goes_on = static_cast<std::int64_t>(lengths_.size() - last - 1);
      least = std::min(least, (of_ended + goes_on * each) / ends);
    }
    return least;
  }

  std::vector<std::int64_t> lengths_;  ///< GPU-seconds
};

}  // namespace reeve::policies
