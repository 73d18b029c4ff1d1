#include "live/batch/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace reeve::live {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 3> keys_of_elements{"capacityUnit", "shareIdentifier",
                                                           "reason"};

struct Default {
  std::string_view ending;  ///< of the path
  std::string_view value;
};
/// Source: the API reference of AWS Batch.
constexpr std::array defaults = {Default{".borrowLimit", "-1"}, Default{".shareDecaySeconds", "0"},
                                 Default{".computeReservation", "0"}};

std::string text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// 1.0 and 1 are the same number.
std::string number_text(const json& value) {
  std::string text = text_of(value);
  if (value.is_number_float() && text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

void add(const json& value, const std::string& path, Settings& out);

void add_element(const json& element, std::size_t place, const std::string& path, Settings& out) {
  if (!element.is_object()) return add(element, fmt::format("{}[{}]", path, place), out);
  for (const std::string_view key : keys_of_elements) {
    const auto name = element.find(key);
    if (name == element.end()) continue;
    json rest = element;
    rest.erase(std::string{key});
    const std::string own = fmt::format("{}[{}]", path, text_of(*name));
    if (rest.size() == 1) return add(*rest.begin(), own, out);
    // A share identifier without a weight has the weight 1.
    if (rest.empty()) return add(key == "shareIdentifier" ? json(1) : json(""), own, out);
    return add(rest, own, out);
  }
  add(element, fmt::format("{}[{}]", path, place), out);
}

void add(const json& value, const std::string& path, Settings& out) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) {
      add(member, path.empty() ? key : path + '.' + key, out);
    }
  } else if (value.is_array()) {
    for (std::size_t place = 0; place < value.size(); ++place) {
      add_element(value[place], place, path, out);
    }
  } else {
    out[path] = number_text(value);
  }
}

std::string value_in(const Settings& settings, const std::string& path) {
  const auto found = settings.find(path);
  if (found != settings.end()) return found->second;
  const auto* usual = std::find_if(defaults.begin(), defaults.end(), [&](const Default& each) {
    return path.ends_with(each.ending);
  });
  return usual == defaults.end() ? std::string{} : std::string{usual->value};
}

}  // namespace

Settings settings_of(const json& value) {
  Settings out;
  add(value, {}, out);
  return out;
}

std::vector<SettingChange> changes_between(const json& found, const json& wanted) {
  json same_members = json::object();
  for (const auto& [key, member] : wanted.items()) {
    if (const auto other = found.find(key); other != found.end()) same_members[key] = *other;
  }
  const Settings before = settings_of(same_members);
  const Settings after = settings_of(wanted);
  std::set<std::string> paths;
  for (const Settings* side : {&before, &after}) {
    for (const auto& [path, value] : *side) paths.insert(path);
  }
  std::vector<SettingChange> changes;
  for (const std::string& path : paths) {
    SettingChange change{path, value_in(before, path), value_in(after, path)};
    if (change.found != change.wanted) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace reeve::live
