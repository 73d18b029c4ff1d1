// Instance types that an account uses and a live configuration does not name.
#pragma once

#include <reeve/policy/directory.hpp>
#include <string_view>

#include "scenarios/load/keys/scenario.hpp"

namespace reeve::scenarios {

/// GPUs and price on demand by the price book of the configuration; 0 if the book does not have the
/// type, or there is no book.
policy::InstanceType type_of_account(const LiveSpec& live, std::string_view name);

}  // namespace reeve::scenarios
