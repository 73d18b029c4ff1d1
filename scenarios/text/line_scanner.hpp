// Lines of a large text split at commas, fast: no quotes but around a whole field, no copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/inflater.hpp"

namespace reeve::scenarios {

/// Reads lines front to back.  A byte order mark, CR LF and blank lines are ignored; the blanks
/// and quotes around a field are not part of it.  Throws InputError with the place: E0307 line or
/// run of blank lines too long, and what Inflater throws.  For tables of numbers: what else is
/// wrong with the bytes of a field shows when it is read as what it should be.
class LineScanner {
 public:
  /// `head`: bytes of the text that were read already.
  LineScanner(std::string name, Inflater bytes, std::size_t line_limit, std::string head = {});

  /// The next line, or false at the end.  What line() and fields() gave before is gone.
  bool next();
  /// The same without its fields.
  bool next_line();
  std::string_view line() const { return line_; }
  const std::vector<std::string_view>& fields() const { return fields_; }
  std::uint64_t number() const { return number_; }  ///< of the line, from 1
  std::uint64_t bytes() const { return count_; }    ///< read so far
  const std::string& name() const { return name_; }

  /// A finding under `part`, a view into the line.
  Diagnostic at(std::string_view part, std::string_view code, std::string message,
                std::string label = {}) const;

  /// Throws if the bytes still unread are damaged (E0303, E0304); looks at a bounded part of them.
  void check_rest() { bytes_.check_rest(); }

 private:
  bool more_bytes();
  void split();

  std::string name_;
  Inflater bytes_;
  std::size_t line_limit_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  ///< unread bytes: [begin_, end_)
  std::size_t end_ = 0;
  bool at_end_ = false;
  std::uint64_t count_ = 0;
  std::string_view line_;
  std::uint64_t number_ = 0;
  std::vector<std::string_view> fields_;
};

}  // namespace reeve::scenarios
