// Stops training jobs: tries, asks what came of a lost try, and ends with one outcome.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "live/act/action_log.hpp"
#include "live/act/stop_call.hpp"
#include "live/aws/client.hpp"
#include "live/aws/clock.hpp"
#include "live/feed/service_job_reader.hpp"
#include "live/feed/training_job_reader.hpp"

namespace reeve::live {

/// StopTrainingJob or TerminateServiceJob, at most one per second (AWS General Reference, SageMaker
/// quotas).
class JobStopper {
 public:
  /// Called before each try, from 1 on.
  using OnTry = std::function<void(std::uint32_t number, const StopCall& stop)>;

  /// The readers tell what came of a try without a reply.
  JobStopper(Client& client, Clock& clock, TrainingJobReader& reader,
             ServiceJobReader& service_jobs);

  /// A job that has ended, or was deleted, counts as done.  After five tries without an effect the
  /// stop is expired.
  ActionEnd stop(const LoggedAction& action, const OnTry& on_try,
                 const std::function<bool()>& is_held_back);

 private:
  bool is_stopped(const std::string& job, const StopCall& stop);

  Client& client_;
  Clock& clock_;
  TrainingJobReader& reader_;
  ServiceJobReader& service_jobs_;
  Pace pace_;
};

}  // namespace reeve::live
