// reeve export: what a scenario proposes, as the service takes it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/files/output_place.hpp"
#include "app/files/text_file.hpp"
#include "app/live/recording.hpp"
#include "app/session.hpp"
#include "app/study/study_arguments.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "scenarios/exchange/batch.hpp"
#include "scenarios/text/aws_names.hpp"

namespace reeve::app {
namespace {

struct ExportArguments {
  std::string kind;
  StudyArguments study;
  std::string format = "cloudformation";
  std::string out;
  scenarios::BatchPlace place;
};

int export_template(const ExportArguments& arguments, const scenarios::Scenario& scenario,
                    const scenarios::BatchSet& set, const Console& console) {
  const std::string text = scenarios::cloudformation_text(
      set, fmt::format("AWS Batch queues of the scenario {}", scenario.name));
  if (arguments.out.empty()) {
    console.print(text);
    return ExitCode::done;
  }
  check_output_copy(arguments.out, text, "-o");
  write_text_file(arguments.out, text);
  console.wrote(std::array{arguments.out});
  console.note(fmt::format("next: aws cloudformation deploy --stack-name NAME --template-file {}\n",
                           shell_word(arguments.out)));
  return ExitCode::done;
}

void check_place(const ExportArguments& arguments, const scenarios::BatchSet& set) {
  const bool needed =
      std::any_of(set.queues.begin(), set.queues.end(), [](const scenarios::BatchQueue& queue) {
        return queue.order != scenarios::BatchOrder::fifo;
      });
  if (!needed || !arguments.place.region.empty()) return;
  throw UsageError{"the ARN of the scheduling policy needs a region and an account",
                   "use --region us-east-1 --account 123456789012, or --format cloudformation"};
}

int export_calls(const ExportArguments& arguments, const scenarios::BatchSet& set,
                 const Console& console) {
  check_place(arguments, set);
  const auto calls = scenarios::batch_calls(set, arguments.place);
  if (arguments.out.empty()) {
    auto all = nlohmann::ordered_json::array();
    for (const scenarios::BatchCall& call : calls) {
      all.push_back({{"command", "aws batch " + call.operation},
                     {"input", nlohmann::ordered_json::parse(call.text)}});
    }
    console.print(all.dump(2) + '\n');
    return ExitCode::done;
  }
  const std::filesystem::path folder = arguments.out;
  std::vector<std::string> written;
  for (const scenarios::BatchCall& call : calls) {
    check_output_copy(folder / call.file, call.text, "-o");
  }
  for (const scenarios::BatchCall& call : calls) {
    write_text_file(folder / call.file, call.text);
    written.push_back((folder / call.file).generic_string());
  }
  console.wrote(written);
  console.note("next, in this order; each queue must be VALID before its quota shares:\n");
  for (std::size_t each = 0; each < calls.size(); ++each) {
    console.note(fmt::format("  aws batch {} --cli-input-json {}\n", calls[each].operation,
                             shell_word("file://" + written[each])));
  }
  return ExitCode::done;
}

void check_words(const scenarios::BatchPlace& place) {
  if (place.region.empty() != place.account.empty()) {
    throw UsageError{"--region and --account must be used together", "reeve help export"};
  }
  if (place.region.empty()) return;
  if (!scenarios::is_region(place.region)) {
    throw UsageError{fmt::format("{} is not an AWS region", shell_word(place.region)),
                     "--region us-east-1"};
  }
  if (!scenarios::is_account(place.account)) {
    throw UsageError{fmt::format("{} is not an AWS account", shell_word(place.account)),
                     "write 12 digits: --account 123456789012"};
  }
}

int export_batch(const ExportArguments& arguments, const Console& console) {
  check_words(arguments.place);
  const scenarios::Scenario scenario = load_scenario(arguments.study, console);
  const auto read = scenarios::batch_of(scenario, only_policy(scenario, arguments.study.policies));
  show_warnings(console, read.warnings);
  return arguments.format == "cli" ? export_calls(arguments, read.set, console)
                                   : export_template(arguments, scenario, read.set, console);
}

/// Prints or writes the recording of one run.
int export_events(const ExportArguments& arguments, const Console& console) {
  const scenarios::Scenario scenario = load_scenario(arguments.study, console);
  const scenarios::PolicySpec& policy = only_policy(scenario, arguments.study.policies);
  check_recordable(scenario);
  const Recording recording = record_events(scenario, policy, false);
  if (arguments.out.empty()) {
    std::ostringstream text;
    text.exceptions(std::ios::badbit);  // else a text for which memory is missing ends early
    write_events(recording, text);
    console.print(text.view());
  } else {
    check_output_file(arguments.out, "{\"event\":", "-o");
    write_file(arguments.out, [&](std::ostream& out) { write_events(recording, out); });
    console.wrote(std::array{arguments.out});
  }
  for (const auto& [what, count] : recording.left_out) {
    console.note(fmt::format("{} observations {} have no event of AWS\n", count, what));
  }
  return ExitCode::done;
}

}  // namespace

void add_export(Program& program, Session& session) {
  auto arguments = std::make_shared<ExportArguments>();
  Command& command = add_command(
      program, "export", "Writes the queues of a scenario for AWS Batch, or its events",
      "reeve export batch head-of-line.jsonc -p quota -o queues.json\n"
      "reeve export batch queues.jsonc --format cli --region us-east-1 --account 123456789012 "
      "-o calls\n"
      "reeve export events week.jsonc -p guardrails -o events.jsonl");
  command.option(
      "KIND", &arguments->kind,
      "batch: queues of AWS Batch; events: what the scenario's fleet tells, as events of "
      "EventBridge, one per line",
      {.required = true, .one_of = {"batch", "events"}});
  command.option("FILE", &arguments->study.file, "The scenario file", {.required = true});
  command.option("-p,--policy", &arguments->study.policies,
                 "The policy to export. Required if the scenario has several");
  command.option("--format", &arguments->format,
                 "A CloudFormation template, or input files for the AWS CLI",
                 {.one_of = {"cloudformation", "cli"}, .shows_default = true});
  command.option("-o,--out", &arguments->out,
                 "The file (cli: the folder) to write. Default: stdout");
  command.option("--region", &arguments->place.region,
                 "cli: the region in the ARN of a scheduling policy");
  command.option("--account", &arguments->place.account,
                 "cli: the account of 12 digits in that ARN");
  on_parse(command, session, [&session, arguments] {
    return arguments->kind == "events" ? export_events(*arguments, session.console)
                                       : export_batch(*arguments, session.console);
  });
}

}  // namespace reeve::app
