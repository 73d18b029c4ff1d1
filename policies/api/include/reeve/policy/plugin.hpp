// Rules in a shared object: its exports, and the check that it uses the program's contract.
//
// A plug-in is one or more translation units, one of which has at global scope:
//
//   REEVE_POLICY_PLUGIN(my_rule_kind(), my_other_kind())
//
// The macro gives the shared object its own operators new and delete, which count the memory that
// rules hold.  No exception crosses the boundary between two C++ runtime libraries: each call
// catches what its rule throws and returns the message as text.
#pragma once

#include <exception>
#include <reeve/policy/contract_text.hpp>
#include <reeve/policy/held_memory.hpp>
#include <reeve/policy/options.hpp>
#include <reeve/policy/policy.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace reeve::policy {

/// The exports of a plug-in, returned by the C function `reeve_policy_plugin`.  If a call throws,
/// it sets `problem` to the message; else it leaves `problem` unchanged.
struct Plugin {
  const char* contract = contract_text;  ///< must stay first: the program reads it before the rest
  std::span<const PolicyKind> (*kinds)(std::string& problem) = nullptr;
  Policy* (*make)(const PolicyKind&, const Options&, std::string& problem) = nullptr;
  /// Counts the memory that the rule allocates in `held`, which may be null.
  void (*decide)(Policy&, const Step&, Decisions&, HeldMemory* held,
                 std::string& problem) = nullptr;
  void (*destroy)(Policy*) = nullptr;
  OptionProblem (*check)(const PolicyKind&, const Options&, std::string& problem) = nullptr;
  OptionProblem (*idle)(const PolicyKind&, const Options&, const ScenarioFacts&,
                        std::string& problem) = nullptr;
};

/// The name of the exported function.
inline constexpr const char* plugin_entry = "reeve_policy_plugin";

namespace plugin_detail {

template <class Call>
void contain(std::string& problem, const Call& call) noexcept {
  try {
    call();
  } catch (const std::exception& thrown) {
    problem = thrown.what();
    if (problem.empty()) problem = "threw something without a word";
  } catch (...) {
    problem = "threw something that is no std::exception";
  }
}

template <class List>
std::vector<PolicyKind> listed(std::string& problem, const List& list) {
  std::vector<PolicyKind> kinds;
  contain(problem, [&] { kinds = list(); });
  return kinds;
}

inline Policy* make(const PolicyKind& kind, const Options& options, std::string& problem) {
  Policy* made = nullptr;
  contain(problem, [&] { made = kind.make(options).release(); });
  return made;
}

inline void decide(Policy& policy, const Step& step, Decisions& out, HeldMemory* held,
                   std::string& problem) {
  contain(problem, [&] {
    const Metering metering{held};
    policy.decide(step, out);
  });
}

inline void destroy(Policy* policy) {
  delete policy;
}

inline OptionProblem check(const PolicyKind& kind, const Options& options, std::string& problem) {
  OptionProblem found;
  if (kind.check != nullptr) contain(problem, [&] { found = kind.check(options); });
  return found;
}

inline OptionProblem idle(const PolicyKind& kind, const Options& options,
                          const ScenarioFacts& facts, std::string& problem) {
  OptionProblem found;
  if (kind.idle != nullptr) contain(problem, [&] { found = kind.idle(options, facts); });
  return found;
}

}  // namespace plugin_detail
}  // namespace reeve::policy

#define REEVE_POLICY_PLUGIN(...)                                                              \
  REEVE_POLICY_METERED_NEW                                                                    \
  extern "C" __attribute__((visibility("default"))) const ::reeve::policy::Plugin*            \
  reeve_policy_plugin() {                                                                     \
    static constexpr ::reeve::policy::Plugin plugin{                                          \
        ::reeve::policy::contract_text,                                                       \
        [](std::string& problem) -> std::span<const ::reeve::policy::PolicyKind> {            \
          static const auto kinds = ::reeve::policy::plugin_detail::listed(                   \
              problem, [] { return std::vector<::reeve::policy::PolicyKind>{__VA_ARGS__}; }); \
          return kinds;                                                                       \
        },                                                                                    \
        ::reeve::policy::plugin_detail::make,                                                 \
        ::reeve::policy::plugin_detail::decide,                                               \
        ::reeve::policy::plugin_detail::destroy,                                              \
        ::reeve::policy::plugin_detail::check,                                                \
        ::reeve::policy::plugin_detail::idle};                                                \
    return &plugin;                                                                           \
  }
