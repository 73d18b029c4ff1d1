#include "live/act/job_stopper.hpp"

#include <chrono>
#include <variant>

#include "live/act/tried_call.hpp"

namespace reeve::live {

JobStopper::JobStopper(Client& client, Clock& clock, TrainingJobReader& reader)
    : client_{client}, clock_{clock}, reader_{reader}, pace_{clock, std::chrono::seconds{1}} {}

/// False also if that cannot be read: then the stop is tried again, which does no harm twice.
bool JobStopper::is_stopped(const std::string& job) {
  const TrainingJobReader::Described described = reader_.describe(job);
  if (std::holds_alternative<GoneJob>(described)) return true;
  const auto* event = std::get_if<FleetEvent>(&described);
  return event != nullptr &&
         std::get<TrainingJobState>(event->detail).primary != policy::Primary::in_progress;
}

ActionEnd JobStopper::stop(const std::string& job, const OnTry& on_try,
                           const std::function<bool()>& is_held_back) {
  return carry_out(client_, clock_, pace_,
                   {.call = {services::sagemaker, "StopTrainingJob", {{"TrainingJobName", job}}},
                    .on_try = on_try,
                    .has_worked = [&] { return is_stopped(job); },
                    .is_held_back = is_held_back});
}

}  // namespace reeve::live
