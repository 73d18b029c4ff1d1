// The rule that stops training jobs that lack a tag they must carry.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind required_tags_kind();

}  // namespace reeve::policies
