#include "live/aws/xml.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace reeve::live {

namespace {

bool is_xml_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_blank_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(), is_xml_space);
}

bool is_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == ':' || (c & '\x80') != 0;
  };
  return !name.empty() && name.back() != ':' && std::all_of(name.begin(), name.end(), fits);
}

void append_utf8(std::string& out, std::uint32_t code) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | code >> 6U);
    put(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    put(0xE0U | code >> 12U);
    put(0x80U | (code >> 6U & 0x3FU));
    put(0x80U | (code & 0x3FU));
  } else {
    put(0xF0U | code >> 18U);
    put(0x80U | (code >> 12U & 0x3FU));
    put(0x80U | (code >> 6U & 0x3FU));
    put(0x80U | (code & 0x3FU));
  }
}

/// `#65` or `#x41`.
std::optional<std::uint32_t> code_point(std::string_view reference) {
  reference.remove_prefix(1);
  const bool hexadecimal = reference.starts_with('x');
  if (hexadecimal) reference.remove_prefix(1);
  if (reference.empty() || reference.size() > 8) return std::nullopt;
  std::uint32_t code = 0;
  for (const char c : reference) {
    std::uint32_t digit = 16;
    if (c >= '0' && c <= '9') digit = static_cast<std::uint32_t>(c - '0');
    if (c >= 'a' && c <= 'f') digit = static_cast<std::uint32_t>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F') digit = static_cast<std::uint32_t>(c - 'A') + 10;
    if (digit >= (hexadecimal ? 16U : 10U)) return std::nullopt;
    code = code * (hexadecimal ? 16 : 10) + digit;
    if (code > 0x10FFFF) return std::nullopt;
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code == 0 || surrogate ? std::nullopt : std::optional{code};
}

/// Appends the text with its references replaced.  False if one is unknown.
bool append_decoded(std::string& out, std::string_view text) {
  static constexpr std::pair<std::string_view, char> entities[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find('&'), text.size());
    out.append(text.substr(0, mark));
    text.remove_prefix(mark);
    if (text.empty()) break;
    const std::size_t end = text.substr(0, 12).find(';');
    if (end == text.npos || end < 2) return false;
    const std::string_view reference = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (reference.front() == '#') {
      const std::optional<std::uint32_t> code = code_point(reference);
      if (!code) return false;
      append_utf8(out, *code);
      continue;
    }
    const auto* found = std::find_if(std::begin(entities), std::end(entities),
                                     [&](const auto& entity) { return entity.first == reference; });
    if (found == std::end(entities)) return false;
    out += found->second;
  }
  return true;
}

/// Bytes that follow a first byte of UTF-8, or nothing if no character begins with it.
std::optional<std::size_t> following_bytes(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first < 0xE0) return 1;
  if (first >= 0xE0 && first < 0xF0) return 2;
  if (first >= 0xF0 && first < 0xF5) return 3;
  return std::nullopt;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::optional<std::size_t> more = following_bytes(first);
    if (!more || text.size() <= *more) return false;
    const std::string_view rest = text.substr(1, *more);
    const auto continues = [](char c) { return (c & '\xC0') == '\x80'; };
    if (!std::all_of(rest.begin(), rest.end(), continues)) return false;
    if (*more > 1) {  // no longer than needed, no surrogate, not above the last code point
      const auto second = static_cast<unsigned char>(rest[0]);
      if (first == 0xE0 && second < 0xA0) return false;
      if (first == 0xED && second > 0x9F) return false;
      if (first == 0xF0 && second < 0x90) return false;
      if (first == 0xF4 && second > 0x8F) return false;
    }
    text.remove_prefix(*more + 1);
  }
  return true;
}

/// Reads one document.  It does not recurse: the open elements are a stack.
class XmlReader {
 public:
  XmlReader(std::string_view text, const XmlLimits& limits) : rest_{text}, limits_{limits} {}

  Result<XmlElement> read() {
    if (rest_.size() > limits_.bytes) return wrong("it is too large");
    if (!is_utf8(rest_)) return wrong("it is not UTF-8");
    while (wrong_.empty() && !rest_.empty()) step();
    if (!wrong_.empty()) return wrong(wrong_);
    if (!open_.empty() || !root_) return wrong("it ends too early");
    return std::move(*root_);
  }

 private:
  static Failure wrong(std::string_view why) {
    return Failure{"the reply is not valid XML: " + std::string{why}};
  }

  void step() {
    if (!rest_.starts_with('<')) {
      const std::string_view text = rest_.substr(0, rest_.find('<'));
      rest_.remove_prefix(text.size());
      if (!open_.empty()) {
        if (!append_decoded(open_.back().text, text)) wrong_ = "an unknown entity";
      } else if (!is_blank_text(text)) {
        wrong_ = "text outside the root";
      }
    } else if (rest_.starts_with("<?")) {
      skip_behind("?>");
    } else if (rest_.starts_with("<!--")) {
      skip_behind("-->");
    } else if (rest_.starts_with("<![CDATA[") && !open_.empty()) {
      const std::string_view text = skip_behind("]]>");
      if (wrong_.empty()) open_.back().text.append(text.substr(9));
    } else if (rest_.starts_with("<!")) {
      wrong_ = "a document type";
    } else if (rest_.starts_with("</")) {
      close();
    } else {
      open();
    }
  }

  /// Returns what stands before the end mark.
  std::string_view skip_behind(std::string_view mark) {
    const std::size_t end = rest_.find(mark, 2);
    if (end == rest_.npos) {
      wrong_ = "it ends too early";
      return {};
    }
    const std::string_view skipped = rest_.substr(0, end);
    rest_.remove_prefix(end + mark.size());
    return skipped;
  }

  void close() {
    std::string_view name = skip_behind(">");
    if (!wrong_.empty()) return;
    name.remove_prefix(2);
    while (!name.empty() && is_xml_space(name.back())) name.remove_suffix(1);
    if (open_.empty() || qualified_.back() != name) {
      wrong_ = "a wrong end tag";
      return;
    }
    finish();
  }

  /// The end of a tag: the first `>` outside quotes.
  std::size_t end_of_tag() const {
    char quote = '\0';
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (quote != '\0') {
        if (c == quote) quote = '\0';
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        return i;
      } else if (c == '<') {
        break;
      }
    }
    return rest_.npos;
  }

  void open() {
    const std::size_t end = end_of_tag();
    if (end == rest_.npos) {
      wrong_ = "a tag without end";
      return;
    }
    std::string_view tag = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    const bool closed = tag.ends_with('/');
    if (closed) tag.remove_suffix(1);
    const std::string_view name = tag.substr(0, tag.find_first_of(" \t\r\n"));
    if (!is_name(name)) {
      wrong_ = "a tag without name";
    } else if (open_.empty() && root_) {
      wrong_ = "a second root";
    } else if (open_.size() == limits_.depth) {
      wrong_ = "it is nested too deeply";
    } else if (++elements_ > limits_.elements) {
      wrong_ = "it has too many elements";
    }
    if (!wrong_.empty()) return;
    const std::size_t colon = name.rfind(':');
    open_.push_back({std::string{colon == name.npos ? name : name.substr(colon + 1)}, {}, {}});
    qualified_.push_back(name);
    if (closed) finish();
  }

  void finish() {
    XmlElement element = std::move(open_.back());
    open_.pop_back();
    qualified_.pop_back();
    if (open_.empty()) {
      root_ = std::move(element);
    } else {
      open_.back().children.push_back(std::move(element));
    }
  }

  std::string_view rest_;
  XmlLimits limits_;
  std::string wrong_;
  std::vector<XmlElement> open_;
  std::vector<std::string_view> qualified_;  // the names of open_ with their prefixes
  std::optional<XmlElement> root_;
  std::size_t elements_ = 0;
};

bool all_named(const std::vector<XmlElement>& children, std::string_view name) {
  return std::all_of(children.begin(), children.end(),
                     [&](const XmlElement& child) { return child.name == name; });
}

bool are_entries(const std::vector<XmlElement>& children) {
  return all_named(children, "entry") &&
         std::all_of(children.begin(), children.end(), [](const XmlElement& child) {
           return child.child("key") != nullptr && child.child("value") != nullptr;
         });
}

}  // namespace

const XmlElement* XmlElement::child(std::string_view wanted) const {
  const auto found = std::find_if(children.begin(), children.end(), [&](const XmlElement& element) {
    return element.name == wanted;
  });
  return found == children.end() ? nullptr : &*found;
}

const XmlElement* XmlElement::find(std::string_view wanted) const {
  if (name == wanted) return this;
  for (const XmlElement& element : children) {
    if (const XmlElement* found = element.find(wanted)) return found;
  }
  return nullptr;
}

Result<XmlElement> parse_xml(std::string_view text, const XmlLimits& limits) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  return XmlReader{text, limits}.read();
}

nlohmann::json json_of(const XmlElement& element) {
  using nlohmann::json;
  if (element.children.empty()) return element.text;
  if (all_named(element.children, "member") || all_named(element.children, "item")) {
    json list = json::array();
    for (const XmlElement& child : element.children) list.push_back(json_of(child));
    return list;
  }
  json object = json::object();
  if (are_entries(element.children)) {
    for (const XmlElement& child : element.children) {
      object[child.child("key")->text] = json_of(*child.child("value"));
    }
    return object;
  }
  std::map<std::string, int> seen;
  for (const XmlElement& child : element.children) {
    json& place = object[child.name];
    const int earlier = seen[child.name]++;
    if (earlier == 1) place = json::array({std::move(place)});
    if (earlier == 0) {
      place = json_of(child);
    } else {
      place.push_back(json_of(child));
    }
  }
  return object;
}

std::string xml_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

}  // namespace reeve::live
