// How recorded markets are to be read: formats, and what a file leaves open
// (docs/how-to/recorded-markets.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <reeve/policy/units.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "scenarios/records/trace_limits.hpp"

namespace reeve::scenarios {

/// How a file tells what was on offer.
enum class OfferFormat : std::uint8_t {
  spot_traces,        ///< JSON {"metadata": {"gap_seconds"}, "data": [...], "prices": [...]}
  preempted_bits,     ///< JSON {NAME: {"gap_seconds", "preempted": "0110..."}}
  skynomad,           ///< as spot_traces, 1 = preempted, with metadata.price_info
  steps,              ///< CSV t_s,instances[,usd_per_hour]: changes
  date_availability,  ///< CSV date,availability (or date,preempted): samples
  node_log,           ///< CSV time_ms,add|remove,node
  count_log,          ///< CSV time_ms,count or date, time, count
};

/// Their names in scenarios and on the command line.
std::span<const std::pair<std::string_view, OfferFormat>> offer_formats();

/// How a file tells what an instance cost.
enum class PriceFormat : std::uint8_t {
  aws_spot_history,  ///< CSV instance_type,az,timestamp,product,spot_price_usd_h
  describe,          ///< JSON answer of DescribeSpotPriceHistory
  per_tick,          ///< JSON [price, ...], {NAME: [price, ...]} or {"prices": [...], ...}
};

/// What a 1 means where a file has 0 and 1 only.  Half of the published traces say the opposite of
/// the other half, so it is never guessed.
enum class Convention : std::uint8_t { up, preempted };
std::span<const std::pair<std::string_view, Convention>> conventions();

/// A price of longer ago says little of today: W0420, W0491.
inline constexpr std::chrono::days fresh_for{180};

/// What the times of a log are counted in.
enum class StampUnit : std::uint8_t { milliseconds, seconds, hours };

/// When sample n was taken: n usual steps after the first (what the published simulators do), or at
/// the time written beside it.
enum class SampleTimes : std::uint8_t { counted, written };

/// What is known about the time a trace covers.
struct TraceSpan {
  std::optional<policy::Duration> tick;           ///< where the file does not say it (E0202)
  std::optional<policy::Instant> start;           ///< of the clock; default: the trace's first time
  std::optional<policy::Duration> clock;          ///< what will be simulated: W0321 if more
  std::optional<policy::Instant> clock_start;     ///< where the trace has dates: W0323, W0491
  std::optional<policy::Duration> stated_length;  ///< what its authors say: W0322 if it is not so
};

struct OfferOptions {
  OfferFormat format = OfferFormat::spot_traces;
  bool assumed = false;                  ///< the format was not stated: E0101 says so
  std::optional<Convention> convention;  ///< E0333 where the file needs it or contradicts it
  std::string series;                    ///< which of several in one file; empty: the only one
  std::uint32_t instances = 1;           ///< how many one counted in the file stands for; > 0
  SampleTimes sample_times = SampleTimes::counted;
  std::optional<StampUnit> unit;  ///< of logs without a header; default milliseconds
  bool later_rows_win = false;    ///< in count logs that run backwards, which are E0330 otherwise
  std::optional<policy::UsdPerHour> on_demand;  ///< a price above 20 times it is E0332: cents?
  TraceSpan span;
  TraceLimits limits;
};

struct PriceOptions {
  PriceFormat format = PriceFormat::aws_spot_history;
  std::string type;                             ///< of instance; empty: the only one
  std::string other_type;                       ///< if no row is of `type`; empty: none
  std::string zone;                             ///< empty: the only one
  std::string product = "Linux/UNIX";           ///< of price histories
  std::string series;                           ///< of per_tick; empty: the only one
  std::optional<policy::UsdPerHour> on_demand;  ///< a price above 20 times it is E0332: cents?
  std::optional<std::uint64_t> ticks;           ///< needed of per_tick; fewer prices are E0338
  TraceSpan span;
  TraceLimits limits;
};

}  // namespace reeve::scenarios
