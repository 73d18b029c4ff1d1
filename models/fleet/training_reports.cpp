#include "models/fleet/training_reports.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "models/progress.hpp"

namespace reeve::models {

void TrainingReports::schedule(Running& run) {
  run.launch->report = ++last_;
  core_.push(policy::later(core_.now, core_.profile(run.job).reports->every), sim::Phase::telemetry,
             EventKind::report_due, core_.slot_of(run), last_);
}

/// Who stands still makes no step, and begins to count anew when the work goes on; other signs may
/// be seen of it meanwhile.
void TrainingReports::report(Slot slot, std::uint64_t number) {
  Running& run = core_.running[slot];
  const bool awaited = run.job.index != no_slot && run.launch && run.launch->report == number;
  if (!awaited) return;
  const Reports& of = *core_.profile(run.job).reports;
  const bool works = run.stage == Stage::training;
  if (!works && (run.stage != Stage::stalled || of.signs == 0)) return;
  schedule(run);
  if (of.signs != 0) tell_signs(run, of);
  if (!works || !of.steps || is_hit(run, nullptr)) return;
  const Duration done = work_done(run);
  const double loss = of.loss ? loss_of(run.job, *of.loss, done) : 0;
  const bool futile = of.loss && done >= std::min(of.loss->nan_at, of.loss->plateau_at);
  if (futile && run.launch->futile == policy::never) {
    run.launch->futile = core_.now;
    core_.record.futile.push_back({run.job, run.number, core_.now, true});
  }
  const policy::Observation seen{
      core_.now, policy::TrainingReported{run.job, run.number, done, of.loss.has_value(), loss}};
  tell(seen, of.delay);
}

/// Whether trouble of that kind (none: of any) touches the first host, which is who writes.
bool TrainingReports::is_hit(const Running& run, const FaultKind* kind) const {
  return std::any_of(run.troubles.begin(), run.troubles.end(), [&](const Trouble& trouble) {
    const Fault& fault = run.faults[trouble.fault];
    if (kind != nullptr && fault.kind != *kind) return false;
    return fault.hosts.empty() ||
           std::find(fault.hosts.begin(), fault.hosts.end(), 1) != fault.hosts.end();
  });
}

/// Of a gang that stands still no host has anything to send or to log.  Its GPUs wait for each
/// other at full power, but where the stall itself is: those idle.
std::uint8_t TrainingReports::signs_of(const Running& run, const Reports& of) const {
  using policy::Sign;
  constexpr FaultKind idle = FaultKind::stall;
  constexpr FaultKind gone = FaultKind::node_lost;
  constexpr FaultKind blind = FaultKind::metrics_lost;
  if (is_hit(run, &gone) || is_hit(run, &blind)) return 0;
  if (run.stage == Stage::training) return of.signs;
  const auto bit = [](Sign sign) { return static_cast<unsigned>(sign); };
  unsigned seen = is_hit(run, &idle) ? 0U : bit(Sign::power);
  if (of.chatters) seen |= bit(Sign::log_lines);
  return static_cast<std::uint8_t>(of.signs & seen);
}

void TrainingReports::tell_signs(const Running& run, const Reports& of) {
  const std::uint8_t signs = signs_of(run, of);
  if (signs == 0) return;
  const policy::Observation seen{core_.now, policy::SignsSeen{run.job, run.number, signs}};
  tell(seen, of.delay);
}

void TrainingReports::tell(const policy::Observation& seen, Duration delay) {
  delay.count() == 0 ? events_.tell_now(seen)
                     : events_.tell_at(seen, policy::later(core_.now, delay));
}

/// Of the job, with what is not saved yet.
Duration TrainingReports::work_done(const Running& run) const {
  const auto [stated, left] = core_.ahead(run);
  const Progress made =
      progress_after(at_speed(stated, run.speed_ppm), machine_time(left, run.speed_ppm),
                     run.active + (core_.now - run.stage_since));
  const Duration done = core_.durable(run.job) + work_of(stated, left, made.work, run.speed_ppm);
  return std::min(done, core_.spec(run.job).work);
}

/// A function of the work alone: the curve is the same under every policy.
double TrainingReports::loss_of(policy::JobId job, const LossCurve& curve, Duration done) const {
  if (done >= curve.nan_at) return std::numeric_limits<double>::quiet_NaN();
  const Duration learnt = std::min(done, curve.plateau_at);
  const double halvings =
      static_cast<double>(learnt.count()) / static_cast<double>(curve.half_life.count());
  const double loss = curve.floor + (curve.start - curve.floor) * std::exp2(-halvings);
  if (curve.noise <= 0) return loss;
  const auto second = static_cast<std::uint32_t>(done / std::chrono::seconds{1});
  const double u = core_.uniform(sim::Cause::loss_noise, job.index, second);
  const double most = 1 - 0x1p-53;  // the quantile of 1 is infinite
  return loss * (1 + curve.noise * sim::normal_quantile(std::min(u, most)));
}

}  // namespace reeve::models
