// Small changes of a rule that might have let the attempt alone that it ended.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/record.hpp"
#include "models/world.hpp"
#include "scenarios/scenario.hpp"

namespace reeve::app {

/// One option of a rule at another value, and how that is said.
struct Change {
  std::string option;
  policy::OptionValue value;
  std::string what;
};

/// An attempt that a rule has ended, and the run in which it did.
struct EndedAttempt {
  const models::World* world;
  const models::Record* record;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::Instant at;
};

/// What limits of rules are about.
enum class Measure : std::uint8_t { training, startup, age, since_start, billed };

/// How long the attempt lasted in that run, in that sense; nothing if the run ended before it did.
std::optional<policy::Duration> lasted(const models::Record& record, const EndedAttempt& ended,
                                       Measure measure);

/// How long it lasts if the rule does not end it.
using Needed = std::function<std::optional<policy::Duration>(Measure)>;

/// The nearest changes of the rule in that seat, a few: each is still to be played.
std::vector<Change> near_changes(const scenarios::SeatSpec& seat, const EndedAttempt& ended,
                                 const Needed& needed);

}  // namespace reeve::app
