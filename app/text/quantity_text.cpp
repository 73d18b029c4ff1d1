#include "app/text/quantity_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/format.hpp"

namespace reeve::app {
namespace {

using policy::Duration;
using policy::Usd;

/// Whole seconds from a minute on, else milliseconds: more would be noise in a mean.
Duration readable(double seconds) {
  const double step = std::abs(seconds) < 60 ? 1e-3 : 1;
  return Duration{std::llround(seconds / step) * std::llround(step * 1e9)};
}

/// The same of a time that is exact: what is drawn comes in nanoseconds.
Duration readable(Duration length) {
  using std::chrono::round;
  if (std::chrono::abs(length) < std::chrono::minutes{1}) {
    return round<std::chrono::milliseconds>(length);
  }
  return round<std::chrono::seconds>(length);
}

std::string signed_duration(Duration length) {
  return length < Duration{0} ? "−" + report::duration(-length) : report::duration(length);
}

/// Two decimals would show nothing of it.
bool is_small(double number) {
  return number != 0 && std::abs(number) < 0.005;
}

bool fits(double number) {
  return std::isfinite(number) && std::abs(number) < 9e9;
}

}  // namespace

std::string_view drain_text(const models::World& world) {
  const bool ticks = world.platform.model == models::PlatformModel::ticks;
  return ticks ? "rest of the tick" : "stop grace";
}

std::string quantity_text(std::string_view name, const experiments::Quantity& value) {
  if (const auto* usd = std::get_if<Usd>(&value)) return report::money(*usd);
  if (const auto* length = std::get_if<Duration>(&value)) return signed_duration(readable(*length));
  const double number = std::get<double>(value);
  if (name.ends_with("_s") && fits(number)) return signed_duration(readable(number));
  const std::string sign = number < 0 ? "−" : "";
  if (name.ends_with("_pct")) {
    const bool small = number != 0 && std::abs(number) < 0.05;
    return sign + (small ? fmt::format("{:.2g} %", std::abs(number))
                         : fmt::format("{:.1f} %", std::abs(number)));
  }
  if (number >= 0 && number < 9e15 && number == std::floor(number)) {
    return report::count(static_cast<std::uint64_t>(number));
  }
  if (is_small(number)) return sign + fmt::format("{:.2g}", std::abs(number));
  return sign + fmt::format("{:.2f}", std::abs(number));
}

Duration readable_beside(Duration time, Duration half) {
  using std::chrono::round;
  const bool coarse =
      half >= std::chrono::seconds{2} || std::chrono::abs(time) >= std::chrono::minutes{1};
  if (coarse) return round<std::chrono::seconds>(time);
  return round<std::chrono::milliseconds>(time);
}

namespace {

/// A duration, or a number of seconds.
bool is_time(std::string_view name, const experiments::Quantity& kind) {
  return std::holds_alternative<Duration>(kind) ||
         (name.ends_with("_s") && std::holds_alternative<double>(kind));
}

}  // namespace

std::string text_beside(std::string_view name, const experiments::Quantity& kind, double value,
                        double half) {
  if (!is_time(name, kind) || !fits(value) || !fits(half))
    return quantity_text(name, quantity_like(kind, value));
  const auto length = [](double of) { return Duration{std::llround(of * 1e9)}; };
  return signed_duration(readable_beside(length(value), length(half)));
}

namespace {

/// An end of a wide interval without digits that say nothing: dollars without cents, hours without
/// seconds.
std::optional<std::string> coarse_text(std::string_view name, const experiments::Quantity& kind,
                                       double value, double half) {
  constexpr double dollars = 10;
  constexpr double seconds = 600;
  if (std::holds_alternative<Usd>(kind) && half >= dollars) {
    std::string text = report::money(Usd::from_micros(std::llround(value) * 1'000'000));
    text.resize(text.size() - 3);
    return text;
  }
  if (!is_time(name, kind) || !fits(value) || half < seconds) return std::nullopt;
  const Duration length{std::llround(value * 1e9)};
  return report::short_duration(std::chrono::round<std::chrono::minutes>(length));
}

}  // namespace

std::string estimate_text(std::string_view name, const experiments::Quantity& mean,
                          const experiments::Estimate& estimate) {
  const double half = estimate.half_width();
  if (half <= 0) return quantity_text(name, mean);
  const auto text = [&](double value) { return text_beside(name, mean, value, half); };
  const std::string middle = text(experiments::as_double(mean));
  if (!estimate.lopsided) return middle + " ± " + text(half);
  const auto end = [&](double value) {
    return coarse_text(name, mean, value, half).value_or(text(value));
  };
  return fmt::format("{} [{}, {}]", middle, end(estimate.low), end(estimate.high));
}

report::Reach<double> reach_of(const experiments::Estimate& estimate) {
  const double half = estimate.half_width();
  if (!estimate.lopsided) return half;
  const double down = estimate.mean - estimate.low;
  const double up = estimate.high - estimate.mean;
  return estimate.mean < 0 ? report::Reach<double>{up, down} : report::Reach<double>{down, up};
}

experiments::Quantity quantity_like(const experiments::Quantity& kind, double value) {
  if (std::holds_alternative<Usd>(kind)) return Usd::from_micros(std::llround(value * 1e6));
  if (std::holds_alternative<Duration>(kind)) return Duration{std::llround(value) * 1'000'000'000};
  return value;
}

experiments::Quantity to_the_second(const experiments::Quantity& mean) {
  const auto* length = std::get_if<Duration>(&mean);
  if (length == nullptr) return mean;
  return Duration{std::chrono::round<std::chrono::seconds>(*length)};
}

experiments::Quantity as_shown(std::string_view name, const experiments::Quantity& value) {
  if (const auto* usd = std::get_if<Usd>(&value)) return report::in_cents(*usd);
  if (const auto* length = std::get_if<Duration>(&value)) return readable(*length);
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr) return value;
  if (name.ends_with("_s") && fits(*number)) {
    return static_cast<double>(readable(*number).count()) / 1e9;
  }
  if (name.ends_with("_pct")) {
    return std::abs(*number) < 0.05 ? *number : std::round(*number * 10) / 10;
  }
  return is_small(*number) ? *number : std::round(*number * 100) / 100;
}

experiments::Quantity shown_difference(std::string_view name, const experiments::Quantity& a,
                                       const experiments::Quantity& b) {
  const auto of_a = as_shown(name, a);
  const auto of_b = as_shown(name, b);
  if (const auto* usd = std::get_if<Usd>(&of_a)) return *usd - std::get<Usd>(of_b);
  if (const auto* length = std::get_if<Duration>(&of_a)) return *length - std::get<Duration>(of_b);
  // Shown numbers have few decimals: what is left beyond is dust of the subtraction.
  return std::round((std::get<double>(of_a) - std::get<double>(of_b)) * 1e6) / 1e6;
}

std::string exact_text(const experiments::Quantity& value) {
  std::string text;
  if (const auto* usd = std::get_if<Usd>(&value)) {
    if (usd->micros() % 10'000 == 0) return report::money(*usd);
    report::append_usd(text, *usd);
    return "$" + text;
  }
  if (const auto* length = std::get_if<Duration>(&value)) return signed_duration(*length);
  report::append_double(text, std::get<double>(value));
  return text;
}

report::Cell quantity_cell(std::string_view name, const experiments::Quantity& value) {
  report::Cell cell;
  cell.text = quantity_text(name, value);
  if (const auto* usd = std::get_if<Usd>(&value)) cell.value = *usd;
  if (const auto* length = std::get_if<Duration>(&value)) cell.value = *length;
  if (const auto* number = std::get_if<double>(&value)) cell.value = *number;
  return cell;
}

}  // namespace reeve::app
