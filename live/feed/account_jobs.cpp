#include "live/feed/account_jobs.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace reeve::live {
namespace {

const TrainingJobState& job_of(const FleetEvent& event) {
  return std::get<TrainingJobState>(event.detail);
}

}  // namespace

std::variant<std::string, FailedCall> account_of(Client& client) {
  const CallResult reply = client.call({services::sts, "GetCallerIdentity"});
  if (reply.error) return FailedCall{"sts:GetCallerIdentity", *reply.error};
  const auto account = reply.value.find("Account");
  const bool is_there = account != reply.value.end() && account->is_string();
  return is_there ? account->get<std::string>() : std::string{};
}

std::variant<AccountJobs, FailedCall> running_jobs(Client& client, Clock& clock,
                                                   const OnJob& on_job) {
  TrainingJobReader reader{client, clock};
  AccountJobs found;
  std::vector<ListedJob> listed;
  std::size_t done = 0;
  // An interruption ends the call that is under way.
  const auto is_interrupted = [&] { return on_job && !on_job(done, listed.size()); };
  for (const char* status : {"InProgress", "Stopping"}) {
    if (auto failed = reader.list({{"StatusEquals", status}}, listed)) {
      if (!is_interrupted()) return *std::move(failed);
      found.interrupted = true;
      return found;
    }
  }
  std::set<std::string> names;  // a job may stop between the two listings
  for (ListedJob& job : listed) names.insert(std::move(job.name));
  std::optional<FailedCall> denied;  // the first
  for (const std::string& name : names) {
    if (on_job && !on_job(done++, names.size())) {
      found.interrupted = true;
      break;
    }
    TrainingJobReader::Described described = reader.describe(name);
    if (auto* failed = std::get_if<FailedCall>(&described)) {
      if (is_interrupted()) {
        found.interrupted = true;
        break;
      }
      if (!is_denied(failed->error)) return std::move(*failed);
      found.unread.push_back(
          {name, failed->action + ": " + failed->error.code + ' ' + failed->error.message});
      if (!denied) denied = std::move(*failed);
    }
    if (auto* job = std::get_if<FleetEvent>(&described)) found.jobs.push_back(std::move(*job));
    if (auto* unread = std::get_if<UnreadJob>(&described)) {
      if (is_interrupted()) {
        found.interrupted = true;
        break;
      }
      found.unread.push_back(std::move(*unread));
    }
    if (std::holds_alternative<GoneJob>(described)) ++found.gone;
  }
  const bool is_any_read = !found.jobs.empty() || found.gone > 0 || found.interrupted;
  if (denied && !is_any_read) return *std::move(denied);
  std::stable_sort(found.jobs.begin(), found.jobs.end(), [](const auto& a, const auto& b) {
    return std::tie(job_of(a).created, job_of(a).name) <
           std::tie(job_of(b).created, job_of(b).name);
  });
  return found;
}

policy::Instant Snapshot::advance(policy::Instant deadline, host::Intake& out) {
  if (std::exchange(told_, true)) return deadline <= now_ ? now_ : policy::never;
  roster_.open(now_, out.observations);
  for (const FleetEvent& job : jobs_) roster_.take(job, now_, out.observations);
  return now_;
}

}  // namespace reeve::live
