// A scenario that replays a joined history: as it was, and under one rule at a time.
#pragma once

#include <string>
#include <vector>

#include "scenarios/history/join.hpp"

namespace reeve::scenarios {

/// Where the dollars of a replay come from.
enum class HistoryPrices : std::uint8_t {
  bill,  ///< what the bill says that an hour cost; list prices where it has none
  list,  ///< list prices: of the bill, or of the built-in book
};

/// What an hour of one type costs in the replay, and who says so.
struct HistoryPrice {
  std::string instance_type;
  std::int64_t gpus = 0;
  policy::UsdPerHour on_demand;
  std::optional<policy::UsdPerHour> spot;
  double spot_share = 1;  ///< of the hours held on Spot, what the platform counts
  std::string source;     ///< "bill", "list", "none": a placeholder of 1 dollar
};

struct HistoryScenario {
  HistoryPrices prices = HistoryPrices::bill;
  std::string trace = "jobs.csv.gz";  ///< of the jobs, relative to the scenario
  std::string utilization = {};       ///< pattern of files, "util/{job}.csv"; empty: there is none
};

/// By instance type.
std::vector<HistoryPrice> prices_of(const JoinedHistory& joined, HistoryPrices prices);

/// The text of scenario.jsonc.
std::string scenario_text(const JoinedHistory& joined, const HistoryScenario& options);

}  // namespace reeve::scenarios
