// The rule that decides which queued job starts when, and in which order.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind schedule_kind();

}  // namespace reeve::policies
