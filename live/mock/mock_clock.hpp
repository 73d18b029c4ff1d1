// The clock of a mock account, which rehearsals control.
#pragma once

#include <chrono>
#include <optional>
#include <reeve/policy/units.hpp>

namespace reeve::live {

/// With a speed, it runs that many times as fast as the real one.  With speed 0 it only
/// moves when a client waits, and then jumps; after `end` it runs as the real one.
class MockClock {
 public:
  using Real = std::chrono::steady_clock;

  MockClock(policy::Instant start, policy::Instant end, double speed)
      : start_{start}, end_{end}, speed_{speed}, began_{Real::now()}, now_{start} {}

  policy::Instant now() const {
    if (speed_ > 0) return start_ + scaled(Real::now() - began_, speed_);
    return ended_ ? now_ + (Real::now() - *ended_) : now_;
  }
  /// Whether waiting takes no real time.
  bool jumps() const { return speed_ == 0 && !ended_; }
  /// Only if it jumps.
  void jump_to(policy::Instant at) {
    if (at > now_) now_ = at;
    if (now_ >= end_) ended_ = Real::now();
  }
  /// How long `wait` takes in real time, if it does not jump.
  policy::Duration real(policy::Duration wait) const {
    return speed_ > 0 ? scaled(wait, 1 / speed_) : wait;
  }

 private:
  static policy::Duration scaled(policy::Duration length, double factor) {
    return std::chrono::duration_cast<policy::Duration>(
        std::chrono::duration<double, std::nano>(static_cast<double>(length.count()) * factor));
  }

  policy::Instant start_;
  policy::Instant end_;
  double speed_;
  Real::time_point began_;
  policy::Instant now_;
  std::optional<Real::time_point> ended_;
};

}  // namespace reeve::live
