// Runs policies of a scenario over its replications and keeps what commands print: numbers, not
// records.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/console.hpp"
#include "experiments/measures.hpp"
#include "experiments/replayed_jobs.hpp"
#include "experiments/statistics.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

class StudyExport;

/// What to run and what to leave behind.
struct StudyPlan {
  std::vector<const scenarios::PolicySpec*> policies;
  std::uint32_t runs = 1;
  unsigned threads = 1;
  bool every_measure = false;  ///< those that need decisions too
  std::optional<std::filesystem::path> out;
  std::optional<policy::Duration> queue_every;    ///< how often the exported table `queue` looks
  std::optional<std::string> by;                  ///< `owner`, or the key of a tag
  std::optional<std::filesystem::path> journal;   ///< of the run; with several: "{}" is the run id
  std::optional<std::filesystem::path> timeline;  ///< of replication 0
};

/// A number over the complete runs.
struct Number {
  std::optional<experiments::Quantity> value;  ///< the mean; exact if there is one run
  experiments::Estimate estimate;              ///< over the runs in which it came to be
};

/// What the stops of one seat came to, over all runs together.
struct SeatVerdicts {
  std::string label;
  host::Mode mode = host::Mode::enforce;
  std::uint32_t runs = 0;
  std::uint64_t right = 0;
  std::uint64_t late = 0;
  std::uint64_t wrong = 0;
  std::uint64_t missed = 0;
  std::uint64_t kept_rule = 0;
  policy::Usd gap = {};               ///< of GPU use below its minimum
  double mean_delays_s = 0;           ///< the mean delay of each run, summed
  std::uint32_t runs_with_delay = 0;  ///< in which a stall was found
  policy::Duration max_delay{0};
  policy::Usd false_stop = {};
  policy::Usd late_stop = {};
  policy::Usd missed_stall = {};
};

/// What one share came to, over all runs together.
struct ShareNumbers {
  struct Sum {
    double sum = 0;
    std::uint32_t runs = 0;  ///< in which it came to be
  };
  std::string share;
  std::vector<Sum> sums;  ///< by column of the table of shares
};

/// What one group of jobs came to, over all runs together: those of an owner, or with a tag.
struct GroupNumbers {
  std::string group;
  std::vector<ShareNumbers::Sum> sums;  ///< by column of the table of groups
};

/// A number that only this policy has: of its rules, and of the shares of the scenario.
struct OwnNumber {
  std::string measure;
  experiments::Quantity zero = 0.0;                           ///< its kind
  std::optional<experiments::Quantity> exact = std::nullopt;  ///< of the first run
  std::vector<double> samples = {};                           ///< by run; NaN: none
};

/// The numbers of one policy.
struct PolicyNumbers {
  const scenarios::PolicySpec* policy = nullptr;
  std::vector<experiments::Quantity> zero;                  ///< by measure: its kind
  std::vector<std::vector<double>> samples;                 ///< by measure, then run; NaN: none
  std::vector<std::optional<experiments::Quantity>> exact;  ///< by measure, of the first run
  std::vector<std::vector<std::optional<experiments::Quantity>>> expected;  ///< by line, then run
  std::vector<std::uint64_t> done;                ///< by run: a hash of which jobs have a result
  std::string digest;                             ///< of all its runs; of one: its journal's
  models::UseCharges uses{};                      ///< of the first run
  std::vector<policy::Duration> person_restarts;  ///< of the first run, since the start
  std::vector<SeatVerdicts> verdicts;             ///< by seat
  std::vector<ShareNumbers> shares;               ///< by share
  std::vector<GroupNumbers> groups;   ///< what `--by` requested; in the order of their names
  ShareNumbers::Sum evenness;         ///< of the slowdowns of those groups
  ShareNumbers::Sum shares_evenness;  ///< of those of shares
  std::vector<OwnNumber> own;  ///< as far as decisions are kept those of rules; those of shares
  std::vector<std::string> unheard;             ///< of the first run: jobs, and since when
  std::vector<std::string> given_up;            ///< of the first run: actions, and when
  std::set<policy::JobId> not_in_data;          ///< of all runs: jobs that ran on beyond their log
  experiments::ReplayedJobs replayed;           ///< of the first run, which replays a history
  std::vector<experiments::HistoryBill> bills;  ///< of a history: by run
  std::string costliest = {};  ///< of the first run: the unfinished job that wasted most, else the
                               ///< job whose decisions cost most
};

/// What one `expect` line came to for one policy.  == and != must hold in every run, for a mean
/// hides that runs miss it on both sides; the other comparisons are of the mean.
struct Verdict {
  const scenarios::Expect* expect = nullptr;
  std::string policy;
  bool held = false;
  std::optional<experiments::Quantity> actual;  ///< of the first broken run, else the mean
  experiments::Estimate estimate;               ///< of the mean, over the runs that have a value
  experiments::Quantity zero = 0.0;             ///< the kind of the value
  std::size_t samples = 0;                      ///< runs in which the value came to be
  std::vector<std::uint32_t> broken;            ///< replications in which == or != does not hold
};

/// One `expect` line of the file; "*" is one line, true if it is true of each policy.
struct ExpectLine {
  const scenarios::Expect* expect = nullptr;
  std::vector<Verdict> verdicts;  ///< of the policies it concerns, at least one
  bool held() const;
};

/// One number of a policy as the scenario has it, and with jobs of another speed.
struct SpeedNumber {
  std::string policy;
  std::string metric;
  std::optional<double> now;
  std::optional<double> then;
  std::optional<double> diff = {};  ///< then - now, over the runs in which both came to be
  std::optional<double> low = {};   ///< of the interval of `diff`; nothing: it has none
  std::optional<double> high = {};
  std::size_t runs = 0;  ///< in which both came to be
};

/// What the study comes to with jobs that train `factor` times as fast.
struct OtherSpeed {
  double factor = 1;
  std::vector<SpeedNumber> numbers = {};
};

/// Results in the order of the plan.
/// Of each run.
std::size_t jobs_of(const scenarios::Scenario& scenario);

struct Study {
  const scenarios::Scenario* scenario = nullptr;
  std::vector<std::string> measures;  ///< names
  std::vector<PolicyNumbers> policies;
  std::uint32_t runs_asked = 1;
  std::uint32_t runs = 0;           ///< complete for every policy
  bool partial = false;             ///< interrupted
  bool decisions = false;           ///< measures of actions are known
  std::optional<std::string> by;    ///< groups of jobs that have a table
  std::uint64_t unbalanced = 0;     ///< runs whose ledger does not sum to its bill
  std::vector<std::string> advice;  ///< what else there is to say of it
  /// Tables to put in place; none: nothing was written.
  std::shared_ptr<StudyExport> exported = {};
  std::optional<std::filesystem::path> timeline = {};  ///< that was written
  std::optional<OtherSpeed> other_speed = {};          ///< if that was requested
  std::vector<std::string> muted;  ///< rules that went wrong: which, in which run, when and why
  std::string digest;              ///< of every run of every policy
  std::uint64_t events = 0;
  std::chrono::nanoseconds elapsed{0};

  Number number(const PolicyNumbers& of, std::string_view measure) const;
  Number number(const OwnNumber& own) const;
  /// Of independent runs, or of a recorded workload and weeks drawn from it.
  experiments::Estimate estimate(std::span<const double> samples) const;
  bool is_resampled() const;
  bool is_forecast() const;  ///< resampled too; no run is the record
  /// a - b over the runs in which both came to be; none of them: no samples.
  experiments::Estimate difference(const PolicyNumbers& a, const PolicyNumbers& b,
                                   std::size_t measure) const;
  /// The same, with `b` of another study of the same measures.
  experiments::Estimate difference(const PolicyNumbers& a, const Study& other,
                                   const PolicyNumbers& b, std::size_t measure) const;
  /// What `of` recovers of the time that `base` wastes, in "instance_hours" or "gpu_hours".
  experiments::Estimate recovered(const PolicyNumbers& of, const PolicyNumbers& base,
                                  std::string_view unit) const;
  /// The part of what could be saved of the baseline's bill that `of` saves, in percent.  In each
  /// run the bound is the lower of their clairvoyant bills.  No samples unless both get the same
  /// jobs done, if there is nothing to save, or if a bound is not known.
  experiments::Estimate captured(const PolicyNumbers& of, const PolicyNumbers& base) const;
  /// Whether this number of samples allows a confidence interval: one random sample does not.
  bool has_interval(std::size_t samples) const { return samples > 1 || !scenario->random; }
  /// Whether the same jobs have results under both, in each run.
  bool same_jobs_done(const PolicyNumbers& a, const PolicyNumbers& b) const;
  /// Complete runs that may differ: of nothing random all are copies of one.
  std::uint32_t draws() const { return scenario->random && runs > 1 ? runs : 1; }
  /// By run, exact of the first run, and its kind.
  Number number_of(std::string_view measure, const std::vector<double>& by_run,
                   const std::optional<experiments::Quantity>& of_first_run,
                   const experiments::Quantity& kind) const;
  /// The lines that concern policies of this study.
  std::vector<ExpectLine> lines() const;
  /// Lines, and one more that stands in every scenario: each run's ledger sums to its bill.
  std::size_t lines_asked() const;
  std::size_t lines_held() const;
  std::size_t index(std::string_view measure) const;  ///< measures.size(): none
};

/// The file of a policy's journal: "{}" in `pattern` is its name.
std::filesystem::path journal_of(const std::filesystem::path& pattern,
                                 const scenarios::PolicySpec& policy);

/// Throws what runs and exports throw.  Ends early, `partial`, on Ctrl-C.  The caller finishes
/// `exported`: until then no table is in place.
Study run_study(const scenarios::Scenario& scenario, const StudyPlan& plan, const Console& console);

}  // namespace reeve::app
