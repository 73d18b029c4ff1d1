// Which job an observation is a reason to look at, and whether a refusal deserves another try.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <reeve/policy/policy.hpp>

namespace reeve::policies {

/// How long a rule waits before it asks again for what was given up after many tries.
inline constexpr policy::Duration kAskAgainAfter = std::chrono::minutes{1};

/// The same for what it has asked for so many times already: twice as long each time, up to about
/// an hour, for what nobody will ever free must not be asked for each minute.
constexpr policy::Duration ask_again_after(unsigned times) {
  constexpr unsigned doublings = 6;
  return kAskAgainAfter * (1U << (times < doublings ? times : doublings));
}

/// Neither over nor about to be: there is something to act on.
inline bool is_alive(const policy::JobStatus& status) {
  return status.primary == policy::Primary::queued ||
         status.primary == policy::Primary::in_progress;
}

/// How long who submits a job again waits from the end of the attempt before, if he would wait so
/// long: what ends at the instant of its submission would do so again, at the same instant.
inline policy::Duration pause_before_clone(const policy::JobStatus& ended, policy::Duration wait) {
  const bool at_once = ended.origin == policy::Origin::rule && ended.ended_at <= ended.requested_at;
  return at_once && wait < kAskAgainAfter ? kAskAgainAfter : wait;
}

/// True if the settled action changed something.
inline bool worked(const policy::ActionSettled& settled) {
  return settled.outcome == policy::Outcome::done ||
         settled.outcome == policy::Outcome::partly_done;
}

/// People know of the message, or would: in shadow nobody is ever told, and who was told before
/// need not be told again.
inline bool was_told(const policy::ActionSettled& settled) {
  return worked(settled) || settled.refusal == policy::Refusal::seat_mode ||
         settled.refusal == policy::Refusal::moot;
}

/// The platform has said no, for whatever reason: it may say yes another time.
inline bool was_rejected(const policy::ActionSettled& settled) {
  return settled.outcome == policy::Outcome::refused &&
         settled.refusal == policy::Refusal::platform;
}

/// What a rejection does not make superfluous: without it a job runs on, is never submitted again,
/// or people are not told.  Where a job runs, and whether it saves, is a wish.
inline bool must_be_done(policy::VerbKind verb) {
  using policy::VerbKind;
  return verb == VerbKind::stop_job || verb == VerbKind::limit_runtime ||
         verb == VerbKind::clone_job || verb == VerbKind::notify;
}

/// How often something was asked of an attempt in vain.  Another attempt is another request, and
/// backs off anew.
struct Lacked {
  policy::AttemptNumber attempt = 0;
  std::uint8_t times = 0;

  /// How long to wait before it is asked for again: longer each time.
  policy::Duration pause_before(policy::AttemptNumber of) {
    if (attempt != of) *this = {.attempt = of};
    const policy::Duration pause = ask_again_after(times);
    if (times < std::numeric_limits<std::uint8_t>::max()) ++times;
    return pause;
  }
};

/// A settlement of a call about an alarm, not of what a rule does to a job.
inline bool is_of_alarm(const policy::ActionSettled& settled) {
  return settled.verb == policy::VerbKind::put_alarm ||
         settled.verb == policy::VerbKind::delete_alarm;
}

/// The job to look at again: it was submitted, it changed, its queue cannot start it, or another
/// seat's action on it is over, however it went.  A rule's own settlements are not news, or a rule
/// that is always refused would ask for ever; nor are decisions of others that never became
/// actions, nor what they do to their alarms.
inline std::optional<policy::JobId> job_with_news(const policy::Observation& seen,
                                                  policy::SeatId own) {
  if (const auto* news = std::get_if<policy::JobChanged>(&seen.fact)) return news->job;
  if (const auto* news = std::get_if<policy::JobSubmitted>(&seen.fact)) return news->job;
  if (const auto* news = std::get_if<policy::QueueBlocked>(&seen.fact)) return news->job;
  const auto* settled = std::get_if<policy::ActionSettled>(&seen.fact);
  if (settled == nullptr || settled->seat == own || is_of_alarm(*settled)) return std::nullopt;
  const bool was_action = settled->outcome != policy::Outcome::refused ||
                          settled->refusal == policy::Refusal::platform ||
                          settled->refusal == policy::Refusal::no_room;
  return was_action ? std::optional{settled->job} : std::nullopt;
}

/// The seat's own settlement of `verb` in this observation, or null.  A message's is one too: in a
/// seat that warns it stands for `verb`.
inline const policy::ActionSettled* own_settlement(const policy::Observation& seen,
                                                   policy::SeatId own, policy::VerbKind verb) {
  const auto* settled = std::get_if<policy::ActionSettled>(&seen.fact);
  if (settled == nullptr || settled->seat != own) return nullptr;
  const bool fits = settled->verb == verb || settled->verb == policy::VerbKind::notify;
  return fits ? settled : nullptr;
}

/// When a rule asks again for what came to nothing.
enum class Again : std::uint8_t {
  not_needed,          ///< it worked, or was refused on its merits
  after_other_action,  ///< another action on the job blocks it: when that one ends
  later,               ///< given up after many tries: after kAskAgainAfter
  when_room,           ///< the account has as much as it may: see ask_again_after
  when_released,       ///< the kill switch is engaged, or too many went before: HeldBack says when
};

inline Again again(const policy::ActionSettled& mine) {
  if (mine.refusal == policy::Refusal::kill_switch) return Again::when_released;
  if (mine.refusal == policy::Refusal::rate_limit) return Again::when_released;
  if (mine.refusal == policy::Refusal::no_room) return Again::when_room;
  if (mine.outcome == policy::Outcome::expired) return Again::later;
  return mine.refusal == policy::Refusal::conflict ? Again::after_other_action : Again::not_needed;
}

/// Whether a message did not get out, or nobody knows, and not because it was refused on its
/// merits.
inline bool may_be_sent_again(const policy::ActionSettled& message) {
  return again(message) != Again::not_needed || was_rejected(message);
}

}  // namespace reeve::policies
