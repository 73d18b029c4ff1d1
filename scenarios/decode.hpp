// One table per JSON object, decoded by one piece of code: key, shape, default, help and target.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "scenarios/diagnostic.hpp"
#include "scenarios/json.hpp"
#include "scenarios/quantity.hpp"
#include "scenarios/shape.hpp"

namespace reeve::scenarios {

/// Everything wrong or doubtful that one pass over a file found.  Keeps at most `limit` errors.
class Findings {
 public:
  static constexpr std::size_t limit = 100;
  void add(Diagnostic diagnostic);
  void add(const InputError& error);
  bool full() const { return errors_ >= limit; }
  std::size_t errors() const { return errors_; }
  /// Has every finding from number `first` on that stands in a file named so stand at `node`'s key
  /// instead, with a note of where it was.
  void move_to(const Node& node, std::string_view file, std::size_t first);
  std::size_t count() const { return found_.size(); }
  /// What was found, by position in the file; equal findings once.
  std::vector<Diagnostic> sorted() const;
  /// Whether a word stands where only others can (E0204), at a place that begins with `pointer`.
  bool unknown_choice(std::string_view pointer = {}) const;

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
/// A list of at least so many.
bool expect_items(const Node& node, std::size_t min_items, Findings& findings);

/// Reports a key that `shape` does not have, with the nearest that it has.
void report_unknown_key(const Node& member, const ObjectShape& shape, Findings& findings);
/// Reports required keys that stand neither in `object` nor in `under`, and the exactly_one rule.
void report_missing_keys(const Node& object, const std::optional<Node>& under,
                         const ObjectShape& shape, Findings& findings);
/// A limit as a person writes it: "1s", "100 %".
std::string show_limit(double limit, const Shape& shape);

/// How values of T look and are read.  `read` leaves `into` alone and returns false after a
/// finding; objects are read key by key over what `into` holds.
template <class T>
struct Codec {
  Shape shape;
  std::function<bool(const Node&, Findings&, T& into)> read;
  std::function<T()> fresh = [] { return T{}; };
};

/// One key of S.
template <class S>
struct Field {
  FieldShape shape;
  std::function<void(const Node&, Findings&, S&)> read;
  std::function<void(S&)> prepare;  ///< gives a nested object its defaults
};

struct FieldRules {
  std::string_view default_json = {};
  bool required = false;
};

/// The key `name` of an S, kept in `member`: a pointer to a member or a function from S& to T& or
/// std::optional<T>&.
template <class S, class T, class Member>
Field<S> field(std::string_view name, Member member, Codec<T> codec, std::string_view help,
               FieldRules rules = {}) {
  Field<S> result;
  result.shape = {std::string{name}, codec.shape, std::string{rules.default_json},
                  std::string{help}, rules.required};
  result.prepare = [member, codec](S& target) {
    auto& slot = std::invoke(member, target);
    if constexpr (std::is_same_v<std::decay_t<decltype(slot)>, T>) slot = codec.fresh();
  };
  result.read = [member, codec](const Node& node, Findings& findings, S& target) {
    auto& slot = std::invoke(member, target);
    if constexpr (std::is_same_v<std::decay_t<decltype(slot)>, T>) {
      codec.read(node, findings, slot);
    } else {
      T value = slot ? T(*slot) : codec.fresh();
      if (codec.read(node, findings, value)) slot = std::move(value);
    }
  };
  return result;
}

/// Every key of S.  A member `std::optional<Node> written` of S, if any, learns the node it is
/// from.
template <class S>
class ObjectTable {
 public:
  ObjectTable(std::string_view name, std::string_view help, std::vector<Field<S>> fields,
              std::vector<std::string_view> exactly_one = {})
      : fields_{std::move(fields)} {
    auto shape = std::make_shared<ObjectShape>();
    shape->name = name;
    shape->help = help;
    shape->exactly_one = std::move(exactly_one);
    for (const Field<S>& row : fields_) shape->fields.push_back(row.shape);
    shape_ = shape;
    for (const Field<S>& row : fields_) apply_default(row);
  }

  const std::shared_ptr<const ObjectShape>& shape() const { return shape_; }
  const std::vector<Field<S>>& fields() const { return fields_; }
  /// An S as an empty object gives it.
  const S& fresh() const { return fresh_; }

  /// Reads the keys that stand in `object` over what `into` holds.  With `under`, a required key
  /// may stand there instead.  `partial`: no key is required.
  bool read(const Node& object, Findings& findings, S& into, const std::optional<Node>& under = {},
            bool partial = false) const {
    if (!expect_kind(object, Kind::object, findings)) return false;
    for (const Node member : read_known(object, findings, into)) {
      report_unknown_key(member, *shape_, findings);
    }
    if (!partial) report_missing_keys(object, under, *shape_, findings);
    return true;
  }

  /// Reads the keys of the table; returns the members of `object`, which is one, that are not in
  /// it.
  std::vector<Node> read_known(const Node& object, Findings& findings, S& into) const {
    if constexpr (requires { into.written; }) into.written = object;
    std::vector<Node> others;
    for (const Node member : object.as_object()) {
      if (findings.full()) break;
      const Field<S>* row = find(member.key());
      if (row != nullptr) {
        row->read(member, findings, into);
      } else {
        others.push_back(member);
      }
    }
    return others;
  }

 private:
  const Field<S>* find(std::string_view key) const {
    for (const Field<S>& row : fields_) {
      if (row.shape.name == key) return &row;
    }
    return nullptr;
  }
  void apply_default(const Field<S>& row) {
    row.prepare(fresh_);
    if (row.shape.default_json.empty()) return;
    Findings findings;
    const Document document =
        Document::parse(SourceFile::from_text(row.shape.name, row.shape.default_json));
    row.read(document.root(), findings, fresh_);
    if (findings.errors() > 0) throw InputError{findings.sorted()};
  }

  std::vector<Field<S>> fields_;
  std::shared_ptr<const ObjectShape> shape_;
  S fresh_{};
};

/// The keys of Part, which S holds in `member`, as keys of S itself.
template <class S, class Part, class Member>
void include(std::vector<Field<S>>& fields, Member member, const ObjectTable<Part>& table) {
  for (const Field<Part>& row : table.fields()) {
    fields.push_back(Field<S>{
        row.shape,
        [member, read = row.read](const Node& node, Findings& findings, S& target) {
          read(node, findings, std::invoke(member, target));
        },
        [member, prepare = row.prepare](S& target) { prepare(std::invoke(member, target)); }});
  }
}

// ---- codecs ----------------------------------------------------------------------------------

Codec<bool> flag();
Codec<double> number(double min, double max, std::string_view unit = {});
Codec<double> probability();
/// At least `min` (pass above = true to refuse `min` itself) and at most `max`.
Codec<Duration> duration(Duration min = Duration{0}, bool above = false,
                         Duration max = longest_duration);
/// One of the delays that add up between two instants: at most a year.
Codec<Duration> delay();
Codec<Instant> instant();
Codec<Usd> usd(double min, double max);
Codec<UsdPerHour> usd_per_hour(double min, double max, bool above_min);
Codec<std::string> text();
/// Stands in `expect` lines and tables: no blanks, no comparison signs, nothing unprintable.
Codec<std::string> name(std::string_view what = "a name");
/// A name that also becomes the name of a file and an item of lists like `-p a,b`.
Codec<std::string> file_name(std::string_view what);
/// Reports a text, the value or the key of `node`, that may not be such a name.
bool check_name(std::string_view text, std::string_view what, const Node& node, Findings& findings);
bool is_name(std::string_view text);
bool check_file_name(std::string_view text, std::string_view what, const Node& node,
                     Findings& findings);
Codec<std::pair<Duration, Duration>> interval();

template <class Integer>
Codec<Integer> integer(std::int64_t min, std::int64_t max, std::string_view unit = {}) {
  Shape shape;
  shape.kind = ShapeKind::integer;
  shape.min = static_cast<double>(min);
  shape.max = static_cast<double>(max);
  shape.unit = unit;
  return {shape, [shape](const Node& node, Findings& findings, Integer& into) {
            const auto value = read_integer(node, shape, findings);
            if (value) into = static_cast<Integer>(*value);
            return value.has_value();
          }};
}

template <class T>
struct Choice {
  std::string_view name;
  T value;
};

template <class T>
Codec<T> choice(std::vector<Choice<T>> choices) {
  Shape shape;
  shape.kind = ShapeKind::choice;
  for (const Choice<T>& entry : choices) shape.choices.push_back(entry.name);
  return {shape, [shape, choices](const Node& node, Findings& findings, T& into) {
            const auto index = read_choice(node, shape, findings);
            if (index) into = choices[*index].value;
            return index.has_value();
          }};
}

template <class T>
Codec<std::vector<T>> list_of(Codec<T> element, std::size_t min_items = 0) {
  Shape shape;
  shape.kind = ShapeKind::list;
  shape.parts = {element.shape};
  shape.min_items = min_items;
  return {shape, [element, min_items](const Node& node, Findings& findings, std::vector<T>& into) {
            if (!expect_items(node, min_items, findings)) return false;
            into.clear();
            for (const Node child : node.as_array()) {
              if (findings.full()) break;
              T value = element.fresh();
              if (element.read(child, findings, value)) into.push_back(std::move(value));
            }
            return true;
          }};
}

/// An object with any keys; entries are added to, or replace, what stands there.
template <class T>
Codec<std::vector<std::pair<std::string, T>>> map_of(Codec<T> element) {
  Shape shape;
  shape.kind = ShapeKind::map;
  shape.parts = {element.shape};
  using Entries = std::vector<std::pair<std::string, T>>;
  return {shape, [element](const Node& node, Findings& findings, Entries& into) {
            if (!expect_kind(node, Kind::object, findings)) return false;
            for (const Node member : node.as_object()) {
              if (findings.full()) break;
              T value = element.fresh();
              if (!element.read(member, findings, value)) continue;
              const auto known = std::find_if(into.begin(), into.end(), [&](const auto& entry) {
                return entry.first == member.key();
              });
              if (known != into.end()) {
                known->second = std::move(value);
              } else {
                into.emplace_back(std::string{member.key()}, std::move(value));
              }
            }
            return true;
          }};
}

template <class S>
Codec<S> object(const ObjectTable<S>& table) {
  Shape shape;
  shape.kind = ShapeKind::object;
  shape.object = table.shape();
  return {shape,
          [&table](const Node& node, Findings& findings, S& into) {
            return table.read(node, findings, into);
          },
          [&table] { return table.fresh(); }};
}

/// The word `word`, meaning `value`, or whatever `other` reads.
template <class T>
Codec<T> word_or(std::string_view word, T value, Codec<T> other) {
  Shape shape;
  shape.kind = ShapeKind::any_of;
  Shape words;
  words.kind = ShapeKind::choice;
  words.choices = {word};
  shape.parts = {words, other.shape};
  return {shape, [word, value, other](const Node& node, Findings& findings, T& into) {
            if (node.is_text() && node.as_text() == word) {
              into = value;
              return true;
            }
            return other.read(node, findings, into);
          }};
}

/// `structured` for objects, `plain` for everything else.
template <class T>
Codec<T> plain_or_object(Codec<T> plain, Codec<T> structured) {
  Shape shape;
  shape.kind = ShapeKind::any_of;
  shape.parts = {plain.shape, structured.shape};
  return {shape, [plain, structured](const Node& node, Findings& findings, T& into) {
            return (node.is_object() ? structured : plain).read(node, findings, into);
          }};
}

/// Any value of the kind, kept as it stands in the `written` of a T.
template <class T>
Codec<T> kept(Kind kind, Shape shape) {
  return {shape, [kind](const Node& node, Findings& findings, T& into) {
            if (!expect_kind(node, kind, findings)) return false;
            into.written = node;
            return true;
          }};
}

/// A codec of T read through one of U: `convert` may refuse by adding findings.
template <class T, class U>
Codec<T> through(Codec<U> codec,
                 std::function<std::optional<T>(U, const Node&, Findings&)> convert) {
  return {codec.shape, [codec, convert](const Node& node, Findings& findings, T& into) {
            U value = codec.fresh();
            if (!codec.read(node, findings, value)) return false;
            std::optional<T> converted = convert(std::move(value), node, findings);
            if (converted) into = std::move(*converted);
            return converted.has_value();
          }};
}

}  // namespace reeve::scenarios
