// The records of one job of Slurm, in order, to a job of the history.
#pragma once

#include <span>
#include <vector>

#include "scenarios/history/data/findings.hpp"
#include "scenarios/history/data/history_job.hpp"
#include "scenarios/history/data/slurm_records.hpp"

namespace reeve::scenarios {

/// Makes jobs: the last record that ran is the job, those before it are lost attempts.
class SlurmAttempts {
 public:
  using Record = KeptRecord;

  /// Warns W0303, W0641.
  SlurmAttempts(const SlurmNames& names, const std::vector<FileReport>& files,
                LateFindings& findings)
      : names_{names}, files_{files}, findings_{findings} {}

  /// Without a name.
  HistoryJob job_of(std::span<const Record> records) const;

 private:
  void read_shape(const Record& record, HistoryJob& to) const;
  void read_end(std::span<const Record> records, const Record& main, HistoryJob& to) const;
  void read_times(std::span<const Record> records, const Record& main, HistoryJob& to) const;
  void read_attempts(std::span<const Record> records, const Record& main, HistoryJob& to) const;

  const SlurmNames& names_;
  const std::vector<FileReport>& files_;
  LateFindings& findings_;
};

}  // namespace reeve::scenarios
