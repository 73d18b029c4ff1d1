#include "spot_fallback_options.hpp"

#include <utility>

#include "market.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// Tests that ask how often, each by itself enough.
std::vector<OptionSpec> rate_options() {
  constexpr double year = 366 * 86'400;
  return {
      {.name = "interruptions_above",
       .type = OptionType::integer,
       .unit = "interruptions",
       .default_json = "3",
       .min = 0,
       .max = 65535,
       .choices = {},
       .help = "an attempt with more interruptions leaves Spot; 65535: never",
       .vary = Vary::up},
      {.name = "rate_above",
       .type = OptionType::number,
       .unit = "per hour",
       .default_json = "0",
       .min = 0,
       .max = 1e6,
       .choices = {},
       .help = "an attempt with more interruptions per hour of `rate_window` leaves Spot; 0: never",
       .vary = Vary::up},
      {.name = "rate_window",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("2h")",
       .min = 1,
       .max = year,
       .choices = {},
       .help = "window of `rate_above`",
       .vary = Vary::up,
       .companion = {"rate_above", R"("rate_above": 0.5)"}},
      {.name = "pooled_above",
       .type = OptionType::number,
       .unit = "per instance-hour",
       .default_json = "0",
       .min = 0,
       .max = 1e6,
       .choices = {},
       .help = "an interrupted attempt leaves Spot if all Spot jobs of its type are interrupted "
               "more often per instance-hour; 0: never",
       .vary = Vary::up},
      {.name = "pooled_window",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("24h")",
       .min = 1,
       .max = year,
       .choices = {},
       .help = "window of `pooled_above`",
       .companion = {"pooled_above", R"("pooled_above": 0.5)"}},
      {.name = "pooled_min_hours",
       .type = OptionType::number,
       .unit = "instance-hours",
       .default_json = "3",
       .min = 0,
       .max = 1e9,
       .choices = {},
       .help = "`pooled_above` needs at least this many instance-hours in its window",
       .companion = {"pooled_above", R"("pooled_above": 0.5)"}},
  };
}

/// Tests that ask what comes of it, and where the job goes.
std::vector<OptionSpec> other_options() {
  return {
      {.name = "min_progress",
       .type = OptionType::number,
       .unit = "",
       .default_json = "0",
       .min = 0,
       .max = 1,
       .choices = {},
       .help = "an interrupted attempt leaves Spot if a smaller fraction of its billed time made "
               "lasting work; needs jobs with `reports`; 0: never",
       .vary = Vary::down},
      {.name = "timeouts",
       .type = OptionType::integer,
       .unit = "time-outs",
       .default_json = "0",
       .min = 0,
       .max = 65535,
       .choices = {},
       .help = "a waiting job leaves Spot if this many attempts of its type ended by max_wait "
               "within `timeouts_window`; 0: never",
       .vary = Vary::up},
      {.name = "timeouts_window",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("6h")",
       .min = 1,
       .max = 366 * 86'400,
       .choices = {},
       .help = "window of `timeouts`",
       .companion = {"timeouts", R"("timeouts": 3)"}},
      {.name = "after_max_wait",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "false",
       .choices = {},
       .help = "true: an attempt that ended as MaxWaitTimeExceeded is cloned too"},
      {.name = "clone_keeps_checkpoint",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "true: the clone resumes from the last checkpoint; false: from scratch, as in the "
               "article"},
      {.name = "market",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("on_demand")",
       .choices = {market_names.begin(), market_names.end()},
       .help =
           "market in which the clone runs; if it has no fleet, or one too small, the job stays"},
  };
}

}  // namespace

std::vector<OptionSpec> spot_fallback_options() {
  std::vector<OptionSpec> table = rate_options();
  for (OptionSpec& row : other_options()) table.push_back(std::move(row));
  return table;
}

}  // namespace reeve::policies
