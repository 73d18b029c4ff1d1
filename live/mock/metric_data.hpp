// GetMetricData of CloudWatch over the samples of a mock account.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "live/mock/mock_answer.hpp"
#include "models/metric_series.hpp"

namespace reeve::live {

/// GPU utilization of a host, `JOB/algo-N`, from a time on; without segments: there is none.
using MetricOfHost =
    std::function<models::MetricSeries(const std::string& host, policy::Instant from)>;

/// The statistics of GPUUtilization in /aws/sagemaker/TrainingJobs, of samples whose minute ended
/// by `published`.  Other metrics have no samples.  A call that AWS would refuse is refused.  The
/// times and values of the answer are texts if those of the call are.
MockAnswer metric_data(const MetricOfHost& metric_of, const nlohmann::json& asked,
                       policy::Instant published);

}  // namespace reeve::live
