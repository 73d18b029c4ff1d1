// The Spot price that rules assume: they cannot observe the market.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

inline policy::OptionSpec spot_pct_option() {
  return {.name = "spot_pct",
          .type = policy::OptionType::integer,
          .unit = "%",
          .default_json = "100",
          .min = 1,
          .max = 100,
          .choices = {},
          .help = "assumed Spot price, as a percentage of the on-demand price"};
}

}  // namespace reeve::policies
