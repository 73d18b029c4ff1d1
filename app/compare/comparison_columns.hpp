// The columns of the main table of a comparison: the metrics, and what they are called there.
#pragma once

#include <span>
#include <string_view>

namespace reeve::app {

struct ShownMeasure {
  std::string_view measure;
  std::string_view title;
  bool always = false;  ///< even if it is zero for every policy
  bool part = false;    ///< of another column: no row in the table of differences
};

/// Of a scenario with one job.
std::span<const ShownMeasure> story_columns();
/// Of any other.
std::span<const ShownMeasure> fleet_columns();

/// The column of what a policy recovers against the baseline; no metric of one run.
inline constexpr std::string_view recovered_key = "recovered_gpu_hours";
inline constexpr std::string_view recovered_title = "recovered GPU-h";

}  // namespace reeve::app
