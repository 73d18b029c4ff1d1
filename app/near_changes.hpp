// Small changes of a rule that might have let the attempt alone that it ended.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/record.hpp"
#include "models/world.hpp"
#include "scenarios/load/scenario.hpp"

namespace reeve::app {

/// One option of a rule at another value, and how that is said.
struct Change {
  std::string option;
  policy::OptionValue value;
  std::string what;
  /// Of a length of time with which the attempt would end by itself, and a shorter one may do.
  struct Length {
    policy::Duration enough;
    policy::Duration too_short;  ///< as the rule has it
    policy::Duration slack{0};   ///< from what is wrong to the stop, as far as the rule says
    std::function<Change(policy::Duration)> with = {};  ///< the same change with that length
  };
  std::optional<Length> length = {};
  /// Of a number with which the rule lets the attempt alone if it is great enough, nobody knows how
  /// great: doubled from `from` on, up to `most`, until that is so, and then the least since `now`.
  struct Reach {
    double now;  ///< as the rule has it, which is too small
    double from;
    double most;
    std::function<Change(double)> with = {};
    int digits = 3;       ///< of values that are tried in between
    bool halved = false;  ///< small enough, rather: halved from `from` on, down to `most`
    /// Great enough is what stops it later.  A last resort: for where nothing else does anything.
    bool later_will_do = false;
    /// What it was stopped for passes within that: who is stopped later is stopped for another.
    std::optional<policy::Duration> passes = {};
  };
  std::optional<Reach> reach = {};
  std::string test = {};  ///< of a condition, without the value: "age >="; empty: a whole option
  /// The same upon another value of that option, where an option has parts that each may change.
  std::function<policy::OptionValue(const policy::OptionValue&)> upon = {};
  /// Nothing is left that the rule could ask for, and it is played without it.
  bool off = false;
  /// Of a guess that may be more than enough: where it lets the attempt alone, the least that does.
  std::optional<Reach> less = {};
  bool is_far = false;  ///< to be played only where nothing before it makes a difference

  /// What stands before the value in what is said.
  const std::string& subject() const { return test.empty() ? option : test; }
};

/// Lengths are told in whole minutes, those below an hour in whole seconds.
policy::Duration step_of(policy::Duration length);

/// An attempt that a rule has ended, and the run in which it did.
struct EndedAttempt {
  const models::World* world;
  const models::Record* record;
  policy::JobId job;
  policy::AttemptNumber attempt = 1;
  policy::Instant at;
  std::string_view stopped_by = {};  ///< the kind of the rule that did, if one did
};

/// What limits of rules are about.  `standstill`: how long it stood still when it was stopped, if
/// that passed by itself, and nothing if it did not; as `training` if it did not stand still.
/// `in_status`: in the one in which it was stopped.
enum class Measure : std::uint8_t {
  training,
  startup,
  age,
  since_start,
  billed,
  standstill,
  in_status
};

/// How long the attempt lasted in that run, in that sense, or until the run ended; nothing if it
/// never came to that.
std::optional<policy::Duration> lasted(const models::Record& record, const EndedAttempt& ended,
                                       Measure measure);

/// How long it lasts, or to the end of the run, if the rule does not end it.
using Needed = std::function<std::optional<policy::Duration>(Measure)>;

/// Changes of a rule that makes further attempts, with which it might have made the one after
/// `ended`, or another or none, or at another time; `cloned`: it made one.  Each is still to be
/// played.
std::vector<Change> near_restarts(const scenarios::SeatSpec& seat, const EndedAttempt& ended,
                                  bool cloned);

/// The nearest changes of the rule in that seat, a few: each is still to be played.
std::vector<Change> near_changes(const scenarios::SeatSpec& seat, const EndedAttempt& ended,
                                 const Needed& needed);

}  // namespace reeve::app
