// JSON with comments and trailing commas as a tree that knows where everything stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {

enum class Kind : std::uint8_t { null, boolean, integer, number, text, array, object };

/// "text", "a number", "an object": what a person calls a value of this kind.
std::string_view name_of(Kind kind);

class JsonTree;
class SourceFile;
class NodeRange;

/// One value of a document, in file order.  A cheap handle: valid as long as its Document lives.
/// The as_* functions throw InputError at this value if it is of another kind (E0120) or out of
/// range (E0121).
class Node {
 public:
  Kind kind() const;
  bool is_null() const { return kind() == Kind::null; }
  bool is_boolean() const { return kind() == Kind::boolean; }
  bool is_integer() const { return kind() == Kind::integer; }  ///< written without . and e
  bool is_number() const { return kind() == Kind::number || is_integer(); }
  bool is_text() const { return kind() == Kind::text; }
  bool is_array() const { return kind() == Kind::array; }
  bool is_object() const { return kind() == Kind::object; }

  bool as_boolean() const;
  std::int64_t as_integer() const;    ///< exact; never rounded from a decimal
  std::uint64_t as_unsigned() const;  ///< for seeds; exact
  double as_number() const;           ///< of an integer or a decimal
  std::string_view as_text() const;   ///< escapes decoded
  NodeRange as_array() const;
  NodeRange as_object() const;  ///< the members; each has a key()

  std::size_t size() const;                              ///< children of an array or object, else 0
  Node operator[](std::size_t index) const;              ///< index < size()
  std::optional<Node> find(std::string_view key) const;  ///< also none if this is no object

  bool has_key() const;          ///< a member of an object
  std::string_view key() const;  ///< decoded; empty if none
  std::optional<Node> parent() const;
  std::string pointer() const;  ///< JSON pointer; empty for the root

  std::string_view raw() const;  ///< the value as written: the exact digits of a number
  std::size_t offset() const;    ///< of raw() in the source
  std::string_view raw_key() const;
  std::size_t key_offset() const;
  const SourceFile& source() const;

  friend bool operator==(const Node&, const Node&) = default;

 private:
  friend class JsonTree;
  friend class NodeRange;
  friend class Document;
  Node(const JsonTree* tree, std::uint32_t index) : tree_{tree}, index_{index} {}
  void expect(Kind wanted) const;

  const JsonTree* tree_;
  std::uint32_t index_;
};

/// The children of a node, in file order.
class NodeRange {
 public:
  class Iterator {
   public:
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;
    using reference = Node;
    using pointer = void;
    Iterator() = default;
    Iterator(const JsonTree* tree, const std::uint32_t* at) : tree_{tree}, at_{at} {}
    Node operator*() const { return Node{tree_, *at_}; }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return {tree_, at_++}; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const JsonTree* tree_ = nullptr;
    const std::uint32_t* at_ = nullptr;
  };
  Iterator begin() const { return {tree_, indices_.data()}; }
  Iterator end() const { return {tree_, indices_.data() + indices_.size()}; }
  std::size_t size() const { return indices_.size(); }
  bool empty() const { return indices_.empty(); }

 private:
  friend class Node;
  NodeRange(const JsonTree* tree, std::span<const std::uint32_t> indices)
      : tree_{tree}, indices_{indices} {}
  const JsonTree* tree_;
  std::span<const std::uint32_t> indices_;
};

/// A parsed text and everything its nodes refer to.  Movable and copyable (shared); never empty.
class Document {
 public:
  /// Throws InputError E0101 ... E0118 at the exact place of the first mistake.
  static Document parse(std::shared_ptr<const SourceFile> source);
  Node root() const;
  const SourceFile& source() const;

 private:
  explicit Document(std::shared_ptr<const JsonTree> tree) : tree_{std::move(tree)} {}
  std::shared_ptr<const JsonTree> tree_;
};

inline constexpr std::size_t max_json_depth = 64;
inline constexpr std::size_t max_json_values = 4'000'000;

/// A diagnostic whose carets stand under the value (an array or object: its opening bracket).
Diagnostic at(const Node& node, std::string_view code, std::string message, std::string label = {},
              Severity severity = Severity::error);

/// A diagnostic whose carets stand under the key (under the value where there is no key).
Diagnostic at_key(const Node& node, std::string_view code, std::string message,
                  std::string label = {}, Severity severity = Severity::error);

/// A diagnostic inside a text: `offset` and `bytes` count in as_text(), escapes are seen through.
Diagnostic within(const Node& text, std::size_t offset, std::size_t bytes, std::string_view code,
                  std::string message, std::string label = {}, Severity severity = Severity::error);

}  // namespace reeve::scenarios
