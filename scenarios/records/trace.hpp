// Streaming reader of the canonical job trace: one CSV record per job, plain or gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <reeve/policy/market.hpp>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/records/end_status.hpp"
#include "scenarios/records/trace_columns.hpp"
#include "scenarios/records/trace_limits.hpp"
#include "scenarios/text/csv_header.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {

/// One job.  Empty cells are nullopt (texts: empty); nothing is invented.  The texts point into the
/// reader and die at its next call.
struct TraceRow {
  std::uint64_t line = 0;     ///< where the record begins, from 1
  std::string_view job_id;    ///< never empty, unique in the file
  policy::Duration submit{};  ///< since the trace's own zero; >= 0; 0 if the trace has dates
  std::optional<policy::Instant> date =
      std::nullopt;  ///< of the submission, if the trace has dates
  std::string_view user;
  std::string_view queue;
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> gpus_per_node;
  std::optional<std::int64_t> gpus_total;
  std::optional<std::int64_t> gpu_milli;  ///< thousandths of one GPU
  std::string_view gpu_type;
  std::optional<policy::Duration> duration;  ///< >= 0, rounded to the nanosecond
  EndStatus end_status = EndStatus::unknown;
  std::string_view failure_reason;
  std::optional<double> gpu_util_mean;  ///< percent of one GPU, 0..100
  std::optional<std::int64_t> priority;
  std::optional<bool> preemptible;
  std::optional<policy::Duration> observed_wait;  ///< >= 0
  std::optional<std::int64_t> attempts;
  std::optional<std::int64_t> weight;          ///< how many jobs it stands for
  std::optional<policy::Duration> estimate;    ///< the user's, of the run time
  std::optional<policy::Duration> time_limit;  ///< that the user requested
  std::string_view instance_type;
  std::optional<policy::Market> market;
  std::optional<bool> censored;               ///< `duration` is only a lower bound of the work
  std::optional<policy::Duration> max_wait;   ///< for Spot, that the user requested
  std::optional<policy::Duration> startup;    ///< billed, before the work
  std::optional<std::int64_t> interruptions;  ///< by the platform
  std::optional<std::int64_t> restarts;       ///< after faults
  std::optional<policy::Duration> lost;       ///< of attempts without a result
  std::optional<policy::Duration> stalled;    ///< at the end of `duration`
  std::optional<policy::Duration> billed;     ///< per instance
  std::optional<policy::Usd> billed_usd;      ///< of the whole job
  std::optional<policy::Usd> list_usd;        ///< the same at list prices
  std::optional<EndCause> end_cause;
  std::string_view sweep;
  std::vector<std::pair<std::string_view, std::string_view>> tags;  ///< by column; none is empty
};

/// Reads a trace front to back in constant memory but for the job names (to find duplicates).
/// Submit times need not be sorted.  Both the constructor (header) and next() throw InputError
/// E0302 ... E0322, E0380 ... E0382 with the place in the CSV; the first error ends the reading.
class TraceReader {
 public:
  explicit TraceReader(const std::filesystem::path& path, const TraceLimits& limits = {},
                       ColumnNames names = {});
  /// Reads from a stream, as if it were the file `name`.
  TraceReader(std::string name, std::unique_ptr<std::istream> input, const TraceLimits& limits = {},
              ColumnNames names = {});
  ~TraceReader();
  TraceReader(TraceReader&&) noexcept;
  TraceReader& operator=(TraceReader&&) noexcept;

  /// Leaves the column `end_status` unread: any word may stand there.
  void ignore_end_status();

  /// The next job into `row`; false at the end.  A file without any job is an error.
  bool next(TraceRow& row);

  /// What was ignored: unknown columns.
  const std::vector<Diagnostic>& warnings() const;

  /// A finding about the row read last, pointing at one of its columns ("nodes").
  Diagnostic at(std::string_view column, std::string_view code, std::string message,
                std::string label = {}) const;

 private:
  class Reading;
  std::unique_ptr<Reading> reading_;
};

}  // namespace reeve::scenarios
