// JSON as the exported files contain it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace reeve::report {

/// On one line, or with this many spaces of indent.  Bytes that are no UTF-8 are replaced.
inline std::string json_text(const nlohmann::ordered_json& json, int indent = -1) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace reeve::report
