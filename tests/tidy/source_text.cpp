#include "tests/tidy/source_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

namespace reeve::tidy {

namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

void blank(std::string& code, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < std::min(to, code.size()); ++i) {
    if (code[i] != '\n') code[i] = ' ';
  }
}

/// The place behind the literal that opens at `at`; an unclosed one ends with its line.
std::size_t literal_end(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return std::min(text.find('\n', at), text.size());
}

std::size_t raw_literal_end(std::string_view text, std::size_t at) {
  const std::size_t open = std::min(text.find('(', at), text.size());
  const std::string close = ")" + std::string{text.substr(at + 1, open - at - 1)} + "\"";
  const std::size_t end = text.find(close, open);
  return end == std::string_view::npos ? text.size() : end + close.size();
}

std::size_t find_or_end(std::string_view text, std::string_view what, std::size_t at) {
  const std::size_t found = text.find(what, at);
  return found == std::string_view::npos ? text.size() : found;
}

/// A comment, a literal or one character of code.
struct Part {
  enum class Kind : std::uint8_t { code, comment, literal };
  Kind kind = Kind::code;
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The part that begins at `at`.
Part part_at(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "//") {
    return {Part::Kind::comment, at, find_or_end(text, "\n", at)};
  }
  if (text.substr(at, 2) == "/*") {
    return {Part::Kind::comment, at, std::min(find_or_end(text, "*/", at) + 2, text.size())};
  }
  if (text[at] == '"') {
    const bool raw = at > 0 && text[at - 1] == 'R';
    return {Part::Kind::literal, at, raw ? raw_literal_end(text, at) : literal_end(text, at)};
  }
  if (text[at] == '\'' && (at == 0 || !is_word(text[at - 1]))) {  // not a digit separator
    return {Part::Kind::literal, at, literal_end(text, at)};
  }
  return {Part::Kind::code, at, at + 1};
}

bool starts_with_word(std::string_view statement, std::string_view word) {
  return statement.starts_with(word) &&
         (statement.size() == word.size() || !is_word(statement[word.size()]));
}

/// Whether the brace that follows this text opens the body of a function.
bool heads_function(std::string_view statement) {
  static constexpr std::array<std::string_view, 6> not_functions{"namespace", "class", "struct",
                                                                 "enum",      "union", "extern"};
  return statement.find('(') != std::string_view::npos &&
         std::none_of(not_functions.begin(), not_functions.end(),
                      [&](std::string_view word) { return starts_with_word(statement, word); });
}

struct Brace {
  bool function = false;
  std::string statement;  // what stood before it
  std::size_t first_line = 0;
};

}  // namespace

std::string code_of(std::string_view text) {
  std::string code{text};
  for (Part part; part.end < text.size();) {
    part = part_at(text, part.end);
    if (part.kind == Part::Kind::comment) blank(code, part.begin, part.end);
    if (part.kind == Part::Kind::literal) blank(code, part.begin + 1, part.end - 1);
  }
  return code;
}

std::string comments_of(std::string_view text) {
  std::string comments{text};
  for (Part part; part.end < text.size();) {
    part = part_at(text, part.end);
    if (part.kind != Part::Kind::comment) blank(comments, part.begin, part.end);
  }
  return comments;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = find_or_end(text, "\n", at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::vector<Function> functions_of(std::string_view code) {
  std::vector<Function> functions;
  std::vector<Brace> open;
  std::string statement;
  std::size_t statement_line = 1;
  std::size_t line = 1;
  std::size_t depth_in_function = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (c == '\n') ++line;
    if (c == '#' && statement.empty()) {  // a directive is no statement
      i = find_or_end(code, "\n", i) - 1;
    } else if (c == '{') {
      const bool function = depth_in_function == 0 && heads_function(statement);
      open.push_back({function, statement, statement_line});
      if (function || depth_in_function > 0) ++depth_in_function;
      statement.clear();
    } else if (c == '}' && !open.empty()) {
      const Brace brace = open.back();
      open.pop_back();
      if (depth_in_function > 0) --depth_in_function;
      const std::size_t next = code.find_first_not_of(" \n", i + 1);
      // `: member_{value} {` and `= {...};` close an initializer; the statement goes on.
      const bool goes_on = next != std::string_view::npos &&
                           std::string_view{",{;)"}.find(code[next]) != std::string_view::npos;
      if (brace.function && !goes_on) functions.push_back({brace.first_line, line});
      statement = goes_on ? brace.statement : "";
      statement_line = brace.first_line;
    } else if (c == ';') {
      statement.clear();
    } else if (!is_space(c) || !statement.empty()) {
      if (statement.empty()) statement_line = line;
      statement += c;
    }
  }
  return functions;
}

}  // namespace reeve::tidy
