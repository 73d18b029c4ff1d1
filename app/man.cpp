// reeve man: the manual page of the program, in the format of man(7).
#include <fmt/format.h>

#include "app/command.hpp"
#include "app/exit_code.hpp"
#include "app/session.hpp"
#include "reeve/version.hpp"

namespace reeve::app {
namespace {

/// Text that troff prints as it stands: no escapes, no hyphens for dashes, no line that is a
/// request.
std::string roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

bool is_flag(const Option& option) {
  return std::holds_alternative<bool*>(option.target);
}

/// The option as it is typed: `-o, --out VALUE`.
std::string typed(const Option& option) {
  std::string out;
  for (const char c : option.names) out += c == ',' ? std::string{", "} : std::string{c};
  const bool positional = !option.names.starts_with('-');
  if (positional || is_flag(option)) return out;
  return out + ' ' + (option.form.type.empty() ? "VALUE" : option.form.type);
}

std::string options_text(const Command& command) {
  std::string out;
  for (const Option& option : command.options) {
    if (option.form.hidden) continue;
    out += fmt::format(".TP\n.B {}\n{}\n", roff(typed(option)), roff(option.help));
    if (option.form.one_of.empty()) continue;
    out += roff(fmt::format("One of: {}.", fmt::join(option.form.one_of, ", "))) + '\n';
  }
  return out;
}

std::string synopsis(const Command& command) {
  std::string out = "reeve " + command.name;
  for (const Option& option : command.options) {
    if (option.names.starts_with('-')) continue;
    out += option.form.required ? ' ' + option.names : fmt::format(" [{}]", option.names);
  }
  return out + " [options]";
}

std::string manual_page(const Program& program) {
  std::string out = fmt::format(
      ".TH REEVE 1 \"\" \"reeve {}\" \"User Commands\"\n"
      ".SH NAME\nreeve \\- backtest the rules that govern ML training fleets\n"
      ".SH SYNOPSIS\n.B reeve\n.I COMMAND\n[options]\n.SH OPTIONS\n"
      "These options go with every command.\n{}.SH COMMANDS\n",
      kVersion, options_text(program));
  for (const Command& command : program.commands) {
    out += fmt::format(".SS {}\n{}\n{}.PP\n.nf\n{}\n.fi\n", roff(synopsis(command)),
                       roff(command.summary), options_text(command), roff(command.footer));
  }
  out += fmt::format(".SH EXIT STATUS\n.nf\n{}\n.fi\n", roff(program.footer));
  return out +
         ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf it is set, output has no colors.\n"
         ".SH SEE ALSO\nreeve explain describes each code, key, rule, metric, column and table "
         "header.\n";
}

}  // namespace

void add_man(Program& program, Session& session) {
  Command& command = add_command(program, "man", "Prints the manual page, for man -l",
                                 "reeve man >reeve.1 && man -l reeve.1");
  on_parse(command, session, [&program, &session] {
    session.console.print_as("page", manual_page(program));
    return ExitCode::done;
  });
}

}  // namespace reeve::app
