// What a rule records of Spot instances of one type: how long they were held recently, how often
// they were interrupted, and which jobs waited for them without effect.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <reeve/policy/units.hpp>
#include <vector>

namespace reeve::policies {

/// Instants of one kind, in order; late ones are inserted.
class RecentInstants {
 public:
  void add(policy::Instant at) { at_.insert(std::upper_bound(at_.begin(), at_.end(), at), at); }
  /// Those in the `window` that ends at `now`, its begin left out.
  std::size_t within(policy::Instant now, policy::Duration window) const {
    const auto begin = std::upper_bound(at_.begin(), at_.end(), now - window);
    return static_cast<std::size_t>(std::upper_bound(begin, at_.end(), now) - begin);
  }
  /// None up to `at` is requested any more.
  void forget_until(policy::Instant at) {
    const auto old = std::upper_bound(at_.begin(), at_.end(), at);
    if ((old - at_.begin()) * 2 > static_cast<std::ptrdiff_t>(at_.size())) {
      at_.erase(at_.begin(), old);
    }
  }

 private:
  std::vector<policy::Instant> at_;
};

/// How much instance-time lies in the newest `window`.
class RecentMachines {
 public:
  explicit RecentMachines(policy::Duration window) : window_{window} {}

  /// From `at` on `instances` more are held.
  void change(policy::Instant at, std::int64_t instances) {
    pass(at);
    held_ += instances;
  }

  /// Instance-hours in the window that ends at `now`.
  double within(policy::Instant now) {
    pass(now);
    const policy::Instant from = since_ - window_;
    std::int64_t inside = closed_;
    if (!steps_.empty() && steps_.front().from < from) {
      const Step& first = steps_.front();
      inside -= instance_ms({first.from, from, first.instances});
    }
    return static_cast<double>(inside) / 3.6e6;
  }

  /// How many stretches of time it keeps.
  std::size_t remembered() const { return steps_.size(); }

 private:
  struct Step {
    policy::Instant from;
    policy::Instant until;
    std::int64_t instances = 0;
  };

  static std::int64_t instance_ms(const Step& step) {
    const auto length = std::chrono::floor<std::chrono::milliseconds>(step.until - step.from);
    return length.count() * step.instances;
  }

  void pass(policy::Instant at) {
    if (at <= since_) return;
    if (held_ > 0) {
      steps_.push_back({since_, at, held_});
      closed_ += instance_ms(steps_.back());
    }
    since_ = at;
    while (!steps_.empty() && steps_.front().until <= since_ - window_) {
      closed_ -= instance_ms(steps_.front());
      steps_.pop_front();
    }
  }

  policy::Duration window_;
  policy::Instant since_ = policy::Instant::min();
  std::int64_t held_ = 0;
  std::deque<Step> steps_;
  std::int64_t closed_ = 0;  ///< instance-milliseconds of `steps_`
};

}  // namespace reeve::policies
