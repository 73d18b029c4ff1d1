#include "app/live/template.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/exit_code.hpp"
#include "app/live/cloud_formation.hpp"
#include "app/live/iam.hpp"
#include "app/study/study_arguments.hpp"
#include "app/usage_error.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view read_policy_id = "ReadPolicy";

ordered_json policy_of_reader(const scenarios::LiveSpec& live, bool with_metrics) {
  return resource_of("AWS::IAM::ManagedPolicy",
                     {{"Description", "What reeve live plan and reeve live shadow read"},
                      {"PolicyDocument", read_policy(read_in_stack(live, with_metrics))}});
}

ordered_json template_for(const scenarios::LiveSpec& live, const std::optional<QueueName>& queue,
                          bool with_metrics) {
  ordered_json resources = event_resources(queue, {});
  resources[std::string{read_policy_id}] = policy_of_reader(live, with_metrics);
  return {
      {"AWSTemplateFormatVersion", "2010-09-09"},
      {"Description", "Events of training jobs for reeve live"},
      {"Resources", std::move(resources)},
      {"Outputs",
       {{"QueueUrl", output_of("live.queue of the configuration", reference_to(events_id))},
        {"DeadLetterQueueUrl",
         output_of("Messages that reeve could not take", reference_to(dead_letters_id))},
        {"PolicyArn", output_of("Attach it to the role of reeve", reference_to(read_policy_id))}}}};
}

}  // namespace

/// Of systemd; paths are absolute there.
int service_unit(const RuleRunArguments& arguments, const Console& console) {
  load_live_configuration(arguments.file, console);
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string policy = arguments.policies.empty() ? "" : " -p " + arguments.policies.front();
  console.print(
      fmt::format("[Unit]\n"
                  "Description=reeve: rules for training jobs\n"
                  "Wants=network-online.target\n"
                  "After=network-online.target\n"
                  "# A second unit tries again until the first one ends.\n"
                  "StartLimitIntervalSec=0\n"
                  "\n"
                  "[Service]\n"
                  "ExecStart=\"{}\" live run \"{}\"{} --json --status-port 9464\n"
                  "SuccessExitStatus=130\n"
                  "# An invalid configuration does not mend itself.\n"
                  "RestartPreventExitStatus=3\n"
                  "Restart=on-failure\n"
                  "RestartSec=5\n"
                  "DynamicUser=yes\n"
                  "StateDirectory=reeve\n"
                  "Environment=XDG_STATE_HOME=%S\n"
                  "# AWS credentials of the service, unless the machine has a role:\n"
                  "EnvironmentFile=-/etc/reeve/environment\n"
                  "NoNewPrivileges=yes\n"
                  "ProtectSystem=strict\n"
                  "ProtectHome=read-only\n"
                  "\n"
                  "[Install]\n"
                  "WantedBy=multi-user.target\n",
                  error ? "reeve" : program.string(),
                  std::filesystem::absolute(arguments.file).string(), policy));
  return ExitCode::done;
}

int queue_template(const RuleRunArguments& arguments, const Console& console) {
  const scenarios::Scenario configuration = load_live_configuration(arguments.file, console);
  const scenarios::PolicySpec& rules = only_policy(configuration, arguments.policies);
  const std::optional<QueueName> queue = standard_queue_of(*configuration.live);
  const ordered_json all = template_for(*configuration.live, queue, needs_metrics(rules));
  console.print(all.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n');
  return ExitCode::done;
}

}  // namespace reeve::app
