// The records of one job of Slurm, in order, to a job of the history.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "scenarios/history/slurm_jobs.hpp"
#include "scenarios/history/text_table.hpp"

namespace reeve::scenarios {

/// Adds jobs to a history: the last record that ran is the job, those before it are lost attempts.
class SlurmAttempts {
 public:
  using Record = KeptRecord;

  /// `cut_start`: jobs that start then started before.
  SlurmAttempts(HistoryInput& input, const SlurmNames& names,
                std::optional<policy::Instant> cut_start)
      : input_{input}, names_{names}, cut_start_{cut_start} {}

  /// Takes the records: by cluster, job, task, part and submission.
  void read(SlurmRecords& records, History& into);

 private:
  HistoryJob job_of(std::span<const Record> records) const;
  void read_shape(const Record& record, HistoryJob& to) const;
  void read_end(std::span<const Record> records, const Record& main, HistoryJob& to) const;
  void read_times(std::span<const Record> records, const Record& main, HistoryJob& to) const;
  void read_attempts(std::span<const Record> records, const Record& main, HistoryJob& to) const;
  void add(std::span<const Record> attempts, bool is_again, History& into);
  bool join_part(const std::string& id, const HistoryJob& part, History& into) const;
  std::string id_of(const Record& record);
  bool is_used(const std::string& id, policy::Instant submitted, const History& into) const;

  HistoryInput& input_;
  const SlurmNames& names_;
  std::optional<policy::Instant> cut_start_;
  std::optional<std::string> home_;  ///< the cluster whose name does not stand before its job ids
  TextTable earlier_;                ///< jobs of other files, by name
  std::size_t begin_ = 0;            ///< of this file's jobs
};

}  // namespace reeve::scenarios
