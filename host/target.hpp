// The job, attempt and host of a verb, and whether the verb changes them.
#pragma once

#include <cstdint>
#include <reeve/policy/policy.hpp>
#include <type_traits>
#include <variant>

namespace reeve::host {

/// The target of a verb.
struct Target {
  policy::JobId job;
  policy::AttemptNumber attempt = 0;
  std::uint32_t host = 0;        ///< of an alarm; else 0
  std::uint16_t incident = 1;    ///< of a verb that counts incidents; else 1
  std::uint16_t alarm_seat = 0;  ///< of an alarm: the seat that created it; else 0
};

inline Target target(const policy::Verb& verb) {
  return std::visit(
      [](const auto& v) -> Target {
        if constexpr (requires { v.alarm; }) {
          return {v.alarm.job, v.attempt, v.alarm.host, 1, v.alarm.seat};
        } else if constexpr (requires { v.incident; }) {
          return {v.job, v.attempt, 0, v.incident};
        } else {
          return {v.job, v.attempt, 0};
        }
      },
      verb);
}

inline policy::VerbKind kind_of(const policy::Verb& verb) {
  return static_cast<policy::VerbKind>(verb.index());
}

/// Whether the verb changes the job. At most one such action per job is in flight. Alarms, messages
/// and checkpoints leave the job unchanged.
inline bool changes_job(const policy::Verb& verb) {
  const policy::VerbKind kind = kind_of(verb);
  return kind != policy::VerbKind::put_alarm && kind != policy::VerbKind::delete_alarm &&
         kind != policy::VerbKind::notify && kind != policy::VerbKind::save_checkpoint;
}

/// Creates or deletes an alarm of the seat itself.
inline bool is_own_alarm(const policy::Verb& verb) {
  if (kind_of(verb) == policy::VerbKind::put_alarm) return true;
  const auto* gone = std::get_if<policy::DeleteAlarm>(&verb);
  return gone != nullptr && !gone->of_others;
}

/// Only sends a message or manages the seat's own alarms: allowed in warn mode.
inline bool is_watching(const policy::Verb& verb) {
  return kind_of(verb) == policy::VerbKind::notify || is_own_alarm(verb);
}

static_assert(std::variant_size_v<policy::Verb> == 12);

}  // namespace reeve::host
