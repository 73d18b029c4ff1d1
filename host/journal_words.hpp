// The first word of a journal line, which names the type of the entry.
#pragma once

#include <array>
#include <string_view>

#include "host/journal.hpp"

namespace reeve::host {

/// By entry type. The word of an Observation is that of its fact.
template <class T>
inline constexpr std::string_view entry_word;
template <>
inline constexpr std::string_view entry_word<SeatListed> = "seat";
template <>
inline constexpr std::string_view entry_word<StepBegun> = "step";
template <>
inline constexpr std::string_view entry_word<Reply> = "reply";
template <>
inline constexpr std::string_view entry_word<Accepted> = "accept";
template <>
inline constexpr std::string_view entry_word<Refused> = "refuse";
template <>
inline constexpr std::string_view entry_word<Shadowed> = "shadow";
template <>
inline constexpr std::string_view entry_word<Warned> = "warn";
template <>
inline constexpr std::string_view entry_word<Attempted> = "attempt";
template <>
inline constexpr std::string_view entry_word<Settled> = "settle";
template <>
inline constexpr std::string_view entry_word<SeatMuted> = "mute";

/// By the index of the fact in its variant.
inline constexpr std::array<std::string_view, 17> fact_words = {
    "job_submitted",       "job_changed", "alarm_changed",  "capacity_changed",
    "kill_switch_changed", "timer_fired", "action_settled", "job_placed",
    "progress_reported",   "spot_notice", "nodes_lost",     "training_reported",
    "machines_left",       "signs_seen",  "quota_changed",  "priority_changed",
    "queue_blocked"};
static_assert(std::variant_size_v<policy::Fact> == fact_words.size());

}  // namespace reeve::host
