#include "startup_limit.hpp"

#include <string>

#include "ladder.hpp"
#include "start_up.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kStartupLimitReason = "starts up for longer than allowed";

struct StartupLimitRow {
  AttemptNumber attempt = 0;    ///< of all this
  AttemptNumber asked = 0;      ///< newest attempt whose stop was asked for
  std::uint16_t incidents = 0;  ///< of the attempt: slow start-ups that are over and did not end it
  StartUp starting = {};
  Instant due = never;  ///< when the timer is set for
};

class StartupLimit final : public LadderRule<StartupLimitRow> {
 public:
  explicit StartupLimit(const Options& options)
      : LadderRule<StartupLimitRow>{options}, limit_{options.duration("limit")} {}

 private:
  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    StartupLimitRow& row = jobs_[job];
    begin_attempt(row, status.attempt);
    const Instant before = row.starting.since();
    row.starting.follow(status);
    const Instant since = row.starting.since();
    if (since != before) {
      ladder_.stand_down(job);
      if (!ladder_.stops()) end_incident(row, status.attempt);
    }
    if (since == never || row.asked >= status.attempt) return;
    const Instant due = later(since, limit_);
    if (due <= step.now) {
      Grievance slow{job, status.attempt, kStartupLimitReason, StopCause::never_starting};
      slow.incident += row.incidents;
      slow.basis = "for " + length_text(step.now - since);
      if (ladder_.act(slow, step, out)) row.asked = status.attempt;
    } else if (row.due != due) {
      row.due = due;
      out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), due);
    }
  }

  void forget(StartupLimitRow& row, AttemptNumber attempt) override {
    if (row.asked == attempt) --row.asked;
  }

  Duration limit_;
};

std::unique_ptr<Policy> make_startup_limit(const Options& options) {
  return std::make_unique<StartupLimit>(options);
}

}  // namespace

PolicyKind startup_limit_kind() {
  return {
      .name = "startup_limit",
      .summary = "stops an attempt that takes too long from Starting to Training",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), nodes that wait for the address of their master",
      .options = {{.name = "limit",
                   .type = OptionType::duration,
                   .unit = "",
                   .default_json = "",
                   .min = 1,
                   .choices = {},
                   .help = "maximum time from Starting to Training",
                   .vary = Vary::up},
                  action_option("action on an attempt that takes longer"),
                  warn_for_option()},
      .schedules = false,
      .check = nullptr,
      .verbs = ladder_verbs,
      .make = make_startup_limit,
  };
}

}  // namespace reeve::policies
