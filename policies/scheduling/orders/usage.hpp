// Usage of instances over time, with decay.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <reeve/policy/units.hpp>

namespace reeve::policies {

/// Instance-seconds by an exponential kernel.  `decay`: in that time they fall to 1/e; the longest
/// that there is: nothing is ever forgotten.
class Usage {
 public:
  double at(policy::Instant now, policy::Duration decay) const {
    const double passed = length(now - since_);
    if (decay == policy::Duration::max()) return used_ + static_cast<double>(held_) * passed;
    const double left = std::exp(-passed / length(decay));
    return used_ * left + static_cast<double>(held_) * length(decay) * (1 - left);
  }
  /// From now on `instances` more are held; without decay past usage is dropped.
  void change(policy::Instant now, std::int64_t instances, policy::Duration decay) {
    if (decay > policy::Duration{0}) used_ = at(now, decay);
    since_ = now;
    held_ += instances;
  }
  std::int64_t held() const { return held_; }

  /// What it will be a decay from now, if what is held stays held.
  double ahead(policy::Instant now, policy::Duration decay) const {
    const double left = std::exp(-1.0);
    return at(now, decay) * left + static_cast<double>(held_) * length(decay) * (1 - left);
  }
  /// In how many seconds, without a start or end, this usage ahead times `weight` falls below
  /// `than` ahead times `its_weight`; infinite if it never does.  Now it is not less.
  double falls_below(const Usage& than, double weight, double its_weight, policy::Instant now,
                     policy::Duration decay) const {
    const double more = ahead(now, decay) * weight - than.ahead(now, decay) * its_weight;
    const double slope =
        static_cast<double>(held_) * weight - static_cast<double>(than.held_) * its_weight;
    if (!(slope < 0)) return std::numeric_limits<double>::infinity();
    // Both go to what they hold for the length of the decay, their difference goes there with them.
    const double in_the_end = slope * length(decay);
    return length(decay) * std::log1p(more / -in_the_end);
  }

 private:
  /// In seconds.
  static double length(policy::Duration of) { return std::chrono::duration<double>(of).count(); }

  double used_ = 0;
  policy::Instant since_;
  std::int64_t held_ = 0;
};

}  // namespace reeve::policies
