// Changes one value in a text of JSON with comments; the rest stays as it is written.
#pragma once

#include <string>
#include <string_view>

#include "scenarios/text/json.hpp"

namespace reeve::scenarios {

/// The text of the document with `value` at `path`.
///
/// The path has keys apart by dots: `policies.alarm.stalled_gpu.period`.  A key may have dots
/// itself.  An element of an array goes by its `name`, `label` or `rule`, or by its position from
/// 0.  A member that does not exist is added.  The value is JSON, or else a text: `5`, `5m`.
///
/// Throws std::invalid_argument with what is wrong with the path: it names no element of an array
/// (with the nearest name), goes through a value that has no members, or is empty.
std::string with_value(const Document& document, std::string_view path, std::string_view value);

/// The value as it stands in the text: JSON as it is, any other word as a text.
std::string json_of(std::string_view value);

/// The value at `path` as it is written; none: it does not exist.  Throws as `with_value` does.
std::optional<std::string> value_at(const Document& document, std::string_view path);

}  // namespace reeve::scenarios
