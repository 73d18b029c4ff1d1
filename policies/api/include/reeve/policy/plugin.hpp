// Rules in a shared object: what it exports, and how whoever loads it tells that the two agree.
//
// A plug-in is one translation unit or more with, once, at namespace scope:
//
//   REEVE_POLICY_PLUGIN(my_rule_kind(), my_other_kind())
//
// Nothing that is thrown crosses the border between two C++ run-time libraries: each call catches
// what its rule throws and says it in words.
#pragma once

#include <cstdint>
#include <exception>
#include <reeve/policy/contract_id.hpp>
#include <reeve/policy/options.hpp>
#include <reeve/policy/policy.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#define REEVE_POLICY_TEXT_OF(x) #x
#define REEVE_POLICY_TEXT(x) REEVE_POLICY_TEXT_OF(x)
#if defined(__GLIBCXX__)
#define REEVE_POLICY_LIBRARY \
  "libstdc++, abi " REEVE_POLICY_TEXT(_GLIBCXX_USE_CXX11_ABI) REEVE_POLICY_CHECKED
#else
#define REEVE_POLICY_LIBRARY "another standard library"
#endif
#if defined(_GLIBCXX_DEBUG)
#define REEVE_POLICY_CHECKED ", debug containers"
#else
#define REEVE_POLICY_CHECKED ""
#endif

namespace reeve::policy {

/// Equal texts: the same contract, laid out alike in memory.
inline constexpr const char* contract_text = REEVE_POLICY_CONTRACT_ID
    " " REEVE_POLICY_TEXT(__SIZEOF_POINTER__) "-byte pointers, " REEVE_POLICY_LIBRARY;

/// What a plug-in exports, behind the C function `reeve_policy_plugin`.  `problem` is set to what a
/// call threw; else it is left alone.
struct Plugin {
  const char* contract = contract_text;  ///< must stay the first member: it is read before the rest
  std::span<const PolicyKind> (*kinds)() = nullptr;
  Policy* (*make)(const PolicyKind&, const Options&, std::string& problem) = nullptr;
  void (*decide)(Policy&, const Step&, Decisions&, std::string& problem) = nullptr;
  void (*destroy)(Policy*) = nullptr;
  OptionProblem (*check)(const PolicyKind&, const Options&, std::string& problem) = nullptr;
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

inline Policy* make(const PolicyKind& kind, const Options& options, std::string& problem) {
  Policy* made = nullptr;
  contain(problem, [&] { made = kind.make(options).release(); });
  return made;
}

inline void decide(Policy& policy, const Step& step, Decisions& out, std::string& problem) {
  contain(problem, [&] { policy.decide(step, out); });
}

inline void destroy(Policy* policy) {
  delete policy;
}

inline OptionProblem check(const PolicyKind& kind, const Options& options, std::string& problem) {
  OptionProblem found;
  if (kind.check != nullptr) contain(problem, [&] { found = kind.check(options); });
  return found;
}

}  // namespace plugin_detail
}  // namespace reeve::policy

#define REEVE_POLICY_PLUGIN(...)                                                    \
  extern "C" __attribute__((visibility("default"))) const ::reeve::policy::Plugin*  \
  reeve_policy_plugin() {                                                           \
    static constexpr ::reeve::policy::Plugin plugin{                                \
        ::reeve::policy::contract_text,                                             \
        []() -> std::span<const ::reeve::policy::PolicyKind> {                      \
          static const std::vector<::reeve::policy::PolicyKind> kinds{__VA_ARGS__}; \
          return kinds;                                                             \
        },                                                                          \
        ::reeve::policy::plugin_detail::make,                                       \
        ::reeve::policy::plugin_detail::decide,                                     \
        ::reeve::policy::plugin_detail::destroy,                                    \
        ::reeve::policy::plugin_detail::check};                                     \
    return &plugin;                                                                 \
  }
