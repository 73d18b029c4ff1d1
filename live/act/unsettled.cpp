#include "live/act/unsettled.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "live/feed/roster.hpp"

namespace reeve::live {
namespace {

using policy::Outcome;

/// Another job may have the name.
bool is_clone_of(const TrainingJobState& job, const ActionLog::Standing& open) {
  const policy::Tag made{std::string{created_by_tag}, open.rule};
  return job.tags && std::find(job.tags->begin(), job.tags->end(), made) != job.tags->end();
}

std::variant<ActionEnd, UnreadJob, FailedCall> end_of(const ActionLog::Standing& open,
                                                      TrainingJobReader& reader,
                                                      ServiceJobReader& service_jobs) {
  ActionEnd end;
  end.detail = "an earlier run ended before it was sent";
  if (!open.is_sent) return end;
  if (open.action != "stop_job" && open.action != "clone_job") {
    end.outcome = Outcome::done;
    end.detail = "it was sent; an earlier run ended before the reply";
    return end;
  }
  const bool is_clone = open.action == "clone_job";
  const TrainingJobReader::Described described =
      reader.describe(is_clone ? open.new_job : open.job);
  if (const auto* failed = std::get_if<FailedCall>(&described)) {
    if (!is_denied(failed->error)) return *failed;
    return UnreadJob{open.job, failed->action + ": " + failed->error.code};
  }
  if (const auto* unread = std::get_if<UnreadJob>(&described)) return *unread;
  const auto* event = std::get_if<FleetEvent>(&described);
  const auto* job = event == nullptr ? nullptr : &std::get<TrainingJobState>(event->detail);
  const bool runs = job != nullptr && job->primary == policy::Primary::in_progress;
  bool is_done = is_clone ? job != nullptr && is_clone_of(*job, open) : !runs;
  if (runs && !open.service_job.empty()) {  // AWS Batch stops it in its own time
    const ServiceJobReader::Found found = service_jobs.describe(open.service_job, open.job);
    if (const auto* failed = std::get_if<FailedCall>(&found)) {
      if (!is_denied(failed->error)) return *failed;
      return UnreadJob{open.job, failed->action + ": " + failed->error.code};
    }
    const auto& service_job = std::get<std::optional<FoundServiceJob>>(found);
    is_done = service_job && service_job->is_over;
  }
  end.outcome = is_done ? Outcome::done : Outcome::expired;
  end.detail = is_done    ? "found after a restart"
               : is_clone ? "an earlier run ended before it; there is no such job"
                          : "an earlier run ended before it; the job runs";
  return end;
}

}  // namespace

std::variant<FoundActions, FailedCall> settle_unsettled(
    ActionLog& log, TrainingJobReader& reader, ServiceJobReader& service_jobs,
    const std::function<policy::Instant()>& now) {
  std::vector<std::pair<std::string, ActionLog::Standing>> open;
  for (const auto& [id, standing] : log.standing()) {
    // An update or a removal is settled by the command that sent it.
    if (standing.outcome.empty() && standing.resource.empty()) open.emplace_back(id, standing);
  }
  FoundActions found;
  for (const auto& [id, standing] : open) {
    auto end = end_of(standing, reader, service_jobs);
    if (auto* failed = std::get_if<FailedCall>(&end)) return std::move(*failed);
    if (auto* unread = std::get_if<UnreadJob>(&end)) {
      found.unread.push_back(std::move(*unread));
      continue;
    }
    log.settle(now(), id, std::get<ActionEnd>(end));
    found.settled.push_back({standing.action, standing.job, std::get<ActionEnd>(std::move(end))});
  }
  return found;
}

void settle_ended_waits(ActionLog& log, TrainingJobReader& reader,
                        const std::function<policy::Instant()>& now) {
  std::vector<std::pair<std::string, std::string>> waiting;
  for (const auto& [id, standing] : log.standing()) {
    const bool stops = standing.action == "stop_job";
    if (stops && log.waits_for_person(id)) waiting.emplace_back(id, standing.job);
  }
  for (const auto& [id, job] : waiting) {
    const TrainingJobReader::Described described = reader.describe(job);
    const auto* event = std::get_if<FleetEvent>(&described);
    const bool runs = event != nullptr && std::get<TrainingJobState>(event->detail).primary ==
                                              policy::Primary::in_progress;
    const bool is_over = std::holds_alternative<GoneJob>(described) || (event != nullptr && !runs);
    if (is_over) log.settle(now(), id, {.detail = std::string{ended_before_confirmed}});
  }
}

}  // namespace reeve::live
