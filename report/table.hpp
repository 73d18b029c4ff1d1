// A table as data: the output of a command, independent of where it is printed.
//
// Terminal, Markdown and JSON are drawn from the same table, so everything printed is exported.
#pragma once

#include <cstdint>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace reeve::report {

enum class Align : std::uint8_t { left, right };

/// Meaning, not colour: the terminal chooses a colour, other formats ignore it.
enum class Tone : std::uint8_t { plain, good, bad, faint, strong };

/// A column; `key` is its name in JSON, with the unit as suffix: "wasted_usd", "noticed_s".
struct TableColumn {
  std::string key;
  std::string title;
  Align align = Align::right;
  bool picture = false;  ///< of numbers of the row: for a terminal with room for it, not exported
};

/// Text for people, and the exact value for programs (monostate: unknown).
struct Cell {
  std::string text;
  std::variant<std::monostate, std::string, bool, std::int64_t, double, policy::Usd,
               policy::Duration>
      value;
  std::uint8_t footnote = 0;  ///< index into `footnotes`, from 1; 0: none
  Tone tone = Tone::plain;
};

Cell cell(std::string_view text);
Cell cell(policy::Usd amount);       ///< "$17,280.00"
Cell cell(policy::Duration length);  ///< "143h05m00s"
Cell cell(std::uint64_t number);     ///< "1,234"
Cell cell(double number, std::string text);
/// "–": there is no value.
Cell no_cell();
/// `cell` with a mark for `footnotes[footnote - 1]`.
Cell marked(Cell cell, std::uint8_t footnote);

/// One row has one cell per column.
struct TableRow {
  std::vector<Cell> cells;
  bool rule_above = false;
};

/// A line of text of one tone.
struct TextLine {
  std::string text;
  Tone tone = Tone::plain;
};

/// Everything that a command prints on stdout.  `facts` are above the table, each line in separate
/// parts; `notes` and `footnotes` are below it; `closing` is last.
struct Table {
  std::string name;  ///< of the table in JSON: the scenario
  std::vector<std::vector<std::string>> facts;
  std::vector<TableColumn> columns;
  std::size_t names = 1;  ///< number of leading columns that identify a row; at least 1
  std::vector<TableRow> rows;
  std::vector<std::string> notes;
  std::vector<std::string> footnotes;
  std::vector<TextLine> closing;
};

/// The table without its pictures.
Table without_pictures(const Table& table);

/// GitHub-flavoured Markdown.
std::string markdown(const Table& table);

/// {"name", "facts", "columns", "rows", "notes", "footnotes", "closing"}; rows are objects by
/// column key with exact values: dollars and seconds as numbers.  Ends with a line feed.
std::string json(const Table& table);

}  // namespace reeve::report
