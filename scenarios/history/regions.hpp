// One instance type that costs more in one region than in another: the replay has a type for each.
#pragma once

#include <string_view>

#include "scenarios/history/join.hpp"

namespace reeve::scenarios {

/// Where a bill has prices of one type and market that differ by region by more than 1 %, jobs get
/// the type "TYPE@REGION".  The region of a job is that of the bill, else that of its ARN.
void split_regions(JoinedHistory& joined, const Bill& bill);

/// The type that AWS knows: "ml.p4d.24xlarge" of "ml.p4d.24xlarge@eu-west-1".
std::string_view type_of_aws(std::string_view type);

/// "eu-west-1" of it; empty without a region.
std::string_view region_of_type(std::string_view type);

}  // namespace reeve::scenarios
