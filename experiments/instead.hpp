// Plays a run with other deeds in place of one decision of a rule.
#pragma once

#include <cstdint>
#include <memory>
#include <reeve/policy/policy.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::experiments {

/// One of the deeds, and when it is due.
struct Deed {
  /// Since the decision would have been made; or since the attempt before `verb`'s is over.
  enum class Since : std::uint8_t { decision, end };

  policy::Verb verb;
  policy::Duration after{0};  ///< of those since the decision
  Since since = Since::decision;
};

/// In place of the first decision of `rule` at that instant that does the same to the same attempt.
struct Instead {
  std::string rule;  ///< label of the seat
  policy::Instant at;
  policy::Verb decision;
  std::vector<Deed> deeds;
};

/// The reason that the deeds are given: by it their decisions are known.
inline constexpr std::string_view instead_reason = "instead";

/// The rule with the deeds in place of its decision.  It may not make up for it: what it wants to
/// do to that attempt again, or what one of the deeds does, is not asked for any more.
std::unique_ptr<policy::Policy> acting_instead(std::unique_ptr<policy::Policy> rule,
                                               const Instead& instead);

}  // namespace reeve::experiments
