// Text to durations, instants, money, percentages and `expect` comparisons, exactly or not at all.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>
#include <variant>

#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/json.hpp"

namespace reeve::scenarios {

using policy::Duration;
using policy::Instant;
using policy::Usd;
using policy::UsdPerHour;

/// What a file may name lies between these: sums with the longest durations stay far from the ends
/// of int64 nanoseconds (1677 and 2262), so nothing that is simulated falls off the calendar.
inline constexpr Instant earliest_instant{};
inline constexpr Instant latest_instant{
    std::chrono::sys_days{std::chrono::year{2200} / std::chrono::January / 1}};
inline constexpr Duration longest_duration = std::chrono::hours{24 * 36525};  ///< 100 years

/// Why a piece of text is not the quantity wanted.  `offset` and `length` are bytes of the text.
struct TextProblem {
  std::string code;
  std::size_t offset = 0;
  std::size_t length = 0;
  std::string message;
  std::string label;
  std::string help;
};

/// A value, or the reason there is none.
template <class T>
class Parsed {
 public:
  Parsed(T value) : state_{std::move(value)} {}                // NOLINT: meant to convert
  Parsed(TextProblem problem) : state_{std::move(problem)} {}  // NOLINT: meant to convert
  explicit operator bool() const { return state_.index() == 0; }
  const T& operator*() const { return std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  const TextProblem& problem() const { return std::get<1>(state_); }

 private:
  std::variant<T, TextProblem> state_;
};

/// "72h23m02s", "1.5h", "90m", "250ms", "7d", "0s", units w d h m s ms us ns, each at most once and
/// from large to small; no blanks, no sign, not finer than a nanosecond.  Problems: E0131 no unit,
/// E0132 unknown unit, E0133 not a duration, E0134 negative, E0135 too long for int64 nanoseconds.
Parsed<Duration> parse_duration(std::string_view text);

inline constexpr std::string_view instant_help =
    "write one like \"2026-05-22T18:00:00-04:00\" or \"...Z\"";

/// "2026-05-22T18:00:00-04:00", "...Z", fractions to the nanosecond; the offset is required, and
/// it lies in 1970 to 2199 (E0137).
Parsed<Instant> parse_instant(std::string_view text);

/// Dollars, "337.50", "$17,280.00", to exact micro-dollars; finer digits are E0136.  May be
/// negative.
Parsed<Usd> parse_usd(std::string_view text);

/// Dollars per hour, "21.957642", to exact nano-dollars; finer digits are E0136.
Parsed<UsdPerHour> parse_usd_per_hour(std::string_view text);

/// A decimal number ("3e-2", "-0.5") as an exact count of 10^-decimals.  Nothing if the text is no
/// number, does not fit, or is finer.
std::optional<std::int64_t> parse_decimal(std::string_view text, unsigned decimals);

enum class CompareOp : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };
std::string_view symbol_of(CompareOp op);

/// A literal in an `expect` line.  Exact in every reading it has: `duration` only if written with
/// units; `usd` whenever a plain number or dollars hold no more than six decimals.
struct Literal {
  enum class Kind : std::uint8_t { number, dollars, percent, duration };
  Kind kind = Kind::number;
  std::string text;  ///< as written
  std::size_t offset = 0;
  double number = 0;  ///< plain value; dollars; percent; a duration's seconds
  std::optional<Usd> usd;
  std::optional<Duration> duration;
};

/// `METRIC OP VALUE [+- TOLERANCE]`; offsets count in the text of the line.  Invariant: the
/// tolerance is not negative and of the value's kind, and accompanies only == and !=.
struct MetricComparison {
  std::string metric;  ///< "job.B2.wait"; may hold any character but blanks and = ! < >
  std::size_t metric_offset = 0;
  CompareOp op = CompareOp::equal;
  std::size_t op_offset = 0;
  Literal value;
  std::optional<Literal> tolerance;
};

Parsed<MetricComparison> parse_comparison(std::string_view text);

// The same, read from a node; throw InputError with carets inside the text.

Duration as_duration(const Node& node);
Instant as_instant(const Node& node);
Usd as_usd(const Node& node);                  ///< a JSON number or a text of dollars
UsdPerHour as_usd_per_hour(const Node& node);  ///< likewise; not negative
double as_percent(const Node& node);           ///< 0..100: a number, or text "65%"
std::int64_t as_count(const Node& node);       ///< a whole number >= 0
MetricComparison as_comparison(const Node& node);

/// The problem as a diagnostic inside the text node.
Diagnostic at(const Node& text, const TextProblem& problem);

/// A duration as people write it: "1h30m", "2m5.5s".
std::string show(Duration duration);

/// "2026-05-22T18:00:00Z", as `clock.start` takes it; fractions of a second are left out.
std::string show(Instant instant);

}  // namespace reeve::scenarios
