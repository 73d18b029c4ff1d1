#include "scenarios/history/metrics/stalls.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "scenarios/history/metrics/series.hpp"
#include "scenarios/history/metrics/utilization_files.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

constexpr double idle_percent = 1;
constexpr std::size_t least_samples = 3;

/// Whether the job came to an end that was not its own success.
bool may_have_stalled(EndStatus status) {
  return status == EndStatus::killed || status == EndStatus::timeout ||
         status == EndStatus::running || status == EndStatus::failed;
}

/// Since when one series is idle up to `end`.
std::optional<Instant> idle_since(const UtilizationSeries& series, const Stretch& last,
                                  std::int64_t gpus) {
  const double divisor = series.is_sum ? static_cast<double>(gpus) : 1;
  const Instant end = *last.until;
  std::optional<Instant> since;
  Instant newest{};
  std::size_t samples = 0;
  Duration distance{0};  // the widest of the idle samples
  for (const UtilizationSample& sample : series.samples) {
    if (sample.at >= end) break;
    if (sample.at < last.from || sample.percent / divisor > idle_percent) {
      since.reset();
      samples = 0;
      distance = Duration{0};
      continue;
    }
    if (since) distance = std::max(distance, sample.at - newest);
    if (!since) since = sample.at;
    newest = sample.at;
    ++samples;
  }
  if (samples < least_samples) return {};
  const bool reaches_end = end - newest <= 3 * distance;
  return reaches_end ? since : std::nullopt;
}

}  // namespace

std::optional<Duration> stalled_at_end(std::span<const UtilizationSeries* const> series,
                                       std::span<const Stretch> work, std::int64_t gpus) {
  if (series.empty() || work.empty() || !work.back().until) return {};
  std::optional<Instant> since;
  for (const UtilizationSeries* each : series) {
    if (!measures(*each, work.last(1))) continue;  // a machine of an earlier stretch
    const auto idle = idle_since(*each, work.back(), std::max<std::int64_t>(1, gpus));
    if (!idle) return {};
    since = since ? std::max(*since, *idle) : *idle;
  }
  return since ? std::optional{*work.back().until - *since} : std::nullopt;
}

std::int64_t gpus_seen(std::span<const UtilizationSeries* const> series) {
  std::map<std::string_view, std::set<std::string_view>> by_host;
  double most = 0;
  for (const UtilizationSeries* each : series) {
    by_host[each->host].insert(each->gpu);
    if (!each->is_sum) continue;
    for (const auto& sample : each->samples) most = std::max(most, sample.percent);
  }
  constexpr double rounding = 0.5;  // percent
  std::int64_t gpus = std::max<std::int64_t>(1, std::llround(std::ceil((most - rounding) / 100)));
  for (const auto& [host, of_host] : by_host) {
    gpus = std::max(gpus, static_cast<std::int64_t>(of_host.size()));
  }
  return gpus;
}

std::uint64_t find_stalls(const History& history, PackedJobs& jobs) {
  const auto series = series_by_job(history, jobs);
  std::uint64_t counted_by_metrics = 0;
  if (series.empty()) return counted_by_metrics;
  jobs.rewrite([&](HistoryJob& job) {
    const auto found = series.find(job.record.job_id);
    if (found == series.end() || job.work.empty()) return JobPass::left_as_is;
    if (job.record.gpus_per_node.value_or(0) <= 0 && job.record.gpus_total.value_or(0) <= 0) {
      job.record.gpus_per_node = gpus_seen(found->second);
      job.record.gpus_total = *job.record.gpus_per_node * job.record.nodes.value_or(1);
      ++counted_by_metrics;
    }
    const auto stalled =
        may_have_stalled(job.record.end_status)
            ? stalled_at_end(found->second, job.work, job.record.gpus_per_node.value_or(1))
            : std::nullopt;
    job.record.stalled = stalled.value_or(Duration{0});  // measured, and not idle
    return JobPass::changed;
  });
  return counted_by_metrics;
}

}  // namespace reeve::scenarios
