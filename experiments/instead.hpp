// Repeats a run with other actions in place of one decision of a rule.
#pragma once

#include <cstdint>
#include <memory>
#include <reeve/policy/policy.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::experiments {

/// One replacement action and its time.
struct Deed {
  /// From the time of the original decision, or from the end of the attempt before that of `verb`.
  enum class Since : std::uint8_t { decision, end };

  policy::Verb verb;
  policy::Duration after{0};  ///< for Since::decision
  Since since = Since::decision;
};

/// Replaces the first decision of `rule` at that instant with the same verb and attempt.
struct Instead {
  std::string rule;  ///< label of the seat
  policy::Instant at;
  policy::Verb decision;
  std::vector<Deed> deeds;
};

/// The reason of the replacement decisions, by which they are recognized.
inline constexpr std::string_view instead_reason = "instead";

/// The rule with `instead.deeds` in place of its decision.  It cannot compensate: later proposals
/// of the same kind for that attempt, or of an action in the deeds, are dropped.
std::unique_ptr<policy::Policy> acting_instead(std::unique_ptr<policy::Policy> rule,
                                               const Instead& instead);

}  // namespace reeve::experiments
