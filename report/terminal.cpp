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

/// How closely a table is drawn.
struct Tightness {
  std::size_t gap = widest_gap;
  bool break_titles = false;
  bool stack = false;                          ///< "± 2" and "[0, 4]" stand below their value
  std::size_t text_width = std::string::npos;  ///< of a last column of words, which are broken
};

constexpr std::size_t narrowest_text = 16;

/// A column as drawn: its title in lines, its width, and what footnote marks need beside it.
struct Drawn {
  std::size_t index = 0;  ///< in the table
  std::vector<std::string> title;
  std::size_t width = 0;
  std::size_t mark = 0;
};

struct Layout {
  std::vector<Drawn> columns;
  Tightness tightness;

  /// Between column `index` and the next: at least the mark, a space before and one after it.
  std::size_t after(std::size_t index) const {
    if (index + 1 == columns.size()) return 0;
    const std::size_t mark = columns[index].mark;
    return mark > 0 ? std::max(tightness.gap, mark + 1) : tightness.gap;
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

/// Words in lines of at most `width`, longer ones alone.
std::vector<std::string> filled(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string& word : words(text)) {
    if (!lines.empty() && display_width(lines.back()) + 1 + display_width(word) <= width) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

bool holds_words(const Table& table, std::size_t column) {
  return column > 0 && column + 1 == table.columns.size() &&
         table.columns[column].align == Align::left;
}

std::vector<std::string> cell_lines(const Table& table, const TableRow& row, std::size_t column,
                                    const Tightness& tightness) {
  std::string text = printable(row.cells[column].text);
  if (holds_words(table, column) && display_width(text) > tightness.text_width) {
    return filled(text, tightness.text_width);
  }
  if (!tightness.stack) return {std::move(text)};
  const std::size_t half = std::min(text.find(" ± "), text.find(" ["));
  if (half == std::string::npos) return {std::move(text)};
  return {text.substr(0, half), text.substr(half + 1)};
}

Drawn draw_column(const Table& table, std::size_t index, const Tightness& tightness) {
  Drawn column;
  column.index = index;
  for (const TableRow& row : table.rows) {
    const Cell& cell = row.cells[index];
    for (const std::string& line : cell_lines(table, row, index, tightness)) {
      column.width = std::max(column.width, display_width(line));
    }
    if (cell.footnote == 0) continue;
    column.mark = std::max(column.mark, 1 + display_width(superscript(cell.footnote)));
  }
  const std::string title = printable(table.columns[index].title);
  column.title = {title};
  if (tightness.break_titles) {
    for (const std::string& word : words(title)) {
      column.width = std::max(column.width, display_width(word));
    }
    column.title = filled(title, column.width);
  }
  for (const std::string& line : column.title) {
    column.width = std::max(column.width, display_width(line));
  }
  return column;
}

Layout lay_out(const Table& table, const Tightness& tightness) {
  Layout layout;
  layout.tightness = tightness;
  for (std::size_t index = 0; index < table.columns.size(); ++index) {
    layout.columns.push_back(draw_column(table, index, tightness));
  }
  return layout;
}

/// What does not fit beside what the rows are of goes on below it, in further blocks.
std::vector<Layout> folded(const Layout& layout, std::size_t names, std::size_t width) {
  std::vector<Layout> blocks;
  const auto rest = layout.columns.begin() + static_cast<std::ptrdiff_t>(names);
  for (std::size_t index = names; index < layout.columns.size(); ++index) {
    if (!blocks.empty()) {
      blocks.back().columns.push_back(layout.columns[index]);
      if (blocks.back().needed() <= width) continue;
      blocks.back().columns.pop_back();
    }
    blocks.push_back({{layout.columns.begin(), rest}, layout.tightness});
    blocks.back().columns.push_back(layout.columns[index]);
  }
  if (blocks.empty()) blocks.push_back(layout);
  return blocks;
}

/// The roomiest layout that fits, else several.  There is a column.
std::vector<Layout> best_layout(const Table& table, std::size_t width) {
  for (const auto& [break_titles, stack] : {std::pair{false, false}, {true, false}, {true, true}}) {
    for (std::size_t gap = widest_gap; gap >= (stack ? 1u : 2u); --gap) {
      Layout layout = lay_out(table, {gap, break_titles, stack});
      if (layout.needed() <= width) return {std::move(layout)};
    }
  }
  Tightness tightest{2, true, true};
  const Layout layout = lay_out(table, tightest);
  const std::size_t excess = layout.needed() - width;
  const std::size_t last = layout.columns.size() - 1;
  if (holds_words(table, last) && layout.columns[last].width >= excess + narrowest_text) {
    tightest.text_width = layout.columns[last].width - excess;
    return {lay_out(table, tightest)};
  }
  return folded(layout, table.names, width);
}

/// A picture gives way before a title or a cell is broken.
bool has_room_for_pictures(const Table& table, std::size_t width) {
  return lay_out(table, {2, false, false}).needed() <= width;
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
      text += aligned(part, column.width, table.columns[column.index].align, Tone::strong, colour);
      text += spaces(layout.after(index));
    }
    out += trimmed(std::move(text));
  }
  return out;
}

/// Marks of footnotes stand in the first of the lines.
std::string row_lines(const Table& table, const Layout& layout, const TableRow& row, bool colour) {
  std::string out;
  for (std::size_t line = 0, height = 1; line < height; ++line) {
    std::string text = spaces(margin);
    for (std::size_t index = 0; index < layout.columns.size(); ++index) {
      const Drawn& column = layout.columns[index];
      const Cell& cell = row.cells[column.index];
      const std::vector<std::string> lines = cell_lines(table, row, column.index, layout.tightness);
      height = std::max(height, lines.size());
      const std::string part = line < lines.size() ? lines[line] : std::string{};
      text += aligned(part, column.width, table.columns[column.index].align, cell.tone, colour);
      const bool marked = cell.footnote > 0 && line == 0;
      const std::string mark = marked ? ' ' + superscript(cell.footnote) : std::string{};
      text += mark;
      text += spaces(layout.after(index) - std::min(layout.after(index), display_width(mark)));
    }
    out += trimmed(std::move(text));
  }
  return out;
}

std::string rule_line(std::size_t width, bool colour) {
  std::string rule;
  for (std::size_t column = 0; column < width; ++column) rule += "─";
  return spaces(margin) + painted(std::move(rule), Tone::faint, colour) + '\n';
}

/// Parts set apart by three spaces; those that do not fit stand on a line of their own.
std::string fact_lines(const std::vector<std::string>& parts, std::size_t width) {
  std::string out;
  std::string text;
  for (const std::string& raw : parts) {
    const std::string part = printable(raw);
    const std::size_t with = margin + display_width(text) + widest_gap + display_width(part);
    if (!text.empty() && with > width) {
      out += spaces(margin) + text + '\n';
      text.clear();
    }
    if (!text.empty()) text += spaces(widest_gap);
    text += part;
  }
  return out + spaces(margin) + text + '\n';
}

/// The columns with rules around them.
std::string block(const Table& table, const Layout& layout, bool colour) {
  std::string out = title_lines(table, layout, colour);
  out += rule_line(layout.width(), colour);
  for (const TableRow& row : table.rows) {
    if (row.rule_above) out += rule_line(layout.width(), colour);
    out += row_lines(table, layout, row, colour);
  }
  return out + rule_line(layout.width(), colour);
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
  for (const auto& parts : table.facts) out += fact_lines(parts, style.width);
  if (!table.columns.empty()) {
    if (!table.facts.empty()) out += '\n';
    const Table shown = has_room_for_pictures(table, style.width) ? table : without_pictures(table);
    for (const Layout& layout : best_layout(shown, style.width)) {
      out += block(shown, layout, style.colour);
    }
  }
  out += below(table, style.width);
  for (const TextLine& line : table.closing) {
    const std::string text = printable(line.text);
    out += text.empty() ? "\n" : spaces(margin) + painted(text, line.tone, style.colour) + '\n';
  }
  return out;
}

}  // namespace reeve::report
