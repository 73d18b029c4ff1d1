// What tests of recorded markets share.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/records/market_trace.hpp"

namespace reeve::scenarios {
namespace market_trace_test {

using models::Offer;
using models::PriceStep;
using Offers = std::vector<Offer>;
using Prices = std::vector<PriceStep>;
using Codes = std::vector<std::string>;
using namespace std::chrono_literals;
using policy::UsdPerHour;

inline std::unique_ptr<std::istream> stream(const std::string& text) {
  return std::make_unique<std::istringstream>(text);
}

inline MarketTrace offers(const std::string& text, const OfferOptions& options) {
  return read_offers("t", stream(text), options);
}

inline MarketTrace prices(const std::string& text, const PriceOptions& options) {
  return read_prices("t", stream(text), options);
}

inline OfferOptions as(OfferFormat format) {
  OfferOptions options;
  options.format = format;
  return options;
}

inline OfferOptions as(OfferFormat format, Convention convention) {
  OfferOptions options = as(format);
  options.convention = convention;
  return options;
}

inline PriceOptions as(PriceFormat format) {
  PriceOptions options;
  options.format = format;
  return options;
}

inline UsdPerHour usd(double dollars) {
  return {static_cast<std::int64_t>(dollars * 1e6 + 0.5) * 1000};
}

/// "E0330 3:1+3": code and place of the refusal.
inline std::string place(const Diagnostic& found) {
  return found.code + " " + std::to_string(found.position.line) + ":" +
         std::to_string(found.position.column) + "+" + std::to_string(found.position.length);
}

template <class Options>
inline Diagnostic refusal(const std::string& text, const Options& options) {
  try {
    if constexpr (std::is_same_v<Options, OfferOptions>) {
      offers(text, options);
    } else {
      prices(text, options);
    }
  } catch (const InputError& error) {
    return error.diagnostics().at(0);
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

template <class Options>
inline std::string refused(const std::string& text, const Options& options) {
  return place(refusal(text, options));
}

inline std::vector<std::string> told(const MarketTrace& trace) {
  std::vector<std::string> codes;
  for (const Diagnostic& warning : trace.warnings) {
    EXPECT_EQ(warning.severity, Severity::warning);
    EXPECT_FALSE(warning.message.empty());
    EXPECT_FALSE(warning.label.empty() && warning.help.empty()) << "no assumption is named";
    codes.push_back(warning.code);
  }
  return codes;
}

inline std::string ticks(const std::string& data, const std::string& more = {}) {
  return R"({"metadata": {"gap_seconds": 600}, "data": )" + data + more + "}";
}

inline PriceOptions of(const std::string& type, const std::string& zone) {
  PriceOptions options;
  options.type = type;
  options.zone = zone;
  return options;
}

inline std::string rows(const std::string& first, const std::string& second,
                        const std::string& third = {}) {
  std::string text = "instance_type,az,timestamp,product,spot_price_usd_h\n";
  for (const std::string& row : {first, second, third}) {
    if (!row.empty()) text += "g5.xlarge,a,2020-01-01T" + row + "\n";
  }
  return text;
}

}  // namespace market_trace_test
}  // namespace reeve::scenarios
