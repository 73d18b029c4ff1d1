// reeve live: rules beside a real AWS account.
#include <filesystem>
#include <memory>
#include <system_error>

#include "app/command.hpp"
#include "app/live/action_journal_file.hpp"
#include "app/live/doctor.hpp"
#include "app/live/drift.hpp"
#include "app/live/enforce.hpp"
#include "app/live/iam.hpp"
#include "app/live/plan.hpp"
#include "app/live/run.hpp"
#include "app/live/shadow.hpp"
#include "app/live/status.hpp"
#include "app/live/template.hpp"
#include "app/session.hpp"
#include "app/usage_error.hpp"

namespace reeve::app {
namespace {

struct LiveArguments {
  std::string what;
  RuleRunArguments rules;
  std::optional<std::string> from;
  std::optional<std::string> run_length;
  std::optional<std::string> out;
  std::optional<std::uint32_t> status_port;
  LogFilter filter;
  bool detailed_exitcode = false;
  std::optional<std::string> kill_file;
  bool enforce = false;
  bool unit = false;
  bool lambda = false;
  bool verify = false;
};

int live_shadow(const LiveArguments& arguments, const Console& console) {
  if (arguments.from && arguments.run_length) {
    throw UsageError{"--for is an option of a queue", "a file ends by itself"};
  }
  if (arguments.detailed_exitcode) {
    throw UsageError{"--detailed-exitcode is an option of live plan", "reeve help live"};
  }
  return shadow(
      {arguments.rules, arguments.from, arguments.run_length, arguments.out, arguments.status_port},
      console);
}

int live_plan(const LiveArguments& arguments, const Console& console) {
  if (arguments.from || arguments.run_length) {
    throw UsageError{"--from and --for are options of live shadow",
                     "live plan reads the account itself"};
  }
  return plan({arguments.rules, arguments.out, arguments.detailed_exitcode}, console);
}

int live_enforce(const LiveArguments& arguments, const Console& console) {
  if (arguments.from || arguments.run_length || arguments.out || arguments.detailed_exitcode ||
      !arguments.rules.policies.empty()) {
    throw UsageError{
        "-p, --from, --for, --out and --detailed-exitcode are no options of live "
        "enforce",
        "the plan says what is done; reeve help live"};
  }
  return enforce({arguments.rules.file, arguments.rules.journal, arguments.kill_file}, console);
}

/// live run and live tick.
int live_act(const LiveArguments& arguments, const Console& console) {
  const bool is_tick = arguments.what == "tick";
  if (arguments.from || arguments.detailed_exitcode) {
    throw UsageError{"--from and --detailed-exitcode are no options of live " + arguments.what,
                     "what acts reads the account itself; reeve help live"};
  }
  if (is_tick && (arguments.run_length || arguments.out || arguments.status_port)) {
    throw UsageError{"--for, --out and --status-port are no options of live tick",
                     "it is one pass; reeve help live"};
  }
  const ActArguments run{arguments.rules,
                         {arguments.rules.journal, arguments.kill_file, is_tick},
                         {arguments.out, arguments.status_port},
                         arguments.run_length};
  return is_tick ? live_tick(run, console) : live_run(run, console);
}

/// Of what runs no rule.
void check_prints(const LiveArguments& arguments) {
  if (arguments.from || arguments.run_length || arguments.out || arguments.detailed_exitcode ||
      arguments.rules.journal) {
    throw UsageError{
        "--from, --for, --journal, --out and --detailed-exitcode are no options of live " +
            arguments.what,
        "it prints to standard output; reeve help live"};
  }
}

/// Of a directory instead of a configuration.
int live_record(const LiveArguments& arguments, const Console& console) {
  if (!arguments.rules.policies.empty()) {
    throw UsageError{"-p is no option of live " + arguments.what, "a record is of one policy"};
  }
  const std::string& directory = arguments.rules.file;
  if (arguments.what == "status") return live_status(directory, console);
  if (arguments.what == "drift") return live_drift({directory}, console);
  if (arguments.verify) return verify_action_log(directory, console);
  std::error_code error;
  if (directory.starts_with(table_prefix) || std::filesystem::is_regular_file(directory, error)) {
    return print_action_log(directory, arguments.filter, console);
  }
  return live_log(directory, arguments.filter, console);
}

/// Options that belong to one or a few of the commands.
void check_options(const LiveArguments& arguments) {
  const std::string& what = arguments.what;
  if (arguments.enforce && what != "iam") {
    throw UsageError{"--enforce is an option of live iam", "reeve help live"};
  }
  if ((arguments.unit || arguments.lambda) && what != "template") {
    throw UsageError{"--unit and --lambda are options of live template", "reeve help live"};
  }
  if (arguments.unit && arguments.lambda) {
    throw UsageError{"--unit and --lambda exclude each other", "reeve help live"};
  }
  const bool filters = !arguments.filter.rules.empty() || !arguments.filter.jobs.empty();
  if (filters && what != "log") {
    throw UsageError{"--rule and --job are options of live log", "reeve help live"};
  }
  if (arguments.status_port && what != "shadow" && what != "run" && what != "tick") {
    throw UsageError{"--status-port is an option of live shadow and live run", "reeve help live"};
  }
  if (arguments.kill_file && what != "enforce" && what != "run" && what != "tick") {
    throw UsageError{"--kill-file is an option of live run, live tick and live enforce",
                     "reeve help live"};
  }
  if (arguments.verify && what != "log") {
    throw UsageError{"--verify is an option of live log", "reeve help live"};
  }
}

int run_live(const LiveArguments& arguments, const Console& console) {
  check_options(arguments);
  const std::string& what = arguments.what;
  if (what == "enforce") return live_enforce(arguments, console);
  if (what == "plan") return live_plan(arguments, console);
  if (what == "shadow") return live_shadow(arguments, console);
  if (what == "run" || what == "tick") return live_act(arguments, console);
  check_prints(arguments);
  if (what == "status" || what == "log" || what == "drift") return live_record(arguments, console);
  if (what == "iam") return iam({arguments.rules, arguments.enforce}, console);
  if (what == "doctor") return doctor(arguments.rules, console);
  if (arguments.lambda) return lambda_template(arguments.rules, console);
  return arguments.unit ? service_unit(arguments.rules, console)
                        : queue_template(arguments.rules, console);
}

void add_options(Command& command, LiveArguments& arguments) {
  command.option("--from", &arguments.from,
                 "shadow: file with events of EventBridge, one per line; - is standard input. "
                 "Default: the queue of the configuration",
                 {.type = "FILE"});
  command.option(
      "--for", &arguments.run_length,
      "shadow, run: reads the queue for this length of time (12h). Default: until Ctrl-C",
      {.type = "TEXT"});
  command.option("-p,--policy", &arguments.rules.policies,
                 "Policy of the configuration. Default: the only one",
                 {.takes = Takes::one_at_a_time, .type = "NAME"});
  command.option("--journal", &arguments.rules.journal,
                 "Writes the text journal. enforce, run, tick: the journal of actions, a file or "
                 "dynamodb:TABLE. Default: in the state directory of the user, one for each "
                 "account and region",
                 {.type = "FILE"});
  command.option("--out", &arguments.out,
                 "plan: writes it as JSON. shadow, run: a new directory, written while it runs",
                 {.type = "PATH"});
  command.option("--status-port", &arguments.status_port,
                 "shadow, run: serves tables, health and metrics at this port of 127.0.0.1; 0: a "
                 "free one",
                 {.whole_in = WholeNumbers{0, 65'535}});
  command.option("--rule", &arguments.filter.rules, "log: only these rules",
                 {.takes = Takes::one_at_a_time, .type = "NAME"});
  command.option("--job", &arguments.filter.jobs, "log: only these training jobs",
                 {.takes = Takes::one_at_a_time, .type = "NAME"});
  command.option("--detailed-exitcode", &arguments.detailed_exitcode,
                 "plan: exit code 2 if a rule would act");
  command.option("--kill-file", &arguments.kill_file,
                 "enforce, run, tick: while this file exists, nothing is sent", {.type = "FILE"});
  command.option("--verify", &arguments.verify, "log: checks the hashes of a journal of actions");
  command.option("--unit", &arguments.unit,
                 "template: a unit of systemd that runs live run, instead of the queue");
  command.option("--lambda", &arguments.lambda,
                 "template: a function of AWS Lambda that runs the rules, with its queue, schedule "
                 "and table");
  command.option("--enforce", &arguments.enforce,
                 "iam: also the permissions of what the rules may do");
}

}  // namespace

void add_live(Program& program, Session& session) {
  auto arguments = std::make_shared<LiveArguments>();
  Command& command = add_command(
      program, "live", "Observes an AWS account, reports what rules would do, and does it",
      "reeve live doctor guardrails.jsonc\n"
      "reeve live plan guardrails.jsonc\n"
      "reeve live plan guardrails.jsonc --out plan.json --detailed-exitcode\n"
      "reeve live enforce plan.json\n"
      "reeve live run guardrails.jsonc --status-port 9464\n"
      "reeve live tick guardrails.jsonc\n"
      "reeve live log actions.db --verify\n"
      "reeve live shadow guardrails.jsonc --for 12h --out night\n"
      "reeve live status night\n"
      "reeve live log night --rule stalled_gpu\n"
      "reeve live drift night\n"
      "reeve live shadow guardrails.jsonc --from events.jsonl\n"
      "reeve live shadow guardrails.jsonc --from - --json <events.jsonl\n"
      "reeve live iam guardrails.jsonc >policy.json\n"
      "reeve live template guardrails.jsonc >template.json\n"
      "reeve live template guardrails.jsonc --unit >reeve.service\n"
      "reeve live template guardrails.jsonc --lambda >function.json");
  command.option(
      "WHAT", &arguments->what,
      "doctor: whether the others can work, and what helps; plan: what rules would do "
      "now about the running jobs; enforce: does what a plan says; shadow: what rules would do "
      "about events; run: does it, rule by rule as their modes allow; tick: the same in one pass "
      "over the running jobs; status, log: how the record of a shadow run stands, and its "
      "proposals; drift: what the simulator predicts for its jobs, beside what happened; "
      "iam: the permissions that they need, as an IAM policy; template: a "
      "queue for events, for CloudFormation. Only enforce, run and tick change anything",
      {.required = true,
       .one_of = {"doctor", "plan", "enforce", "shadow", "run", "tick", "status", "log", "drift",
                  "iam", "template"}});
  command.option(
      "CONFIGURATION", &arguments->rules.file,
      "A file with rules, guards and the key \"live\". enforce: the plan of --out. status, log, "
      "drift: the directory of --out. log: also a journal of actions, a file or dynamodb:TABLE",
      {.required = true});
  add_options(command, *arguments);
  on_parse(command, session,
           [&session, arguments] { return run_live(*arguments, session.console); });
}

}  // namespace reeve::app
