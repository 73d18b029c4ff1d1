// One value of a JSON document: what it holds, where it stands, and diagnostics that point at it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "scenarios/text/json_tree.hpp"

namespace reeve::scenarios {
namespace {

std::string kind_label(Kind kind) {
  return fmt::format("this is {}", name_of(kind));
}

template <class Integer>
std::optional<Integer> exact_integer(std::string_view raw) {
  if (raw == "-0") return Integer{0};
  Integer value{};
  const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
  if (error != std::errc{} || end != raw.data() + raw.size()) return std::nullopt;
  return value;
}

struct Escaped {
  std::size_t raw_bytes;
  std::size_t decoded_bytes;
};

// The character or escape at `at` of a valid JSON string, in the file and in memory.
Escaped measure(std::string_view raw, std::size_t at) {
  if (raw[at] != '\\') return {1, 1};
  if (raw[at + 1] != 'u') return {2, 1};
  unsigned code = 0;
  std::from_chars(raw.data() + at + 2, raw.data() + at + 6, code, 16);
  if (code >= 0xD800 && code <= 0xDBFF) return {12, 4};
  return {6, code < 0x80 ? 1u : code < 0x800 ? 2u : 3u};
}

// The offset in the quoted raw text of byte `wanted` of the decoded text.
std::size_t raw_offset(std::string_view raw, std::size_t wanted) {
  std::size_t at = 1;
  for (std::size_t decoded = 0; decoded < wanted && at + 1 < raw.size();) {
    const Escaped escaped = measure(raw, at);
    if (decoded + escaped.decoded_bytes > wanted) break;  // in the middle of one escape
    decoded += escaped.decoded_bytes;
    at += escaped.raw_bytes;
  }
  return std::min(at, raw.size() - 1);
}

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return "true or false";
    case Kind::integer:
      return "a whole number";
    case Kind::number:
      return "a number";
    case Kind::text:
      return "a text";
    case Kind::array:
      return "a list";
    case Kind::object:
      return "an object";
  }
  return "";
}

Kind Node::kind() const {
  return tree_->values[index_].kind;
}

void Node::expect(Kind wanted) const {
  if (kind() == wanted) return;
  throw InputError{scenarios::at(*this, "E0120", fmt::format("expected {}", name_of(wanted)),
                                 kind_label(kind()))};
}

bool Node::as_boolean() const {
  expect(Kind::boolean);
  return tree_->values[index_].truth;
}

std::int64_t Node::as_integer() const {
  expect(Kind::integer);
  if (const auto value = exact_integer<std::int64_t>(raw())) return *value;
  throw InputError{
      scenarios::at(*this, "E0121", "the number is out of range", "does not fit in 64 bits")};
}

std::uint64_t Node::as_unsigned() const {
  expect(Kind::integer);
  if (const auto value = exact_integer<std::uint64_t>(raw())) return *value;
  const bool negative = raw().starts_with('-');
  throw InputError{scenarios::at(*this, "E0121", "the number is out of range",
                                 negative ? "negative" : "does not fit in 64 bits")};
}

double Node::as_number() const {
  if (is_integer()) return static_cast<double>(as_integer());
  expect(Kind::number);
  return tree_->values[index_].number;
}

std::string_view Node::as_text() const {
  expect(Kind::text);
  const JsonTree::Value& value = tree_->values[index_];
  return tree_->unquoted(value.offset, value.bytes, value.decoded_text);
}

NodeRange Node::as_array() const {
  expect(Kind::array);
  return {tree_, tree_->children(index_)};
}

NodeRange Node::as_object() const {
  expect(Kind::object);
  return {tree_, tree_->children(index_)};
}

std::size_t Node::size() const {
  return tree_->values[index_].links;
}
Node Node::operator[](std::size_t index) const {
  return {tree_, tree_->children(index_)[index]};
}

std::optional<Node> Node::find(std::string_view key) const {
  if (!is_object()) return std::nullopt;
  if (size() <= few_members) {
    for (const std::uint32_t child : tree_->children(index_)) {
      if (tree_->key_of(child) == key) return Node{tree_, child};
    }
    return std::nullopt;
  }
  const auto sorted = tree_->children_by_key(index_);
  const auto found = std::lower_bound(sorted.begin(), sorted.end(), key,
                                      [this](std::uint32_t child, std::string_view wanted) {
                                        return tree_->key_of(child) < wanted;
                                      });
  if (found == sorted.end() || tree_->key_of(*found) != key) return std::nullopt;
  return Node{tree_, *found};
}

bool Node::has_key() const {
  return tree_->values[index_].key_bytes > 0;
}
std::string_view Node::key() const {
  return tree_->key_of(index_);
}

std::optional<Node> Node::parent() const {
  const std::uint32_t index = tree_->values[index_].parent;
  return index == no_index ? std::nullopt : std::optional{Node{tree_, index}};
}

std::string Node::pointer() const {
  const auto above = parent();
  if (!above) return {};
  std::string step;
  if (has_key()) {
    for (const char c : key()) {
      step += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
  } else {
    const auto children = tree_->children(above->index_);
    step = fmt::format(
        "{}", std::lower_bound(children.begin(), children.end(), index_) - children.begin());
  }
  return above->pointer() + "/" + step;
}

std::string_view Node::raw() const {
  const JsonTree::Value& value = tree_->values[index_];
  return tree_->slice(value.offset, value.bytes);
}

std::size_t Node::offset() const {
  return tree_->values[index_].offset;
}

std::string_view Node::raw_key() const {
  const JsonTree::Value& value = tree_->values[index_];
  return tree_->slice(value.key_offset, value.key_bytes);
}

std::size_t Node::key_offset() const {
  return tree_->values[index_].key_offset;
}
const SourceFile& Node::source() const {
  return *tree_->source;
}

Diagnostic at(const Node& node, std::string_view code, std::string message, std::string label,
              Severity severity) {
  const bool container = node.is_array() || node.is_object();
  Diagnostic diagnostic =
      node.source().diagnose(node.offset(), container ? 1 : node.raw().size(), code,
                             std::move(message), std::move(label), severity);
  diagnostic.pointer = node.pointer();
  return diagnostic;
}

Diagnostic at_key(const Node& node, std::string_view code, std::string message, std::string label,
                  Severity severity) {
  if (!node.has_key()) return at(node, code, std::move(message), std::move(label), severity);
  Diagnostic diagnostic = node.source().diagnose(node.key_offset(), node.raw_key().size(), code,
                                                 std::move(message), std::move(label), severity);
  diagnostic.pointer = node.pointer();
  return diagnostic;
}

Diagnostic within(const Node& text, std::size_t offset, std::size_t bytes, std::string_view code,
                  std::string message, std::string label, Severity severity) {
  if (!text.is_text()) return at(text, code, std::move(message), std::move(label), severity);
  const std::size_t begin = raw_offset(text.raw(), offset);
  const std::size_t end = std::max(begin, raw_offset(text.raw(), offset + bytes));
  Diagnostic diagnostic = text.source().diagnose(text.offset() + begin, end - begin, code,
                                                 std::move(message), std::move(label), severity);
  diagnostic.pointer = text.pointer();
  return diagnostic;
}

}  // namespace reeve::scenarios
