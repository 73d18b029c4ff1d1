// What calls of the services around the rules cost.
#pragma once

#include <reeve/policy/units.hpp>

namespace reeve::scenarios {

/// What a million calls of the services around the rules cost.
struct CallPrices {
  policy::Usd lambda_per_million;  ///< a status event or alarm change that was delivered to rules
  policy::Usd sns_per_million;     ///< a message to people
};

}  // namespace reeve::scenarios
