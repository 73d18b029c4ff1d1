#include "live/feed/training_job_reader.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "live/aws/arn.hpp"
#include "live/events/json_fields.hpp"
#include "live/events/read_event.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

TrainingJobReader::Described refused(const char* operation, const std::string& name,
                                     const CallError& error) {
  if (is_gone(error)) return GoneJob{};
  if (concerns_all(error)) return FailedCall{std::string{"sagemaker:"} + operation, error};
  return UnreadJob{name, std::string{operation} + ": " + error.code + ' ' + error.message};
}

}  // namespace

policy::Duration Pace::left() const {
  const policy::Instant now = clock_.now();
  // A clock that was set back must not make it wait for long.
  return std::clamp(next_.value_or(now) - now, policy::Duration{0}, apart_);
}

void Pace::wait() {
  const policy::Instant now = clock_.now();
  const policy::Instant due = next_.value_or(now);
  if (due > now) clock_.sleep(left());
  next_ = std::max(due, now) + apart_;
  if (*next_ > now + 2 * apart_) next_ = now + apart_;
}

TrainingJobReader::TrainingJobReader(Client& client, Clock& clock)
    : client_{client},
      lists_{clock, std::chrono::milliseconds{500}},
      descriptions_{clock, std::chrono::milliseconds{200}} {}

Listing TrainingJobReader::listing(const json& filter) {
  Call call{services::sagemaker, "ListTrainingJobs", filter};
  call.parameters["MaxResults"] = 100;
  return {Pages{std::move(call)}};
}

std::optional<FailedCall> TrainingJobReader::read_page(Listing& listing) {
  lists_.wait();
  const CallResult page = listing.pages.read(client_);
  if (page.error) return FailedCall{"sagemaker:ListTrainingJobs", *page.error};
  const json* jobs = field(page.value, "TrainingJobSummaries");
  bool is_readable = jobs != nullptr && jobs->is_array();
  static const json none = json::array();
  for (const json& job : is_readable ? *jobs : none) {
    std::string name = text_of(job, "TrainingJobName");
    is_readable = is_readable && !name.empty();
    listing.found.push_back({std::move(name),
                             instant_of(job, "LastModifiedTime", TimeUnit::seconds),
                             text_of(job, "TrainingJobStatus")});
  }
  if (is_readable) return std::nullopt;
  return unreadable_reply("sagemaker:ListTrainingJobs",
                          "a page has no TrainingJobSummaries with names");
}

std::optional<FailedCall> TrainingJobReader::list(const json& filter,
                                                  std::vector<ListedJob>& found) {
  Listing all = listing(filter);
  while (!all.pages.at_end()) {
    if (auto failed = read_page(all)) return failed;
  }
  std::move(all.found.begin(), all.found.end(), std::back_inserter(found));
  return std::nullopt;
}

TrainingJobReader::Described TrainingJobReader::describe_without_tags(const std::string& name) {
  descriptions_.wait();
  const CallResult described =
      client_.call({services::sagemaker, "DescribeTrainingJob", {{"TrainingJobName", name}}});
  if (described.error) return refused("DescribeTrainingJob", name, *described.error);
  Result<TrainingJobState> read = read_training_job(described.value, TimeUnit::seconds);
  if (const Failure* failure = failure_of(read)) return UnreadJob{name, failure->message};
  FleetEvent event;
  TrainingJobState& job = std::get<TrainingJobState>(read);
  event.account = part_of_arn(job.arn, 4);
  event.region = part_of_arn(job.arn, 3);
  event.kind = "SageMaker Training Job State Change";
  event.is_description = true;
  event.detail = std::move(job);
  return event;
}

TrainingJobReader::Described TrainingJobReader::describe(const std::string& name) {
  Described described = describe_without_tags(name);
  auto* event = std::get_if<FleetEvent>(&described);
  if (event == nullptr) return described;
  auto& job = std::get<TrainingJobState>(event->detail);
  Call call{services::sagemaker, "ListTags", {{"ResourceArn", job.arn}, {"MaxResults", 100}}};
  json tags = json::array();
  bool is_readable = true;
  const auto error = read_pages(client_, std::move(call), [&](const json& page) {
    const json* some = field(page, "Tags");
    is_readable = some != nullptr && some->is_array();
    if (is_readable) tags.insert(tags.end(), some->begin(), some->end());
    return is_readable;
  });
  if (error) return refused("ListTags", name, *error);
  job.tags = tags_in({{"Tags", std::move(tags)}});
  // Unknown tags must not count as none.
  if (!is_readable || !job.tags) return UnreadJob{name, "ListTags: the reply has no readable Tags"};
  return described;
}

}  // namespace reeve::live
