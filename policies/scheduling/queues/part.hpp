// A fraction of two whole numbers, compared exactly.
#pragma once

#include <cstdint>

namespace reeve::policies {

struct Part {
  std::int64_t of = 0;
  std::int64_t whole = 1;
};

/// As continued fractions: nothing overflows, whatever is compared.
inline bool operator<(Part a, Part b) {
  if (a.whole == b.whole) return a.of < b.of;
  while (true) {
    const std::int64_t times_a = a.of / a.whole;
    const std::int64_t times_b = b.of / b.whole;
    if (times_a != times_b) return times_a < times_b;
    const Part rest_a{a.whole, a.of % a.whole};
    const Part rest_b{b.whole, b.of % b.whole};
    if (rest_b.whole == 0) return false;
    if (rest_a.whole == 0) return true;
    a = rest_b;  // the greater its inverse, the smaller it is
    b = rest_a;
  }
}

}  // namespace reeve::policies
