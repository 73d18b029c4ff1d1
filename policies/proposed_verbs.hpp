// What a rule may propose, for PolicyKind::verbs of rules that do so with any options.
#pragma once

#include <reeve/policy/options.hpp>
#include <reeve/policy/policy.hpp>
#include <vector>

namespace reeve::policies {

template <policy::VerbKind... kinds>
std::vector<policy::VerbKind> always(const policy::Options& /*options*/) {
  return {kinds...};
}

}  // namespace reeve::policies
