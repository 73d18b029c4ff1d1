#include "live/act/job_stopper.hpp"

#include <chrono>
#include <variant>

#include "live/act/outcomes.hpp"

namespace reeve::live {
namespace {

using host::ReplyKind;
using policy::Outcome;

constexpr std::uint32_t most_tries = 5;

}  // namespace

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

ActionEnd JobStopper::stop(const std::string& job, const OnTry& on_try) {
  ActionEnd end;
  std::chrono::seconds wait{1};
  while (end.tries < most_tries) {
    if (end.tries > 0) {
      clock_.sleep(wait);
      wait *= 2;
    }
    pace_.wait();
    on_try(++end.tries);
    const CallResult result =
        client_.call({services::sagemaker, "StopTrainingJob", {{"TrainingJobName", job}}});
    end.code = result.error ? result.error->code : std::string{};
    end.detail = result.error ? result.error->message : std::string{};
    switch (reply_kind("StopTrainingJob", result)) {
      case ReplyKind::done:
      case ReplyKind::partly_done:
        end.outcome = Outcome::done;
        if (result.error) end.detail = "it had ended before";
        return end;
      case ReplyKind::rejected:
      case ReplyKind::no_room:
        end.outcome = Outcome::refused;
        end.concerns_all = concerns_all(*result.error);
        return end;
      case ReplyKind::throttled:
        break;
      case ReplyKind::unknown:
        if (!is_stopped(job)) break;
        end.outcome = Outcome::done;
        end.detail = "the reply was lost; the job stops";
        return end;
    }
  }
  return end;
}

}  // namespace reeve::live
