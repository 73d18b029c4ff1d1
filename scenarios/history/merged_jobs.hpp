// The jobs of a history, each once, whichever files describe it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scenarios/history/data/history.hpp"
#include "scenarios/history/data/text_table.hpp"

namespace reeve::scenarios {

/// The jobs in order of their first descriptions.  Of two descriptions the newer counts.  A job of
/// a queue gives its wait to the job that another platform runs for it, and is left out.
class MergedJobs {
 public:
  MergedJobs(PackedJobs described, const std::vector<FileReport>& files, FileFindings& findings);

  /// The place of the job of a name; of several, of the first.
  std::optional<std::size_t> find(std::string_view name) const;
  /// The places of all jobs of a name: of several, all but the first are called NAME@....
  std::vector<std::size_t> named(std::string_view name) const;
  PackedJobs& jobs() { return jobs_; }
  PackedJobs take() && { return std::move(jobs_); }

 private:
  JobPass add(HistoryJob& job);
  policy::Instant seen_at(const HistoryJob& job) const;
  bool is_older(const HistoryJob& job, const HistoryJob& other) const;
  JobPass merge(const HistoryJob& job, std::size_t place);
  void note(const HistoryJob& job);
  std::optional<std::size_t> find_arn(std::string_view arn) const;
  std::optional<std::size_t> inner_of(const HistoryJob& outer, std::size_t place) const;
  void join_queues();
  void tell_copy(const HistoryJob& job, std::string message);

  const std::vector<FileReport>& files_;
  FileFindings& findings_;
  PackedJobs jobs_;
  std::size_t size_ = 0;                                          ///< the jobs before are merged
  TextTable by_name_, by_arn_;                                    ///< places in `jobs_`
  std::multimap<std::string, std::size_t, std::less<>> renamed_;  ///< by the name of several jobs
  bool has_queued_jobs_ = false;                                  ///< that another platform runs
};

/// Finds the job of a use of a bill: by ARN, or by name if no ARN of the job is known.
class BilledJobs {
 public:
  /// `bill`: without uses nothing is found.
  BilledJobs(const PackedJobs& jobs, const Bill& bill);
  /// Its place among the jobs; nothing if none of them is meant.
  std::optional<std::size_t> place(const BilledUse& use) const;
  /// Passes the uses of training instances of a job, its place and its record, in order of `bill`.
  void for_each_instance_use(
      const Bill& bill,
      const std::function<void(const BilledUse&, std::size_t, const ImportedJob&)>& tell) const;

 private:
  const PackedJobs& jobs_;
  TextTable table_;
};

}  // namespace reeve::scenarios
