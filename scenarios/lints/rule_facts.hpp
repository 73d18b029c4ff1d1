// What the options of a rule say, and what jobs and fleets of a policy are to it.
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

#include "scenarios/load/resolved/resolved.hpp"
#include "scenarios/load/resolved/seat_needs.hpp"

namespace reeve::scenarios {

inline bool has(const SeatSpec& seat, std::string_view option) {
  return has_option(*seat.kind, option);
}

inline bool has(const SeatSpec& seat, const policy::KnownOption& known) {
  return has_option(*seat.kind, known);
}

/// Kinds of rules may mean different things by one name.
template <class T>
const T* value_of(const SeatSpec& seat, std::string_view option) {
  return has(seat, option) ? std::get_if<T>(&seat.options.value(option)) : nullptr;
}

bool says(const SeatSpec& seat, std::string_view option, std::string_view word);

bool lists(const SeatSpec& seat, std::string_view option, std::string_view text);

/// The condition of a rule that the scenario states; null of any other.
const policy::Condition* stated(const SeatSpec& seat);

/// Whether its alarm, if it has one, is there to find jobs that do too little.
bool looks_for_idle(const SeatSpec& seat);

/// How the datapoint of a level, in percent of one GPU, compares with the threshold of the rule's
/// alarm, to the last bit.
std::partial_ordering against_threshold(const models::World& world, const SeatSpec& seat,
                                        const models::JobProfile& profile, double level);

/// Whether its alarm counts such a datapoint.
bool breaches(const models::World& world, const SeatSpec& seat, const models::JobProfile& profile,
              double level);

/// Whether a rule that is put beside the alarms notices by what jobs report that they stall:
/// all of them stop making steps then, other signs of life may go on.
bool hears_reports(const models::World& world, const PolicySpec& policy,
                   const models::JobProfile& profile);

/// Whether instances of the fleet may hang: any of a job's, and alone.
bool may_hang(const models::Pool& pool);

/// The instances of the largest job of the profile.
std::uint32_t hosts_of(const Resolved& resolved, const models::JobProfile& profile);

/// Whether any trouble of that kind may befall a job of the profile.
bool may_have(const models::JobProfile& profile, std::initializer_list<models::FaultKind> kinds);

/// Whether all jobs have room beside each other there, wherever they were sent from.
bool has_room_for_all(const models::World& world, const models::Pool& pool);

/// Where jobs of the profile run: in their own fleet, or in the one that a rule puts all jobs in,
/// if they fit there.
const models::Pool& pool_under(const Resolved& resolved, const PolicySpec& policy,
                               const models::JobProfile& profile);

}  // namespace reeve::scenarios
