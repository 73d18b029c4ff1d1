// The records of a JSON file of any size: elements of its array, values one after another, or one a
// line, each as a small tree of the keys that a reader uses.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "scenarios/history/reading/reader.hpp"

namespace reeve::scenarios {

/// Which parts of a file are records, and which keys of a record are kept.  All else is skipped and
/// never stored.
struct JsonShape {
  /// Arrays whose elements are the records, as keys from the top: "Results", "data/result".  An
  /// object without any of them is a record itself, and so is each element of an outer array.
  std::span<const std::string_view> arrays;
  std::span<const std::string_view> keys;   ///< kept at any depth of a record and of what is around
  std::span<const std::string_view> whole;  ///< kept with all that is in them, whatever its keys
  std::string_view pairs = {};  ///< a key of records, kept as an empty array and JsonRecord::pairs
};

/// An element of a long list: [1785715200, "97"].
struct JsonPair {
  double first, second;
  bool is_good;  ///< it is two numbers, of which the second may be in quotes
};

/// A record and where it begins.
struct JsonRecord {
  const nlohmann::json& value;
  std::uint64_t line;
  bool is_rest = false;  ///< no record: what stands beside the array ("NextToken")
  std::span<const JsonPair> pairs = {};
};

/// Calls `each` for every record, in file order; `rest` records follow those of their array.
/// Throws InputError: E0104 (with the line) of what is no JSON, E0302 ... E0306 of files; and what
/// `each` throws.
void for_each_record(HistoryInput& input, const JsonShape& shape,
                     const std::function<void(const JsonRecord&)>& each);

/// The object that a text is, with the keys that are kept of a record; discarded if it is none.
nlohmann::json object_of_text(std::string_view text, const JsonShape& shape);

/// The text at a key, or empty if there is none; null counts as none.
std::string text_at(const nlohmann::json& object, std::string_view key);
const nlohmann::json* member(const nlohmann::json& object, std::string_view key);
std::optional<std::int64_t> count_at(const nlohmann::json& object, std::string_view key);
std::optional<double> number_at(const nlohmann::json& object, std::string_view key);

/// Seconds since 1970 with fractions, or ISO 8601 with an offset ("...Z" or +02:00; without one:
/// UTC); nothing if there is no value, null, or no time.
std::optional<policy::Instant> instant_at(const nlohmann::json& object, std::string_view key);
std::optional<policy::Instant> instant_of(std::string_view text);
/// Nothing outside 1970 to 2200: milliseconds, for one.
std::optional<policy::Instant> instant_of_seconds(double seconds);

}  // namespace reeve::scenarios
