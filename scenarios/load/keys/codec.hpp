// How values of one type look and are read.  What reads is kept without its type (`Erased...`), so
// that the compiler makes code for each type, not for each key of each table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "scenarios/text/decode.hpp"
#include "scenarios/text/shape.hpp"

namespace reeve::scenarios {

/// Reads values of one type, into places that hold one.  Only its Codec knows which type that is.
class ValueReader {
 public:
  /// Puts into a place what stands there before anything is read.
  using Start = void (*)(void* into);

  explicit ValueReader(Start how) : start_{how} {}
  virtual ~ValueReader();
  ValueReader(const ValueReader&) = delete;
  ValueReader& operator=(const ValueReader&) = delete;

  /// Leaves `into` alone and returns false after a finding; objects are read key by key over what
  /// `into` holds.
  virtual bool read(const Node& node, Findings& findings, void* into) const = 0;
  virtual void start(void* into) const { start_(into); }

 private:
  Start start_;
};

using SharedReader = std::shared_ptr<const ValueReader>;
/// Takes over what was made by `new`, so that no type of reader needs a pointer type of its own.
SharedReader share(const ValueReader* reader);

/// As `place = std::move(value)`, but types with many members need no assignment of their own.
template <class T>
void replace(T& place, std::type_identity_t<T>&& value) noexcept {
  static_assert(std::is_nothrow_move_constructible_v<T>);
  std::destroy_at(&place);
  std::construct_at(&place, std::move(value));
}

template <class T>
void start_anew(void* into) {
  replace(*static_cast<T*>(into), T{});
}

/// Calls a function with a Node, Findings& and a T&.
template <class T, class Read>
class FunctionReader final : public ValueReader {
 public:
  explicit FunctionReader(Read read) : ValueReader{start_anew<T>}, read_{std::move(read)} {}
  bool read(const Node& node, Findings& findings, void* into) const override {
    return read_(node, findings, *static_cast<T*>(into));
  }

 private:
  Read read_;
};

/// A Codec without its type.  Copies share what reads.
struct ErasedCodec {
  ErasedCodec(Shape looks, SharedReader reads);
  ErasedCodec(const ErasedCodec& other);
  ErasedCodec(ErasedCodec&& other) noexcept;
  ErasedCodec& operator=(const ErasedCodec& other);
  ErasedCodec& operator=(ErasedCodec&& other) noexcept;
  ~ErasedCodec();

  Shape shape;
  SharedReader reader;
};

/// How values of T look and are read.
template <class T>
struct Codec : ErasedCodec {
  explicit Codec(ErasedCodec erased) : ErasedCodec{std::move(erased)} {}
  /// `read` does what ValueReader::read does, with a T&.
  template <class Read>
  Codec(Shape looks, Read read)
      : ErasedCodec{std::move(looks), share(new FunctionReader<T, Read>{std::move(read)})} {}

  bool read(const Node& node, Findings& findings, T& into) const {
    return reader->read(node, findings, &into);
  }
};

/// Reads a T into a std::optional<T>: over what it holds, or over what stands in a new T.
template <class T>
bool read_optional(const ValueReader& reader, const Node& node, Findings& findings, void* into) {
  auto& slot = *static_cast<std::optional<T>*>(into);
  if (slot) return reader.read(node, findings, &*slot);
  reader.start(&slot.emplace());
  if (reader.read(node, findings, &*slot)) return true;
  slot.reset();
  return false;
}
using ReadOptional = decltype(&read_optional<bool>);
extern template bool read_optional<bool>(const ValueReader&, const Node&, Findings&, void*);
extern template bool read_optional<double>(const ValueReader&, const Node&, Findings&, void*);
extern template bool read_optional<std::uint32_t>(const ValueReader&, const Node&, Findings&,
                                                  void*);
extern template bool read_optional<Duration>(const ValueReader&, const Node&, Findings&, void*);
extern template bool read_optional<std::string>(const ValueReader&, const Node&, Findings&, void*);

/// Of an optional, which has nothing in it before anything is read.
SharedReader optional_reader(SharedReader value, ReadOptional read);

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
/// One of these texts.
Codec<std::string> word(std::vector<std::string_view> words);
/// The name of a file, relative to the scenario: not empty.
Codec<std::string> trace_file();
/// Stands in `expect` lines and tables: no blanks, no comparison signs, nothing unprintable.
Codec<std::string> name(std::string_view what = "a name");
/// A name that also becomes the name of a file and an item of lists like `-p a,b`.
Codec<std::string> file_name(std::string_view what);
Codec<std::pair<Duration, Duration>> interval();

/// Of 16, 32 or 64 bits.
template <class Integer>
Codec<Integer> integer(std::int64_t min, std::int64_t max, std::string_view unit = {});

template <class T>
struct Choice {
  std::string_view name;
  T value;
};

/// Collects the choices of a codec, values as their bytes.
class ChoiceList {
 public:
  ChoiceList(std::size_t value_bytes, ValueReader::Start how);
  ~ChoiceList();
  ChoiceList(const ChoiceList&) = delete;
  ChoiceList& operator=(const ChoiceList&) = delete;
  void add(std::string_view name, const void* value);
  ErasedCodec codec() const;

 private:
  Shape shape_;
  std::vector<std::uint64_t> values_;
  std::size_t value_bytes_;
  ValueReader::Start start_;
};

template <class T, class Choices>
Codec<T> choice_of(const Choices& choices) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));
  ChoiceList list{sizeof(T), start_anew<T>};
  for (const Choice<T>& entry : choices) list.add(entry.name, &entry.value);
  return Codec<T>{list.codec()};
}
template <class T>
Codec<T> choice(std::initializer_list<Choice<T>> choices) {
  return choice_of<T>(choices);
}
template <class T>
Codec<T> choice(const std::vector<Choice<T>>& choices) {
  return choice_of<T>(choices);
}

/// What a list of no matter what does.
struct ListOps {
  void (*clear)(void* list);
  void* (*add)(void* list);  ///< the place of a new last element
  void (*remove_last)(void* list);
};
template <class T>
inline constexpr ListOps list_ops{
    [](void* list) { static_cast<std::vector<T>*>(list)->clear(); },
    [](void* list) -> void* { return &static_cast<std::vector<T>*>(list)->emplace_back(); },
    [](void* list) { static_cast<std::vector<T>*>(list)->pop_back(); }};

ErasedCodec list_of(const ErasedCodec& element, std::size_t min_items, const ListOps& ops);

/// A list of at least `min_items`.
template <class T>
Codec<std::vector<T>> list_of(const Codec<T>& element, std::size_t min_items = 0) {
  return Codec<std::vector<T>>{list_of(element, min_items, list_ops<T>)};
}
extern template Codec<std::vector<double>> list_of(const Codec<double>&, std::size_t);
extern template Codec<std::vector<std::uint32_t>> list_of(const Codec<std::uint32_t>&, std::size_t);
extern template Codec<std::vector<std::string>> list_of(const Codec<std::string>&, std::size_t);
extern template Codec<std::vector<std::pair<Duration, Duration>>> list_of(
    const Codec<std::pair<Duration, Duration>>&, std::size_t);

/// What a map to no matter what does.
struct MapOps {
  void (*clear)(void* map);
  bool (*empty)(const void* map);
  void* (*add)(void* map, std::string_view key);  ///< the place of a new last value
  void (*remove_last)(void* map);
  void (*merge_last)(void* map);  ///< moves the last value to the entry that has its key, if any
};
template <class T>
struct MapOpsOf {
  using Entries = std::vector<std::pair<std::string, T>>;
  static Entries& at(void* map) { return *static_cast<Entries*>(map); }
  static void clear(void* map) { at(map).clear(); }
  static bool empty(const void* map) { return static_cast<const Entries*>(map)->empty(); }
  static void* add(void* map, std::string_view key) {
    auto& entry = at(map).emplace_back();
    entry.first = key;
    return &entry.second;
  }
  static void remove_last(void* map) { at(map).pop_back(); }
  static void merge_last(void* map) {
    auto& last = at(map).back();
    for (auto& entry : at(map)) {
      if (&entry == &last) return;
      if (entry.first != last.first) continue;
      replace(entry.second, std::move(last.second));
      return remove_last(map);
    }
  }
  static constexpr MapOps ops{clear, empty, add, remove_last, merge_last};
};

/// The keys of a JSON object have no order.  `as_written` is for the order of presentation only.
enum class MapOrder : std::uint8_t { by_key, as_written };

ErasedCodec map_of(const ErasedCodec& element, const MapOps& ops, MapOrder order);

/// An object with any keys; entries are added to, or replace, what stands there.
template <class T>
Codec<std::vector<std::pair<std::string, T>>> map_of(const Codec<T>& element,
                                                     MapOrder order = MapOrder::by_key) {
  return Codec<std::vector<std::pair<std::string, T>>>{map_of(element, MapOpsOf<T>::ops, order)};
}
extern template Codec<std::vector<std::pair<std::string, double>>> map_of(const Codec<double>&,
                                                                          MapOrder);
extern template Codec<std::vector<std::pair<std::string, std::uint32_t>>> map_of(
    const Codec<std::uint32_t>&, MapOrder);
extern template Codec<std::vector<std::pair<std::string, std::string>>> map_of(
    const Codec<std::string>&, MapOrder);

Shape word_or_shape(std::string_view word, const Shape& other);
bool is_word(const Node& node, std::string_view word);

/// The word `word`, meaning `value`, or whatever `other` reads.
template <class T>
Codec<T> word_or(std::string_view word, T value, const Codec<T>& other) {
  return {word_or_shape(word, other.shape), [word, value = std::move(value), other = other.reader](
                                                const Node& node, Findings& findings, T& into) {
            if (!is_word(node, word)) return other->read(node, findings, &into);
            into = value;
            return true;
          }};
}

ErasedCodec plain_or_object(const ErasedCodec& plain, const ErasedCodec& structured,
                            ValueReader::Start how);

/// `structured` for objects, `plain` for everything else.
template <class T>
Codec<T> plain_or_object(const Codec<T>& plain, const Codec<T>& structured) {
  return Codec<T>{plain_or_object(plain, structured, start_anew<T>)};
}

/// Any value of the kind, kept as it stands in the `written` of a T.
template <class T>
Codec<T> kept(Kind kind, Shape shape) {
  return {std::move(shape), [kind](const Node& node, Findings& findings, T& into) {
            if (!expect_kind(node, kind, findings)) return false;
            into.written = node;
            return true;
          }};
}

/// A codec of T read through one of U: `convert`, of a U, Node and Findings&, gives a T; or nothing
/// after adding findings.
template <class T, class U, class Convert>
Codec<T> through(const Codec<U>& codec, Convert convert) {
  return {codec.shape,
          [codec = codec.reader, convert](const Node& node, Findings& findings, T& into) {
            U value{};
            codec->start(&value);
            if (!codec->read(node, findings, &value)) return false;
            std::optional<T> converted = convert(std::move(value), node, findings);
            if (converted) into = std::move(*converted);
            return converted.has_value();
          }};
}

}  // namespace reeve::scenarios
