#include "scenarios/text/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "scenarios/text/utf8.hpp"

namespace reeve::scenarios {
namespace {

// ---- drawing
// -------------------------------------------------------------------------------------

struct Paint {
  std::string_view kind, strong, gutter, off;
};

Paint paint_for(Severity severity, bool colour) {
  if (!colour) return {"", "", "", ""};
  return {severity == Severity::error ? "\x1b[1;31m" : "\x1b[1;33m", "\x1b[1m", "\x1b[1;34m",
          "\x1b[0m"};
}

std::string_view word_for(Severity severity) {
  return severity == Severity::error ? "error" : "warning";
}

struct ScreenCell {
  std::string text;
  std::size_t width;
  bool under_caret;
};

std::vector<ScreenCell> cells_of(const Excerpt& excerpt) {
  std::vector<ScreenCell> cells;
  const std::string_view bytes = excerpt.bytes;
  const std::size_t caret_end = excerpt.caret_offset + excerpt.caret_bytes;
  for (std::size_t at = 0; at < bytes.size();) {
    const Utf8Character character = decode_utf8(bytes, at);
    std::string text = shown(character, bytes.substr(at, character.bytes), "    ");
    std::size_t width = character.valid ? width_of(character.code) : 1;
    if (character.code == '\t') width = 4;
    if (text == "\uFFFD") width = 1;  // the stand-in's width, not the hidden character's
    cells.push_back({std::move(text), width, at >= excerpt.caret_offset && at < caret_end});
    at += character.bytes;
  }
  return cells;
}

struct ScreenWindow {
  std::size_t first, last;  // cells [first, last)
};

std::size_t width_between(const std::vector<ScreenCell>& cells, std::size_t first,
                          std::size_t last) {
  std::size_t width = 0;
  for (std::size_t i = first; i < last; ++i) width += cells[i].width;
  return width;
}

// The cells to show: all if they fit, else a third of the room before the caret and the rest after.
ScreenWindow window_around(const std::vector<ScreenCell>& cells, std::size_t caret,
                           std::size_t columns) {
  if (width_between(cells, 0, cells.size()) <= columns) return {0, cells.size()};
  const std::size_t room = std::max<std::size_t>(columns, 20) - 2;  // two for the ellipses
  ScreenWindow window{0, 0};
  if (width_between(cells, 0, caret) > room * 2 / 3) {
    window.first = caret;
    std::size_t before = 0;
    while (window.first > 0 && before + cells[window.first - 1].width <= room / 3) {
      before += cells[--window.first].width;
    }
  }
  std::size_t used = 0;
  window.last = window.first;
  while (window.last < cells.size() && used + cells[window.last].width <= room) {
    used += cells[window.last++].width;
  }
  return window;
}

std::size_t cell_at(const Excerpt& excerpt) {
  return count_characters(std::string_view{excerpt.bytes}.substr(0, excerpt.caret_offset));
}

struct Drawn {
  std::string source, carets;
};

Drawn draw(const Excerpt& excerpt, std::size_t columns) {
  const std::vector<ScreenCell> cells = cells_of(excerpt);
  const std::size_t caret = std::min(cell_at(excerpt), cells.size());
  const ScreenWindow window = window_around(cells, caret, columns);
  Drawn drawn;
  std::size_t before = 0;
  std::size_t under = 0;
  if (excerpt.cut_before || window.first > 0) {
    drawn.source += "…";
    before = 1;
  }
  for (std::size_t i = window.first; i < window.last; ++i) {
    drawn.source += cells[i].text;
    if (i < caret) before += cells[i].width;
    if (cells[i].under_caret) under += cells[i].width;
  }
  if (excerpt.cut_after || window.last < cells.size()) drawn.source += "…";
  drawn.carets = std::string(before, ' ') + std::string(std::max<std::size_t>(under, 1), '^');
  return drawn;
}

std::string remark(std::size_t gutter, std::string_view word, std::string_view text,
                   const Paint& paint) {
  std::string result = fmt::format("{:{}} {}={} {}{}{}: ", "", gutter, paint.gutter, paint.off,
                                   paint.strong, word, paint.off);
  const std::string indent(gutter + 5 + word.size(), ' ');
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find('\n', begin);
    result += shown(text.substr(begin, end - begin)) + "\n";
    if (end == text.npos) return result;
    result += indent;
    begin = end + 1;
  }
}

std::string place_of(const Diagnostic& diagnostic) {
  std::string place = shown(diagnostic.file);
  if (diagnostic.position.line > 0) {
    place += fmt::format(":{}:{}", diagnostic.position.line, diagnostic.position.column);
  }
  return place;
}

std::string headline(const Diagnostic& diagnostic, const Paint& paint) {
  std::string code = diagnostic.code.empty() ? "" : fmt::format("[{}]", shown(diagnostic.code));
  return fmt::format("{}{}{}{}{}: {}{}", paint.kind, word_for(diagnostic.severity), code, paint.off,
                     paint.strong, shown(diagnostic.message), paint.off);
}

// ---- nearest name
// --------------------------------------------------------------------------------

constexpr std::size_t edit_cost = 2;  // so that a change of case alone can cost half an edit

std::u32string characters_of(std::string_view text) {
  std::u32string result;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character character = decode_utf8(text, at);
    result.push_back(character.code);
    at += character.bytes;
  }
  return result;
}

char32_t folded(char32_t code) {
  if (code >= 'A' && code <= 'Z') return code - 'A' + 'a';
  return code == '-' || code == '.' || code == ' ' ? U'_' : code;
}

std::size_t replace_cost(char32_t a, char32_t b) {
  if (a == b) return 0;
  return folded(a) == folded(b) ? 1 : edit_cost;
}

// Optimal string alignment: edits plus swaps of neighbours, no part edited twice.
std::size_t distance(const std::u32string& a, const std::u32string& b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j * edit_cost;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i * edit_cost;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + edit_cost, now[j - 1] + edit_cost,
                         last[j - 1] + replace_cost(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && a[i - 1] != b[j - 1]) {
        now[j] = std::min(now[j], before[j - 2] + edit_cost);
      }
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}

constexpr std::size_t longest_name = 200;  // longer names are not typing errors

std::optional<std::string> only_completion(std::string_view name,
                                           std::span<const std::string_view> candidates) {
  if (name.size() < 3) return std::nullopt;
  std::optional<std::string> found;
  for (const std::string_view candidate : candidates) {
    if (!candidate.starts_with(name) || (found && *found == candidate)) continue;
    if (found) return std::nullopt;
    found = candidate;
  }
  return found;
}

std::string plural_of(std::string_view word) {
  if (word.ends_with('y')) return std::string{word.substr(0, word.size() - 1)} + "ies";
  return std::string{word} + 's';
}

/// "policies" of "policy", or "policy" of "policies".
std::optional<std::string> other_number(std::string_view name,
                                        std::span<const std::string_view> candidates) {
  const auto found =
      std::find_if(candidates.begin(), candidates.end(), [&](std::string_view candidate) {
        return candidate == plural_of(name) || name == plural_of(candidate);
      });
  if (found == candidates.end()) return std::nullopt;
  return std::string{*found};
}

/// The only candidate whose first words are the name but for one slip: "staled" of "stalled_gpu".
std::optional<std::string> only_beginning(const std::u32string& wanted,
                                          std::span<const std::string_view> candidates) {
  if (wanted.size() < 5) return std::nullopt;
  std::optional<std::string> found;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longest_name) continue;
    bool near = false;
    for (std::size_t end = candidate.find_first_of("_-."); end != candidate.npos && !near;
         end = candidate.find_first_of("_-.", end + 1)) {
      near = distance(wanted, characters_of(candidate.substr(0, end))) <= edit_cost;
    }
    if (!near || (found && *found == candidate)) continue;
    if (found) return std::nullopt;
    found = candidate;
  }
  return found;
}

}  // namespace

Diagnostic Diagnostic::with_note(std::string text) const& {
  return Diagnostic{*this}.with_note(std::move(text));
}

Diagnostic Diagnostic::with_note(std::string text) && {
  notes.push_back(std::move(text));
  return std::move(*this);
}

Diagnostic Diagnostic::with_help(std::string text) const& {
  return Diagnostic{*this}.with_help(std::move(text));
}

Diagnostic Diagnostic::with_help(std::string text) && {
  help = std::move(text);
  return std::move(*this);
}

InputError::InputError(Diagnostic diagnostic)
    : InputError{std::vector<Diagnostic>{std::move(diagnostic)}} {}

InputError::InputError(std::vector<Diagnostic> diagnostics) : diagnostics_{std::move(diagnostics)} {
  for (const Diagnostic& diagnostic : diagnostics_) {
    if (!what_.empty()) what_ += '\n';
    const std::string place = place_of(diagnostic);
    if (!place.empty()) what_ += place + ": ";
    what_ += headline(diagnostic, paint_for(diagnostic.severity, false));
  }
}

std::string render(const Diagnostic& diagnostic, const RenderStyle& style) {
  const Paint paint = paint_for(diagnostic.severity, style.colour);
  const std::string line_number = fmt::format("{}", diagnostic.position.line);
  const std::size_t gutter = std::max<std::size_t>(2, line_number.size());
  std::string result = headline(diagnostic, paint) + "\n";
  if (const std::string place = place_of(diagnostic); !place.empty()) {
    result += fmt::format("{:{}}{}-->{} {}\n", "", gutter, paint.gutter, paint.off, place);
  }
  const bool worth_showing = diagnostic.severity == Severity::error || !diagnostic.label.empty();
  if (diagnostic.excerpt && worth_showing) {
    const Drawn drawn = draw(*diagnostic.excerpt, style.columns);
    result += fmt::format("{:{}} {}|{}\n", "", gutter, paint.gutter, paint.off);
    result += fmt::format("{}{:>{}} |{} {}\n", paint.gutter, line_number, gutter, paint.off,
                          drawn.source);
    result += fmt::format("{:{}} {}|{} {}{}", "", gutter, paint.gutter, paint.off, paint.kind,
                          drawn.carets);
    if (!diagnostic.label.empty()) result += " " + shown(diagnostic.label);
    result += fmt::format("{}\n", paint.off);
  }
  if (!diagnostic.help.empty()) result += remark(gutter, "help", diagnostic.help, paint);
  for (const std::string& note : diagnostic.notes) result += remark(gutter, "note", note, paint);
  return result;
}

std::string render(std::span<const Diagnostic> diagnostics, const RenderStyle& style) {
  std::string result;
  for (const Diagnostic& diagnostic : diagnostics) result += render(diagnostic, style);
  return result;
}

std::string render_summary(std::span<const Diagnostic> diagnostics, int exit_code) {
  const auto errors = std::count_if(diagnostics.begin(), diagnostics.end(), [](const auto& found) {
    return found.severity == Severity::error;
  });
  const auto warnings = static_cast<std::ptrdiff_t>(diagnostics.size()) - errors;
  const auto counted = [](std::ptrdiff_t count, std::string_view word) {
    return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
  };
  constexpr std::size_t right_edge = 80;
  const std::string left = counted(errors, "error") + ", " + counted(warnings, "warning");
  return fmt::format("{}{:>{}}\n", left, fmt::format("exit {}", exit_code),
                     right_edge - left.size());
}

nlohmann::ordered_json diagnostic_json(const Diagnostic& diagnostic) {
  nlohmann::ordered_json json;
  json["severity"] = word_for(diagnostic.severity);
  // shown() everywhere: nlohmann refuses to write invalid UTF-8.
  const auto put = [&json](const char* key, std::string_view text) {
    if (!text.empty()) json[key] = shown(text);
  };
  put("code", diagnostic.code);
  put("file", diagnostic.file);
  if (diagnostic.position.line > 0) {
    json["line"] = diagnostic.position.line;
    json["column"] = diagnostic.position.column;
    json["length"] = diagnostic.position.length;
  }
  put("pointer", diagnostic.pointer);
  put("message", diagnostic.message);
  put("label", diagnostic.label);
  for (const std::string& note : diagnostic.notes) json["notes"].push_back(shown(note));
  put("help", diagnostic.help);
  for (const Position& other : diagnostic.again) {
    json["again"].push_back(
        {{"line", other.line}, {"column", other.column}, {"length", other.length}});
  }
  return json;
}

std::string counted(std::uint64_t number, std::string_view what) {
  return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string in_quotes(std::string_view text, std::size_t max_characters) {
  std::string result = "\"";
  std::size_t at = 0;
  for (std::size_t count = 0; at < text.size() && count < max_characters; ++count) {
    const Utf8Character character = decode_utf8(text, at);
    result += shown(character, text.substr(at, character.bytes), "\u2409");
    at += character.bytes;
  }
  return result + (at < text.size() ? "…\"" : "\"");
}

std::optional<std::string> nearest_of(std::string_view name,
                                      std::span<const std::string_view> candidates) {
  if (name.size() > longest_name) return std::nullopt;
  if (auto whole = other_number(name, candidates)) return whole;
  if (auto whole = only_completion(name, candidates)) return whole;
  const std::u32string wanted = characters_of(name);
  using Rank = std::tuple<std::size_t, std::size_t, bool, std::string_view>;
  std::optional<Rank> best;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longest_name) continue;
    const std::u32string offered = characters_of(candidate);
    const std::size_t shorter = std::min(wanted.size(), offered.size());
    const std::size_t longer = std::max(wanted.size(), offered.size());
    const std::size_t cut_off = edit_cost * std::max<std::size_t>(1, longer / 3);
    if ((longer - shorter) * edit_cost > cut_off) continue;
    const std::size_t apart = distance(wanted, offered);
    // Two names that share no character are not near, however short.
    if (apart > cut_off || apart >= edit_cost * longer) continue;
    // Of "=>" it is ">=" sooner than "==", and of "=" it is "==" sooner than "!=".
    const bool is_other =
        !candidate.starts_with(name) &&
        !std::is_permutation(wanted.begin(), wanted.end(), offered.begin(), offered.end());
    const Rank rank{apart, longer - shorter, is_other, candidate};
    if (!best || rank < *best) best = rank;
  }
  if (!best) return only_beginning(wanted, candidates);
  return std::string{std::get<3>(*best)};
}

std::string did_you_mean_of(std::string_view name, std::span<const std::string_view> candidates) {
  if (const auto near = nearest_of(name, candidates)) {
    return fmt::format("did you mean {}?", in_quotes(*near));
  }
  constexpr std::size_t few = 12;
  if (candidates.empty() || candidates.size() > few) return {};
  std::string list;
  for (const std::string_view candidate : candidates) {
    if (!list.empty()) list += ", ";
    list += in_quotes(candidate);
  }
  return (candidates.size() == 1 ? "there is only " : "one of ") + list;
}

}  // namespace reeve::scenarios
