// Numbers as text: money, durations, instants, shares and counts.
//
// All arithmetic is on integers, with at most one rounding.  `append_*` write the exact form of CSV
// tables; the others return the readable form of terminal, Markdown and HTML.
#pragma once

#include <cstdint>
#include <reeve/policy/units.hpp>
#include <string>

#include "models/ledger.hpp"

namespace reeve::report {

/// To the cent, half to even, as printed by `money`.
policy::Usd in_cents(policy::Usd amount);

/// Rounds parts to cents one by one, so that the rounded parts add up to the rounded sum.
class CentRounding {
 public:
  policy::Usd next(policy::Usd part);

 private:
  policy::Usd sum_;
};

/// "$17,280.00", "−$12.00": cents, half to even.
std::string money(policy::Usd amount);

/// Like `money`, with a sign: "+$20.00", "−$12.00", "$0.00".
std::string money_change(policy::Usd amount);

/// "$30.00/h", "$32.7726/h": all digits of the price, at least two.
std::string price(policy::UsdPerHour price);

/// "143h05m00s", "16m00s", "1.5s", "0s": exact to the nanosecond.
std::string duration(policy::Duration length);

/// In round units: "72 h", "30 min", "5h45m", "0"; like `duration` if seconds matter.
std::string short_duration(policy::Duration length);

/// "1,234,567".
std::string count(std::uint64_t number);

/// "48.5 %": 100 x part / whole with `decimals` digits, half to even; "–" if `whole` is 0.
std::string percent(models::Charge part, models::Charge whole, int decimals = 1);

/// "2026-05-22T22:00:00Z", with a fraction only if there is one; "–" for `never`.
std::string instant(policy::Instant at);

/// "17280.000000": always six digits.
void append_usd(std::string& out, policy::Usd amount);

/// "4682", "0.5", "4682.000000001": as many digits as necessary.
void append_seconds(std::string& out, policy::Duration length);

/// "2026-05-22T22:00:00Z"; nothing for `never`.
void append_instant(std::string& out, policy::Instant at);

/// 100 x part / whole with at most six digits, half to even; nothing if `whole` <= 0.  Exact up to
/// 10^30 instance-nanoseconds.
void append_percent(std::string& out, models::Charge part, models::Charge whole);

/// The shortest form that reads back as the same double; nothing for NaN and infinities.
void append_double(std::string& out, double number);

void append_integer(std::string& out, std::int64_t number);
void append_count(std::string& out, std::uint64_t number);

}  // namespace reeve::report
