// The kinds of rules: the built-in ones, listed explicitly, and those of plug-ins.
#pragma once

#include <reeve/policy/options.hpp>
#include <span>
#include <string_view>

namespace reeve::policies {

/// All kinds, built-in and added, ordered by name.
std::span<const policy::PolicyKind> kinds();

/// Adds a kind with a new name.  Call it before kinds(): it invalidates earlier results.
void add_kind(policy::PolicyKind kind);

/// The kind of that name, or null.
const policy::PolicyKind* find_kind(std::string_view name);

}  // namespace reeve::policies
