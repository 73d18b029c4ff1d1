#include "app/live/iam.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "app/exit_code.hpp"
#include "app/study/study_arguments.hpp"
#include "app/usage_error.hpp"
#include "host/enum_names.hpp"
#include "live/clean_up/account_resources.hpp"
#include "live/feed/roster.hpp"
#include "scenarios/load.hpp"
#include "scenarios/text/aws_names.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using nlohmann::ordered_json;
using policy::VerbKind;
using scenarios::in_quotes;
using Verbs = std::set<VerbKind>;

constexpr std::string_view training_job_resource = "training-job/*";

ordered_json statement(std::string_view sid, std::vector<std::string> actions,
                       ordered_json resource) {
  return {{"Sid", sid},
          {"Effect", "Allow"},
          {"Action", std::move(actions)},
          {"Resource", std::move(resource)}};
}

/// Of a rule that does not say what it may propose: all that a training job can need.
Verbs any_verb(const policy::PolicyKind& kind) {
  Verbs all{VerbKind::clone_job, VerbKind::put_alarm, VerbKind::delete_alarm, VerbKind::notify};
  if (!kind.never_stops) all.insert(VerbKind::stop_job);
  return all;
}

Verbs proposed_by(const scenarios::SeatSpec& seat) {
  if (seat.kind->verbs == nullptr) return any_verb(*seat.kind);
  const std::vector<VerbKind> verbs = seat.kind->verbs(seat.options);
  return {verbs.begin(), verbs.end()};
}

/// What the host may send for the rule: its mode decides.
Verbs sent_by(const scenarios::SeatSpec& seat) {
  if (seat.mode == host::Mode::off || seat.mode == host::Mode::shadow) return {};
  Verbs verbs = proposed_by(seat);
  if (seat.mode == host::Mode::enforce || verbs.empty()) return verbs;
  return {VerbKind::notify};  // instead of what changes a job
}

/// Alarms take no call: reeve evaluates them itself.  SageMaker has no call for the others:
/// `UpdateTrainingJob` cannot change the StoppingCondition.
bool is_possible(VerbKind verb) {
  return verb == VerbKind::stop_job || verb == VerbKind::clone_job || verb == VerbKind::put_alarm ||
         verb == VerbKind::delete_alarm || verb == VerbKind::notify;
}

void tell_of_gaps(const scenarios::SeatSpec& seat, const Console& console) {
  const Verbs sent = sent_by(seat);
  if (!sent.empty() && seat.kind->verbs == nullptr) {
    console.note(fmt::format("rule {} does not say what it may do: it gets every permission\n",
                             in_quotes(seat.label)));
  }
  for (const VerbKind verb : sent) {
    if (is_possible(verb)) continue;
    console.note(fmt::format("rule {}: SageMaker has no call for {}, so it needs no permission\n",
                             in_quotes(seat.label), host::name_of(verb)));
  }
}

void add_clones(ordered_json& statements, const ArnPlace& place) {
  statements.push_back(statement("CloneTrainingJobs",
                                 {"sagemaker:CreateTrainingJob", "sagemaker:AddTags"},
                                 place.arn("sagemaker", training_job_resource)));
  ArnPlace everywhere = place;
  everywhere.region.clear();  // IAM has no regions
  ordered_json pass =
      statement("PassRolesToSageMaker", {"iam:PassRole"}, everywhere.arn("iam", "role/*"));
  pass["Condition"] = {{"StringEquals", {{"iam:PassedToService", "sagemaker.amazonaws.com"}}}};
  statements.push_back(std::move(pass));
}

void add_verbs(ordered_json& statements, const Verbs& verbs, const ArnPlace& place,
               const std::string& topic) {
  if (verbs.contains(VerbKind::stop_job)) {
    statements.push_back(statement("StopTrainingJobs", {"sagemaker:StopTrainingJob"},
                                   place.arn("sagemaker", training_job_resource)));
    // Of jobs that AWS Batch runs.  The actions that list or describe take no resource.
    statements.push_back(statement(
        "FindServiceJobs",
        {"batch:DescribeJobQueues", "batch:ListServiceJobs", "batch:DescribeServiceJob"}, "*"));
    statements.push_back(statement("TerminateServiceJobs", {"batch:TerminateServiceJob"},
                                   place.arn("batch", "service-job/*")));
  }
  if (verbs.contains(VerbKind::clone_job)) add_clones(statements, place);
  if (verbs.contains(VerbKind::notify) && !topic.empty()) {
    statements.push_back(statement("SendMessages", {"sns:Publish"}, topic));
  }
}

/// An instance without the tag cannot be terminated, whatever the program does.
ordered_json termination(std::string_view sid, std::string_view tag, const ArnPlace& place) {
  ordered_json made = statement(sid, {"ec2:TerminateInstances"}, place.arn("ec2", "instance/*"));
  made["Condition"] = {{"Null", {{fmt::format("aws:ResourceTag/{}", tag), "false"}}}};
  return made;
}

/// What `live orphans` and `live down` need; of some actions, AWS knows no resource.
void add_clean_up(ordered_json& statements, const ArnPlace& place) {
  statements.push_back(statement("ListAlarmsAndInstances",
                                 {"cloudwatch:DescribeAlarms", "ec2:DescribeInstances"}, "*"));
  statements.push_back(statement("DeleteAlarms",
                                 {"cloudwatch:ListTagsForResource", "cloudwatch:DeleteAlarms"},
                                 place.arn("cloudwatch", "alarm:*")));
  statements.push_back(termination("TerminateInstancesOfJobs", live::job_tag, place));
  statements.push_back(termination("TerminateOwnInstances", live::created_by_tag, place));
}

/// What `live batch --apply` needs.  The actions that list or describe take no resource.
void add_batch(ordered_json& statements, const ArnPlace& place) {
  statements.push_back(statement(
      "ReadQueues",
      {"batch:DescribeJobQueues", "batch:DescribeServiceEnvironments",
       "batch:DescribeSchedulingPolicies", "batch:ListQuotaShares", "batch:DescribeQuotaShare",
       "batch:ListServiceJobs", "batch:DescribeServiceJob", "batch:GetJobQueueSnapshot"},
      "*"));
  statements.push_back(
      statement("ChangeQueues",
                {"batch:UpdateServiceEnvironment", "batch:UpdateSchedulingPolicy",
                 "batch:UpdateJobQueue", "batch:UpdateQuotaShare", "batch:UpdateServiceJob"},
                place.arn("batch", "*")));
}

/// The parts of a URL: host with port, then the segments of its path.
std::vector<std::string> parts_of_url(std::string_view url) {
  url.remove_prefix(std::min(url.size(), url.find("://") + 3));
  url = url.substr(0, url.find_first_of("?#"));
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < url.size();) {
    const std::size_t end = std::min(url.find('/', at), url.size());
    if (end > at) parts.emplace_back(url.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

/// Of sqs.REGION.amazonaws.com; empty for other hosts.
std::string region_of_host(std::string_view host) {
  constexpr std::string_view service = "sqs.";
  const std::size_t domain = host.find(".amazonaws.com");
  if (!host.starts_with(service) || domain == host.npos) return {};
  const std::string_view region = host.substr(service.size(), domain - service.size());
  return scenarios::is_region(region) ? std::string{region} : std::string{};
}

bool is_queue_name(std::string_view name) {
  constexpr std::string_view fifo = ".fifo";
  if (name.ends_with(fifo)) name.remove_suffix(fifo.size());
  constexpr std::size_t longest = 80;
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  return !name.empty() && name.size() <= longest && name.find_first_not_of(letters) == name.npos;
}

std::string known_or_any(const std::string& text) {
  return text.empty() ? "*" : text;
}

}  // namespace

std::string ArnPlace::arn(std::string_view service, std::string_view resource) const {
  return fmt::format("arn:{}:{}:{}:{}:{}", partition, service, region, account, resource);
}

std::string_view partition_of(std::string_view region) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> partitions{
      {{"cn-", "aws-cn"}, {"us-gov-", "aws-us-gov"}}};
  for (const auto& [begins, partition] : partitions) {
    if (region.starts_with(begins)) return partition;
  }
  return "aws";
}

std::optional<QueueName> queue_of(const scenarios::LiveSpec& live) {
  if (live.queue.empty()) return std::nullopt;
  const std::vector<std::string> parts = parts_of_url(live.queue);
  QueueName queue;
  if (parts.size() > 2) {
    queue = {region_of_host(parts[0]), parts[parts.size() - 2], parts.back()};
  }
  if (!scenarios::is_account(queue.account) || !is_queue_name(queue.name)) {
    throw UsageError{in_quotes(live.queue) + " is not the URL of an SQS queue",
                     "as in \"https://sqs.us-east-1.amazonaws.com/111122223333/reeve\""};
  }
  if (queue.region.empty()) queue.region = live.region;
  return queue;
}

std::string parameter_resource(const std::string& name) {
  return name.starts_with('/') ? "parameter" + name : "parameter/" + name;
}

std::optional<QueueName> standard_queue_of(const scenarios::LiveSpec& live) {
  std::optional<QueueName> queue = queue_of(live);
  if (queue && queue->name.ends_with(".fifo")) {
    throw UsageError{in_quotes(queue->name) + " is a FIFO queue",
                     "name a standard queue: order does not matter to reeve"};
  }
  return queue;
}

ordered_json read_policy(const ReadResources& of) {
  ordered_json statements = ordered_json::array();
  statements.push_back(statement("ListTrainingJobs", {"sagemaker:ListTrainingJobs"}, "*"));
  statements.push_back(statement("ReadTrainingJobs",
                                 {"sagemaker:DescribeTrainingJob", "sagemaker:ListTags"},
                                 of.training_jobs));
  if (of.has_metrics) {  // the action takes no resource
    statements.push_back(statement("ReadMetrics", {"cloudwatch:GetMetricData"}, "*"));
  }
  if (!of.queue.is_null()) {
    statements.push_back(
        statement("ReceiveEvents",
                  {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}, of.queue));
    statements.push_back(
        statement("ReadEventRules", {"events:ListRuleNamesByTarget", "events:DescribeRule"}, "*"));
  }
  if (!of.kill_parameter.is_null()) {
    statements.push_back(statement("ReadKillParameter", {"ssm:GetParameter"}, of.kill_parameter));
  }
  if (of.has_kill_tag) {
    statements.push_back(statement("ReadKillTag", {"sqs:ListQueueTags"}, of.queue));
  }
  return {{"Version", "2012-10-17"}, {"Statement", std::move(statements)}};
}

void add_actions(ordered_json& document, const scenarios::PolicySpec& rules, const ArnPlace& place,
                 const std::string& topic, const Console& console) {
  Verbs verbs;
  for (const scenarios::SeatSpec& seat : rules.seats) {
    verbs.merge(sent_by(seat));
    tell_of_gaps(seat, console);
  }
  add_verbs(document["Statement"], verbs, place, topic);
}

/// Of a scenario or a live configuration.
int iam_of_queues(const IamArguments& arguments, const Console& console) {
  const scenarios::Scenario scenario = scenarios::load(arguments.rules.file).scenario;
  const scenarios::LiveSpec live = scenario.live.value_or(scenarios::LiveSpec{});
  const ArnPlace place{std::string{partition_of(live.region)}, known_or_any(live.region),
                       known_or_any(live.account)};
  ordered_json statements = ordered_json::array();
  add_batch(statements, place);
  if (!live.kill_parameter.empty()) {
    statements.push_back(statement("ReadKillSwitch", {"ssm:GetParameter"},
                                   place.arn("ssm", parameter_resource(live.kill_parameter))));
  }
  const ordered_json document{{"Version", "2012-10-17"}, {"Statement", std::move(statements)}};
  console.print(document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n');
  return ExitCode::done;
}

int iam(const IamArguments& arguments, const Console& console) {
  if (arguments.batch && !arguments.enforce && !arguments.clean_up) {
    return iam_of_queues(arguments, console);
  }
  const scenarios::Scenario configuration = load_live_configuration(arguments.rules.file, console);
  const scenarios::PolicySpec& rules = only_policy(configuration, arguments.rules.policies);
  const scenarios::LiveSpec& live = *configuration.live;
  const std::optional<QueueName> queue = queue_of(live);
  const std::string& region = live.region.empty() && queue ? queue->region : live.region;
  const ArnPlace place{std::string{partition_of(region)}, known_or_any(live.region),
                       known_or_any(live.account)};
  ordered_json queue_arn;
  if (queue) {
    queue_arn = ArnPlace{std::string{partition_of(queue->region)}, known_or_any(queue->region),
                         queue->account}
                    .arn("sqs", queue->name);
  }
  ordered_json parameter;
  if (!live.kill_parameter.empty()) {
    parameter = place.arn("ssm", parameter_resource(live.kill_parameter));
  }
  ordered_json document =
      read_policy({.training_jobs = place.arn("sagemaker", training_job_resource),
                   .queue = queue_arn,
                   .kill_parameter = parameter,
                   .has_metrics = needs_metrics(rules),
                   .has_kill_tag = !live.kill_tag.empty()});
  if (arguments.enforce) add_actions(document, rules, place, live.notify.sns, console);
  if (arguments.clean_up) add_clean_up(document["Statement"], place);
  if (arguments.batch) add_batch(document["Statement"], place);
  console.print(document.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n');
  return ExitCode::done;
}

}  // namespace reeve::app
