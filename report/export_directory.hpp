// A directory of CSV tables of many runs and the datapackage.json that describes them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "models/record.hpp"
#include "report/new_directory.hpp"
#include "report/run_rows.hpp"

namespace reeve::report {

/// Which tables: runs, jobs and alarms always, the others if the runs kept them or they are asked
/// for.
struct ExportTables {
  models::Keep keep;
  bool decisions = false;
  bool queue = false;
};

/// What the whole export is about.
struct PackageInfo {
  std::string scenario;  ///< name
  std::string title;
  std::string source;
};

/// Rows stream into temporary files; `finish` renames them into place, datapackage.json last, so
/// that a reader never meets half a table.  Tables of an export that was here before and that this
/// one does not write are removed.  Without `finish` nothing changes, and no
/// empty directory is left.
/// Throws std::runtime_error naming the path.
class ExportDirectory {
 public:
  ExportDirectory(std::filesystem::path directory, const ExportTables& tables);
  ~ExportDirectory();
  ExportDirectory(const ExportDirectory&) = delete;
  ExportDirectory& operator=(const ExportDirectory&) = delete;

  /// Runs appear in the order in which they are added.
  void add(const RunRows& run);

  void finish(const PackageInfo& package);

 private:
  class File;
  struct Run {
    RunInfo info;
    bool partial = false;
    std::string decisions_hash;  ///< of its last decision: makes a shortened log show
  };

  std::filesystem::path directory_;
  NewDirectory made_;  ///< outlives the temporary files in it
  std::vector<std::unique_ptr<File>> files_;
  std::vector<Run> runs_;
};

}  // namespace reeve::report
