// A reader of the XML that AWS replies with: elements and their text.
// Attributes and prefixes of names are ignored.  A DOCTYPE is refused, so no entity can be defined.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "live/aws/failure.hpp"

namespace reeve::live {

struct XmlElement {
  std::string name;  ///< without prefix
  std::string text;  ///< of its own, decoded
  std::vector<XmlElement> children;

  /// The first child of that name, or null.
  const XmlElement* child(std::string_view wanted) const;
  /// The first element of that name at any depth, or null.
  const XmlElement* find(std::string_view wanted) const;
};

/// The bounds of a document.
struct XmlLimits {
  std::size_t bytes = std::size_t{16} << 20;
  std::size_t elements = 1'000'000;
  std::size_t depth = 100;
};

/// The root element, or what is wrong with the text.
Result<XmlElement> parse_xml(std::string_view text, const XmlLimits& limits = {});

/// The text as the content of an element, also in HTML.
std::string xml_escaped(std::string_view text);

/// Children become keys and repeated ones a list, as do those named `member` or `item`.  Children
/// named `entry` with a key and a value become an object.  All values are strings.
nlohmann::json json_of(const XmlElement& element);

}  // namespace reeve::live
