#include "failure_rate.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <utility>
#include <variant>

#include "job_rule.hpp"
#include "proposed_verbs.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kFailureRateReason = "too many of the last attempts failed";

struct FailureRateRow {
  AttemptNumber counted = 0;   ///< newest attempt whose end was counted
  AttemptNumber tipped = 0;    ///< the attempt that a message was about
  std::uint32_t incident = 0;  ///< in which
};

/// Counts attempts as their ends are told, each once.  An end that is told after that of a later
/// attempt at the job is not seen.
class FailureRate final : public JobRule<FailureRateRow> {
 public:
  explicit FailureRate(const Options& options)
      : last_{static_cast<std::size_t>(options.integer("last"))},
        failures_{options.integer("failures")} {
    for (const std::string& name : options.texts("classes")) {
      if (const auto failure = failure_class_named(name)) classes_.push_back(*failure);
    }
  }

 private:
  bool tells_of_attempts() const override { return false; }

  /// The end of an attempt.  Another attempt may have followed already, for example if a queue
  /// retries at once.
  void attend(const Observation& seen, const Step& /*step*/, Decisions& /*out*/) override {
    const auto* event = std::get_if<JobChanged>(&seen.fact);
    if (event != nullptr && is_terminal(event->primary)) {
      note_end(jobs_[event->job], event->attempt, counts(event->primary, event->failure));
    }
  }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    FailureRateRow& row = jobs_[job];
    if (is_terminal(status.primary)) {
      note_end(row, status.attempt, counts(status.primary, status.failure));
    }
    if (told_ || failed_ < failures_ || row.tipped == 0) return;
    told_ = true;
    out.propose(Notify{job, row.tipped}, kFailureRateReason,
                std::to_string(failed_) + " of the last " + std::to_string(ends_.size()));
  }

  bool counts(Primary primary, FailureClass failure) const {
    if (primary != Primary::failed) return false;
    return classes_.empty() ||
           std::find(classes_.begin(), classes_.end(), failure) != classes_.end();
  }

  void note_end(FailureRateRow& row, AttemptNumber attempt, bool failed) {
    if (row.counted >= attempt) return;
    row.counted = attempt;
    count(failed);
    if (failed_ < failures_ && std::exchange(told_, false)) ++incident_;
    if (failed_ < failures_ || told_) return;
    row.tipped = attempt;
    row.incident = incident_;
  }

  void count(bool failed) {
    ends_.push_back(failed);
    if (failed) ++failed_;
    if (ends_.size() <= last_) return;
    if (ends_.front()) --failed_;
    ends_.pop_front();
  }

  /// The message did not get out: if it is still true it may.
  void forget(FailureRateRow& row, AttemptNumber attempt) override {
    if (row.tipped == attempt && row.incident == incident_) told_ = false;
  }

  std::size_t last_;
  std::int64_t failures_;
  std::vector<FailureClass> classes_;  ///< empty: each
  std::deque<bool> ends_;              ///< of the last attempts: whether they failed
  std::int64_t failed_ = 0;            ///< among them
  bool told_ = false;                  ///< of this incident: until fewer failed
  std::uint32_t incident_ = 0;
};

OptionProblem check_failure_rate(const Options& options) {
  const std::vector<std::string>& classes = options.texts("classes");
  for (std::size_t index = 0; index < classes.size(); ++index) {
    if (failure_class_named(classes[index])) continue;
    return {.option = "classes",
            .message = "'" + classes[index] + "' is not a failure class",
            .help =
                "infrastructure, capacity, code, out_of_memory, data, configuration, "
                "hardware, quota, unknown",
            .element = index};
  }
  if (options.integer("failures") <= options.integer("last")) return {};
  return {.option = "failures",
          .message = "is greater than last: the rule can never act",
          .help = "use at most the value of last",
          .against = "last"};
}

std::unique_ptr<Policy> make_failure_rate(const Options& options) {
  return std::make_unique<FailureRate>(options);
}

constexpr std::array failure_rate_alert_keys{AlertKey{"failures", "failures"},
                                             AlertKey{"last", "last"}, AlertKey{"tags"}};

}  // namespace

PolicyKind failure_rate_kind() {
  return {
      .name = "failure_rate",
      .summary = "sends a notification when too many recent attempts failed",
      .source =
          "How Amazon Search increased ML training twofold using AWS Batch for Amazon SageMaker "
          "Training jobs: an alarm on unexpected failures",
      .options = {{.name = "failures",
                   .type = OptionType::integer,
                   .unit = "attempts",
                   .default_json = "3",
                   .min = 1,
                   .max = 10'000,
                   .choices = {},
                   .help = "failed attempts that trigger the notification"},
                  {.name = "last",
                   .type = OptionType::integer,
                   .unit = "attempts",
                   .default_json = "10",
                   .min = 1,
                   .max = 10'000,
                   .choices = {},
                   .help = "number of most recently ended attempts to consider"},
                  {.name = "classes",
                   .type = OptionType::texts,
                   .unit = "",
                   .default_json = "[]",
                   .choices = {},
                   .help = "failure classes that count; empty: all"}},
      .alert = "failures",
      .alert_keys = failure_rate_alert_keys,
      .check = check_failure_rate,
      .verbs = always<VerbKind::notify>,
      .make = make_failure_rate,
  };
}

}  // namespace reeve::policies
