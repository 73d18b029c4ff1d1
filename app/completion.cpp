// reeve completion: scripts that complete commands, options and files in a shell.
#include <fmt/format.h>

#include <memory>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/gallery.hpp"
#include "policies/registry.hpp"
#include "scenarios/price_book.hpp"

namespace reeve::app {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

std::string options_of(const CLI::App& app) {
  std::string out;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) out += " --" + name;
  }
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

std::string command_names(const CLI::App& program) {
  std::string out;
  for (const CLI::App* command : commands_of(program)) out += ' ' + command->get_name();
  return out;
}

std::string bash(const CLI::App& program) {
  std::string cases;
  for (const CLI::App* command : commands_of(program)) {
    const std::string name = command->get_name();
    std::string words = words_of(name);
    if (name == "help") words = command_names(program);
    cases += fmt::format("    {}) words=\"{}{}\" ;;\n", name, options_of(*command), words);
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
                     command_names(program), "", cases, options_of(program));
}

std::string zsh(const CLI::App& program) {
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

std::string fish(const CLI::App& program) {
  std::string out = "# fish completion of reeve: reeve completion fish | source\n";
  for (const CLI::App* command : commands_of(program)) {
    const std::string name = command->get_name();
    out += fmt::format("complete -c reeve -n __fish_use_subcommand -f -a {} -d '{}'\n", name,
                       in_single_quotes(command->get_description()));
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& long_name : option->get_lnames()) {
        out += fmt::format("complete -c reeve -n '__fish_seen_subcommand_from {}' -l {} -d '{}'\n",
                           name, long_name, in_single_quotes(option->get_description()));
      }
    }
    if (const std::string words = words_of(name); !words.empty()) {
      out += fmt::format("complete -c reeve -n '__fish_seen_subcommand_from {}' -f -a '{}'\n", name,
                         words.substr(1));
    }
  }
  return out;
}

}  // namespace

void add_completion(CLI::App& program, Session& session) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = add_command(program, "completion", "A completion script for a shell",
                                  "source <(reeve completion bash)\n"
                                  "reeve completion fish | source");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  on_parse(*command, session, [&program, &session, shell] {
    session.console.print_as("script", *shell == "bash"  ? bash(program)
                                       : *shell == "zsh" ? zsh(program)
                                                         : fish(program));
    return ExitCode::done;
  });
}

}  // namespace reeve::app
