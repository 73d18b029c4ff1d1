// What the readers of market traces share: cells with their place, counts, prices, times, steps.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/records/market_trace.hpp"
#include "scenarios/text/csv.hpp"
#include "scenarios/text/decimal.hpp"
#include "scenarios/text/json.hpp"

namespace reeve::scenarios {

/// One value as it was written, and where.
class Cell {
 public:
  std::string_view text() const { return text_; }
  std::string_view name() const { return name_; }  ///< of what it holds: "usd_per_hour"
  virtual Diagnostic at(std::string_view code, std::string message,
                        std::string label = {}) const = 0;

 protected:
  Cell(std::string_view text, std::string_view name) : text_{text}, name_{name} {}
  ~Cell() = default;

 private:
  std::string_view text_;
  std::string_view name_;
};

/// A field of the record at hand.
class CsvCell final : public Cell {
 public:
  CsvCell(const CsvReader& csv, std::size_t field, std::string_view name)
      : Cell{trimmed(csv.fields()[field]), name}, csv_{csv}, field_{field} {}
  Diagnostic at(std::string_view code, std::string message, std::string label) const override;

 private:
  const CsvReader& csv_;
  std::size_t field_;
};

/// A value of a document; a text gives what stands between its quotes.
class JsonCell final : public Cell {
 public:
  JsonCell(Node node, std::string_view name)
      : Cell{node.is_text() ? node.as_text() : node.raw(), name}, node_{node} {}
  Diagnostic at(std::string_view code, std::string message, std::string label) const override;

 private:
  Node node_;
};

/// A finding about the file as a whole.
Diagnostic about_trace(std::string_view name, std::string_view code, std::string message,
                       std::string help = {}, Severity severity = Severity::error);
Diagnostic as_warning(Diagnostic diagnostic);

inline constexpr policy::Duration longest_trace = std::chrono::hours{24 * 36525};  // 100 years
inline constexpr policy::Duration longest_tick = std::chrono::hours{24};

/// A time since the trace's zero, rounded to the nanosecond.  E0313, E0314, E0332 beyond 100 years.
policy::Duration read_time(const Cell& cell, StampUnit unit);

/// The distance of samples.  Above 0; E0332 beyond a day.
policy::Duration read_tick(const Cell& cell);

/// "2023-02-15 22:08:16", also with T, fractions and an offset from UTC; without one as if in UTC.
/// E0137, E0332 outside of 1970 to 2099; at `cell`.
policy::Instant read_stamp(std::string_view written, const Cell& cell);

/// Reads counts of instances under one convention.
class CountReader {
 public:
  CountReader(std::optional<Convention> convention, std::uint32_t instances)
      : convention_{convention}, instances_{instances} {}

  /// Instances on offer by this cell: E0313 ... E0316, E0334.
  std::uint32_t read(const Cell& cell);
  /// The same of a number already read.
  std::uint32_t read(std::int64_t count, const Cell& cell);

  /// E0333 if only 0 and 1 were read and the options do not state what they mean.
  void check(const Diagnostic& where) const;
  bool ambiguous() const { return !convention_ && largest_ <= 1; }

 private:
  std::optional<Convention> convention_;
  std::uint32_t instances_;
  std::int64_t largest_ = 0;
};

/// A count of anything: E0313 ... E0316.
std::int64_t read_count(const Cell& cell);

/// Reads prices per hour, rounded to the nano-dollar (averages have more digits).
class PriceReader {
 public:
  explicit PriceReader(std::optional<policy::UsdPerHour> on_demand) : on_demand_{on_demand} {}
  /// E0313, E0315, E0332 above $10,000 or 20 times on-demand, E0337 not above 0.
  policy::UsdPerHour read(const Cell& cell) const;

 private:
  std::optional<policy::UsdPerHour> on_demand_;
};

/// Dates of one file that say how far they are from UTC, and dates that do not: W0485.
class Offsets {
 public:
  void note(const Cell& stamp);
  void tell(MarketTrace& trace) const;

 private:
  std::optional<bool> first_;  ///< whether it says so
  std::optional<Diagnostic> mixed_;
};

/// Throws E0333 if the file itself says `means` and `stated` says the opposite.
void check_convention(std::optional<Convention> stated, Convention means, const Diagnostic& where);

// Steps.  Times never go back; a second value at the time of the last step replaces it.

void put(std::vector<models::Offer>& steps, policy::Duration at, std::uint32_t instances);
void put(std::vector<models::PriceStep>& steps, policy::Duration at, policy::UsdPerHour price);

/// The middle of the distances, of an even number the lower; they are reordered.
policy::Duration median(std::vector<policy::Duration>& distances);

/// The rest of the reading: the clock's start, W0312, W0321, W0322.
void finish(std::string_view name, const TraceSpan& span, MarketTrace& trace);

/// The whole text as a document.
Document read_document(std::string name, std::unique_ptr<std::istream> input,
                       const TraceLimits& limits);

// By format.  They leave `finish` to their caller.

MarketTrace read_tick_offers(const Document& document, const OfferOptions& options);
MarketTrace read_preempted_bits(const Document& document, const OfferOptions& options);
MarketTrace read_tick_prices(const Document& document, const PriceOptions& options);
MarketTrace read_step_offers(CsvReader& csv, const OfferOptions& options);
MarketTrace read_sampled_offers(CsvReader& csv, const OfferOptions& options);
MarketTrace read_node_log(CsvReader& csv, const OfferOptions& options);
MarketTrace read_count_log(CsvReader& csv, const OfferOptions& options);
MarketTrace read_price_table(CsvReader& csv, const PriceOptions& options);
MarketTrace read_price_answer(const Document& document, const PriceOptions& options);

}  // namespace reeve::scenarios
