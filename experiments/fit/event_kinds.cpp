#include "experiments/fit/event_kinds.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "experiments/fit/waves.hpp"

namespace reeve::experiments {
namespace {

using policy::Instant;
using scenarios::EndStatus;

/// Without a word on how a job ended, it does not show that nothing failed.
bool shows_failures(const ObservedJob& job) {
  const bool is_known = job.end_status != EndStatus::unknown || job.end_cause != EndCause::unknown;
  return has_run(job) && (is_known || job.censored || job.restarts > 0 || job.failed_attempts > 0);
}
bool has_utilization(const ObservedJob& job) {
  return has_run(job) && job.stalls.has_value();
}

bool fails_by_node(const ObservedJob& job) {
  return job.end_status == EndStatus::node_failure || job.end_cause == EndCause::hardware;
}
bool fails_by_code(const ObservedJob& job) {
  if (fails_by_node(job)) return false;
  if (job.end_cause == EndCause::code || job.end_cause == EndCause::out_of_memory) return true;
  return job.end_cause == EndCause::unknown &&
         (job.end_status == EndStatus::failed || job.end_status == EndStatus::out_of_memory);
}
bool never(const ObservedJob&) {
  return false;
}

std::size_t failures_of(const ObservedJob& job) {
  return job.failed_attempts + (fails_by_code(job) ? 1 : 0);
}
std::size_t stalls_of(const ObservedJob& job) {
  return job.stalls.value_or(0);
}
std::size_t node_faults_of(const ObservedJob& job) {
  return job.restarts + (fails_by_node(job) ? 1 : 0);
}
std::size_t interruptions_of(const ObservedJob& job) {
  return job.interruptions;
}

/// Adds the run of a job to the exposure of each whole week that it touches.
void add_exposure(EventSeries& series, const ObservedHistory& history, Instant begin, Instant end,
                  double weight) {
  if (begin < history.start) begin = history.start;
  if (end <= begin) return;
  series.exposure += weight * hours_of(end - begin);
  auto week = static_cast<std::size_t>((begin - history.start) / week_length);
  for (; week < series.weekly_exposure.size(); ++week) {
    const Instant first = history.start + week_length * static_cast<std::int64_t>(week);
    const Instant last = first + week_length;
    if (first >= end) break;
    series.weekly_exposure[week] += weight * hours_of(std::min(end, last) - std::max(begin, first));
  }
}

void add_event(EventSeries& series, const ObservedHistory& history, Instant at) {
  if (at < history.start || at > history.end) return;
  series.at.push_back(at);
  const auto week = static_cast<std::size_t>((at - history.start) / week_length);
  if (week < series.weekly_events.size()) series.weekly_events[week] += 1;
}

/// The last of a job's events is at its end if it ended the job; the others are spread over it.
void add_events(EventSeries& series, const ObservedHistory& history, const ObservedJob& job,
                std::size_t count, bool ends_with_event) {
  const Instant begin = began(job);
  const Instant end = policy::later(begin, *job.duration);
  const std::size_t spread = count - (ends_with_event ? 1 : 0);
  for (std::size_t i = 1; i <= spread; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(spread + 1);
    const auto into = static_cast<double>((end - begin).count()) * share;
    add_event(series, history, begin + policy::Duration{static_cast<std::int64_t>(into)});
  }
  if (ends_with_event) add_event(series, history, end);
}

RateEvidence evidence_of(const EventSeries& series, std::span<const Instant> at, double exposure,
                         policy::Duration length, std::size_t weeks) {
  RateEvidence evidence{.events = static_cast<double>(at.size()), .exposure = exposure};
  if (exposure <= 0) return evidence;
  std::vector<double> expected;
  for (std::size_t week = 0; week < weeks; ++week) {
    expected.push_back(evidence.events * series.weekly_exposure[week] / exposure);
  }
  evidence.dispersion = dispersion_of(at, wave_window, length,
                                      std::span{series.weekly_events}.first(weeks), expected);
  return evidence;
}

/// The markets whose jobs meet the events: Spot, and any in which a job met one.  All of its jobs
/// count, since those without an event are as much exposed.
std::set<std::optional<policy::Market>> markets_of(const EventKind& kind,
                                                   const ObservedHistory& history) {
  std::set<std::optional<policy::Market>> markets{policy::Market::spot};
  for (const ObservedJob& job : history.jobs) {
    if (kind.is_exposed(job) && kind.events(job) > 0) markets.insert(job.market);
  }
  return markets;
}

}  // namespace

RateEvidence EventSeries::evidence(const ObservedHistory& history) const {
  return evidence_of(*this, at, exposure, history.end - history.start, weekly_events.size());
}

RateEvidence EventSeries::evidence(const ObservedHistory& history, std::size_t weeks) const {
  const policy::Duration length = week_length * static_cast<std::int64_t>(weeks);
  const auto last = std::lower_bound(at.begin(), at.end(), history.start + length);
  double hours = 0;
  for (std::size_t week = 0; week < weeks; ++week) hours += weekly_exposure[week];
  return evidence_of(*this, {at.begin(), last}, hours, length, weeks);
}

std::vector<EventKind> event_kinds() {
  return {{.name = "failures",
           .unit = "per attempt-hour",
           .exposure_unit = "attempt-hours",
           .is_exposed = shows_failures,
           .events = failures_of,
           .ends_with_event = fails_by_code},
          {.name = "stalls",
           .unit = "per attempt-hour",
           .exposure_unit = "attempt-hours",
           .is_exposed = has_utilization,
           .events = stalls_of,
           .ends_with_event = never},
          {.name = "node_faults",
           .unit = "per node-hour",
           .exposure_unit = "node-hours",
           .by_node = true,
           .has_prior = true,
           .is_exposed = shows_failures,
           .events = node_faults_of,
           .ends_with_event = fails_by_node},
          {.name = "interruptions",
           .unit = "per node-hour",
           .exposure_unit = "node-hours",
           .by_node = true,
           .has_outages = true,
           .by_market = true,
           .is_exposed = has_run,
           .events = interruptions_of,
           .ends_with_event = never}};
}

std::vector<EventSeries> series_of(const EventKind& kind, const ObservedHistory& history) {
  const std::size_t weeks = whole_weeks(history);
  std::map<std::string, EventSeries> by_type;
  const bool timed = kind.has_outages && !history.outages.empty();
  const auto of_type = [&](const std::string& type) -> EventSeries& {
    EventSeries& series = by_type[type];
    series.type = type;
    series.weekly_events.resize(weeks, 0);
    series.weekly_exposure.resize(weeks, 0);
    return series;
  };
  const auto markets = markets_of(kind, history);
  for (const ObservedJob& job : history.jobs) {
    if (!kind.is_exposed(job) || (kind.by_market && !markets.contains(job.market))) continue;
    EventSeries& series = of_type(job.instance_type);
    const double nodes =
        kind.by_node ? static_cast<double>(std::max<std::int64_t>(job.nodes, 1)) : 1;
    add_exposure(series, history, began(job), ended(job, history.end), nodes);
    const bool ends = kind.ends_with_event(job);
    if (!timed) add_events(series, history, job, kind.events(job), ends);
    if (job.duration->count() > 0) {
      series.ages.push_back({hours_of(*job.duration), nodes, ends});
    }
  }
  if (timed) {
    for (const ObservedOutage& outage : history.outages) {
      add_event(of_type(outage.instance_type), history, outage.at);
    }
  }
  std::vector<EventSeries> result;
  for (auto& [type, series] : by_type) {
    std::sort(series.at.begin(), series.at.end());
    result.push_back(std::move(series));
  }
  return result;
}

EventSeries together(const std::vector<EventSeries>& series) {
  EventSeries all = series.front();
  all.type.clear();
  for (std::size_t i = 1; i < series.size(); ++i) {
    const EventSeries& one = series[i];
    all.at.insert(all.at.end(), one.at.begin(), one.at.end());
    all.exposure += one.exposure;
    for (std::size_t week = 0; week < all.weekly_events.size(); ++week) {
      all.weekly_events[week] += one.weekly_events[week];
      all.weekly_exposure[week] += one.weekly_exposure[week];
    }
    all.ages.insert(all.ages.end(), one.ages.begin(), one.ages.end());
  }
  std::sort(all.at.begin(), all.at.end());
  return all;
}

}  // namespace reeve::experiments
