// The tables of a comparison: differences between policies, and between speeds of the jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "report/csv.hpp"

namespace reeve::report {

/// A policy and its baseline in one metric.  None: unknown.
struct ComparisonRow {
  std::string_view policy_a;
  std::string_view policy_b;
  std::string_view metric;
  std::optional<double> mean_a;
  std::optional<double> mean_b;
  std::optional<double> diff;
  std::optional<double> low;   ///< of the interval of `diff`
  std::optional<double> high;  ///< likewise
  std::uint64_t runs = 0;
};

/// A policy in one metric, as the jobs are and at another speed.
struct SpeedRow {
  std::string_view policy;
  std::string_view metric;
  double factor = 1;
  std::optional<double> mean;
  std::optional<double> mean_then;
  std::optional<double> diff;
  std::optional<double> low;
  std::optional<double> high;
  std::uint64_t runs = 0;
};

/// In the columns of `comparison_schema`.
void write_row(CsvWriter& csv, const ComparisonRow& row);
/// In the columns of `speed_schema`.
void write_row(CsvWriter& csv, const SpeedRow& row);

}  // namespace reeve::report
