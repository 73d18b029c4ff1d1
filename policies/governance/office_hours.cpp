#include "office_hours.hpp"

#include "held_machines.hpp"
#include "ladder.hpp"
#include "weekly_options.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kName = "office_hours";
constexpr std::string_view kClosed = "machines held out of hours";
constexpr std::string_view kOpen = "stopped out of hours, goes on";

struct Row {
  AttemptNumber stopped = 0;  ///< newest attempt that was to end
  AttemptNumber cloned = 0;   ///< newest attempt that was asked for
  AttemptNumber looked_at = 0;
  Instant due = never;  ///< when the timer is set for
};

class OfficeHours final : public LadderRule<Row> {
 public:
  explicit OfficeHours(const Options& options)
      : LadderRule<Row>{options}, hours_{weekly_hours(options)}, resumes_{options.flag("resume")} {}

 private:
  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    if (status.primary == Primary::in_progress && holds_machines(status)) {
      close(job, status, step, out);
    } else if (resumes_ && status.primary == Primary::stopped &&
               status.stopped_by == step.seat.index + 1) {
      open(job, status, step, out);
    }
  }

  void close(JobId job, const JobStatus& status, const Step& step, Decisions& out) {
    Row& row = jobs_[job];
    if (row.stopped >= status.attempt) return;
    const Instant closes = hours_.open_until(step.now);
    if (closes > step.now) {
      ladder_.stand_down(job);
      return wake(job, status, closes, out);
    }
    if (ladder_.act({job, status.attempt, kClosed}, step, out)) row.stopped = status.attempt;
  }

  void open(JobId job, const JobStatus& status, const Step& step, Decisions& out) {
    Row& row = jobs_[job];
    const auto next = static_cast<AttemptNumber>(status.attempt + 1);
    if (next == 0 || row.cloned >= next) return;
    const Instant opens = hours_.opens(step.now);
    if (opens > step.now) return wake(job, status, opens, out);
    row.cloned = next;
    out.propose(CloneJob{.job = job, .attempt = next}, kOpen);
  }

  void wake(JobId job, const JobStatus& status, Instant at, Decisions& out) {
    Row& row = jobs_[job];
    if (at == never || (row.due == at && row.looked_at == status.attempt)) return;
    row.due = at;
    row.looked_at = status.attempt;
    out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), at);
  }

  /// A clone is settled under the number that it was to get.
  void forget(Row& row, AttemptNumber attempt) override {
    if (row.stopped == attempt) --row.stopped;
    if (row.cloned == attempt) --row.cloned;
  }

  WeeklyHours hours_;
  bool resumes_;
};

OptionProblem check(const Options& options) {
  if (options.texts("days").empty()) {
    return {.option = "days",
            .message = "names no day: no job could ever run",
            .help = R"(["mon", "tue"])"};
  }
  if (!options.flag("resume") || options.text("action") != "notify") return {};
  return {.option = "resume",
          .message = "has nothing to bring back: no job is stopped",
          .help = R"("action": "stop")",
          .against = "action"};
}

std::unique_ptr<Policy> make(const Options& options) {
  return std::make_unique<OfficeHours>(options);
}

std::vector<OptionSpec> option_table() {
  std::vector<OptionSpec> table = weekly_options();
  table.push_back(action_option("what happens to a job that holds machines at another time"));
  table.push_back(warn_for_option());
  table.push_back({.name = "resume",
                   .type = OptionType::flag,
                   .unit = "",
                   .default_json = "false",
                   .choices = {},
                   .help = "a job that was stopped is submitted again when the hours begin"});
  return table;
}

}  // namespace

PolicyKind office_hours_kind() {
  return {
      .name = kName,
      .summary = "lets jobs hold machines in hours of the week only",
      .source =
          "Rand, Managing Your Cloud-Based Training (2023), govern usage; AWS Solutions, "
          "Instance Scheduler on AWS",
      .options = option_table(),
      .check = check,
      .make = make,
  };
}

}  // namespace reeve::policies
