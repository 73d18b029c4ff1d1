#include "app/docs/option_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace reeve::app {
namespace {

constexpr double no_limit = 1e300;

std::string limit(double value, policy::OptionType type) {
  return type == policy::OptionType::duration ? seconds_text(value) : fmt::format("{:.15g}", value);
}

}  // namespace

std::string seconds_text(double seconds) {
  struct Unit {
    double seconds;
    std::string_view name;
  };
  std::string out;
  for (const Unit& unit : {Unit{86400, "d"}, Unit{3600, "h"}, Unit{60, "m"}}) {
    const double whole = std::floor(seconds / unit.seconds);
    if (whole < 1) continue;
    out += fmt::format("{:.15g}{}", whole, unit.name);
    seconds -= whole * unit.seconds;
  }
  if (seconds > 0 || out.empty()) out += fmt::format("{:.15g}s", seconds);
  return out;
}

std::string_view type_text(policy::OptionType type) {
  switch (type) {
    case policy::OptionType::flag:
      return "true or false";
    case policy::OptionType::integer:
      return "a whole number";
    case policy::OptionType::number:
      return "a number";
    case policy::OptionType::duration:
      return "a duration";
    case policy::OptionType::choice:
      return "a choice";
    case policy::OptionType::text:
      return "a text";
    case policy::OptionType::texts:
      return "a list of texts";
    case policy::OptionType::integers:
      return "a list of whole numbers";
    case policy::OptionType::text_map:
      return "an object of lists of texts";
    case policy::OptionType::pattern_map:
      return "an object of lists of regular expressions";
    case policy::OptionType::condition:
      return "a condition";
  }
  return "";
}

std::string default_text(const policy::OptionSpec& option) {
  return option.default_json.empty() ? "none: it is required" : std::string{option.default_json};
}

std::string range_text(const policy::OptionSpec& option) {
  if (!option.choices.empty()) {
    std::string out = "one of ";
    for (const std::string_view choice : option.choices) {
      out += fmt::format("{}{}", out.size() > 7 ? ", " : "", choice);
    }
    return out;
  }
  const bool low = option.min > -no_limit;
  const bool high = option.max < no_limit;
  if (low && high) {
    return fmt::format("{} to {}", limit(option.min, option.type), limit(option.max, option.type));
  }
  if (low) return "at least " + limit(option.min, option.type);
  if (high) return "at most " + limit(option.max, option.type);
  return {};
}

}  // namespace reeve::app
