#include "experiments/replayed_jobs.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <tuple>

#include "models/resampling.hpp"

namespace reeve::experiments {
namespace {

double in_usd(models::Charge amount) {
  return static_cast<double>(amount) / (1e9 * 3600e9);
}

void note_hurt(policy::JobId id, const ReplayedJobs::Job& before, const ReplayedJobs::Job& after,
               HistoryChange& change) {
  const bool has_result = after.done != policy::never;
  if (before.done == policy::never || after.done <= before.done) return;
  HurtJob hurt{.job = id, .has_result = has_result, .later = {}, .lost = {}};
  if (has_result) hurt.later = after.done - before.done;
  hurt.lost = models::to_usd(std::max<models::Charge>(0, after.wasted - before.wasted));
  ++(has_result ? change.later : change.without_result);
  change.lost += hurt.lost;
  change.hurt.push_back(hurt);
}

double list_usd(const scenarios::Scenario& scenario, const models::Record& record) {
  double sum = 0;
  for (std::size_t pool = 0; pool < record.billed_time.size(); ++pool) {
    const models::Charge time = record.billed_time[pool];
    if (time == 0) continue;
    const auto& price = scenario.list_prices[pool];
    if (!price) return std::numeric_limits<double>::quiet_NaN();
    sum += in_usd(models::Charge{price->nanos} * time);
  }
  return sum;
}

}  // namespace

ReplayedJobs replayed_jobs(const RunResult& result) {
  ReplayedJobs replayed;
  for (const models::JobRow& row : result.record.job_rows) {
    replayed.jobs.push_back({.billed = row.billed,
                             .wasted = row.wasted,
                             .done = row.done() ? row.end : policy::never,
                             .stopped = false});
  }
  for (const models::StopRow& stop : result.record.stops) {
    replayed.jobs[stop.job.index].stopped = true;
  }
  return replayed;
}

HistoryChange change_of(const models::World& world, const ReplayedJobs& base,
                        const ReplayedJobs& of) {
  HistoryChange change;
  const auto& specs = world.jobs.specs;
  if (specs.empty()) return change;
  change.saved_usd.resize(
      static_cast<std::size_t>(models::recorded_length(world) / models::week_length), 0);
  for (std::uint32_t job = 0; job < specs.size(); ++job) {
    const ReplayedJobs::Job& before = base.jobs[job];
    const ReplayedJobs::Job& after = of.jobs[job];
    if (after.stopped) ++change.stopped;
    note_hurt({job}, before, after, change);
    const auto at =
        static_cast<std::size_t>((specs[job].submit - world.start) / models::week_length);
    if (at < change.saved_usd.size()) change.saved_usd[at] += in_usd(before.billed - after.billed);
  }
  std::sort(change.hurt.begin(), change.hurt.end(), [](const HurtJob& a, const HurtJob& b) {
    return std::tuple{b.lost, a.has_result, a.job} < std::tuple{a.lost, b.has_result, b.job};
  });
  return change;
}

HistoryBill history_bill(const scenarios::Scenario& scenario, const models::Record& record) {
  return {models::pool_bills(record), list_usd(scenario, record)};
}

HistoryBill mean_bill(std::span<const HistoryBill> bills) {
  HistoryBill mean = bills.front();
  for (std::size_t fleet = 0; fleet < mean.fleets.size(); ++fleet) {
    double micros = 0;
    for (const HistoryBill& bill : bills)
      micros += static_cast<double>(bill.fleets[fleet].micros());
    mean.fleets[fleet] =
        policy::Usd::from_micros(std::llround(micros / static_cast<double>(bills.size())));
  }
  return mean;
}

double saved_of_bill(const scenarios::Scenario& scenario, const HistoryBill& recorded,
                     const HistoryBill& base, const HistoryBill& of, double covered_pct) {
  std::int64_t micros = 0, all = 0;
  for (std::size_t fleet = 0; fleet < base.fleets.size(); ++fleet) {
    const double share = scenario.committed_pct[fleet].value_or(0) / 100;
    const std::int64_t before = base.fleets[fleet].micros();
    const auto committed = std::min<std::int64_t>(
        before, std::llround(share * static_cast<double>(recorded.fleets[fleet].micros())));
    micros += before - std::max(of.fleets[fleet].micros(), committed);
    all += before;
  }
  const double billed = covered_pct / 100 * static_cast<double>(all);
  return std::min(static_cast<double>(micros), billed) / 1e6;
}

}  // namespace reeve::experiments
