#include "alternatives_options.hpp"

#include <utility>

#include "wait_or_move.hpp"

namespace reeve::policies {

using namespace policy;

std::vector<OptionSpec> alternatives_options() {
  std::vector<OptionSpec> all{
      {.name = "fleets",
       .type = OptionType::texts,
       .unit = "",
       .default_json = "",
       .choices = {},
       .help = "fleets a job may move to, by name: the first with room, or with "
               "`usd_per_hour_gained` the one where an hour gained costs least"},
      {.name = "after",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("1h")",
       .min = 0,
       .choices = {},
       .help = "wait after which a job may move",
       .vary = policy::Vary::up},
  };
  for (OptionSpec& option : wait_or_move_options()) all.push_back(std::move(option));
  return all;
}

}  // namespace reeve::policies
