#include "scenarios/load/keys/codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace reeve::scenarios {
namespace {

Shape limited(ShapeKind kind, double min, double max) {
  Shape shape = shape_of(kind);
  shape.min = min;
  shape.max = max;
  return shape;
}

Codec<std::string> checked_text(std::string_view pattern, std::string_view what,
                                bool (*check)(std::string_view, std::string_view, const Node&,
                                              Findings&)) {
  Shape shape = shape_of(ShapeKind::text);
  shape.pattern = pattern;
  return {shape, [what, check](const Node& node, Findings& findings, std::string& into) {
            const auto value = findings.attempt([&] { return std::string{node.as_text()}; });
            if (!value || !check(*value, what, node, findings)) return false;
            into = *value;
            return true;
          }};
}

/// Reads into what may hold nothing.
class OptionalReader final : public ValueReader {
 public:
  OptionalReader(SharedReader value, ReadOptional how)
      : ValueReader{[](void*) {}}, value_{std::move(value)}, read_{how} {}
  bool read(const Node& node, Findings& findings, void* into) const override {
    return read_(*value_, node, findings, into);
  }

 private:
  SharedReader value_;
  ReadOptional read_;
};

/// Reads a list element by element.
class ListReader final : public ValueReader {
 public:
  ListReader(const ListOps& ops, SharedReader element, std::size_t min_items)
      : ValueReader{ops.clear}, ops_{ops}, element_{std::move(element)}, min_items_{min_items} {}
  bool read(const Node& node, Findings& findings, void* into) const override {
    if (!expect_items(node, min_items_, findings)) return false;
    ops_.clear(into);
    for (const Node child : node.as_array()) {
      if (findings.full()) break;
      void* const value = ops_.add(into);
      element_->start(value);
      if (!element_->read(child, findings, value)) ops_.remove_last(into);
    }
    return true;
  }

 private:
  ListOps ops_;
  SharedReader element_;
  std::size_t min_items_;
};

/// Reads an object with any keys.
class MapReader final : public ValueReader {
 public:
  MapReader(const MapOps& ops, SharedReader element, MapOrder order)
      : ValueReader{ops.clear}, ops_{ops}, element_{std::move(element)}, order_{order} {}
  bool read(const Node& node, Findings& findings, void* into) const override {
    if (!expect_kind(node, Kind::object, findings)) return false;
    const bool is_new = ops_.empty(into);  // the keys of one object differ
    const NodeRange range = node.as_object();
    std::vector<Node> members(range.begin(), range.end());
    if (order_ == MapOrder::by_key) {
      std::sort(members.begin(), members.end(),
                [](const Node& a, const Node& b) { return a.key() < b.key(); });
    }
    for (const Node& member : members) {
      if (findings.full()) break;
      void* const value = ops_.add(into, member.key());
      element_->start(value);
      const bool fine = element_->read(member, findings, value);
      if (!fine) {
        ops_.remove_last(into);
      } else if (!is_new) {
        ops_.merge_last(into);
      }
    }
    return true;
  }

 private:
  MapOps ops_;
  SharedReader element_;
  MapOrder order_;
};

/// Reads objects by one reader and everything else by another.
class EitherReader final : public ValueReader {
 public:
  EitherReader(Start how, SharedReader plain, SharedReader structured)
      : ValueReader{how}, plain_{std::move(plain)}, structured_{std::move(structured)} {}
  bool read(const Node& node, Findings& findings, void* into) const override {
    return (node.is_object() ? structured_ : plain_)->read(node, findings, into);
  }

 private:
  SharedReader plain_;
  SharedReader structured_;
};

/// Reads the name of a choice, and copies the bytes of its value.
class ChoiceReader final : public ValueReader {
 public:
  ChoiceReader(Start how, Shape shape, std::vector<std::uint64_t> values, std::size_t value_bytes)
      : ValueReader{how},
        shape_{std::move(shape)},
        values_{std::move(values)},
        value_bytes_{value_bytes} {}
  bool read(const Node& node, Findings& findings, void* into) const override {
    const auto index = read_choice(node, shape_, findings);
    if (index) std::memcpy(into, &values_[*index], value_bytes_);
    return index.has_value();
  }

 private:
  Shape shape_;
  std::vector<std::uint64_t> values_;
  std::size_t value_bytes_;
};

}  // namespace

ValueReader::~ValueReader() = default;

SharedReader share(const ValueReader* reader) {
  return SharedReader{reader};
}

ErasedCodec::ErasedCodec(Shape looks, SharedReader reads)
    : shape{std::move(looks)}, reader{std::move(reads)} {}
ErasedCodec::ErasedCodec(const ErasedCodec& other) = default;
ErasedCodec::ErasedCodec(ErasedCodec&& other) noexcept = default;
ErasedCodec& ErasedCodec::operator=(const ErasedCodec& other) = default;
ErasedCodec& ErasedCodec::operator=(ErasedCodec&& other) noexcept = default;
ErasedCodec::~ErasedCodec() = default;

template bool read_optional<bool>(const ValueReader&, const Node&, Findings&, void*);
template bool read_optional<double>(const ValueReader&, const Node&, Findings&, void*);
template bool read_optional<std::uint32_t>(const ValueReader&, const Node&, Findings&, void*);
template bool read_optional<Duration>(const ValueReader&, const Node&, Findings&, void*);
template bool read_optional<std::string>(const ValueReader&, const Node&, Findings&, void*);

SharedReader optional_reader(SharedReader value, ReadOptional read) {
  return share(new OptionalReader{std::move(value), read});
}

Codec<bool> flag() {
  return {shape_of(ShapeKind::flag), [](const Node& node, Findings& findings, bool& into) {
            const auto value = read_flag(node, findings);
            if (value) into = *value;
            return value.has_value();
          }};
}

Codec<double> number(double min, double max, std::string_view unit) {
  Shape shape = limited(ShapeKind::number, min, max);
  shape.unit = unit;
  return {shape, [shape](const Node& node, Findings& findings, double& into) {
            const auto value = read_number(node, shape, findings);
            if (value) into = *value;
            return value.has_value();
          }};
}

Codec<double> probability() {
  return number(0, 1);
}

Codec<Duration> delay() {
  return duration(Duration{0}, false, std::chrono::hours{24 * 365});
}

Codec<Duration> duration(Duration min, bool above, Duration max) {
  const auto seconds = [](Duration of) { return std::chrono::duration<double>(of).count(); };
  Shape shape = limited(ShapeKind::duration, seconds(min), seconds(max));
  shape.above_min = above;
  return {shape, [shape](const Node& node, Findings& findings, Duration& into) {
            const auto value = read_duration(node, shape, findings);
            if (value) into = *value;
            return value.has_value();
          }};
}

Codec<Instant> instant() {
  return {shape_of(ShapeKind::instant), [](const Node& node, Findings& findings, Instant& into) {
            const auto value = findings.attempt([&] { return as_instant(node); });
            if (value) into = *value;
            return value.has_value();
          }};
}

Codec<Usd> usd(double min, double max) {
  const Shape shape = limited(ShapeKind::usd, min, max);
  return {shape, [shape](const Node& node, Findings& findings, Usd& into) {
            const auto value = read_usd(node, shape, findings);
            if (value) into = *value;
            return value.has_value();
          }};
}

Codec<UsdPerHour> usd_per_hour(double min, double max, bool above_min) {
  Shape shape = limited(ShapeKind::usd_per_hour, min, max);
  shape.above_min = above_min;
  return {shape, [shape](const Node& node, Findings& findings, UsdPerHour& into) {
            const auto value = read_usd_per_hour(node, shape, findings);
            if (value) into = *value;
            return value.has_value();
          }};
}

Codec<std::string> text() {
  const Shape shape = shape_of(ShapeKind::text);
  return {shape, [shape](const Node& node, Findings& findings, std::string& into) {
            auto value = read_text(node, shape, findings);
            if (value) into = std::move(*value);
            return value.has_value();
          }};
}

Codec<std::string> word(std::vector<std::string_view> words) {
  Shape shape = shape_of(ShapeKind::choice);
  shape.choices = std::move(words);
  return {shape, [shape](const Node& node, Findings& findings, std::string& into) {
            auto value = read_text(node, shape, findings);
            if (value) into = std::move(*value);
            return value.has_value();
          }};
}

Codec<std::string> name(std::string_view what) {
  return checked_text("^[^\\s=!<>\"]{1,200}$", what, check_name);
}

Codec<std::string> file_name(std::string_view what) {
  return checked_text("^(?!-|\\.{1,2}$)[^\\s=!<>\",/\\\\]{1,200}$", what, check_file_name);
}

Codec<std::string> trace_file() {
  return through<std::string, std::string>(
      text(), [](std::string name, const Node& node, Findings& findings) {
        if (!name.empty()) return std::optional{std::move(name)};
        findings.add(at(node, "E0242", "the name of the file is empty", "expected a file"));
        return std::optional<std::string>{};
      });
}

Codec<std::pair<Duration, Duration>> interval() {
  const Shape shape = shape_of(ShapeKind::pair, {duration().shape});
  using Interval = std::pair<Duration, Duration>;
  return {shape, [part = shape.parts[0]](const Node& node, Findings& findings, Interval& into) {
            if (!expect_pair(node, "an interval is a pair, [\"from\", \"to\"]", findings)) {
              return false;
            }
            const auto from = read_duration(node[0], part, findings);
            const auto to = read_duration(node[1], part, findings);
            if (!from || !to) return false;
            if (*from >= *to) {
              findings.add(at(node[1], "E0227", "the interval ends before it begins",
                              fmt::format("must be later than {}", node[0].raw())));
              return false;
            }
            into = {*from, *to};
            return true;
          }};
}

template <class Integer>
Codec<Integer> integer(std::int64_t min, std::int64_t max, std::string_view unit) {
  Shape shape = limited(ShapeKind::integer, static_cast<double>(min), static_cast<double>(max));
  shape.unit = unit;
  return {shape, [shape](const Node& node, Findings& findings, Integer& into) {
            const auto value = read_integer(node, shape, findings);
            if (value) into = static_cast<Integer>(*value);
            return value.has_value();
          }};
}
template Codec<std::uint16_t> integer(std::int64_t min, std::int64_t max, std::string_view unit);
template Codec<std::int32_t> integer(std::int64_t min, std::int64_t max, std::string_view unit);
template Codec<std::uint32_t> integer(std::int64_t min, std::int64_t max, std::string_view unit);
template Codec<std::int64_t> integer(std::int64_t min, std::int64_t max, std::string_view unit);
template Codec<std::uint64_t> integer(std::int64_t min, std::int64_t max, std::string_view unit);

ChoiceList::ChoiceList(std::size_t value_bytes, ValueReader::Start how)
    : shape_{shape_of(ShapeKind::choice)}, value_bytes_{value_bytes}, start_{how} {}
ChoiceList::~ChoiceList() = default;

void ChoiceList::add(std::string_view name, const void* value) {
  shape_.choices.push_back(name);
  std::memcpy(&values_.emplace_back(), value, value_bytes_);
}

ErasedCodec ChoiceList::codec() const {
  return {shape_, share(new ChoiceReader{start_, shape_, values_, value_bytes_})};
}

ErasedCodec list_of(const ErasedCodec& element, std::size_t min_items, const ListOps& ops) {
  Shape shape = shape_of(ShapeKind::list, {element.shape});
  shape.min_items = min_items;
  return {shape, share(new ListReader{ops, element.reader, min_items})};
}

ErasedCodec map_of(const ErasedCodec& element, const MapOps& ops, MapOrder order) {
  return {shape_of(ShapeKind::map, {element.shape}),
          share(new MapReader{ops, element.reader, order})};
}

Shape word_or_shape(std::string_view word, const Shape& other) {
  Shape words = shape_of(ShapeKind::choice);
  words.choices = {word};
  return shape_of(ShapeKind::any_of, {words, other});
}

bool is_word(const Node& node, std::string_view word) {
  return node.is_text() && node.as_text() == word;
}

ErasedCodec plain_or_object(const ErasedCodec& plain, const ErasedCodec& structured,
                            ValueReader::Start how) {
  return {shape_of(ShapeKind::any_of, {plain.shape, structured.shape}),
          share(new EitherReader{how, plain.reader, structured.reader})};
}

template Codec<std::vector<double>> list_of(const Codec<double>&, std::size_t);
template Codec<std::vector<std::uint32_t>> list_of(const Codec<std::uint32_t>&, std::size_t);
template Codec<std::vector<std::string>> list_of(const Codec<std::string>&, std::size_t);
template Codec<std::vector<std::pair<Duration, Duration>>> list_of(
    const Codec<std::pair<Duration, Duration>>&, std::size_t);
template Codec<std::vector<std::pair<std::string, double>>> map_of(const Codec<double>&, MapOrder);
template Codec<std::vector<std::pair<std::string, std::uint32_t>>> map_of(
    const Codec<std::uint32_t>&, MapOrder);
template Codec<std::vector<std::pair<std::string, std::string>>> map_of(const Codec<std::string>&,
                                                                        MapOrder);

}  // namespace reeve::scenarios
