// Presets of rules that every scenario may `use`: two articles' handlers as they stand in print.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/load/keys/rule_options.hpp"
#include "scenarios/text/json.hpp"

namespace reeve::scenarios {

/// Their names; `blog-naive`: the articles' handlers once they run at all; `blog-as-printed`: with
/// the mistakes that keep them from running.
std::vector<std::string_view> builtin_presets();

/// What the preset is, in a sentence.  Empty: there is no such preset.
std::string_view summary_of_preset(std::string_view name);

/// What findings within a preset give as their file.
std::string file_of_preset(std::string_view name);

/// The kinds of rules that it says something of, each an object of its options.
std::vector<Node> rules_of_preset(std::string_view name);

/// What the preset says of a kind of rule: an object of its options.  Nothing: no such preset, or
/// it says nothing of that kind.
std::optional<Node> builtin_preset(std::string_view name, std::string_view rule);

/// What was found from number `first` on within a built-in preset stands where the rule uses it.
void tell_at_use(const OptionPlaces& places, const std::optional<std::string>& use,
                 std::size_t first, Findings& findings);

}  // namespace reeve::scenarios
