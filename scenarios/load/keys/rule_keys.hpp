// What the tables of a scenario need of the kinds of rules: their names and their options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scenarios/load/keys/codec.hpp"
#include "scenarios/load/keys/input.hpp"

namespace reeve::scenarios {

/// The name of a built-in kind of rule.  An unknown one is E0213.
Codec<std::string> rule_name();

/// Whether the kind of rule has an option `use`, which elsewhere names a preset.
bool has_own_use(std::string_view rule);

/// A preset of `rules`: the options of any kind of rule, kept until a policy uses it.
Codec<RawInput> preset();

/// The options of each kind of rule as an object; `name` is the kind's.
std::vector<ObjectShape> option_shapes();

}  // namespace reeve::scenarios
