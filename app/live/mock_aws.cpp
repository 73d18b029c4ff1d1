// reeve mock-aws: the fleet of a scenario behind the interfaces of AWS, on loopback.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/files/output_place.hpp"
#include "app/live/recording.hpp"
#include "app/live/rehearsal.hpp"
#include "app/live/simulated_fleet.hpp"
#include "app/session.hpp"
#include "app/study/interruption.hpp"
#include "app/study/study_arguments.hpp"
#include "app/usage_error.hpp"
#include "live/aws/timestamps.hpp"
#include "live/http/server.hpp"
#include "live/mock/mock_service.hpp"
#include "report/format.hpp"

namespace reeve::app {
namespace {

struct MockArguments {
  StudyArguments study;
  std::uint32_t port = 0;
  std::optional<double> speed;
  std::optional<double> lost;
  std::optional<double> duplicated;
  std::optional<double> throttled;
  std::optional<double> failed;
  std::optional<double> cut;
  std::vector<std::string> denied;
  std::optional<std::string> log;
};

bool changes(std::string_view operation) {
  constexpr std::array all = {
      std::string_view{"StopTrainingJob"}, std::string_view{"CreateTrainingJob"},
      std::string_view{"AddTags"},         std::string_view{"Publish"},
      std::string_view{"PutMetricAlarm"},  std::string_view{"DeleteAlarms"},
      std::string_view{"RunInstances"},    std::string_view{"TerminateInstances"},
      std::string_view{"CreateTags"}};
  return std::find(all.begin(), all.end(), operation) != all.end();
}

/// Each call as a line of JSON.
class CallLog {
 public:
  explicit CallLog(const std::optional<std::string>& file) {
    if (!file) return;
    check_output_file(*file, "{\"at\":", "--log");
    out_.open(*file, std::ios::trunc);
    if (!out_) throw UsageError{"--log " + *file + " cannot be written", "--log calls.jsonl"};
  }
  void take(const live::AnsweredCall& call) {
    if (!out_.is_open()) return;
    nlohmann::ordered_json line{{"at", live::iso_date(call.at)},
                                {"action", call.service + ':' + call.operation}};
    if (!call.error.empty()) line["error"] = call.error;
    // For what plays the containers of Batch, and to count what happens to a job.
    const bool shows_job = call.service == "batch" || changes(call.operation);
    if (shows_job) line["parameters"] = call.asked;
    out_ << line.dump() << '\n' << std::flush;
  }
  /// Not all lines could be written.
  bool has_failed() const { return out_.is_open() && !out_; }

 private:
  std::ofstream out_;
};

std::string words(const Recording& recording, std::size_t events, const std::string& base,
                  const std::string& queue) {
  return fmt::format(
      "# {} events from {} to {}\n"
      "# \"live\": {{ \"account\": \"{}\", \"region\": \"{}\", \"queue\": \"{}\" }}\n"
      "export AWS_ENDPOINT_URL={} {}={}{}\n"
      "export AWS_ACCESS_KEY_ID={} AWS_SECRET_ACCESS_KEY={}\n"
      "export AWS_REGION={} AWS_DEFAULT_REGION={}\n",
      events, report::instant(recording.start), report::instant(recording.end), recorded_account,
      recorded_region, queue, base, clock_variable, base, live::clock_path, live::mock_key_id,
      live::mock_secret, recorded_region, recorded_region);
}

std::string words_json(const Recording& recording, std::size_t events, const std::string& base,
                       const std::string& queue) {
  const nlohmann::ordered_json out{{"events", events},
                                   {"start", report::instant(recording.start)},
                                   {"end", report::instant(recording.end)},
                                   {"account", recorded_account},
                                   {"region", recorded_region},
                                   {"queue", queue},
                                   {"environment",
                                    {{"AWS_ENDPOINT_URL", base},
                                     {clock_variable, base + std::string{live::clock_path}},
                                     {"AWS_ACCESS_KEY_ID", live::mock_key_id},
                                     {"AWS_SECRET_ACCESS_KEY", live::mock_secret},
                                     {"AWS_REGION", recorded_region},
                                     {"AWS_DEFAULT_REGION", recorded_region}}}};
  return out.dump() + '\n';
}

int mock_aws(const MockArguments& arguments, const Console& console) {
  const scenarios::Scenario scenario = load_scenario(arguments.study, console);
  const scenarios::PolicySpec& policy = only_policy(scenario, arguments.study.policies);
  check_recordable(scenario);
  CallLog log{arguments.log};
  const Recording recording = record_events(scenario, policy, false);
  live::MockAccount account{std::make_unique<SimulatedFleet>(scenario, shadowed(policy)),
                            std::string{recorded_account},
                            std::string{recorded_region},
                            scenario.world.platform.metrics.publish_delay,
                            {arguments.lost.value_or(0), arguments.duplicated.value_or(0)},
                            scenario.world.seed};
  live::MockService service{
      std::move(account),
      live::MockClock{recording.start, recording.end, arguments.speed.value_or(0)},
      {arguments.throttled.value_or(0), arguments.failed.value_or(0), arguments.cut.value_or(0),
       arguments.denied},
      scenario.world.seed,
      [&](const live::AnsweredCall& call) { log.take(call); }};
  auto listening = live::HttpServer::listen(
      static_cast<std::uint16_t>(arguments.port),
      [&](const live::Request& request) { return service.respond(request); });
  if (const live::Failure* failure = live::failure_of(listening)) {
    throw UsageError{failure->message, "--port 0 takes a free port"};
  }
  const auto server = std::get<std::unique_ptr<live::HttpServer>>(std::move(listening));
  const std::atomic<bool>& interrupted = interruption();
  note_interruption();  // the server looks at it ten times a second
  const std::string base = fmt::format("http://127.0.0.1:{}", server->port());
  const std::string queue = base + service.account().queue_path();
  const std::size_t events = recording.events.size();
  console.print(console.json ? words_json(recording, events, base, queue)
                             : words(recording, events, base, queue));
  server->serve([&] { return interrupted.load(); });
  service.stop();
  if (log.has_failed()) {
    console.complain("reeve: --log " + *arguments.log + " could not be written to the end\n");
    return ExitCode::failed;
  }
  return ExitCode::done;
}

}  // namespace

void add_mock_aws(Program& program, Session& session) {
  auto arguments = std::make_shared<MockArguments>();
  Command& command = add_command(
      program, "mock-aws", "Serves the fleet of a scenario as an AWS account, to rehearse on",
      "reeve mock-aws week.jsonc -p guardrails --port 4566\n"
      "reeve mock-aws week.jsonc --speed 600 --lost 0.1 --throttled 0.2 --log calls.jsonl");
  command.option("FILE", &arguments->study.file, "The scenario file", {.required = true});
  command.option("-p,--policy", &arguments->study.policies,
                 "Policy of the scenario, in shadow mode. Default: the only one",
                 {.takes = Takes::one_at_a_time, .type = "NAME"});
  command.option("--port", &arguments->port, "Port on 127.0.0.1; 0: a free one",
                 {.whole_in = WholeNumbers{0, 65'535}, .shows_default = true});
  command.option("--speed", &arguments->speed,
                 "How many times as fast as real time the clock runs. Default: it jumps when the "
                 "client waits",
                 {.between = Numbers{0.001, 1e6}});
  const auto share = [&](const char* name, std::optional<double>* target, const char* help) {
    command.option(name, target, help, {.between = Numbers{0, 1}});
  };
  share("--lost", &arguments->lost, "Share of events that the queue never gets");
  share("--duplicated", &arguments->duplicated, "Share of events that the queue gets twice");
  share("--throttled", &arguments->throttled, "Share of calls that are refused as too many");
  share("--failed", &arguments->failed, "Share of calls that fail with status 500");
  share("--cut", &arguments->cut, "Share of calls whose reply is lost after their effect");
  command.option(
      "--deny", &arguments->denied,
      "Action that the account has no permission for (sagemaker:StopTrainingJob), or not for "
      "one job (sagemaker:StopTrainingJob/JOB)",
      {.takes = Takes::one_at_a_time, .type = "ACTION"});
  command.option("--log", &arguments->log, "Writes each call as a line of JSON", {.type = "FILE"});
  on_parse(command, session,
           [&session, arguments] { return mock_aws(*arguments, session.console); });
}

}  // namespace reeve::app
