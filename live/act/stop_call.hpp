// Which call stops a training job for good.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "live/act/action_log.hpp"
#include "live/aws/client.hpp"
#include "live/feed/failed_call.hpp"
#include "live/feed/service_job_reader.hpp"

namespace reeve::live {

struct StopCall {
  Call call;
  std::string service_job = {};  ///< id; empty: none runs the training job
  bool is_over = false;          ///< its service job is: nothing is left to call
};

/// Of a training job that AWS Batch runs: TerminateServiceJob, which stops the training job too.
/// After StopTrainingJob its queue may start it again (AWS Batch, "Service job retry strategies").
/// Of others: StopTrainingJob.  `hint`: the id of the service job, if events have told it.
std::variant<StopCall, FailedCall> stop_call(ServiceJobReader& service_jobs,
                                             const LoggedAction& stop, const std::string& hint);

/// Of a stop without a call.
inline constexpr std::string_view service_job_is_over = "AWS Batch has ended its service job";

/// As IAM names it: `batch:TerminateServiceJob`.
std::string action_of(const StopCall& stop);

}  // namespace reeve::live
