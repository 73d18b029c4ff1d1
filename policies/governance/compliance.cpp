#include "compliance.hpp"

#include <algorithm>

namespace reeve::policies {
namespace {

using namespace policy;

bool has_started(const JobStatus& status) {
  return status.primary == Primary::in_progress && status.secondary != Secondary::queued &&
         !awaits_capacity(status);
}

}  // namespace

ComplianceRule::ComplianceRule(const Options& options, std::string_view reason)
    : LadderRule<Judgement>{options}, latency_{options.duration("latency")}, reason_{reason} {}

void ComplianceRule::look_at(JobId job, const Step& step, Decisions& out) {
  judge(job, step, out);
  const JobStatus& status = step.fleet.status(job);
  Judgement& row = jobs_[job];
  if (row.act_at > step.now) return;
  const bool applies = row.judged == status.attempt && status.primary == Primary::in_progress;
  if (applies) {
    Grievance wrong{job, status.attempt, reason_};
    wrong.basis = defect(job, step.fleet);
    if (!ladder_.act(wrong, step, out)) return;
  }
  row.act_at = never;
}

/// Before its submission is known the belief has the description of another attempt: unknown is not
/// missing.
void ComplianceRule::judge(JobId job, const Step& step, Decisions& out) {
  const JobStatus& status = step.fleet.status(job);
  Judgement& row = jobs_[job];
  if (has_started(status)) row.started = status.attempt;
  if (!step.fleet.is_described(job) || row.judged >= status.attempt) return;
  // Since it started it may wait for machines again: it is no less wrong for that.
  if (row.started < status.attempt || status.primary != Primary::in_progress) return;
  row.judged = status.attempt;
  row.act_at = defect(job, step.fleet).empty() ? never : later(step.now, latency_);
  if (row.act_at > step.now && row.act_at != never) {
    out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), row.act_at);
  }
}

void ComplianceRule::forget(Judgement& row, AttemptNumber attempt) {
  if (row.judged == attempt) row.act_at = Instant::min();
}

std::vector<OptionSpec> with_compliance_options(std::vector<OptionSpec> own) {
  own.push_back(action_option("action on a job that violates the rule"));
  own.push_back(warn_for_option());
  own.push_back({.name = "latency",
                 .type = OptionType::duration,
                 .unit = "",
                 .default_json = R"("0s")",
                 .min = 0,
                 .choices = {},
                 .help = "time from the start event to the action"});
  return own;
}

}  // namespace reeve::policies
