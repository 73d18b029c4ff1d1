// Dates and times: "2026-05-22T18:00:00-04:00".
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "scenarios/text/decimal.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

/// Reads fields of fixed width from the front of a text.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : text_{text} {}

  bool digits(std::size_t count, int& value) {
    if (text_.size() - at_ < count) return false;
    value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_decimal_digit(text_[at_ + i])) return false;
      value = value * 10 + (text_[at_ + i] - '0');
    }
    at_ += count;
    return true;
  }
  bool any_of(std::string_view characters) {
    if (at_ == text_.size() || characters.find(text_[at_]) == characters.npos) return false;
    ++at_;
    return true;
  }
  std::string_view run_of_digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_decimal_digit(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  char last() const { return text_[at_ - 1]; }
  std::size_t at() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// "Z", "-04:00", "+0530", "+02" to minutes east of UTC.
std::optional<int> read_offset(FieldReader& in) {
  if (in.any_of("Zz")) return 0;
  if (!in.any_of("+-")) return std::nullopt;
  const int sign = in.last() == '-' ? -1 : 1;
  int hours = 0;
  int minutes = 0;
  if (!in.digits(2, hours)) return std::nullopt;
  if (in.any_of(":") ? !in.digits(2, minutes) : !in.at_end() && !in.digits(2, minutes)) {
    return std::nullopt;
  }
  if (hours > 23 || minutes > 59) return std::nullopt;
  return sign * (hours * 60 + minutes);
}

struct ClockTime {
  int hour = 0, minute = 0, second = 0;
  std::int64_t nanosecond = 0;
};

bool read_clock(FieldReader& in, ClockTime& clock) {
  if (!in.digits(2, clock.hour) || !in.any_of(":") || !in.digits(2, clock.minute)) return false;
  if (!in.any_of(":")) return true;
  if (!in.digits(2, clock.second)) return false;
  if (!in.any_of(".,")) return true;
  const std::string_view digits = in.run_of_digits();
  const ScaledDecimal part = scale_decimal(fmt::format("0.{}", digits), 9, Rounding::exact);
  clock.nanosecond = part.value;
  return !digits.empty() && part.fault == DecimalFault::none;
}

}  // namespace

Parsed<Instant> parse_instant(std::string_view text) {
  namespace chr = std::chrono;
  const auto problem = [text](std::size_t offset, std::string message, std::string label) {
    return TextProblem{"E0137",
                       offset,
                       text.size() - offset,
                       std::move(message),
                       std::move(label),
                       std::string{instant_help}};
  };
  FieldReader in{text};
  int year = 0;
  int month = 0;
  int day = 0;
  if (!in.digits(4, year) || !in.any_of("-") || !in.digits(2, month) || !in.any_of("-") ||
      !in.digits(2, day)) {
    return problem(in.at(), "this is not an ISO 8601 date and time", "expected YYYY-MM-DD");
  }
  const chr::year_month_day date{chr::year{year}, chr::month{static_cast<unsigned>(month)},
                                 chr::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return problem(0, "the date does not exist", "not in the calendar");
  // Before the sum below may overflow; an offset moves an instant by a day at most.
  if (year < 1969 || year > 2200) return problem(0, "the year is out of range", "1970 to 2199");
  ClockTime clock;
  if (!in.any_of("Tt ") || !read_clock(in, clock)) {
    return problem(in.at(), "this is not an ISO 8601 date and time", "expected Thh:mm:ss");
  }
  if (clock.hour > 23 || clock.minute > 59 || clock.second > 59) {
    return problem(0, "the time of day does not exist", "00:00:00 to 23:59:59");
  }
  const std::size_t offset_at = in.at();
  const auto offset = read_offset(in);
  if (!offset || !in.at_end()) {
    return problem(offset_at, "the offset from UTC is missing or wrong", "expected Z or -04:00");
  }
  const Instant at = Instant{chr::sys_days{date}} + chr::hours{clock.hour} +
                     chr::minutes{clock.minute} + chr::seconds{clock.second} +
                     chr::nanoseconds{clock.nanosecond} - chr::minutes{*offset};
  if (at >= earliest_instant && at < latest_instant) return at;
  return problem(0, "the year is out of range", "1970 to 2199, in UTC");
}

std::string show(Instant instant) {
  using namespace std::chrono;
  const auto day = floor<days>(instant);
  const year_month_day date{day};
  const hh_mm_ss time{floor<seconds>(instant - day)};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

}  // namespace reeve::scenarios
