// Time and money: the only representations that reeve uses.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace reeve::policy {

using Duration = std::chrono::nanoseconds;
using Instant = std::chrono::sys_time<Duration>;  ///< UTC

/// No deadline, no horizon.
inline constexpr Instant never = Instant::max();

/// `at + wait`, or `never` if the sum leaves the range of Instant.  `wait` >= 0.
constexpr Instant later(Instant at, Duration wait) {
  return at >= never - wait ? never : at + wait;
}

/// An exact amount of US dollars, in millionths.  Overflow traps.
class Usd {
 public:
  constexpr Usd() = default;
  static constexpr Usd from_micros(std::int64_t micros) { return Usd{micros}; }
  constexpr std::int64_t micros() const { return micros_; }

  friend constexpr Usd operator+(Usd a, Usd b) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a.micros_, b.micros_, &sum)) __builtin_trap();
    return Usd{sum};
  }
  friend constexpr Usd operator-(Usd a) { return Usd{-a.micros_}; }
  friend constexpr Usd operator-(Usd a, Usd b) { return a + -b; }
  constexpr Usd& operator+=(Usd other) { return *this = *this + other; }
  friend constexpr auto operator<=>(Usd, Usd) = default;

 private:
  constexpr explicit Usd(std::int64_t micros) : micros_{micros} {}
  std::int64_t micros_ = 0;
};

/// A price.  Nano-dollars per hour represent every AWS price list entry exactly.
struct UsdPerHour {
  std::int64_t nanos = 0;
  friend constexpr auto operator<=>(UsdPerHour, UsdPerHour) = default;
};

}  // namespace reeve::policy
