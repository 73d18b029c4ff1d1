// Backfilling: a later job starts early where that delays nobody who has a promise of machines.
#pragma once

#include <cstdint>
#include <memory>

#include "job_order.hpp"

namespace reeve::policies {

/// How many of those who wait have a promise.  `first` (EASY): D. Lifka, "The ANL/IBM SP scheduling
/// system" (JSSPP 1995).  `all` (conservative): A. Mu'alem and D. Feitelson, "Utilization,
/// Predictability, Workloads, and User Runtime Estimates in Scheduling the IBM SP2 with
/// Backfilling" (IEEE TPDS 12, 2001): whoever comes is promised what those before it leave over,
/// whatever the order (S. Srinivasan et al., "Characterization of backfilling strategies for
/// parallel job scheduling", ICPP Workshops 2002); when the forecast changes, all promises are made
/// anew in order.
enum class Promised : std::uint8_t { first, all };

/// Forecasts by the estimates of the jobs, from when they get machines.  Whoever runs longer than
/// it said may end at any moment, as far as the forecast goes.
std::unique_ptr<Algorithm> backfill(const JobOrder& order, Promised promised);

}  // namespace reeve::policies
