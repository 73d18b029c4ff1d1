// One table per JSON object, decoded by one piece of code: key, shape, default, help and target.
#pragma once

#include <bit>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "scenarios/load/keys/codec.hpp"

namespace reeve::scenarios {

/// How far from the beginning of an S its member stands, which is what a pointer to it holds (the
/// C++ ABI of g++ and clang++).
template <class S, class T>
std::size_t offset_of(T S::*member) {
  static_assert(std::is_object_v<T> && sizeof(member) == sizeof(std::ptrdiff_t));
  return static_cast<std::size_t>(std::bit_cast<std::ptrdiff_t>(member));
}

/// Where in every S a T stands that is a part of a part: Slot{&S::part}(&Part::value).
template <class S, class T>
class Slot {
 public:
  explicit Slot(T S::*member) : offset_{offset_of(member)} {}
  explicit Slot(std::size_t offset) : offset_{offset} {}
  template <class Part, class Value>
  Slot<S, Value> operator()(Value Part::*member) const {
    static_assert(std::is_same_v<Part, T>);
    return Slot<S, Value>{offset_ + offset_of(member)};
  }
  /// An element of a std::array.
  auto operator[](std::size_t index) const {
    using Value = typename T::value_type;
    static_assert(sizeof(T) == std::tuple_size_v<T> * sizeof(Value));
    return Slot<S, Value>{offset_ + index * sizeof(Value)};
  }
  std::size_t offset() const { return offset_; }

 private:
  std::size_t offset_;
};

struct FieldRules {
  std::string_view default_json = {};
  bool required = false;
};

/// A Field without its type.
struct ErasedField {
  /// It reads into what stands so far from the beginning of an object; `optional`: if that is a
  /// std::optional.
  ErasedField(std::string_view name, std::size_t from_beginning, const ErasedCodec& codec,
              ReadOptional optional, std::string_view help, const FieldRules& rules);
  ErasedField(const ErasedField& other);
  ErasedField(ErasedField&& other) noexcept;
  ErasedField& operator=(const ErasedField& other);
  ErasedField& operator=(ErasedField&& other) noexcept;
  ~ErasedField();

  void read(const Node& node, Findings& findings, void* object) const;
  void start(void* object) const;

  FieldShape shape;
  SharedReader reader;
  std::size_t offset;
};

/// One key of S.
template <class S>
struct Field : ErasedField {
  using ErasedField::ErasedField;
};

/// The key `name` of an S, kept in `member`: a T or a std::optional<T>.
template <class S, class T>
Field<S> field(std::string_view name, T S::*member, const Codec<T>& codec, std::string_view help,
               const FieldRules& rules = {}) {
  return {name, offset_of(member), codec, nullptr, help, rules};
}
template <class S, class T>
Field<S> field(std::string_view name, std::optional<T> S::*member, const Codec<T>& codec,
               std::string_view help, const FieldRules& rules = {}) {
  return {name, offset_of(member), codec, read_optional<T>, help, rules};
}
template <class S, class T>
Field<S> field(std::string_view name, Slot<S, T> slot, const Codec<T>& codec, std::string_view help,
               const FieldRules& rules = {}) {
  return {name, slot.offset(), codec, nullptr, help, rules};
}
template <class S, class T>
Field<S> field(std::string_view name, Slot<S, std::optional<T>> slot, const Codec<T>& codec,
               std::string_view help, const FieldRules& rules = {}) {
  return {name, slot.offset(), codec, read_optional<T>, help, rules};
}

/// Fields without their type.
class ErasedFields {
 public:
  ErasedFields();
  ErasedFields(const ErasedFields& other);
  ErasedFields(ErasedFields&& other) noexcept;
  ErasedFields& operator=(const ErasedFields& other);
  ErasedFields& operator=(ErasedFields&& other) noexcept;
  ~ErasedFields();

  const ErasedField* begin() const { return rows_.data(); }
  const ErasedField* end() const { return rows_.data() + rows_.size(); }
  void remove(std::string_view name);
  void require_none();
  void add(const ErasedField& row);
  /// Those of a part that stands so far from the beginning.
  void include(const ErasedFields& part, std::size_t from_beginning);

 private:
  std::vector<ErasedField> rows_;
};

template <class S>
class ObjectTable;

/// Keys of S.
template <class S>
class Fields : public ErasedFields {
 public:
  Fields(std::initializer_list<Field<S>> rows) {
    for (const Field<S>& row : rows) add(row);
  }
  /// Those of a table.
  explicit Fields(const ObjectTable<S>& table) : ErasedFields{table.rows()} {}
  void add_all(const Fields& others) { include(others, 0); }
};

/// An ObjectTable without its type.
class ErasedTable {
 public:
  ErasedTable(const ErasedTable&) = delete;
  ErasedTable& operator=(const ErasedTable&) = delete;

  const std::shared_ptr<const ObjectShape>& shape() const { return shape_; }
  const ErasedFields& rows() const { return rows_; }
  bool has(std::string_view key) const { return find(key) != nullptr; }

  /// As ObjectTable's.
  bool read(const Node& object, Findings& findings, void* into, const std::optional<Node>& under,
            bool partial) const;
  std::vector<Node> read_known(const Node& object, Findings& findings, void* into) const;

 protected:
  /// `written`: how far from the beginning of an object the node is kept that it is from.
  ErasedTable(std::string_view name, std::string_view help, ErasedFields rows,
              std::initializer_list<std::string_view> exactly_one,
              std::optional<std::size_t> written);
  ~ErasedTable();
  void apply_defaults(void* object) const;

 private:
  const ErasedField* find(std::string_view key) const;

  ErasedFields rows_;
  std::shared_ptr<const ObjectShape> shape_;
  std::optional<std::size_t> written_;
};

/// Every key of S.  A member `std::optional<Node> written` of S, if any, learns the node it is
/// from.
template <class S>
class ObjectTable : public ErasedTable {
 public:
  ObjectTable(std::string_view name, std::string_view help, Fields<S> fields,
              std::initializer_list<std::string_view> exactly_one = {})
      : ErasedTable{name, help, std::move(fields), exactly_one, written_in()} {
    apply_defaults(&fresh_);
  }

  /// An S as an empty object gives it.
  const S& fresh() const { return fresh_; }

  /// Reads the keys that stand in `object` over what `into` holds.  With `under`, a required key
  /// may stand there instead.  `partial`: no key is required.
  bool read(const Node& object, Findings& findings, S& into, const std::optional<Node>& under = {},
            bool partial = false) const {
    return ErasedTable::read(object, findings, &into, under, partial);
  }

  /// Reads the keys of the table; returns the members of `object`, which is one, that are not in
  /// it.
  std::vector<Node> read_known(const Node& object, Findings& findings, S& into) const {
    return ErasedTable::read_known(object, findings, &into);
  }

 private:
  static std::optional<std::size_t> written_in() {
    if constexpr (requires { &S::written; }) {
      std::optional<Node> S::*member = &S::written;
      return offset_of(member);
    } else {
      return std::nullopt;
    }
  }

  S fresh_{};
};

/// The keys of Part, which S holds in `member`, as keys of S itself.
template <class S, class Part>
void include(Fields<S>& fields, Part S::*member, const ObjectTable<Part>& table) {
  fields.include(table.rows(), offset_of(member));
}

Shape object_shape(const ErasedTable& table);
ErasedCodec object(const ErasedTable& table, const void* fresh,
                   void (*start)(void* into, const void* fresh));

template <class S>
Codec<S> object(const ObjectTable<S>& table) {
  return Codec<S>{object(table, &table.fresh(), [](void* into, const void* fresh) {
    replace(*static_cast<S*>(into), S{*static_cast<const S*>(fresh)});
  })};
}

}  // namespace reeve::scenarios
