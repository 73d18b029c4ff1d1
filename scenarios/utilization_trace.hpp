// Readers of recorded GPU utilization: what each host of a job read, as changes
// (docs/utilization.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/utilization.hpp"
#include "scenarios/diagnostic.hpp"
#include "scenarios/trace.hpp"

namespace reeve::scenarios {

/// How a file tells what GPUs read.
enum class UtilFormat : std::uint8_t {
  csv,         ///< t_s,host,gpu_util_pct
  nvidia_smi,  ///< nvidia-smi --query-gpu=timestamp,index,utilization.gpu --format=csv; one host
  cloudwatch,  ///< JSON answer of GetMetricData
};

/// What a value of the file is: the percent of one GPU, or the sum over those of a host.
enum class UtilScale : std::uint8_t { per_gpu, sum };

/// What holds between samples that are much farther apart than usual: nothing, or the value before
/// (then the rows are changes, not samples, and none is missing).
enum class UtilGaps : std::uint8_t { missing, hold };

struct UtilOptions {
  std::optional<UtilFormat> format;  ///< none: seen from the first bytes
  std::optional<UtilScale> scale;    ///< none: per_gpu, but sum where CloudWatch tells it
  UtilGaps gaps = UtilGaps::missing;
  std::uint32_t gpus = 0;  ///< of a host; > 0 where the scale is a sum
  TraceLimits limits;
};

/// The hosts of one job in a file.
struct UtilOfJob {
  std::string job;          ///< empty: the file names none
  bool names_hosts = true;  ///< false: one host, and the file does not say which
  std::shared_ptr<const models::UtilTrace> trace;
};

/// A file that was read.  At least one job, each with at least one host.
struct UtilFile {
  std::vector<UtilOfJob> jobs;  ///< by name
  std::uint64_t samples = 0;
  std::uint64_t changes = 0;
  std::size_t gpus_seen = 0;           ///< in logs of nvidia-smi; 0: the file does not tell
  bool seems_in_milliseconds = false;  ///< seconds that are far apart, and not by minutes
  std::vector<Diagnostic> warnings;    ///< each names what was assumed
};

/// Reads the whole file, plain or gzip.  Throws InputError: E0001 ... E0136 and E0202 of files and
/// JSON, E0302 ... E0322 of CSV and numbers, E0330 time runs backwards, E0331 two values at one
/// instant, E0332 a wrong unit, E0335 a page is missing, E0336 a series that cannot be told.
UtilFile read_utilization(const std::filesystem::path& path, const UtilOptions& options);
/// Reads from a stream, as if it were the file `name`.
UtilFile read_utilization(const std::string& name, std::unique_ptr<std::istream> input,
                          const UtilOptions& options);

}  // namespace reeve::scenarios
