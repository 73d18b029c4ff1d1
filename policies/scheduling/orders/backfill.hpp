// Backfilling: a later job starts early if that delays no job that has a reservation.
#pragma once

#include <cstdint>
#include <memory>

#include "job_order.hpp"

namespace reeve::policies {

/// How many pending jobs have a reservation.  `first` (EASY): D. Lifka, "The ANL/IBM SP scheduling
/// system" (JSSPP 1995).  `all` (conservative): A. Mu'alem and D. Feitelson, "Utilization,
/// Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with
/// Backfilling" (IEEE TPDS 12, 2001): a new job reserves what the jobs ahead of it leave, in any
/// order (S. Srinivasan et al., "Characterization of backfilling strategies for parallel job
/// scheduling", ICPP Workshops 2002); when the forecast changes, all reservations are made again
/// in order.
enum class Promised : std::uint8_t { first, all };

/// Forecasts by the estimates of the jobs, from the time when they get instances.  The forecast
/// expects a job that exceeds its estimate to end at any moment.
std::unique_ptr<Algorithm> backfill(const JobOrder& order, Promised promised);

}  // namespace reeve::policies
