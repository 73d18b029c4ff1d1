// The reference page of the commands: what --help prints.
#include <fmt/format.h>

#include "app/command.hpp"
#include "app/command_parser.hpp"
#include "app/docs.hpp"
#include "app/docs/markdown.hpp"

namespace reeve::app {
namespace {

/// Without spaces at the ends of lines, and without empty lines around.
std::string tidied(std::string_view help) {
  std::string out;
  for (const char c : help) {
    if (c == '\n') out.erase(out.find_last_not_of(' ') + 1);
    if (c != '\n' || !out.empty()) out += c;
  }
  out.erase(out.find_last_not_of(" \n") + 1);
  return out;
}

std::string block(const CommandText& command) {
  return fmt::format("```text\n{}\n```\n", tidied(command.help));
}

}  // namespace

DocsPage commands_page(const Program& program) {
  std::string text = docs_head("Commands", "the commands in app/");
  text += block(program_text(program));
  for (const CommandText& command : command_texts(program)) {
    text += fmt::format("\n## reeve {}\n\n{}\n\n{}", command.name,
                        docs_prose(docs_sentence(command.summary), "../"), block(command));
  }
  text +=
      "\n## Exit codes\n\n"
      "| Code | Meaning |\n|---|---|\n"
      "| 0 | The command succeeded. |\n"
      "| 1 | The command failed while it ran, for example because a file cannot be written. |\n"
      "| 2 | Only with `--detailed-exitcode`: a rule would act, or a queue of AWS Batch "
      "differs. |\n"
      "| 3 | The scenario, policy or trace is invalid. |\n"
      "| 4 | AWS credentials are missing or invalid, or a call of AWS failed. |\n"
      "| 5 | A plan is stale, or a guard or the kill file refuses to go on: nothing more is "
      "changed. |\n"
      "| 64 | The command line is invalid. |\n"
      "| 99 | An `expect` line is not true. |\n"
      "| 130 | The command was interrupted (Ctrl-C). |\n";
  return {"commands.md", std::move(text)};
}

}  // namespace reeve::app
