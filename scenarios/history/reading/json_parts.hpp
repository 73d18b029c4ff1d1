// Parts of a JSON record that may be absent, for chains of look-ups.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "scenarios/history/reading/json_records.hpp"

namespace reeve::scenarios {

/// The value at a key, or an empty object.
inline const nlohmann::json& inside(const nlohmann::json& object, std::string_view key) {
  static const nlohmann::json none = nlohmann::json::object();
  const nlohmann::json* value = member(object, key);
  return value == nullptr ? none : *value;
}

/// The list at a key, or an empty one.
inline const nlohmann::json& list_at(const nlohmann::json& object, std::string_view key) {
  static const nlohmann::json none = nlohmann::json::array();
  const nlohmann::json* list = member(object, key);
  return list != nullptr && list->is_array() ? *list : none;
}

inline bool is_true(const nlohmann::json& object, std::string_view key) {
  const nlohmann::json* value = member(object, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

}  // namespace reeve::scenarios
