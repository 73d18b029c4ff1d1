// What training scripts write down of themselves, for rules that ask for it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "models/fleet.hpp"
#include "sim/draws.hpp"

namespace reeve::models {

/// The next one, `every` of training from now.
void Fleet::await_report(Running& run) {
  run.launch->report = ++last_report_;
  push(policy::later(now_, profile(run.job).reports->every), sim::Phase::telemetry, report_due,
       slot_of(run), last_report_);
}

/// Who stands still writes nothing, and begins to count anew when the work goes on.
void Fleet::report_is_due(Slot slot, std::uint64_t number) {
  Running& run = running_[slot];
  const bool awaited = run.job.index != no_slot && run.launch && run.launch->report == number;
  if (!awaited || run.stage != Stage::training) return;
  await_report(run);
  const bool unseen =
      std::any_of(run.troubles.begin(), run.troubles.end(), [&](const Trouble& trouble) {
        const auto& hosts = run.faults[trouble.fault].hosts;  // the first host is who writes
        return hosts.empty() || std::find(hosts.begin(), hosts.end(), 1) != hosts.end();
      });
  if (unseen) return;
  const Reports& of = *profile(run.job).reports;
  const Duration done = work_done(run);
  const double loss = of.loss ? loss_of(run.job, *of.loss, done) : 0;
  const bool futile = of.loss && done >= std::min(of.loss->nan_at, of.loss->plateau_at);
  if (futile && run.launch->futile == policy::never) {
    run.launch->futile = now_;
    record_.futile.push_back({run.job, run.number, now_});
  }
  const policy::Observation seen{
      now_, policy::TrainingReported{run.job, run.number, done, of.loss.has_value(), loss}};
  of.delay.count() == 0 ? tell_now(seen) : send_later(seen, policy::later(now_, of.delay));
}

/// Of the job, with what is not saved yet.
Duration Fleet::work_done(const Running& run) const {
  const Checkpoint& stated = profile(run.job).checkpoint;
  const Duration left = spec(run.job).work - durable(run.job);
  const Progress made =
      progress_after(at_speed(stated, run.speed_ppm), machine_time(left, run.speed_ppm),
                     run.active + (now_ - run.stage_since));
  return durable(run.job) + work_of(stated, left, made.work, run.speed_ppm);
}

/// A function of the work alone: whoever governs sees the same curve.
double Fleet::loss_of(policy::JobId job, const LossCurve& curve, Duration done) const {
  if (done >= curve.nan_at) return std::numeric_limits<double>::quiet_NaN();
  const Duration learnt = std::min(done, curve.plateau_at);
  const double halvings =
      static_cast<double>(learnt.count()) / static_cast<double>(curve.half_life.count());
  const double loss = curve.floor + (curve.start - curve.floor) * std::exp2(-halvings);
  if (curve.noise <= 0) return loss;
  const auto second = static_cast<std::uint32_t>(done / std::chrono::seconds{1});
  const double u = luck(static_cast<std::uint32_t>(sim::Cause::loss_noise), job.index, second);
  const double most = 1 - 0x1p-53;  // the quantile of 1 is infinite
  return loss * (1 + curve.noise * sim::normal_quantile(std::min(u, most)));
}

}  // namespace reeve::models
