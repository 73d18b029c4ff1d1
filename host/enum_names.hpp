// The only spelling of every enumerator that leaves the program as text.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "host/journal.hpp"

namespace reeve::host {

/// The names of an enumeration by value; values count from 0 without a gap.
template <class E>
inline constexpr std::array<std::string_view, 0> enum_names;

template <>
inline constexpr std::array enum_names<policy::Primary> = {
    std::string_view{"queued"},    std::string_view{"in_progress"}, std::string_view{"stopping"},
    std::string_view{"completed"}, std::string_view{"failed"},      std::string_view{"stopped"},
    std::string_view{"deleting"}};
template <>
inline constexpr std::array enum_names<policy::Secondary> = {
    std::string_view{"queued"},
    std::string_view{"pending"},
    std::string_view{"starting"},
    std::string_view{"downloading"},
    std::string_view{"training"},
    std::string_view{"interrupted"},
    std::string_view{"uploading"},
    std::string_view{"stopping"},
    std::string_view{"completed"},
    std::string_view{"failed"},
    std::string_view{"stopped"},
    std::string_view{"max_runtime_exceeded"},
    std::string_view{"max_wait_time_exceeded"},
    std::string_view{"other"},
    std::string_view{"updating"},
    std::string_view{"restarting"},
    std::string_view{"deleting"}};
template <>
inline constexpr std::array enum_names<policy::FailureClass> = policy::failure_class_names;
template <>
inline constexpr std::array enum_names<policy::Origin> = policy::origin_names;
template <>
inline constexpr std::array enum_names<policy::PreemptCause> = policy::preempt_cause_names;
template <>
inline constexpr std::array enum_names<policy::Blockage> = policy::blockage_names;
template <>
inline constexpr std::array enum_names<policy::Placement> = policy::placement_names;
template <>
inline constexpr std::array enum_names<policy::AlarmState> = policy::alarm_state_names;
template <>
inline constexpr std::array enum_names<policy::Outcome> = {
    std::string_view{"done"}, std::string_view{"partly_done"}, std::string_view{"refused"},
    std::string_view{"expired"}};
template <>
inline constexpr std::array enum_names<policy::Refusal> = {
    std::string_view{"none"},      std::string_view{"platform"},   std::string_view{"moot"},
    std::string_view{"conflict"},  std::string_view{"guard"},      std::string_view{"kill_switch"},
    std::string_view{"seat_mode"}, std::string_view{"rate_limit"}, std::string_view{"no_room"}};
template <>
inline constexpr std::array enum_names<policy::VerbKind> = {
    std::string_view{"start_job"},       std::string_view{"stop_job"},
    std::string_view{"clone_job"},       std::string_view{"limit_runtime"},
    std::string_view{"put_alarm"},       std::string_view{"delete_alarm"},
    std::string_view{"notify"},          std::string_view{"place_job"},
    std::string_view{"move_job"},        std::string_view{"terminate_instances"},
    std::string_view{"save_checkpoint"}, std::string_view{"preempt_job"}};
template <>
inline constexpr std::array enum_names<policy::SpotSignal> = {
    std::string_view{"interruption"}, std::string_view{"rebalance"}, std::string_view{"block_end"}};
template <>
inline constexpr std::array enum_names<policy::StopCause> = {
    std::string_view{"rule_broken"}, std::string_view{"standing_still"},
    std::string_view{"learning_nothing"}, std::string_view{"using_little"},
    std::string_view{"never_starting"}};
template <>
inline constexpr std::array enum_names<policy::ResumeFrom> = {std::string_view{"last_checkpoint"},
                                                              std::string_view{"scratch"}};
template <>
inline constexpr std::array enum_names<policy::FoundBy> = {std::string_view{"job_name"},
                                                           std::string_view{"alarm_name"}};
template <>
inline constexpr std::array enum_names<policy::CloneNaming> = {std::string_view{"numbered"},
                                                               std::string_view{"appended"}};
template <>
inline constexpr std::array enum_names<policy::Metric> = {std::string_view{"gpu_utilization"}};
template <>
inline constexpr std::array enum_names<policy::Statistic> = {
    std::string_view{"average"}, std::string_view{"minimum"}, std::string_view{"maximum"},
    std::string_view{"sum"}, std::string_view{"sample_count"}};
template <>
inline constexpr std::array enum_names<policy::Compare> = {
    std::string_view{"less"}, std::string_view{"less_or_equal"}, std::string_view{"greater"},
    std::string_view{"greater_or_equal"}};
template <>
inline constexpr std::array enum_names<policy::MissingData> = {
    std::string_view{"missing"}, std::string_view{"ignore"}, std::string_view{"breaching"},
    std::string_view{"not_breaching"}};
template <>
inline constexpr std::array enum_names<policy::Window> = {std::string_view{"sliding"},
                                                          std::string_view{"wall_clock"}};
template <>
inline constexpr std::array enum_names<Mode> = {std::string_view{"off"}, std::string_view{"shadow"},
                                                std::string_view{"warn"},
                                                std::string_view{"enforce"}};
template <>
inline constexpr std::array enum_names<ReplyKind> = {
    std::string_view{"done"},     std::string_view{"partly_done"}, std::string_view{"throttled"},
    std::string_view{"rejected"}, std::string_view{"unknown"},     std::string_view{"no_room"}};
template <>
inline constexpr std::array enum_names<Why> = {
    std::string_view{"moot"}, std::string_view{"conflict"}, std::string_view{"guard"}};

/// The enumerator's name; a value outside the enumeration is `?`.
template <class E>
constexpr std::string_view name_of(E value) {
  static_assert(!enum_names<E>.empty());
  const auto index = static_cast<std::size_t>(value);
  return index < enum_names<E>.size() ? enum_names<E>[index] : "?";
}

template <class E>
constexpr std::optional<E> value_named(std::string_view name) {
  for (std::size_t index = 0; index < enum_names<E>.size(); ++index) {
    if (enum_names<E>[index] == name) return static_cast<E>(index);
  }
  return std::nullopt;
}

}  // namespace reeve::host
