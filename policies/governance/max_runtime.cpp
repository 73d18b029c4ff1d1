#include "max_runtime.hpp"

#include "job_news.hpp"
#include "job_table.hpp"
#include "timer_key.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kReason = "longer than the run time allowed";

/// What both ways of enforcing the cap share: which attempts it is for.
class MaxRuntime : public Policy {
 public:
  explicit MaxRuntime(const Options& options)
      : limit_{options.duration("limit")},
        exempts_resubmitted_{options.flag("exempt_resubmitted")} {}

 protected:
  bool applies_to(const JobStatus& status) const {
    const bool resubmitted = status.attempt > 1 && status.origin == Origin::person;
    return !(exempts_resubmitted_ && resubmitted);
  }

  Duration limit_;
  bool exempts_resubmitted_;
};

/// Lowers the platform's own limit (SageMaker: StoppingCondition), which then ends the attempt.
class PlatformLimit final : public MaxRuntime {
 public:
  using MaxRuntime::MaxRuntime;

  void decide(const Step& step, Decisions& out) override {
    for (const Observation& seen : step.observed) {
      const auto* settled = own_settlement(seen, step.seat, VerbKind::limit_runtime);
      if (settled != nullptr && worth_asking_again(step, *settled)) {
        AttemptNumber& asked = asked_[settled->job];
        if (asked == settled->attempt) --asked;
      }
    }
    for (const Observation& seen : step.observed) {
      if (const auto job = job_with_news(seen, step.seat)) look_at(*job, step.fleet, out);
    }
  }

 private:
  void look_at(JobId job, const FleetView& fleet, Decisions& out) {
    const JobStatus& status = fleet.status(job);
    const bool alive = status.primary == Primary::queued || status.primary == Primary::in_progress;
    if (!alive || asked_[job] >= status.attempt || !applies_to(status)) return;
    if (fleet.description(job).max_runtime <= limit_) return;  // already capped at least as tightly
    asked_[job] = status.attempt;
    out.propose(LimitRuntime{job, status.attempt, limit_}, kReason);
  }

  JobTable<AttemptNumber> asked_;  ///< newest attempt a limit was asked for
};

/// Watches the time itself and stops the attempt.
class OwnClock final : public MaxRuntime {
 public:
  using MaxRuntime::MaxRuntime;

  void decide(const Step& step, Decisions& out) override {
    for (const Observation& seen : step.observed) {
      const auto* settled = own_settlement(seen, step.seat, VerbKind::stop_job);
      if (settled != nullptr && worth_asking_again(step, *settled)) {
        Row& row = jobs_[settled->job];
        if (row.asked == settled->attempt) --row.asked;
      }
    }
    for (const Observation& seen : step.observed) {
      if (const auto job = job_with_news(seen, step.seat)) look_at(*job, step, out);
      if (const auto* timer = std::get_if<TimerFired>(&seen.fact)) {
        const JobId job = TimerKey::unpacked(timer->key).job;
        if (jobs_.knows(job)) look_at(job, step, out);
      }
    }
  }

 private:
  struct Row {
    Instant due = never;  ///< when the timer is set for
    AttemptNumber asked = 0;
  };

  void look_at(JobId job, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    Row& row = jobs_[job];
    if (status.primary != Primary::in_progress || status.training_since == never) return;
    if (row.asked >= status.attempt || !applies_to(status)) return;
    const Instant due = later(status.training_since, limit_);
    if (due <= step.now) {
      row.asked = status.attempt;
      out.propose(StopJob{job, status.attempt}, kReason);
    } else if (row.due != due) {  // late news may move the start of training
      row.due = due;
      out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), due);
    }
  }

  JobTable<Row> jobs_;
};

std::unique_ptr<Policy> make(const Options& options) {
  if (options.text("enforce_by") == "clock") return std::make_unique<OwnClock>(options);
  return std::make_unique<PlatformLimit>(options);
}

}  // namespace

PolicyKind max_runtime_kind() {
  return {
      .name = "max_runtime",
      .summary = "ends an attempt that trains longer than the limit",
      .source = "Rand & Margalit 2023; F23, F25",
      .options =
          {
              {.name = "limit",
               .type = OptionType::duration,
               .unit = "",
               .default_json = "",
               .min = 1,
               .choices = {},
               .help = "the longest an attempt may train"},
              {.name = "exempt_resubmitted",
               .type = OptionType::flag,
               .unit = "",
               .default_json = "true",
               .choices = {},
               .help = "an attempt that a person submitted again is not capped: they looked at it"},
              {.name = "enforce_by",
               .type = OptionType::choice,
               .unit = "",
               .default_json = R"("platform")",
               .choices = {"platform", "clock"},
               .help = "platform: lower the job's StoppingCondition; clock: watch and stop it"},
          },
      .schedules = false,
      .check = nullptr,
      .make = make,
  };
}

}  // namespace reeve::policies
