// Which decisions guards and scopes are about.
#pragma once

#include <reeve/policy/policy.hpp>

#include "host/target.hpp"

namespace reeve::host {

/// Acts on a job that somebody asked for.  Letting it start does not, nor does choosing machines
/// for one that has to wait until somebody does; sending it elsewhere does.
inline bool intervenes(const policy::Verb& verb, const policy::FleetView& fleet) {
  if (!changes_job(verb)) return false;
  const policy::VerbKind kind = kind_of(verb);
  if (kind == policy::VerbKind::start_job) return false;
  return kind != policy::VerbKind::place_job ||
         !fleet.description(target(verb).job).awaits_placement;
}

}  // namespace reeve::host
