// Which job an observation is a reason to look at, and whether a refusal deserves another try.
#pragma once

#include <optional>
#include <reeve/policy/policy.hpp>

namespace reeve::policies {

/// True if the settled action changed something.
inline bool worked(const policy::ActionSettled& settled) {
  return settled.outcome == policy::Outcome::done ||
         settled.outcome == policy::Outcome::partly_done;
}

/// The job to look at again: it was submitted, it changed, or another seat's action on it is over.
/// A rule's own settlements are not news, or a rule that is always refused would ask for ever.
inline std::optional<policy::JobId> job_with_news(const policy::Observation& seen,
                                                  policy::SeatId own) {
  if (const auto* news = std::get_if<policy::JobChanged>(&seen.fact)) return news->job;
  if (const auto* news = std::get_if<policy::JobSubmitted>(&seen.fact)) return news->job;
  const auto* settled = std::get_if<policy::ActionSettled>(&seen.fact);
  if (settled != nullptr && settled->seat != own && worked(*settled)) return settled->job;
  return std::nullopt;
}

/// The step's own settlement of `verb` in this observation, or null.
inline const policy::ActionSettled* own_settlement(const policy::Observation& seen,
                                                   policy::SeatId own, policy::VerbKind verb) {
  const auto* settled = std::get_if<policy::ActionSettled>(&seen.fact);
  const bool mine = settled != nullptr && settled->seat == own && settled->verb == verb;
  return mine ? settled : nullptr;
}

/// True if the step tells that another seat's action on the job of `mine` worked.
inline bool another_worked(const policy::Step& step, const policy::ActionSettled& mine) {
  for (const policy::Observation& seen : step.observed) {
    const auto* other = std::get_if<policy::ActionSettled>(&seen.fact);
    if (other == nullptr || other->seat == mine.seat || other->job != mine.job) continue;
    if (worked(*other)) return true;
  }
  return false;
}

/// True if the rule asks again: `mine` was given up after many tries, or refused because another
/// seat was acting on the same job.  What a guard refused stays refused.
inline bool worth_asking_again(const policy::Step& step, const policy::ActionSettled& mine) {
  if (mine.outcome == policy::Outcome::expired) return true;
  if (mine.outcome != policy::Outcome::refused) return false;
  return step.fleet.status(mine.job).busy || another_worked(step, mine);
}

}  // namespace reeve::policies
