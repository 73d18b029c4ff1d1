#include "live/aws/timestamps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace reeve::live {

namespace {

using policy::Instant;

constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// Reads fixed places of a text; a wrong character makes `good` false.
struct PlaceReader {
  std::string_view rest;
  bool good = true;

  int number(std::size_t digits) {
    int value = 0;
    good = good && rest.size() >= digits;
    for (std::size_t i = 0; good && i < digits; ++i) {
      good = rest[i] >= '0' && rest[i] <= '9';
      value = value * 10 + (rest[i] - '0');
    }
    rest.remove_prefix(std::min(digits, rest.size()));
    return value;
  }
  void literal(std::string_view text) {
    good = good && rest.starts_with(text);
    rest.remove_prefix(std::min(text.size(), rest.size()));
  }
  bool accept(char c) {
    if (!good || rest.empty() || rest.front() != c) return false;
    rest.remove_prefix(1);
    return true;
  }
};

std::optional<Instant> instant_of(int year, int month, int day, int hour, int minute, int second) {
  const std::chrono::year_month_day date{std::chrono::year{year},
                                         std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  // Years that Instant can represent.
  if (!date.ok() || year < 1700 || year > 2200) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute} +
         std::chrono::seconds{second};
}

}  // namespace

std::string amz_date(Instant at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(at - day)};
  return fmt::format("{:04}{:02}{:02}T{:02}{:02}{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

std::string iso_date(Instant at) {
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{at - day};
  const std::string whole =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                  static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                  time.hours().count(), time.minutes().count(), time.seconds().count());
  const auto fraction = time.subseconds().count();
  return fraction == 0 ? whole + 'Z' : fmt::format("{}.{:09}Z", whole, fraction);
}

std::string http_date(Instant at) {
  constexpr std::array days = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss time{std::chrono::floor<std::chrono::seconds>(at - day)};
  return fmt::format(
      "{}, {:02} {} {} {:02}:{:02}:{:02} GMT", days.at(std::chrono::weekday{day}.c_encoding()),
      static_cast<unsigned>(date.day()), months.at(static_cast<unsigned>(date.month()) - 1),
      static_cast<int>(date.year()), time.hours().count(), time.minutes().count(),
      time.seconds().count());
}

std::optional<Instant> parse_amz_date(std::string_view text) {
  PlaceReader reader{text};
  const int year = reader.number(4);
  const int month = reader.number(2);
  const int day = reader.number(2);
  reader.literal("T");
  const int hour = reader.number(2);
  const int minute = reader.number(2);
  const int second = reader.number(2);
  reader.literal("Z");
  if (!reader.good || !reader.rest.empty()) return std::nullopt;
  return instant_of(year, month, day, hour, minute, second);
}

std::optional<Instant> parse_iso_date(std::string_view text) {
  PlaceReader reader{text};
  const int year = reader.number(4);
  reader.literal("-");
  const int month = reader.number(2);
  reader.literal("-");
  const int day = reader.number(2);
  if (!reader.accept('T')) reader.literal(" ");
  const int hour = reader.number(2);
  reader.literal(":");
  const int minute = reader.number(2);
  reader.literal(":");
  const int second = reader.number(2);
  std::chrono::nanoseconds fraction{0};
  if (reader.accept('.')) {
    std::int64_t unit = 1'000'000'000;
    for (; !reader.rest.empty() && reader.rest.front() >= '0' && reader.rest.front() <= '9';
         reader.rest.remove_prefix(1)) {
      unit /= 10;
      fraction += std::chrono::nanoseconds{unit * (reader.rest.front() - '0')};
    }
  }
  std::chrono::minutes offset{0};
  const bool west = reader.rest.starts_with('-');
  if (west || reader.rest.starts_with('+')) {
    reader.rest.remove_prefix(1);
    offset = std::chrono::hours{reader.number(2)};
    reader.accept(':');
    offset += std::chrono::minutes{reader.number(2)};
    if (west) offset = -offset;
  } else {
    reader.literal("Z");
  }
  if (!reader.good || !reader.rest.empty()) return std::nullopt;
  const std::optional<Instant> local = instant_of(year, month, day, hour, minute, second);
  return local ? std::optional{*local - offset + fraction} : std::nullopt;
}

std::optional<Instant> parse_http_date(std::string_view text) {
  const std::size_t comma = text.find(", ");
  if (comma != 3) return std::nullopt;
  PlaceReader reader{text.substr(comma + 2)};
  const int day = reader.number(2);
  reader.literal(" ");
  int month = 0;
  for (std::size_t i = 0; i < months.size(); ++i) {
    if (reader.rest.starts_with(months[i])) month = static_cast<int>(i) + 1;
  }
  reader.rest.remove_prefix(std::min(std::size_t{3}, reader.rest.size()));
  reader.literal(" ");
  const int year = reader.number(4);
  reader.literal(" ");
  const int hour = reader.number(2);
  reader.literal(":");
  const int minute = reader.number(2);
  reader.literal(":");
  const int second = reader.number(2);
  reader.literal(" GMT");
  if (!reader.good || !reader.rest.empty()) return std::nullopt;
  return instant_of(year, month, day, hour, minute, second);
}

}  // namespace reeve::live
