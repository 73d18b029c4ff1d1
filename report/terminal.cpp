#include "report/terminal.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "host/check.hpp"
#include "report/display_width.hpp"

namespace reeve::report {
namespace {

constexpr std::size_t margin = 1;  ///< spaces before every line
constexpr std::size_t widest_gap = 3;

std::string spaces(std::size_t count) {
  return std::string(count, ' ');
}

std::string painted(std::string text, Tone tone, bool colour) {
  if (!colour || tone == Tone::plain || text.empty()) return text;
  constexpr std::string_view codes[] = {"", "32", "31", "2", "1"};
  std::string out = "\x1b[";
  out += codes[static_cast<std::size_t>(tone)];
  return out + 'm' + text + "\x1b[0m";
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (end > 0) out.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// A column as drawn: its title in lines, its width, and what footnote marks need beside it.
struct Drawn {
  std::vector<std::string> title;
  std::size_t width = 0;
  std::size_t mark = 0;
};

struct Layout {
  std::vector<Drawn> columns;
  std::size_t gap = widest_gap;

  /// Between column `index` and the next: at least the mark, a space before and one after it.
  std::size_t after(std::size_t index) const {
    if (index + 1 == columns.size()) return 0;
    const std::size_t mark = columns[index].mark;
    return mark > 0 ? std::max(gap, mark + 1) : gap;
  }
  /// Without the margin and without marks of the last column.
  std::size_t width() const {
    std::size_t sum = 0;
    for (std::size_t index = 0; index < columns.size(); ++index) {
      sum += columns[index].width + after(index);
    }
    return sum;
  }
  std::size_t needed() const {
    return margin + width() + (columns.empty() ? 0 : columns.back().mark);
  }
};

Layout lay_out(const Table& table, bool break_titles, std::size_t gap) {
  Layout layout;
  layout.gap = gap;
  for (std::size_t index = 0; index < table.columns.size(); ++index) {
    const std::string title = printable(table.columns[index].title);
    Drawn column;
    column.title = break_titles ? words(title) : std::vector<std::string>{title};
    for (const std::string& line : column.title) {
      column.width = std::max(column.width, display_width(line));
    }
    for (const TableRow& row : table.rows) {
      const Cell& cell = row.cells[index];
      column.width = std::max(column.width, display_width(printable(cell.text)));
      if (cell.footnote == 0) continue;
      column.mark = std::max(column.mark, 1 + display_width(superscript(cell.footnote)));
    }
    layout.columns.push_back(std::move(column));
  }
  return layout;
}

/// The roomiest layout that fits, else the tightest.
Layout best_layout(const Table& table, std::size_t width) {
  for (const bool break_titles : {false, true}) {
    for (std::size_t gap = widest_gap; gap >= 2; --gap) {
      Layout layout = lay_out(table, break_titles, gap);
      if (layout.needed() <= width) return layout;
    }
  }
  return lay_out(table, true, 1);
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string aligned(const std::string& text, std::size_t width, Align align, Tone tone,
                    bool colour) {
  const std::string pad = spaces(width - std::min(width, display_width(text)));
  const std::string shown = painted(text, tone, colour);
  return align == Align::right ? pad + shown : shown + pad;
}

std::string title_lines(const Table& table, const Layout& layout, bool colour) {
  std::size_t height = 0;
  for (const Drawn& column : layout.columns) height = std::max(height, column.title.size());
  std::string out;
  for (std::size_t line = 0; line < height; ++line) {
    std::string text = spaces(margin);
    for (std::size_t index = 0; index < layout.columns.size(); ++index) {
      const Drawn& column = layout.columns[index];
      const std::size_t above = height - column.title.size();  // titles stand on the rule
      const std::string part = line < above ? std::string{} : column.title[line - above];
      text += aligned(part, column.width, table.columns[index].align, Tone::strong, colour);
      text += spaces(layout.after(index));
    }
    out += trimmed(std::move(text));
  }
  return out;
}

std::string row_line(const Table& table, const Layout& layout, const TableRow& row, bool colour) {
  std::string text = spaces(margin);
  for (std::size_t index = 0; index < layout.columns.size(); ++index) {
    const Cell& cell = row.cells[index];
    text += aligned(printable(cell.text), layout.columns[index].width, table.columns[index].align,
                    cell.tone, colour);
    const std::string mark = cell.footnote > 0 ? ' ' + superscript(cell.footnote) : std::string{};
    text += mark;
    text += spaces(layout.after(index) - std::min(layout.after(index), display_width(mark)));
  }
  return trimmed(std::move(text));
}

std::string rule_line(std::size_t width, bool colour) {
  std::string rule;
  for (std::size_t column = 0; column < width; ++column) rule += "─";
  return spaces(margin) + painted(std::move(rule), Tone::faint, colour) + '\n';
}

/// Parts set apart by three spaces.
std::string fact_line(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += spaces(widest_gap);
    text += printable(part);
  }
  return spaces(margin) + text + '\n';
}

/// Notes, then footnotes; the first footnote shares the line of the last note if both fit.
std::string below(const Table& table, std::size_t width) {
  constexpr std::string_view apart = "      ";
  std::vector<std::string> lines;
  for (const std::string& note : table.notes) lines.push_back(printable(note));
  for (std::size_t index = 0; index < table.footnotes.size(); ++index) {
    std::string footnote = superscript(index + 1) + ' ' + printable(table.footnotes[index]);
    const bool shares =
        index == 0 && !lines.empty() &&
        margin + display_width(lines.back()) + apart.size() + display_width(footnote) <= width;
    if (shares) {
      lines.back().append(apart).append(footnote);
    } else {
      lines.push_back(std::move(footnote));
    }
  }
  std::string out;
  for (const std::string& line : lines) out += spaces(margin) + line + '\n';
  return out;
}

}  // namespace

std::string terminal(const Table& table, const TerminalStyle& style) {
  for (const TableRow& row : table.rows) {
    REEVE_CHECK(row.cells.size() == table.columns.size(), "cells in a row of", table.name);
  }
  std::string out;
  for (const auto& parts : table.facts) out += fact_line(parts);
  if (!table.columns.empty()) {
    const Layout layout = best_layout(table, style.width);
    const std::size_t width = layout.width();
    if (!table.facts.empty()) out += '\n';
    out += title_lines(table, layout, style.colour);
    out += rule_line(width, style.colour);
    for (const TableRow& row : table.rows) {
      if (row.rule_above) out += rule_line(width, style.colour);
      out += row_line(table, layout, row, style.colour);
    }
    out += rule_line(width, style.colour);
  }
  out += below(table, style.width);
  for (const TextLine& line : table.closing) {
    const std::string text = printable(line.text);
    out += text.empty() ? "\n" : spaces(margin) + painted(text, line.tone, style.colour) + '\n';
  }
  return out;
}

}  // namespace reeve::report
