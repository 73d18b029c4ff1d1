// What AWS Batch calls the state of a job that stands in one of its queues.
#pragma once

#include <reeve/policy/job.hpp>
#include <string_view>

namespace reeve::models {

/// AWS Batch, "Service job status": by the status of its training job.  `began`: this attempt was
/// in Downloading; of Starting and Interrupted, which AWS does not list, SCHEDULED before that and
/// RUNNING after it.
constexpr std::string_view batch_state(policy::Secondary status, bool began) {
  switch (status) {
    case policy::Secondary::queued:
      return "RUNNABLE";
    case policy::Secondary::pending:
      return "SCHEDULED";
    case policy::Secondary::downloading:
      return "STARTING";
    case policy::Secondary::training:
    case policy::Secondary::uploading:
    case policy::Secondary::stopping:
      return "RUNNING";
    case policy::Secondary::completed:
      return "SUCCEEDED";
    case policy::Secondary::failed:
    case policy::Secondary::stopped:
    case policy::Secondary::max_runtime_exceeded:
    case policy::Secondary::max_wait_time_exceeded:
      return "FAILED";
    case policy::Secondary::starting:
    case policy::Secondary::interrupted:
    case policy::Secondary::other:
    case policy::Secondary::updating:
    case policy::Secondary::restarting:
    case policy::Secondary::deleting:
      break;
  }
  return began ? "RUNNING" : "SCHEDULED";
}

}  // namespace reeve::models
