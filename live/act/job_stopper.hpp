// Stops training jobs: tries, asks what came of a lost try, and ends with one outcome.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "live/act/action_log.hpp"
#include "live/aws/client.hpp"
#include "live/aws/clock.hpp"
#include "live/feed/training_job_reader.hpp"

namespace reeve::live {

/// StopTrainingJob, at most one per second (AWS General Reference, SageMaker quotas).
class JobStopper {
 public:
  /// Called before each try, from 1 on.
  using OnTry = std::function<void(std::uint32_t number)>;

  /// `reader` tells what came of a try without a reply.
  JobStopper(Client& client, Clock& clock, TrainingJobReader& reader);

  /// A job that has ended, or was deleted, counts as done.  After five tries without an effect the
  /// stop is expired.
  ActionEnd stop(const std::string& job, const OnTry& on_try,
                 const std::function<bool()>& is_held_back);

 private:
  bool is_stopped(const std::string& job);

  Client& client_;
  Clock& clock_;
  TrainingJobReader& reader_;
  Pace pace_;
};

}  // namespace reeve::live
