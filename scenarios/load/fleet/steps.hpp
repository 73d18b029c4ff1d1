// The steps of loading that read the clock, the prices, the fleets and the platform.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/load/resolved/loading.hpp"

namespace reeve::scenarios {

inline constexpr double hour_ns = 3.6e12;

/// Shocks of a region with fleets in a `scarce` market, and the probability that one hits a fleet.
inline constexpr double scarce_shocks_per_hour = 0.15;
inline constexpr double scarce_hit = 0.5;

void load_clock(Loading& loading);
void load_prices(Loading& loading);  ///< inline prices, and the book
void load_fleet(Loading& loading);
void load_shocks(Loading& loading);
void load_outages(Loading& loading);
void load_platform(Loading& loading);
void load_ticks(Loading& loading);    ///< the tick world, and what has no meaning in it
void load_managed(Loading& loading);  ///< what SageMaker adds to it
void load_alarm_link(Loading& loading);
void check_tick_jobs(const Resolved& resolved, Findings& findings);
void check_bill(const Resolved& resolved,
                Findings& findings);  ///< more dollars than a run can count

/// What a fleet says of its market, checked; its pool is the newest.
void load_market(Loading& loading, const PoolInput& input);

/// The region of a fleet, from what it says or from the name of its zone, checked; its pool is the
/// newest.
void load_region(Loading& loading, const PoolInput& input);

/// The record becomes the pool's offers, and its prices (if it has any) those of Spot.  The number
/// of its ticks, where it has any.
std::optional<std::uint64_t> load_record(Loading& loading, const AvailabilityInput& input,
                                         models::Pool& pool);

/// A record of prices becomes those of the pool; `ticks`: those of its record of offers.
void load_price_trace(Loading& loading, const PoolInput& fleet, std::optional<std::uint64_t> ticks,
                      models::Pool& pool);

/// What a fleet says of its instances' faults; its pool is the newest.
void load_node_faults(Loading& loading, const PoolInput& input);

/// Reports a job of `instances` that loses some for good and waits for them, if nothing ends the
/// run.
void refuse_endless_wait(const Resolved& resolved, const ProfileInput& input,
                         const models::JobProfile& profile, std::uint32_t instances,
                         Findings& findings);

/// Reports faults that let a job without a limit stall, if nothing ends the run: in
/// its own fleet, and in those where rules may have it run.
void check_node_faults(const Resolved& resolved, Findings& findings);

/// What the platform says of billing, notices and instances of one's own, checked.
void load_unmanaged(Loading& loading);

/// In which zones a fleet stands; its pool is the newest.
void load_zones(Loading& loading, const PoolInput& input);

/// 100 minus the confidence of a diagnosis, in whole percent.
std::uint8_t doubt_pct(double confidence);
/// Reports keys of a job that only self-managed instances support, if this platform does not.
void check_unmanaged_job(const Resolved& resolved, const ProfileInput& input,
                         const models::JobProfile& profile, const Place& place, Findings& findings);

/// Reports a job of `instances` that no zone of its pool has room for.
void check_places(const Resolved& resolved, const std::string& who, std::uint32_t instances,
                  const models::JobProfile& profile, const Place& place, Findings& findings);

/// EC2's price, on the same terms, of what a fleet pays for as managed instances; nothing where
/// that is unknown.
std::optional<policy::UsdPerHour> same_terms_of_ec2(const Loading& loading, const PoolInput& fleet);

/// What the scenario or its book says an instance of the type costs in the market; nothing if
/// neither does.
std::optional<policy::UsdPerHour> listed_price(const Loading& loading,
                                               const policy::InstanceType& type,
                                               policy::Market market);
/// Warns of rows that change while the clock runs; after all jobs.
void check_price_changes(Loading& loading);
/// Warns of a price of the book that is old, or dearer on Spot than on demand.
void check_listed_price(Loading& loading, const policy::InstanceType& type, policy::Market market,
                        const Node& node);
/// Reports a fleet of Spot whose price stands nowhere.
void report_no_spot_price(Loading& loading, const std::string& type, const PoolInput& input);

/// Which part of the recorded markets each run meets.
void load_tick_windows(Loading& loading, const TickWindowsInput& input);

/// Reports a job that has no fleets on Spot and on demand to choose from, tick by tick.
void check_tick_fleets(const Resolved& resolved, policy::PoolId pool, const Place& place,
                       Findings& findings);

/// Warns of a deadline that even on-demand instances miss.
void check_tick_deadline(const Resolved& resolved, const models::JobProfile& profile, Duration work,
                         const Place& place, Findings& findings);

/// The instance type a fleet names, from the inline prices or else from the book; nothing after a
/// finding at `node`.
std::optional<policy::TypeId> price_type(Loading& loading, const std::string& name,
                                         const Node& node);

/// Reports a name that is no type of the prices; `as_key`: it is the key of `node`.
void report_unknown_type(Loading& loading, std::string_view name, const Node& node,
                         bool as_key = false);

/// Reports a job that its pool can never run; `place` holds "instances".
void check_fits(const Resolved& resolved, std::string_view who, std::uint32_t instances,
                policy::PoolId pool, const Node& place, Findings& findings);

/// What SageMaker takes with a job, checked; the profile has its pool.
void load_managed_job(Loading& loading, const ManagedJobInput& input, models::JobProfile& profile,
                      const Place& place);

/// Warns of a job that its quota always refuses; `place` holds "instances".
void check_quota(const Resolved& resolved, std::string_view who, std::uint32_t instances,
                 policy::PoolId pool, const Node& place, Findings& findings);

}  // namespace reeve::scenarios
