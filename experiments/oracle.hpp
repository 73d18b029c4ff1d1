// The clairvoyant bound: the least that any policy can bill for the jobs that a run got done.
#pragma once

#include <optional>
#include <reeve/policy/units.hpp>

#include "models/record.hpp"
#include "models/world.hpp"

namespace reeve::experiments {

/// A lower bound of the bill for the jobs done: a policy that knows every stall, failure and Spot
/// loss runs only work that counts, at the lowest price that the instances ever have, without
/// startup and checkpoints, and stops at once what has no result.  A job may use its own pool,
/// pools of the same instance type or of a type whose speed it states, and any pool that the run
/// used.  Reserved instances are billed in any case and hold any work that fits their time.
///
/// None of the tick model, of worlds in which Spot launches may be free, and of elastic jobs whose
/// speed grows faster than their size, because no bound of their cost is known.
std::optional<policy::Usd> clairvoyant_bill(const models::World& world,
                                            const models::Record& record);

}  // namespace reeve::experiments
