// A directory of CSV tables of many runs, and the datapackage.json that describes them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "models/record.hpp"
#include "report/new_directory.hpp"
#include "report/run_rows.hpp"

namespace reeve::report {

/// The tables to export: runs, jobs and alarms always, the others if the runs kept them or on
/// request.
struct ExportTables {
  models::Keep keep;
  bool decisions = false;
  bool queue = false;
};

/// The description of the whole export.
struct PackageInfo {
  std::string scenario;  ///< name
  std::string title;
  std::string source;
};

/// Rows stream into temporary files.  `finish` renames them into place, datapackage.json last, so a
/// reader never sees half a table.  It removes tables of an earlier export that this one does not
/// write.  Without `finish` nothing changes, and no empty directory remains.  Throws
/// std::runtime_error naming the path.
class ExportDirectory {
 public:
  ExportDirectory(std::filesystem::path directory, const ExportTables& tables);
  ~ExportDirectory();
  ExportDirectory(const ExportDirectory&) = delete;
  ExportDirectory& operator=(const ExportDirectory&) = delete;

  /// Runs keep the order in which they are added.
  void add(const RunRows& run);

  void finish(const PackageInfo& package);

 private:
  class File;
  struct Run {
    RunInfo info;
    bool partial = false;
    std::string decisions_hash;  ///< of its last decision: reveals a truncated log
  };

  std::filesystem::path directory_;
  NewDirectory made_;  ///< outlives the temporary files in it
  std::vector<std::unique_ptr<File>> files_;
  std::vector<Run> runs_;
};

}  // namespace reeve::report
