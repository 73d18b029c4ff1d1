// The columns of the main table of a comparison: the metrics, and what they are called there.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "app/study/study.hpp"
#include "experiments/statistics.hpp"

namespace reeve::app {

/// Which values of a measure are better.
enum class Better : std::uint8_t { less, more, neither };

struct ShownMeasure {
  std::string_view measure;
  std::string_view title;
  bool always = false;  ///< even if it is zero for every policy
  bool part = false;    ///< of another column: no row in the table of differences
  Better better = Better::less;
};

/// Of a scenario with one job.
std::span<const ShownMeasure> story_columns();
/// Of any other.
std::span<const ShownMeasure> fleet_columns();

/// Those of the scenario in which any policy has something to show.
std::vector<ShownMeasure> columns_of(const Study& study);

/// What `diff`, of `of` minus `base`, shows: "better" or "worse" if its interval is without 0, else
/// "no difference shown"; "the same" of an exact 0.  "differs" where neither is better: it is no
/// gain to spend less, to end sooner or to miss fewer stalls with fewer jobs done.  Empty: one
/// random run shows nothing.
std::string_view verdict_on(const Study& study, const ShownMeasure& column, const PolicyNumbers& of,
                            const PolicyNumbers& base, const experiments::Estimate& diff);

/// The column of what a policy recovers against the baseline; no metric of one run.
inline constexpr std::string_view recovered_key = "recovered_gpu_hours";
inline constexpr std::string_view recovered_title = "recovered GPU-h";

/// The column of what a policy captures of all that could be saved; likewise.
inline constexpr std::string_view captured_key = "captured_pct";
inline constexpr std::string_view captured_title = "captured";

}  // namespace reeve::app
