#include "live/mock/batch_queues.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "live/events/json_fields.hpp"
#include "live/mock/batch_jobs.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;

MockError refused(std::string message) {
  return {"ClientException", std::move(message)};
}

std::int64_t since_1970_ms(Instant at) {
  return std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch()).count();
}

std::string last_part(const std::string& arn) {
  return arn.substr(arn.rfind('/') + 1);  // npos + 1 is 0
}

struct ResourceWords {
  std::string_view create;
  std::string_view update;
  std::string_view describe;
  const char* of_arn;
  const char* name_key;    ///< of its creation and description
  const char* arn_key;     ///< of its description
  const char* update_key;  ///< of its update
  const char* list;        ///< of its description; "": the reply is the resource
};
constexpr std::array resource_words = std::to_array<ResourceWords>({
    {"CreateServiceEnvironment", "UpdateServiceEnvironment", "DescribeServiceEnvironments",
     "service-environment", "serviceEnvironmentName", "serviceEnvironmentArn", "serviceEnvironment",
     "serviceEnvironments"},
    {"CreateSchedulingPolicy", "UpdateSchedulingPolicy", "DescribeSchedulingPolicies",
     "scheduling-policy", "name", "arn", "arn", "schedulingPolicies"},
    {"CreateJobQueue", "UpdateJobQueue", "DescribeJobQueues", "job-queue", "jobQueueName",
     "jobQueueArn", "jobQueue", "jobQueues"},
    {"CreateQuotaShare", "UpdateQuotaShare", "DescribeQuotaShare", "quota-share", "quotaShareName",
     "quotaShareArn", "quotaShareArn", ""},
});

const ResourceWords& words_for(std::string_view operation) {
  return *std::find_if(
      resource_words.begin(), resource_words.end(), [&](const ResourceWords& kind) {
        return operation == kind.create || operation == kind.update || operation == kind.describe;
      });
}

constexpr std::array<std::string_view, 6> of_jobs{"SubmitServiceJob",    "DescribeServiceJob",
                                                  "ListServiceJobs",     "UpdateServiceJob",
                                                  "TerminateServiceJob", "GetJobQueueSnapshot"};

std::int64_t limit_of(const json& resource, const std::string& unit) {
  for (const json& limit : resource.value("capacityLimits", json::array())) {
    if (text_of(limit, "capacityUnit") == unit) return limit.value("maxCapacity", std::int64_t{0});
  }
  return 0;
}

bool has_limits(const json& asked) {
  constexpr std::size_t most = 5;
  const json limits = asked.value("capacityLimits", json::array());
  return !limits.empty() && limits.size() <= most &&
         std::all_of(limits.begin(), limits.end(), [](const json& limit) {
           return limit.value("maxCapacity", std::int64_t{-1}) >= 0 &&
                  !text_of(limit, "capacityUnit").empty();
         });
}

bool is_waiting(const json& job) {
  return job.at("status") == "RUNNABLE";
}

bool is_running(const json& job) {
  return job.at("status") == "RUNNING" || job.at("status") == "SCHEDULED" ||
         job.at("status") == "STARTING";
}

std::string id_of_job(std::size_t number) {
  return fmt::format("00000000-0000-4000-9000-{:012}", number);
}

}  // namespace

BatchQueues::BatchQueues(std::string account, std::string region)
    : account_{std::move(account)}, region_{std::move(region)} {}

bool BatchQueues::has(std::string_view operation) {
  return operation == "ListQuotaShares" ||
         std::find(of_jobs.begin(), of_jobs.end(), operation) != of_jobs.end() ||
         std::any_of(resource_words.begin(), resource_words.end(), [&](const ResourceWords& kind) {
           return operation == kind.create || operation == kind.update ||
                  operation == kind.describe;
         });
}

std::string BatchQueues::arn(std::string_view kind, const std::string& name) const {
  return fmt::format("arn:aws:batch:{}:{}:{}/{}", region_, account_, kind, name);
}

const json* BatchQueues::find(const Things& things, const std::string& name) {
  const auto found = std::find_if(things.begin(), things.end(), [&](const auto& thing) {
    return thing.first == name || last_part(thing.first) == name;
  });
  return found == things.end() ? nullptr : &found->second;
}

json* BatchQueues::find(Things& things, const std::string& name) {
  return const_cast<json*>(find(std::as_const(things), name));
}

MockAnswer BatchQueues::answer(std::string_view operation, const json& asked, Instant now) {
  MockAnswer reply = json::object();
  if (operation == "ListQuotaShares") return list_shares(asked);
  if (operation == "SubmitServiceJob") {
    reply = submit(asked, now);
  } else if (operation == "ListServiceJobs") {
    return list_jobs(asked);
  } else if (operation == "GetJobQueueSnapshot") {
    return snapshot(asked, now);
  } else if (std::find(of_jobs.begin(), of_jobs.end(), operation) != of_jobs.end()) {
    reply = change_job(operation, asked, now);
  } else if (operation.starts_with("Create")) {
    reply = create(operation, asked);
  } else if (operation.starts_with("Update")) {
    reply = update(operation, asked);
  } else {
    return describe(operation, asked);
  }
  schedule(now);
  return reply;
}

MockAnswer BatchQueues::create(std::string_view operation, const json& asked) {
  const ResourceWords& kind = words_for(operation);
  json made = asked;
  std::string name = asked.at(kind.name_key).get<std::string>();
  Things* things = &environments_;
  if (operation == "CreateSchedulingPolicy") things = &policies_;
  if (operation == "CreateJobQueue") {
    things = &queues_;
    for (json& order : made["serviceEnvironmentOrder"]) {
      const json* environment = find(environments_, text_of(order, "serviceEnvironment"));
      if (environment == nullptr) return refused("the service environment does not exist");
      order["serviceEnvironment"] = environment->at("serviceEnvironmentArn");
    }
    const std::string policy = text_of(asked, "schedulingPolicyArn");
    if (!policy.empty() && !policies_.contains(policy)) {
      return refused("the scheduling policy does not exist");
    }
  }
  if (operation == "CreateQuotaShare") {
    things = &shares_;
    const json* queue = find(queues_, text_of(asked, "jobQueue"));
    if (queue == nullptr) return refused("the job queue does not exist");
    const json* policy = find(policies_, text_of(*queue, "schedulingPolicyArn"));
    if (policy == nullptr || !policy->contains("quotaSharePolicy")) {
      return refused("the queue has no quota share policy");
    }
    made.erase("jobQueue");
    made["jobQueueArn"] = queue->at("jobQueueArn");
    name = queue->at("jobQueueName").get<std::string>() + '/' + name;
  }
  if (made.contains("capacityLimits") && !has_limits(made)) return refused("capacityLimits");
  const std::string own = arn(kind.of_arn, name);
  if (things->contains(own)) return refused("Object already exists");
  made[kind.arn_key] = own;
  if (operation != "CreateSchedulingPolicy") made["status"] = "VALID";
  (*things)[own] = std::move(made);
  return json{{kind.name_key, asked.at(kind.name_key)}, {kind.arn_key, own}};
}

MockAnswer BatchQueues::update(std::string_view operation, const json& asked) {
  const ResourceWords& kind = words_for(operation);
  Things& things = operation == "UpdateServiceEnvironment" ? environments_
                   : operation == "UpdateSchedulingPolicy" ? policies_
                   : operation == "UpdateJobQueue"         ? queues_
                                                           : shares_;
  json* there = find(things, asked.at(kind.update_key).get<std::string>());
  if (there == nullptr) return refused("Object does not exist");
  if (asked.contains("capacityLimits") && !has_limits(asked)) return refused("capacityLimits");
  for (const char* policy : {"quotaSharePolicy", "fairsharePolicy"}) {
    if (asked.contains(policy) && !there->contains(policy)) {
      return refused("the kind of a scheduling policy cannot be changed");
    }
  }
  for (const auto& [key, value] : asked.items()) {
    if (key != kind.update_key) (*there)[key] = value;
  }
  return json{{kind.name_key, there->at(kind.name_key)}, {kind.arn_key, there->at(kind.arn_key)}};
}

MockAnswer BatchQueues::describe(std::string_view operation, const json& asked) const {
  const ResourceWords& kind = words_for(operation);
  if (operation == "DescribeQuotaShare") {
    const json* share = find(shares_, text_of(asked, kind.update_key));
    return share == nullptr ? MockAnswer{refused("Object does not exist")} : MockAnswer{*share};
  }
  const Things& things = operation == "DescribeServiceEnvironments"  ? environments_
                         : operation == "DescribeSchedulingPolicies" ? policies_
                                                                     : queues_;
  const char* names = operation == "DescribeSchedulingPolicies" ? "arns" : kind.list;
  json all = json::array();
  for (const auto& [own, thing] : things) {
    const json wanted = asked.value(names, json::array());
    const bool is_wanted =
        wanted.empty() ||
        std::any_of(wanted.begin(), wanted.end(), [&, id = own](const json& name) {
          return name == id || name == last_part(id);
        });
    if (is_wanted) all.push_back(thing);
  }
  return json{{kind.list, std::move(all)}};
}

MockAnswer BatchQueues::list_shares(const json& asked) const {
  const json* queue = find(queues_, text_of(asked, "jobQueue"));
  if (queue == nullptr) return refused("the job queue does not exist");
  json all = json::array();
  for (const auto& [own, share] : shares_) {
    if (share.at("jobQueueArn") == queue->at("jobQueueArn")) all.push_back(share);
  }
  return json{{"quotaShares", std::move(all)}};
}

MockAnswer BatchQueues::submit(const json& asked, Instant now) {
  const std::string token = text_of(asked, "clientToken");
  const auto answer_of = [&](const std::string& id) {
    return json{
        {"jobArn", arn("service-job", id)}, {"jobName", asked.at("jobName")}, {"jobId", id}};
  };
  if (const auto known = ids_of_tokens_.find(token);
      !token.empty() && known != ids_of_tokens_.end())
    return answer_of(known->second);
  const json* queue = find(queues_, text_of(asked, "jobQueue"));
  if (queue == nullptr) return refused("the job queue does not exist");
  const std::string share = text_of(asked, "quotaShareName");
  const json* policy = find(policies_, text_of(*queue, "schedulingPolicyArn"));
  const bool has_shares = policy != nullptr && policy->contains("quotaSharePolicy");
  if (has_shares == share.empty()) return refused("quotaShareName");
  const json payload = json::parse(text_of(asked, "serviceRequestPayload"), nullptr, false);
  if (!payload.is_object()) return refused("serviceRequestPayload");
  const json config = payload.value("ResourceConfig", json::object());
  const std::string id = id_of_job(jobs_.size() + 1);
  json job = asked;
  job.erase("clientToken");
  job.update({{"jobId", id},
              {"jobArn", arn("service-job", id)},
              {"jobQueue", queue->at("jobQueueArn")},
              {"status", "RUNNABLE"},
              {"createdAt", since_1970_ms(now)},
              {"startedAt", 0},
              {"schedulingPriority", asked.value("schedulingPriority", 0)},
              {"capacityUsage",
               json::array({{{"capacityUnit", has_shares ? config.value("InstanceType", "")
                                                         : std::string{"NUM_INSTANCES"}},
                             {"quantity", config.value("InstanceCount", 1)}}})}});
  jobs_[id] = std::move(job);
  if (!token.empty()) ids_of_tokens_[token] = id;
  return answer_of(id);
}

MockAnswer BatchQueues::list_jobs(const json& asked) const {
  const json* queue = find(queues_, text_of(asked, "jobQueue"));
  if (queue == nullptr) return refused("the job queue does not exist");
  const std::string filter = unknown_filter(asked);
  if (!filter.empty()) return refused("the filter " + filter + " is not known");
  const auto most = asked.value("maxResults", std::size_t{100});
  const std::string after = text_of(asked, "nextToken");
  json all = json::array();
  json reply = json::object();
  for (const auto& [id, job] : jobs_) {
    const bool is_shown = is_listed(asked, text_of(job, "status"), job.at("createdAt"));
    if (job.at("jobQueue") != queue->at("jobQueueArn") || !is_shown) continue;
    if (!after.empty() && id <= after) continue;
    if (all.size() == most) {
      reply["nextToken"] = all.back().at("jobId");
      break;
    }
    json summary = json::object();
    for (const char* key :
         {"jobId", "jobArn", "jobName", "serviceJobType", "status", "createdAt", "startedAt",
          "quotaShareName", "shareIdentifier", "capacityUsage", "latestAttempt"}) {
      if (job.contains(key)) summary[key] = job.at(key);
    }
    all.push_back(std::move(summary));
  }
  reply["jobSummaryList"] = std::move(all);
  return reply;
}

MockAnswer BatchQueues::change_job(std::string_view operation, const json& asked, Instant now) {
  const auto found = jobs_.find(last_part(text_of(asked, "jobId")));
  if (found == jobs_.end()) return refused("Job does not exist");
  json& job = found->second;
  if (operation == "DescribeServiceJob") return job;
  const bool has_ended = !is_waiting(job) && !is_running(job);
  if (operation == "UpdateServiceJob") {
    if (has_ended) return refused("the job has ended");
    job["schedulingPriority"] = asked.at("schedulingPriority");
    return json{
        {"jobArn", job.at("jobArn")}, {"jobName", job.at("jobName")}, {"jobId", found->first}};
  }
  if (has_ended) return json::object();
  job["statusReason"] = asked.at("reason");
  job["isTerminated"] = true;
  if (job.contains("latestAttempt")) return json::object();  // its training job stops first
  job["stoppedAt"] = since_1970_ms(now);
  enter(job, "FAILED", now);
  return json::object();
}

void BatchQueues::run(const QueuedJob& queued, const TrainingJobState& training_job) {
  if (find(queues_, queued.queue) == nullptr) {
    constexpr std::int64_t no_limit = 1'000'000;
    const std::string environment = queued.queue + "-environment";
    create("CreateServiceEnvironment",
           {{"serviceEnvironmentName", environment},
            {"serviceEnvironmentType", "SAGEMAKER_TRAINING"},
            {"capacityLimits",
             json::array({{{"maxCapacity", no_limit}, {"capacityUnit", "NUM_INSTANCES"}}})}});
    create("CreateJobQueue",
           {{"jobQueueName", queued.queue},
            {"jobQueueType", "SAGEMAKER_TRAINING"},
            {"priority", 1},
            {"state", "ENABLED"},
            {"serviceEnvironmentOrder",
             json::array({{{"order", 1}, {"serviceEnvironment", environment}}})}});
  }
  const auto [known, is_new] =
      ids_of_fleet_.try_emplace({queued.name, queued.began_with}, id_of_job(jobs_.size() + 1));
  const std::string& id = known->second;
  json& job = jobs_[id];
  const std::int64_t created = since_1970_ms(training_job.created.value_or(Instant{}));
  if (is_new) {
    job = {
        {"jobId", id},
        {"jobArn", arn("service-job", id)},
        {"jobName", queued.name},
        {"jobQueue", find(queues_, queued.queue)->at("jobQueueArn")},
        {"serviceJobType", "SAGEMAKER_TRAINING"},
        {"createdAt", created},
        {"schedulingPriority", 0},
        {"capacityUsage",
         json::array({{{"capacityUnit", "NUM_INSTANCES"}, {"quantity", training_job.instances}}})}};
  }
  job["startedAt"] = training_job.started ? since_1970_ms(*training_job.started) : 0;
  job["latestAttempt"] = {{"serviceResourceId",
                           {{"name", "TrainingJobArn"},
                            {"value", fmt::format("arn:aws:sagemaker:{}:{}:training-job/{}",
                                                  region_, account_, training_job.name)}}}};
  job.erase("stoppedAt");  // of the attempt before
  if (training_job.ended) job["stoppedAt"] = since_1970_ms(*training_job.ended);
  enter(job, queued.status, training_job.modified.value_or(Instant{}));
}

void BatchQueues::enter(json& job, std::string_view status, Instant now) {
  if (text_of(job, "status") == status) return;
  job["status"] = status;
  BatchJobState state{.arn = text_of(job, "jobArn"),
                      .name = text_of(job, "jobName"),
                      .queue = text_of(job, "jobQueue"),
                      .status = std::string{status},
                      .reason = text_of(job, "statusReason"),
                      .training_job = {}};
  if (const json* newest = field(job, "latestAttempt")) {
    state.training_job = text_of(newest->at("serviceResourceId"), "value");
  }
  state.created = instant_of(job, "createdAt", TimeUnit::milliseconds);
  if (job.at("startedAt") != 0) {
    state.started = instant_of(job, "startedAt", TimeUnit::milliseconds);
  }
  state.stopped = instant_of(job, "stoppedAt", TimeUnit::milliseconds);
  events_.push_back({.id = fmt::format("reeve-batch-{:08}", ++told_),
                     .account = account_,
                     .region = region_,
                     .kind = {},
                     .time = now,
                     .received = now,
                     .detail = std::move(state)});
}

std::vector<FleetEvent> BatchQueues::take_events() {
  return std::exchange(events_, {});
}

std::string BatchQueues::newest_training_job(const std::string& job) const {
  const auto found = jobs_.find(last_part(job));
  if (found == jobs_.end() || !is_running(found->second)) return {};
  const auto newest = found->second.find("latestAttempt");
  return newest == found->second.end()
             ? std::string{}
             : last_part(text_of(newest->at("serviceResourceId"), "value"));
}

/// By priority, then in the order of creation.
std::vector<const json*> BatchQueues::waiting(const std::string& queue) const {
  std::vector<const json*> all;
  for (const auto& [id, job] : jobs_) {
    if (job.at("jobQueue") == queue && is_waiting(job)) all.push_back(&job);
  }
  std::stable_sort(all.begin(), all.end(), [](const json* a, const json* b) {
    return a->at("schedulingPriority") > b->at("schedulingPriority");
  });
  return all;
}

MockAnswer BatchQueues::snapshot(const json& asked, Instant now) const {
  const json* queue = find(queues_, text_of(asked, "jobQueue"));
  if (queue == nullptr) return refused("the job queue does not exist");
  constexpr std::size_t most = 100;
  json all = json::array();
  json by_share = json::object();
  for (const json* job : waiting(queue->at("jobQueueArn").get<std::string>())) {
    const json row{{"jobArn", job->at("jobArn")}, {"earliestTimeAtPosition", job->at("createdAt")}};
    const std::string share = text_of(*job, "quotaShareName");
    json& jobs = share.empty() ? all : by_share[share];
    if (jobs.is_null()) jobs = json::array();
    if (jobs.size() < most) jobs.push_back(row);
  }
  json reply = json::object();
  const std::int64_t at = since_1970_ms(now);
  reply["frontOfQueue"] = {{"jobs", std::move(all)}, {"lastUpdatedAt", at}};
  if (!by_share.empty()) {
    reply["frontOfQuotaShares"] = {{"quotaShares", std::move(by_share)}, {"lastUpdatedAt", at}};
  }
  return reply;
}

std::int64_t BatchQueues::used(const std::string& queue, const std::string& share,
                               const std::string& unit) const {
  std::int64_t sum = 0;
  for (const auto& [id, job] : jobs_) {
    const json& usage = job.at("capacityUsage").front();
    if (job.at("jobQueue") == queue && is_running(job) && usage.at("capacityUnit") == unit &&
        text_of(job, "quotaShareName") == share) {
      sum += usage.at("quantity").get<std::int64_t>();
    }
  }
  return sum;
}

bool BatchQueues::fits(const json& job) const {
  const std::string queue = text_of(job, "jobQueue");
  const std::string own = text_of(job, "quotaShareName");
  const json& usage = job.at("capacityUsage").front();
  const std::string unit = text_of(usage, "capacityUnit");
  const auto needed = usage.at("quantity").get<std::int64_t>();
  if (own.empty()) {
    const json& order = queues_.at(queue).at("serviceEnvironmentOrder").front();
    const std::string environment = text_of(order, "serviceEnvironment");
    return used(queue, own, unit) + needed <= limit_of(environments_.at(environment), unit);
  }
  std::int64_t left = 0;
  std::int64_t idle = 0;
  bool borrows = false;
  for (const auto& [arn, share] : shares_) {
    if (text_of(share, "jobQueueArn") != queue) continue;
    const std::string name = text_of(share, "quotaShareName");
    const std::string strategy =
        text_of(share.value("resourceSharingConfiguration", json::object()), "strategy");
    const std::int64_t free = limit_of(share, unit) - used(queue, name, unit);
    if (name == own) {
      left = free;
      borrows = strategy == "LEND_AND_BORROW";
    } else if (free < 0 || strategy != "RESERVE") {
      idle += free;
    }
  }
  return needed <= left || (borrows && needed <= left + std::max(idle, std::int64_t{0}));
}

void BatchQueues::schedule(Instant now) {
  for (const auto& [queue, thing] : queues_) {
    for (const json* job : waiting(queue)) {
      if (!fits(*job)) continue;
      json& started = jobs_.at(text_of(*job, "jobId"));
      started["startedAt"] = since_1970_ms(now);
      enter(started, "RUNNING", now);
    }
  }
}

}  // namespace reeve::live
