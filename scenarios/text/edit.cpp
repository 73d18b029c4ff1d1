#include "scenarios/text/edit.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

/// Where a path leads: a value, or the object that lacks the rest of it.
struct EditPlace {
  Node node;
  std::string_view missing;  ///< empty: `node` is the value
};

std::optional<std::string_view> name_of(const Node& element) {
  for (const char* key : {"name", "label", "rule"}) {
    const auto named = element.find(key);
    if (named && named->is_text()) return named->as_text();
  }
  return std::nullopt;
}

/// The rest of the path behind `key`, if the path begins with it.
std::optional<std::string_view> after_key(std::string_view path, std::string_view key) {
  if (!path.starts_with(key)) return std::nullopt;
  if (path.size() == key.size()) return std::string_view{};
  if (path[key.size()] != '.') return std::nullopt;
  return path.substr(key.size() + 1);
}

struct Step {
  Node node;
  std::string_view rest;
};

/// The longest name wins: keys may have dots.
void prefer(std::optional<Step>& best, const Node& node, std::optional<std::string_view> rest) {
  if (rest && (!best || rest->size() < best->rest.size())) best = Step{node, *rest};
}

std::optional<Step> step_to_member(const Node& object, std::string_view path) {
  std::optional<Step> best;
  for (const Node& each : object.as_object()) prefer(best, each, after_key(path, each.key()));
  return best;
}

Step element(const Node& array, std::string_view path) {
  std::optional<Step> best;
  std::vector<std::string> names;
  for (const Node& each : array.as_array()) {
    const auto name = name_of(each);
    if (!name) continue;
    names.emplace_back(*name);
    prefer(best, each, after_key(path, *name));
  }
  if (best) return *best;
  const std::string_view first = path.substr(0, path.find('.'));
  std::size_t index = 0;
  const auto read = std::from_chars(first.data(), first.data() + first.size(), index);
  if (read.ec == std::errc{} && read.ptr == first.data() + first.size() && index < array.size()) {
    return {array[index], after_key(path, first).value_or("")};
  }
  std::string hint = did_you_mean(first, names);
  if (hint.empty()) hint = std::to_string(array.size()) + " elements, the first is 0";
  throw std::invalid_argument("there is no element " + in_quotes(first) + ": " + hint);
}

EditPlace find(const Document& document, std::string_view path) {
  if (path.empty() || path.front() == '.' || path.back() == '.' ||
      path.find("..") != std::string_view::npos) {
    throw std::invalid_argument("the path has an empty key");
  }
  Node node = document.root();
  while (!path.empty()) {
    if (node.is_object()) {
      const auto step = step_to_member(node, path);
      if (!step) return {node, path};
      node = step->node;
      path = step->rest;
    } else if (node.is_array()) {
      const Step step = element(node, path);
      node = step.node;
      path = step.rest;
    } else {
      throw std::invalid_argument(in_quotes(path) + " is inside a value without members");
    }
  }
  return {node, {}};
}

}  // namespace

std::string json_of(std::string_view value) {
  // A word that is JSON stays; any other is a text.
  if (nlohmann::json::accept(value)) return std::string{value};
  return nlohmann::json(value).dump();
}

std::string with_value(const Document& document, std::string_view path, std::string_view value) {
  const EditPlace place = find(document, path);
  std::string text{document.source().text()};
  std::string written = json_of(value);
  if (place.missing.empty()) {
    return text.replace(place.node.offset(), place.node.raw().size(), written);
  }
  std::string_view keys = place.missing;
  while (!keys.empty()) {
    const std::size_t dot = keys.rfind('.');
    const std::string_view last = dot == std::string_view::npos ? keys : keys.substr(dot + 1);
    written = nlohmann::json(last).dump() + ": " + written;
    keys = dot == std::string_view::npos ? std::string_view{} : keys.substr(0, dot);
    if (!keys.empty()) written = "{ " + written + " }";
  }
  if (place.node.size() > 0) written += ',';
  return text.insert(place.node.offset() + 1, ' ' + written);
}

std::optional<std::string> value_at(const Document& document, std::string_view path) {
  const EditPlace place = find(document, path);
  if (!place.missing.empty()) return std::nullopt;
  return std::string{place.node.raw()};
}

}  // namespace reeve::scenarios
