// The numbers of a rule's options that decide when it acts, and their other values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <reeve/policy/options.hpp>
#include <string>
#include <variant>
#include <vector>

#include "scenarios/load/keys/scenario.hpp"

namespace reeve::experiments {

/// An option of a rule at another value.
struct Setting {
  std::string option;
  policy::OptionValue value;
  std::string subject;  ///< the option, or a test of its condition: "age >="
  /// What the subject is set to: a whole number, a number, a duration, or a list.
  std::variant<std::int64_t, double, policy::Duration, std::vector<std::int64_t>> set_to;
};

/// A number that makes its rule act later, or on fewer jobs, if it moves one way.
class Threshold {
 public:
  enum class Scale : std::uint8_t { count, number, length };

  Scale scale = Scale::number;
  bool is_up = true;  ///< the way is to greater values
  double now = 0;     ///< lengths in seconds
  double least = 0;
  double most = 0;
  std::string subject = {};
  std::function<Setting(double)> set = {};

  /// The value after that many steps, from 0 on, between `least` and `most`.  Counts are 1, 2, 4,
  /// ... from `now`; other values double, or halve and end at `least`.
  double outward(int step) const;
  /// A value of a few digits about halfway; none: there is none between the two.
  std::optional<double> between(double a, double b) const;
  static constexpr int steps = 11;

 private:
  double rounded(double value) const;
};

/// Those options of the rule that its table says to vary (`policy::Vary`).  Of a condition, each
/// test that compares one number or duration by order.  Up to 32 times the present value.
std::vector<Threshold> thresholds_of(const scenarios::SeatSpec& seat);

}  // namespace reeve::experiments
