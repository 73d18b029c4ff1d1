// Records of a CSV text (RFC 4180), streamed, each field a view into the reader's buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/inflater.hpp"

namespace reeve::scenarios {

/// The cell without the blanks and tabs around it.
std::string_view trimmed(std::string_view cell);

/// What separates fields, for messages: "a comma".
std::string_view name_of_delimiter(char delimiter);

/// Reads records front to back.  A byte order mark, CR LF and blank lines are ignored; a quoted
/// field may hold delimiters, "" and line ends.  The delimiter is a comma; if the first record has
/// none, it is the most frequent of `;`, tab and `|` there.  Throws InputError with the place:
/// E0307 record or run of blank lines too long, E0308 NUL, E0309 not UTF-8, E0310 text behind a
/// closing quote, E0311 quote never closed, and what Inflater throws.
class CsvReader {
 public:
  CsvReader(std::string name, Inflater bytes, std::size_t record_limit);

  /// The next record, or false at the end.  What fields() gave before is gone.
  bool next();
  const std::vector<std::string_view>& fields() const { return fields_; }
  std::uint64_t line() const { return record_line_; }  ///< where the record begins, from 1
  char delimiter() const { return delimiter_.value_or(','); }

  /// A finding under field `index`; index == fields().size(): behind the last field.
  Diagnostic at(std::size_t index, std::string_view code, std::string message,
                std::string label = {}) const;
  const std::string& name() const { return name_; }
  std::uint64_t bytes() const { return taken_; }  ///< of text, taken so far

  /// Throws if the bytes still unread are damaged (E0303, E0304); looks at a bounded part of them.
  void check_rest() { bytes_.check_rest(); }

 private:
  struct Span {
    std::size_t begin, bytes;  ///< in the record, quotes included
    std::size_t close = 0;     ///< its closing quote; 0: not quoted
    bool has_quotes = false;   ///< "" stands in it
  };
  struct End {
    bool found = false;
    bool in_quotes = false;
    std::size_t at = 0;  ///< of the line end, in the buffer; or of the open quote
  };

  bool take_record();
  bool skip_blank_lines();
  bool more_bytes();
  End find_end();
  End scan_quoted(std::string_view text);
  void check_bytes() const;
  void split_plain();
  void split_quoted();
  std::string_view unescaped(const Span& span);
  Diagnostic place(std::size_t offset, std::size_t bytes, std::string_view code,
                   std::string message, std::string label) const;

  std::string name_;
  Inflater bytes_;
  std::size_t record_limit_;
  std::optional<char> delimiter_;  ///< none: before the first record
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< unread bytes: [begin_, end_)
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::uint64_t taken_ = 0;
  std::string_view record_;  ///< without its line end
  std::uint64_t record_line_ = 0;
  std::uint64_t next_line_ = 1;
  std::vector<std::string_view> fields_;
  std::vector<Span> spans_;  ///< of the fields; of a record with quotes known before the fields
  std::string unescaped_;    ///< the fields of this record that hold ""
};

}  // namespace reeve::scenarios
