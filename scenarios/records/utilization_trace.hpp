// Readers of recorded GPU utilization: what each host of a job read, as changes
// (docs/explanation/utilization.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/utilization.hpp"
#include "scenarios/records/utilization_options.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {

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
