#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "live/alarms/cloud_metrics.hpp"
#include "live/aws/timestamps.hpp"
#include "live/events/json_fields.hpp"
#include "live/history/account_history.hpp"
#include "live/history/history_pages.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Duration;
using policy::Instant;
using std::chrono::days;

constexpr days kept_by_trail{90};  // events of CloudTrail

/// A host and when it ran.
struct HostTime {
  std::string host;
  Instant from;
  Instant until;
};

/// How fine CloudWatch still has samples of that age: minutes for 15 days, 5 minutes for 63.  A day
/// less, since the export takes time.
Duration period_of(Duration age) {
  if (age < days{14}) return std::chrono::minutes{1};
  return age < days{62} ? Duration{std::chrono::minutes{5}} : Duration{std::chrono::hours{1}};
}

Instant whole_periods(Instant at, Duration period) {
  return Instant{at.time_since_epoch() / period * period};
}

/// "h12" is the thirteenth host; null: it is none.
const HostTime* host_of(const json& result, std::span<const HostTime> hosts) {
  const std::string id = text_of(result, "Id");
  std::size_t index = hosts.size();
  if (!id.starts_with('h')) return nullptr;
  const char* const end = id.data() + id.size();
  const auto read = std::from_chars(id.data() + 1, end, index);
  return read.ec == std::errc{} && read.ptr == end && index < hosts.size() ? &hosts[index]
                                                                           : nullptr;
}

/// Leaves the samples of the time that the job had its hosts: a call asks for several jobs.
void keep_own_time(json& result, const HostTime& host, Duration period) {
  const json times = std::exchange(result["Timestamps"], json::array());
  const json values = std::exchange(result["Values"], json::array());
  for (std::size_t i = 0; i < std::min(times.size(), values.size()); ++i) {
    const auto at = times[i].is_string() ? parse_iso_date(times[i].get_ref<const std::string&>())
                                         : std::nullopt;
    if (at && (*at + period <= host.from || *at >= host.until)) continue;
    result["Timestamps"].push_back(times[i]);
    result["Values"].push_back(values[i]);
  }
}

std::optional<FailedCall> read_hosts(const HistoryReading& reading, std::span<const HostTime> hosts,
                                     Duration period, Pace& pace) {
  std::vector<std::string> names;
  Instant from = hosts.front().from;
  Instant until = hosts.front().until;
  for (const HostTime& host : hosts) {
    names.push_back(host.host);
    from = std::min(from, host.from);
    until = std::max(until, host.until);
  }
  const Call asked = metric_data_call(names, whole_periods(from, period),
                                      std::chrono::ceil<std::chrono::seconds>(until), period);
  const Call call = history_call(asked.service, asked.operation, asked.parameters);
  return each_page(reading.client, call, "MetricDataResults", pace, [&](json& page) {
    json reply = metric_data_reply(std::move(page));
    json& results = reply["MetricDataResults"];
    for (json& result : results) {
      if (const HostTime* host = host_of(result, hosts)) keep_own_time(result, *host, period);
    }
    reading.take("utilization", reply, results.size());
  });
}

}  // namespace

std::optional<FailedCall> read_utilization(const HistoryReading& reading,
                                           const std::vector<KeptJob>& jobs) {
  std::map<Duration, std::vector<HostTime>> by_period;
  for (const KeptJob& job : jobs) {
    if (job.ended <= job.started) continue;
    const Instant day = std::chrono::floor<days>(job.started);
    std::vector<HostTime>& hosts = by_period[period_of(reading.now - day)];
    for (std::int64_t nth = 1; nth <= job.instances; ++nth) {
      hosts.push_back({job.name + "/algo-" + std::to_string(nth), job.started, job.ended});
    }
  }
  Pace pace{reading.clock, std::chrono::milliseconds{100}};
  for (const auto& [period, all] : by_period) {
    const std::span<const HostTime> hosts{all};
    for (std::size_t first = 0; first < hosts.size(); first += most_metric_hosts) {
      const auto some = hosts.subspan(first, std::min(most_metric_hosts, hosts.size() - first));
      if (auto failed = read_hosts(reading, some, period, pace)) return failed;
    }
  }
  return std::nullopt;
}

std::optional<FailedCall> read_trail(const HistoryReading& reading) {
  const Instant since = std::max(reading.since, reading.now - Duration{kept_by_trail});
  Pace pace{reading.clock, std::chrono::milliseconds{500}};
  for (const char* event : {"CreateTrainingJob", "StopTrainingJob", "BidEvictedEvent"}) {
    const json attribute{{"AttributeKey", "EventName"}, {"AttributeValue", event}};
    const Call call = history_call(
        services::cloudtrail, "LookupEvents",
        {{"LookupAttributes", json::array({attribute})},
         {"StartTime", std::chrono::duration<double>(since.time_since_epoch()).count()},
         {"MaxResults", 50}});
    auto failed = each_page(reading.client, call, "Events", pace, [&](const json& page) {
      reading.take("cloudtrail", page, page.at("Events").size());
    });
    if (failed) return failed;
  }
  return std::nullopt;
}

std::optional<FailedCall> read_spot_prices(const HistoryReading& reading,
                                           const std::set<std::string>& types) {
  Pace pace{reading.clock, std::chrono::milliseconds{100}};
  for (const std::string& type : types) {
    const Call call = history_call(services::ec2, "DescribeSpotPriceHistory",
                                   {{"StartTime", iso_date(reading.since)},
                                    {"InstanceType", json::array({type})},
                                    {"ProductDescription", json::array({"Linux/UNIX"})},
                                    {"MaxResults", 1000}});
    auto failed =
        each_page(reading.client, call, "spotPriceHistorySet", pace, [&](const json& page) {
          const json reply = spot_price_reply(page);
          reading.take("spot-prices", reply, reply["SpotPriceHistory"].size());
        });
    if (failed) return failed;
  }
  return std::nullopt;
}

}  // namespace reeve::live
