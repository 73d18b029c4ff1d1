// GetMetricData of CloudWatch over the samples of a mock account.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>

#include "live/mock/mock_account.hpp"

namespace reeve::live {

/// The statistics of GPUUtilization in /aws/sagemaker/TrainingJobs, of samples whose minute ended
/// by `published`.  Other metrics have no samples.  A call that AWS would refuse is refused.  The
/// times and values of the answer are texts if those of the call are.
MockAnswer metric_data(const MetricsByHost& metrics, const nlohmann::json& asked,
                       policy::Instant published);

}  // namespace reeve::live
