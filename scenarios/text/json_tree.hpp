// The values of a JSON document, as `Document` builds them and `Node` reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scenarios/text/json.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {

inline constexpr std::uint32_t no_index = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::size_t few_members = 16;  // searched one by one

/// The values of a document in file order (parents before children), and their parents.
class JsonTree {
 public:
  struct Value {
    double number = 0;
    std::uint32_t parent = no_index;
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t key_offset = 0;
    std::uint32_t key_bytes = 0;  ///< 0: no key (a key has quotes)
    std::uint32_t decoded_key = no_index;
    std::uint32_t decoded_text = no_index;
    std::uint32_t first_link = 0;
    std::uint32_t links = 0;
    Kind kind = Kind::null;
    bool truth = false;
  };

  explicit JsonTree(std::shared_ptr<const SourceFile> file) : source{std::move(file)} {}

  std::string_view slice(std::uint32_t offset, std::uint32_t bytes) const {
    return source->text().substr(offset, bytes);
  }
  std::string_view unquoted(std::uint32_t offset, std::uint32_t bytes, std::uint32_t index) const {
    return index == no_index ? slice(offset + 1, bytes - 2) : std::string_view{decoded[index]};
  }
  std::string_view key_of(std::uint32_t index) const {
    const Value& value = values[index];
    if (value.key_bytes == 0) return {};
    return unquoted(value.key_offset, value.key_bytes, value.decoded_key);
  }
  std::span<const std::uint32_t> children(std::uint32_t index) const {
    return std::span{links}.subspan(values[index].first_link, values[index].links);
  }
  std::span<const std::uint32_t> children_by_key(std::uint32_t index) const {
    return std::span{sorted}.subspan(values[index].first_link, values[index].links);
  }
  Node node(std::uint32_t index) const { return Node{this, index}; }

  std::shared_ptr<const SourceFile> source;
  std::vector<Value> values;
  std::vector<std::uint32_t> links;   ///< the children of each value, contiguous
  std::vector<std::uint32_t> sorted;  ///< the same by key, where an object has more than a few
  std::deque<std::string> decoded;    ///< texts and keys with escapes; stable addresses
};

}  // namespace reeve::scenarios
