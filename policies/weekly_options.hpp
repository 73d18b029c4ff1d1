// The options of rules that go by hours of the week, and the hours that they mean.
#pragma once

#include <array>
#include <bitset>
#include <reeve/policy/options.hpp>
#include <reeve/policy/weekly_hours.hpp>
#include <string_view>
#include <vector>

namespace reeve::policies {

inline constexpr std::array<std::string_view, 7> day_names{"mon", "tue", "wed", "thu",
                                                           "fri", "sat", "sun"};

inline policy::WeeklyHours weekly_hours(const policy::Options& options) {
  std::bitset<7> days;
  for (const std::string& name : options.texts("days")) {
    for (std::size_t day = 0; day < day_names.size(); ++day) {
      if (day_names[day] == name) days.set(day);
    }
  }
  return policy::WeeklyHours::between(days, options.duration("from"), options.duration("to"),
                                      options.number("utc_offset_h"));
}

inline std::vector<policy::OptionSpec> weekly_options() {
  using policy::OptionType;
  return {
      {.name = "days",
       .type = OptionType::texts,
       .unit = "",
       .default_json = R"(["mon", "tue", "wed", "thu", "fri"])",
       .choices = {day_names.begin(), day_names.end()},
       .help = "days on which the hours begin"},
      {.name = "from",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("8h")",
       .min = 0,
       .max = 86399,
       .choices = {},
       .help = "when they begin, after midnight"},
      {.name = "to",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("18h")",
       .min = 0,
       .max = 86400,
       .choices = {},
       .help = "when they end, after midnight; not later than `from`: on the next day"},
      {.name = "utc_offset_h",
       .type = OptionType::number,
       .unit = "h",
       .default_json = "0",
       .min = -12,
       .max = 14,
       .choices = {},
       .help = "how far the clock there is ahead of UTC"},
  };
}

}  // namespace reeve::policies
