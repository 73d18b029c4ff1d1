#include "uptime_cap.hpp"

#include <string>
#include <variant>

#include "held_machines.hpp"
#include "ladder.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kUptimeCapReason = "machines held for longer than allowed";

struct UptimeCapRow {
  HeldMachines held;
  Instant due = never;      ///< when the timer is set for
  AttemptNumber asked = 0;  ///< newest attempt that was acted on
};

class UptimeCap final : public LadderRule<UptimeCapRow> {
 public:
  explicit UptimeCap(const Options& options)
      : LadderRule<UptimeCapRow>{options},
        limit_{options.duration("limit") -
               (ladder_.stops() ? options.duration("ahead") : Duration{0})} {}

 private:
  /// Starting may be told after Training: then the machines were held for longer.
  void hear(const Observation& seen) override { starts_.hear(seen); }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    UptimeCapRow& row = jobs_[job];
    row.held.note(status, starts_.take(job));
    if (row.held.since() == never || status.primary != Primary::in_progress) return;
    if (row.asked >= status.attempt) return;
    const Instant due = later(row.held.since(), std::max(limit_ - row.held.before(), Duration{0}));
    if (due > step.now) {
      if (row.due != due) {
        row.due = due;
        out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), due);
      }
      return;
    }
    Grievance too_long{job, status.attempt, kUptimeCapReason};
    too_long.basis = "held for " + length_text(row.held.before() + (step.now - row.held.since()));
    if (ladder_.act(too_long, step, out)) row.asked = status.attempt;
  }

  void forget(UptimeCapRow& row, AttemptNumber attempt) override {
    if (row.asked == attempt) --row.asked;
  }

  Duration limit_;  ///< when it acts
  StartEvents starts_;
};

OptionProblem check_uptime_cap(const Options& options) {
  if (options.duration("ahead") < options.duration("limit")) return {};
  return {.option = "ahead",
          .message = "is not shorter than the limit",
          .help = "use the duration of a stop: the stop grace of the platform",
          .against = "limit"};
}

std::unique_ptr<Policy> make_uptime_cap(const Options& options) {
  return std::make_unique<UptimeCap>(options);
}

}  // namespace

PolicyKind uptime_cap_kind() {
  return {
      .name = "uptime_cap",
      .summary = "stops a job that held instances longer than a limit, over all its attempts",
      .source =
          "Rand, Managing Your Cloud-Based Training (2023), limits on the uptime of instances",
      .options =
          {
              {.name = "limit",
               .type = OptionType::duration,
               .unit = "",
               .default_json = "",
               .min = 1,
               .choices = {},
               .help = "maximum time that a job may hold instances, over all its attempts",
               .vary = Vary::up},
              {.name = "ahead",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("2m")",
               .min = 0,
               .choices = {},
               .help = "how long before the limit the stop is requested, to cover the stop grace; "
                       "0s for self-managed instances",
               .companion = {"action", R"("action": "stop")", {"stop", "warn_then_stop"}}},
              action_option("action at the limit"),
              warn_for_option(),
          },
      .check = check_uptime_cap,
      .verbs = ladder_verbs,
      .make = make_uptime_cap,
  };
}

}  // namespace reeve::policies
