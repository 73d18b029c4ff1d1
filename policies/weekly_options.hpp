// The options of rules that use weekly hours, and the hours that they state.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <reeve/policy/options.hpp>
#include <reeve/policy/weekly_hours.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::policies {

inline constexpr std::array<std::string_view, 7> day_names{"mon", "tue", "wed", "thu",
                                                           "fri", "sat", "sun"};

/// `prefix`: of the names of the options.
inline policy::WeeklyHours weekly_hours(const policy::Options& options,
                                        const std::string& prefix = {}) {
  std::bitset<7> days;
  for (const std::string& name : options.texts(prefix + "days")) {
    for (std::size_t day = 0; day < day_names.size(); ++day) {
      if (day_names[day] == name) days.set(day);
    }
  }
  return policy::WeeklyHours::between(days, options.duration(prefix + "from"),
                                      options.duration(prefix + "to"),
                                      options.number(prefix + "utc_offset_h"));
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
       .help = "start of the hours, after midnight",
       .vary = policy::Vary::down},
      {.name = "to",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("18h")",
       .min = 0,
       .max = 86400,
       .choices = {},
       .help = "end of the hours, after midnight; if not later than `from`, on the next day",
       .vary = policy::Vary::up},
      {.name = "utc_offset_h",
       .type = OptionType::number,
       .unit = "h",
       .default_json = "0",
       .min = -12,
       .max = 14,
       .choices = {},
       .help = "offset of local time from UTC, fixed all year"},
  };
}

inline bool has_weekly_options(const policy::PolicyKind& kind) {
  const std::vector<policy::OptionSpec> own = weekly_options();
  return std::all_of(own.begin(), own.end(), [&](const policy::OptionSpec& row) {
    return std::any_of(kind.options.begin(), kind.options.end(), [&](const auto& other) {
      return other.name == row.name && other.type == row.type;
    });
  });
}

/// The same options for quiet hours; default: none.
inline std::vector<policy::OptionSpec> quiet_options() {
  constexpr std::array<std::string_view, 4> names{"quiet_hours.days", "quiet_hours.from",
                                                  "quiet_hours.to", "quiet_hours.utc_offset_h"};
  constexpr std::array<std::string_view, 4> defaults{"[]", R"("18h")", R"("8h")", "0"};
  constexpr std::array<std::string_view, 4> helps{
      "days on which quiet hours begin; notifications wait until they end; empty: no quiet hours",
      "start of quiet hours, after midnight",
      "end of quiet hours, after midnight; if not later than `from`, on the next day",
      "offset of local time from UTC, fixed all year"};
  std::vector<policy::OptionSpec> table = weekly_options();
  for (std::size_t row = 0; row < table.size(); ++row) {
    table[row].name = names[row];
    table[row].default_json = defaults[row];
    table[row].help = helps[row];
    if (row > 0) table[row].companion = {names[0], R"("days": ["sat", "sun"])"};
  }
  return table;
}

}  // namespace reeve::policies
