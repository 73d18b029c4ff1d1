// Whether the condition of a `rule` holds for an attempt, as far as its status decides it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <reeve/policy/condition.hpp>
#include <string_view>

namespace reeve::scenarios {

/// The value of a tag; nothing: there is no such tag.
using TagsOf = std::function<std::optional<std::string_view>(std::string_view key)>;

/// The status of an attempt, and its cause.
struct AttemptStatus {
  policy::Primary primary = policy::Primary::in_progress;
  policy::Secondary secondary = policy::Secondary::training;
  policy::FailureClass failure = policy::FailureClass::none;
  std::string_view stopped_by = {};              ///< the kind of the rule that stopped it
  std::string_view stopped_by_name = {};         ///< its name in the policy
  const TagsOf* tags = nullptr;                  ///< null: unknown
  std::optional<policy::Duration> trained = {};  ///< for how long; nothing: unknown
};

inline constexpr AttemptStatus in_line{.primary = policy::Primary::queued,
                                       .secondary = policy::Secondary::queued};
inline constexpr AttemptStatus awaits_machines{.secondary = policy::Secondary::pending};
inline constexpr AttemptStatus failed{.primary = policy::Primary::failed,
                                      .secondary = policy::Secondary::failed,
                                      .failure = policy::FailureClass::infrastructure};
/// By Spot, of a one-time request.
inline constexpr AttemptStatus taken{.primary = policy::Primary::failed,
                                     .secondary = policy::Secondary::failed,
                                     .failure = policy::FailureClass::capacity};
inline constexpr AttemptStatus completed{.primary = policy::Primary::completed,
                                         .secondary = policy::Secondary::completed};
/// It got no instances in time, and has not run.
inline constexpr AttemptStatus timed_out{.primary = policy::Primary::stopped,
                                         .secondary = policy::Secondary::max_wait_time_exceeded,
                                         .trained = policy::Duration{0}};

/// Whether it holds for such an attempt; nothing: this depends on more than the status.
std::optional<bool> holds_of(const policy::Condition& condition, const AttemptStatus& status);

/// The same, with the result of each test from `known`; nothing: unknown.
using TestOf = std::function<std::optional<bool>(const policy::Condition& test)>;
std::optional<bool> holds_where(const policy::Condition& condition, const TestOf& known);

/// Of a test of a text; an empty one is no value.
bool holds_of_text(const policy::Condition& test, std::string_view text);
/// Of a test of a number.
bool holds_of_number(const policy::Condition& test, std::int64_t number);
/// Of a test of a length of time.
bool holds_of_time(const policy::Condition& test, policy::Duration time);

/// Whether a part of it begins to hold when that length of time is reached.
bool waits_for(const policy::Condition& condition, policy::ConditionField field,
               bool negated = false);

}  // namespace reeve::scenarios
