// Records of one file of Slurm's accounting, as they are kept until all files are read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scenarios/history/data/slurm_records.hpp"
#include "scenarios/history/reading/reader.hpp"
#include "scenarios/history/reading/time_zone.hpp"
#include "scenarios/history/slurm/values.hpp"

namespace reeve::scenarios {

/// One record: a job from one submission to its end or its requeue.
struct SlurmRecord {
  std::uint64_t line = 0;
  SlurmId id;
  std::uint32_t raw_id = 0;  ///< of an array task, its own job id; 0: not told
  SlurmState state = SlurmState::completed;
  SlurmTime submit, start, end;
  std::optional<policy::Duration> elapsed, limit;
  std::optional<std::int64_t> nodes, gpus;
  std::optional<std::int64_t> restarts;
  std::optional<double> gpu_util;
  bool has_slices = false;
  std::int32_t exit_code = 0, signal = 0;
  std::uint32_t cluster = 0, user = 0, partition = 0, account = 0, gpu_type = 0;
  std::uint32_t stopped_by = 0;
  bool by_person = false;  ///< `stopped_by` is no administrator
};

/// Adds the records of a file to those of the files before.
class SlurmJobs {
 public:
  /// Throws E0410 if options name a time zone that the system does not have.
  SlurmJobs(HistoryInput& input, const HistoryOptions& options, History& into);

  SlurmNames& names() { return records_.names(); }
  /// `has_starts`: the file tells when jobs began.  A record that cannot be used is a finding.
  void add(const SlurmRecord& record, bool has_starts);
  /// Puts a finding W0632 at the line.
  void refuse(std::uint64_t line, std::string message);

  /// After the last record.
  void finish();

 private:
  bool settle_times(const SlurmRecord& record, KeptRecord& kept);
  void keep(const SlurmRecord& record, KeptRecord kept);
  void tell_clock(const SlurmRecord& record);
  void drop_runaways();
  void see_times(const KeptRecord& record);
  void find_cut_starts();

  HistoryInput& input_;
  std::optional<TimeZone> zone_;
  History& into_;
  SlurmRecords& records_;
  std::size_t begin_;  ///< of the records of this file
  std::optional<policy::Instant> first_end_;
  bool has_running_ = false;
  std::size_t pending_tasks_ = 0;
};

}  // namespace reeve::scenarios
