// Where a command prints: data on stdout, messages on stderr, colour only for people.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.hpp"

namespace reeve::app {

/// What the global flags ask for, and what the two streams are.
class Console {
 public:
  bool quiet = false;
  bool verbose = false;
  bool json = false;
  bool logs = false;      ///< each message is a line of JSON, for what collects logs
  bool no_color = false;  ///< the flag; NO_COLOR and pipes count as well
  std::vector<std::string> plugins = {};  ///< shared objects with rules

  bool colour_out() const;
  bool colour_err() const;
  /// Whether stderr is a terminal, so that a progress bar makes sense.
  bool watched() const;
  /// Columns of the terminal; 100 if there is none: as the tables are drawn.
  std::size_t width() const;

  /// Data.  Throws std::runtime_error if stdout does not take it.
  void print(std::string_view text) const;
  void print(const report::Table& table) const;  ///< as JSON under --json
  /// A text of a command whose output is no table: under --json the value of `key`.
  void print_as(std::string_view key, std::string_view text) const;
  /// Files that were written: a message, and under --json data.
  void wrote(std::span<const std::string> files) const;
  /// A command of reeve as it must be given after this one: with the same plug-ins.
  std::string next(std::string_view command) const;
  /// A message: silent under -q.
  void note(std::string_view text) const;
  /// A message only under -v.
  void detail(std::string_view text) const;
  /// A message that must be heard.
  void complain(std::string_view text) const;
};

}  // namespace reeve::app
