// The GPU utilization that a shadow run read, in its record and as traces for the simulator.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "live/alarms/metric_source.hpp"

namespace reeve::app {

/// Gives the samples of another source, and tells each minute of a host once.
class ToldMetrics final : public live::MetricSource {
 public:
  using OnSample =
      std::function<void(const std::string& host, policy::Instant minute, double percent)>;

  /// `source` must outlive it.
  ToldMetrics(live::MetricSource& source, OnSample on_sample)
      : source_{source}, on_sample_{std::move(on_sample)} {}

  Read gpu_utilization(std::span<const std::string> hosts, policy::Instant from,
                       policy::Instant until) override;

 private:
  live::MetricSource& source_;
  OnSample on_sample_;
  std::map<std::string, policy::Instant> next_;  ///< by host: the first minute not told
};

/// The first line of `metrics.csv`, and a line of it.
inline constexpr std::string_view samples_header = "minute,host,gpu_utilization_pct";
std::string sample_line(const std::string& host, policy::Instant minute, double percent);

/// The samples of a record by training job.
class RecordedSamples {
 public:
  /// A file that is missing has none: no alarm was evaluated.
  explicit RecordedSamples(const std::filesystem::path& file);

  /// CSV with `t_s` after `training`, host, and percent of one of its `gpus`; nothing if the job
  /// has no sample.
  std::optional<std::string> trace(const std::string& job, policy::Instant training,
                                   std::uint32_t gpus) const;
  std::uint64_t unreadable() const { return unreadable_; }

 private:
  bool take(const std::string& line);

  struct Sample {
    policy::Instant minute;
    std::uint32_t host = 1;
    double percent = 0;
  };
  std::map<std::string, std::vector<Sample>> by_job_;  ///< in the order of the file
  std::uint64_t unreadable_ = 0;
};

/// Files that are removed again.
class TraceFiles {
 public:
  TraceFiles() = default;
  ~TraceFiles();
  TraceFiles(const TraceFiles&) = delete;
  TraceFiles& operator=(const TraceFiles&) = delete;

  /// The path of a new file with that text.  Throws std::runtime_error naming it.
  std::string add(const std::string& text);

 private:
  std::filesystem::path folder_;
  std::size_t files_ = 0;
};

}  // namespace reeve::app
