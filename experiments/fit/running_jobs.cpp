#include "experiments/fit/running_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "experiments/fit/fit.hpp"
#include "experiments/fit/job_groups.hpp"
#include "experiments/fit/lifetimes.hpp"

namespace reeve::experiments {
namespace {

/// Sets the shares of the ways to end.
void note_ends(const ObservedHistory& history, std::span<const std::size_t> jobs,
               RunningJobs& result) {
  using scenarios::EndStatus;
  double failed = 0, stopped = 0, ended = 0;
  for (const std::size_t index : jobs) {
    const ObservedJob& job = history.jobs[index];
    if (!has_run(job) || still_runs(job) || job.end_cause == EndCause::limit) continue;
    switch (job.end_status) {
      case EndStatus::failed:
      case EndStatus::out_of_memory:
      case EndStatus::node_failure:
        failed += 1;
        break;
      case EndStatus::killed:
      case EndStatus::preempted:
        stopped += 1;
        break;
      case EndStatus::unknown:
      case EndStatus::completed:
      case EndStatus::killed_or_running:
        break;
      case EndStatus::timeout:
      case EndStatus::never_started:
      case EndStatus::running:
      case EndStatus::pending:
        continue;
    }
    ended += 1;
  }
  if (ended == 0) return;
  result.failed = failed / ended;
  result.stopped = stopped / ended;
}

/// Nothing if too few jobs ended.
std::optional<RunningJobs> law_of(const ObservedHistory& history, const Lifetimes& lifetimes,
                                  std::string group, std::span<const std::size_t> jobs) {
  const std::vector<Lifetime> lives = lifetimes.of(jobs, WorkEnds::by_anything);
  RunningJobs result{.group = std::move(group), .jobs = {}, .law = {}, .errors = {}};
  for (const Lifetime& life : lives) {
    result.all += life.weight;
    if (life.ended) result.ended += life.weight;
  }
  if (result.ended < least_ended_of_running) return std::nullopt;
  note_ends(history, jobs, result);
  const std::vector<Lifetime> fewer = condensed(lives);
  result.law = fit_law(LawKind::lognormal, fewer);
  const DurationFit other = fit_law(LawKind::weibull, fewer);
  if (other.aic < result.law.aic) result.law = other;
  result.errors = errors_of(result.law, fewer);
  const double wider = std::sqrt(cluster_dispersion(lives, result.law.quantile(0.5)));
  result.errors.log_scale *= wider;
  result.errors.log_shape *= wider;
  return result;
}

}  // namespace

std::vector<RunningJobs> fit_running_jobs(const ObservedHistory& history) {
  const Lifetimes lifetimes{history};
  std::vector<RunningJobs> result;
  std::vector<std::size_t> all;
  std::vector<std::size_t> others;
  for (JobGroup& group : duration_groups(history)) {
    all.insert(all.end(), group.jobs.begin(), group.jobs.end());
    std::vector<std::size_t> running;
    std::copy_if(group.jobs.begin(), group.jobs.end(), std::back_inserter(running),
                 [&](std::size_t job) {
                   return history.jobs[job].end_status == scenarios::EndStatus::running;
                 });
    if (running.empty()) continue;
    auto law = law_of(history, lifetimes, std::move(group.name), group.jobs);
    if (law) {
      law->jobs = std::move(running);
      result.push_back(std::move(*law));
    } else {
      others.insert(others.end(), running.begin(), running.end());
    }
  }
  if (others.empty()) return result;
  std::sort(all.begin(), all.end());
  std::sort(others.begin(), others.end());
  if (auto law = law_of(history, lifetimes, "all", all)) {
    law->jobs = std::move(others);
    result.push_back(std::move(*law));
  }
  return result;
}

void fit_running_work(const ObservedHistory& history, Fit& fit) {
  fit.running = fit_running_jobs(history);
  const auto still = [](const ObservedJob& job) {
    return job.end_status == scenarios::EndStatus::running;
  };
  auto left =
      static_cast<std::size_t>(std::count_if(history.jobs.begin(), history.jobs.end(), still));
  for (const RunningJobs& running : fit.running) {
    left -= running.jobs.size();
    FittedQuantity row{.name = "work_of_running_jobs", .group = running.group, .unit = "s"};
    row.n = running.ended;
    row.exposure = running.all;
    row.exposure_unit = "jobs";
    row.law = running.law.name();
    row.method = "likelihood, censored";
    row.value = running.law.quantile(0.5);
    const double reach = normal_reach * running.errors.log_scale;
    row.interval90 = Interval{*row.value * std::exp(-reach), *row.value * std::exp(reach)};
    row.parameters = running.law.named_parameters();
    row.parameters.emplace_back("log_scale_error", running.errors.log_scale);
    row.parameters.emplace_back("log_shape_error", running.errors.log_shape);
    row.parameters.emplace_back("error_correlation", running.errors.correlation);
    row.parameters.emplace_back("running_jobs", static_cast<double>(running.jobs.size()));
    row.aic = running.law.aic;
    row.note = "failures and stops are ends; a forecast draws the rest of their work";
    fit.quantities.push_back(std::move(row));
  }
  if (left == 0) return;
  fit.notes.push_back(fmt::format(
      "{} running jobs without a law: fewer than {:g} jobs ended. A forecast stops them at what "
      "they had done",
      left, least_ended_of_running));
}

}  // namespace reeve::experiments
