// Durations: "72h23m02s".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "scenarios/text/decimal.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

struct DurationUnit {
  std::string_view name;
  std::int64_t nanoseconds;
};

constexpr std::array<DurationUnit, 8> units{{{"w", 604'800'000'000'000},
                                             {"d", 86'400'000'000'000},
                                             {"h", 3'600'000'000'000},
                                             {"m", 60'000'000'000},
                                             {"s", 1'000'000'000},
                                             {"ms", 1'000'000},
                                             {"us", 1'000},
                                             {"ns", 1}}};

// What people write for a unit, and what it is here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 24> other_names{
    {{"week", "w"},    {"weeks", "w"}, {"day", "d"},      {"days", "d"},   {"hour", "h"},
     {"hours", "h"},   {"hr", "h"},    {"hrs", "h"},      {"H", "h"},      {"minute", "m"},
     {"minutes", "m"}, {"min", "m"},   {"mins", "m"},     {"second", "s"}, {"seconds", "s"},
     {"sec", "s"},     {"secs", "s"},  {"S", "s"},        {"msec", "ms"},  {"millis", "ms"},
     {"D", "d"},       {"usec", "us"}, {"\u00b5s", "us"}, {"nsec", "ns"}}};

bool is_separator(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',';
}

/// What a duration in words means: "6h" of "6 hours", "2h30m" of "2 hours and 30 minutes"; empty:
/// it means none.
std::string in_units(std::string_view text) {
  std::string meant;
  for (std::size_t at = 0; at < text.size();) {
    const auto is_part_of_number = [](char c) { return is_decimal_digit(c) || c == '.'; };
    if (is_separator(text[at])) {
      ++at;
      continue;
    }
    const bool number = is_part_of_number(text[at]);
    std::size_t end = at;
    while (end < text.size() && !is_separator(text[end]) &&
           is_part_of_number(text[end]) == number) {
      ++end;
    }
    std::string word{text.substr(at, end - at)};
    at = end;
    if (word == "and") continue;
    std::string small = word;
    std::transform(small.begin(), small.end(), small.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const auto& [name, unit] : other_names) {
      if (name == word || name == small) word = unit;
    }
    meant += word;
  }
  // What is already as short as that means nothing else, and its help would look for this again.
  return meant != text && parse_duration(meant) ? meant : std::string{};
}

/// Reads one duration from front to back; a class to share the text and the position.
class DurationReader {
 public:
  explicit DurationReader(std::string_view text) : text_{text} {}

  Parsed<Duration> read() {
    if (auto refused = refuse_whole()) return *refused;
    while (at_ < text_.size()) {
      if (auto problem = read_part()) return *problem;
    }
    return Duration{total_};
  }

 private:
  TextProblem problem(std::string code, std::size_t offset, std::size_t length, std::string message,
                      std::string label, std::string help = {}) const {
    return {std::move(code), offset, length, std::move(message), std::move(label), std::move(help)};
  }

  // What is wrong with the text as a whole, before its parts are looked at.
  std::optional<TextProblem> refuse_whole() const {
    if (text_.empty()) {
      return problem("E0133", 0, 0, "the duration is empty", "expected one like 72h23m02s");
    }
    const std::size_t blank = text_.find_first_of(" \t\r\n");
    if (blank != text_.npos) {
      const std::string meant = in_units(text_);
      return problem("E0133", blank, 1, "a duration must not contain whitespace", "whitespace here",
                     meant.empty() ? "" : fmt::format("write {}", in_quotes(meant)));
    }
    if (text_[0] == '-' && parse_duration(text_.substr(1))) {
      return problem("E0134", 0, text_.size(), "the duration is negative", "must be 0s or more");
    }
    return std::nullopt;
  }

  std::optional<TextProblem> read_part() {
    const std::size_t begin = at_;
    const std::size_t whole_end = skip_digits(begin);
    std::size_t number_end = whole_end;
    if (number_end < text_.size() && text_[number_end] == '.') {
      number_end = skip_digits(number_end + 1);
    }
    if (whole_end == begin || number_end == whole_end + 1) {
      return problem("E0133", begin, text_.size() - begin, "this is not a duration",
                     "expected one like 72h23m02s");
    }
    std::size_t unit_end = number_end;
    while (unit_end < text_.size() && !is_decimal_digit(text_[unit_end]) &&
           text_[unit_end] != '.' && text_[unit_end] != '-' && text_[unit_end] != '+') {
      ++unit_end;
    }
    const std::string_view number = text_.substr(begin, number_end - begin);
    const std::string_view name = text_.substr(number_end, unit_end - number_end);
    if (name.empty()) return no_unit(number_end, begin);
    const auto unit = std::find_if(units.begin(), units.end(), [name](const DurationUnit& known) {
      return known.name == name;
    });
    if (unit == units.end()) {
      return problem("E0132", number_end, name.size(),
                     fmt::format("unknown unit of time {}", in_quotes(name)), "not a unit",
                     help_for_unit(name, number));
    }
    if (fraction_seen_ || unit < next_unit_) {
      return problem("E0133", begin, unit_end - begin,
                     "units must go from large to small, only the last with a fraction",
                     "out of order");
    }
    next_unit_ = unit + 1;
    fraction_seen_ = number_end != whole_end;
    at_ = unit_end;
    return add(begin, whole_end, number_end, *unit);
  }

  std::string help_for_unit(std::string_view unit, std::string_view number) const {
    const std::string meant = in_units(text_);
    if (!meant.empty()) return fmt::format("write {}", in_quotes(meant));
    const auto known = std::find_if(other_names.begin(), other_names.end(),
                                    [unit](const auto& other) { return other.first == unit; });
    if (known != other_names.end()) {
      return fmt::format("write \"{}{}\"", number, known->second);
    }
    return "use one of the units w, d, h, m, s, ms, us, ns";
  }

  std::size_t skip_digits(std::size_t at) const {
    while (at < text_.size() && is_decimal_digit(text_[at])) ++at;
    return at;
  }

  TextProblem no_unit(std::size_t number_end, std::size_t begin) const {
    if (number_end < text_.size() || text_.size() > 20) {
      return problem("E0133", begin, text_.size() - begin, "this is not a duration",
                     "expected one like 72h23m02s");
    }
    // A time without any unit is mostly meant in seconds; the last of several is the next smaller.
    const std::string_view meant = begin == 0                  ? "s"
                                   : next_unit_ == units.end() ? ""
                                                               : next_unit_->name;
    return problem("E0131", begin, number_end - begin, "the duration has no unit",
                   "wrong or missing unit", fmt::format("write \"{}{}\"", text_, meant));
  }

  std::optional<TextProblem> add(std::size_t begin, std::size_t whole_end, std::size_t number_end,
                                 const DurationUnit& unit) {
    const std::size_t bytes = at_ - begin;
    const auto too_long = [&] {
      return problem("E0135", begin, bytes, "the duration is too long", "more than 292 years");
    };
    const ScaledDecimal whole =
        scale_decimal(text_.substr(begin, whole_end - begin), 0, Rounding::exact);
    std::int64_t nanoseconds = 0;
    if (whole.fault != DecimalFault::none ||
        __builtin_mul_overflow(whole.value, unit.nanoseconds, &nanoseconds)) {
      return too_long();
    }
    std::int64_t fraction = 0;
    if (number_end > whole_end + 1) {
      const auto part = fraction_of(text_.substr(whole_end + 1, number_end - whole_end - 1), unit);
      if (!part) {
        return problem("E0133", begin, bytes, "the duration is finer than a nanosecond",
                       "not a whole number of nanoseconds", "use a smaller unit");
      }
      fraction = *part;
    }
    if (__builtin_add_overflow(total_, nanoseconds, &total_) ||
        __builtin_add_overflow(total_, fraction, &total_)) {
      return too_long();
    }
    return std::nullopt;
  }

  // 0.DIGITS of a unit, if that is a whole number of nanoseconds.
  static std::optional<std::int64_t> fraction_of(std::string_view digits,
                                                 const DurationUnit& unit) {
    while (!digits.empty() && digits.back() == '0') digits.remove_suffix(1);
    if (digits.size() > 18) return std::nullopt;  // a week has 2^16 and 5^11 in it, no more
    __extension__ using Wide = __int128;
    Wide value = 0;
    Wide scale = 1;
    for (const char c : digits) {
      value = value * 10 + (c - '0');
      scale *= 10;
    }
    value *= unit.nanoseconds;
    if (value % scale != 0) return std::nullopt;
    return static_cast<std::int64_t>(value / scale);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::int64_t total_ = 0;
  bool fraction_seen_ = false;
  decltype(units)::const_iterator next_unit_ = units.begin();
};

}  // namespace

Parsed<Duration> parse_duration(std::string_view text) {
  return DurationReader{text}.read();
}

std::string show(Duration duration) {
  using namespace std::chrono;
  std::string text;
  const auto h = duration_cast<hours>(duration);
  const auto m = duration_cast<minutes>(duration - h);
  const Duration rest = duration - h - m;
  if (h.count() > 0) text += fmt::format("{}h", h.count());
  if (m.count() > 0) text += fmt::format("{}m", m.count());
  if (rest.count() > 0 || text.empty()) {
    text += fmt::format("{}s", static_cast<double>(rest.count()) / 1e9);
  }
  return text;
}

}  // namespace reeve::scenarios
