#include "live/batch/resources.hpp"

#include <array>
#include <functional>
#include <utility>

#include "live/aws/pages.hpp"
#include "live/events/json_fields.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

struct Words {
  BatchResource resource;
  std::string_view name;
  std::string_view update;
  std::string_view update_key;
  std::string_view describe;
  std::string_view describe_key;
  std::string_view list;  ///< of the reply; empty: the reply is the resource
};

/// Source: the service model of AWS Batch, 2016-08-10, as of August 2026.
constexpr std::array words = std::to_array<Words>({
    {BatchResource::environment, "service environment", "UpdateServiceEnvironment",
     "serviceEnvironment", "DescribeServiceEnvironments", "serviceEnvironments",
     "serviceEnvironments"},
    {BatchResource::scheduling_policy, "scheduling policy", "UpdateSchedulingPolicy", "arn",
     "DescribeSchedulingPolicies", "arns", "schedulingPolicies"},
    {BatchResource::queue, "job queue", "UpdateJobQueue", "jobQueue", "DescribeJobQueues",
     "jobQueues", "jobQueues"},
    {BatchResource::share, "quota share", "UpdateQuotaShare", "quotaShareArn", "DescribeQuotaShare",
     "quotaShareArn", ""},
    {BatchResource::job, "service job", "UpdateServiceJob", "jobId", "DescribeServiceJob", "jobId",
     ""},
});

const Words& words_of(BatchResource resource) {
  return words.at(static_cast<std::size_t>(resource));
}

std::string action_of(std::string_view operation) {
  return "batch:" + std::string{operation};
}

using Take = std::function<void(const json&)>;

/// Each element of the list in all pages.
std::optional<FailedCall> each_of(Client& client, std::string_view operation, json parameters,
                                  const char* list, const Take& take) {
  const auto error =
      read_pages(client, {services::batch, std::string{operation}, std::move(parameters)},
                 [&](const json& page) {
                   const auto found = page.find(list);
                   if (found == page.end() || !found->is_array()) return true;
                   for (const json& element : *found) {
                     if (element.is_object()) take(element);
                   }
                   return true;
                 });
  if (!error) return std::nullopt;
  return FailedCall{action_of(operation), *error};
}

std::optional<FailedCall> read_policies(Client& client, const std::vector<std::string>& names,
                                        BatchAccount& account) {
  json arns = json::array();
  for (const std::string& name : names) {
    const auto queue = account.queues.find(name);
    if (queue == account.queues.end()) continue;
    const std::string arn = text_of(queue->second, "schedulingPolicyArn");
    if (!arn.empty()) arns.push_back(arn);
  }
  if (arns.empty()) return std::nullopt;
  const CallResult reply =
      client.call({services::batch, "DescribeSchedulingPolicies", {{"arns", std::move(arns)}}});
  if (reply.error) return FailedCall{action_of("DescribeSchedulingPolicies"), *reply.error};
  for (const json& policy : reply.value.value("schedulingPolicies", json::array())) {
    account.policies.insert_or_assign(text_of(policy, "arn"), policy);
  }
  return std::nullopt;
}

std::optional<FailedCall> read_shares(Client& client, const std::string& queue,
                                      BatchAccount& account) {
  const auto found = account.queues.find(queue);
  if (found == account.queues.end()) return std::nullopt;
  const auto policy = account.policies.find(text_of(found->second, "schedulingPolicyArn"));
  if (policy == account.policies.end() || !policy->second.contains("quotaSharePolicy")) {
    return std::nullopt;
  }
  return each_of(
      client, "ListQuotaShares", {{"jobQueue", queue}, {"maxResults", 100}}, "quotaShares",
      [&](const json& share) {
        account.shares.insert_or_assign({queue, text_of(share, "quotaShareName")}, share);
      });
}

}  // namespace

std::string_view name_of(BatchResource resource) {
  return words_of(resource).name;
}

std::string_view update_of(BatchResource resource) {
  return words_of(resource).update;
}

std::string_view update_key(BatchResource resource) {
  return words_of(resource).update_key;
}

std::variant<std::optional<json>, FailedCall> described(Client& client, BatchResource resource,
                                                        const std::string& id) try {
  const Words& of = words_of(resource);
  const json key = of.list.empty() ? json(id) : json::array({id});
  const CallResult reply = client.call(
      {services::batch, std::string{of.describe}, {{std::string{of.describe_key}, key}}});
  if (reply.error) return FailedCall{action_of(of.describe), *reply.error};
  if (of.list.empty()) return std::optional{reply.value};
  const json found = reply.value.value(of.list, json::array());
  if (!found.is_array() || found.empty()) return std::optional<json>{};
  return std::optional{found.front()};
} catch (const json::exception&) {
  return unreadable_reply(action_of(words_of(resource).describe));
}

std::variant<BatchAccount, FailedCall> read_batch_account(
    Client& client, const std::vector<std::string>& names) try {
  BatchAccount account;
  const json page{{"maxResults", 100}};
  auto failed = each_of(client, "DescribeJobQueues", page, "jobQueues", [&](const json& queue) {
    if (text_of(queue, "jobQueueType") != "SAGEMAKER_TRAINING") return;
    account.queues.insert_or_assign(text_of(queue, "jobQueueName"), queue);
  });
  if (failed) return *failed;
  failed = each_of(client, "DescribeServiceEnvironments", page, "serviceEnvironments",
                   [&](const json& environment) {
                     account.environments.insert_or_assign(
                         text_of(environment, "serviceEnvironmentName"), environment);
                   });
  if (failed) return *failed;
  if ((failed = read_policies(client, names, account))) return *failed;
  for (const std::string& name : names) {
    if ((failed = read_shares(client, name, account))) return *failed;
  }
  return account;
} catch (const json::exception&) {
  return unreadable_reply("batch:DescribeJobQueues");
}

}  // namespace reeve::live
