#include "relaunch.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "broken_handler.hpp"
#include "job_rule.hpp"
#include "proposed_verbs.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kRelaunchReason = "on the list of preempted jobs";

/// A job is on the list from the loss of its machines until it has machines again: an attempt that
/// got none leaves it there.
struct RelaunchRow {
  AttemptNumber listed = 0;  ///< newest attempt that lost its machines, or never got any
  AttemptNumber asked = 0;   ///< newest clone that was asked for: its number
  Instant poll = never;      ///< the one that sees it
  bool kept_back = false;    ///< what that one asked for
};

class Relaunch final : public JobRule<RelaunchRow> {
 public:
  explicit Relaunch(const Options& options)
      : every_{options.duration("every")}, offset_{options.duration("offset") % every_} {}

 private:
  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    if (status.primary != Primary::failed || status.failure != FailureClass::capacity) return;
    if (status.attempt == std::numeric_limits<AttemptNumber>::max()) return;
    RelaunchRow& row = jobs_[job];
    const auto next = static_cast<AttemptNumber>(status.attempt + 1);
    if (row.listed < status.attempt) {
      row.listed = status.attempt;
      row.kept_back = false;
      return wait_for_poll(job, std::max(step.now, later(status.ended_at, Duration{1})), out);
    }
    if (row.asked >= next || step.now < row.poll) return;
    if (std::exchange(row.kept_back, false)) return wait_for_poll(job, step.now, out);
    row.asked = next;
    out.propose(CloneJob{job, next}, kRelaunchReason);
  }

  /// The first poll that is not before `from`: each day's begin `offset` after midnight (UTC).
  void wait_for_poll(JobId job, Instant from, Decisions& out) {
    const Instant midnight = std::chrono::floor<std::chrono::days>(from);
    const Duration past = std::max(Duration{0}, from - midnight - offset_);
    const Duration wait = (every_ - past % every_) % every_;
    const Instant poll = later(midnight, offset_ + past + wait);
    const Instant tomorrow = later(midnight, std::chrono::hours{24});
    RelaunchRow& row = jobs_[job];
    row.poll = poll < tomorrow ? poll : later(tomorrow, offset_);
    if (row.poll == never) return;
    out.wake_at(TimerKey{.job = job, .attempt = row.listed}.packed(), row.poll);
  }

  /// What the platform refuses stays on the list.
  void lack_consent(const ActionSettled& settled, const Step& step, Decisions& out) override {
    lack_room(settled, step, out);
  }
  void lack_room(const ActionSettled& settled, const Step& step, Decisions& out) override {
    forget(jobs_[settled.job], settled.attempt);
    wait_for_poll(settled.job, later(step.now, Duration{1}), out);
  }

  /// What a guard keeps back stays on the list as well.
  void put_off(const ActionSettled& settled, const Step& /*step*/) override {
    jobs_[settled.job].kept_back = true;
  }

  void forget(RelaunchRow& row, AttemptNumber attempt) override {
    if (row.asked == attempt) --row.asked;
  }

  Duration every_;
  Duration offset_;
};

std::unique_ptr<Policy> make_relaunch(const Options& options) {
  if (options.text("handler") == "list_of_nothing") return std::make_unique<BrokenHandler>();
  return std::make_unique<Relaunch>(options);
}

constexpr std::array relaunch_defects{
    ArticleDefect{
        .option = "handler",
        .word = "list_of_nothing",
        .code = "W0454",
        .message = "the handler reads a list of preempted jobs that is never written",
        .effect = rule_does_nothing,
        .help = mended_handler,
        .never_runs = true,
    },
    ArticleDefect{
        .option = "handler",
        .word = "exit_code_as_text",
        .code = "W0453",
        .message = "a text exit code never equals 0: successes are reported as FAILED",
        .effect = "only the table of jobs is wrong",
        .help = mended_handler,
    },
};

}  // namespace

PolicyKind relaunch_kind() {
  return {
      .name = "relaunch",
      .summary = "restarts preempted jobs at the next poll of a list",
      .source =
          "Rand, A Simple Solution for Managing Cloud-Based ML-Training (2023), list of preempted "
          "jobs",
      .options =
          {
              {.name = "every",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("10m")",
               .min = 60,
               .max = 86'400,
               .choices = {},
               .help = "time between two polls of the list; polls start again at midnight UTC each "
                       "day"},
              {.name = "offset",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("0s")",
               .min = 0,
               .max = 86'399,
               .choices = {},
               .help = "delay of the day's first poll after midnight UTC, modulo `every`"},
              handler_option({"list_of_nothing", "exit_code_as_text"},
                             "defects of the article's code: list_of_nothing: reads a list that is "
                             "never written; exit_code_as_text: reports successful jobs as FAILED, "
                             "without effect in reeve"),
          },
      .relaunches = true,
      .never_stops = true,
      .defects = relaunch_defects,
      .check = nullptr,
      .verbs = always<VerbKind::clone_job>,
      .make = make_relaunch,
  };
}

}  // namespace reeve::policies
