// What is wrong with a file a person wrote: where, why, and what to write instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reeve::scenarios {

enum class Severity : std::uint8_t { error, warning };

/// A place in a text.  `line` and `column` count from 1, in characters (not bytes); `length` is in
/// characters of the same line, at least 1.  line == 0: the message is about the file as a whole.
struct Position {
  std::uint64_t line = 0;
  std::uint64_t column = 0;
  std::uint64_t length = 1;
  friend bool operator==(const Position&, const Position&) = default;
};

/// The part of the source line a message points into: raw bytes, at most a few hundred around the
/// caret however long the line is, so that a message never keeps its source alive.
struct Excerpt {
  std::string bytes;
  std::size_t caret_offset = 0;  ///< bytes before the caret
  std::size_t caret_bytes = 0;   ///< 0: points between two characters, for example at the end
  bool cut_before = false;       ///< the line has more to the left
  bool cut_after = false;        ///< the line has more to the right
};

/// One finding, complete in itself: it can be shown after its file is gone.
struct Diagnostic {
  Severity severity = Severity::error;
  std::string code;  ///< "E0203", "W0412"; explained by `reeve explain CODE`
  std::string file;  ///< as the person named it; empty: not about a file
  Position position;
  std::string pointer;  ///< JSON pointer (RFC 6901) of the value, "/jobs/0/work"; empty if none
  std::string message;  ///< one line, no full stop
  std::string label;    ///< shown after the carets
  std::vector<std::string> notes;
  std::string help;             ///< what to write instead
  std::vector<Position> again;  ///< where else the same is found, in the same file
  std::optional<Excerpt> excerpt;

  Diagnostic with_note(std::string text) const&;
  Diagnostic with_note(std::string text) &&;
  Diagnostic with_help(std::string text) const&;
  Diagnostic with_help(std::string text) &&;
};

/// Bad input from a person: one or more diagnostics, at least one of them an error.  Caught once,
/// in app/; exit code 3.
class InputError : public std::exception {
 public:
  explicit InputError(Diagnostic diagnostic);
  explicit InputError(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::vector<Diagnostic> diagnostics_;
  std::string what_;  ///< "file:line:column: error[code]: message" of each
};

/// How diagnostics are drawn.
struct RenderStyle {
  bool colour = false;        ///< ANSI escapes
  std::size_t columns = 100;  ///< of source text shown; longer lines are cut around the caret
};

/// The finding as `reeve check` prints it, with a newline at the end.  Control characters, invalid
/// UTF-8 and direction marks of the input are never passed through to the terminal.
std::string render(const Diagnostic& diagnostic, const RenderStyle& style = {});
std::string render(std::span<const Diagnostic> diagnostics, const RenderStyle& style = {});

/// The last line of `reeve check`: "1 error, 2 warnings" and, at the right edge, "exit 3".
std::string render_summary(std::span<const Diagnostic> diagnostics, int exit_code);

/// The finding for `--json`: severity, code, file, line, column, length, pointer, message, label,
/// notes, help.  Absent where empty.
nlohmann::ordered_json diagnostic_json(const Diagnostic& diagnostic);

/// `text` in double quotes, safe in a message: controls escaped, at most `max_characters` shown.
std::string in_quotes(std::string_view text, std::size_t max_characters = 60);

/// "1 instance", "2 instances".
std::string counted(std::uint64_t number, std::string_view what);

/// The candidate a person most likely meant by `name`, if any is near enough (optimal string
/// alignment distance, case folded for a cheaper edit; cut-off a third of the length, at least 1).
/// Ties go to the smaller difference of length, then the alphabet, so the order of the candidates
/// never matters.  If none is, the only one whose first words are near by one slip.
std::optional<std::string> nearest_of(std::string_view name,
                                      std::span<const std::string_view> candidates);

/// nearest_of for any range of strings.
template <class Range>
std::optional<std::string> nearest(std::string_view name, const Range& candidates) {
  const std::vector<std::string_view> views(std::begin(candidates), std::end(candidates));
  return nearest_of(name, views);
}

/// The help line for a wrong name: `did you mean "x"?`; if nothing is near and there are few
/// candidates, `one of "x", "y"`; else empty.
std::string did_you_mean_of(std::string_view name, std::span<const std::string_view> candidates);

template <class Range>
std::string did_you_mean(std::string_view name, const Range& candidates) {
  const std::vector<std::string_view> views(std::begin(candidates), std::end(candidates));
  return did_you_mean_of(name, views);
}

}  // namespace reeve::scenarios
