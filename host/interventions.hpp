// Which decisions guards and scopes are about.
#pragma once

#include <optional>
#include <reeve/policy/policy.hpp>
#include <variant>

#include "host/belief.hpp"
#include "host/target.hpp"

namespace reeve::host {

/// Acts on a job that somebody asked for.  Letting it start does not, nor does choosing machines
/// for one that has to wait until somebody does; sending it elsewhere does, and so does taking away
/// what another rule watches it by.
inline bool intervenes(const policy::Verb& verb, const policy::FleetView& fleet) {
  const auto* gone = std::get_if<policy::DeleteAlarm>(&verb);
  if (gone != nullptr && gone->of_others) return true;
  if (!changes_job(verb)) return false;
  const policy::VerbKind kind = kind_of(verb);
  if (kind == policy::VerbKind::start_job) return false;
  return kind != policy::VerbKind::place_job ||
         !fleet.description(target(verb).job).awaits_placement;
}

/// The attempt whose tags and fleet a verb is judged by: a clone has none yet, and takes over those
/// of the attempt before.
inline policy::AttemptNumber judged_attempt(policy::VerbKind verb, policy::AttemptNumber attempt) {
  return verb == policy::VerbKind::clone_job && attempt > 1
             ? static_cast<policy::AttemptNumber>(attempt - 1)
             : attempt;
}

/// What scopes, and guards that look at tags, judge a verb by.
inline std::optional<Whereabouts> judged_by(const policy::Verb& verb, const Belief& belief) {
  const Target about = target(verb);
  return belief.whereabouts(about.job, judged_attempt(kind_of(verb), about.attempt));
}

}  // namespace reeve::host
