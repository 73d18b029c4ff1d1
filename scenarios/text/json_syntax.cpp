#include "scenarios/text/json_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "scenarios/text/utf8.hpp"

namespace reeve::scenarios {
namespace {

using After = ParserState::After;
using Inside = ParserState::Inside;

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_json_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_json_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_hex(char c) {
  return is_json_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::size_t skip_digits(std::string_view text, std::size_t at) {
  while (at < text.size() && is_json_digit(text[at])) ++at;
  return at;
}

// What a person sees as one word: up to a blank, bracket, comma, colon, quote or comment.
std::string_view word_at(std::string_view text, std::size_t at) {
  constexpr std::size_t longest = 200;
  const std::size_t end =
      std::min({text.find_first_of(" \t\r\n,;:{}[]\"'/", at), text.size(), at + longest});
  return text.substr(at, std::max<std::size_t>(end - at, 1));
}

/// Explains one failure; a class only to share the three things every step needs.
class Explainer {
 public:
  Explainer(const SourceFile& source, std::string_view text, const ParserState& state)
      : source_{source}, text_{text}, state_{state} {}

  Diagnostic explain() const {
    Significant next = skip_blanks(text_, state_.token_end);
    if (next.unterminated) return comment(next.at);
    switch (state_.after) {
      case After::nothing:
        if (next.at < text_.size() && is_yaml(next.at)) return yaml(next.at);
        return next.at == text_.size() ? empty() : value(next.at);
      case After::open:
        return state_.inside == Inside::object ? key(next.at) : value(next.at);
      case After::key:
        return colon(next.at);
      case After::value:
        break;
    }
    if (state_.inside == Inside::nothing) return after_end(next.at);
    if (next.at < text_.size() && text_[next.at] == ',') {
      next = skip_blanks(text_, next.at + 1);
      if (next.unterminated) return comment(next.at);
      return state_.inside == Inside::object ? key(next.at) : value(next.at);
    }
    return separator(next.at);
  }

 private:
  Diagnostic make(std::size_t at, std::size_t bytes, std::string_view code, std::string message,
                  std::string label = {}) const {
    return source_.diagnose(at, bytes, code, std::move(message), std::move(label));
  }

  Diagnostic comment(std::size_t at) const {
    return make(at, 2, "E0103", "this comment is not closed", "opened here")
        .with_help("close it with */");
  }

  Diagnostic empty() const {
    const bool blank = text_.find_first_not_of(" \t\r\n") == text_.npos;
    return make(0, 0, "E0117", blank ? "the file is empty" : "the file has only comments",
                "expected a JSON object")
        .with_help("run `reeve init` to write a scenario to start from");
  }

  /// "---", or "key: value" without quotes, where a document begins.
  bool is_yaml(std::size_t at) const {
    const std::string_view line = text_.substr(at, text_.find('\n', at) - at);
    if (line.starts_with("---") || line.starts_with("%YAML")) return true;
    if (!is_json_letter(line.front())) return false;
    const std::size_t end = line.find_first_of(":{[\"");
    if (end == line.npos || line[end] != ':') return false;
    return end + 1 == line.size() || is_blank(line[end + 1]);
  }

  Diagnostic yaml(std::size_t at) const {
    const std::size_t bytes = std::min(text_.find_first_of("\r\n", at), text_.size()) - at;
    return make(at, std::min<std::size_t>(bytes, 200), "E0119", "this is YAML, not JSON",
                "expected \"{\"")
        .with_help(
            "scenarios are JSON with comments; convert the file, for example with yq -o json");
  }

  std::string_view closer() const { return state_.inside == Inside::object ? "}" : "]"; }
  std::string_view container() const { return state_.inside == Inside::object ? "object" : "list"; }

  Diagnostic with_opening(Diagnostic diagnostic) const {
    if (!state_.opened_at) return diagnostic;
    const Position opening = source_.position(*state_.opened_at);
    return std::move(diagnostic)
        .with_note(fmt::format("the {} begins on line {}, column {}", container(), opening.line,
                               opening.column));
  }

  // The end is shown behind the last token: the last line of a file is often empty.
  Diagnostic end_of_file() const {
    if (state_.inside == Inside::nothing) {
      return make(text_.size(), 0, "E0116", "the file ends before the value", "expected a value");
    }
    const std::size_t last = text_.find_last_not_of(" \t\r\n");
    const std::size_t behind = std::max(state_.token_end, last == text_.npos ? 0 : last + 1);
    return with_opening(make(behind, 0, "E0105",
                             fmt::format("the file ends inside {} {}",
                                         state_.inside == Inside::object ? "an" : "a", container()),
                             fmt::format("missing \"{}\"", closer())));
  }

  Diagnostic wrong_closer(std::size_t at) const {
    return with_opening(make(at, 1, "E0114",
                             fmt::format("\"{}\" does not close {} {}", text_[at],
                                         state_.inside == Inside::object ? "an" : "a", container()),
                             fmt::format("expected \"{}\"", closer())));
  }

  bool is_closer(char c) const { return c == '}' || c == ']'; }

  Diagnostic unexpected(std::size_t at, std::string label) const {
    const Utf8Character character = decode_utf8(text_, at);
    const std::string_view bytes = text_.substr(at, character.bytes);
    Diagnostic diagnostic = make(at, character.bytes, "E0101",
                                 fmt::format("unexpected {}", in_quotes(bytes)), std::move(label));
    if (text_[at] == '#') return std::move(diagnostic).with_help("begin comments with //");
    if (text_[at] == '/')
      return std::move(diagnostic).with_help("write comments as // ... or /* ... */");
    if (!character.valid || character.code >= 0x80) {
      return std::move(diagnostic).with_help("use \"straight\" quotes and plain spaces");
    }
    return diagnostic;
  }

  Diagnostic single_quotes(std::size_t at) const {
    const std::size_t line_end = std::min(text_.find('\n', at), text_.size());
    const std::size_t closing = text_.find('\'', at + 1);
    const std::size_t bytes = closing < line_end ? closing + 1 - at : 1;
    Diagnostic diagnostic =
        make(at, bytes, "E0106", "JSON text needs double quotes", "single quotes");
    if (bytes <= 2 || bytes > 60) return diagnostic;
    return std::move(diagnostic)
        .with_help(fmt::format("write {}", in_quotes(text_.substr(at + 1, bytes - 2))));
  }

  Diagnostic key(std::size_t at) const {
    if (at == text_.size()) return end_of_file();
    const char c = text_[at];
    if (c == '"') return string(at);
    if (c == '\'') return single_quotes(at);
    if (c == ']') return wrong_closer(at);
    if (c == ',') return make(at, 1, "E0101", "an extra comma", "no member before this comma");
    if (is_json_letter(c) || is_json_digit(c) || c == '$') {
      const std::string_view word = word_at(text_, at);
      return make(at, word.size(), "E0107", "a JSON key needs double quotes", "not quoted")
          .with_help(fmt::format("write {}", in_quotes(word)));
    }
    return unexpected(at, "expected a key in double quotes");
  }

  Diagnostic colon(std::size_t at) const {
    if (at == text_.size()) return end_of_file();
    if (text_[at] == ':') {
      const Significant next = skip_blanks(text_, at + 1);
      return next.unterminated ? comment(next.at) : value(next.at);
    }
    if (text_[at] == '=') {
      return make(at, 1, "E0115", "a colon must separate a key from its value",
                  "use \":\" instead of \"=\"");
    }
    const std::string_view written =
        text_.substr(state_.token_begin, state_.token_end - state_.token_begin);
    Diagnostic diagnostic =
        make(state_.token_end, 0, "E0115", "a colon is missing after a key", "expected \":\"");
    if (written.size() > 60) return diagnostic;
    diagnostic.message = fmt::format("a colon is missing after the key {}", shown(written));
    return diagnostic;
  }

  Diagnostic value(std::size_t at) const {
    if (at == text_.size()) return end_of_file();
    const char c = text_[at];
    if (c == '"') return string(at);
    if (c == '\'') return single_quotes(at);
    if (c == ',' || c == ':') {
      return make(at, 1, "E0116", "a value is missing",
                  fmt::format("no value before this \"{}\"", c));
    }
    if (is_closer(c)) {
      const bool in_list = state_.inside == Inside::array;
      if (in_list || state_.inside == Inside::nothing) return wrong_or_lone_closer(at);
      return make(at, 1, "E0116", "a value is missing", "expected a value before this");
    }
    if (is_json_digit(c) || c == '-' || c == '+' || c == '.') return number(at);
    if (is_json_letter(c) || c == '$') return bare_word(at);
    return unexpected(at, "expected a value");
  }

  Diagnostic wrong_or_lone_closer(std::size_t at) const {
    if (state_.inside == Inside::nothing) return unexpected(at, "no open bracket");
    return wrong_closer(at);
  }

  Diagnostic separator(std::size_t at) const {
    if (is_joined()) return joined_word();
    if (at == text_.size()) return end_of_file();
    const char c = text_[at];
    if (is_closer(c)) return wrong_closer(at);
    if (c == '"' || c == '\'' || c == '{' || c == '[' || c == '-' || is_json_digit(c) ||
        is_json_letter(c)) {
      const std::string_view after =
          state_.inside == Inside::object ? "after this member" : "after this element";
      return make(state_.token_end, 0, "E0104", "a comma is missing",
                  fmt::format("expected \",\" {}", after));
    }
    if (c == ';')
      return make(at, 1, "E0101", "commas must separate members", "use \",\" instead of \";\"");
    if (c == ':') return make(at, 1, "E0101", "unexpected \":\"", "expected a comma");
    return unexpected(at, fmt::format("expected \",\" or \"{}\"", closer()));
  }

  bool is_joined() const {
    if (!state_.scalar) return false;
    return state_.token_begin + word_at(text_, state_.token_begin).size() > state_.token_end;
  }

  // "30m", "007", "1.2.3", "truely": a parser reads a number or literal and then stumbles.
  Diagnostic joined_word() const {
    const char c = text_[state_.token_begin];
    return is_json_letter(c) ? bare_word(state_.token_begin) : number(state_.token_begin);
  }

  Diagnostic after_end(std::size_t at) const {
    if (is_joined()) return joined_word();
    if (at < text_.size() && text_[at] == '/') {
      return unexpected(at, "expected the end of the file");
    }
    return make(at, std::min<std::size_t>(1, text_.size() - at), "E0113",
                "text after the end of the document", "nothing may follow the last bracket");
  }

  Diagnostic number(std::size_t at) const {
    const std::string_view word = word_at(text_, at);
    const auto bad = [&](std::string message, std::string label) {
      return make(at, word.size(), "E0109", std::move(message), std::move(label));
    };
    if (end_of_number(text_, at) == at + word.size()) {
      return make(at, word.size(), "E0108", "the number is out of range",
                  "does not fit in a double");
    }
    const std::string_view digits = word.substr(
        word.find_first_not_of("+-") == word.npos ? word.size() : word.find_first_not_of("+-"));
    if (digits.starts_with("Inf") || digits.starts_with("inf") || digits.starts_with("NaN") ||
        digits.starts_with("nan")) {
      return bad("JSON has no infinity and no NaN", "not a number");
    }
    if (word.starts_with('+')) return bad("a number must not begin with \"+\"", "not JSON");
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
      return bad("JSON numbers are decimal", "hexadecimal");
    }
    if (digits.starts_with('.'))
      return bad("a number must begin with a digit", "write 0 before the point");
    if (digits.size() > 1 && digits[0] == '0' && is_json_digit(digits[1])) {
      return bad("a number must not have leading zeros", "not JSON");
    }
    const std::size_t rest = word.find_first_not_of("+-0123456789.eE");
    if (rest != word.npos && word[rest] == '_') {
      return bad("a number must not have underscores", "remove the underscores");
    }
    Diagnostic diagnostic = bad("this is not a number", "not JSON");
    if (rest == word.npos || digits.empty() || word.size() > 60) return diagnostic;
    return std::move(diagnostic)
        .with_help(fmt::format("put text and durations in quotes: {}", in_quotes(word)));
  }

  Diagnostic bare_word(std::size_t at) const {
    const std::string_view word = word_at(text_, at);
    if (word == "NaN" || word == "nan" || word == "Infinity" || word == "inf") return number(at);
    Diagnostic diagnostic =
        make(at, word.size(), "E0101", fmt::format("{} is not a JSON value", in_quotes(word)),
             "text needs double quotes");
    if (word == "None" || word == "nil" || word == "undefined") {
      return std::move(diagnostic).with_help("did you mean null?");
    }
    constexpr std::array<std::string_view, 3> literals{"true", "false", "null"};
    const auto meant = nearest_of(word, literals);
    return std::move(diagnostic)
        .with_help(meant ? fmt::format("did you mean {}?", *meant)
                         : fmt::format("write {}", in_quotes(word)));
  }

  // The string that begins at `at` is broken: find where.
  Diagnostic string(std::size_t at) const {
    for (std::size_t i = at + 1; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '"') break;
      if (c == '\n' || c == '\r') return unterminated(at, i);
      if (static_cast<unsigned char>(c) < 0x20) {
        return make(i, 1, "E0112", "a control character in a text", "not allowed in JSON")
            .with_help(c == '\t' ? "write \\t" : fmt::format("write \\u{:04x}", unsigned(c)));
      }
      if (c != '\\') continue;
      if (auto problem = escape(i)) return *problem;
      ++i;
    }
    return unterminated(at, text_.size());
  }

  Diagnostic unterminated(std::size_t at, std::size_t line_end) const {
    return make(at, line_end - at, "E0102", "this text is not closed",
                "no \" before the end of the line");
  }

  std::optional<unsigned> unicode_escape(std::size_t at) const {
    if (text_.size() - at < 6 || text_[at] != '\\' || text_[at + 1] != 'u') return std::nullopt;
    unsigned code = 0;
    for (const char c : text_.substr(at + 2, 4)) {
      if (!is_hex(c)) return std::nullopt;
      code = code * 16 + static_cast<unsigned>(is_json_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return code;
  }

  static bool is_high(unsigned code) { return code >= 0xD800 && code <= 0xDBFF; }
  static bool is_low(unsigned code) { return code >= 0xDC00 && code <= 0xDFFF; }

  std::optional<Diagnostic> escape(std::size_t at) const {
    const char c = at + 1 < text_.size() ? text_[at + 1] : '\0';
    if (c == '\n' || c == '\r' || c == '\0') return std::nullopt;  // the end of the line tells more
    if (c != 'u') {
      if (std::string_view{"\"\\/bfnrt"}.find(c) != std::string_view::npos) return std::nullopt;
      const std::size_t bytes = 1u + decode_utf8(text_, at + 1).bytes;
      return make(at, bytes, "E0112", "unknown escape in a text", "not a JSON escape")
          .with_help("write \\\\ for a backslash");
    }
    const auto code = unicode_escape(at);
    if (!code) {
      const auto bytes = std::min<std::size_t>(6, text_.size() - at);
      return make(at, bytes, "E0112", "incomplete escape in a text", "\\u needs four hex digits");
    }
    const bool after_high = at >= 6 && unicode_escape(at - 6) && is_high(*unicode_escape(at - 6));
    const auto next = is_high(*code) ? unicode_escape(at + 6) : std::nullopt;
    const bool lone = is_high(*code) ? !next || !is_low(*next) : is_low(*code) && !after_high;
    if (!lone) return std::nullopt;
    return make(at, 6, "E0112", "half a surrogate pair in a text", "the other half is missing");
  }

  const SourceFile& source_;
  std::string_view text_;
  const ParserState& state_;
};

}  // namespace

Significant skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.find_first_of("\r\n", at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      const std::size_t close = text.find("*/", at + 2);
      if (close == text.npos) return {at, true};
      at = close + 2;
    } else {
      break;
    }
  }
  return {at, false};
}

std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return text.size();
}

std::size_t end_of_number(std::string_view text, std::size_t at) {
  std::size_t i = at;
  if (i < text.size() && text[i] == '-') ++i;
  if (i == text.size() || !is_json_digit(text[i])) return at;
  i = text[i] == '0' ? i + 1 : skip_digits(text, i);
  if (i + 1 < text.size() && text[i] == '.' && is_json_digit(text[i + 1]))
    i = skip_digits(text, i + 1);
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    std::size_t exponent = i + 1;
    if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
    if (skip_digits(text, exponent) > exponent) i = skip_digits(text, exponent);
  }
  return i;
}

std::string without_trailing_commas(std::string_view text) {
  std::string result{text};
  constexpr std::size_t none = std::string_view::npos;
  std::size_t comma = none;  // the last significant byte, if it is a comma behind a value
  bool behind_value = false;
  for (Significant next = skip_blanks(text, 0); next.at < text.size() && !next.unterminated;) {
    const char c = text[next.at];
    std::size_t end = next.at + 1;
    if (c == '"') end = end_of_string(text, next.at);
    if ((c == '}' || c == ']') && comma != none) result[comma] = ' ';
    comma = c == ',' && behind_value ? next.at : none;
    behind_value = c != ',' && c != '{' && c != '[' && c != ':';
    next = skip_blanks(text, end);
  }
  return result;
}

Diagnostic explain_syntax(const SourceFile& source, std::string_view text,
                          const ParserState& state) {
  return Explainer{source, text, state}.explain();
}

}  // namespace reeve::scenarios
