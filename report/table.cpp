#include "report/table.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/check.hpp"
#include "report/display_width.hpp"
#include "report/format.hpp"

namespace reeve::report {
namespace {

using nlohmann::ordered_json;

/// Inside a Markdown table cell: one line, no markup of its own.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char character : printable(text)) {
    if (std::string_view{"\\|*_`<[]~"}.find(character) != std::string_view::npos) out += '\\';
    out += character;
  }
  return out;
}

/// The exact decimal as the double nearest to it.
template <class Append, class Value>
double exact(Append append, Value value) {
  std::string text;
  append(text, value);
  return std::strtod(text.c_str(), nullptr);
}

struct ToJson {
  ordered_json operator()(std::monostate) const { return nullptr; }
  ordered_json operator()(policy::Usd amount) const { return exact(append_usd, amount); }
  ordered_json operator()(policy::Duration length) const { return exact(append_seconds, length); }
  template <class Other>
  ordered_json operator()(const Other& value) const {
    return value;
  }
};

ordered_json row_json(const Table& table, const TableRow& row) {
  auto object = ordered_json::object();
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const Cell& cell = row.cells[column];
    object[table.columns[column].key] = std::visit(ToJson{}, cell.value);
  }
  auto marks = ordered_json::object();
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const std::uint8_t footnote = row.cells[column].footnote;
    if (footnote > 0) marks[table.columns[column].key] = footnote;
  }
  if (!marks.empty()) object["footnotes"] = std::move(marks);
  return object;
}

void check_shape(const Table& table) {
  for (const TableRow& row : table.rows) {
    REEVE_CHECK(row.cells.size() == table.columns.size(), "cells in a row of", table.name);
    for (const Cell& cell : row.cells) {
      REEVE_CHECK(cell.footnote <= table.footnotes.size(), "footnote of", cell.text);
    }
  }
}

}  // namespace

Cell cell(std::string_view text) {
  return {std::string{text}, std::string{text}};
}
Cell cell(policy::Usd amount) {
  return {money(amount), amount};
}
Cell cell(policy::Duration length) {
  return {duration(length), length};
}
Cell cell(std::uint64_t number) {
  return {count(number), static_cast<std::int64_t>(number)};
}
Cell cell(double number, std::string text) {
  return {std::move(text), number};
}
Cell no_cell() {
  return {"\u2013", std::monostate{}};
}

Cell marked(Cell cell, std::uint8_t footnote) {
  cell.footnote = footnote;
  return cell;
}

Table without_pictures(const Table& table) {
  Table out = table;
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    if (!table.columns[column].picture) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    out.columns.erase(out.columns.begin() + at);
    for (TableRow& row : out.rows) row.cells.erase(row.cells.begin() + at);
  }
  return out;
}

std::string markdown(const Table& shown) {
  check_shape(shown);
  const Table table = without_pictures(shown);
  std::string out;
  for (const auto& line : table.facts) {
    std::string text;
    for (const std::string& part : line) text += (text.empty() ? "" : " · ") + escaped(part);
    out += text + "  \n";
  }
  if (!table.facts.empty()) out += '\n';
  for (const TableColumn& column : table.columns) out += "| " + escaped(column.title) + ' ';
  out += "|\n";
  for (const TableColumn& column : table.columns) {
    out += column.align == Align::right ? "| --: " : "| :-- ";
  }
  out += "|\n";
  for (const TableRow& row : table.rows) {
    for (const Cell& cell : row.cells) {
      out += "| " + escaped(cell.text) + ' ';
      if (cell.footnote > 0) out += superscript(cell.footnote) + ' ';
    }
    out += "|\n";
  }
  for (const std::string& note : table.notes) out += '\n' + escaped(note) + '\n';
  for (std::size_t index = 0; index < table.footnotes.size(); ++index) {
    out += '\n' + superscript(index + 1) + ' ' + escaped(table.footnotes[index]) + '\n';
  }
  for (const TextLine& line : table.closing) out += '\n' + escaped(line.text) + '\n';
  return out;
}

std::string json(const Table& shown) {
  check_shape(shown);
  const Table table = without_pictures(shown);
  ordered_json out{{"name", table.name}, {"facts", table.facts}};
  auto& columns = out["columns"] = ordered_json::array();
  for (const TableColumn& column : table.columns) {
    columns.push_back({{"key", column.key}, {"title", column.title}});
  }
  auto& rows = out["rows"] = ordered_json::array();
  for (const TableRow& row : table.rows) rows.push_back(row_json(table, row));
  out["notes"] = table.notes;
  out["footnotes"] = table.footnotes;
  auto& closing = out["closing"] = ordered_json::array();
  for (const TextLine& line : table.closing) closing.push_back(line.text);
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace reeve::report
