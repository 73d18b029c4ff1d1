// Draws for texts that are written at random: equal addresses, and the order of writing, give equal
// texts.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/draws.hpp"

namespace reeve::tests {

/// A formatted text whose arguments are evaluated from left to right, as an initializer list's are
/// and those of a call are not: so that draws among them are the same with every compiler.
struct Written {
  template <class... Args>
  explicit Written(fmt::format_string<Args...> format, Args&&... args)
      : text{fmt::format(format, std::forward<Args>(args)...)} {}

  std::string text;
};

/// Draws one after the other.  Each kind of text has a `stream` of its own.
class DrawnText {
 protected:
  DrawnText(std::uint64_t seed, std::uint32_t stream) : seed_{seed}, stream_{stream} {}

  void from_the_start() { nth_ = 0; }
  double luck() { return sim::uniform({seed_, stream_, sim::Cause::scenario_fuzz, 0, nth_++}); }
  std::uint64_t between(std::uint64_t low, std::uint64_t high) {
    return low +
           static_cast<std::uint64_t>(luck() * 0.999999 * static_cast<double>(high - low + 1));
  }
  bool chance(double probability) { return luck() <= probability; }
  std::string_view pick(std::vector<std::string_view> choices) {
    return choices[between(0, choices.size() - 1)];
  }

  std::uint64_t seed_;

 private:
  std::uint32_t stream_;
  std::uint32_t nth_ = 0;
};

}  // namespace reeve::tests
