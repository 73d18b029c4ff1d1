// Writes CSV rows (RFC 4180 quoting, LF, UTF-8) to a stream, one cell at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>

#include "models/ledger.hpp"

namespace reeve::report {

/// Whether a text may stand in a cell as it is: safe_cell would not change it.
bool is_safe_cell(std::string_view text);

/// The text as it may stand in a cell.  Of characters that control a terminal it has none, as
/// `printable`; line feeds stay.  If a spreadsheet would take it for a formula (`=`, `+`, `-` or
/// `@` after white space, and no number), it begins with an apostrophe.  If it begins with
/// apostrophes and such a formula, it has one more, so that no two texts have the same cell.
std::string safe_cell(std::string_view text);

/// Writes the cells of one table in order; each row must have as many as the header.  An empty cell
/// is unknown, never zero.  Buffered: call `flush` before reading the stream.  `flush` throws
/// std::runtime_error naming `place` if the stream fails.
class CsvWriter {
 public:
  CsvWriter(std::ostream& out, std::string place);

  void empty() { separate(); }
  void text(std::string_view cell);      ///< as safe_cell
  void verbatim(std::string_view cell);  ///< unchanged, for a file that reeve reads again
  /// The cells of texts that many rows have, for `repeat`.
  static std::string prepared(std::initializer_list<std::string_view> texts);
  void repeat(std::string_view prepared, std::size_t cells);
  void count(std::uint64_t number);
  void integer(std::int64_t number);
  void number(double number);
  void usd(policy::Usd amount);
  void seconds(policy::Duration length);
  /// Seconds from `start`; empty for `never`.
  void since(policy::Instant start, policy::Instant at);
  void instant(policy::Instant at);
  void percent(models::Charge part, models::Charge whole);
  void count_or_empty(std::optional<std::uint64_t> number) { number ? count(*number) : empty(); }
  void number_or_empty(std::optional<double> of) { of ? number(*of) : empty(); }
  void seconds_or_empty(std::optional<policy::Duration> of) { of ? seconds(*of) : empty(); }
  void boolean(bool yes) { text(yes ? "true" : "false"); }
  void end_row();

  void flush();
  std::uint64_t rows() const { return rows_; }  ///< without the header
  std::uint64_t bytes() const { return bytes_ + buffer_.size(); }

 private:
  static void append_to(std::string& out, std::string_view cell);
  void append(std::string_view cell) { append_to(buffer_, cell); }
  void separate() {
    if (cells_++ > 0) buffer_ += ',';
  }

  std::ostream& out_;
  std::string place_;
  std::string buffer_;
  std::size_t cells_ = 0;
  std::size_t width_ = 0;  ///< cells of the header; 0 before it
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace reeve::report
