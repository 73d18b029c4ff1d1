// Reads the job logs others published, in their own columns, into jobs of the canonical trace.
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <reeve/policy/units.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/records/trace.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {

/// One job as the canonical record has it (TraceRow, owning its texts).  What the log does not say
/// stays empty.
struct ImportedJob {
  std::string job_id = {};
  policy::Duration submit{};  ///< since the first submission, or the log's own zero; >= 0
  std::uint64_t line = 0;     ///< of the log, from 1; 0: not known
  std::string user = {};
  std::string queue = {};
  std::optional<std::int64_t> nodes = std::nullopt;
  std::optional<std::int64_t> gpus_per_node = std::nullopt;
  std::optional<std::int64_t> gpus_total = std::nullopt;
  std::optional<std::int64_t> gpu_milli = std::nullopt;
  std::string gpu_type = {};
  std::optional<policy::Duration> duration = std::nullopt;
  EndStatus end_status = EndStatus::unknown;
  std::string failure_reason = {};
  std::optional<double> gpu_util_mean = std::nullopt;
  std::optional<std::int64_t> priority = std::nullopt;
  std::optional<bool> preemptible = std::nullopt;
  std::optional<policy::Duration> observed_wait = std::nullopt;
  std::optional<std::int64_t> attempts = std::nullopt;
  std::optional<std::int64_t> weight = std::nullopt;
  std::optional<policy::Duration> estimate = std::nullopt;
  std::optional<policy::Duration> time_limit = std::nullopt;
  std::string instance_type = {};
  std::optional<policy::Market> market = std::nullopt;
  std::optional<bool> censored = std::nullopt;
  std::optional<policy::Duration> max_wait = std::nullopt;
  std::optional<policy::Duration> startup = std::nullopt;
  std::optional<std::int64_t> interruptions = std::nullopt;
  std::optional<std::int64_t> restarts = std::nullopt;
  std::optional<policy::Duration> lost = std::nullopt;
  std::optional<policy::Duration> stalled = std::nullopt;
  std::optional<policy::Duration> billed = std::nullopt;
  std::optional<policy::Usd> billed_usd = std::nullopt;
  std::optional<policy::Usd> list_usd = std::nullopt;
  std::optional<EndCause> end_cause = std::nullopt;
  std::string sweep = {};
  std::vector<std::pair<std::string, std::string>> tags = {};  ///< key and value, not empty
  friend bool operator==(const ImportedJob&, const ImportedJob&) = default;
};

/// A whole log, by submission, then by id (shorter ones first).
struct ImportedJobs {
  std::vector<ImportedJob> jobs;
  std::optional<policy::Instant> zero;  ///< where `submit` counts from, if the log has dates
  std::vector<Diagnostic> warnings;
};

/// A log that can be read: `reeve import NAME`.
struct JobImporter {
  std::string_view name;
  std::string_view what;      ///< whose log, and which of its files
  std::string_view columns;   ///< that are needed
  std::string_view inferred;  ///< what the log does not say and is assumed; may be empty
  ImportedJobs (*read)(std::string name, std::unique_ptr<std::istream> input);
  /// The same, of columns with other names; null: its columns have fixed names.
  ImportedJobs (*read_named)(std::string name, std::unique_ptr<std::istream> input,
                             const ColumnNames& columns) = nullptr;
};
std::span<const JobImporter> job_importers();

/// Reads the file, plain or gzip; `columns`: only of an importer with read_named.  Throws
/// InputError: E0001 ... E0003 of files, E0301 ... E0322 and E0332, E0137 of CSV, numbers and
/// times, E0100 ... of JSON, each with its place; E0318 a job stands twice; E0320 no jobs.
ImportedJobs import_jobs(const JobImporter& importer, const std::filesystem::path& path,
                         std::vector<ColumnName> columns = {});

/// Without what was submitted before `since`, which becomes the zero of what is left.
void drop_before(ImportedJobs& imported, policy::Duration since);

/// Which column tells how many instances a job needs: GPUs, unless only nodes are known.
bool counts_nodes(const ImportedJobs& imported);

/// Why a row cannot be a job of a workload: it has no instances or no duration, which a workload
/// refuses (E0240, E0241), or it never started, so that its run time is unknown.
enum class Unrunnable : std::uint8_t { no_size, no_duration, never_started };

/// Nothing if it can be run.
std::optional<Unrunnable> unrunnable(const ImportedJob& job, bool by_nodes);

/// Names jobs, users, queues, sweeps and the values of tags by number, in the order of their first
/// submission: what they were called cannot be found out from what is left.  Keys of tags stay.
void anonymize(ImportedJobs& imported);

/// Instances of one kind in a list of nodes.
struct NodeCount {
  std::string gpu_type;  ///< empty: none, or not told
  std::int64_t gpus_per_node = 0;
  std::uint64_t nodes = 0;
};
/// Counts a list of nodes of Alibaba's openb cluster (sn, cpu_milli, memory_mib, gpu, model), by
/// type, then by GPUs per node.
std::vector<NodeCount> import_nodes(const std::filesystem::path& path);

}  // namespace reeve::scenarios
