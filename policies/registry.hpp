// The built-in kinds of rules, listed explicitly.
#pragma once

#include <reeve/policy/options.hpp>
#include <span>
#include <string_view>

namespace reeve::policies {

/// Every built-in kind, ordered by name.
std::span<const policy::PolicyKind> kinds();

/// The kind of that name, or null.
const policy::PolicyKind* find_kind(std::string_view name);

}  // namespace reeve::policies
