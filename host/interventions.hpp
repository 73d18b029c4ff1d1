// Which decisions count as interventions, and which attempt guards and scopes look at.
#pragma once

#include <optional>
#include <reeve/policy/policy.hpp>
#include <variant>

#include "host/belief.hpp"
#include "host/target.hpp"

namespace reeve::host {

/// Whether the verb acts on a submitted job.  A start does not count, nor does the placement of a
/// job that waits for one.  Another placement counts, and so does the deletion of another rule's
/// alarm.
inline bool intervenes(const policy::Verb& verb, const policy::FleetView& fleet) {
  const auto* gone = std::get_if<policy::DeleteAlarm>(&verb);
  if (gone != nullptr && gone->of_others) return true;
  if (!changes_job(verb)) return false;
  const policy::VerbKind kind = kind_of(verb);
  if (kind == policy::VerbKind::start_job) return false;
  return kind != policy::VerbKind::place_job ||
         !fleet.description(target(verb).job).awaits_placement;
}

/// The attempt whose tags and fleet apply to a verb: a clone has none yet and takes those of the
/// previous attempt.
inline policy::AttemptNumber judged_attempt(policy::VerbKind verb, policy::AttemptNumber attempt) {
  return verb == policy::VerbKind::clone_job && attempt > 1
             ? static_cast<policy::AttemptNumber>(attempt - 1)
             : attempt;
}

/// The tags and fleet that scopes and guards apply to a verb.
inline std::optional<Whereabouts> judged_by(const policy::Verb& verb, const Belief& belief) {
  const Target about = target(verb);
  return belief.whereabouts(about.job, judged_attempt(kind_of(verb), about.attempt));
}

}  // namespace reeve::host
