#include "scenarios/text/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "scenarios/text/source.hpp"
#include "scenarios/text/utf8.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::size_t csv_step_bytes = std::size_t{256} << 10;

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

/// The first `a` or `b` at or behind `from`, or the size of the text: eight bytes at a time, since
/// most fields are short and many.
std::size_t find_either(std::string_view text, std::size_t from, char a, char b) {
  constexpr std::uint64_t ones = 0x0101010101010101u;
  constexpr std::uint64_t highs = 0x8080808080808080u;
  const std::uint64_t all_a = ones * static_cast<unsigned char>(a);
  const std::uint64_t all_b = ones * static_cast<unsigned char>(b);
  while (text.size() - from >= sizeof ones) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + from, sizeof word);
    const std::uint64_t at_a = word ^ all_a;
    const std::uint64_t at_b = word ^ all_b;
    const bool has = ((((at_a - ones) & ~at_a) | ((at_b - ones) & ~at_b)) & highs) != 0;
    if (has) break;
    from += sizeof word;
  }
  while (from < text.size() && text[from] != a && text[from] != b) ++from;
  return from;
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
      buffer_(csv_step_bytes) {
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
    taken_ += got;
  }
  return end_ > before;
}

CsvReader::End CsvReader::find_end() {
  const std::string_view unread{buffer_.data() + begin_, end_ - begin_};
  const std::size_t newline = unread.find('\n');
  const std::size_t quote = unread.substr(0, newline).find('"');
  End end{newline != unread.npos, false, newline};
  if (quote != unread.npos) end = scan_quoted(unread);
  end.at += begin_;
  return end;
}

/// The end of the record that `text` begins with, and the spans of its fields.
CsvReader::End CsvReader::scan_quoted(std::string_view text) {
  spans_.clear();
  for (std::size_t at = 0;;) {
    Span field{at, 0};
    if (at < text.size() && text[at] == '"') {  // at the start of a field: quoted
      for (++at;; at += 2) {
        at = text.find('"', at);
        if (at == text.npos) return {false, true, field.begin};
        if (at + 1 == text.size() || text[at + 1] != '"') break;
        field.has_quotes = true;
      }
      field.close = at++;
    }
    at = find_either(text, at, delimiter(), '\n');
    field.bytes = at - field.begin;
    spans_.push_back(field);
    if (at == text.size()) return {};
    if (text[at] == '\n') return {true, false, at};
    ++at;
  }
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
  const bool is_first = !delimiter_;
  if (is_first) delimiter_ = delimiter_of(record_);
  check_bytes();
  if (record_.find('"') == record_.npos) {
    split_plain();
    return true;
  }
  if (is_first && delimiter() != ',') {  // until here it was taken for a comma
    const End end = scan_quoted(record_);
    if (end.in_quotes) {
      throw InputError{place(end.at, 1, "E0311", "this quote is not closed", "opened here")};
    }
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

/// Eight bytes at a time: fields are short, and a search for each costs more than its bytes.
void CsvReader::split_plain() {
  constexpr std::uint64_t sevens = 0x7F7F7F7F7F7F7F7Fu;
  const std::uint64_t all = 0x0101010101010101u * static_cast<unsigned char>(delimiter());
  std::size_t begin = 0;
  const auto put = [&](std::size_t end) {
    fields_.push_back(record_.substr(begin, end - begin));
    spans_.push_back({begin, end - begin});
    begin = end + 1;
  };
  std::size_t at = 0;
  for (std::uint64_t word = 0; record_.size() - at >= sizeof word; at += sizeof word) {
    std::memcpy(&word, record_.data() + at, sizeof word);
    word ^= all;
    // The high bits of the bytes that are zero now: a sum cannot carry into the next byte.
    std::uint64_t found = ~(((word & sevens) + sevens) | word | sevens);
    for (; found != 0; found &= found - 1) {
      static_assert(std::endian::native == std::endian::little, "the first byte is the lowest");
      put(at + static_cast<std::size_t>(std::countr_zero(found)) / 8);
    }
  }
  for (; at < record_.size(); ++at) {
    if (record_[at] == delimiter()) put(at);
  }
  put(record_.size());
}

void CsvReader::split_quoted() {
  unescaped_.clear();
  unescaped_.reserve(record_.size());  // never moves: the fields point into it
  for (Span& span : spans_) {
    const std::size_t end = std::min(span.begin + span.bytes, record_.size());  // without CR
    span.bytes = end - span.begin;
    if (span.close == 0) {
      fields_.push_back(record_.substr(span.begin, span.bytes));
      continue;
    }
    fields_.push_back(span.has_quotes
                          ? unescaped(span)
                          : record_.substr(span.begin + 1, span.close - span.begin - 1));
    if (span.close + 1 == end) continue;
    throw InputError{place(span.close + 1, 1, "E0310", "text after a closing quote",
                           fmt::format("expected {}", name_of_delimiter(delimiter())))
                         .with_help("write a quote inside a quoted field twice: \"\"")};
  }
}

std::string_view CsvReader::unescaped(const Span& span) {
  const std::size_t kept = unescaped_.size();
  for (std::size_t from = span.begin + 1; from < span.close;) {
    const std::size_t quote = std::min(record_.find('"', from), span.close);
    unescaped_.append(record_.substr(from, quote - from));
    if (quote < span.close) unescaped_ += '"';
    from = quote + 2;
  }
  return std::string_view{unescaped_}.substr(kept);
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
