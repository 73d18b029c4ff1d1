// The AWS Batch state of a job in one of its queues.
#pragma once

#include <reeve/policy/job.hpp>
#include <string_view>

namespace reeve::models {

/// By the status of the training job (AWS Batch, "Service job status").  `began`: this attempt has
/// reached Downloading.  AWS does not list Starting and Interrupted: they are SCHEDULED before
/// `began` and RUNNING after it.
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
