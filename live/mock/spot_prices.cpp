#include "live/mock/spot_prices.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "live/aws/timestamps.hpp"
#include "live/mock/parameters.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;
using std::chrono::days;

MockError wrong_value(std::string message) {
  return {"InvalidParameterValue", std::move(message)};
}

}  // namespace

MockAnswer spot_price_history(const json& asked, const std::string& region, Instant now) {
  const auto from = asked.contains("StartTime")
                        ? parse_iso_date(asked.at("StartTime").get<std::string>())
                        : std::optional{now};
  const std::int64_t most = count_in(asked, "MaxResults", 1000);
  const std::int64_t first = count_in(asked, "NextToken", 0);
  if (!from || most < 1 || most > 1000 || first < 0) return wrong_value("the request");
  json all = json::array();
  const json types = asked.value("InstanceType", json::array());
  std::int64_t nth = 0;
  bool has_more = false;
  for (const json& type : types) {
    const auto& name = type.get_ref<const std::string&>();
    if (name.starts_with("ml.") || name.find('.') == name.npos) {
      return wrong_value("Invalid instance type: " + name);
    }
    for (auto day = std::chrono::floor<days>(now); day >= std::chrono::floor<days>(*from);
         day -= days{1}) {
      for (const char zone : {'a', 'b'}) {
        const std::int64_t place = nth++;
        if (place < first) continue;
        has_more = place >= first + most;
        if (has_more) continue;
        all.push_back(
            {{"availabilityZone", region + zone},
             {"instanceType", name},
             {"productDescription", "Linux/UNIX"},
             {"spotPrice", fmt::format("{}.250000", 10 + day.time_since_epoch().count() % 3)},
             {"timestamp", iso_date(day)}});
      }
    }
  }
  return json{{"spotPriceHistorySet", std::move(all)},
              {"nextToken", has_more ? std::to_string(first + most) : ""}};
}

}  // namespace reeve::live
