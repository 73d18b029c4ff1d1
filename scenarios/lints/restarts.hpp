// Which rules start attempts again, and after which ends.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "scenarios/load/resolved/attempt_status.hpp"
#include "scenarios/load/resolved/resolved.hpp"

namespace reeve::scenarios {

/// How an attempt ends that had instances.
inline constexpr std::array<AttemptStatus, 4> ends_that_ran{{
    failed,
    completed,
    {.primary = policy::Primary::stopped, .secondary = policy::Secondary::stopped},
    {.primary = policy::Primary::stopped, .secondary = policy::Secondary::max_runtime_exceeded},
}};

/// How many clones of a job the rule makes; below 0: any number.  Null of a rule that counts none.
const std::int64_t* most_clones(const SeatSpec& seat);

/// Whether a stated rule may start a job again after such an end.
bool clones_after(const SeatSpec& seat, const AttemptStatus& end);

/// Where a rule that starts jobs again says how long they must have trained for that.
Node place_of_least(const SeatSpec& seat, const OptionPlaces& places);

/// What it says.
std::string asked_of(const SeatSpec& seat);

/// What it might say.
std::string asks_less(const SeatSpec& seat);

/// Whether a rule starts again what has failed, be it only what the instances did to it.
bool resumes_failed(const SeatSpec& seat);

/// Whether it starts again what failed for capacity after so long a wait for its instances, and so
/// long a training.
bool restarts_taken(const SeatSpec& seat, policy::Duration waited, policy::Duration trained);

/// Whether it starts again what has ended like that by itself.
bool restarts_after(const SeatSpec& seat, const AttemptStatus& end);

/// Whether it is no handler that does nothing at all.
bool runs_defect(const SeatSpec& seat);

/// Whether a rule starts again what one of that kind, or name, has stopped after so long a
/// training; nothing: after some.
bool resumes_stopped(const SeatSpec& seat, const SeatSpec& by,
                     std::optional<policy::Duration> trained = {});

}  // namespace reeve::scenarios
