// Reads the metrics of training jobs from CloudWatch.
#pragma once

#include "live/alarms/metric_source.hpp"
#include "live/aws/client.hpp"

namespace reeve::live {

/// One GetMetricData call for 500 hosts, and one for each further page.  AWS charges each host.
class CloudMetrics final : public MetricSource {
 public:
  /// `client` must outlive the source.
  explicit CloudMetrics(Client& client) : client_{client} {}

  Read gpu_utilization(std::span<const std::string> hosts, policy::Instant from,
                       policy::Instant until) override;

 private:
  std::optional<FailedCall> read_some(std::span<const std::string> hosts, policy::Instant from,
                                      policy::Instant until,
                                      std::vector<models::MetricSeries>& found);

  Client& client_;
};

inline constexpr std::size_t most_metric_hosts = 500;  ///< of a call

/// The call for at most that many hosts, "JOB/algo-N".  Each is the label of its samples; the id of
/// the first is "h0".
Call metric_data_call(std::span<const std::string> hosts, policy::Instant from,
                      policy::Instant until, policy::Duration period = metric_sample);

}  // namespace reeve::live
