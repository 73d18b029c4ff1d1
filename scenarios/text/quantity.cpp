#include "scenarios/text/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "scenarios/text/decimal.hpp"

namespace reeve::scenarios {
namespace {

bool is_number_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// ---- durations
// -----------------------------------------------------------------------------------

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

/// What a duration in words means: "6h" of "6 hours", "2h30m" of "2 hours and 30 minutes"; empty:
/// it means none.
std::string in_units(std::string_view text) {
  std::string meant;
  for (std::size_t at = 0; at < text.size();) {
    const auto is_part_of_number = [](char c) { return is_number_digit(c) || c == '.'; };
    if (is_space(text[at]) || text[at] == ',') {
      ++at;
      continue;
    }
    const bool number = is_part_of_number(text[at]);
    std::size_t end = at;
    while (end < text.size() && !is_space(text[end]) && text[end] != ',' &&
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
    while (unit_end < text_.size() && !is_number_digit(text_[unit_end]) && text_[unit_end] != '.' &&
           text_[unit_end] != '-' && text_[unit_end] != '+') {
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
    while (at < text_.size() && is_number_digit(text_[at])) ++at;
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

// ---- instants
// ------------------------------------------------------------------------------------

/// Reads fields of fixed width from the front of a text.
class FieldReader {
 public:
  explicit FieldReader(std::string_view text) : text_{text} {}

  bool digits(std::size_t count, int& value) {
    if (text_.size() - at_ < count) return false;
    value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_number_digit(text_[at_ + i])) return false;
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
    while (at_ < text_.size() && is_number_digit(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  char last() const { return text_[at_ - 1]; }
  std::size_t at() const { return at_; }
  bool at_end() const { return at_ == text_.size(); }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr std::string_view instant_help =
    "write one like \"2026-05-22T18:00:00-04:00\" or \"...Z\"";

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

// ---- money
// ---------------------------------------------------------------------------------------

// "$1,234.50" without the sign of the currency and the thousands commas; nothing if they are wrong.
std::optional<std::string> plain_dollars(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.starts_with('$')) text.remove_prefix(1);
  if (text.empty() || text[0] == '-') return std::nullopt;
  std::string plain = negative ? "-" : "";
  const std::string_view whole = text.substr(0, text.find_first_of(".eE"));
  if (whole.find(',') == whole.npos) return plain.append(text);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool comma_due = (whole.size() - i) % 4 == 0;
    if ((whole[i] == ',') != comma_due || (i == 0 && comma_due)) return std::nullopt;
    if (whole[i] != ',') plain += whole[i];
  }
  return plain.append(text.substr(whole.size()));
}

Parsed<std::int64_t> parse_dollars(std::string_view text, unsigned decimals,
                                   std::string_view unit) {
  const auto problem = [text](std::string message, std::string label) {
    return TextProblem{"E0136", 0, text.size(), std::move(message), std::move(label), {}};
  };
  const auto plain = plain_dollars(text);
  if (!plain) return problem("this is not an amount of dollars", "expected one like 337.50");
  const ScaledDecimal amount = scale_decimal(*plain, decimals, Rounding::exact);
  switch (amount.fault) {
    case DecimalFault::none:
      return amount.value;
    case DecimalFault::overflow:
      return problem("the amount is out of range", "too many dollars");
    case DecimalFault::finer:
      return problem(fmt::format("the amount is finer than {}", unit), "too many decimals");
    case DecimalFault::malformed:
      break;
  }
  return problem("this is not an amount of dollars", "expected one like 337.50");
}

std::optional<double> finite_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// ---- comparisons
// ---------------------------------------------------------------------------------

constexpr std::array<std::pair<std::string_view, CompareOp>, 6> operators{
    {{"==", CompareOp::equal},
     {"!=", CompareOp::not_equal},
     {"<=", CompareOp::less_equal},
     {">=", CompareOp::greater_equal},
     {"<", CompareOp::less},
     {">", CompareOp::greater}}};

constexpr std::array<std::string_view, 3> plus_minus{"+-", "+/-", "\u00b1"};

/// Reads one `expect` line from front to back.
class ComparisonReader {
 public:
  explicit ComparisonReader(std::string_view text) : text_{text} {}

  Parsed<MetricComparison> read() {
    if (auto found = read_metric()) return *found;
    if (auto found = read_operator()) return *found;
    if (auto found = read_literal(result_.value, "a value")) return *found;
    skip_blanks();
    if (at_ == text_.size()) return result_;
    const std::size_t sign_at = at_;
    if (!skip_plus_minus()) {
      return problem(at_, text_.size() - at_, "text after the value", "expected \"+-\" or the end");
    }
    result_.tolerance.emplace();
    if (auto found = read_literal(*result_.tolerance, "a tolerance")) return *found;
    if (auto found = refuse_tolerance(sign_at)) return *found;
    skip_blanks();
    if (at_ == text_.size()) return result_;
    return problem(at_, text_.size() - at_, "text after the tolerance", "expected the end");
  }

 private:
  static TextProblem problem(std::size_t offset, std::size_t length, std::string message,
                             std::string label, std::string help = {}) {
    return {"E0139", offset, length, std::move(message), std::move(label), std::move(help)};
  }

  void skip_blanks() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  }

  bool skip_plus_minus() {
    for (const std::string_view sign : plus_minus) {
      if (!text_.substr(at_).starts_with(sign)) continue;
      at_ += sign.size();
      return true;
    }
    return false;
  }

  std::optional<TextProblem> read_metric() {
    skip_blanks();
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n=!<>", at_), text_.size());
    result_.metric = text_.substr(at_, end - at_);
    result_.metric_offset = at_;
    if (end == at_) {
      return problem(at_, 0, "a metric is missing", "expected METRIC OP VALUE",
                     "write one like \"wasted_usd <= 17040.00\"");
    }
    at_ = end;
    return std::nullopt;
  }

  std::optional<TextProblem> read_operator() {
    skip_blanks();
    result_.op_offset = at_;
    const std::string_view rest = text_.substr(at_);
    const std::string_view run = rest.substr(0, rest.find_first_not_of("=!<>~"));
    for (const auto& [symbol, op] : operators) {
      if (run != symbol) continue;
      result_.op = op;
      at_ += symbol.size();
      return std::nullopt;
    }
    if (run.empty()) {
      return problem(at_, 0, "a comparison operator is missing", "expected ==, !=, <, <=, > or >=");
    }
    const std::string_view meant = run == "=" || run == "==="   ? "=="
                                   : run == "=<"                ? "<="
                                   : run == "=>"                ? ">="
                                   : run == "<>" || run == "=!" ? "!="
                                                                : "";
    return problem(at_, run.size(), fmt::format("unknown comparison operator {}", in_quotes(run)),
                   "expected ==, !=, <, <=, > or >=",
                   meant.empty() ? "" : fmt::format("did you mean {}?", meant));
  }

  std::optional<TextProblem> read_literal(Literal& literal, std::string_view what) {
    skip_blanks();
    std::size_t end = std::min(text_.find_first_of(" \t\r\n", at_), text_.size());
    for (const std::string_view sign : plus_minus) end = std::min(end, text_.find(sign, at_));
    literal.offset = at_;
    literal.text = text_.substr(at_, end - at_);
    at_ = end;
    if (literal.text.empty()) {
      return problem(literal.offset, 0, fmt::format("{} is missing", what),
                     "expected a number, dollars or a duration");
    }
    return interpret(literal);
  }

  static std::optional<TextProblem> interpret(Literal& literal) {
    const std::string_view text = literal.text;
    const bool percent = text.ends_with('%');
    const bool dollars = text.find('$') != text.npos || text.find(',') != text.npos;
    const std::string plain = dollars   ? plain_dollars(text).value_or("")
                              : percent ? std::string{text.substr(0, text.size() - 1)}
                                        : std::string{text};
    if (const auto number = finite_number(plain)) {
      literal.kind = dollars   ? Literal::Kind::dollars
                     : percent ? Literal::Kind::percent
                               : Literal::Kind::number;
      literal.number = *number;
      const ScaledDecimal micros = scale_decimal(plain, 6, Rounding::exact);
      if (!percent && micros.fault == DecimalFault::none) {
        literal.usd = Usd::from_micros(micros.value);
      }
      return std::nullopt;
    }
    const bool starts_like_a_number = is_number_digit(text[0]) || text[0] == '-';
    if (!dollars && starts_like_a_number) return interpret_duration(literal);
    return problem(literal.offset, text.size(), fmt::format("{} is not a value", in_quotes(text)),
                   "expected a number, dollars or a duration");
  }

  static std::optional<TextProblem> interpret_duration(Literal& literal) {
    const auto duration = parse_duration(literal.text);
    if (!duration) {
      TextProblem found = duration.problem();
      found.offset += literal.offset;
      return found;
    }
    literal.kind = Literal::Kind::duration;
    literal.duration = *duration;
    literal.number = std::chrono::duration<double>(*duration).count();
    return std::nullopt;
  }

  std::optional<TextProblem> refuse_tolerance(std::size_t sign_at) const {
    const Literal& tolerance = *result_.tolerance;
    const std::size_t length = at_ - sign_at;
    if (result_.op != CompareOp::equal && result_.op != CompareOp::not_equal) {
      return problem(sign_at, length, "a tolerance needs == or !=",
                     fmt::format("not with {}", symbol_of(result_.op)));
    }
    const bool plain = tolerance.kind == Literal::Kind::number;
    const bool duration = result_.value.kind == Literal::Kind::duration;
    if (tolerance.kind != result_.value.kind && (!plain || duration)) {
      return problem(tolerance.offset, tolerance.text.size(),
                     "the tolerance and the value have different units",
                     duration ? "expected a duration" : "expected the unit of the value");
    }
    if (tolerance.number < 0) {
      return problem(tolerance.offset, tolerance.text.size(), "the tolerance is negative",
                     "must be 0 or more");
    }
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  MetricComparison result_;
};

// ---- nodes
// ---------------------------------------------------------------------------------------

template <class T>
T value_or_throw(const Node& node, const Parsed<T>& parsed) {
  if (parsed) return *parsed;
  throw InputError{at(node, parsed.problem())};
}

// The characters of a number or text node that hold dollars.
std::string_view dollars_of(const Node& node) {
  if (node.is_number()) return node.raw();
  if (node.is_text()) return node.as_text();
  throw InputError{at(node, "E0120", "expected dollars, as a number or a text",
                      fmt::format("this is {}", name_of(node.kind())))};
}

}  // namespace

Parsed<Duration> parse_duration(std::string_view text) {
  return DurationReader{text}.read();
}

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

Parsed<Usd> parse_usd(std::string_view text) {
  const auto micros = parse_dollars(text, 6, "a millionth of a dollar");
  if (!micros) return micros.problem();
  return Usd::from_micros(*micros);
}

Parsed<UsdPerHour> parse_usd_per_hour(std::string_view text) {
  const auto nanos = parse_dollars(text, 9, "a billionth of a dollar");
  if (!nanos) return nanos.problem();
  return UsdPerHour{*nanos};
}

std::optional<std::int64_t> parse_decimal(std::string_view text, unsigned decimals) {
  const ScaledDecimal scaled = scale_decimal(text, decimals, Rounding::exact);
  if (scaled.fault != DecimalFault::none) return std::nullopt;
  return scaled.value;
}

std::string_view symbol_of(CompareOp op) {
  for (const auto& [symbol, known] : operators) {
    if (known == op) return symbol;
  }
  return "";
}

Parsed<MetricComparison> parse_comparison(std::string_view text) {
  return ComparisonReader{text}.read();
}

Duration as_duration(const Node& node) {
  if (node.is_text()) return value_or_throw(node, parse_duration(node.as_text()));
  const std::string label = fmt::format("this is {}", name_of(node.kind()));
  if (!node.is_number()) {
    throw InputError{at(node, "E0120", "expected a duration like \"72h23m02s\"", label)};
  }
  const std::string written = fmt::format("{}s", node.raw());
  const bool meant = static_cast<bool>(parse_duration(written));
  throw InputError{at(node, "E0131", "the duration has no unit", "wrong or missing unit")
                       .with_help(meant ? fmt::format("write \"{}\"", written) : "")};
}

Instant as_instant(const Node& node) {
  if (node.is_text()) return value_or_throw(node, parse_instant(node.as_text()));
  throw InputError{
      at(node, "E0120", "expected a date and time", fmt::format("this is {}", name_of(node.kind())))
          .with_help(std::string{instant_help})};
}

Usd as_usd(const Node& node) {
  return value_or_throw(node, parse_usd(dollars_of(node)));
}

UsdPerHour as_usd_per_hour(const Node& node) {
  const UsdPerHour price = value_or_throw(node, parse_usd_per_hour(dollars_of(node)));
  if (price.nanos >= 0) return price;
  throw InputError{at(node, "E0136", "the price is negative", "must be 0 or more")};
}

double as_percent(const Node& node) {
  std::optional<double> percent;
  if (node.is_number()) {
    percent = node.as_number();
  } else if (node.is_text() && node.as_text().ends_with('%')) {
    percent = finite_number(node.as_text().substr(0, node.as_text().size() - 1));
  }
  if (!percent) {
    throw InputError{
        at(node, "E0138", "expected a percentage", "a number, or a text like \"65%\"")};
  }
  if (*percent >= 0 && *percent <= 100) return *percent;
  throw InputError{at(node, "E0138", "the percentage is out of range", "must be 0 to 100")};
}

std::int64_t as_count(const Node& node) {
  const std::int64_t count = node.as_integer();
  if (count >= 0) return count;
  throw InputError{at(node, "E0121", "the number is negative", "must be 0 or more")};
}

MetricComparison as_comparison(const Node& node) {
  return value_or_throw(node, parse_comparison(node.as_text()));
}

Diagnostic at(const Node& node, const TextProblem& problem) {
  if (!node.is_text()) {
    return at(node, problem.code, problem.message, problem.label).with_help(problem.help);
  }
  return within(node, problem.offset, problem.length, problem.code, problem.message, problem.label)
      .with_help(problem.help);
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
