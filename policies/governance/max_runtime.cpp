#include "max_runtime.hpp"

#include "held_back.hpp"
#include "job_news.hpp"
#include "job_table.hpp"
#include "timer_key.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kReason = "longer than the run time allowed";

/// What both ways of enforcing the cap share: which attempts it is for, and asking again for `verb`
/// where it came to nothing.
class MaxRuntime : public Policy {
 public:
  void decide(const Step& step, Decisions& out) override {
    for (const Observation& seen : step.observed) {
      const auto* settled = own_settlement(seen, step.seat, verb_);
      if (settled != nullptr) settle(*settled, step, out);
    }
    for (const HeldBack::Target& held : held_.released(step, out)) {
      ask_again(held.job, held.attempt);
      look_at(held.job, step, out);
    }
    for (const Observation& seen : step.observed) {
      if (const auto job = job_with_news(seen, step.seat)) look_at(*job, step, out);
      if (const auto* timer = std::get_if<TimerFired>(&seen.fact)) {
        const TimerKey key = TimerKey::unpacked(timer->key);
        if (asked_.knows(key.job)) look_at(key.job, step, out);
      }
    }
  }

 protected:
  MaxRuntime(const Options& options, VerbKind verb)
      : limit_{options.duration("limit")},
        verb_{verb},
        exempts_resubmitted_{options.flag("exempt_resubmitted")} {}

  /// Asks for the cap if it is time to.
  virtual void look_at(JobId job, const Step& step, Decisions& out) = 0;

  bool applies_to(const JobStatus& status) const {
    const bool resubmitted = status.attempt > 1 && status.origin == Origin::person;
    return !(exempts_resubmitted_ && resubmitted);
  }

  Duration limit_;
  JobTable<AttemptNumber> asked_;  ///< newest attempt that the cap was asked for

 private:
  void settle(const ActionSettled& settled, const Step& step, Decisions& out) {
    const Again when = again(settled);
    if (when == Again::when_released) {
      held_.add(settled, out);
    } else if (when == Again::with_news) {
      ask_again(settled.job, settled.attempt);
    } else if (when == Again::later) {
      ask_again(settled.job, settled.attempt);
      out.wake_at(TimerKey{.job = settled.job, .attempt = settled.attempt}.packed(),
                  later(step.now, kAskAgainAfter));
    }
  }

  void ask_again(JobId job, AttemptNumber attempt) {
    if (asked_[job] == attempt) --asked_[job];
  }

  VerbKind verb_;
  bool exempts_resubmitted_;
  HeldBack held_;
};

/// Lowers the platform's own limit (SageMaker: StoppingCondition), which then ends the attempt.
class PlatformLimit final : public MaxRuntime {
 public:
  explicit PlatformLimit(const Options& options) : MaxRuntime{options, VerbKind::limit_runtime} {}

 private:
  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    const bool alive = status.primary == Primary::queued || status.primary == Primary::in_progress;
    if (!alive || asked_[job] >= status.attempt || !applies_to(status)) return;
    // The job may be capped at least as tightly already.
    if (step.fleet.description(job).max_runtime <= limit_) return;
    asked_[job] = status.attempt;
    out.propose(LimitRuntime{job, status.attempt, limit_}, kReason);
  }
};

/// Watches the time itself and stops the attempt.
class OwnClock final : public MaxRuntime {
 public:
  explicit OwnClock(const Options& options) : MaxRuntime{options, VerbKind::stop_job} {}

 private:
  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    if (status.primary != Primary::in_progress || status.training_since == never) return;
    if (status.secondary == Secondary::uploading) return;  // it does not train any more
    if (asked_[job] >= status.attempt || !applies_to(status)) return;
    const Instant due = later(status.training_since, limit_);
    if (due <= step.now) {
      asked_[job] = status.attempt;
      out.propose(StopJob{job, status.attempt}, kReason);
    } else if (due_[job] != due) {  // late news may move the start of training
      due_[job] = due;
      out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), due);
    }
  }

  JobTable<Instant> due_;  ///< when the timer is set for
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
