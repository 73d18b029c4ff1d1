#include "experiments/explain/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <reeve/policy/condition.hpp>
#include <string_view>
#include <utility>

#include "experiments/measures.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::experiments {
namespace {

using policy::Comparison;
using policy::Condition;
using policy::Duration;
using policy::OptionSpec;
using policy::OptionType;
using Scale = Threshold::Scale;

constexpr double minute = 60;
constexpr double most_times = 32;  // a farther value is no small change
constexpr double more_counts = 16;
constexpr double first_length = 15 * minute;  // the first value after a length of 0
constexpr double first_number = 1;            // likewise
constexpr double threshold_limit = 1e9;       // for lengths in seconds, the range of a duration

Duration length_of(double seconds) {
  return std::chrono::round<std::chrono::seconds>(std::chrono::duration<double>{seconds});
}

/// Of an option that is one number.
Threshold of_number(const OptionSpec& spec, const policy::OptionValue& value) {
  Threshold threshold;
  threshold.subject = spec.name;
  threshold.least = spec.min;
  threshold.most = spec.max;
  const std::string name{spec.name};
  if (const auto* count = std::get_if<std::int64_t>(&value)) {
    threshold.scale = Scale::count;
    threshold.now = static_cast<double>(*count);
    threshold.set = [name](double to) {
      const std::int64_t whole = std::llround(to);
      return Setting{name, whole, name, whole};
    };
  } else if (const auto* number = std::get_if<double>(&value)) {
    threshold.scale = Scale::number;
    threshold.now = *number;
    threshold.set = [name](double to) { return Setting{name, to, name, to}; };
  } else {
    threshold.scale = Scale::length;
    threshold.now = seconds(std::get<Duration>(value));
    threshold.set = [name](double to) { return Setting{name, length_of(to), name, length_of(to)}; };
  }
  return threshold;
}

/// Of a list: the same number is added to each element.
Threshold of_list(const OptionSpec& spec, const std::vector<std::int64_t>& elements) {
  Threshold threshold;
  threshold.scale = Scale::count;
  threshold.subject = spec.name;
  const auto [low, high] = std::ranges::minmax(elements);
  threshold.least = spec.min - static_cast<double>(low);
  threshold.most = spec.max - static_cast<double>(high);
  threshold.set = [name = std::string{spec.name}, elements](double more) {
    std::vector<std::int64_t> moved = elements;
    for (std::int64_t& element : moved) element += std::llround(more);
    return Setting{name, moved, name, moved};
  };
  return threshold;
}

/// The threshold, limited to values near the present one.
Threshold near(Threshold threshold) {
  const bool is_count = threshold.scale == Scale::count;
  const double now = std::abs(threshold.now);
  double far = (most_times - 1) * now;
  if (is_count) far = std::max(far, more_counts);
  if (now == 0 && !is_count) {
    far = more_counts * (threshold.scale == Scale::length ? first_length : first_number);
  }
  threshold.most = std::min({threshold.most, threshold.now + far, threshold_limit});
  threshold.least = std::max(threshold.least, is_count ? threshold.now - far : 0);
  return threshold;
}

bool is_over(Comparison comparison) {
  return comparison == Comparison::above || comparison == Comparison::at_least;
}

bool is_ordered(Comparison comparison) {
  return is_over(comparison) || comparison == Comparison::below ||
         comparison == Comparison::at_most;
}

/// The position of a part in a condition, from the outermost list of parts inwards.
using Path = std::vector<std::size_t>;

Condition& part_at(Condition& whole, const Path& path) {
  Condition* part = &whole;
  for (const std::size_t place : path) part = &part->parts[place];
  return *part;
}

/// Of the test at `path`; `within_not`: it must hold so that the rule does not act.
Threshold of_test(std::string_view option, const Condition& whole, const Path& path,
                  const Condition& test, bool within_not) {
  const bool is_length = policy::spec_of(test.field).type == policy::ConditionType::duration;
  Threshold threshold;
  threshold.scale = is_length ? Scale::length : Scale::count;
  threshold.is_up = is_over(test.comparison) != within_not;
  threshold.now = is_length ? seconds(test.duration) : static_cast<double>(test.numbers.front());
  threshold.least = is_length ? 0 : -threshold_limit;
  threshold.most = threshold_limit;
  threshold.subject =
      fmt::format("{} {}", policy::spec_of(test.field).name,
                  policy::comparison_names[static_cast<std::size_t>(test.comparison)]);
  threshold.set = [name = std::string{option}, whole, path, is_length,
                   subject = threshold.subject](double to) {
    Setting setting{name, whole, subject, {}};
    Condition& part = part_at(std::get<Condition>(setting.value), path);
    if (is_length) {
      part.duration = length_of(to);
      setting.set_to = part.duration;
    } else {
      part.numbers.front() = std::llround(to);
      setting.set_to = part.numbers.front();
    }
    return setting;
  };
  return threshold;
}

void add_tests(std::string_view option, const Condition& whole, const Path& path, bool within_not,
               std::vector<Threshold>& out) {
  Condition copy = whole;
  const Condition& part = part_at(copy, path);
  if (part.kind != Condition::Kind::test) {
    const bool inside = within_not != (part.kind == Condition::Kind::none);
    for (std::size_t place = 0; place < part.parts.size(); ++place) {
      Path below = path;
      below.push_back(place);
      add_tests(option, whole, below, inside, out);
    }
    return;
  }
  const bool is_one = policy::spec_of(part.field).type == policy::ConditionType::duration ||
                      part.numbers.size() == 1;
  if (!is_ordered(part.comparison) || !is_one) return;
  out.push_back(near(of_test(option, whole, path, part, within_not)));
}

/// False: the option has no effect with the other options as they are.
bool applies(const scenarios::SeatSpec& seat, const OptionSpec& spec) {
  const policy::Companion& companion = spec.companion;
  if (!companion.option.empty() && scenarios::has_option(*seat.kind, companion.option) &&
      companion.turns_off(seat.options.value(companion.option))) {
    return false;
  }
  const bool is_of_alarm = scenarios::is_stated(*seat.kind) && spec.name.starts_with("alarm.");
  return !is_of_alarm || scenarios::acts_on_alarms(seat);
}

}  // namespace

double Threshold::rounded(double value) const {
  if (scale == Scale::number) return std::stod(fmt::format("{:.3g}", value));
  const bool in_minutes = scale == Scale::length && std::fmod(now, minute) == 0;
  // Below a minute there is no whole one.
  const double unit = in_minutes && value >= minute ? minute : 1;
  return std::floor(value / unit) * unit;
}

double Threshold::outward(int step) const {
  const double twice = std::ldexp(1, step);
  double value = 0;
  if (scale == Scale::count) {
    value = is_up ? now + twice : now - twice;
  } else if (is_up) {
    const double first = scale == Scale::length ? first_length : first_number;
    value = now > 0 ? 2 * now * twice : first * twice;
  } else {
    value = step + 1 == steps ? least : rounded(now / (2 * twice));
  }
  return std::clamp(value, least, std::max(least, most));
}

std::optional<double> Threshold::between(double a, double b) const {
  const double value = rounded(std::midpoint(a, b));
  if (value <= std::min(a, b) || value >= std::max(a, b)) return std::nullopt;
  return value;
}

std::vector<Threshold> thresholds_of(const scenarios::SeatSpec& seat) {
  std::vector<Threshold> all;
  for (const OptionSpec& spec : seat.kind->options) {
    if (spec.vary == policy::Vary::no || !applies(seat, spec)) continue;
    const policy::OptionValue& value = seat.options.value(spec.name);
    if (spec.type == OptionType::condition) {
      add_tests(spec.name, std::get<Condition>(value), {}, false, all);
      continue;
    }
    const auto* const elements = std::get_if<std::vector<std::int64_t>>(&value);
    const bool is_number = spec.type == OptionType::integer || spec.type == OptionType::number ||
                           spec.type == OptionType::duration;
    if (!is_number && (elements == nullptr || elements->empty())) continue;
    Threshold threshold = is_number ? of_number(spec, value) : of_list(spec, *elements);
    threshold.is_up = spec.vary != policy::Vary::down;
    all.push_back(near(threshold));
    if (spec.vary != policy::Vary::either) continue;
    threshold.is_up = false;
    all.push_back(near(std::move(threshold)));
  }
  return all;
}

}  // namespace reeve::experiments
