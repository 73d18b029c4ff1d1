#include "live/events/json_fields.hpp"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "live/aws/timestamps.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

constexpr std::int64_t ns_of(TimeUnit unit) {
  return unit == TimeUnit::seconds ? 1'000'000'000 : 1'000'000;
}

/// Nanoseconds until 2200.
constexpr std::int64_t last_ns = 230LL * 365 * 86'400 * 1'000'000'000;

std::optional<policy::Instant> since_1970(std::int64_t number, TimeUnit unit) {
  if (number < 0 || number > last_ns / ns_of(unit)) return std::nullopt;
  return policy::Instant{policy::Duration{number * ns_of(unit)}};
}

/// A double has less than a microsecond of precision today, and AWS counts milliseconds.
std::optional<policy::Instant> since_1970(double number, TimeUnit unit) {
  const double ms = unit == TimeUnit::seconds ? number * 1e3 : number;
  if (!(ms >= 0) || ms > static_cast<double>(last_ns / 1'000'000)) return std::nullopt;
  return since_1970(static_cast<std::int64_t>(std::llround(ms)), TimeUnit::milliseconds);
}

}  // namespace

const json* field(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const json* list_of(const json& object, const char* key) {
  static const json none = json::array();
  const json* found = field(object, key);
  if (found == nullptr) return &none;
  if (found->is_array()) return found;
  const bool is_blank =
      found->is_string() &&
      found->get_ref<const std::string&>().find_first_not_of(" \t\r\n") == std::string::npos;
  return is_blank ? &none : nullptr;
}

std::string text_of(const json& object, const char* key) {
  const json* found = field(object, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string{};
}

std::optional<std::int64_t> whole_of(const json& object, const char* key) {
  const json* found = field(object, key);
  if (found == nullptr) return std::nullopt;
  if (found->is_number_unsigned()) {
    const auto number = found->get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (found->is_number_integer()) return found->get<std::int64_t>();
  if (found->is_string()) return number_in<std::int64_t>(found->get_ref<const std::string&>());
  if (!found->is_number_float()) return std::nullopt;
  const auto number = found->get<double>();
  if (!(std::abs(number) < 9e15) || std::floor(number) != number) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<bool> flag_of(const json& object, const char* key) {
  const json* found = field(object, key);
  if (found == nullptr) return std::nullopt;
  if (found->is_boolean()) return found->get<bool>();
  const std::string text = text_of(object, key);
  if (text == "true" || text == "false") return text == "true";
  return std::nullopt;
}

std::optional<policy::Instant> instant_of(const json& object, const char* key, TimeUnit unit) {
  const json* found = field(object, key);
  if (found == nullptr) return std::nullopt;
  if (found->is_number_float()) return since_1970(found->get<double>(), unit);
  if (const auto number = whole_of(object, key)) return since_1970(*number, unit);
  if (!found->is_string()) return std::nullopt;
  const auto& text = found->get_ref<const std::string&>();
  if (const auto number = number_in<double>(text)) return since_1970(*number, unit);
  const auto written = parse_iso_date(text);
  const auto last = policy::Instant{policy::Duration{last_ns}};
  return written >= policy::Instant{} && written <= last ? written : std::nullopt;
}

}  // namespace reeve::live
