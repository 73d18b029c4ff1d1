// The rule that submits a further attempt when one has ended too early.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind resume_kind();

}  // namespace reeve::policies
