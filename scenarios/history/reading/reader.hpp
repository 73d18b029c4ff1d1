// What a reader of exported files is, and what it is given: a file and what the user says of it.
#pragma once

#include <istream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/history/data/findings.hpp"
#include "scenarios/history/data/history.hpp"

namespace reeve::scenarios {

/// What the files leave open and the user says.
struct HistoryOptions {
  std::string as = {};  ///< the kind of every file; empty: each is recognized
  std::optional<policy::Instant> as_of =
      {};  ///< when the files were exported; none: their latest times
  std::vector<std::string> columns = {};           ///< of a file without a header, in its order
  std::string timezone = {};                       ///< of times without an offset; empty: UTC
  std::map<std::string, double> usd_per = {};      ///< dollars per unit of a currency: {"EUR", 1.1}
  std::string job = {}, host = {};                 ///< of metrics that name neither
  std::map<std::string, std::string> labels = {};  ///< of metric queries: id to "JOB/algo-N"
  std::string join = {};    ///< the setting of a run that names its job: "config.training_job_name"
  bool keep_going = false;  ///< a file that cannot be read is reported and skipped
  std::map<std::string, std::string> in_memory =
      {};  ///< bytes of files that are on no disk, by name
};

/// One file at hand.
struct HistoryInput {
  std::string name;
  std::unique_ptr<std::istream> stream;  ///< plain or gzip
  std::string head = {};                 ///< its first text, after gunzip; not taken from `stream`
  FileFindings findings;
  FileReport report;

  HistoryInput(std::string file, std::unique_ptr<std::istream> bytes)
      : name{file}, stream{std::move(bytes)}, findings{file} {
    report.file = std::move(file);
  }
};

/// One kind of file: `reeve import NAME`.
struct HistoryReader {
  std::string_view name;
  std::string_view what;       ///< which files of which program
  std::string_view one_file;   ///< what one such file is: "the output of sacct"
  std::string_view export_by;  ///< the command that writes such a file; may be empty
  /// Whether a file begins so: `head` is its first text, at most 64 KiB, after gunzip.
  bool (*recognizes)(std::string_view head);
  /// Adds what the file says.  Throws InputError if the file as a whole cannot be used; a bad
  /// record is a finding.
  void (*read)(HistoryInput& input, const HistoryOptions& options, History& into);
};

}  // namespace reeve::scenarios
