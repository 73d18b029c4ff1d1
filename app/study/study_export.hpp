// Writes a study to a directory: the tables of its runs, the comparison, and what it was.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/compare/history_savings.hpp"
#include "app/study/study.hpp"
#include "experiments/run.hpp"
#include "report/export_directory.hpp"

namespace reeve::app {

/// Streams runs into the tables as they come.  Throws std::runtime_error naming the path.
class StudyExport {
 public:
  /// `queue_every`: the interval of the table `queue` of pending jobs; without it there is no
  /// table.
  StudyExport(std::filesystem::path directory, const scenarios::Scenario& scenario,
              std::optional<policy::Duration> queue_every);

  /// What runs must keep for it.
  static models::Keep kept();

  /// A run with its measures.
  void add(const experiments::RunResult& result);
  /// Takes a closed journal of a run.
  void add_journal(std::unique_ptr<report::JournalFile> journal);
  /// Puts the tables and journals in place, and `manifest.json` beside them.  With a baseline also
  /// compare.csv (each policy against it, each measure), of a history savings.csv and
  /// hurt_jobs.csv, and speed.csv if another speed was requested.
  void finish(const Study& study, std::optional<std::size_t> baseline = {},
              const std::vector<HistorySaving>& savings = {});

 private:
  std::string manifest_of(const Study& study, std::optional<std::size_t> baseline) const;

  std::filesystem::path directory_;
  const scenarios::Scenario& scenario_;
  std::optional<policy::Duration> queue_every_;
  report::ExportDirectory tables_;
};

/// What `reeve explain` needs to know of an exported directory.
struct Manifest {
  std::filesystem::path directory;  ///< where it lies
  std::filesystem::path scenario;
  std::string scenario_sha256;  ///< of its file as it was; empty: not known
  std::optional<std::uint64_t> seed;
  std::optional<std::uint32_t> runs;
};

/// None if there is no such file or it is no manifest.
std::optional<Manifest> read_manifest(const std::filesystem::path& directory);

/// Throws UsageError unless the scenario is still there and the one that the results are of.
void check_scenario_of(const Manifest& manifest);

}  // namespace reeve::app
