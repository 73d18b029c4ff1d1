#include "app/live/doctor.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "app/exit_code.hpp"
#include "app/live/account.hpp"
#include "app/live/cloud_error.hpp"
#include "app/live/iam.hpp"
#include "app/study/interruption.hpp"
#include "app/study/study_arguments.hpp"
#include "live/act/messenger.hpp"
#include "live/alarms/cloud_metrics.hpp"
#include "live/aws/system_surroundings.hpp"
#include "live/events/json_fields.hpp"
#include "report/display_width.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using nlohmann::json;

enum class Outcome : std::uint8_t { works, fails, unknown };

struct Check {
  std::string name;
  Outcome outcome = Outcome::unknown;
  std::string found;
  std::string fix;
};

/// Above it, AWS refuses signatures.
constexpr std::chrono::minutes most_clock_difference{5};

/// A list of a reply; empty if it has none.
json list_in(const json& object, const char* key) {
  const json* found = live::field(object, key);
  return found != nullptr && found->is_array() ? *found : json::array();
}

/// Tries the calls one after the other.
class Doctor {
 public:
  Doctor(Account& account, const scenarios::LiveSpec& settings, bool needs_metrics)
      : account_{account}, settings_{settings}, needs_metrics_{needs_metrics} {}

  std::vector<Check> checks() {
    check_clock();
    check_jobs();
    check_queue();
    check_rules();
    check_kill_switch();
    return std::move(checks_);
  }

 private:
  live::CallResult call(live::Call call) { return account_.client().call(call); }

  void add(std::string name, bool works, std::string found, std::string fix = {}) {
    checks_.push_back({std::move(name), works ? Outcome::works : Outcome::fails, std::move(found),
                       works ? std::string{} : std::move(fix)});
  }
  /// Of a call that AWS refused.
  void add_refusal(const std::string& action, const live::CallError& error) {
    const std::string hint = hint_for({action, error});
    add(action, false, report::printable(error.code + ' ' + error.message),
        hint.empty() ? "see the message" : hint);
  }
  void add_unknown(std::string name, std::string why) {
    checks_.push_back({std::move(name), Outcome::unknown, std::move(why), {}});
  }

  void check_clock() {
    const auto difference = account_.client().clock_difference();
    if (!difference) return add_unknown("clock", "AWS has not told its time");
    const double seconds = std::chrono::duration<double>(*difference).count();
    const bool works = std::chrono::abs(*difference) < most_clock_difference;
    add("clock", works, fmt::format("{:.0f} s from that of AWS", std::abs(seconds)),
        "set the clock of this machine, for example with chrony");
  }

  void check_jobs() {
    const live::CallResult listed = call({live::services::sagemaker,
                                          "ListTrainingJobs",
                                          {{"StatusEquals", "InProgress"}, {"MaxResults", 100}}});
    std::string job = "reeve-doctor";  // permission is judged before existence
    std::string arn = ArnPlace{std::string{partition_of(account_.region())}, account_.region(),
                               account_.id().empty() ? "000000000000" : account_.id()}
                          .arn("sagemaker", "training-job/" + job);
    if (listed.error) {
      add_refusal("sagemaker:ListTrainingJobs", *listed.error);
    } else {
      const json jobs = list_in(listed.value, "TrainingJobSummaries");
      const bool has_more = listed.value.contains("NextToken");
      add("sagemaker:ListTrainingJobs", true,
          fmt::format("{}{} running; live plan takes {} s{}", jobs.size(),
                      has_more ? " or more" : "", (jobs.size() + 4) / 5,
                      has_more ? " or more" : ""));
      if (!jobs.empty()) {
        job = live::text_of(jobs.front(), "TrainingJobName");
        arn = live::text_of(jobs.front(), "TrainingJobArn");
      }
    }
    try_call("sagemaker:DescribeTrainingJob",
             {live::services::sagemaker, "DescribeTrainingJob", {{"TrainingJobName", job}}});
    try_call("sagemaker:ListTags", {live::services::sagemaker, "ListTags", {{"ResourceArn", arn}}});
    if (needs_metrics_) check_metrics(job + "/algo-1");
  }

  /// A host that just starts has no samples.
  void check_metrics(const std::string& host) {
    const policy::Instant now = account_.now();
    live::CloudMetrics metrics{account_.client()};
    const auto read = metrics.gpu_utilization({&host, 1}, now - std::chrono::minutes{15}, now);
    if (const auto* failed = std::get_if<live::FailedCall>(&read)) {
      return add_refusal(failed->action, failed->error);
    }
    add("cloudwatch:GetMetricData", true, "allowed");
  }

  void try_call(const std::string& action, live::Call tried) {
    const live::CallResult reply = call(std::move(tried));
    if (reply.error && !live::is_gone(*reply.error)) return add_refusal(action, *reply.error);
    add(action, true, "allowed");
  }

  void check_queue() {
    if (settings_.queue.empty()) {
      return add_unknown("queue", "the configuration names none; live shadow needs --from");
    }
    const live::CallResult reply =
        call({live::services::sqs,
              "GetQueueAttributes",
              {{"QueueUrl", settings_.queue}, {"AttributeNames", {"All"}}}});
    if (reply.error) return add_refusal("sqs:GetQueueAttributes", *reply.error);
    const json* found = live::field(reply.value, "Attributes");
    const json attributes = found == nullptr ? json::object() : *found;
    const bool has_dead_letters = attributes.contains("RedrivePolicy");
    queue_arn_ = live::text_of(attributes, "QueueArn");
    add("queue", true, live::text_of(attributes, "ApproximateNumberOfMessages") + " messages wait");
    add("dead-letter queue", has_dead_letters, has_dead_letters ? "set" : "none",
        "a message that is no event comes again for days; see reeve live template");
    // Visible again at once; a receipt that is none deletes nothing.
    try_call("sqs:ReceiveMessage", {live::services::sqs,
                                    "ReceiveMessage",
                                    {{"QueueUrl", settings_.queue}, {"VisibilityTimeout", 0}}});
    try_call("sqs:DeleteMessage",
             {live::services::sqs,
              "DeleteMessageBatch",
              {{"QueueUrl", settings_.queue},
               {"Entries", {{{"Id", "none"}, {"ReceiptHandle", "reeve-doctor"}}}}}});
  }

  /// The names of the rules of EventBridge with the queue as target; nothing: refused.
  std::optional<std::vector<json>> rules_of_queue() {
    constexpr int most_pages = 100;
    std::vector<json> names;
    json parameters{{"TargetArn", queue_arn_}};
    for (int page = 0; page < most_pages; ++page) {
      const live::CallResult reply =
          call({live::services::eventbridge, "ListRuleNamesByTarget", parameters});
      if (reply.error) {
        add_refusal("events:ListRuleNamesByTarget", *reply.error);
        return std::nullopt;
      }
      for (const json& name : list_in(reply.value, "RuleNames")) names.push_back(name);
      const std::string next = live::text_of(reply.value, "NextToken");
      if (next.empty()) break;
      parameters["NextToken"] = next;
    }
    return names;
  }

  /// Whether an enabled rule of EventBridge sends the status of training jobs to the queue.
  void check_rules() {
    if (queue_arn_.empty()) return;
    const auto names = rules_of_queue();
    if (!names) return;
    std::size_t enabled = 0;
    bool has_states = false;
    for (const json& name : *names) {
      const live::CallResult rule =
          call({live::services::eventbridge, "DescribeRule", {{"Name", name}}});
      if (rule.error) return add_refusal("events:DescribeRule", *rule.error);
      if (!live::text_of(rule.value, "State").starts_with("ENABLED")) continue;
      ++enabled;
      has_states =
          has_states ||
          live::text_of(rule.value, "EventPattern").find("SageMaker Training Job State Change") !=
              std::string::npos;
    }
    add("event rules", has_states,
        has_states ? scenarios::counted(enabled, "rule") + " to the queue"
                   : "no enabled rule sends the status of training jobs to the queue",
        "deploy the template of reeve live template");
  }

  /// What cannot be read stops everything.
  void check_kill_switch() {
    if (!settings_.kill_parameter.empty()) {
      try_call("ssm:GetParameter",
               {live::services::ssm, "GetParameter", {{"Name", settings_.kill_parameter}}});
    }
    if (!settings_.kill_tag.empty()) {
      try_call("sqs:ListQueueTags",
               {live::services::sqs, "ListQueueTags", {{"QueueUrl", settings_.queue}}});
    }
  }

  Account& account_;
  const scenarios::LiveSpec& settings_;
  bool needs_metrics_;
  std::string queue_arn_;
  std::vector<Check> checks_;
};

/// Where messages go.  Nothing is sent.
Check check_of_messages(const scenarios::NotifySpec& notify) {
  const live::Result<live::Addresses> addresses =
      live::read_addresses({notify.sns, notify.webhook, notify.slack}, live::SystemEnvironment{});
  if (const live::Failure* failure = live::failure_of(addresses)) {
    return {"messages", Outcome::fails, report::printable(failure->message),
            "set the variable, or change \"notify\" of the key \"live\""};
  }
  const std::string places = live::places_of(std::get<live::Addresses>(addresses));
  if (places.empty()) {
    return {"messages", Outcome::unknown, "the configuration names no address", {}};
  }
  return {"messages", Outcome::works, "go to " + places + "; none was sent", {}};
}

report::Table table_of(const std::string& name, const std::vector<Check>& checks) {
  report::Table table;
  table.name = name + "/doctor";
  table.columns = {{"check", "check", report::Align::left},
                   {"result", "", report::Align::left},
                   {"found", "found", report::Align::left},
                   {"fix", "fix", report::Align::left}};
  for (const Check& check : checks) {
    report::Cell result = report::cell(check.outcome == Outcome::works   ? "ok"
                                       : check.outcome == Outcome::fails ? "failed"
                                                                         : "unknown");
    result.text = check.outcome == Outcome::works   ? "✓"
                  : check.outcome == Outcome::fails ? "✗"
                                                    : "–";
    table.rows.push_back({.cells = {report::cell(check.name), std::move(result),
                                    report::cell(check.found), report::cell(check.fix)}});
  }
  return table;
}

}  // namespace

int doctor(const RuleRunArguments& arguments, const Console& console) {
  const scenarios::Scenario configuration = load_live_configuration(arguments.file, console);
  const scenarios::PolicySpec& rules = only_policy(configuration, arguments.policies);
  const scenarios::LiveSpec& settings = *configuration.live;
  std::vector<Check> checks;
  std::optional<Account> account;
  note_interruption();  // each call looks at it
  try {
    account.emplace(settings);
    checks.push_back({"account", Outcome::works, account->id() + ", " + account->region(), {}});
  } catch (const CloudError& error) {
    checks.push_back({"account", Outcome::fails, error.what(), error.hint});
  }
  if (account) {
    for (Check& check : Doctor{*account, settings, needs_metrics(rules)}.checks()) {
      checks.push_back(std::move(check));
    }
  }
  checks.push_back(check_of_messages(settings.notify));
  console.print(table_of(configuration.name, checks));
  if (interruption()) return ExitCode::interrupted;
  for (const Check& check : checks) {
    if (check.outcome == Outcome::fails) return ExitCode::cloud;
  }
  return ExitCode::done;
}

}  // namespace reeve::app
