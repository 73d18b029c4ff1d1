// Reads fields of AWS's JSON, which writes one thing in several ways: as a number or as text, as
// null or not at all.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>

namespace reeve::live {

/// The unit of a time that is a number.
enum class TimeUnit : std::uint8_t { seconds, milliseconds };

/// The member `key`, or null if `object` is no object or the member is absent or null.
const nlohmann::json* field(const nlohmann::json& object, const char* key);

/// A list of a reply in XML: without elements it is an empty text, or absent.  Null: it is neither.
const nlohmann::json* list_of(const nlohmann::json& object, const char* key);

/// The text, or an empty one.
std::string text_of(const nlohmann::json& object, const char* key);

/// A whole number, also as text or as a float without a fraction.
std::optional<std::int64_t> whole_of(const nlohmann::json& object, const char* key);

std::optional<bool> flag_of(const nlohmann::json& object, const char* key);

/// A time since 1970 in `unit`, as a number or as text, or an ISO date.  Nothing if it is outside
/// of 1970 to 2200.
std::optional<policy::Instant> instant_of(const nlohmann::json& object, const char* key,
                                          TimeUnit unit);

}  // namespace reeve::live
