// Who may lose instances, and what holds up the work of a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>

#include "scenarios/load/resolved/resolved.hpp"

namespace reeve::scenarios {

bool any_spot(const models::World& world);

/// Whether instances of the pool ever break.
bool machines_break(const models::Pool& pool);

/// Whether Spot takes instances of the pool as its offer falls: then some of a gang's may be left.
bool offer_falls(const models::Pool& pool);

/// Whether any interruption is stated or may be drawn.
bool is_interrupted(const models::JobProfile& profile);

bool has_outage(const models::World& world, policy::PoolId id);

/// Whether anything may make the work end later than `late` is due, though undisturbed it does not:
/// trouble before it that the attempt survives, lost instances, slow ones.
bool may_be_held_up(const Resolved& resolved, const models::JobProfile& profile,
                    const models::Fault& late, policy::Duration work);

/// Whether some of a gang's instances may go and others stay, wherever rules may have it run.
bool may_lose_some(const Resolved& resolved, const models::JobProfile& profile);

/// How many of its `instances` a job loses for good, one fault after the other.
std::size_t hosts_lost(const models::JobProfile& profile, std::uint32_t instances);

/// True if jobs of the profile end some time, whatever stalls.
bool has_end(const models::World& world, const models::JobProfile& profile);

/// Its own fleet, and those where rules may have it run; after the policies are resolved.
std::set<policy::PoolId> fleets_of(const Scenario& scenario, const models::JobProfile& profile);

}  // namespace reeve::scenarios
