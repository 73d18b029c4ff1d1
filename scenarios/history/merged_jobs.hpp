// The jobs of a history, each once, whichever files describe it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/history/history.hpp"

namespace reeve::scenarios {

/// The jobs in order of their first descriptions.  Of two descriptions the newer counts.  A job of
/// a queue gives its wait to the job that another platform runs for it, and is left out.
class MergedJobs {
 public:
  MergedJobs(const History& history, FileFindings& findings);

  /// All jobs of a name: of several, all but the first are called NAME@....
  std::vector<HistoryJob*> named(std::string_view name);
  std::vector<HistoryJob> take() && { return std::move(jobs_); }

 private:
  void add(const HistoryJob& job);
  void merge(const HistoryJob& job, std::size_t place);
  void add_named(const HistoryJob& job, std::string name);
  std::optional<std::size_t> inner_of(const HistoryJob& outer) const;
  void join_queues();
  void tell_copy(const HistoryJob& job, std::string message);

  FileFindings& findings_;
  std::vector<HistoryJob> jobs_;
  std::map<std::string, std::size_t, std::less<>> by_name_, by_arn_;  ///< places in `jobs_`
};

/// Finds the job of a use of a bill: by ARN, or by name if no ARN of the job is known.
class BilledJobs {
 public:
  explicit BilledJobs(const std::vector<HistoryJob>& jobs);
  /// Its place among the jobs; nothing if none of them is meant.
  std::optional<std::size_t> place(const BilledUse& use) const;

 private:
  std::map<std::string, std::size_t, std::less<>> by_arn_, by_name_;
};

}  // namespace reeve::scenarios
