// Fuzz: any bytes are either a readable market trace, whose steps keep their promise, or an
// InputError.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "scenarios/records/market_trace.hpp"

namespace {

using namespace std::chrono_literals;
using namespace reeve::scenarios;

void require(bool truth) {
  if (!truth) std::abort();
}

void check(const MarketTrace& trace) {
  require(trace.length >= 0s && trace.tick >= 0s);
  require(!trace.offers.empty() || !trace.prices.empty());
  for (std::size_t i = 0; i < trace.offers.size(); ++i) {
    require(i == 0 ? trace.offers[i].at == 0s : trace.offers[i].at > trace.offers[i - 1].at);
    require(i == 0 || trace.offers[i].instances != trace.offers[i - 1].instances);
  }
  for (std::size_t i = 0; i < trace.prices.size(); ++i) {
    require(i == 0 ? trace.prices[i].at == 0s : trace.prices[i].at > trace.prices[i - 1].at);
    require(trace.prices[i].price.nanos > 0);
    require(i == 0 || trace.prices[i].price != trace.prices[i - 1].price);
  }
  for (const Diagnostic& warning : trace.warnings) {
    require(warning.severity == Severity::warning && !warning.message.empty());
    diagnostic_json(warning).dump();
  }
}

// Half of the inputs get a header, so that mutation reaches the rows at once.
constexpr const char* headers[] = {"",
                                   "",
                                   "",
                                   "t_s,instances,usd_per_hour\n",
                                   "date,availability\n",
                                   "time_s,event,node\n",
                                   "time_ms,n\n",
                                   "instance_type,az,timestamp,product,spot_price_usd_h\n"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint8_t which = data[0] % 10;
  const std::uint8_t how = data[1];
  std::string text{reinterpret_cast<const char*>(data + 2), size - 2};
  if (how % 2 == 0 && which < 8) text = headers[which] + text;
  TraceSpan span;
  if (how % 16 >= 8) span.start = std::chrono::sys_days{std::chrono::year{2023} / 2 / 15};
  if (how % 32 >= 16) span.clock = 240h;
  const TraceLimits limits{std::uint64_t{1} << 22, std::size_t{1} << 12};
  try {
    if (which < 7) {
      OfferOptions options;
      options.format = static_cast<OfferFormat>(which);
      if (how % 4 >= 2) options.convention = how % 8 >= 4 ? Convention::up : Convention::preempted;
      options.sample_times = how % 64 >= 32 ? SampleTimes::written : SampleTimes::counted;
      options.later_rows_win = how >= 128;
      options.instances = how % 128 >= 64 ? 70'000 : 1;
      options.span = span;
      options.limits = limits;
      check(read_offers("fuzz", std::make_unique<std::istringstream>(text), options));
    } else {
      PriceOptions options;
      options.format = static_cast<PriceFormat>(which - 7);
      if (how % 4 >= 2) options.span.tick = 195s;
      options.span.start = span.start;
      options.limits = limits;
      check(read_prices("fuzz", std::make_unique<std::istringstream>(text), options));
    }
  } catch (const InputError& error) {
    for (const auto& diagnostic : error.diagnostics()) {
      require(render(diagnostic).size() <= 5000);
      diagnostic_json(diagnostic).dump();
    }
  }
  return 0;
}
