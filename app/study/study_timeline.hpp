// Writes the timeline of a study: the option --timeline.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "experiments/run.hpp"
#include "report/gzip_stream.hpp"
#include "report/journal_file.hpp"
#include "report/timeline.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

/// Throws UsageError unless the file may be written: it is new, or a timeline of reeve.
void check_timeline_place(const std::filesystem::path& file,
                          const std::optional<std::filesystem::path>& out);

/// Writes replication 0 of each policy as it comes.  The file is compressed if its name ends with
/// ".gz".  Throws std::runtime_error naming the path.
class StudyTimeline {
 public:
  StudyTimeline(const std::filesystem::path& file, const scenarios::Scenario& scenario);

  /// What replication 0 is run with.
  static experiments::RunOptions options(experiments::RunOptions others);

  /// Does nothing with other replications.
  void add(const experiments::RunResult& result);
  /// Puts the file in place.  False: no run was added, so there is none.
  bool finish();

 private:
  const scenarios::Scenario& scenario_;
  report::JournalFile file_;
  std::optional<report::GzipStream> gzip_;
  report::Timeline timeline_;
  bool has_runs_ = false;
};

}  // namespace reeve::app
