#include "scenarios/records/market_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "scenarios/records/price_book.hpp"
#include "scenarios/text/inflater.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;
using policy::UsdPerHour;

constexpr std::int64_t most_nanos_per_hour = 10'000'000'000'000;  // $10,000
constexpr std::int64_t cents_factor = 20;  // no Spot price is 20 times on-demand; in cents it is 30

InputError not_a_number(const Cell& cell) {
  const std::string message =
      fmt::format("{} is not a number: {}", cell.name(), in_quotes(cell.text()));
  return InputError{cell.at("E0313", message, "expected a number")};
}

InputError negative(const Cell& cell) {
  return InputError{
      cell.at("E0314", fmt::format("{} is negative", cell.name()), "must be 0 or more")};
}

InputError out_of_range(const Cell& cell, std::string label) {
  return InputError{
      cell.at("E0315", fmt::format("{} is out of range", cell.name()), std::move(label))};
}

// Differences of dates in these years fit in a Duration.
constexpr Instant first_stamp{};
constexpr Instant last_stamp = std::chrono::sys_days{std::chrono::year{2100} / 1 / 1};

unsigned decimals_of(StampUnit unit) {
  return unit == StampUnit::milliseconds ? 6 : 9;
}

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

// YYYY-MM-DD HH:MM:SS in the years of computers; anything else is left to parse_instant.
std::optional<Instant> plain_stamp(std::string_view text) {
  using namespace std::chrono;
  constexpr std::string_view shape = "0000-00-00 00:00:00";
  if (text.size() != shape.size()) return std::nullopt;
  for (const std::size_t at : {4u, 7u, 13u, 16u}) {
    if (text[at] != shape[at]) return std::nullopt;
  }
  if (text[10] != ' ' && text[10] != 'T') return std::nullopt;
  const auto y = digits(text, 0, 4), mo = digits(text, 5, 2), d = digits(text, 8, 2);
  const auto h = digits(text, 11, 2), mi = digits(text, 14, 2), s = digits(text, 17, 2);
  if (!y || !mo || !d || !h || !mi || !s) return std::nullopt;
  const year_month_day day{year{*y}, month{static_cast<unsigned>(*mo)},
                           std::chrono::day{static_cast<unsigned>(*d)}};
  if (!day.ok() || *y < 1970 || *y > 2099 || *h > 23 || *mi > 59 || *s > 59) return std::nullopt;
  return sys_days{day} + hours{*h} + minutes{*mi} + seconds{*s};
}

template <class Step, class Value>
void put_step(std::vector<Step>& steps, Duration at, Value value, Value Step::*member) {
  if (!steps.empty() && steps.back().at == at) steps.pop_back();
  if (!steps.empty() && steps.back().*member == value) return;
  steps.push_back({at, value});
}

// Steps as seen from `by` after their zero (or, negative, before it).
template <class Step>
void move_zero(std::vector<Step>& steps, Duration by) {
  if (steps.empty()) return;
  std::size_t held = 0;  // the step that is in force at the new zero
  while (held + 1 < steps.size() && steps[held + 1].at <= by) ++held;
  steps.erase(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(held));
  for (Step& step : steps) step.at -= by;
  steps.front().at = Duration::zero();
}

void align(std::string_view name, Instant start, MarketTrace& trace) {
  if (!trace.begins) {
    throw InputError{about_trace(name, "E0228", "a start is set, but the trace has no dates",
                                 "its times count from the start of the clock")};
  }
  if (start < first_stamp || start >= last_stamp) {
    throw InputError{about_trace(name, "E0332", "the clock starts outside 1970 to 2099")};
  }
  const Duration by = start - *trace.begins;
  if (by >= trace.length && by > Duration::zero()) {
    throw InputError{about_trace(
        name, "E0320",
        fmt::format("the trace ends {} before the start of the clock", show(by - trace.length)))};
  }
  if (by < Duration::zero()) {
    trace.warnings.push_back(about_trace(
        name, "W0312", fmt::format("the trace begins {} after the start of the clock", show(-by)),
        "its first value is used until then", Severity::warning));
  }
  move_zero(trace.offers, by);
  move_zero(trace.prices, by);
  trace.length -= by;
}

std::string day_of(Instant instant) {
  return show(std::chrono::floor<std::chrono::days>(instant));
}

/// Dates that have nothing to do with those of the clock, though both name a time.
void tell_other_times(std::string_view name, Instant clock, MarketTrace& trace, Duration written) {
  const Instant ends = *trace.begins + written;
  const bool later = *trace.begins > clock;
  if (!later && clock - ends <= fresh_for) return;
  trace.warnings.push_back(about_trace(
      name, "W0491",
      fmt::format("dated {} to {}, but used from {}", day_of(*trace.begins), day_of(ends),
                  day_of(clock)),
      later
          ? "its first value is used at the start of the clock; set \"from\" to the date at which "
            "it should begin"
          : "old prices and offers are used; set \"from\" to confirm this, or start the clock then",
      Severity::warning));
}

}  // namespace

Diagnostic CsvCell::at(std::string_view code, std::string message, std::string label) const {
  return csv_.at(field_, code, std::move(message), std::move(label));
}

Diagnostic JsonCell::at(std::string_view code, std::string message, std::string label) const {
  return scenarios::at(node_, code, std::move(message), std::move(label));
}

Diagnostic about_trace(std::string_view name, std::string_view code, std::string message,
                       std::string help, Severity severity) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.code = code;
  diagnostic.file = name;
  diagnostic.message = std::move(message);
  diagnostic.help = std::move(help);
  return diagnostic;
}

Diagnostic as_warning(Diagnostic diagnostic) {
  diagnostic.severity = Severity::warning;
  return diagnostic;
}

Duration read_time(const Cell& cell, StampUnit unit) {
  const ScaledDecimal scaled = scale_decimal(cell.text(), decimals_of(unit), Rounding::nearest);
  if (scaled.fault == DecimalFault::malformed) throw not_a_number(cell);
  if (scaled.value < 0) throw negative(cell);
  const std::int64_t factor = unit == StampUnit::hours ? 3600 : 1;
  std::int64_t nanoseconds = 0;
  if (scaled.fault == DecimalFault::overflow ||
      __builtin_mul_overflow(scaled.value, factor, &nanoseconds) ||
      Duration{nanoseconds} > longest_trace) {
    throw InputError{cell.at("E0332", fmt::format("{} is more than 100 years", cell.name()),
                             "wrong or missing unit")
                         .with_help("times count from the start of the trace, not from 1970")};
  }
  return Duration{nanoseconds};
}

Duration read_tick(const Cell& cell) {
  const Duration tick = read_time(cell, StampUnit::seconds);
  if (tick == Duration::zero()) throw out_of_range(cell, "must be above 0");
  if (tick <= longest_tick) return tick;
  throw InputError{cell.at("E0332", fmt::format("{} is more than a day", cell.name()),
                           "possibly in milliseconds")
                       .with_help("write it in seconds")};
}

Instant read_stamp(std::string_view written, const Cell& cell) {
  if (const auto plain = plain_stamp(written)) return *plain;
  std::string text{written};
  if (text.size() > 10 && text[10] == ' ') text[10] = 'T';
  if (text.size() > 10 && text.find_first_of("Zz+-", 10) == text.npos) text += 'Z';
  const auto parsed = parse_instant(text);
  if (parsed && *parsed >= first_stamp && *parsed < last_stamp) return *parsed;
  if (parsed) throw InputError{cell.at("E0332", "a date outside 1970 to 2099", "check the year")};
  throw InputError{cell.at("E0137", parsed.problem().message, parsed.problem().label)
                       .with_help("write one like 2023-02-15 22:08:16")};
}

std::int64_t read_count(const Cell& cell) {
  if (const auto plain = few_digits(cell.text())) return *plain;
  const ScaledDecimal scaled = scale_decimal(cell.text(), 0, Rounding::exact);
  switch (scaled.fault) {
    case DecimalFault::overflow:
      throw out_of_range(cell, "too large");
    case DecimalFault::finer:
      throw InputError{cell.at("E0316", fmt::format("{} is not a whole number", cell.name()),
                               "expected no decimals")};
    case DecimalFault::malformed:
      throw not_a_number(cell);
    case DecimalFault::none:
      break;
  }
  if (scaled.value < 0) throw negative(cell);
  return scaled.value;
}

std::uint32_t CountReader::read(const Cell& cell) {
  return read(read_count(cell), cell);
}

std::uint32_t CountReader::read(std::int64_t count, const Cell& cell) {
  largest_ = std::max(largest_, count);
  if (convention_ == Convention::preempted) {
    if (count <= 1) return count == 0 ? instances_ : 0;
    throw InputError{
        cell.at("E0334",
                fmt::format("{} is {}, but the convention is \"preempted\"", cell.name(), count),
                "expected 0 or 1")
            .with_help("use the convention \"up\" for counts of instances")};
  }
  if (count > std::numeric_limits<std::uint32_t>::max() / std::max(1u, instances_)) {
    throw out_of_range(cell, "too many instances");
  }
  return static_cast<std::uint32_t>(count) * instances_;
}

void CountReader::check(const Diagnostic& where) const {
  if (!ambiguous()) return;
  Diagnostic diagnostic = where;
  diagnostic.code = "E0333";
  diagnostic.message = "the trace has only 0 and 1, and no `convention`";
  diagnostic.label = "meaning of 1 unknown";
  diagnostic.help =
      "write \"convention\": \"up\" if 1 means available, \"preempted\" if 1 means unavailable";
  throw InputError{std::move(diagnostic)};
}

UsdPerHour PriceReader::read(const Cell& cell) const {
  const ScaledDecimal scaled = scale_decimal(cell.text(), 9, Rounding::nearest);
  if (scaled.fault == DecimalFault::malformed) throw not_a_number(cell);
  const auto wrong_unit = [&cell](std::string label, std::string_view why) {
    return InputError{cell.at("E0332", fmt::format("{} is {}", cell.name(), why), std::move(label))
                          .with_help("write dollars per hour of one instance")};
  };
  if (scaled.fault == DecimalFault::overflow || scaled.value > most_nanos_per_hour) {
    throw wrong_unit("wrong or missing unit", "more than $10,000 per hour");
  }
  if (scaled.value <= 0) {
    throw InputError{cell.at("E0337", fmt::format("{} must be above 0", cell.name()), "not a price")
                         .with_help("remove unknown prices")};
  }
  if (on_demand_ && scaled.value / cents_factor > on_demand_->nanos) {
    throw wrong_unit("possibly in cents", "more than 20 times the on-demand price");
  }
  return UsdPerHour{scaled.value};
}

void Offsets::note(const Cell& stamp) {
  const std::string_view text = stamp.text();
  const bool says = text.size() > 10 && text.find_first_of("Zz+-", 10) != text.npos;
  if (!first_) first_ = says;
  if (mixed_ || *first_ == says) return;
  mixed_ = as_warning(stamp
                          .at("W0485", "some dates have an offset from UTC, others have none",
                              says ? "the first with an offset" : "the first without an offset")
                          .with_help("dates without an offset are treated as UTC"));
}

void Offsets::tell(MarketTrace& trace) const {
  if (mixed_) trace.warnings.push_back(*mixed_);
}

void check_convention(std::optional<Convention> stated, Convention means, const Diagnostic& where) {
  if (!stated || *stated == means) return;
  const auto word = [](Convention of) { return of == Convention::up ? "up" : "preempted"; };
  Diagnostic diagnostic = where;
  diagnostic.code = "E0333";
  diagnostic.message =
      fmt::format("`convention` is \"{}\", but here 1 means \"{}\"", word(*stated), word(means));
  diagnostic.label = "defines what 1 means";
  diagnostic.help = "remove `convention`";
  throw InputError{std::move(diagnostic)};
}

void put(std::vector<models::Offer>& steps, Duration at, std::uint32_t instances) {
  put_step(steps, at, instances, &models::Offer::instances);
}

void put(std::vector<models::PriceStep>& steps, Duration at, UsdPerHour price) {
  put_step(steps, at, price, &models::PriceStep::price);
}

Duration median(std::vector<Duration>& distances) {
  if (distances.empty()) return Duration::zero();
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>((distances.size() - 1) / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

void finish(std::string_view name, const TraceSpan& span, MarketTrace& trace) {
  const Duration written = trace.length;
  const auto warn = [&](std::string_view code, std::string message, std::string help) {
    trace.warnings.push_back(
        about_trace(name, code, std::move(message), std::move(help), Severity::warning));
  };
  // A tick more or less is a way of counting; more is a mistake in the file or in what is said.
  const Duration stated = span.stated_length.value_or(written);
  if (std::max(stated, written) - std::min(stated, written) > trace.tick) {
    warn(
        "W0322",
        fmt::format("the stated length is {}, but the trace lasts {}", show(stated), show(written)),
        "the actual length is used");
  }
  if (span.start) align(name, *span.start, trace);
  const bool dated = !span.start && span.clock_start && trace.begins;
  if (dated && *trace.begins < *span.clock_start && *span.clock_start - *trace.begins < written) {
    warn("W0323",
         fmt::format("the clock starts {} after the start of the trace",
                     show(*span.clock_start - *trace.begins)),
         "the trace is still used from its first value; set \"from\" to begin at a date");
  }
  if (!span.start && span.clock_start && trace.begins) {
    tell_other_times(name, *span.clock_start, trace, written);
  }
  if (span.clock && *span.clock > trace.length) {
    warn("W0321",
         fmt::format("the trace ends after {}, the clock after {}", show(trace.length),
                     show(*span.clock)),
         "its last value is used from then on");
  }
}

Document read_document(std::string name, std::unique_ptr<std::istream> input,
                       const TraceLimits& limits) {
  const std::uint64_t limit =
      std::min<std::uint64_t>(limits.decompressed_bytes, SourceFile::scenario_limit);
  std::string text = read_whole(name, std::move(input), limit);
  return Document::parse(SourceFile::from_text(std::move(name), std::move(text)));
}

}  // namespace reeve::scenarios
