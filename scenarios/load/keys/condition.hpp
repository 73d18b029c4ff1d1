// Conditions of scenarios: the tree of a rule's `when`, checked against the table of fields.
#pragma once

#include <optional>
#include <reeve/policy/condition.hpp>

#include "scenarios/text/decode.hpp"

namespace reeve::scenarios {

/// Nothing after a finding.
std::optional<policy::Condition> read_condition(const Node& node, Findings& findings);

/// The keys of a condition, of which `all`, `any` and `not` hold conditions again.
const ObjectShape& condition_shape();

/// The tests in the condition as it is written.
std::vector<Node> tests_in(const Node& condition);

}  // namespace reeve::scenarios
