// Collects results of runs into the numbers of a study.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/study/study.hpp"
#include "experiments/measures.hpp"
#include "experiments/statistics.hpp"
#include "report/hash_chain.hpp"

namespace reeve::app {

/// Whether a line is about the policy.
inline bool concerns(const scenarios::Expect& expect, std::string_view policy) {
  return expect.policy == "*" || expect.policy == policy;
}

/// Whether a metric is known from decisions alone.
inline bool counts_actions(std::string_view metric) {
  return metric.starts_with("actions.") || metric.starts_with("decisions.") ||
         metric.starts_with("rule.");
}

/// Takes results in, one after the other.
class StudyCollector {
 public:
  StudyCollector(Study& study, const StudyPlan& plan);
  /// Takes the measures out of the result, which has them.
  void take(experiments::RunResult& result);
  void finish(std::size_t runs);
  /// Half the width of the interval of what the last policy saves against the first.
  double headline() const;

 private:
  /// The same names in each run of a policy, in the same order.
  void add_own(PolicyNumbers& numbers, const experiments::RunResult& result) const;
  /// The last policy of a replication is in: results come in the order of the plan.
  void add_headline();
  void name(const std::vector<experiments::Measure>& measures);
  void prepare(PolicyNumbers& numbers, const std::vector<experiments::Measure>& measures);
  void first(PolicyNumbers& numbers, const experiments::RunResult& result);
  /// Values of groups by name: each by itself takes a look at every job.
  std::map<std::string, std::optional<experiments::Quantity>, std::less<>> group_values(
      const experiments::RunResult& result) const;
  void expect(PolicyNumbers& numbers, const experiments::RunResult& result,
              const std::vector<experiments::Measure>& measures);

  Study& study_;
  report::HashChain chain_;                          ///< of all runs, in the order of the plan
  std::map<std::string, report::HashChain> chains_;  ///< of the runs of each policy
  experiments::RunningEstimate saved_;               ///< by the last policy against the first
  bool first_was_partial_ = false;
};

}  // namespace reeve::app
