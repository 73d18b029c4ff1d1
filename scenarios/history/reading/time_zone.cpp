#include "scenarios/history/reading/time_zone.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>

#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/records/market_reading.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

constexpr Duration widest_offset = std::chrono::hours{26};

/// Sets the zone of the C library, and sets it back.
class ZoneOfProcess {
 public:
  explicit ZoneOfProcess(const std::string& name) {
    if (const char* set = std::getenv("TZ")) before_ = set;
    ::setenv("TZ", (':' + name).c_str(), 1);
    ::tzset();
  }
  ~ZoneOfProcess() {
    if (before_) {
      ::setenv("TZ", before_->c_str(), 1);
    } else {
      ::unsetenv("TZ");
    }
    ::tzset();
  }
  ZoneOfProcess(const ZoneOfProcess&) = delete;
  ZoneOfProcess& operator=(const ZoneOfProcess&) = delete;

 private:
  std::optional<std::string> before_;
};

std::chrono::seconds offset_at(std::int64_t second) {
  const auto time = static_cast<std::time_t>(second);
  std::tm local{};
  ::localtime_r(&time, &local);
  return std::chrono::seconds{local.tm_gmtoff};
}

bool is_zone(const std::string& name) {
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '/' ||
           c == '_' || c == '-' || c == '+';
  });
  if (!plain || name.front() == '/') return false;
  const char* folder = std::getenv("TZDIR");
  std::ifstream file{std::filesystem::path{folder ? folder : "/usr/share/zoneinfo"} / name};
  std::string magic(4, '\0');
  file.read(magic.data(), 4);
  return file && magic == "TZif";
}

/// "+02:00", "-0330", "Z"; nothing of a name.
std::optional<std::chrono::seconds> fixed_offset(const std::string& name) {
  if (name.empty() || name == "UTC" || name == "Z") return std::chrono::seconds{0};
  const bool is_offset = name.front() == '+' || name.front() == '-';
  const auto zero = is_offset ? instant_of("2000-01-01T00:00:00" + name) : std::nullopt;
  if (!zero) return {};
  return std::chrono::floor<std::chrono::seconds>(*instant_of("2000-01-01T00:00:00Z") - *zero);
}

}  // namespace

TimeZone TimeZone::named(const std::string& name) {
  TimeZone zone;
  zone.changes_.push_back({Instant{} - widest_offset, std::chrono::seconds{0}});
  if (const auto fixed = fixed_offset(name)) {
    zone.changes_.front().offset = *fixed;
    return zone;
  }
  if (!is_zone(name)) {
    throw InputError{
        about_trace("", "E0410", fmt::format("the system has no time zone {}", in_quotes(name)),
                    "write a name of the time zone database, Europe/Berlin, or an offset, +02:00")};
  }
  const ZoneOfProcess set{name};
  constexpr std::int64_t day = 86'400, last = std::int64_t{130} * 36'525 / 100 * day;
  std::chrono::seconds offset = offset_at(0);
  zone.changes_.front().offset = offset;
  for (std::int64_t from = 0; from < last; from += day) {
    std::int64_t before = from, after = from + day;
    const std::chrono::seconds next = offset_at(after);
    if (next == offset) continue;
    while (after - before > 1) {
      const std::int64_t middle = before + (after - before) / 2;
      (offset_at(middle) == offset ? before : after) = middle;
    }
    offset = next;
    zone.changes_.push_back({Instant{std::chrono::seconds{after}}, offset});
  }
  return zone;
}

TimeZone::Shown TimeZone::when(Instant local) const {
  const auto later =
      std::upper_bound(changes_.begin(), changes_.end(), local - widest_offset,
                       [](Instant at, const Change& change) { return at < change.at; });
  const auto begin = later == changes_.begin() ? later : later - 1;
  std::optional<Instant> first, second;
  Instant unchanged = local - begin->offset;
  for (auto each = begin; each != changes_.end(); ++each) {
    const Instant shown = local - each->offset;
    if (each != begin && shown < each->at) break;
    const bool is_over = each + 1 != changes_.end() && shown >= (each + 1)->at;
    if (is_over) {
      unchanged = shown;
      continue;
    }
    if (!first) first = shown;
    second = shown;
  }
  if (!first) return {unchanged, unchanged};
  return {*first, *second};
}

}  // namespace reeve::scenarios
