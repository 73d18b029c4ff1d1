// The rule `save_on_notice`: tells a job to save its work before its instances are taken away.
#pragma once

#include <reeve/policy/options.hpp>

namespace reeve::policies {

policy::PolicyKind save_on_notice_kind();

}  // namespace reeve::policies
