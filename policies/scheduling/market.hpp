// The rule `market`: chooses on what terms submitted jobs get their instances.
#pragma once

#include <reeve/policy/directory.hpp>
#include <reeve/policy/options.hpp>
#include <string_view>
#include <vector>

namespace reeve::policies {

/// The fleet that has the type on such terms, by the name of the market; none if there is none.
std::vector<policy::PoolId> pools_in_market(std::string_view market,
                                            const policy::Directory& directory,
                                            policy::TypeId type);

policy::PolicyKind market_kind();

}  // namespace reeve::policies
