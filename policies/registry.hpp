// The kinds of rules: the built-in ones, listed explicitly, and those of plug-ins.
#pragma once

#include <reeve/policy/options.hpp>
#include <span>
#include <string_view>

namespace reeve::policies {

/// Every kind, ordered by name: the built-in ones, and those that were added.
std::span<const policy::PolicyKind> kinds();

/// Adds a kind whose name is new.  Before anything else asks for kinds: what was given out before
/// is no longer valid.
void add_kind(policy::PolicyKind kind);

/// The kind of that name, or null.
const policy::PolicyKind* find_kind(std::string_view name);

}  // namespace reeve::policies
