// reeve live: rules beside a real AWS account.
#include <memory>

#include "app/command.hpp"
#include "app/live/shadow.hpp"
#include "app/session.hpp"

namespace reeve::app {

void add_live(Program& program, Session& session) {
  struct LiveArguments {
    std::string what;
    ShadowArguments shadow;
  };
  auto arguments = std::make_shared<LiveArguments>();
  Command& command = add_command(
      program, "live", "Observes an AWS account and reports what rules would do",
      "reeve live shadow guardrails.jsonc --from events.jsonl\n"
      "reeve live shadow guardrails.jsonc --from - --json <events.jsonl\n"
      "reeve live shadow guardrails.jsonc --from events.jsonl --journal shadow.journal");
  command.option("WHAT", &arguments->what, "shadow: rules decide, and nothing is changed",
                 {.required = true, .one_of = {"shadow"}});
  command.option("CONFIGURATION", &arguments->shadow.file,
                 "A file with rules, guards and the key \"live\"", {.required = true});
  command.option("--from", &arguments->shadow.from,
                 "File with events of EventBridge, one per line; - is standard input",
                 {.required = true, .type = "FILE"});
  command.option("-p,--policy", &arguments->shadow.policies,
                 "Policy of the configuration. Default: the only one",
                 {.takes = Takes::one_at_a_time, .type = "NAME"});
  command.option("--journal", &arguments->shadow.journal, "Writes the text journal",
                 {.type = "FILE"});
  on_parse(command, session,
           [&session, arguments] { return shadow(arguments->shadow, session.console); });
}

}  // namespace reeve::app
