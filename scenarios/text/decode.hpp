// One value of a file, checked against its shape, and what is wrong with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/json.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/shape.hpp"

namespace reeve::scenarios {

/// Everything wrong or doubtful that one pass over a file found.  Keeps the first `limit` errors
/// and counts the others.
class Findings {
 public:
  static constexpr std::size_t limit = 100;
  static constexpr std::size_t most_counted = 1'000;
  void add(Diagnostic diagnostic);
  void add(const InputError& error);
  /// Adds one at the value of `node`.
  void error(const Node& node, std::string_view code, std::string message, std::string label = {},
             std::string help = {});
  void warning(const Node& node, std::string_view code, std::string message, std::string label = {},
               std::string help = {});
  /// True once there is no use in looking for more errors.
  bool full() const { return errors_ >= most_counted; }
  std::size_t errors() const { return errors_; }  ///< kept or not
  /// Has every finding from number `first` on that stands in a file named so stand at `node`'s key
  /// instead, with a note of where it was.
  void move_to(const Node& node, std::string_view file, std::size_t first);
  std::size_t count() const { return found_.size(); }
  /// What was found, by position in the file; equal findings once.  A note of the last error has
  /// the number of those not kept.
  std::vector<Diagnostic> sorted() const;
  /// An object has a key that is near to one that it lacks.  What is said of the missing one would
  /// only repeat that.
  void note_misspelled_key() { misspelled_key_ = true; }
  bool misspelled_key() const { return misspelled_key_; }
  /// Whether a word stands where only others can (E0204), at a place that begins with `pointer`.
  bool unknown_choice(std::string_view pointer = {}) const;

  /// Whether an error stands at the value of `node`: it was not read.
  bool refused(const std::optional<Node>& node) const;
  /// Whether each error stands at a place that begins with one of `keys`, which are pointers to
  /// keys of the root.
  bool errors_only_in(std::span<const std::string_view> keys) const;

  /// The value of `read`, or nothing after noting the InputError it threw.
  template <class Read>
  auto attempt(const Read& read) -> std::optional<std::decay_t<decltype(read())>> {
    try {
      return read();
    } catch (const InputError& error) {
      add(error);
      return std::nullopt;
    }
  }

 private:
  std::vector<Diagnostic> found_;
  std::size_t errors_ = 0;
  bool misspelled_key_ = false;
  std::size_t kept_errors_ = 0;
};

// One value, checked against its shape; nothing after a finding.
std::optional<bool> read_flag(const Node& node, Findings& findings);
std::optional<std::int64_t> read_integer(const Node& node, const Shape& shape, Findings& findings);
std::optional<double> read_number(const Node& node, const Shape& shape, Findings& findings);
std::optional<Duration> read_duration(const Node& node, const Shape& shape, Findings& findings);
std::optional<Usd> read_usd(const Node& node, const Shape& shape, Findings& findings);
std::optional<UsdPerHour> read_usd_per_hour(const Node& node, const Shape& shape,
                                            Findings& findings);
std::optional<std::string> read_text(const Node& node, const Shape& shape, Findings& findings);
std::optional<std::size_t> read_choice(const Node& node, const Shape& shape, Findings& findings);
bool expect_kind(const Node& node, Kind kind, Findings& findings);
/// A list of at least `min_items`.
bool expect_items(const Node& node, std::size_t min_items, Findings& findings);
/// Warns of weights that look like shares of a whole, and do not sum to 1 (W0594).
void doubt_shares(const Node& node, const std::vector<double>& weights, Findings& findings);
/// A list of two; `what` says what they are.
bool expect_pair(const Node& node, std::string_view what, Findings& findings);

/// Reports a text, the value or the key of `node`, that may not be such a name.
bool check_name(std::string_view text, std::string_view what, const Node& node, Findings& findings);
bool is_name(std::string_view text);
bool check_file_name(std::string_view text, std::string_view what, const Node& node,
                     Findings& findings);

/// The keys of `shape` that no member has, and that unknown members are near to.
std::vector<std::string> misspelled_keys(std::span<const Node> members, const ObjectShape& shape);
std::vector<std::string> misspelled_keys(const Node& object, const ObjectShape& shape);
/// Reports a key that `shape` does not have, with the nearest that it has.
void report_unknown_key(const Node& member, const ObjectShape& shape, Findings& findings);
/// Reports required keys that stand neither in `object` nor in `under`, unless they are misspelled,
/// and the exactly_one rule.
void report_missing_keys(const Node& object, const std::optional<Node>& under,
                         const ObjectShape& shape, Findings& findings);
/// A limit as a person writes it: "1s", "100 %".
std::string show_limit(double limit, const Shape& shape);

}  // namespace reeve::scenarios
