// Whether a condition holds of a job as it is believed to be, and when time alone may change that.
#pragma once

#include <cstdint>
#include <optional>
#include <reeve/policy/condition.hpp>
#include <reeve/policy/fleet_view.hpp>
#include <string>
#include <utility>

namespace reeve::policies {

/// In this order: `all` is the least of its parts, `any` the greatest.
enum class Truth : std::uint8_t { no, unknown, yes };

/// What a condition is about.
struct Subject {
  const policy::FleetView& fleet;
  policy::JobId job;
  policy::Instant now;
  policy::Instant starts_since = policy::never;   ///< `never`: it does not start up now
  policy::Instant started_at = policy::never;     ///< `never`: it was not seen to have instances
  policy::Instant uploads_since = policy::never;  ///< `never`: it was not seen to upload
  std::optional<policy::AlarmState> alarm = std::nullopt;     ///< of the rule's own alarms
  std::optional<policy::Blockage> blocked_by = std::nullopt;  ///< as its queue said last
  /// A status that it has left already, which is judged instead of the one that it has.
  std::optional<std::pair<policy::Primary, policy::Secondary>> passed = std::nullopt;
};

struct Judged {
  Truth truth = Truth::no;
  policy::Instant next = policy::never;  ///< when a length of time next passes what it is compared
                                         ///< with; after `now`
};

Judged judge(const policy::Condition& condition, const Subject& subject);

/// Whether the test of a number, or of a length of time, holds of this one.
bool number_holds(const policy::Condition& test, std::int64_t number);
bool length_holds(const policy::Condition& test, policy::Duration length);

/// What the field of a test is, in words: "Training", "4", "1h8m20s", "none", "unknown".
std::string value_text(const policy::Condition& test, const Subject& subject);

}  // namespace reeve::policies
