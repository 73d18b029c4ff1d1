// The rule that a scenario states itself: a condition and what is done when it holds.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind rule_kind();

/// The same for whoever asks about one job: it decides the same, and its reasons say what the
/// condition rested on.
policy::PolicyKind telling_rule_kind();

}  // namespace reeve::policies
