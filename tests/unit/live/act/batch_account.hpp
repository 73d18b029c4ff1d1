// An account with service jobs of AWS Batch and their training jobs, as tests script it.
#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "live/aws/client.hpp"
#include "live/aws/credentials.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {

inline std::string named_by_batch(const std::string& name) {
  return "AWSBatch" + name + "88b610a69aa8380ca5b0a7aba3f81cb8";
}

/// Two queues for training jobs and one for containers; each listing has one job a page.
struct BatchAccount final : Transport {
  struct ServiceJob {
    std::string queue;
    std::string status = "RUNNING";
    std::string training_job = {};  ///< empty: no attempt has begun
    bool is_terminated = false;
  };
  std::map<std::string, ServiceJob> service_jobs;       ///< by id
  std::map<std::string, std::string> training_jobs;     ///< TrainingJobStatus by name
  std::map<std::string, std::string> errors;            ///< code by operation
  std::map<std::string, nlohmann::json> other_replies;  ///< by operation
  bool loses_terminations = false;                      ///< their replies, not their effects
  std::vector<std::string> calls;                       ///< operations
  std::vector<nlohmann::json> terminations;

  ScriptedEnvironment environment;
  ScriptedClock clock;
  FixedCredentials credentials{key()};
  Client client{{environment, *this, clock, [] { return 0.5; }}, credentials, {"us-east-1", 1}};

  static Credentials key() {
    Credentials made;
    made.key = {"KEY", Secret{std::string_view{"s"}}, {}};
    return made;
  }
  auto count(const std::string& operation) const {
    return std::count(calls.begin(), calls.end(), operation);
  }

  Outcome send(const Request& request) override {
    std::string operation = header_of(request, "x-amz-target");
    operation = operation == "(none)" ? request.path.substr(request.path.rfind('/') + 1)
                                      : operation.substr(operation.find('.') + 1);
    calls.push_back(operation);
    if (const auto error = errors.find(operation); error != errors.end()) {
      return Response{400, {}, nlohmann::json{{"__type", error->second}}.dump()};
    }
    if (const auto other = other_replies.find(operation); other != other_replies.end()) {
      return Response{200, {}, other->second.dump()};
    }
    const nlohmann::json reply = answer(operation, nlohmann::json::parse(request.body));
    if (operation == "terminateservicejob" && loses_terminations) {
      return TransportFailure{TransportFault::lost, "lost"};
    }
    return Response{reply.contains("__type") ? 400 : 200, {}, reply.dump()};
  }

 private:
  static nlohmann::json description(const std::string& id, const ServiceJob& job) {
    nlohmann::json made{{"jobId", id}, {"status", job.status}};
    if (job.is_terminated) made["isTerminated"] = true;
    if (job.training_job.empty()) return made;
    made["latestAttempt"] = {
        {"serviceResourceId",
         {{"name", "TrainingJobArn"},
          {"value", "arn:aws:sagemaker:us-east-1:1:training-job/" + job.training_job}}}};
    return made;
  }

  nlohmann::json listed(const nlohmann::json& asked) const {
    const std::string after = asked.value("nextToken", "");
    nlohmann::json reply{{"jobSummaryList", nlohmann::json::array()}};
    for (const auto& [id, job] : service_jobs) {
      if (job.queue != asked["jobQueue"] || job.status != asked["jobStatus"] || id <= after) {
        continue;
      }
      if (!reply["jobSummaryList"].empty()) {
        reply["nextToken"] = reply["jobSummaryList"][0]["jobId"];
        break;
      }
      reply["jobSummaryList"].push_back(description(id, job));
    }
    return reply;
  }

  nlohmann::json answer(const std::string& operation, const nlohmann::json& asked) {
    if (operation == "describejobqueues") {
      return {{"jobQueues",
               {{{"jobQueueArn", "research"}, {"jobQueueType", "SAGEMAKER_TRAINING"}},
                {{"jobQueueArn", "containers"}, {"jobQueueType", "ECS"}},
                {{"jobQueueArn", "vision"}, {"jobQueueType", "SAGEMAKER_TRAINING"}}}}};
    }
    if (operation == "listservicejobs") return listed(asked);
    if (operation == "ListTags") return {{"Tags", nlohmann::json::array()}};
    if (operation == "StopTrainingJob") {
      training_jobs[asked["TrainingJobName"]] = "Stopping";
      return nlohmann::json::object();
    }
    if (operation == "DescribeTrainingJob") {
      const std::string name = asked["TrainingJobName"];
      return {{"TrainingJobName", name},
              {"TrainingJobArn", "arn:aws:sagemaker:us-east-1:1:training-job/" + name},
              {"TrainingJobStatus", training_jobs.at(name)},
              {"CreationTime", 1785747600.5}};
    }
    const auto job = service_jobs.find(asked["jobId"]);
    if (job == service_jobs.end()) return {{"__type", "ClientException"}};
    if (operation == "describeservicejob") return description(job->first, job->second);
    terminations.push_back(asked);
    job->second.is_terminated = true;
    return nlohmann::json::object();
  }
};

}  // namespace reeve::live
