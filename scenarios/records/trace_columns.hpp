// The columns of the canonical job trace.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

namespace reeve::scenarios {

/// A column of the canonical record; docs/reference/tables.md has the same table.
struct TraceColumn {
  std::string_view name;
  std::string_view unit;
  bool required = false;  ///< the header must name it, and no cell of it may be empty
  std::string_view meaning;
};
/// In their order; `tag.KEY` comes last and stands for any number of columns.
std::span<const TraceColumn> trace_columns();

/// The places of the columns in trace_columns().
struct TraceOrder {
  enum Index : std::size_t {
    job_id,
    submit_s,
    user,
    queue,
    nodes,
    gpus_per_node,
    gpus_total,
    gpu_milli,
    gpu_type,
    duration_s,
    end_status,
    failure_reason,
    gpu_util_mean,
    priority,
    preemptible,
    observed_wait_s,
    attempts,
    weight,
    estimate_s,
    time_limit_s,
    instance_type,
    market,
    censored,
    max_wait_s,
    startup_s,
    interruptions,
    restarts,
    lost_s,
    stalled_s,
    billed_s,
    billed_usd,
    list_usd,
    end_cause,
    sweep,
    column_count,
  };
};

/// How the names of columns with a tag of the job begin; the key of the tag follows.
inline constexpr std::string_view tag_prefix = "tag.";

/// The names of the columns, without those of tags.
std::span<const std::string_view> trace_column_names();
std::span<const std::string_view> required_trace_columns();
/// What other logs call the columns (ColumnNames::usual).
std::span<const std::pair<std::string_view, std::string_view>> usual_trace_names();

/// Whether a trace can have the column: it is one of them, or one of a tag with a key.
bool is_trace_column(std::string_view name);

}  // namespace reeve::scenarios
