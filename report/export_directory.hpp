// A directory of CSV tables of many runs, and the datapackage.json that describes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/record.hpp"
#include "report/csv.hpp"
#include "report/directory_lock.hpp"
#include "report/journal_file.hpp"
#include "report/new_directory.hpp"
#include "report/run_rows.hpp"
#include "report/schema.hpp"
#include "report/temporary_file.hpp"

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
  bool partial = false;  ///< interrupted, though each run may be whole
};

/// The files of an export: the tables, datapackage.json, manifest.json and the report page.
bool is_export_file(const std::filesystem::path& file);

/// Whether the datapackage.json of a directory marks an export that was not finished.
bool is_incomplete(const std::filesystem::path& directory);

/// Removes the report page of earlier results, if there is one.
void remove_page(const std::filesystem::path& directory);

/// A table that stands in a directory, with its size.
struct WrittenTable {
  const TableSchema* schema = nullptr;
  std::uint64_t bytes = 0;
};

/// The text of a datapackage.json of tables that are not of runs.
std::string description_of(const std::string& name, const std::vector<WrittenTable>& tables);

/// Rows stream into temporary files.  `finish` renames them into place, datapackage.json last, so a
/// reader never sees half a table.  It removes tables of an earlier export that this one does not
/// write, and journals that the earlier one listed.  Without `finish` nothing changes, and no empty
/// directory remains.  If the program is killed, the directory holds the earlier export, or a
/// datapackage.json with `incomplete: true`. Throws std::runtime_error naming the path, also while
/// another process writes to the directory.
class ExportDirectory {
 public:
  ExportDirectory(std::filesystem::path directory, const ExportTables& tables);
  ~ExportDirectory();
  ExportDirectory(const ExportDirectory&) = delete;
  ExportDirectory& operator=(const ExportDirectory&) = delete;

  /// Runs keep the order in which they are added.
  void add(const RunRows& run);

  /// Writes a table that is not of the runs, below its header.
  void add_table(const TableSchema& table, const std::function<void(CsvWriter&)>& rows);

  /// Takes a closed journal, which `finish` puts in place together with the tables.
  void add_journal(std::unique_ptr<JournalFile> journal);

  /// Everything at once, and the text of `manifest.json` beside it.  May be called once.
  void finish(const PackageInfo& package, const std::string& manifest = {});

 private:
  class File;
  /// A journal in the directory, as a datapackage.json lists it.
  struct ListedJournal {
    std::string name;
    std::optional<std::uintmax_t> bytes;  ///< nothing: the export did not finish
  };
  struct Run {
    RunInfo info;
    bool partial = false;
    std::string decisions_hash;  ///< of its last decision: reveals a truncated log
  };

  /// A datapackage.json that is removed unless it is to stay.
  class Mark {
   public:
    explicit Mark(const std::filesystem::path& file) : name_{file.string()} {}
    ~Mark();
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;
    void keep() { kept_ = true; }

   private:
    TemporaryName name_;
    bool kept_ = false;
  };

  void mark_incomplete();
  std::vector<ListedJournal> listed_journals() const;
  bool is_unchanged(const ListedJournal& journal) const;
  std::vector<std::string> journal_names() const;
  std::string description(const PackageInfo& package) const;
  void put_all_in_place(TemporaryFile& description, TemporaryFile* manifest);

  std::filesystem::path directory_;
  NewDirectory made_;  ///< outlives the temporary files in it
  std::optional<DirectoryLock> lock_;
  std::vector<ListedJournal> earlier_journals_;  ///< that the earlier export lists
  std::optional<Mark> mark_;                     ///< of a directory that had no export before
  std::vector<std::unique_ptr<File>> files_;
  std::vector<std::unique_ptr<File>> added_;
  std::vector<std::unique_ptr<JournalFile>> journals_;
  std::vector<Run> runs_;
};

}  // namespace reeve::report
