#include "report/format.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string_view>

namespace reeve::report {
namespace {

constexpr std::string_view minus = "\u2212";
constexpr std::string_view nothing = "\u2013";
constexpr std::uint64_t nanos_per_second = 1'000'000'000;

struct Magnitude {
  std::uint64_t value;
  bool negative;
};

/// Also of the smallest integer, whose negation would overflow.
constexpr Magnitude magnitude(std::int64_t number) {
  const auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? Magnitude{0 - bits, true} : Magnitude{bits, false};
}

void append_padded(std::string& out, std::uint64_t number, std::size_t digits) {
  std::array<char, 20> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  const auto length = static_cast<std::size_t>(end - text.data());
  if (length < digits) out.append(digits - length, '0');
  out.append(text.data(), length);
}

void append_grouped(std::string& out, std::uint64_t number) {
  std::array<char, 20> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  const auto length = static_cast<std::size_t>(end - text.data());
  for (std::size_t at = 0; at < length; ++at) {
    if (at > 0 && (length - at) % 3 == 0) out += ',';
    out += text[at];
  }
}

/// ".5" of 500'000'000 of 9 digits; nothing of 0.
void append_fraction(std::string& out, std::uint64_t fraction, std::size_t digits) {
  if (fraction == 0) return;
  while (fraction % 10 == 0) {
    fraction /= 10;
    --digits;
  }
  out += '.';
  append_padded(out, fraction, digits);
}

/// number / divisor, half to even; both >= 0.
constexpr models::Charge divide(models::Charge number, models::Charge divisor) {
  const models::Charge whole = number / divisor;
  const models::Charge rest = number % divisor;
  const models::Charge other = divisor - rest;
  const bool up = rest > other || (rest == other && whole % 2 != 0);
  return up ? whole + 1 : whole;
}

void append_dollars(std::string& out, std::uint64_t micros) {
  const auto cents = static_cast<std::uint64_t>(divide(models::Charge{micros}, 10'000));
  out += '$';
  append_grouped(out, cents / 100);
  out += '.';
  append_padded(out, cents % 100, 2);
}

/// Whether it prints as something else than $0.00.
constexpr bool shows(Magnitude amount) {
  return amount.value > 5'000;
}

void append_hms(std::string& out, std::uint64_t nanos) {
  const std::uint64_t seconds = nanos / nanos_per_second;
  const std::uint64_t hours = seconds / 3600;
  const std::uint64_t minutes = seconds / 60 % 60;
  if (hours > 0) {
    append_count(out, hours);
    out += 'h';
  }
  if (seconds >= 60) {
    append_padded(out, minutes, hours > 0 ? 2 : 1);
    out += 'm';
  }
  append_padded(out, seconds % 60, seconds >= 60 ? 2 : 1);
  append_fraction(out, nanos % nanos_per_second, 9);
  out += 's';
}

}  // namespace

policy::Usd in_cents(policy::Usd amount) {
  const Magnitude micros = magnitude(amount.micros());
  const auto cents = static_cast<std::int64_t>(divide(models::Charge{micros.value}, 10'000));
  return policy::Usd::from_micros((micros.negative ? -cents : cents) * 10'000);
}

policy::Usd CentRounding::next(policy::Usd part) {
  const policy::Usd before = in_cents(sum_);
  sum_ += part;
  return in_cents(sum_) - before;
}

std::string money(policy::Usd amount) {
  const Magnitude micros = magnitude(amount.micros());
  std::string out;
  if (micros.negative && shows(micros)) out += minus;
  append_dollars(out, micros.value);
  return out;
}

std::string money_change(policy::Usd amount) {
  const Magnitude micros = magnitude(amount.micros());
  std::string out;
  if (shows(micros)) out += micros.negative ? minus : "+";
  append_dollars(out, micros.value);
  return out;
}

std::string price(policy::UsdPerHour price) {
  const Magnitude nanos = magnitude(price.nanos);
  std::string out;
  if (nanos.negative) out += minus;
  out += '$';
  append_grouped(out, nanos.value / nanos_per_second);
  std::string fraction;
  append_padded(fraction, nanos.value % nanos_per_second, 9);
  while (fraction.size() > 2 && fraction.back() == '0') fraction.pop_back();
  return out + '.' + fraction + "/h";
}

std::string duration(policy::Duration length) {
  const Magnitude nanos = magnitude(length.count());
  std::string out;
  if (nanos.negative) out += minus;
  append_hms(out, nanos.value);
  return out;
}

std::string short_duration(policy::Duration length) {
  const Magnitude nanos = magnitude(length.count());
  if (nanos.value == 0) return "0";
  if (nanos.value % (60 * nanos_per_second) != 0) return duration(length);
  const std::uint64_t hours = nanos.value / (3600 * nanos_per_second);
  const std::uint64_t minutes = nanos.value / (60 * nanos_per_second) % 60;
  std::string out;
  if (nanos.negative) out += minus;
  if (hours == 0) {
    append_count(out, minutes);
    return out + " min";
  }
  append_count(out, hours);
  if (minutes == 0) return out + " h";
  out += 'h';
  append_padded(out, minutes, 2);
  return out + 'm';
}

std::string count(std::uint64_t number) {
  std::string out;
  append_grouped(out, number);
  return out;
}

std::string percent(models::Charge part, models::Charge whole, int decimals) {
  if (whole <= 0) return std::string{nothing};
  models::Charge scale = 1;
  for (int digit = 0; digit < decimals; ++digit) scale *= 10;
  const models::Charge scaled = divide((part < 0 ? -part : part) * 100 * scale, whole);
  std::string out;
  if (part < 0 && scaled != 0) out += minus;
  append_grouped(out, static_cast<std::uint64_t>(scaled / scale));
  if (decimals > 0) {
    out += '.';
    append_padded(out, static_cast<std::uint64_t>(scaled % scale),
                  static_cast<std::size_t>(decimals));
  }
  return out + " %";
}

std::string instant(policy::Instant at) {
  if (at == policy::never) return std::string{nothing};
  std::string out;
  append_instant(out, at);
  return out;
}

void append_usd(std::string& out, policy::Usd amount) {
  const Magnitude micros = magnitude(amount.micros());
  if (micros.negative) out += '-';
  append_count(out, micros.value / 1'000'000);
  out += '.';
  append_padded(out, micros.value % 1'000'000, 6);
}

void append_seconds(std::string& out, policy::Duration length) {
  const Magnitude nanos = magnitude(length.count());
  if (nanos.negative) out += '-';
  append_count(out, nanos.value / nanos_per_second);
  append_fraction(out, nanos.value % nanos_per_second, 9);
}

void append_instant(std::string& out, policy::Instant at) {
  if (at == policy::never) return;
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{day};
  const auto nanos = static_cast<std::uint64_t>((at - day).count());
  const std::uint64_t seconds = nanos / nanos_per_second;
  constexpr std::size_t digits_of_year = 4;
  append_padded(out, static_cast<std::uint64_t>(static_cast<int>(date.year())), digits_of_year);
  auto rest = std::to_array<char>(
      {'-', '0', '0', '-', '0', '0', 'T', '0', '0', ':', '0', '0', ':', '0', '0'});
  const auto put = [&](std::size_t place, std::uint64_t number) {
    rest[place] = static_cast<char>('0' + number / 10);
    rest[place + 1] = static_cast<char>('0' + number % 10);
  };
  put(1, static_cast<unsigned>(date.month()));
  put(4, static_cast<unsigned>(date.day()));
  put(7, seconds / 3600);
  put(10, seconds / 60 % 60);
  put(13, seconds % 60);
  out.append(rest.data(), rest.size());
  append_fraction(out, nanos % nanos_per_second, 9);
  out += 'Z';
}

void append_percent(std::string& out, models::Charge part, models::Charge whole) {
  if (whole <= 0) return;
  constexpr models::Charge scale = 1'000'000;
  const models::Charge scaled = divide((part < 0 ? -part : part) * 100 * scale, whole);
  if (part < 0 && scaled != 0) out += '-';
  append_count(out, static_cast<std::uint64_t>(scaled / scale));
  append_fraction(out, static_cast<std::uint64_t>(scaled % scale), 6);
}

void append_double(std::string& out, double number) {
  if (!std::isfinite(number)) return;
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  out.append(text.data(), static_cast<std::size_t>(end - text.data()));
}

void append_integer(std::string& out, std::int64_t number) {
  const Magnitude value = magnitude(number);
  if (value.negative) out += '-';
  append_count(out, value.value);
}

void append_count(std::string& out, std::uint64_t number) {
  append_padded(out, number, 1);
}

}  // namespace reeve::report
