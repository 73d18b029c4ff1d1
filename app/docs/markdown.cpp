#include "app/docs/markdown.hpp"

#include <fmt/format.h>

namespace reeve::app {
namespace {

constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// "docs/how-to/faults.md" if the text begins so, else nothing.
std::string_view page_at(std::string_view text) {
  constexpr std::string_view folder = "docs/";
  if (!text.starts_with(folder)) return {};
  std::size_t end = folder.size();
  while (end < text.size() && (is_lower(text[end]) || text[end] == '/' || text[end] == '-' ||
                               text[end] == '_' || is_digit(text[end]))) {
    ++end;
  }
  if (!text.substr(end).starts_with(".md")) return {};
  return text.substr(0, end + 3);
}

std::string table_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) {
    line += ' ';
    for (const char c : cell) {
      if (c == '|') line += '\\';
      line += c == '\n' ? ' ' : c;
    }
    line += cell.empty() ? "|" : " |";
  }
  return line + '\n';
}

}  // namespace

std::string docs_head(std::string_view title, std::string_view source) {
  return fmt::format("{} from {}. Do not edit. -->\n\n# {}\n\n", docs_mark, source, title);
}

std::string docs_sentence(std::string_view text) {
  std::string out{text};
  const bool is_word = out.size() > 1 && is_lower(out[0]) && out[1] != '_' && out[1] != '.';
  const std::string_view first = std::string_view{out}.substr(0, out.find(' '));
  const bool is_name = first.find_first_of("_.(=") != first.npos;
  if (is_word && !is_name) out[0] = static_cast<char>(out[0] - 'a' + 'A');
  if (!out.empty() && out.back() != '.' && out.back() != '!' && out.back() != '?') out += '.';
  return out;
}

std::string docs_prose(std::string_view text, std::string_view up) {
  std::string out;
  bool in_code = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '`') in_code = !in_code;
    const std::string_view page = in_code ? std::string_view{} : page_at(text.substr(at));
    if (!page.empty()) {
      out += fmt::format("[{}]({}{})", page, up, page.substr(page.find('/') + 1));
      at += page.size() - 1;
      continue;
    }
    if (!in_code && (c == '*' || c == '<' || c == '\\')) out += '\\';
    out += c;
  }
  return out;
}

std::string docs_code(std::string_view text) {
  const std::string_view fence = text.find('`') == text.npos ? "`" : "``";
  const std::string_view gap = fence.size() == 1 ? "" : " ";
  return fmt::format("{}{}{}{}{}", fence, gap, text, gap, fence);
}

std::string docs_anchor(std::string_view heading) {
  std::string out;
  for (const char c : heading) {
    if (is_upper(c)) out += static_cast<char>(c - 'A' + 'a');
    if (is_lower(c) || is_digit(c) || c == '_' || c == '-') out += c;
    if (c == ' ') out += '-';
  }
  return out;
}

DocsTable::DocsTable(std::initializer_list<std::string_view> heads) {
  head_ = table_row({heads.begin(), heads.end()});
  head_ += '|';
  for (std::size_t i = 0; i < heads.size(); ++i) head_ += "---|";
  head_ += '\n';
}

void DocsTable::add(const std::vector<std::string>& cells) {
  rows_ += table_row(cells);
}

std::string DocsTable::text() const {
  return rows_.empty() ? std::string{} : head_ + rows_ + '\n';
}

}  // namespace reeve::app
