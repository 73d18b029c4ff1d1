// The text by which a program and a plug-in check that they use the same contract.
#pragma once

#include <cstdint>
#include <reeve/policy/contract_id.hpp>

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

/// Equal texts mean the same contract with the same layout in memory.
inline constexpr const char* contract_text = REEVE_POLICY_CONTRACT_ID
    " " REEVE_POLICY_TEXT(__SIZEOF_POINTER__) "-byte pointers, " REEVE_POLICY_LIBRARY;

}  // namespace reeve::policy
