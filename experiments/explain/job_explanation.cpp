#include "experiments/explain/job_explanation.hpp"

#include <algorithm>
#include <utility>

#include "experiments/explain/alternatives.hpp"

namespace reeve::experiments {
namespace {

constexpr std::size_t decisions_at_most = 6;     // each is a run
constexpr std::size_t alternatives_at_most = 8;  // likewise

/// The first decisions that changed the job.
std::vector<DecisionRow> first_changes(const JobOutcome& outcome) {
  const std::size_t count = std::min(outcome.changes.size(), decisions_at_most);
  return {outcome.changes.begin(), outcome.changes.begin() + static_cast<std::ptrdiff_t>(count)};
}

using Choice = std::pair<DecisionRow, Alternative>;

/// What could have been done in place of each of them, the first of each before further ones.
std::vector<Choice> choices(const scenarios::Scenario& scenario, const JobExplanation& all) {
  const Standings standings{all.result};
  const models::JobSpec& job = all.result.record.jobs.specs[all.outcome.job.index];
  const std::vector<DecisionRow> decisions = first_changes(all.outcome);
  std::vector<std::vector<Alternative>> of_each;
  for (const DecisionRow& row : decisions) {
    const auto stood = standings.of(row);
    of_each.push_back(stood ? alternatives(scenario.world, job, row, *stood)
                            : std::vector<Alternative>{});
  }
  std::vector<Choice> chosen;
  for (std::size_t place = 0, left = 1; left > 0; ++place) {
    left = 0;
    for (std::size_t i = 0; i < of_each.size(); ++i) {
      if (place >= of_each[i].size()) continue;
      if (chosen.size() == alternatives_at_most) return chosen;
      chosen.emplace_back(decisions[i], of_each[i][place]);
      ++left;
    }
  }
  return chosen;
}

/// Runs one policy of a scenario again with one thing changed, until it is interrupted.
class JobExplainer {
 public:
  JobExplainer(const scenarios::Scenario& scenario, const JobQuestion& question,
               const std::atomic<bool>* interrupted)
      : scenario_{scenario}, question_{question} {
    options_.keep = {.attempts = true,
                     .ledger = true,
                     .utilization = false,
                     .events = true,
                     .alarm_changes = true};
    options_.decisions = true;
    options_.interrupted = interrupted;
  }

  JobExplanation explain() {
    all_.result = run(scenario_, *question_.policy, question_.replication, options_);
    all_.partial = all_.result.record.partial;
    all_.outcome =
        job_outcome(scenario_, all_.result, *job_named(all_.result.record.jobs, question_.job));
    undo();
    replace();
    find_nearest();
    return std::move(all_);
  }

 private:
  void undo() {
    for (const DecisionRow& row : first_changes(all_.outcome)) {
      if (all_.partial) return;
      auto other = run_without(scenario_, *question_.policy, options_, all_.result, row);
      all_.partial = !other;
      if (other) all_.without.push_back({row, {}, *std::move(other)});
    }
  }

  void replace() {
    if (all_.partial) return;
    for (auto& [row, other] : choices(scenario_, all_)) {
      auto outcome = run_instead(scenario_, *question_.policy, options_, all_.result, row,
                                 std::move(other.deeds));
      all_.partial = !outcome;
      if (all_.partial) break;
      all_.instead.push_back({row, std::move(other.name), *std::move(outcome)});
    }
    std::ranges::stable_sort(all_.instead, {},
                             [](const OtherRun& other) { return other.decision.id; });
  }

  void find_nearest() {
    if (all_.partial) return;
    RunOptions fewer = options_;
    fewer.keep = {.attempts = true, .ledger = true};
    const auto replay = [&](const scenarios::PolicySpec& policy) -> std::optional<JobOutcome> {
      const RunResult result = run(scenario_, policy, question_.replication, fewer);
      all_.partial = result.record.partial;
      if (all_.partial) return std::nullopt;
      return job_outcome(scenario_, result, all_.outcome.job);
    };
    all_.nearest = nearest_changes(*question_.policy, all_.outcome, replay);
  }

  const scenarios::Scenario& scenario_;
  const JobQuestion& question_;
  RunOptions options_;
  JobExplanation all_;
};

}  // namespace

JobExplanation explain_job(const scenarios::Scenario& scenario, const JobQuestion& question,
                           const std::atomic<bool>* interrupted) {
  return JobExplainer{scenario, question, interrupted}.explain();
}

}  // namespace reeve::experiments
