#include "live/act/job_stopper.hpp"

#include <chrono>
#include <optional>
#include <variant>

#include "live/act/tried_call.hpp"

namespace reeve::live {

JobStopper::JobStopper(Client& client, Clock& clock, TrainingJobReader& reader,
                       ServiceJobReader& service_jobs)
    : client_{client},
      clock_{clock},
      reader_{reader},
      service_jobs_{service_jobs},
      pace_{clock, std::chrono::seconds{1}} {}

/// False also if that cannot be read: then the stop is tried again, which does no harm twice.
bool JobStopper::is_stopped(const std::string& job, const StopCall& stop) {
  if (!stop.service_job.empty()) {
    const auto found = service_jobs_.describe(stop.service_job, job);
    const auto* described = std::get_if<std::optional<FoundServiceJob>>(&found);
    if (described != nullptr && *described && (*described)->is_over) return true;
  }
  const TrainingJobReader::Described described = reader_.describe(job);
  if (std::holds_alternative<GoneJob>(described)) return true;
  const auto* event = std::get_if<FleetEvent>(&described);
  return event != nullptr &&
         std::get<TrainingJobState>(event->detail).primary != policy::Primary::in_progress;
}

ActionEnd JobStopper::stop(const LoggedAction& action, const OnTry& on_try,
                           const std::function<bool()>& is_held_back) {
  const auto chosen = stop_call(service_jobs_, action, {});
  if (const auto* failed = std::get_if<FailedCall>(&chosen)) {
    const bool is_refused = failed->error.kind == CallErrorKind::rejected;
    return {.outcome = is_refused ? policy::Outcome::refused : policy::Outcome::expired,
            .code = failed->error.code,
            .detail = failed->action + ": " + failed->error.message,
            .concerns_all = concerns_all(failed->error)};
  }
  const auto& stop = std::get<StopCall>(chosen);
  if (stop.is_over) {
    return {.outcome = policy::Outcome::done, .detail = std::string{service_job_is_over}};
  }
  return carry_out(client_, clock_, pace_,
                   {.call = stop.call,
                    .on_try = [&](std::uint32_t number) { on_try(number, stop); },
                    .has_worked = [&] { return is_stopped(action.job, stop); },
                    .is_held_back = is_held_back});
}

}  // namespace reeve::live
