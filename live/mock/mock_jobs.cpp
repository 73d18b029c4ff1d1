#include "live/mock/mock_jobs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <reeve/policy/clone_fields.hpp>
#include <reeve/policy/condition.hpp>
#include <reeve/policy/training_job_name.hpp>
#include <utility>

#include "live/aws/timestamps.hpp"
#include "live/events/read_event.hpp"
#include "live/events/write_event.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;

const TrainingJobState& state_of(const FleetEvent& event) {
  return std::get<TrainingJobState>(event.detail);
}

std::string_view status_of(const TrainingJobState& job) {
  return policy::primary_names[static_cast<std::size_t>(job.primary)];
}

double seconds_of(Instant at) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch());
  return std::chrono::duration<double>(ms).count();
}

MockError not_found() {
  return {"ValidationException", "Requested resource not found."};
}

MockError name_in_use(const std::string& name) {
  return {"ResourceInUse", "Training job names must be unique: " + name};
}

/// A row of ListTrainingJobs.
json summary_of(const FleetEvent& event) {
  const TrainingJobState& job = state_of(event);
  json summary{{"TrainingJobName", job.name},
               {"TrainingJobArn", training_job_arn(event, job.name)},
               {"TrainingJobStatus", status_of(job)}};
  if (job.created) summary["CreationTime"] = seconds_of(*job.created);
  if (job.ended) summary["TrainingEndTime"] = seconds_of(*job.ended);
  if (job.modified) summary["LastModifiedTime"] = seconds_of(*job.modified);
  return summary;
}

/// The place in a listing, which a token names.
std::optional<std::size_t> place_of_token(const json& asked) {
  const auto token = asked.value("NextToken", "0");
  if (token.empty() || token.find_first_not_of("0123456789") != std::string::npos) return {};
  return std::strtoull(token.c_str(), nullptr, 10);
}

/// Of SearchExpression.
bool is_filter_by_time(const json& filter) {
  constexpr std::array operators = {"GreaterThan", "GreaterThanOrEqualTo", "LessThan",
                                    "LessThanOrEqualTo"};
  const auto name = filter.value("Name", "");
  const auto by = filter.value("Operator", "");
  return filter.size() == 3 && (name == "CreationTime" || name == "LastModifiedTime") &&
         std::find(operators.begin(), operators.end(), by) != operators.end() &&
         parse_iso_date(filter.value("Value", "")).has_value();
}

bool passes_by_time(const TrainingJobState& job, const json& filter) {
  const auto time = filter.at("Name") == "CreationTime" ? job.created : job.modified;
  const Instant value = *parse_iso_date(filter.at("Value").get<std::string>());
  const auto by = filter.at("Operator").get<std::string>();
  if (!time) return false;
  if (*time == value) return by.ends_with("EqualTo");
  return by.starts_with("Greater") == (*time > value);
}

std::vector<policy::Tag> tags_in_request(const json& asked) {
  std::vector<policy::Tag> tags;
  for (const json& tag : asked.value("Tags", json::array())) {
    tags.emplace_back(tag.at("Key").get<std::string>(), tag.at("Value").get<std::string>());
  }
  return tags;
}

std::string tag_of(const std::vector<policy::Tag>& tags, std::string_view key) {
  for (const auto& [name, value] : tags) {
    if (name == key) return value;
  }
  return {};
}

/// By its tags; 1: it is no further attempt.
std::uint32_t attempt_of(const std::vector<policy::Tag>& tags) {
  const std::string digits = tag_of(tags, "reeve:attempt");
  std::uint32_t number = 1;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// The members of a request that describe the job otherwise than its states do.
json described_part(json request) {
  for (const char* member : {"TrainingJobName", "Tags", "ResourceConfig", "StoppingCondition",
                             "EnableManagedSpotTraining"}) {
    request.erase(member);
  }
  return request;
}

/// Of what the original has, the fields that the request lacks, as bits of policy::CloneLoss.
std::uint16_t losses(const json& original, const json& request) {
  std::uint16_t lost = 0;
  for (const policy::CloneField& field : policy::clone_fields) {
    const std::string name{field.name};
    if (original.contains(name) && !request.contains(name)) {
      lost = static_cast<std::uint16_t>(lost | static_cast<std::uint16_t>(field.loss));
    }
  }
  return lost;
}

std::string checkpoints(const json& request) {
  return request.value("CheckpointConfig", json::object()).value("S3Uri", "");
}

}  // namespace

MockAnswer answer_for(const MockFleet::Reply& reply) {
  if (!reply) return LostReply{};
  switch (*reply) {
    case host::ReplyKind::throttled:
      return MockError{"ThrottlingException", "Rate exceeded"};
    case host::ReplyKind::no_room:
      return MockError{"ResourceLimitExceeded", "The account-level service limit is exceeded."};
    case host::ReplyKind::rejected:
    case host::ReplyKind::unknown:
      return MockError{"ValidationException", "The request was rejected."};
    case host::ReplyKind::done:
    case host::ReplyKind::partly_done:
      break;
  }
  return json::object();
}

MockJobs::MockJobs(std::string account, std::string region)
    : account_{std::move(account)}, region_{std::move(region)} {}

std::string MockJobs::arn_of(const std::string& job) const {
  return "arn:aws:sagemaker:" + region_ + ':' + account_ + ":training-job/" + job;
}

/// What a description has that no event tells.  A clone copies it.
json MockJobs::usual_request(const std::string& job) const {
  const std::string data = "s3://reeve-mock/" + job;
  return {{"RoleArn", "arn:aws:iam::" + account_ + ":role/training"},
          {"AlgorithmSpecification",
           {{"TrainingImage", account_ + ".dkr.ecr." + region_ + ".amazonaws.com/train:1"},
            {"TrainingInputMode", "File"}}},
          {"InputDataConfig",
           {{{"ChannelName", "train"},
             {"DataSource",
              {{"S3DataSource", {{"S3DataType", "S3Prefix"}, {"S3Uri", data + "/input"}}}}}}}},
          {"OutputDataConfig", {{"S3OutputPath", data + "/output"}}},
          {"CheckpointConfig", {{"S3Uri", data + "/checkpoints"}}},
          {"VpcConfig", {{"SecurityGroupIds", {"sg-1"}}, {"Subnets", {"subnet-1"}}}},
          {"Environment", {{"JOB", job}}},
          {"RetryStrategy", {{"MaximumRetryAttempts", 1}}},
          {"ExperimentConfig", {{"ExperimentName", "reeve-mock"}}},
          {"DebugHookConfig", {{"S3OutputPath", data + "/debug"}}},
          {"ProfilerConfig", {{"S3OutputPath", data + "/profile"}}}};
}

void MockJobs::take(FleetEvent event) {
  const std::string name = state_of(event).name;
  const auto [place, is_new] = jobs_.try_emplace(name);
  Job& job = place->second;
  if (is_new) {
    by_creation_.push_back(name);
    job.tags = state_of(event).tags.value_or(std::vector<policy::Tag>{});
    // A person submits a further attempt as the first one, so it has the same checkpoints.
    const std::string original = tag_of(job.tags, "reeve:retry-of");
    const std::string& first = original.empty() ? name : original;
    const auto created = created_.find(name);
    job.requested = created == created_.end() ? usual_request(first) : created->second;
    attempts_[{first, attempt_of(job.tags)}] = name;
  }
  event.account = account_;
  event.region = region_;
  job.newest = std::move(event);
}

MockAnswer MockJobs::answer(std::string_view operation, const json& asked, MockFleet& fleet) {
  if (operation == "Search") return search(asked);
  if (operation == "ListTrainingJobs") return list(asked);
  if (operation == "DescribeTrainingJob") return describe(asked);
  if (operation == "StopTrainingJob") return stop(asked, fleet);
  if (operation == "CreateTrainingJob") return create(asked, fleet);
  if (operation == "AddTags") return add_tags(asked);
  return list_tags(asked);
}

MockAnswer MockJobs::list(const json& asked) const {
  const auto status = asked.value("StatusEquals", "");
  const double after = asked.value("LastModifiedTimeAfter", -HUGE_VAL);
  const double before = asked.value("LastModifiedTimeBefore", HUGE_VAL);
  const auto part = asked.value("NameContains", "");
  const auto is_status = [&](std::string_view name) { return name == status; };
  if (!status.empty() &&
      std::none_of(policy::primary_names.begin(), policy::primary_names.end(), is_status)) {
    return MockError{"ValidationException", "StatusEquals is no TrainingJobStatus: " + status};
  }
  const auto place = place_of_token(asked);
  if (!place) return MockError{"ValidationException", "the token is of no reply"};
  const double created_after = asked.value("CreationTimeAfter", -HUGE_VAL);
  const auto is_asked_for = [&](const TrainingJobState& job) {
    const double modified = job.modified ? seconds_of(*job.modified) : 0;
    const double created = job.created ? seconds_of(*job.created) : 0;
    return created > created_after && job.name.find(part) != std::string::npos &&
           modified > after && modified < before && (status.empty() || status == status_of(job));
  };
  const auto most = asked.value("MaxResults", std::size_t{10});
  std::size_t skipped = *place;
  const std::size_t next = skipped + most;
  json answer{{"TrainingJobSummaries", json::array()}};
  json& summaries = answer["TrainingJobSummaries"];
  for (const std::string& name : by_creation_) {
    const FleetEvent& newest = jobs_.find(name)->second.newest;
    if (!is_asked_for(state_of(newest))) continue;
    if (skipped > 0) {
      --skipped;
    } else if (summaries.size() < most) {
      summaries.push_back(summary_of(newest));
    } else {
      answer["NextToken"] = std::to_string(next);
      break;
    }
  }
  return answer;
}

MockAnswer MockJobs::describe(const json& asked) const {
  const auto found = jobs_.find(asked.at("TrainingJobName").get<std::string>());
  if (found == jobs_.end()) return not_found();
  return description(found->second);
}

json MockJobs::description(const Job& job) {
  json answer = job.requested;
  answer.update(written_description(job.newest, state_of(job.newest)));
  return answer;
}

/// By the time of creation, the newest first unless asked otherwise.
MockAnswer MockJobs::search(const json& asked) const {
  if (asked.at("Resource") != "TrainingJob") {
    return MockError{"ValidationException", "the mock account searches training jobs alone"};
  }
  const json expression = asked.value("SearchExpression", json::object());
  const json filters = expression.value("Filters", json::array());
  const auto order = asked.value("SortOrder", "Descending");
  const auto place = place_of_token(asked);
  const bool is_known = expression.size() == (expression.contains("Filters") ? 1U : 0U) &&
                        asked.value("SortBy", "CreationTime") == "CreationTime" &&
                        (order == "Ascending" || order == "Descending") &&
                        std::all_of(filters.begin(), filters.end(), is_filter_by_time);
  if (!is_known) return MockError{"ValidationException", "a search that the mock does not know"};
  if (!place) return MockError{"ValidationException", "the token is of no reply"};
  std::vector<const Job*> found;
  for (const std::string& name : by_creation_) {
    const Job& job = jobs_.find(name)->second;
    const bool fits = std::all_of(filters.begin(), filters.end(), [&](const json& filter) {
      return passes_by_time(state_of(job.newest), filter);
    });
    if (fits) found.push_back(&job);
  }
  if (order == "Descending") std::reverse(found.begin(), found.end());
  const std::size_t end =
      std::min(found.size(), *place + asked.value("MaxResults", std::size_t{10}));
  json answer{{"Results", json::array()}};
  for (std::size_t at = *place; at < end; ++at) {
    json job = description(*found[at]);
    job["Tags"] = tags_of(*found[at]);
    answer["Results"].push_back(json::object({{"TrainingJob", std::move(job)}}));
  }
  if (end < found.size()) answer["NextToken"] = std::to_string(end);
  return answer;
}

MockAnswer MockJobs::stop(const json& asked, MockFleet& fleet) {
  const std::string name = asked.at("TrainingJobName");
  const auto found = jobs_.find(name);
  if (found == jobs_.end()) return not_found();
  const TrainingJobState& before = state_of(found->second.newest);
  MockAnswer answer = answer_for(fleet.stop(name));
  if (!std::holds_alternative<json>(answer) || before.primary == policy::Primary::in_progress) {
    return answer;
  }
  return MockError{"ValidationException",
                   "The request was rejected because the training job is in status " +
                       std::string{status_of(before)} + '.'};
}

MockAnswer MockJobs::create(const json& asked, MockFleet& fleet) {
  const std::string name = asked.at("TrainingJobName");
  if (!policy::is_training_job_name(name)) {
    return MockError{"ValidationException",
                     "TrainingJobName is no name of a training job: " + name};
  }
  Result<TrainingJobState> read = read_training_job_request(asked);
  if (const Failure* failure = failure_of(read)) {
    return MockError{"ValidationException", failure->message};
  }
  TrainingJobState& request = std::get<TrainingJobState>(read);
  for (const auto& [key, value] : *request.tags) {
    if (key.starts_with("aws:")) {
      return MockError{"ValidationException", "tags with the prefix aws: are reserved"};
    }
  }
  const std::string original = tag_of(*request.tags, "reeve:retry-of");
  const auto last = attempts_.find({original, attempt_of(*request.tags) - 1});
  if (last == attempts_.end()) {
    return MockError{"ValidationException",
                     "the mock account creates further attempts of its jobs only"};
  }
  const auto same = attempts_.find({original, attempt_of(*request.tags)});
  const bool is_there = same != attempts_.end();
  if (jobs_.contains(name) && (!is_there || same->second != name)) return name_in_use(name);
  if (is_there) request.name = same->second;
  const json& before = jobs_.at(last->second).requested;
  json part = described_part(asked);
  const bool from_scratch = checkpoints(part) != checkpoints(before);
  const std::uint16_t lost = losses(before, is_there ? asked : part);
  if (!is_there) created_[name] = std::move(part);
  MockAnswer answer = answer_for(fleet.create(request, from_scratch, lost));
  if (!std::holds_alternative<json>(answer)) return answer;
  // The fleet has each attempt once, whatever it is called.
  if (is_there) return name_in_use(request.name);
  return json{{"TrainingJobArn", arn_of(name)}};
}

const std::string* MockJobs::name_of(const std::string& arn) const {
  const std::string name = arn.substr(arn.rfind('/') + 1);
  const auto found = jobs_.find(name);
  return found == jobs_.end() || arn != arn_of(name) ? nullptr : &found->first;
}

MockAnswer MockJobs::list_tags(const json& asked) const {
  const std::string* name = name_of(asked.at("ResourceArn"));
  if (name == nullptr) return not_found();
  return json{{"Tags", tags_of(jobs_.at(*name))}};
}

json MockJobs::tags_of(const Job& job) {
  json tags = json::array();
  for (const auto& [key, value] : job.tags) tags.push_back({{"Key", key}, {"Value", value}});
  return tags;
}

MockAnswer MockJobs::add_tags(const json& asked) {
  const std::string* name = name_of(asked.at("ResourceArn"));
  if (name == nullptr) return not_found();
  std::vector<policy::Tag>& tags = jobs_.at(*name).tags;
  for (policy::Tag& added : tags_in_request(asked)) {
    std::erase_if(tags, [&](const policy::Tag& tag) { return tag.first == added.first; });
    tags.push_back(std::move(added));
  }
  return list_tags(asked);
}

}  // namespace reeve::live
