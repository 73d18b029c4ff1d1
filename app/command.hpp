// What the program understands, as data: its commands, their options and where the values go.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace reeve::app {

struct Session;

/// Where the value of an option goes; an option with a bool is a flag.
using Target =
    std::variant<bool*, std::string*, std::optional<std::string>*, std::vector<std::string>*,
                 std::uint32_t*, std::optional<std::uint32_t>*, std::uint64_t*,
                 std::optional<std::uint64_t>*, std::optional<double>*>;

/// How many words an option takes.
enum class Takes {
  what_target_holds,  ///< one, or for a list all words up to the next option
  one_at_a_time,      ///< of a list: one, and the option may be repeated
  one,
  one_or_none,
};

struct WholeNumbers {
  std::uint64_t min = 0;
  std::uint64_t max = std::numeric_limits<std::uint64_t>::max();
};

struct Numbers {
  double min = 0;
  double max = 0;
};

/// What a value has to be, and how the help shows it.
struct Form {
  bool required = false;
  bool comma_separated = false;
  Takes takes = Takes::what_target_holds;
  std::vector<std::string> one_of = {};       ///< empty: any word
  std::optional<WholeNumbers> whole_in = {};  ///< in decimal digits: no sign, fraction or exponent
  std::optional<Numbers> between = {};
  bool shows_default = false;  ///< the help has what the target holds at first
  bool hidden = false;         ///< an old name: still read, but in no help
  std::string type = {};       ///< in the help; empty: that of the target
};

struct Option {
  std::string names;  ///< "-o,--out"; without dashes it is an argument by its place
  Target target;
  std::string help;
  Form form;
};

struct Command {
  std::string name;
  std::string summary;
  std::string footer;  ///< below its help
  std::vector<Option> options = {};
  std::function<void()> on_parse = {};  ///< called when all words are read, if it is the one chosen

  void option(std::string names, Target target, std::string help, Form form = {});
};

/// The options of the program itself go with each of its commands.
struct Program : Command {
  std::string version;
  std::deque<Command> commands = {};  ///< these stay where they are when others are added
};

/// Adds a command; `examples` are shown below its help, one command per line.
Command& add_command(Program& program, const std::string& name, const std::string& summary,
                     const std::string& examples);

/// Parsing `command` chooses `action`.
void on_parse(Command& command, Session& session, std::function<int()> action);

}  // namespace reeve::app
