// What the words are that rules are stated with: fields, operators and actions of a condition's
// rule, and presets.
#pragma once

#include <optional>
#include <string_view>

#include "app/explain/key.hpp"

namespace reeve::app {

/// A field of conditions: `training_time`, `tag:team`.
std::optional<KeyHelp> explain_field(std::string_view name);

/// An operator of conditions (`matches`, `>=`), or an action of a stated rule (`limit_runtime`).
std::optional<KeyHelp> explain_word(std::string_view name);

/// A preset that every scenario may use: `blog-naive`.
std::optional<KeyHelp> explain_preset(std::string_view name);

/// All these names, for "did you mean".
std::vector<std::string> words_of_rules();

}  // namespace reeve::app
