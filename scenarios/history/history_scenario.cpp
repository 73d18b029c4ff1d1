#include "scenarios/history/history_scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "scenarios/history/regions.hpp"
#include "scenarios/records/price_book.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::UsdPerHour;

constexpr std::int64_t placeholder_nanos = 1'000'000'000;  ///< 1 dollar per hour
constexpr std::int64_t least_nanos = 1;                    ///< prices of a scenario are above 0

std::string in_json(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string in_dollars(UsdPerHour price) {
  std::string text =
      fmt::format("{}.{:09}", price.nanos / 1'000'000'000, price.nanos % 1'000'000'000);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text += "00";
  return text;
}

/// Nothing without hours.  What costs nothing has the least price.
std::optional<UsdPerHour> per_hour(NanoUsd money, double hours) {
  if (hours <= 0) return {};
  const double nanos = static_cast<double>(money.nanos) / hours;
  return UsdPerHour{std::max(least_nanos, std::int64_t{std::llround(nanos)})};
}

/// Not if rows of the bill lack it: nothing costs more than its list price.
bool has_list(const HeldMachines& held) {
  return held.list.nanos > 0 && held.list.nanos >= held.cost.nanos;
}

/// The newest list price of the built-in books.
std::optional<UsdPerHour> listed(std::string_view type) {
  std::optional<UsdPerHour> price;
  for (const PriceBookText& text : price_book_texts()) {
    const auto book = built_in_price_book(text.name);
    const bool managed = is_managed_name(type);
    const PriceKey key{managed ? PriceService::sagemaker : PriceService::ec2,
                       PriceMarket::on_demand, std::string{type}};
    for (const PriceRow* row : book->in_force({})) {
      if (row->key == key) price = row->price;
    }
  }
  return price;
}

std::string_view market_name(policy::Market market) {
  return policy::market_names[static_cast<std::size_t>(market)];
}

std::string fleet_name(const HeldMachines& held) {
  return fmt::format("{}-{}", held.instance_type, market_name(held.market));
}

/// The 95th percentile, which most jobs keep; of at least one value.
template <class Value>
Value usual(std::vector<Value> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() * 95 + 99) / 100 - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Of what jobs ran, up to whole hours.
Duration usual_limit(const JoinedHistory& joined) {
  std::vector<Duration> ran;
  for (const HistoryJob& job : joined.jobs) {
    if (job.record.duration && *job.record.duration > Duration{0}) {
      ran.push_back(*job.record.duration);
    }
  }
  constexpr Duration hour = std::chrono::hours{1};
  if (ran.empty()) return 24 * hour;
  const Duration limit = usual(std::move(ran));
  return hour * std::max<std::int64_t>(1, (limit + hour - Duration{1}) / hour);
}

/// Instances that most jobs do not exceed; nothing if no job exceeds them.
std::optional<std::int64_t> usual_instances(const JoinedHistory& joined) {
  std::vector<std::int64_t> sizes;
  std::int64_t most = 0;
  for (const HistoryJob& job : joined.jobs) {
    const auto size = joined.by_nodes ? job.record.nodes : job.record.gpus_total;
    if (size.value_or(0) <= 0) continue;
    sizes.push_back(*size);
    most = std::max(most, *size);
  }
  if (sizes.empty()) return {};
  const std::int64_t limit = usual(std::move(sizes));
  return limit < most ? std::optional{limit} : std::nullopt;
}

/// Tags that at least half of the jobs have.
std::vector<std::string> usual_tags(const JoinedHistory& joined) {
  std::map<std::string, std::size_t> counts;
  for (const HistoryJob& job : joined.jobs) {
    for (const auto& [key, value] : job.record.tags) ++counts[key];
  }
  std::vector<std::string> usual;
  for (const auto& [key, count] : counts) {
    if (2 * count >= joined.jobs.size()) usual.push_back(in_json(key));
  }
  return usual;
}

bool is_managed(const JoinedHistory& joined) {
  return std::all_of(joined.machines.begin(), joined.machines.end(),
                     [](const HeldMachines& held) { return is_managed_name(held.instance_type); });
}

std::string policies_text(const JoinedHistory& joined, const HistoryScenario& options) {
  std::vector<std::pair<std::string, std::string>> rules;
  rules.emplace_back("as-it-was", "");
  if (!options.utilization.empty()) {
    rules.emplace_back("stalled-gpu", R"({ "rule": "stalled_gpu" })");
    rules.emplace_back("min-gpu", R"({ "rule": "min_gpu", "stop_after": "1h" })");
  }
  const Duration limit = usual_limit(joined);
  rules.emplace_back("max-runtime", fmt::format(R"({{ "rule": "max_runtime", "limit": "{}", )"
                                                R"("enforce_by": "clock" }})",
                                                show(limit)));
  rules.emplace_back("uptime-cap",
                     fmt::format(R"({{ "rule": "uptime_cap", "limit": "{}"{} }})", show(limit),
                                 is_managed(joined) ? "" : R"(, "ahead": "0s")"));
  if (const auto instances = usual_instances(joined)) {
    rules.emplace_back("max-instances",
                       fmt::format(R"({{ "rule": "max_instances", "limit": {} }})", *instances));
  }
  rules.emplace_back("startup-limit", R"({ "rule": "startup_limit", "limit": "1h" })");
  rules.emplace_back("office-hours", R"({ "rule": "office_hours" })");
  if (const auto tags = usual_tags(joined); !tags.empty()) {
    rules.emplace_back(
        "required-tags",
        fmt::format(R"({{ "rule": "required_tags", "keys": [{}] }})", fmt::join(tags, ", ")));
  }
  std::string text;
  for (const auto& [name, rule] : rules) {
    if (!text.empty()) text += ",\n";
    text += fmt::format("    {}: [{}]", in_json(name), rule.empty() ? "" : " " + rule + " ");
  }
  return text;
}

std::string prices_text(const std::vector<HistoryPrice>& prices) {
  std::string text, remark;
  for (const HistoryPrice& price : prices) {
    if (!text.empty()) text += fmt::format(",{}\n", remark);
    text += fmt::format("      {}: {{ \"usd_per_hour\": {}", in_json(price.instance_type),
                        in_dollars(price.on_demand));
    if (price.spot) text += fmt::format(", \"spot_usd_per_hour\": {}", in_dollars(*price.spot));
    text += fmt::format(", \"gpus\": {}", price.gpus);
    if (!is_managed_name(price.instance_type)) text += ", \"managed\": false";
    text += " }";
    const bool is_free = price.source == "bill" && price.on_demand.nanos == least_nanos;
    remark = price.source == "none" ? "  // no price is known: dollars are instance-hours"
             : is_free              ? "  // the bill has them at $0; see --prices list"
                                    : "";
  }
  return text + remark;
}

/// Of an hour as the replay bills it.  Spot without one has its own price.
std::optional<UsdPerHour> list_price(const HeldMachines& held,
                                     const std::vector<HistoryPrice>& prices) {
  const bool is_spot = held.market == policy::Market::spot;
  const double hours = is_spot ? held.matched_hours : held.billed_hours;
  const auto billed = has_list(held) ? per_hour(held.list, hours) : std::nullopt;
  if (billed) return billed;
  if (!is_spot) return listed(type_of_aws(held.instance_type));
  for (const HistoryPrice& price : prices) {
    if (price.instance_type == held.instance_type && price.source != "none") return price.spot;
  }
  return {};
}

std::string fleets_text(const JoinedHistory& joined, HistoryPrices prices) {
  const auto all_prices = prices_of(joined, prices);
  std::string text;
  for (const HeldMachines& held : joined.machines) {
    if (!text.empty()) text += ",\n";
    text +=
        fmt::format("    {{ \"name\": {}, \"instance_type\": {}, \"market\": {}, \"capacity\": {}",
                    in_json(fleet_name(held)), in_json(held.instance_type),
                    in_json(market_name(held.market)), held.most);
    if (const auto list = list_price(held, all_prices)) {
      text += fmt::format(", \"list_usd_per_hour\": {}", in_dollars(*list));
    }
    if (held.committed.nanos > 0 && prices == HistoryPrices::bill) {
      const double share = static_cast<double>(held.committed.nanos) /
                           static_cast<double>(std::max(held.cost.nanos, held.committed.nanos));
      text += fmt::format(", \"committed_pct\": {:.2f}", 100 * share);
    }
    text += " }";
  }
  return text;
}

/// The observed times have start-up, grace periods and limits in them, and the dollars what is
/// billed at least.  Alarms need a platform with metrics.
std::string platform_text(const JoinedHistory& joined, const HistoryScenario& options) {
  const auto& machines = joined.machines;
  if (is_managed(joined)) {
    return R"("model": "sagemaker-training", "stop_grace": "0s", "default_max_runtime": "28d")";
  }
  if (options.utilization.empty()) return R"("model": "ideal")";
  const bool has_spot = std::any_of(machines.begin(), machines.end(), [](const auto& held) {
    return held.market == policy::Market::spot;
  });
  return fmt::format(R"("model": "ec2", "provisioning": "0s", "billing": {{ "minimum": "0s"{})",
                     has_spot ? R"(, "first_hour_free": false }, "notice": "0s", )"
                                R"("spot_request": "persistent")"
                              : " }");
}

/// Enough of them to draw weeks anew.
bool has_weeks(const JoinedHistory& joined) {
  policy::Instant last = joined.zero;
  for (const HistoryJob& job : joined.jobs) {
    const EndStatus end = job.record.end_status;
    if (end != EndStatus::pending && end != EndStatus::never_started) last = job.submitted;
  }
  return last - joined.zero >= std::chrono::hours{24 * 14};
}

/// In percent with two decimals, of which 100 is exact.
std::string percent_text(double percent) {
  return fmt::format("{:.2f}", std::floor(100 * percent) / 100);
}

/// How far to trust dollars.
std::string facts_text(const JoinedHistory& joined, HistoryPrices prices) {
  auto matched = joined.reconciliation.matched_percent();
  if (!matched && joined.reconciliation.billed_jobs > 0) matched = 100;  // a bill of $0
  if (!matched) return {};
  double hours = 0, billed = 0;
  for (const HeldMachines& held : joined.machines) {
    hours += held.instance_hours;
    billed += held.matched_hours;
  }
  const double covered = hours > 0 ? 100 * billed / hours : 100;
  return fmt::format(" \"bill_matched_pct\": {}, \"bill_covers_pct\": {}{} ",
                     percent_text(*matched), percent_text(covered),
                     prices == HistoryPrices::list ? ", \"prices\": \"list\"" : "");
}

std::string source_text(const JoinedHistory& joined) {
  std::set<std::string> sources;
  for (const HistoryJob& job : joined.jobs) sources.insert(job.source);
  std::string text = fmt::format("imported from {}", fmt::join(sources, ", "));
  if (const auto matched = joined.reconciliation.matched_percent()) {
    text += fmt::format("; {:.1f} % of the bill matches jobs", *matched);
  } else {
    text += joined.reconciliation.billed_jobs > 0 ? "; a bill of $0" : "; no bill";
  }
  return text;
}

/// What an hour of instances costs on a bill.
struct BilledPrice {
  std::optional<UsdPerHour> cost, list;
};

/// A bill counts less hours of Spot than were held; the replay bills those that were held.
BilledPrice billed_price(const HeldMachines& held) {
  const bool is_spot = held.market == policy::Market::spot;
  const double hours = is_spot ? held.matched_hours : held.billed_hours;
  const double costed = is_spot ? hours : hours - held.credited_hours;
  return {held.cost.nanos >= 0 ? per_hour(held.cost, costed) : std::nullopt,
          has_list(held) ? per_hour(held.list, hours) : std::nullopt};
}

using HeldType = std::pair<std::string_view, policy::Market>;

HeldType type_and_market(const HeldMachines& held) {
  return {type_of_aws(held.instance_type), held.market};
}

/// The bill of all regions, for those that are not on it.
std::map<HeldType, HeldMachines> by_type_of_aws(const std::vector<HeldMachines>& machines) {
  std::map<HeldType, HeldMachines> sums;
  for (const HeldMachines& held : machines) {
    HeldMachines& sum = sums[type_and_market(held)];
    sum.market = held.market;
    sum.matched_hours += held.matched_hours;
    sum.billed_hours += held.billed_hours;
    sum.credited_hours += held.credited_hours;
    sum.cost += held.cost;
    sum.list += held.list;
  }
  return sums;
}

}  // namespace

std::vector<HistoryPrice> prices_of(const JoinedHistory& joined, HistoryPrices prices) {
  const auto all_regions = by_type_of_aws(joined.machines);
  std::map<std::string, HistoryPrice> by_type;
  for (const HeldMachines& held : joined.machines) {
    HistoryPrice& price = by_type[held.instance_type];
    price.instance_type = held.instance_type;
    price.gpus = held.gpus;
    BilledPrice billed = billed_price(held);
    if (!billed.cost && !billed.list) billed = billed_price(all_regions.at(type_and_market(held)));
    const auto paid = prices == HistoryPrices::bill && billed.cost ? billed.cost : billed.list;
    if (held.market == policy::Market::spot) {
      price.spot = paid ? paid : billed.cost;
      price.spot_share = held.billable_hours / std::max(held.instance_hours, 1e-9);
    } else if (paid) {
      price.on_demand = *paid;
      price.source = "bill";
    }
  }
  std::vector<HistoryPrice> all;
  for (auto& entry : by_type) {
    HistoryPrice& price = entry.second;
    if (price.on_demand.nanos == 0) {
      const auto known = listed(type_of_aws(price.instance_type));
      price.on_demand = known.value_or(UsdPerHour{placeholder_nanos});
      price.source = known ? "list" : "none";
    }
    const bool has_spot =
        std::any_of(joined.machines.begin(), joined.machines.end(), [&](const HeldMachines& held) {
          return held.instance_type == price.instance_type && held.market == policy::Market::spot;
        });
    if (has_spot && !price.spot) {
      const double share = std::clamp(price.spot_share, 0.001, 1.0);
      const double nanos = static_cast<double>(price.on_demand.nanos) * share;
      price.spot = UsdPerHour{std::max<std::int64_t>(1, std::llround(nanos))};
    }
    all.push_back(std::move(price));
  }
  return all;
}

std::string scenario_text(const JoinedHistory& joined, const HistoryScenario& options) {
  std::string text = "{\n  \"reeve\": 1,\n  \"name\": \"history\",\n";
  text += fmt::format("  \"title\": {},\n",
                      in_json(fmt::format("{}, replayed", counted(joined.jobs.size(), "job"))));
  text += fmt::format("  \"source\": {},\n", in_json(source_text(joined)));
  text += fmt::format("  \"clock\": {{ \"start\": {} }},\n", in_json(show(joined.zero)));
  if (has_weeks(joined)) {
    text +=
        "  // without a forecast the first run is the history; others draw users' weeks anew\n"
        "  \"random\": { \"runs\": 20 },\n";
  }
  text += fmt::format("  \"prices\": {{\n    \"instances\": {{\n{}\n    }}\n  }},\n",
                      prices_text(prices_of(joined, options.prices)));
  text += "  // capacity: the most instances that were held at once, an assumption\n";
  text += fmt::format("  \"fleet\": [\n{}\n  ],\n", fleets_text(joined, options.prices));
  text += fmt::format("  \"platform\": {{ {} }},\n", platform_text(joined, options));
  text += fmt::format("  \"workload\": {{ \"trace\": {}, \"instances_from\": \"{}\"",
                      in_json(options.trace), joined.by_nodes ? "nodes" : "gpus_total");
  if (joined.machines.size() > 1) {  // rows choose theirs by type and market
    text += fmt::format(", \"fleet\": {}", in_json(fleet_name(joined.machines.front())));
  }
  if (has_weeks(joined)) text += ",\n                \"resample\": \"user_weeks\"";
  if (!options.utilization.empty()) {
    text += fmt::format(
        ",\n                \"gpu_util\": {{ \"trace\": {}, \"no_file\": \"missing\", "
        "\"beyond_end\": \"missing\" }}",
        in_json(options.utilization));
  }
  text += fmt::format(" }},\n  \"history\": {{{}}},\n  \"policies\": {{\n{}\n  }}\n}}\n",
                      facts_text(joined, options.prices), policies_text(joined, options));
  return text;
}

}  // namespace reeve::scenarios
