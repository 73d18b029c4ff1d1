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

struct OfficeHoursRow {
  AttemptNumber stopped = 0;  ///< newest attempt that was to end
  AttemptNumber cloned = 0;   ///< newest attempt that was asked for
  AttemptNumber looked_at = 0;
  std::uint16_t nights = 0;  ///< of that attempt, that are over and did not end it
  Instant due = never;       ///< when the timer is set for
};

class OfficeHours final : public LadderRule<OfficeHoursRow> {
 public:
  explicit OfficeHours(const Options& options)
      : LadderRule<OfficeHoursRow>{options},
        hours_{weekly_hours(options)},
        resumes_{options.flag("resume")} {}

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
    OfficeHoursRow& row = jobs_[job];
    const Instant closes = hours_.open_until(step.now);
    if (closes > step.now) {
      begin_day(row, status.attempt);
      ladder_.stand_down(job);
      return wake(job, status, closes, out);
    }
    if (row.stopped >= status.attempt) return;
    Grievance closed{job, status.attempt, kClosed};
    if (row.looked_at == status.attempt) closed.incident += row.nights;
    if (ladder_.act(closed, step, out)) row.stopped = status.attempt;
  }

  /// What was refused in one night, or only told of, is another matter in the next.
  static void begin_day(OfficeHoursRow& row, AttemptNumber attempt) {
    if (row.stopped != attempt) return;
    --row.stopped;
    row.nights = row.looked_at == attempt ? static_cast<std::uint16_t>(row.nights + 1) : 1;
    row.looked_at = attempt;
  }

  /// Who is not stopped is looked at again when the hours begin.
  void conclude(const ActionSettled& settled, const Step& step, Decisions& out) override {
    const bool ends = settled.verb == VerbKind::stop_job && worked(settled);
    const JobStatus& status = step.fleet.status(settled.job);
    if (ends || settled.verb == VerbKind::clone_job || settled.attempt != status.attempt) return;
    wake(settled.job, status, hours_.opens(step.now), out);
  }

  void open(JobId job, const JobStatus& status, const Step& step, Decisions& out) {
    OfficeHoursRow& row = jobs_[job];
    const auto next = static_cast<AttemptNumber>(status.attempt + 1);
    if (next == 0 || row.cloned >= next) return;
    const Instant opens = hours_.opens(step.now);
    if (opens > step.now) return wake(job, status, opens, out);
    row.cloned = next;
    out.propose(CloneJob{.job = job, .attempt = next}, kOpen);
  }

  void wake(JobId job, const JobStatus& status, Instant at, Decisions& out) {
    OfficeHoursRow& row = jobs_[job];
    if (at == never || (row.due == at && row.looked_at == status.attempt)) return;
    row.due = at;
    if (row.looked_at != status.attempt) row.nights = 0;
    row.looked_at = status.attempt;
    out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), at);
  }

  /// A clone is settled under the number that it was to get.
  void forget(OfficeHoursRow& row, AttemptNumber attempt) override {
    if (row.stopped == attempt) --row.stopped;
    if (row.cloned == attempt) --row.cloned;
  }

  WeeklyHours hours_;
  bool resumes_;
};

OptionProblem check_office_hours(const Options& options) {
  if (options.texts("days").empty()) {
    return {.option = "days",
            .message = "names no day: no job could ever run",
            .help = R"(["mon", "tue"])"};
  }
  if (!options.flag("resume") || options.text("action") != "notify") return {};
  return {.option = "resume",
          .message = "has no effect: the rule stops no job",
          .help = R"("action": "stop")",
          .against = "action"};
}

std::unique_ptr<Policy> make_office_hours(const Options& options) {
  return std::make_unique<OfficeHours>(options);
}

std::vector<OptionSpec> office_hours_options() {
  std::vector<OptionSpec> table = weekly_options();
  table.push_back(action_option("action on a job that holds instances outside the hours"));
  table.push_back(warn_for_option());
  table.push_back({.name = "resume",
                   .type = OptionType::flag,
                   .unit = "",
                   .default_json = "false",
                   .choices = {},
                   .help = "submit stopped jobs again when the hours begin"});
  return table;
}

OptionProblem idle_office_hours(const Options& options, const ScenarioFacts& facts) {
  if (!weekly_hours(options).is_always_open(facts.start)) return {};
  return {.option = "from",
          .message = "the hours cover the whole week: no job is outside them",
          .help = "use \"mode\": \"off\""};
}

/// It resumes only what it stopped.
std::vector<VerbKind> office_hours_verbs(const Options& options) {
  std::vector<VerbKind> all = ladder_verbs(options);
  if (options.flag("resume")) all.push_back(VerbKind::clone_job);
  return all;
}

}  // namespace

PolicyKind office_hours_kind() {
  return {
      .name = kName,
      .summary = "allows jobs to hold instances only in certain hours of the week",
      .source =
          "Rand, Managing Your Cloud-Based Training (2023), govern usage; AWS Solutions, "
          "Instance Scheduler on AWS",
      .options = office_hours_options(),
      .keeps_hours = true,
      .check = check_office_hours,
      .idle = idle_office_hours,
      .verbs = office_hours_verbs,
      .make = make_office_hours,
  };
}

}  // namespace reeve::policies
