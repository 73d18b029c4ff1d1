// The rule that lets jobs hold instances only in hours of the week.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind office_hours_kind();

}  // namespace reeve::policies
