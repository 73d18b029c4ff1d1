#include "scenarios/text/line_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "scenarios/text/csv.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::size_t scan_step_bytes = std::size_t{256} << 10;

/// Without the blanks and quotes around it.
std::string_view bare(std::string_view field) {
  if (!field.empty() && (field.front() <= ' ' || field.back() <= ' ')) field = trimmed(field);
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
    field = trimmed(field.substr(1, field.size() - 2));
  }
  return field;
}

}  // namespace

LineScanner::LineScanner(std::string name, Inflater bytes, std::size_t line_limit, std::string head)
    : name_{std::move(name)},
      bytes_{std::move(bytes)},
      line_limit_{line_limit},
      buffer_(std::max(scan_step_bytes, 2 * head.size())) {
  std::copy(head.begin(), head.end(), buffer_.begin());
  end_ = head.size();
  count_ = end_;
  if (end_ < 3) more_bytes();
  if (std::string_view{buffer_.data(), end_}.starts_with("\xEF\xBB\xBF")) begin_ = 3;
}

bool LineScanner::more_bytes() {
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
    count_ += got;
  }
  return end_ > before;
}

bool LineScanner::next() {
  if (!next_line()) return false;
  split();
  return true;
}

bool LineScanner::next_line() {
  std::size_t blank = 0;
  do {
    if (blank++ > line_limit_) {
      throw InputError{at(line_, "E0307",
                          fmt::format("more than {} blank lines in a row", line_limit_),
                          "the last of them")};
    }
    std::string_view unread{buffer_.data() + begin_, end_ - begin_};
    std::size_t newline = unread.find('\n');
    while (newline == unread.npos && unread.size() <= line_limit_ && more_bytes()) {
      unread = {buffer_.data() + begin_, end_ - begin_};
      newline = unread.find('\n');
    }
    line_ = unread.substr(0, newline);
    ++number_;
    if (line_.size() > line_limit_) {
      throw InputError{at(line_.substr(0, 1), "E0307",
                          fmt::format("the line is longer than {} bytes", line_limit_),
                          "begins here")};
    }
    if (newline == unread.npos && line_.empty()) return false;
    begin_ = newline == unread.npos ? end_ : begin_ + newline + 1;
    if (line_.ends_with('\r')) line_.remove_suffix(1);
  } while (line_.empty());
  return true;
}

void LineScanner::split() {
  fields_.clear();
  const char* begin = line_.data();
  const char* const end = begin + line_.size();
  for (const char* at = begin; at != end; ++at) {
    if (*at != ',') continue;
    fields_.push_back(bare({begin, static_cast<std::size_t>(at - begin)}));
    begin = at + 1;
  }
  fields_.push_back(bare({begin, static_cast<std::size_t>(end - begin)}));
}

Diagnostic LineScanner::at(std::string_view part, std::string_view code, std::string message,
                           std::string label) const {
  const auto offset = static_cast<std::size_t>(part.data() - line_.data());
  Diagnostic diagnostic = diagnose_line(name_, number_, line_, offset, part.size());
  diagnostic.code = code;
  diagnostic.message = std::move(message);
  diagnostic.label = std::move(label);
  return diagnostic;
}

}  // namespace reeve::scenarios
