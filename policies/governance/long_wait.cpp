#include "long_wait.hpp"

#include <array>
#include <string>

#include "held_machines.hpp"
#include "job_rule.hpp"
#include "proposed_verbs.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kLongWaitReason = "waits for machines for too long";

struct LongWaitRow {
  AttemptNumber attempt = 0;        ///< of all this
  std::uint16_t waits = 0;          ///< of the attempt, this one included: a message tells of one
  std::uint16_t interruptions = 0;  ///< before the present wait
  bool told = false;                ///< of the present wait
  Instant since = never;            ///< when the present wait began
  Instant due = never;              ///< when the timer is set for
};

/// A wait begins with the submission and with each interruption, and ends with Starting.
class LongWait final : public JobRule<LongWaitRow> {
 public:
  explicit LongWait(const Options& options) : after_{options.duration("after")} {}

 private:
  /// Each wait is told, though it may be over by the time the message gets out.
  bool tells_of_the_past() const override { return true; }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    LongWaitRow& row = jobs_[job];
    if (row.attempt != status.attempt) {
      row = {.attempt = status.attempt, .waits = 1, .since = status.requested_at};
    }
    if (status.attempt == 0 || !is_alive(status) || holds_machines(status)) {
      row.since = never;
      return;
    }
    // Events may arrive out of order: only the count shows that it held instances in between.
    const bool interrupted = row.interruptions < status.interruptions;
    row.interruptions = status.interruptions;
    if (row.since == never || interrupted) {
      row.since = status.since;
      row.told = false;
      ++row.waits;
    }
    if (row.told) return;
    const Instant due = later(row.since, after_);
    if (due <= step.now) {
      row.told = true;
      out.propose(Notify{job, status.attempt, row.waits}, kLongWaitReason,
                  "for " + length_text(step.now - row.since));
    } else if (row.due != due && due != never) {
      row.due = due;
      out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), due);
    }
  }

  void forget(LongWaitRow& /*row*/, AttemptNumber /*attempt*/) override {}

  Duration after_;
};

std::unique_ptr<Policy> make_long_wait(const Options& options) {
  return std::make_unique<LongWait>(options);
}

constexpr std::array long_wait_alert_keys{AlertKey{"above", "after"}, AlertKey{"tags"}};

}  // namespace

PolicyKind long_wait_kind() {
  return {
      .name = "long_wait",
      .summary = "sends a notification when a job is pending for too long",
      .source =
          "How Amazon Search increased ML training twofold using AWS Batch for Amazon SageMaker "
          "Training jobs: an alarm on long waits",
      .options = {{.name = "after",
                   .type = OptionType::duration,
                   .unit = "",
                   .default_json = "",
                   .min = 1,
                   .choices = {},
                   .help = "wait after which one notification is sent"}},
      .never_stops = true,
      .alert = "job_wait",
      .alert_keys = long_wait_alert_keys,
      .verbs = always<VerbKind::notify>,
      .make = make_long_wait,
  };
}

}  // namespace reeve::policies
