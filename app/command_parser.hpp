// Reads command lines, and shows commands and options as help and completions have them; what it
// is made of (CLI11) stays within it.
#pragma once

#include <string>
#include <vector>

namespace reeve::app {

struct Program;

/// What a command line requests.
struct Request {
  enum class Kind { command, help, version };
  Kind kind = Kind::command;
  bool json = false;      ///< for help and version, which come before flags reach their targets
  std::string help = {};  ///< the text that is requested
};

/// Gives the options' values to their targets and calls `on_parse` of the command.
/// Throws UsageError.
Request parse(const Program& program, std::vector<std::string> words);

/// A long option, without its dashes.
struct LongOption {
  std::string name;
  std::string help;
};

/// A command, or the program itself, as people see it.
struct CommandText {
  std::string name;
  std::string summary;
  std::string help;  ///< the whole text
  std::vector<LongOption> options;
};

CommandText program_text(const Program& program);
std::vector<CommandText> command_texts(const Program& program);

}  // namespace reeve::app
