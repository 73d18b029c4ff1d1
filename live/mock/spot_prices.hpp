// Spot prices of a mock account: one a day in each of two zones, whatever the fleet pays.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <reeve/policy/units.hpp>
#include <string>

#include "live/mock/mock_answer.hpp"

namespace reeve::live {

/// DescribeSpotPriceHistory, the newest first, with the price in force at StartTime.  The
/// parameters have been checked by wrong_parameters().
MockAnswer spot_price_history(const nlohmann::json& asked, const std::string& region,
                              policy::Instant now);

}  // namespace reeve::live
