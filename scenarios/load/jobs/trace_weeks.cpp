// A trace as the record of a history: `history`, and `workload.resample`, the weeks that each run
// draws anew.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "models/resampling.hpp"
#include "scenarios/load/jobs/steps.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::size_t few_weeks = 8;  ///< of users: with fewer, whole weeks of all users are drawn

/// The jobs that the forecast names, by job.
std::vector<models::OpenJob> open_jobs(Loading& loading, const ForecastInput& forecast) {
  const models::World& world = loading.world();
  std::map<std::uint32_t, models::OpenJob> open;
  for (std::uint32_t law = 0; law < forecast.running.size(); ++law) {
    const Node written = *forecast.running[law].written->find("jobs");
    const auto refuse = [&](const std::string& name, const std::string& what) {
      loading.error(written, "E0388", fmt::format("job {} {}", in_quotes(name), what),
                    "only work that the trace does not show is drawn", "leave it out");
    };
    for (const std::string& name : forecast.running[law].jobs) {
      const auto job = loading.names.job(name);
      if (!job) {
        refuse(name, "is not in the trace");
      } else if (world.jobs.specs[job->index].ends != models::WorkEnd::running) {
        refuse(name, "did not run when the trace ended");
      } else {
        models::OpenJob one{.job = job->index, .law = law};
        const auto limit = loading.limits_of_running.find(name);
        if (limit != loading.limits_of_running.end()) one.most = limit->second;
        if (!open.emplace(job->index, one).second) refuse(name, "is named twice");
      }
    }
  }
  std::vector<models::OpenJob> sorted;
  for (const auto& [index, one] : open) sorted.push_back(one);
  return sorted;
}

std::optional<models::Forecast> forecast_of(Loading& loading, const TraceWorkloadInput& trace) {
  if (!trace.forecast) return std::nullopt;
  models::Forecast forecast{.weeks = trace.forecast->weeks, .laws = {}, .open = {}};
  for (const RunningJobsInput& running : trace.forecast->running) {
    forecast.laws.push_back(running.law);
    if (running.law.failed + running.law.stopped <= 1 + 1e-5) continue;
    loading.error(*running.written, "E0389", "\"failed\" and \"stopped\" are more than 1 together",
                  "a job ends in one way", "the share of jobs that ended so");
  }
  forecast.open = open_jobs(loading, *trace.forecast);
  return forecast;
}

}  // namespace

void resample_weeks(Loading& loading) {
  const auto& workload = loading.input.workload;
  if (!workload || !workload->trace) return;
  if (!workload->trace->resample) {
    if (const auto& forecast = workload->trace->forecast) {
      loading.error(*forecast->written, "E0387", "a forecast needs weeks to draw from",
                    "its weeks are those of the trace, drawn anew",
                    "add \"resample\": \"user_weeks\" to the workload");
    }
    return;
  }
  models::World& world = loading.world();
  if (world.jobs.specs.empty()) return;  // refused already
  const Node written = *workload->written->find("resample");
  if (const auto jobs = loading.input.jobs.written; jobs && jobs->size() > 0) {
    loading.error(*jobs, "E0405", "\"resample\" draws the jobs of a trace, not those of \"jobs\"",
                  "these have no recorded weeks", "move them to a scenario of their own");
    return;
  }
  const Duration length = models::recorded_length(world);
  models::Resampling drawn;
  drawn.weeks = static_cast<std::uint32_t>(length / models::week_length);
  drawn.rest = length % models::week_length;
  if (drawn.weeks < 2) {
    loading.error(written, "E0405", "the trace has less than two whole weeks of submissions",
                  "there is no other week to draw", "leave \"resample\" out");
    return;
  }
  std::map<std::string_view, std::uint32_t> groups;
  std::set<std::pair<std::uint32_t, std::int64_t>> user_weeks;
  for (const models::JobSpec& spec : world.jobs.specs) {
    const std::string& owner = world.profiles[spec.profile].owner;
    const auto group =
        groups.try_emplace(owner, static_cast<std::uint32_t>(groups.size())).first->second;
    drawn.group.push_back(group);
    user_weeks.emplace(group, (spec.submit - world.start) / models::week_length);
  }
  drawn.groups = static_cast<std::uint32_t>(groups.size());
  if (user_weeks.size() < few_weeks) {
    std::fill(drawn.group.begin(), drawn.group.end(), 0U);
    drawn.groups = 1;
  }
  drawn.forecast = forecast_of(loading, *workload->trace);
  constexpr std::uint32_t least_weeks = 5;  // of an interval, as reeve fit has them
  if (drawn.forecast && drawn.weeks < least_weeks) {
    loading.warning(written, "W0616",
                    fmt::format("no interval of this forecast holds: the trace has {}",
                                counted(drawn.weeks, "whole week")),
                    "fewer than 5 say little about how weeks differ", "a longer trace");
  }
  world.resampling = std::move(drawn);
}

void load_history(Loading& loading) {
  const auto& history = loading.input.history;
  if (!history) return;
  const auto& workload = loading.input.workload;
  if (!workload || !workload->trace) {
    loading.error(*history->written, "E0386", "a history needs a workload with a \"trace\"",
                  "no recorded jobs", "remove \"history\"");
    return;
  }
  loading.scenario.history = history->facts;
}

}  // namespace reeve::scenarios
