// reeve completion: scripts that complete commands, options and files in a shell.
#include <fmt/format.h>

#include <memory>

#include "app/command.hpp"
#include "app/command_parser.hpp"
#include "app/exit_code.hpp"
#include "app/gallery.hpp"
#include "app/session.hpp"
#include "policies/registry.hpp"
#include "scenarios/records/price_book.hpp"

namespace reeve::app {
namespace {

std::string options_of(const CommandText& command) {
  std::string out;
  for (const LongOption& option : command.options) out += " --" + option.name;
  return out;
}

/// The words that may stand for the positional arguments of a command; empty: files.
std::string words_of(std::string_view command) {
  std::string out;
  if (command == "init") {
    for (const GalleryScenario& scenario : gallery()) out += fmt::format(" {}", scenario.name);
  }
  if (command == "policies") {
    for (const auto& kind : policies::kinds()) out += fmt::format(" {}", kind.name);
  }
  if (command == "prices") {
    out = " list diff validate";
    for (const auto& book : scenarios::price_book_texts()) out += fmt::format(" {}", book.name);
  }
  if (command == "completion") out = " bash zsh fish";
  return out;
}

std::string names_of(const std::vector<CommandText>& commands) {
  std::string out;
  for (const CommandText& command : commands) out += ' ' + command.name;
  return out;
}

std::string bash(const Program& program) {
  const std::vector<CommandText> commands = command_texts(program);
  std::string cases;
  for (const CommandText& command : commands) {
    const std::string words = command.name == "help" ? names_of(commands) : words_of(command.name);
    cases += fmt::format("    {}) words=\"{}{}\" ;;\n", command.name, options_of(command), words);
  }
  return fmt::format(R"(# bash completion of reeve: source <(reeve completion bash)
_reeve() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" words="" word command=""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
  case "$command" in
    "") words="{}{}" ;;
{}  esac
  COMPREPLY=($(compgen -W "$words{}" -- "$current"))
  if [ -n "$command" ] && [ "${{current#-}}" = "$current" ]; then
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _reeve reeve
)",
                     names_of(commands), "", cases, options_of(program_text(program)));
}

std::string zsh(const Program& program) {
  return "#compdef reeve\n# zsh completion of reeve: source <(reeve completion zsh)\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash(program);
}

/// Between single quotes.
std::string in_single_quotes(std::string_view text) {
  std::string out;
  for (const char character : text) {
    if (character == '\'' || character == '\\') out += '\\';
    out += character;
  }
  return out;
}

std::string fish(const Program& program) {
  std::string out = "# fish completion of reeve: reeve completion fish | source\n";
  for (const CommandText& command : command_texts(program)) {
    out += fmt::format("complete -c reeve -n __fish_use_subcommand -f -a {} -d '{}'\n",
                       command.name, in_single_quotes(command.summary));
    for (const LongOption& option : command.options) {
      out += fmt::format("complete -c reeve -n '__fish_seen_subcommand_from {}' -l {} -d '{}'\n",
                         command.name, option.name, in_single_quotes(option.help));
    }
    if (const std::string words = words_of(command.name); !words.empty()) {
      out += fmt::format("complete -c reeve -n '__fish_seen_subcommand_from {}' -f -a '{}'\n",
                         command.name, words.substr(1));
    }
  }
  return out;
}

}  // namespace

void add_completion(Program& program, Session& session) {
  auto shell = std::make_shared<std::string>();
  Command& command = add_command(program, "completion", "Prints a completion script for a shell",
                                 "source <(reeve completion bash)\n"
                                 "reeve completion fish | source");
  command.option("SHELL", shell.get(), "bash, zsh or fish",
                 {.required = true, .one_of = {"bash", "zsh", "fish"}});
  on_parse(command, session, [&program, &session, shell] {
    session.console.print_as("script", *shell == "bash"  ? bash(program)
                                       : *shell == "zsh" ? zsh(program)
                                                         : fish(program));
    return ExitCode::done;
  });
}

}  // namespace reeve::app
