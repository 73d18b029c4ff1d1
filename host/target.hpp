// Which job, attempt and host a verb is about, and whether it changes the job.
#pragma once

#include <cstdint>
#include <reeve/policy/policy.hpp>
#include <type_traits>
#include <variant>

namespace reeve::host {

/// What a verb is about.
struct Target {
  policy::JobId job;
  policy::AttemptNumber attempt = 0;
  std::uint32_t host = 0;      ///< of an alarm; else 0
  std::uint16_t incident = 1;  ///< of a verb that counts them; else 1
};

inline Target target(const policy::Verb& verb) {
  return std::visit(
      [](const auto& v) -> Target {
        if constexpr (requires { v.alarm; }) {
          return {v.alarm.job, v.attempt, v.alarm.host};
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

/// Alarms and messages leave the job as it is; everything else changes it: one at a time per job.
inline bool changes_job(const policy::Verb& verb) {
  const policy::VerbKind kind = kind_of(verb);
  return kind != policy::VerbKind::put_alarm && kind != policy::VerbKind::delete_alarm &&
         kind != policy::VerbKind::notify;
}

/// Acts on a job that somebody asked for, which letting it start does not.
inline bool intervenes(const policy::Verb& verb) {
  const policy::VerbKind kind = kind_of(verb);
  return changes_job(verb) && kind != policy::VerbKind::start_job &&
         kind != policy::VerbKind::place_job;
}

static_assert(std::variant_size_v<policy::Verb> == 10);

}  // namespace reeve::host
