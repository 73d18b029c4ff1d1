// Readers of recorded markets: how many instances could be had, and what one cost
// (docs/how-to/recorded-markets.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <vector>

#include "models/market_steps.hpp"
#include "scenarios/records/market_options.hpp"
#include "scenarios/records/trace.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::scenarios {

/// A recorded market.  Offers, prices or both, as models::Offer and models::PriceStep say; one of
/// them is never empty.
struct MarketTrace {
  std::vector<models::Offer> offers;
  std::vector<models::PriceStep> prices;
  policy::Duration length{};                    ///< what the trace covers, from 0
  policy::Duration tick{};                      ///< between samples; 0: changes, not samples
  std::uint64_t ticks = 0;                      ///< samples read
  std::optional<policy::Instant> begins;        ///< first time in the file; UTC where it names none
  std::optional<policy::UsdPerHour> on_demand;  ///< as the file states it
  std::vector<Diagnostic> warnings;             ///< each names what was assumed
};

/// Reads the whole trace, plain or gzip.  Throws InputError: E0001 ... E0136 and E0202 of files and
/// JSON, E0303 ... E0322 of CSV and numbers, E0330 time runs backwards, E0331 two values at one
/// instant, E0332 a wrong unit, E0333 and E0334 what 0 and 1 mean, E0336 an unknown series, E0337 a
/// price that is none, E0338 fewer prices than ticks, E0339 a node removed that was not there,
/// E0329 no price in a skynomad trace.
MarketTrace read_offers(const std::filesystem::path& path, const OfferOptions& options);
/// Reads from a stream, as if it were the file `name`.
MarketTrace read_offers(const std::string& name, std::unique_ptr<std::istream> input,
                        const OfferOptions& options);

/// Likewise for prices; also E0335, an answer of which pages are missing.
MarketTrace read_prices(const std::filesystem::path& path, const PriceOptions& options);
MarketTrace read_prices(const std::string& name, std::unique_ptr<std::istream> input,
                        const PriceOptions& options);

}  // namespace reeve::scenarios
