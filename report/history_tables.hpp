// The tables of a history: what each policy would have saved of it, and the jobs that it hurts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "report/csv.hpp"

namespace reeve::report {

/// A policy beside its baseline.  None: unknown.
struct SavingRow {
  std::string_view policy;
  std::string_view baseline;
  std::optional<double> saved_usd;
  std::optional<double> low;  ///< of the interval of `saved_usd`
  std::optional<double> high;
  std::optional<double> list_usd;  ///< saved at list prices
  std::optional<double> list_low;
  std::optional<double> list_high;
  std::optional<std::uint64_t> stopped = {};  ///< none, as of the next three: it is a forecast
  std::optional<std::uint64_t> without_result = {};
  std::optional<std::uint64_t> later = {};
  std::optional<policy::Usd> lost = {};
  std::uint64_t held_out_weeks = 0;
  std::optional<double> error_pct;
  std::optional<double> coverage90_pct;
  std::optional<double> matched_pct;
};

/// A job that a policy hurts.
struct HurtJobRow {
  std::string_view policy;
  std::string_view job;
  std::optional<policy::Duration> later;  ///< none: it has no result
  policy::Usd lost;
};

/// In the columns of `savings_schema`.
void write_row(CsvWriter& csv, const SavingRow& row);
/// In the columns of `hurt_jobs_schema`.
void write_row(CsvWriter& csv, const HurtJobRow& row);

}  // namespace reeve::report
