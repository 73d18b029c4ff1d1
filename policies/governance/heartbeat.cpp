#include "heartbeat.hpp"

#include <algorithm>
#include <string>

#include "ladder.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kReason = "has made no step for too long";

struct Row {
  Instant beat = never;       ///< newest sign of life
  Instant due = never;        ///< when the timer is set for
  AttemptNumber attempt = 0;  ///< of all this: the newest that was heard of
  AttemptNumber asked = 0;    ///< newest attempt whose stop was asked for
};

/// An attempt is watched from its first report on: one that never writes any is unknown, not dead.
/// Periods count while it trains; an interruption begins them anew.
class Heartbeat final : public LadderRule<Row> {
 public:
  explicit Heartbeat(const Options& options)
      : LadderRule<Row>{options},
        period_{options.duration("period")},
        misses_{options.integer("misses")} {}

 private:
  void hear(const Observation& seen) override {
    const auto* report = std::get_if<TrainingReported>(&seen.fact);
    if (report == nullptr) return;
    Row& row = jobs_[report->job];
    if (report->attempt < row.attempt) return;
    begin_attempt(row, report->attempt);
    row.beat = row.beat == never ? seen.happened_at : std::max(row.beat, seen.happened_at);
    heard_.push_back(report->job);
  }

  void look_around(const Step& step, Decisions& out) override {
    for (const JobId job : heard_) look_at(job, step, out);
    heard_.clear();
  }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    Row& row = jobs_[job];
    if (row.attempt != status.attempt || row.asked >= status.attempt) return;
    if (status.primary != Primary::in_progress || status.secondary != Secondary::training) return;
    const Instant due = due_at(row.beat, status.since);
    if (due > step.now) {
      ladder_.stand_down(job);
      // One timer at a time: it finds out whether there was news meanwhile.
      if (row.due != never && row.due > step.now) return;
      row.due = due;
      return out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), due);
    }
    Grievance silent{job, status.attempt, kReason, StopCause::standing_still};
    silent.basis = row.beat < status.since
                       ? "none for " + length_text(step.now - status.since) + " of training"
                       : "the last one " + length_text(step.now - row.beat) + " ago";
    if (ladder_.act(silent, step, out)) row.asked = status.attempt;
  }

  /// The end of so many whole periods without a report; they count from the start of this training.
  Instant due_at(Instant beat, Instant since) const {
    const std::int64_t heard = beat < since ? 0 : (beat - since) / period_ + 1;
    const std::int64_t most = Duration::max() / period_;
    return later(since, std::min(heard + misses_, most) * period_);
  }

  void forget(Row& row, AttemptNumber attempt) override {
    if (row.asked == attempt) --row.asked;
  }

  Duration period_;
  std::int64_t misses_;
  std::vector<JobId> heard_;  ///< in this step
};

std::unique_ptr<Policy> make(const Options& options) {
  return std::make_unique<Heartbeat>(options);
}

}  // namespace

PolicyKind heartbeat_kind() {
  return {
      .name = "heartbeat",
      .summary = "stops (or reports) an attempt that has made no step for too long",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), stalled jobs; what a GPU alarm is blind to: hangs that spin",
      .options =
          {
              {.name = "period",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("5m")",
               .min = 1,
               .choices = {},
               .help = "time in which at least one report is expected"},
              {.name = "misses",
               .type = OptionType::integer,
               .unit = "periods",
               .default_json = "3",
               .min = 1,
               .max = 10'000,
               .choices = {},
               .help = "so many periods without one, one after the other"},
              action_option("what happens to a job that is silent"),
              warn_for_option(),
          },
      .reads_reports = true,
      .finds_stalls = true,
      .make = make,
  };
}

}  // namespace reeve::policies
