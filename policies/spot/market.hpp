// The rule `market`: chooses on what terms submitted jobs get their machines.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind market_kind();

}  // namespace reeve::policies
