#include "scenarios/text/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "scenarios/text/source.hpp"
#include "scenarios/text/utf8.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::size_t step_bytes = std::size_t{256} << 10;

/// The delimiter of a table whose first record this is.
char delimiter_of(std::string_view record) {
  char best = ',';
  std::ptrdiff_t most = 0;
  for (const char candidate : {',', ';', '\t', '|'}) {
    const auto found = std::count(record.begin(), record.end(), candidate);
    if (candidate == ',' && found > 0) return candidate;
    if (found > most) best = candidate;
    most = std::max(most, found);
  }
  return best;
}

}  // namespace

std::string_view name_of_delimiter(char delimiter) {
  switch (delimiter) {
    case ';':
      return "a semicolon";
    case '\t':
      return "a tab";
    case '|':
      return "a vertical bar";
    default:
      return "a comma";
  }
}

std::string_view trimmed(std::string_view cell) {
  while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
  while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
  return cell;
}

CsvReader::CsvReader(std::string name, Inflater bytes, std::size_t record_limit)
    : name_{std::move(name)},
      bytes_{std::move(bytes)},
      record_limit_{record_limit},
      buffer_(step_bytes) {
  more_bytes();
  if (std::string_view{buffer_.data(), end_}.starts_with("\xEF\xBB\xBF")) begin_ = 3;
}

// Fills the buffer as far as it goes, so that a record is searched from its start a few times only.
bool CsvReader::more_bytes() {
  if (at_end_) return false;
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ * 2 > buffer_.size()) buffer_.resize(buffer_.size() * 2);
  const std::size_t before = end_;
  while (end_ < buffer_.size()) {
    const std::size_t got = bytes_.read(buffer_.data() + end_, buffer_.size() - end_);
    if (got == 0) {
      at_end_ = true;
      break;
    }
    end_ += got;
  }
  return end_ > before;
}

CsvReader::End CsvReader::find_end() const {
  const std::string_view unread{buffer_.data() + begin_, end_ - begin_};
  const std::size_t newline = unread.find('\n');
  const std::size_t quote = unread.substr(0, newline).find('"');
  if (quote == unread.npos) return {newline != unread.npos, false, begin_ + newline};
  for (std::size_t at = 0; at < unread.size();) {
    if (unread[at] == '"') {  // at the start of a field: quoted
      const std::size_t opened = at;
      for (++at;; at += 2) {
        at = unread.find('"', at);
        if (at == unread.npos) return {false, true, begin_ + opened};
        if (at + 1 == unread.size() || unread[at + 1] != '"') break;
      }
      ++at;
    }
    const std::array stops{delimiter(), '\n'};
    at = unread.find_first_of(stops.data(), at, stops.size());
    if (at == unread.npos) break;
    if (unread[at] == '\n') return {true, false, begin_ + at};
    ++at;
  }
  return {};
}

bool CsvReader::take_record() {
  End end = find_end();
  while (!end.found) {
    const bool too_long = end_ - begin_ > record_limit_;
    if (too_long || !more_bytes()) break;
    end = find_end();
  }
  const std::size_t stop = end.found ? end.at : end_;
  record_ = {buffer_.data() + begin_, stop - begin_};
  record_line_ = next_line_;
  if (record_.size() > record_limit_ || (!end.found && !at_end_)) {
    fields_.clear();
    if (!end.in_quotes) {
      throw InputError{place(0, 1, "E0307",
                             fmt::format("the line is longer than {} bytes", record_limit_),
                             "begins here")};
    }
  }
  if (!end.found && end.in_quotes) {
    throw InputError{place(end.at - begin_, 1, "E0311", "this quote is not closed", "opened here")};
  }
  if (!end.found && record_.empty()) return false;
  begin_ = end.found ? stop + 1 : end_;
  if (record_.ends_with('\r')) record_.remove_suffix(1);
  return true;
}

/// Goes to the next line with text.  A long run of blank lines is no table: a small gzip file may
/// hold gigabytes of them.
bool CsvReader::skip_blank_lines() {
  for (std::size_t blank = 0;; ++blank) {
    if (!take_record()) return false;
    ++next_line_;
    if (!record_.empty()) return true;
    if (blank < record_limit_) continue;
    throw InputError{place(0, 0, "E0307",
                           fmt::format("more than {} blank lines in a row", record_limit_),
                           "the last of them")};
  }
}

bool CsvReader::next() {
  fields_.clear();
  spans_.clear();
  if (!skip_blank_lines()) return false;
  if (!delimiter_) delimiter_ = delimiter_of(record_);
  check_bytes();
  if (record_.find('"') == record_.npos) {
    split_plain();
    return true;
  }
  next_line_ += static_cast<std::uint64_t>(std::count(record_.begin(), record_.end(), '\n'));
  split_quoted();
  return true;
}

void CsvReader::check_bytes() const {
  if (const std::size_t at = record_.find('\0'); at != record_.npos) {
    throw InputError{place(at, 1, "E0308", "the file contains a NUL byte", "not a text file")};
  }
  if (const std::size_t at = find_invalid_utf8(record_); at != record_.npos) {
    const unsigned value = static_cast<unsigned char>(record_[at]);
    throw InputError{
        place(at, 1, "E0309", "the file is not valid UTF-8", fmt::format("byte 0x{:02X}", value))
            .with_help("save it as UTF-8")};
  }
}

void CsvReader::split_plain() {
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(record_.find(delimiter(), begin), record_.size());
    fields_.push_back(record_.substr(begin, end - begin));
    spans_.push_back({begin, end - begin});
    if (end == record_.size()) return;
    begin = end + 1;
  }
}

void CsvReader::split_quoted() {
  unescaped_.clear();
  unescaped_.reserve(record_.size());  // never moves: the fields point into it
  for (std::size_t begin = 0;;) {
    std::size_t end = 0;
    if (begin < record_.size() && record_[begin] == '"') {
      end = quoted_field(begin);
    } else {
      end = std::min(record_.find(delimiter(), begin), record_.size());
      fields_.push_back(record_.substr(begin, end - begin));
    }
    spans_.push_back({begin, end - begin});
    if (end == record_.size()) return;
    begin = end + 1;
  }
}

// Takes the field whose quote opens at `begin`; one past its closing quote.
std::size_t CsvReader::quoted_field(std::size_t begin) {
  const std::size_t kept = unescaped_.size();
  std::size_t from = begin + 1;
  std::size_t quote = 0;
  for (;;) {
    quote = record_.find('"', from);
    if (quote == record_.npos) {
      throw InputError{place(begin, 1, "E0311", "this quote is not closed", "opened here")};
    }
    unescaped_.append(record_.substr(from, quote - from));
    if (quote + 1 == record_.size() || record_[quote + 1] != '"') break;
    unescaped_ += '"';
    from = quote + 2;
  }
  fields_.push_back(std::string_view{unescaped_}.substr(kept));
  const std::size_t end = quote + 1;
  if (end == record_.size() || record_[end] == delimiter()) return end;
  throw InputError{place(end, 1, "E0310", "text after a closing quote",
                         fmt::format("expected {}", name_of_delimiter(delimiter())))
                       .with_help("write a quote inside a quoted field twice: \"\"")};
}

Diagnostic CsvReader::place(std::size_t offset, std::size_t bytes, std::string_view code,
                            std::string message, std::string label) const {
  const std::string_view before = record_.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  const std::size_t begin = newline == before.npos ? 0 : newline + 1;
  const std::size_t end = std::min(record_.find('\n', offset), record_.size());
  std::string_view line = record_.substr(begin, end - begin);
  if (line.ends_with('\r')) line.remove_suffix(1);
  const auto lines = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
  Diagnostic diagnostic = diagnose_line(name_, record_line_ + lines, line, offset - begin, bytes);
  diagnostic.code = code;
  diagnostic.message = std::move(message);
  diagnostic.label = std::move(label);
  return diagnostic;
}

Diagnostic CsvReader::at(std::size_t index, std::string_view code, std::string message,
                         std::string label) const {
  const Span span = index < spans_.size() ? spans_[index] : Span{record_.size(), 0};
  return place(span.begin, span.bytes, code, std::move(message), std::move(label));
}

}  // namespace reeve::scenarios
