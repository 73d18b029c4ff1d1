// Conditions on a job, as a scenario states them: a tree of tests, and the table of the fields that
// a test can read.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <reeve/policy/job.hpp>
#include <reeve/policy/market.hpp>
#include <reeve/policy/observation.hpp>
#include <reeve/policy/pattern.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace reeve::policy {

/// The only spelling of the secondary statuses that are still produced: those of
/// DescribeTrainingJob, and `Queued` for work that no platform has received yet.
inline constexpr std::array<std::pair<std::string_view, Secondary>, 13> secondary_names{{
    {"Queued", Secondary::queued},
    {"Pending", Secondary::pending},
    {"Starting", Secondary::starting},
    {"Downloading", Secondary::downloading},
    {"Training", Secondary::training},
    {"Interrupted", Secondary::interrupted},
    {"Uploading", Secondary::uploading},
    {"Stopping", Secondary::stopping},
    {"Completed", Secondary::completed},
    {"Failed", Secondary::failed},
    {"Stopped", Secondary::stopped},
    {"MaxRuntimeExceeded", Secondary::max_runtime_exceeded},
    {"MaxWaitTimeExceeded", Secondary::max_wait_time_exceeded},
}};

/// The names alone.
inline constexpr std::array<std::string_view, secondary_names.size()> secondary_words = [] {
  std::array<std::string_view, secondary_names.size()> words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = secondary_names[i].first;
  return words;
}();

/// The only spelling of the primary statuses (TrainingJobStatus), by value.
inline constexpr std::array<std::string_view, 7> primary_names{
    "Queued", "InProgress", "Stopping", "Completed", "Failed", "Stopped", "Deleting"};

enum class Comparison : std::uint8_t {
  equal,
  differs,
  below,
  at_most,
  above,
  at_least,
  one_of,
  matches,  ///< a regular expression that matches the whole text
  exists,   ///< the field has a value
};

/// The only spelling of each comparison, by value.
inline constexpr std::array<std::string_view, 9> comparison_names{
    "==", "!=", "<", "<=", ">", ">=", "in", "matches", "exists"};

enum class ConditionField : std::uint8_t {
  status,
  primary_status,
  failure,
  attempt,
  interruptions,
  instances,
  gpus,
  instance_type,
  fleet,
  market,
  on_demand_fleet,  ///< one field per market, in the order of Market
  reserved_fleet,
  spot_fleet,
  capacity_block_fleet,
  origin,
  stopped_by,
  stopped_by_name,
  alarm,
  priority,
  max_runtime,
  training_time,
  startup_time,
  age,
  time_since_start,
  time_in_status,
  confidence_pct,
  placement,
  blocked_by,
  tag,
};

enum class ConditionType : std::uint8_t { text, number, duration };

/// One row of the table of fields.
struct ConditionFieldSpec {
  ConditionField field;
  std::string_view name;
  ConditionType type;
  std::span<const std::string_view> words;  ///< all possible values; empty: any text
  bool may_lack;                            ///< the field can have no value
  bool submitted;  ///< unknown until the submission of the attempt is observed
  std::string_view help;
};

/// The prefix of a tag field.  The key follows it.
inline constexpr std::string_view tag_prefix = "tag:";

constexpr ConditionFieldSpec fleet_of_market(ConditionField field, std::string_view name) {
  return {field,
          name,
          ConditionType::text,
          {},
          true,
          true,
          "fleet of the job's instance type in that market; empty if the job does not fit there"};
}

/// By value of ConditionField.
inline constexpr std::array<ConditionFieldSpec, 29> condition_fields{{
    {ConditionField::status, "status", ConditionType::text, secondary_words, false, false,
     "the secondary status"},
    {ConditionField::primary_status, "primary_status", ConditionType::text, primary_names, false,
     false, "the primary status"},
    {ConditionField::failure,
     "failure",
     ConditionType::text,
     {failure_class_names.data() + 1, failure_class_names.size() - 1},
     true,
     false,
     "failure class; empty unless the attempt failed"},
    {ConditionField::attempt,
     "attempt",
     ConditionType::number,
     {},
     false,
     false,
     "number of the attempt, from 1"},
    {ConditionField::interruptions,
     "interruptions",
     ConditionType::number,
     {},
     false,
     false,
     "interruptions of this attempt"},
    {ConditionField::instances,
     "instances",
     ConditionType::number,
     {},
     false,
     true,
     "number of instances of the job"},
    {ConditionField::gpus, "gpus", ConditionType::number, {}, false, true, "GPUs per instance"},
    {ConditionField::instance_type,
     "instance_type",
     ConditionType::text,
     {},
     false,
     true,
     "instance type of the job"},
    {ConditionField::fleet,
     "fleet",
     ConditionType::text,
     {},
     true,
     true,
     "fleet of the job; empty before placement"},
    {ConditionField::market, "market", ConditionType::text, market_names, true, true,
     "market of the job's fleet; empty before placement"},
    fleet_of_market(ConditionField::on_demand_fleet, "on_demand_fleet"),
    fleet_of_market(ConditionField::reserved_fleet, "reserved_fleet"),
    fleet_of_market(ConditionField::spot_fleet, "spot_fleet"),
    fleet_of_market(ConditionField::capacity_block_fleet, "capacity_block_fleet"),
    {ConditionField::origin, "origin", ConditionType::text, origin_names, false, true,
     "submitter of the attempt"},
    {ConditionField::stopped_by,
     "stopped_by",
     ConditionType::text,
     {},
     true,
     false,
     "kind of the rule that stopped the attempt; empty if none did"},
    {ConditionField::stopped_by_name,
     "stopped_by_name",
     ConditionType::text,
     {},
     true,
     false,
     "name of the rule that stopped the attempt; empty if none did"},
    {ConditionField::alarm, "alarm", ConditionType::text, alarm_state_names, true, false,
     "state of this rule's alarms on the attempt's hosts; empty if there are none"},
    {ConditionField::priority,
     "priority",
     ConditionType::number,
     {},
     false,
     true,
     "priority of the job"},
    {ConditionField::max_runtime,
     "max_runtime",
     ConditionType::duration,
     {},
     false,
     true,
     "run-time limit of the job; larger than any duration if it has none"},
    {ConditionField::training_time,
     "training_time",
     ConditionType::duration,
     {},
     false,
     false,
     "time since the first Training of the attempt, until Uploading or its end; 0s before"},
    {ConditionField::startup_time,
     "startup_time",
     ConditionType::duration,
     {},
     false,
     false,
     "time since Starting, while the attempt starts or downloads; otherwise 0s"},
    {ConditionField::age,
     "age",
     ConditionType::duration,
     {},
     false,
     true,
     "time since the attempt was submitted, until its end"},
    {ConditionField::time_since_start,
     "time_since_start",
     ConditionType::duration,
     {},
     true,
     false,
     "time since the attempt first held instances, until its end; empty before"},
    {ConditionField::time_in_status,
     "time_in_status",
     ConditionType::duration,
     {},
     false,
     false,
     "time since the last status change"},
    {ConditionField::confidence_pct,
     "confidence_pct",
     ConditionType::number,
     {},
     false,
     false,
     "confidence in the failure class; 0 if it is unknown, 100 if nothing failed"},
    {ConditionField::placement, "placement", ConditionType::text, placement_names, false, true,
     "allowed placement of the job's instances"},
    {ConditionField::blocked_by, "blocked_by", ConditionType::text, blockage_names, true, false,
     "why the queue cannot start the attempt; empty if nothing blocks it"},
    {ConditionField::tag,
     "tag:KEY",
     ConditionType::text,
     {},
     true,
     true,
     "value of the tag KEY; empty without such a tag"},
}};

constexpr const ConditionFieldSpec& spec_of(ConditionField field) {
  return condition_fields[static_cast<std::size_t>(field)];
}

/// The field of that name, or nothing.  `tag:KEY` with any nonempty key is ConditionField::tag.
constexpr std::optional<ConditionField> condition_field_named(std::string_view name) {
  if (name.starts_with(tag_prefix)) {
    return name == tag_prefix ? std::nullopt : std::optional{ConditionField::tag};
  }
  for (const ConditionFieldSpec& spec : condition_fields) {
    if (spec.name == name) return spec.field;
  }
  return std::nullopt;
}

/// Whether a test of `field` may use `comparison`.
constexpr bool fits(Comparison comparison, const ConditionFieldSpec& field) {
  switch (comparison) {
    case Comparison::equal:
    case Comparison::differs:
    case Comparison::one_of:
      return field.type != ConditionType::duration;  // durations are never exactly equal
    case Comparison::below:
    case Comparison::at_most:
    case Comparison::above:
    case Comparison::at_least:
      return field.type != ConditionType::text;
    case Comparison::matches:
      return field.type == ConditionType::text;
    case Comparison::exists:
      return field.may_lack;
  }
  return false;
}

/// The largest depth of nested conditions.
inline constexpr std::size_t max_condition_depth = 16;

/// A test, or several conditions combined.  The decoder of the rule's options has validated it.
struct Condition {
  enum class Kind : std::uint8_t { all, any, none, test };
  Kind kind = Kind::all;
  std::vector<Condition> parts;  ///< `none`: one part, which must not hold

  // Only of a test.
  ConditionField field = ConditionField::status;
  Comparison comparison = Comparison::equal;
  std::string key;                    ///< of a tag
  std::vector<std::string> texts;     ///< compared with the field; several only for `one_of`
  std::vector<std::int64_t> numbers;  ///< likewise, of a number
  Duration duration{0};
  std::optional<Pattern> pattern;
};

/// Whether some test in the condition reads `field`.
inline bool asks_for(const Condition& condition, ConditionField field) {
  if (condition.kind == Condition::Kind::test) return condition.field == field;
  return std::any_of(condition.parts.begin(), condition.parts.end(),
                     [&](const Condition& part) { return asks_for(part, field); });
}

}  // namespace reeve::policy
