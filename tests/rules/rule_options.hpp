// Options for a rule under test: what a scenario would say, completed from the rule's own table.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "registry.hpp"

namespace reeve::policies {

/// The options of `rule` with `json` over the defaults; keys are the table's names, dots included.
/// Throws std::invalid_argument if a key is unknown or a required one lacks.
policy::Options options_of(std::string_view rule, const std::string& json);

inline std::unique_ptr<policy::Policy> make_rule(std::string_view rule, const std::string& json) {
  return find_kind(rule)->make(options_of(rule, json));
}

inline policy::OptionProblem check_rule(std::string_view rule, const std::string& json) {
  return find_kind(rule)->check(options_of(rule, json));
}

}  // namespace reeve::policies
