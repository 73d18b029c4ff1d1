#include "max_runtime.hpp"

#include <string>

#include "ladder.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kMaxRuntimeReason = "longer than the run time allowed";

struct MaxRuntimeRow {
  AttemptNumber asked = 0;  ///< newest attempt that the cap was asked for
  Instant due = never;      ///< when the own clock's timer is set for
};

/// What both ways of enforcing the cap share: which attempts it is for.
class MaxRuntime : public LadderRule<MaxRuntimeRow> {
 protected:
  explicit MaxRuntime(const Options& options)
      : LadderRule<MaxRuntimeRow>{options},
        limit_{options.duration("limit")},
        exempts_resubmitted_{options.flag("exempt_resubmitted")} {}

  bool applies_to(const JobStatus& status) const {
    const bool resubmitted = status.attempt > 1 && status.origin == Origin::person;
    return !(exempts_resubmitted_ && resubmitted);
  }

  void forget(MaxRuntimeRow& row, AttemptNumber attempt) override {
    if (row.asked == attempt) --row.asked;
  }

  Duration limit_;

 private:
  bool exempts_resubmitted_;
};

/// Lowers the platform's own limit (SageMaker: StoppingCondition), which then ends the attempt.
class PlatformLimit final : public MaxRuntime {
 public:
  explicit PlatformLimit(const Options& options) : MaxRuntime{options} {}

 private:
  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    MaxRuntimeRow& row = jobs_[job];
    if (!is_alive(status) || row.asked >= status.attempt || !applies_to(status)) return;
    // The job may be capped at least as tightly already; unknown before its submission event.
    if (!step.fleet.is_described(job)) return;
    const Duration allowed = step.fleet.description(job).max_runtime;
    if (allowed <= limit_) return;
    row.asked = status.attempt;
    out.propose(LimitRuntime{job, status.attempt, limit_}, kMaxRuntimeReason,
                "it asked for " + length_text(allowed));
  }
};

/// Watches the time itself and stops the attempt.
class OwnClock final : public MaxRuntime {
 public:
  explicit OwnClock(const Options& options) : MaxRuntime{options} {}

 private:
  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    if (status.primary != Primary::in_progress || status.training_since == never) return;
    if (status.secondary == Secondary::uploading) return;  // it does not train any more
    MaxRuntimeRow& row = jobs_[job];
    if (row.asked >= status.attempt || !applies_to(status)) return;
    const Instant due = later(status.training_since, limit_);
    if (due <= step.now) {
      Grievance too_long{job, status.attempt, kMaxRuntimeReason};
      too_long.basis = "for " + length_text(step.now - status.training_since);
      if (ladder_.act(too_long, step, out)) row.asked = status.attempt;
    } else if (row.due != due) {  // a late event may move the start of training
      row.due = due;
      out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), due);
    }
  }
};

OptionProblem check_max_runtime(const Options& options) {
  if (options.text("action") == "stop" || options.text("enforce_by") == "clock") return {};
  return {.option = "action",
          .message = "must be stop if enforce_by is platform",
          .help = R"("enforce_by": "clock")",
          .against = "enforce_by"};
}

std::unique_ptr<Policy> make_max_runtime(const Options& options) {
  if (options.text("enforce_by") == "clock") return std::make_unique<OwnClock>(options);
  return std::make_unique<PlatformLimit>(options);
}

std::vector<VerbKind> max_runtime_verbs(const Options& options) {
  if (options.text("enforce_by") == "platform") return {VerbKind::limit_runtime};
  return ladder_verbs(options);
}

}  // namespace

PolicyKind max_runtime_kind() {
  return {
      .name = "max_runtime",
      .summary = "ends an attempt that trains longer than a limit",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023); SageMaker API, StoppingCondition",
      .options =
          {
              {.name = "limit",
               .type = OptionType::duration,
               .unit = "",
               .default_json = "",
               .min = 1,
               .choices = {},
               .help = "maximum training time of an attempt",
               .vary = Vary::up},
              {.name = "exempt_resubmitted",
               .type = OptionType::flag,
               .unit = "",
               .default_json = "true",
               .choices = {},
               .help = "do not limit an attempt that a user submitted again"},
              {.name = "enforce_by",
               .type = OptionType::choice,
               .unit = "",
               .default_json = R"("platform")",
               .choices = {"platform", "clock"},
               .help = "platform: lower the job's StoppingCondition; clock: measure the time and "
                       "act at the limit"},
              action_option("action at the limit; with enforce_by platform only stop"),
              warn_for_option(),
          },
      .check = check_max_runtime,
      .verbs = max_runtime_verbs,
      .make = make_max_runtime,
  };
}

}  // namespace reeve::policies
