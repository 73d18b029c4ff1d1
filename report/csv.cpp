#include "report/csv.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <stdexcept>
#include <utility>

#include "host/check.hpp"
#include "report/display_width.hpp"
#include "report/file_stream.hpp"
#include "report/format.hpp"

namespace reeve::report {
namespace {
constexpr std::size_t buffered = std::size_t{1} << 17;

// A loop of compares: several times as fast as find_first_of on cells of a few bytes.
constexpr bool needs_quotes(std::string_view cell) {
  bool special = false;
  for (const char character : cell) {
    special |= character == ',' || character == '"' || character == '\n' || character == '\r';
  }
  return special;
}
/// Neither a control character nor outside ASCII; line feeds are no harm in quotes.
constexpr bool is_plain(std::string_view cell) {
  bool odd = false;
  for (const char character : cell) {
    odd |= (character < ' ' && character != '\n') || character == '\x7f';
  }
  return !odd;
}

/// Without names like "inf", which have a meaning to spreadsheets.
bool is_number(std::string_view cell) {
  double value = 0;
  const bool has_sign = cell.starts_with('+') || cell.starts_with('-');
  const std::string_view digits = cell.substr(has_sign ? 1 : 0);
  if (digits.find_first_of("0123456789.") != 0) return false;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc{} && end == digits.data() + digits.size();
}

/// Without what spreadsheets skip: white space, and the U+FFFD that stand for control characters.
std::string_view without_space(std::string_view cell) {
  constexpr std::string_view replaced = "\uFFFD";
  while (!cell.empty()) {
    if (cell.front() == ' ' || cell.front() == '\n') {
      cell.remove_prefix(1);
    } else if (cell.starts_with(replaced)) {
      cell.remove_prefix(replaced.size());
    } else {
      break;
    }
  }
  return cell;
}

/// Whether a spreadsheet would take the text for a formula.
bool is_formula(std::string_view cell) {
  constexpr std::string_view begins = "=+-@";
  const std::string_view text = without_space(cell);
  return text.size() > 1 && begins.find(text.front()) != begins.npos && !is_number(text);
}

/// A formula, or apostrophes and a formula: no two texts have the same cell.
bool needs_apostrophe(std::string_view cell) {
  const std::size_t formula = cell.find_first_not_of('\'');
  return formula != cell.npos && is_formula(cell.substr(formula));
}
}  // namespace

bool is_safe_cell(std::string_view text) {
  return is_plain(text) && !needs_apostrophe(text);
}

std::string safe_cell(std::string_view text) {
  std::string safe;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    safe += printable(text.substr(begin, end - begin));
    if (end < text.size()) safe += '\n';
    begin = end + 1;
  }
  return needs_apostrophe(safe) ? '\'' + safe : safe;
}

CsvWriter::CsvWriter(std::ostream& out, std::string place) : out_{out}, place_{std::move(place)} {
  buffer_.reserve(buffered + 4096);
}

void CsvWriter::text(std::string_view cell) {
  separate();
  if (!is_safe_cell(cell)) return append(safe_cell(cell));
  append(cell);
}

void CsvWriter::verbatim(std::string_view cell) {
  separate();
  append(cell);
}

void CsvWriter::append_to(std::string& out, std::string_view cell) {
  if (!needs_quotes(cell)) {
    out += cell;
    return;
  }
  out += '"';
  for (std::size_t quote = 0; (quote = cell.find('"')) != std::string_view::npos;) {
    out += cell.substr(0, quote + 1);
    out += '"';
    cell.remove_prefix(quote + 1);
  }
  out += cell;
  out += '"';
}

std::string CsvWriter::prepared(std::initializer_list<std::string_view> texts) {
  std::string cells;
  for (const std::string_view* text = texts.begin(); text != texts.end(); ++text) {
    if (text != texts.begin()) cells += ',';
    append_to(cells, safe_cell(*text));
  }
  return cells;
}

void CsvWriter::repeat(std::string_view prepared, std::size_t cells) {
  separate();
  buffer_ += prepared;
  cells_ += cells - 1;
}

void CsvWriter::count(std::uint64_t number) {
  separate();
  append_count(buffer_, number);
}

void CsvWriter::integer(std::int64_t number) {
  separate();
  append_integer(buffer_, number);
}

void CsvWriter::number(double number) {
  separate();
  append_double(buffer_, number);
}

void CsvWriter::usd(policy::Usd amount) {
  separate();
  append_usd(buffer_, amount);
}

void CsvWriter::seconds(policy::Duration length) {
  separate();
  append_seconds(buffer_, length);
}

void CsvWriter::since(policy::Instant start, policy::Instant at) {
  separate();
  if (at != policy::never) append_seconds(buffer_, at - start);
}

void CsvWriter::instant(policy::Instant at) {
  separate();
  append_instant(buffer_, at);
}

void CsvWriter::percent(models::Charge part, models::Charge whole) {
  separate();
  append_percent(buffer_, part, whole);
}

void CsvWriter::end_row() {
  if (width_ == 0) {
    width_ = cells_;
  } else {
    REEVE_CHECK(cells_ == width_, "cells and columns of", place_, cells_, width_);
    ++rows_;
  }
  buffer_ += '\n';
  cells_ = 0;
  if (buffer_.size() >= buffered) flush();
}

void CsvWriter::flush() {
  errno = 0;
  out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  out_.flush();
  bytes_ += buffer_.size();
  buffer_.clear();
  if (!out_ && errno != 0) refuse_write(place_, errno);
  if (!out_) throw std::runtime_error{"cannot write " + place_};
}

}  // namespace reeve::report
