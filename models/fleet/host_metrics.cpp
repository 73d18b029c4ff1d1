#include "models/fleet/host_metrics.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "models/utilization.hpp"

namespace reeve::models {

using policy::Instant;

namespace {
/// How far a series is told ahead of the clock at once.  A series may have no end.
constexpr int most_steps_ahead = 256;
}  // namespace

void HostMetrics::begin_level(Running& run, bool running) const {
  Level level{core_.now, running, running && run.stage == Stage::training, run.instances, {},
              {},        {}};
  if (run.launch) {
    level.pace = run.launch->pace;
    level.hosts += static_cast<std::uint32_t>(run.launch->lost.size());
  }
  if (!run.levels.empty()) {
    const Level& before = run.levels.back();
    const Duration trained = before.advancing ? core_.now - before.from : Duration{0};
    level.clock.trained = before.clock.trained + trained;
    if (before.running) level.clock.since_start = before.clock.since_start + trained;
  }
  for (const Trouble& trouble : run.troubles) level.troubles.push_back(trouble.fault);
  run.levels.push_back(std::move(level));
}

/// Percent of one GPU of a host that works: it waits for data, and for the slowest host.
double HostMetrics::busy(const Running& run, const Level& level, std::uint32_t host) const {
  const Pace& pace = level.pace;
  const double running = core_.profile(run.job).util_running;
  const bool at_work = level.advancing && std::min(pace.busy, pace.busy_slow) < full_speed;
  if (!at_work) [[likely]]
    return running;
  const bool slow = speeds_.is_slow(pace, host);
  return running * (slow ? pace.busy_slow : pace.busy) / full_speed;
}

/// Percent of one GPU, if the job's utilization is a constant.
std::optional<double> HostMetrics::reading(const Running& run, const Level& level,
                                           std::uint32_t host) const {
  if (!level.running || host > level.hosts) return std::nullopt;
  const JobProfile& kind = core_.profile(run.job);
  bool idle = false;
  bool waits = false;  // a host that trouble does not touch waits for those that it does
  for (const std::uint32_t index : level.troubles) {
    const Fault& fault = run.faults[index];
    const auto& hosts = fault.hosts;
    if (!hosts.empty() && std::find(hosts.begin(), hosts.end(), host) == hosts.end()) {
      waits |= fault.kind != FaultKind::metrics_lost;
      continue;
    }
    if (fault.kind == FaultKind::metrics_lost) return std::nullopt;
    if (fault.kind == FaultKind::node_lost) return std::nullopt;
    idle |= fault.kind == FaultKind::stall;
  }
  return idle ? kind.util_stalled : waits ? kind.util_waiting : busy(run, level, host);
}

double HostMetrics::factor_of(const Running& run) const {
  const policy::TypeId type = core_.world.pools[run.pool.index].type;
  return core_.world.platform.metrics.gpu_sum ? core_.world.directory.types[type.index].gpus : 1.0;
}

Instant HostMetrics::tell_series(const Running& run, const Level& level, std::uint32_t host,
                                 const Stretch& stretch, double factor,
                                 MetricSeries& series) const {
  const JobProfile& kind = core_.profile(run.job);
  const auto constant = reading(run, level, host);
  if (!kind.utilization || !level.advancing || !constant) {
    series.append(stretch.from, constant ? std::optional{*constant * factor} : std::nullopt);
    return policy::never;
  }
  const UtilDraws draws{core_.world.seed, core_.replication, run.job};
  Instant at = stretch.from;
  for (int steps = 0; at < stretch.until; ++steps) {
    if (steps == most_steps_ahead) return at;
    const Duration into = at - level.from;
    const UtilReading now =
        read(*kind.utilization, draws, host,
             {level.clock.trained + into, level.clock.since_start + into}, busy(run, level, host));
    series.append(at, now.percent ? std::optional{*now.percent * factor} : std::nullopt);
    at = policy::later(at, now.lasts);
  }
  return policy::never;
}

std::vector<MetricSeries> HostMetrics::readings_of(const Running& run, double factor,
                                                   Instant from) const {
  std::uint32_t hosts = 0;
  for (const Level& level : run.levels) hosts = std::max(hosts, level.hosts);
  std::vector<MetricSeries> all(hosts);
  for (std::uint32_t host = 1; host <= hosts; ++host) {
    for (std::size_t i = 0; i < run.levels.size(); ++i) {
      const bool last = i + 1 == run.levels.size();
      Stretch stretch{run.levels[i].from, last ? core_.now : run.levels[i + 1].from};
      if (!last && stretch.until <= from) continue;
      stretch.from = std::max(stretch.from, from);
      while (stretch.from != policy::never) {
        stretch.from = tell_series(run, run.levels[i], host, stretch, factor, all[host - 1]);
      }
    }
  }
  return all;
}

void HostMetrics::note_metrics(const Running& run) {
  std::uint32_t host = 0;
  for (MetricSeries& series : readings_of(run, factor_of(run))) {
    core_.record.host_metrics.push_back({run.job, run.number, ++host, std::move(series)});
  }
}

void HostMetrics::note_readings(const Running& run) {
  const auto& utilization = core_.profile(run.job).utilization;
  if (!utilization) return;
  std::uint32_t host = 0;
  for (const MetricSeries& series : readings_of(run)) {
    ++host;
    for (std::size_t i = 0; i < series.segments(); ++i) {
      core_.record.host_readings.push_back({series.segment_start(i), run.job, run.number, host,
                                            utilization->draws(), series.segment_value(i)});
    }
  }
}

void HostMetrics::note_gaps(const Running& run) {
  for (const MetricSeries& series : readings_of(run)) {
    note_gap(run, series, {Instant::min(), core_.now}, 1);
  }
}

/// Of several hosts these instances have their share.
void HostMetrics::waive_gaps(const Running& run, const Joined& part) {
  const std::vector<MetricSeries> all = readings_of(run);
  for (std::size_t i = 0; i < run.levels.size(); ++i) {
    const Level& level = run.levels[i];
    const bool last = i + 1 == run.levels.size();
    const Stretch stretch{std::max(level.from, part.from),
                          last ? core_.now : run.levels[i + 1].from};
    if (!level.running || level.hosts == 0 || stretch.from >= stretch.until) continue;
    const double share = static_cast<double>(std::min(part.instances, level.hosts)) / level.hosts;
    for (std::uint32_t host = 0; host < level.hosts; ++host) {
      note_gap(run, all[host], stretch, -share);
    }
  }
}

void HostMetrics::note_gap(const Running& run, const MetricSeries& series, const Stretch& within,
                           double share) {
  Holding one = run.holding();
  one.instances = 1;
  const policy::TagSetId tags =
      tags_of(core_.record, run.job, run.number, core_.profile(run.job).tags);
  for (std::size_t i = 0; i < series.segments(); ++i) {
    const bool last = i + 1 == series.segments();
    const Instant from = std::max(series.segment_start(i), within.from);
    const Instant to = std::min(last ? core_.now : series.segment_start(i + 1), within.until);
    const auto value = series.segment_value(i);
    if (!value || from >= to) continue;
    for (std::uint32_t minimum = 0; minimum < core_.keep.gpu_minima.size(); ++minimum) {
      const double least = core_.keep.gpu_minima[minimum];
      if (*value >= least) continue;
      const auto short_ppm = std::llround(share * (least - *value) / least * full_speed);
      core_.record.gpu_gaps[{minimum, run.pool, tags}] +=
          prices_.cost_of(one, from, to) * short_ppm / full_speed;
    }
  }
}

/// By time; of two attempts that meet in one instant the later one counts.
void HostMetrics::sort_readings() {
  std::vector<HostReadingRow>& rows = core_.record.host_readings;
  const auto place = [](const HostReadingRow& row) {
    return std::tuple{row.at, row.job, row.host};
  };
  std::sort(rows.begin(), rows.end(), [&](const HostReadingRow& a, const HostReadingRow& b) {
    return std::pair{place(a), b.attempt} < std::pair{place(b), a.attempt};
  });
  rows.erase(std::unique(rows.begin(), rows.end(),
                         [&](const auto& a, const auto& b) { return place(a) == place(b); }),
             rows.end());
}

}  // namespace reeve::models
