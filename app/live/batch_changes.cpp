#include "app/live/batch_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "live/events/json_fields.hpp"
#include "scenarios/text/aws_names.hpp"

namespace reeve::app {
namespace {

using live::BatchResource;
using nlohmann::json;
using scenarios::BatchLimit;
using scenarios::BatchOrder;
using scenarios::BatchQueue;
using scenarios::BatchShare;
using scenarios::last_of_arn;

/// What creates the resources of the scenario, by operation and name.
class Creations {
 public:
  explicit Creations(const scenarios::BatchSet& set) {
    for (const scenarios::BatchCall& call : scenarios::batch_calls(set, {})) {
      json input = json::parse(call.text);
      std::string name;
      for (const char* key : {"serviceEnvironmentName", "name", "jobQueueName", "quotaShareName"}) {
        if (input.contains(key)) name = input[key].get<std::string>();
      }
      if (input.contains("quotaShareName")) name = live::text_of(input, "jobQueue") + '/' + name;
      inputs_[{call.operation, name}] = std::move(input);
    }
  }

  /// These members of the input.
  json of(const std::string& operation, const std::string& name,
          std::initializer_list<const char*> members) const {
    const json& input = inputs_.at({operation, name});
    json chosen = json::object();
    for (const char* member : members) {
      if (input.contains(member)) chosen[member] = input[member];
    }
    return chosen;
  }

 private:
  std::map<std::pair<std::string, std::string>, json> inputs_;
};

std::string_view name_of(BatchOrder order) {
  switch (order) {
    case BatchOrder::fifo:
      return "none";
    case BatchOrder::fair_share:
      return "fairsharePolicy";
    case BatchOrder::quota:
      break;
  }
  return "quotaSharePolicy";
}

class SettingComparison {
 public:
  SettingComparison(const scenarios::BatchSet& wanted, const live::BatchAccount& found)
      : wanted_{wanted}, found_{found}, creations_{wanted} {}

  BatchChanges run() {
    for (const scenarios::BatchEnvironment& environment : wanted_.environments) {
      const auto there = found_.environments.find(environment.name);
      if (there == found_.environments.end()) {
        add_missing(BatchResource::environment, environment.name);
        continue;
      }
      compare(BatchResource::environment, environment.name, environment.name, there->second,
              creations_.of("create-service-environment", environment.name, {"capacityLimits"}));
    }
    for (const BatchQueue& queue : wanted_.queues) compare_queue(queue);
    return std::move(out_);
  }

 private:
  void add(BatchResource resource, const std::string& name, live::SettingChange setting,
           std::string obstacle) {
    out_.changes.push_back({resource, name, std::move(setting), {}, std::move(obstacle)});
  }
  void add_missing(BatchResource resource, const std::string& name) {
    add(resource, name, {{}, "", "exists"}, "create it: reeve export batch");
  }

  void compare(BatchResource resource, const std::string& name, const std::string& id,
               const json& there, const json& settings, const std::string& obstacle = {}) {
    const auto changes = live::changes_between(there, settings);
    if (changes.empty()) return;
    const std::size_t update = out_.updates.size();
    json parameters{{std::string{live::update_key(resource)}, id}};
    std::string text;
    for (const live::SettingChange& change : changes) {
      text += fmt::format("{}{} {} -> {}", text.empty() ? "" : ", ", change.setting,
                          change.found.empty() ? "none" : change.found,
                          change.wanted.empty() ? "none" : change.wanted);
      out_.changes.push_back({resource, name, change, {}, obstacle});
      if (obstacle.empty()) out_.changes.back().update = update;
      const std::string member = change.setting.substr(0, change.setting.find_first_of(".["));
      parameters[member] = settings.value(member, json::array());
    }
    if (obstacle.empty()) {
      out_.updates.push_back({resource, name, std::move(parameters), std::move(text)});
    }
  }

  void compare_queue(const BatchQueue& queue) {
    const auto there = found_.queues.find(queue.name);
    if (there == found_.queues.end()) return add_missing(BatchResource::queue, queue.name);
    const json& account = there->second;
    compare_environment(queue, account);
    compare(BatchResource::queue, queue.name, queue.name, account, queue_settings(queue, account));
    const std::string arn = live::text_of(account, "schedulingPolicyArn");
    const auto policy = found_.policies.find(arn);
    std::string kind{name_of(BatchOrder::fifo)};
    if (policy != found_.policies.end()) {
      const bool has_shares = policy->second.contains("quotaSharePolicy");
      kind = name_of(has_shares ? BatchOrder::quota : BatchOrder::fair_share);
    }
    if (kind != name_of(queue.order)) {
      return add(BatchResource::scheduling_policy, queue.name,
                 {"schedulingPolicyArn", kind, std::string{name_of(queue.order)}},
                 "AWS Batch cannot change the kind of the policy of a queue");
    }
    if (queue.order == BatchOrder::fair_share) {
      compare(BatchResource::scheduling_policy, std::string{last_of_arn(arn)}, arn, policy->second,
              fair_share_settings(queue, policy->second), other_queue_of(arn, queue.name));
    }
    if (queue.order == BatchOrder::quota) compare_shares(queue);
  }

  void compare_environment(const BatchQueue& queue, const json& account) {
    std::string there;
    for (const json& each : account.value("serviceEnvironmentOrder", json::array())) {
      if (there.empty()) there = last_of_arn(live::text_of(each, "serviceEnvironment"));
    }
    if (there == queue.environment) return;
    add(BatchResource::queue, queue.name, {"serviceEnvironmentOrder", there, queue.environment},
        "reeve does not move a queue to another environment");
  }

  /// Actions for other reasons stay as they are.
  json queue_settings(const BatchQueue& queue, const json& account) const {
    constexpr const char* actions = "jobStateTimeLimitActions";
    json settings = creations_.of("create-job-queue", queue.name, {"priority", actions});
    json all = json::array();
    for (const json& action : account.value(actions, json::array())) {
      if (live::text_of(action, "reason") != scenarios::batch_capacity_reason) {
        all.push_back(action);
      }
    }
    for (const json& action : settings.value(actions, json::array())) all.push_back(action);
    settings[actions] = std::move(all);
    return settings;
  }

  /// Shares that are not in the scenario stay.
  json fair_share_settings(const BatchQueue& queue, const json& account) const {
    json settings = creations_.of("create-scheduling-policy",
                                  scenarios::batch_policy_name(queue.name), {"fairsharePolicy"});
    json& shares = settings["fairsharePolicy"]["shareDistribution"];
    const json there = account.value("fairsharePolicy", json::object());
    for (const json& share : there.value("shareDistribution", json::array())) {
      const std::string name = live::text_of(share, "shareIdentifier");
      const bool is_known = std::any_of(queue.shares.begin(), queue.shares.end(),
                                        [&](const BatchShare& each) { return each.name == name; });
      if (!is_known) shares.push_back(share);
    }
    return settings;
  }

  /// Why a policy that another queue has too is not changed.
  std::string other_queue_of(const std::string& arn, const std::string& queue) const {
    for (const auto& [name, account] : found_.queues) {
      if (name != queue && live::text_of(account, "schedulingPolicyArn") == arn) {
        return "queue " + name + " has this policy too";
      }
    }
    return {};
  }

  void compare_shares(const BatchQueue& queue) {
    std::vector<std::string> known;
    for (const BatchShare& share : queue.shares) {
      known.push_back(share.name);
      const std::string name = queue.name + '/' + share.name;
      const auto there = found_.shares.find({queue.name, share.name});
      if (there == found_.shares.end()) {
        add_missing(BatchResource::share, name);
        continue;
      }
      json settings = creations_.of(
          "create-quota-share", name,
          {"capacityLimits", "resourceSharingConfiguration", "preemptionConfiguration"});
      // A share that does not borrow keeps a limit that has no effect.
      json account = there->second;
      if (share.sharing != policy::Sharing::lend_and_borrow &&
          account.contains("resourceSharingConfiguration")) {
        account["resourceSharingConfiguration"].erase("borrowLimit");
      }
      compare(BatchResource::share, name, live::text_of(account, "quotaShareArn"), account,
              settings);
    }
    for (const auto& [key, share] : found_.shares) {
      if (key.first != queue.name ||
          std::find(known.begin(), known.end(), key.second) != known.end())
        continue;
      add(BatchResource::share, queue.name + '/' + key.second, {{}, "exists", ""},
          "it is not in the scenario, and stays");
    }
  }

  const scenarios::BatchSet& wanted_;
  const live::BatchAccount& found_;
  Creations creations_;
  BatchChanges out_;
};

bool has_tag(const live::ServiceJob& job, const std::string& pattern) {
  return std::any_of(job.tags.begin(), job.tags.end(), [&](const policy::Tag& tag) {
    return pattern == tag.first || pattern == tag.first + '=' + tag.second;
  });
}

std::int64_t limit_of(const std::vector<BatchLimit>& limits, const std::string& unit) {
  for (const BatchLimit& limit : limits) {
    if (limit.unit == unit) return limit.instances;
  }
  return 0;
}

/// Instances in use, by share and unit.
using Usage = std::map<std::pair<std::string, std::string>, std::int64_t>;

/// What other shares lend to it.
std::int64_t cover_of(const BatchQueue& queue, const BatchShare& share, const std::string& unit,
                      const Usage& used) {
  if (share.sharing != policy::Sharing::lend_and_borrow) return 0;
  std::int64_t idle = 0;
  for (const BatchShare& other : queue.shares) {
    if (other.name == share.name) continue;
    const auto found = used.find({other.name, unit});
    const std::int64_t in_use = found == used.end() ? 0 : found->second;
    const std::int64_t left = limit_of(other.limits, unit) - in_use;
    if (left < 0 || other.sharing != policy::Sharing::reserve) idle += left;
  }
  constexpr std::int64_t percent = 100;
  if (share.borrow_limit_pct >= 0) {
    idle = std::min(idle, limit_of(share.limits, unit) * share.borrow_limit_pct / percent);
  }
  return std::max(idle, std::int64_t{0});
}

std::vector<PreemptibleJob> victims(const std::vector<live::ServiceJob>& jobs,
                                    const std::string& queue, const std::string& share,
                                    const std::string& unit, std::int64_t need) {
  std::vector<PreemptibleJob> order;
  for (const live::ServiceJob& job : jobs) {
    const auto usage = job.usage.find(unit);
    if (job.queue != queue || job.share != share || !job.holds_instances()) continue;
    if (usage != job.usage.end()) order.push_back({&job, unit, usage->second});
  }
  std::reverse(order.begin(), order.end());  // of those that started together, the newest
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    if (a.job->priority != b.job->priority) return a.job->priority < b.job->priority;
    return a.job->started.value_or(policy::never) > b.job->started.value_or(policy::never);
  });
  std::vector<PreemptibleJob> chosen;
  std::int64_t freed = 0;
  for (const PreemptibleJob& each : order) {
    if (freed >= need) break;
    freed += each.instances;
    chosen.push_back(each);
  }
  for (std::size_t left = chosen.size(); left-- > 0;) {  // what is not needed after all
    if (freed - chosen[left].instances < need) continue;
    freed -= chosen[left].instances;
    chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(left));
  }
  return chosen;
}

/// The limits of a share that are lowered.
std::vector<BatchLimit> lowered(const BatchShare& share, const json& account) {
  std::vector<BatchLimit> all;
  for (const json& limit : account.value("capacityLimits", json::array())) {
    const std::string unit = live::text_of(limit, "capacityUnit");
    const std::int64_t next = limit_of(share.limits, unit);
    if (next < live::whole_of(limit, "maxCapacity").value_or(0)) all.push_back({unit, next});
  }
  return all;
}

}  // namespace

BatchChanges changes_of_queues(const scenarios::BatchSet& wanted, const live::BatchAccount& found) {
  return SettingComparison{wanted, found}.run();
}

void add_priorities(const scenarios::Scenario& scenario, const std::vector<live::ServiceJob>& jobs,
                    BatchChanges& changes) {
  for (const live::ServiceJob& job : jobs) {
    const auto fits = [&](const scenarios::QueuePriority& each) {
      return scenario.world.directory.queues[each.queue.index].name == job.queue &&
             std::any_of(each.tags.begin(), each.tags.end(),
                         [&](const std::string& pattern) { return has_tag(job, pattern); });
    };
    const auto& all = scenario.queue_priorities;
    const auto first = std::find_if(all.begin(), all.end(), fits);
    if (first == all.end() || first->priority == job.priority) continue;
    const live::SettingChange setting{"schedulingPriority", std::to_string(job.priority),
                                      std::to_string(first->priority)};
    const std::string name = job.queue + '/' + job.name;
    changes.changes.push_back(
        {live::BatchResource::job, name, setting, changes.updates.size(), {}});
    changes.updates.push_back(
        {live::BatchResource::job,
         name,
         {{"jobId", job.id}, {"schedulingPriority", first->priority}},
         fmt::format("{} {} -> {}", setting.setting, setting.found, setting.wanted)});
  }
}

std::vector<PreemptibleJob> preempted_by(const scenarios::BatchSet& wanted,
                                         const live::BatchAccount& found,
                                         const std::vector<live::ServiceJob>& jobs) {
  std::vector<PreemptibleJob> all;
  for (const BatchQueue& queue : wanted.queues) {
    if (queue.order != BatchOrder::quota) continue;
    Usage used;
    for (const live::ServiceJob& job : jobs) {
      if (job.queue != queue.name || !job.holds_instances()) continue;
      for (const auto& [unit, instances] : job.usage) used[{job.share, unit}] += instances;
    }
    for (const BatchShare& share : queue.shares) {
      const auto account = found.shares.find({queue.name, share.name});
      if (account == found.shares.end()) continue;
      for (const BatchLimit& limit : lowered(share, account->second)) {
        const std::int64_t over = used[{share.name, limit.unit}] - limit.instances;
        const std::int64_t need = over - cover_of(queue, share, limit.unit, used);
        if (need <= 0) continue;
        for (auto& job : victims(jobs, queue.name, share.name, limit.unit, need)) {
          all.push_back(std::move(job));
        }
      }
    }
  }
  return all;
}

}  // namespace reeve::app
