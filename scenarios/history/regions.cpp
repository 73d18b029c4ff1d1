#include "scenarios/history/regions.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "scenarios/history/merged_jobs.hpp"
#include "scenarios/text/aws_names.hpp"

namespace reeve::scenarios {
namespace {

constexpr double least_difference = 0.01;  ///< of prices that are one

struct Paid {
  double hours = 0;
  NanoUsd cost;
  double per_hour() const { return static_cast<double>(cost.nanos) / hours; }
};
using PaidByRegion = std::map<std::string, Paid>;
using TypeAndMarket = std::pair<std::string, std::optional<policy::Market>>;

/// What the bill has for the jobs.
struct BilledRegions {
  std::map<TypeAndMarket, PaidByRegion> paid;
  std::map<std::size_t, std::string> of_job;  ///< by its place
};

BilledRegions read_regions(const JoinedHistory& joined, const Bill& bill) {
  BilledRegions found;
  BilledJobs{joined.jobs, bill}.for_each_instance_use(
      bill, [&](const BilledUse& use, std::size_t place, const ImportedJob& record) {
        if (use.region.empty() || use.instance_hours <= 0 || !record.billed_usd) return;
        if (!use.instance_type.empty() && use.instance_type != record.instance_type) return;
        Paid& paid = found.paid[{record.instance_type, record.market}][use.region];
        paid.hours += use.instance_hours;
        paid.cost += use.cost;
        found.of_job.try_emplace(place, use.region);
      });
  return found;
}

bool differ(const PaidByRegion& regions) {
  const auto by_price = [](const auto& a, const auto& b) {
    return a.second.per_hour() < b.second.per_hour();
  };
  const auto [least, most] = std::minmax_element(regions.begin(), regions.end(), by_price);
  const double low = least->second.per_hour(), high = most->second.per_hour();
  return high - low > least_difference * std::max(low, 0.0);
}

/// Types that cost more in one region than in another.
std::set<std::string> split_types(const BilledRegions& billed) {
  std::set<std::string> types;
  for (const auto& [key, regions] : billed.paid) {
    if (differ(regions)) types.insert(key.first);
  }
  return types;
}

}  // namespace

void split_regions(JoinedHistory& joined, const Bill& bill) {
  if (bill.uses.empty() || !joined.by_nodes) return;
  const BilledRegions billed = read_regions(joined, bill);
  const auto split = split_types(billed);
  if (split.empty()) return;
  std::size_t place = 0;
  joined.jobs.rewrite([&](HistoryJob& job) {
    const auto of_bill = billed.of_job.find(place++);
    if (!split.contains(job.record.instance_type)) return JobPass::left_as_is;
    std::string region;
    if (of_bill != billed.of_job.end()) {
      region = of_bill->second;
    } else if (is_arn(job.resource)) {
      region = region_of_arn(job.resource);
    }
    if (region.empty()) return JobPass::left_as_is;
    job.record.instance_type += '@' + region;
    return JobPass::changed;
  });
}

std::string_view type_of_aws(std::string_view type) {
  return type.substr(0, type.find('@'));
}

std::string_view region_of_type(std::string_view type) {
  const std::size_t at = type.find('@');
  return at == type.npos ? std::string_view{} : type.substr(at + 1);
}

}  // namespace reeve::scenarios
