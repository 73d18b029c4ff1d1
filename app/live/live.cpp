// reeve live: rules beside a real AWS account.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include "app/command.hpp"
#include "app/live/action_journal_file.hpp"
#include "app/live/batch.hpp"
#include "app/live/clean_up.hpp"
#include "app/live/confirm.hpp"
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
  bool removes = false;
  bool confirmed = false;
  std::optional<std::string> older_than;
  std::optional<std::uint32_t> limit;
  bool clean_up = false;
  bool apply = false;
  bool batch = false;
  std::vector<std::string> ids;
  std::vector<std::string> refused;
  bool all = false;
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

/// live orphans and live down.
int live_clean_up(const LiveArguments& arguments, const Console& console) {
  const bool is_down = arguments.what == "down";
  if (arguments.from || arguments.run_length || arguments.out || arguments.detailed_exitcode ||
      !arguments.rules.policies.empty()) {
    throw UsageError{
        "-p, --from, --for, --out and --detailed-exitcode are no options of live " + arguments.what,
        "it follows no rule; reeve help live"};
  }
  const CleanUpArguments run{
      arguments.rules.file, arguments.rules.journal,
      arguments.kill_file,  arguments.older_than,
      arguments.limit,      is_down ? arguments.confirmed : arguments.removes};
  return is_down ? live_down(run, console) : live_orphans(run, console);
}

int live_queues(const LiveArguments& arguments, const Console& console) {
  if (arguments.from || arguments.run_length || arguments.out) {
    throw UsageError{"--from, --for and --out are no options of live batch", "reeve help live"};
  }
  return live_batch({arguments.rules.file, arguments.rules.policies, arguments.apply,
                     arguments.detailed_exitcode, arguments.rules.journal, arguments.kill_file},
                    console);
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

/// An option that belongs to a few of the commands, and whether it was given.
struct Owned {
  bool is_given;
  const char* option;
  std::vector<std::string_view> owners;
};

/// "live run, live tick and live enforce".
std::string commands(const std::vector<std::string_view>& owners) {
  std::string text;
  for (std::size_t at = 0; at < owners.size(); ++at) {
    if (at > 0) text += at + 1 < owners.size() ? ", " : " and ";
    text += "live " + std::string{owners[at]};
  }
  return text;
}

void check_options(const LiveArguments& arguments) {
  const bool filters = !arguments.filter.rules.empty() || !arguments.filter.jobs.empty();
  const std::vector<Owned> options{
      {arguments.enforce, "--enforce", {"iam"}},
      {arguments.clean_up, "--clean-up", {"iam"}},
      {arguments.unit, "--unit", {"template"}},
      {arguments.lambda, "--lambda", {"template"}},
      {filters, "--rule and --job", {"log"}},
      {arguments.status_port.has_value(), "--status-port", {"shadow", "run", "tick"}},
      {arguments.kill_file.has_value(),
       "--kill-file",
       {"run", "tick", "enforce", "batch", "orphans", "down"}},
      {arguments.apply, "--apply", {"batch"}},
      {arguments.batch, "--batch", {"iam"}},
      {arguments.verify, "--verify", {"log"}},
      {arguments.removes, "--delete", {"orphans"}},
      {arguments.older_than.has_value(), "--older-than", {"orphans"}},
      {arguments.confirmed, "--yes", {"down"}},
      {arguments.limit.has_value(), "--limit", {"orphans", "down"}}};
  for (const auto& [is_given, option, owners] : options) {
    if (!is_given || std::find(owners.begin(), owners.end(), arguments.what) != owners.end()) {
      continue;
    }
    const bool is_one = std::string_view{option}.find(" and ") == std::string_view::npos;
    throw UsageError{fmt::format("{} {} of {}", option, is_one ? "is an option" : "are options",
                                 commands(owners)),
                     "reeve help live"};
  }
  const bool needs_file = arguments.what != "orphans" && arguments.what != "down";
  if (needs_file && arguments.rules.file.empty()) {
    throw UsageError{"live " + arguments.what + " needs a file", "reeve help live"};
  }
  if (arguments.unit && arguments.lambda) {
    throw UsageError{"--unit and --lambda exclude each other", "reeve help live"};
  }
  const bool answers = !arguments.ids.empty() || !arguments.refused.empty() || arguments.all;
  if (answers && arguments.what != "confirm") {
    throw UsageError{"ID, --all and --refuse are for live confirm", "reeve help live"};
  }
  if (arguments.all && !arguments.ids.empty()) {
    throw UsageError{"--all confirms every id", "leave the ids out"};
  }
}

int run_live(const LiveArguments& arguments, const Console& console) {
  check_options(arguments);
  const std::string& what = arguments.what;
  if (what == "enforce") return live_enforce(arguments, console);
  if (what == "plan") return live_plan(arguments, console);
  if (what == "shadow") return live_shadow(arguments, console);
  if (what == "run" || what == "tick") return live_act(arguments, console);
  if (what == "batch") return live_queues(arguments, console);
  if (what == "orphans" || what == "down") return live_clean_up(arguments, console);
  check_prints(arguments);
  if (what == "status" || what == "log" || what == "drift") return live_record(arguments, console);
  if (what == "iam") {
    return iam({arguments.rules, arguments.enforce, arguments.clean_up, arguments.batch}, console);
  }
  if (what == "confirm") {
    return confirm({arguments.rules.file, arguments.ids, arguments.refused, arguments.all},
                   console);
  }
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
                 "Writes the text journal. enforce, run, tick, batch, orphans, down: the journal "
                 "of actions, a file or dynamodb:TABLE. Default: in the state directory of the "
                 "user, one for each account and region",
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
                 "plan, batch: exit code 2 if a rule would act, or a setting differs");
  command.option("--apply", &arguments.apply,
                 "batch: changes the account's settings to those of the scenario");
  command.option(
      "--kill-file", &arguments.kill_file,
      "enforce, run, tick, batch, orphans, down: while this file exists, nothing is sent",
      {.type = "FILE"});
  command.option("--verify", &arguments.verify, "log: checks the hashes of a journal of actions");
  command.option("--all", &arguments.all, "confirm: everything that waits");
  command.option("--refuse", &arguments.refused, "confirm: refuses this action for good",
                 {.takes = Takes::one_at_a_time, .type = "ID"});
  command.option("--unit", &arguments.unit,
                 "template: a unit of systemd that runs live run, instead of the queue");
  command.option("--lambda", &arguments.lambda,
                 "template: a function of AWS Lambda that runs the rules, with its queue, schedule "
                 "and table");
  command.option("--enforce", &arguments.enforce,
                 "iam: also the permissions of what the rules may do");
  command.option("--clean-up", &arguments.clean_up, "iam: also those of orphans and down");
  command.option("--batch", &arguments.batch, "iam: also those of batch");
  command.option("--delete", &arguments.removes, "orphans: removes them. Default: lists them");
  command.option("--yes", &arguments.confirmed,
                 "down: removes what it finds. Default: shows what it would remove");
  command.option("--older-than", &arguments.older_than,
                 "orphans: only those of jobs that ended so long ago. Default: 1h",
                 {.type = "TEXT"});
  command.option("--limit", &arguments.limit, "orphans, down: removals of a run. Default: 100",
                 {.whole_in = WholeNumbers{1, 5'000}});
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
      "reeve live batch queues.jsonc -p quota\n"
      "reeve live batch queues.jsonc -p quota --apply\n"
      "reeve live log actions.db --verify\n"
      "reeve live orphans --older-than 1d\n"
      "reeve live orphans guardrails.jsonc --delete\n"
      "reeve live down guardrails.jsonc --yes\n"
      "reeve live confirm guardrails.jsonc --all\n"
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
      "over the running jobs; confirm: lists what waits for a person, or answers; batch: how the "
      "queues of AWS Batch differ from those of a scenario, and with --apply changes them; status, "
      "log: how the record of a shadow run stands, and its "
      "proposals; drift: what the simulator predicts for its jobs, beside what happened; "
      "orphans: alarms and instances that have outlived their training job; down: those that reeve "
      "created; iam: the permissions that they need, as an IAM policy; template: a "
      "queue for events, for CloudFormation. Only enforce, run, tick, batch --apply, orphans "
      "--delete "
      "and down --yes change anything",
      {.required = true,
       .one_of = {"doctor", "plan", "enforce", "shadow", "run", "tick", "confirm", "batch",
                  "status", "log", "drift", "orphans", "down", "iam", "template"}});
  command.option(
      "CONFIGURATION", &arguments->rules.file,
      "A file with rules, guards and the key \"live\". batch: a scenario with queues. enforce: the "
      "plan of --out. status, log, drift: the directory of --out. log: also a journal of actions, "
      "a file or dynamodb:TABLE. confirm: a journal of actions, or the configuration of its "
      "account. orphans, down: may be "
      "absent");
  command.option("ID", &arguments->ids, "confirm: actions to confirm; none: lists what waits");
  add_options(command, *arguments);
  on_parse(command, session,
           [&session, arguments] { return run_live(*arguments, session.console); });
}

}  // namespace reeve::app
