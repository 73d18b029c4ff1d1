// What the metrics of hosts read while their attempt runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/fleet/core.hpp"
#include "models/fleet/gang_speeds.hpp"
#include "models/fleet/prices.hpp"
#include "models/metric_series.hpp"

namespace reeve::models {

/// GPU utilization per host, in percent of one GPU.
class HostMetrics {
 public:
  HostMetrics(FleetCore& core, const Prices& prices, const GangSpeeds& speeds)
      : core_{core}, prices_{prices}, speeds_{speeds} {}

  /// The hosts of the attempt are in its present state from now on; `running`: they send metrics.
  void begin_level(Running& run, bool running) const;
  /// Appends the readings of a host in a stretch of `level` to its series, up to a number of steps;
  /// returns from when on more are to be appended, `never` if none are.
  Instant tell_series(const Running& run, const Level& level, std::uint32_t host,
                      const Stretch& stretch, double factor, MetricSeries& series) const;
  /// What the metric is of the utilization of one GPU.
  double factor_of(const Running& run) const;

  /// What each host of an attempt reads from `from` to now, by host.
  std::vector<MetricSeries> readings_of(const Running& run, double factor = 1,
                                        Instant from = Instant::min()) const;
  /// Keeps the metric of every host of an attempt.
  void note_metrics(const Running& run);
  /// Keeps what every host of an attempt read, where that is no constant.
  void note_readings(const Running& run);
  void sort_readings();
  /// How far below each minimum every host of an attempt read, in dollars: of what a host costs
  /// while it is measured, the part by which it falls short.
  void note_gaps(const Running& run);
  /// And what of it is not billed after all: these instances were free in this time.
  void waive_gaps(const Running& run, const Joined& part);

 private:
  double busy(const Running& run, const Level& level, std::uint32_t host) const;
  std::optional<double> reading(const Running& run, const Level& level, std::uint32_t host) const;
  void note_gap(const Running& run, const MetricSeries& series, const Stretch& within,
                double share);

  FleetCore& core_;
  const Prices& prices_;
  const GangSpeeds& speeds_;
};

}  // namespace reeve::models
