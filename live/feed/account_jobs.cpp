#include "live/feed/account_jobs.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "live/aws/pages.hpp"
#include "live/events/read_event.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

/// Keeps calls apart by as long as their rate asks for.
class Pace {
 public:
  Pace(Clock& clock, policy::Duration apart) : clock_{clock}, apart_{apart} {}
  void wait() {
    const policy::Instant now = clock_.now();
    const policy::Instant due = next_.value_or(now);
    // A clock that was set back must not make it wait for long.
    if (due > now) clock_.sleep(std::min(due - now, apart_));
    next_ = std::max(due, now) + apart_;
    if (*next_ > now + 2 * apart_) next_ = now + apart_;
  }

 private:
  Clock& clock_;
  policy::Duration apart_;
  std::optional<policy::Instant> next_;
};

/// Whether the next job will fail as well.
bool concerns_all(const CallError& error) {
  return error.kind == CallErrorKind::not_sent || error.code == "AccessDeniedException" ||
         error.code == "AccessDenied" || error.code == "UnrecognizedClientException" ||
         error.code == "InvalidSignatureException" || error.code.starts_with("ExpiredToken");
}

/// AWS answers ValidationException where its model names ResourceNotFound.
bool is_gone(const CallError& error) {
  return error.code == "ResourceNotFound" ||
         error.message.find("esource not found") != std::string::npos;
}

/// The fifth part of "arn:aws:sagemaker:us-east-1:111122223333:training-job/x", and the fourth.
std::pair<std::string, std::string> account_and_region(const std::string& arn) {
  std::vector<std::string> parts;
  std::size_t from = 0;
  while (parts.size() < 5) {
    const std::size_t colon = arn.find(':', from);
    if (colon == std::string::npos) return {};
    parts.push_back(arn.substr(from, colon - from));
    from = colon + 1;
  }
  return {parts[4], parts[3]};
}

/// Reads jobs one after the other.
class Reader {
 public:
  Reader(Client& client, Clock& clock)
      : client_{client},
        lists_{clock, std::chrono::milliseconds{500}},
        descriptions_{clock, std::chrono::milliseconds{200}} {}

  std::optional<FailedCall> list(const char* status) {
    Call call{
        services::sagemaker, "ListTrainingJobs", {{"StatusEquals", status}, {"MaxResults", 100}}};
    lists_.wait();
    const auto error = read_pages(client_, std::move(call), [&](const json& page) {
      const auto jobs = page.find("TrainingJobSummaries");
      if (jobs == page.end() || !jobs->is_array()) return false;
      for (const json& job : *jobs) {
        const auto name = job.is_object() ? job.find("TrainingJobName") : job.end();
        if (job.is_object() && name != job.end() && name->is_string()) {
          names_.insert(name->get<std::string>());
        }
      }
      if (page.contains("NextToken")) lists_.wait();
      return true;
    });
    if (error) return FailedCall{"sagemaker:ListTrainingJobs", *error};
    return std::nullopt;
  }

  std::optional<FailedCall> describe(const std::string& name, AccountJobs& found) {
    descriptions_.wait();
    const CallResult described =
        client_.call({services::sagemaker, "DescribeTrainingJob", {{"TrainingJobName", name}}});
    if (described.error) return refused("DescribeTrainingJob", name, *described.error, found);
    Result<TrainingJobState> read = read_training_job(described.value, TimeUnit::seconds);
    if (const Failure* failure = failure_of(read)) {
      found.unread.push_back({name, failure->message});
      return std::nullopt;
    }
    FleetEvent event;
    TrainingJobState& job = std::get<TrainingJobState>(read);
    std::tie(event.account, event.region) = account_and_region(job.arn);
    Call call{services::sagemaker, "ListTags", {{"ResourceArn", job.arn}, {"MaxResults", 100}}};
    json tags = json::array();
    const auto error = read_pages(client_, std::move(call), [&](const json& page) {
      const auto some = page.find("Tags");
      if (some != page.end() && some->is_array())
        tags.insert(tags.end(), some->begin(), some->end());
      return true;
    });
    if (error) return refused("ListTags", name, *error, found);
    job.tags = tags_in({{"Tags", std::move(tags)}});
    event.kind = "SageMaker Training Job State Change";
    event.detail = std::move(job);
    found.jobs.push_back(std::move(event));
    return std::nullopt;
  }

  const std::set<std::string>& names() const { return names_; }

 private:
  static std::optional<FailedCall> refused(const char* operation, const std::string& name,
                                           const CallError& error, AccountJobs& found) {
    if (is_gone(error)) {
      ++found.gone;
      return std::nullopt;
    }
    if (concerns_all(error)) return FailedCall{std::string{"sagemaker:"} + operation, error};
    found.unread.push_back(
        {name, std::string{operation} + ": " + error.code + ' ' + error.message});
    return std::nullopt;
  }

  Client& client_;
  Pace lists_;
  Pace descriptions_;
  std::set<std::string> names_;
};

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
  Reader reader{client, clock};
  for (const char* status : {"InProgress", "Stopping"}) {
    if (auto failed = reader.list(status)) return *std::move(failed);
  }
  AccountJobs found;
  std::size_t done = 0;
  for (const std::string& name : reader.names()) {
    if (on_job && !on_job(done++, reader.names().size())) {
      found.interrupted = true;
      break;
    }
    if (auto failed = reader.describe(name, found)) return *std::move(failed);
  }
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
