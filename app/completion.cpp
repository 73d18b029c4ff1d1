// reeve completion: scripts that complete commands, options and files in a shell.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "app/command.hpp"
#include "app/command_parser.hpp"
#include "app/docs/error_codes.hpp"
#include "app/docs/gallery.hpp"
#include "app/exit_code.hpp"
#include "app/explain/key.hpp"
#include "app/session.hpp"
#include "policies/registry.hpp"
#include "scenarios/records/price_book.hpp"
#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/json.hpp"
#include "scenarios/text/source.hpp"

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

/// What stands before a value of the option, one pattern each: `--format`, `-p`.
std::vector<std::string> spellings(const Option& option) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < option.names.size();) {
    const std::size_t end = std::min(option.names.find(',', at), option.names.size());
    out.push_back(option.names.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

bool takes_policies(const Option& option) {
  return option.names.ends_with("--policy") || option.names == "--baseline";
}

/// The values of options, as cases of "COMMAND OPTION".
std::string value_cases(const Program& program) {
  std::string cases;
  for (const Command& command : program.commands) {
    for (const Option& option : command.options) {
      const bool named = option.names.starts_with('-') && !option.form.hidden;
      if (!named || (option.form.one_of.empty() && !takes_policies(option))) continue;
      std::string patterns;
      for (const std::string& name : spellings(option)) {
        patterns += fmt::format("{}\"{} {}\"", patterns.empty() ? "" : "|", command.name, name);
      }
      cases += takes_policies(option)
                   ? fmt::format("    {}) values=$(_reeve_names policies \"$file\") ;;\n", patterns)
                   : fmt::format("    {}) values=\"{}\" ;;\n", patterns,
                                 fmt::join(option.form.one_of, " "));
    }
  }
  return cases;
}

std::string bash(const Program& program) {
  const std::vector<CommandText> commands = command_texts(program);
  std::string cases;
  for (const CommandText& command : commands) {
    const std::string words = command.name == "help" ? names_of(commands) : words_of(command.name);
    const bool explains = command.name == "explain";
    cases += fmt::format("    {}) words=\"{}{}{}\" ;;\n", command.name, options_of(command), words,
                         explains ? " $(_reeve_names topics \"$file\")" : "");
  }
  return fmt::format(R"(# bash completion of reeve: source <(reeve completion bash)
_reeve_names() {{ reeve completion bash --names "$1" --of "$2" 2>/dev/null; }}
_reeve() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  local words="" values="" word command="" file="" list=""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
  for word in "${{COMP_WORDS[@]:1}}"; do
    case "$word" in *.jsonc|*.json) [ ! -f "$word" ] || file="$word" ;; esac
  done
  case "$command $previous" in
{}  esac
  if [ -n "$values" ]; then
    case "$current" in *,*) list="${{current%,*}}," ;; esac
    COMPREPLY=($(compgen -P "$list" -W "$values" -- "${{current##*,}}"))
    return
  fi
  case "$command" in
    "") words="{}" ;;
{}  esac
  COMPREPLY=($(compgen -W "$words{}" -- "$current"))
  if [ -n "$command" ] && [ "${{current#-}}" = "$current" ]; then
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _reeve reeve
)",
                     value_cases(program), names_of(commands), cases,
                     options_of(program_text(program)));
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

/// The values of the options of a command.
std::string fish_values(const Command& command) {
  std::string out;
  for (const Option& option : command.options) {
    if (!option.names.starts_with('-') || option.form.hidden) continue;
    std::string values;
    if (takes_policies(option)) values = "(_reeve_names policies)";
    if (!option.form.one_of.empty()) values = fmt::format("{}", fmt::join(option.form.one_of, " "));
    if (values.empty()) continue;
    std::string names;
    for (const std::string& name : spellings(option)) {
      names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    out += fmt::format("complete -c reeve -n '__fish_seen_subcommand_from {}'{} -x -a '{}'\n",
                       command.name, names, values);
  }
  return out;
}

std::string fish(const Program& program) {
  std::string out =
      "# fish completion of reeve: reeve completion fish | source\n"
      "function _reeve_names\n"
      "  set -l file (commandline -opc | string match -r '.*[.]jsonc?$')\n"
      "  reeve completion fish --names $argv[1] --of \"$file[-1]\" 2>/dev/null\n"
      "end\n";
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
  for (const Command& command : program.commands) out += fish_values(command);
  return out +
         "complete -c reeve -n '__fish_seen_subcommand_from explain' -a '(_reeve_names topics)'\n";
}

/// What the scripts request while a line is typed.
struct Names {
  std::string kind;  ///< empty: the script itself
  std::string file;
};

/// A name that a shell can complete as one word.
void add_name(std::string_view name, std::string& out) {
  if (name.empty() || name.find_first_of(" \t\n\r'\"`$\\*?") != name.npos) return;
  out += fmt::format("{}\n", name);
}

/// Of the scenario as it is written: it may be incomplete.
std::string names_in(const scenarios::Node& root, bool policies) {
  std::string out;
  if (const auto all = root.find("policies"); policies && all && all->is_object()) {
    for (const scenarios::Node policy : all->as_object()) add_name(policy.key(), out);
  }
  if (policies) return out;
  for (const char* const list : {"jobs", "queues", "fleet"}) {
    const auto all = root.find(list);
    if (!all || !all->is_array()) continue;
    for (const scenarios::Node entry : all->as_array()) {
      const auto name = entry.find("name");
      if (name && name->is_text()) add_name(name->as_text(), out);
    }
  }
  return out;
}

std::string names_for(const Names& names) {
  std::string out;
  if (names.kind == "topics") {
    for (const ErrorCode& code : error_codes()) add_name(code.code, out);
    for (const std::string& key : known_keys()) add_name(key, out);
  }
  if (names.file.empty()) return out;
  try {
    const auto document = scenarios::Document::parse(scenarios::SourceFile::load(names.file));
    out += names_in(document.root(), names.kind == "policies");
  } catch (const scenarios::InputError&) {  // `reeve check` says what is wrong
  }
  return out;
}

}  // namespace

void add_completion(Program& program, Session& session) {
  auto shell = std::make_shared<std::string>();
  auto names = std::make_shared<Names>();
  Command& command = add_command(program, "completion", "Prints a completion script for a shell",
                                 "source <(reeve completion bash)\n"
                                 "reeve completion fish | source");
  command.option("SHELL", shell.get(), "bash, zsh or fish",
                 {.required = true, .one_of = {"bash", "zsh", "fish"}});
  command.option("--names", &names->kind, "Names of this kind, one a line",
                 {.one_of = {"policies", "topics"}, .hidden = true});
  command.option("--of", &names->file, "The scenario with the names", {.hidden = true});
  on_parse(command, session, [&program, &session, shell, names] {
    if (!names->kind.empty()) {
      session.console.print_as("names", names_for(*names));
      return ExitCode::done;
    }
    session.console.print_as("script", *shell == "bash"  ? bash(program)
                                       : *shell == "zsh" ? zsh(program)
                                                         : fish(program));
    return ExitCode::done;
  });
}

}  // namespace reeve::app
