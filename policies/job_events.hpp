// Which job an observation concerns, and whether a refused action is worth another try.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <reeve/policy/policy.hpp>

namespace reeve::policies {

/// How long a rule waits before it proposes an expired action again.
inline constexpr policy::Duration kAskAgainAfter = std::chrono::minutes{1};

/// The wait before the next try after `times` failed ones: it doubles each time, up to 64 minutes,
/// because a quota may never have room.
constexpr policy::Duration ask_again_after(unsigned times) {
  constexpr unsigned doublings = 6;
  return kAskAgainAfter * (1U << (times < doublings ? times : doublings));
}

/// Whether the attempt is neither terminal nor stopping, so a rule can act on it.
inline bool is_alive(const policy::JobStatus& status) {
  return status.primary == policy::Primary::queued ||
         status.primary == policy::Primary::in_progress;
}

/// The wait from the end of an attempt to its clone: `wait`, but at least kAskAgainAfter if a clone
/// ended at the instant of its submission.  The next clone would end at the same instant.
inline policy::Duration pause_before_clone(const policy::JobStatus& ended, policy::Duration wait) {
  const bool at_once = ended.origin == policy::Origin::rule && ended.ended_at <= ended.requested_at;
  return at_once && wait < kAskAgainAfter ? kAskAgainAfter : wait;
}

/// True if the settled action changed something.
inline bool worked(const policy::ActionSettled& settled) {
  return settled.outcome == policy::Outcome::done ||
         settled.outcome == policy::Outcome::partly_done;
}

/// Whether people know of the message or would know: in shadow mode it is never sent, and `moot`
/// means that it was sent before.
inline bool was_told(const policy::ActionSettled& settled) {
  return worked(settled) || settled.refusal == policy::Refusal::seat_mode ||
         settled.refusal == policy::Refusal::moot;
}

/// The platform rejected the action.  A later try can succeed.
inline bool was_rejected(const policy::ActionSettled& settled) {
  return settled.outcome == policy::Outcome::refused &&
         settled.refusal == policy::Refusal::platform;
}

/// Whether a rejected action is still necessary: without it a job continues, is not submitted
/// again, or people are not notified.  Placement and checkpoints are optional.
inline bool must_be_done(policy::VerbKind verb) {
  using policy::VerbKind;
  return verb == VerbKind::stop_job || verb == VerbKind::limit_runtime ||
         verb == VerbKind::clone_job || verb == VerbKind::notify;
}

/// The number of unsuccessful requests for one attempt.  Another attempt starts from zero.
struct Lacked {
  policy::AttemptNumber attempt = 0;
  std::uint8_t times = 0;

  /// The wait before the next request; longer each time.
  policy::Duration pause_before(policy::AttemptNumber of) {
    if (attempt != of) *this = {.attempt = of};
    const policy::Duration pause = ask_again_after(times);
    if (times < std::numeric_limits<std::uint8_t>::max()) ++times;
    return pause;
  }
};

/// A settlement of a call about an alarm, not of an action on a job.
inline bool is_of_alarm(const policy::ActionSettled& settled) {
  return settled.verb == policy::VerbKind::put_alarm ||
         settled.verb == policy::VerbKind::delete_alarm;
}

/// The job to look at again: it was submitted, it changed, its queue cannot start it, or an action
/// of another seat on it has ended.  A rule's own settlements do not count: a rule that is always
/// refused would propose without end.  Decisions of others that never became actions, and calls
/// about their alarms, do not count either.
inline std::optional<policy::JobId> job_to_review(const policy::Observation& seen,
                                                  policy::SeatId own) {
  if (const auto* event = std::get_if<policy::JobChanged>(&seen.fact)) return event->job;
  if (const auto* event = std::get_if<policy::JobSubmitted>(&seen.fact)) return event->job;
  if (const auto* event = std::get_if<policy::QueueBlocked>(&seen.fact)) return event->job;
  const auto* settled = std::get_if<policy::ActionSettled>(&seen.fact);
  if (settled == nullptr || settled->seat == own || is_of_alarm(*settled)) return std::nullopt;
  const bool was_action = settled->outcome != policy::Outcome::refused ||
                          settled->refusal == policy::Refusal::platform ||
                          settled->refusal == policy::Refusal::no_room;
  return was_action ? std::optional{settled->job} : std::nullopt;
}

/// The seat's own settlement of `verb` in this observation, or null.  That of a message counts too:
/// in warn mode a message is sent in place of `verb`.
inline const policy::ActionSettled* own_settlement(const policy::Observation& seen,
                                                   policy::SeatId own, policy::VerbKind verb) {
  const auto* settled = std::get_if<policy::ActionSettled>(&seen.fact);
  if (settled == nullptr || settled->seat != own) return nullptr;
  const bool fits = settled->verb == verb || settled->verb == policy::VerbKind::notify;
  return fits ? settled : nullptr;
}

/// When a rule proposes again what had no effect.
enum class Again : std::uint8_t {
  not_needed,          ///< it worked, or was refused on its merits
  after_other_action,  ///< another action on the job blocks it: when that action ends
  later,               ///< expired after all tries: after kAskAgainAfter
  when_room,           ///< the account's quota is used up: see ask_again_after
  when_released,       ///< kill switch or rate limit: when HeldBack releases it
};

inline Again again(const policy::ActionSettled& mine) {
  if (mine.refusal == policy::Refusal::kill_switch) return Again::when_released;
  if (mine.refusal == policy::Refusal::rate_limit) return Again::when_released;
  if (mine.refusal == policy::Refusal::no_room) return Again::when_room;
  if (mine.outcome == policy::Outcome::expired) return Again::later;
  return mine.refusal == policy::Refusal::conflict ? Again::after_other_action : Again::not_needed;
}

/// Whether the message was not delivered, or perhaps not, for a reason other than its merits.
inline bool may_be_sent_again(const policy::ActionSettled& message) {
  return again(message) != Again::not_needed || was_rejected(message);
}

}  // namespace reeve::policies
