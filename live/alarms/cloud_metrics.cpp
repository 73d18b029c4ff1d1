#include "live/alarms/cloud_metrics.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "live/aws/pages.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Instant;

/// The samples of a host by minute: a page may repeat or interleave them.
using Samples = std::map<Instant, double>;

const json* list_in(const json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? &*found : nullptr;
}

std::optional<double> number_in(const json& text) {
  if (text.is_number()) return text.get<double>();
  if (!text.is_string()) return std::nullopt;
  const auto& written = text.get_ref<const std::string&>();
  double value = 0;
  const char* const end = written.data() + written.size();
  const auto read = std::from_chars(written.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

/// "h12" is the thirteenth host.
std::optional<std::size_t> index_of(const json& result, std::size_t hosts) {
  const std::string id = result.is_object() ? result.value("Id", std::string{}) : std::string{};
  std::size_t index = hosts;
  if (!id.starts_with('h')) return std::nullopt;
  const char* const end = id.data() + id.size();
  const auto read = std::from_chars(id.data() + 1, end, index);
  if (read.ec != std::errc{} || read.ptr != end || index >= hosts) return std::nullopt;
  return index;
}

/// False if a timestamp or a value cannot be read.
bool add_samples(const json& result, Samples& samples) {
  const json* times = list_in(result, "Timestamps");
  const json* values = list_in(result, "Values");
  if (times == nullptr && values == nullptr) return true;  // a host without samples
  if (times == nullptr || values == nullptr || times->size() != values->size()) return false;
  for (std::size_t at = 0; at < times->size(); ++at) {
    const json& time = times->at(at);
    const auto minute =
        time.is_string() ? parse_iso_date(time.get_ref<const std::string&>()) : std::nullopt;
    const auto value = number_in(values->at(at));
    if (!minute || !value) return false;
    samples[*minute] = *value;
  }
  return true;
}

bool add_page(const json& page, std::vector<Samples>& samples) {
  const json* results = list_in(page, "MetricDataResults");
  if (results == nullptr) return false;
  return std::all_of(results->begin(), results->end(), [&](const json& result) {
    const auto index = index_of(result, samples.size());
    const std::string status = result.is_object() ? result.value("StatusCode", "") : "";
    const bool is_complete = status == "Complete" || status == "PartialData";
    return is_complete && index && add_samples(result, samples[*index]);
  });
}

}  // namespace

Call metric_data_call(std::span<const std::string> hosts, Instant from, Instant until,
                      policy::Duration period) {
  json queries = json::array();
  for (const std::string& host : hosts) {
    const json metric{{"Namespace", "/aws/sagemaker/TrainingJobs"},
                      {"MetricName", "GPUUtilization"},
                      {"Dimensions", {{{"Name", "Host"}, {"Value", host}}}}};
    queries.push_back(
        {{"Id", 'h' + std::to_string(queries.size())},
         {"Label", host},
         {"MetricStat",
          {{"Metric", metric},
           {"Period", std::chrono::duration_cast<std::chrono::seconds>(period).count()},
           {"Stat", "Average"}}}});
  }
  return {services::cloudwatch,
          "GetMetricData",
          {{"StartTime", iso_date(from)},
           {"EndTime", iso_date(until)},
           {"ScanBy", "TimestampAscending"},
           {"MetricDataQueries", std::move(queries)}}};
}

MetricSource::Read CloudMetrics::gpu_utilization(std::span<const std::string> hosts, Instant from,
                                                 Instant until) {
  std::vector<models::MetricSeries> found;
  for (std::size_t first = 0; first < hosts.size(); first += most_metric_hosts) {
    const auto some = hosts.subspan(first, std::min(most_metric_hosts, hosts.size() - first));
    if (auto failed = read_some(some, from, until, found)) return *std::move(failed);
  }
  return found;
}

std::optional<FailedCall> CloudMetrics::read_some(std::span<const std::string> hosts, Instant from,
                                                  Instant until,
                                                  std::vector<models::MetricSeries>& found) {
  std::vector<Samples> samples(hosts.size());
  bool is_readable = true;
  auto error = read_pages(client_, metric_data_call(hosts, from, until),
                          [&](const json& page) { return is_readable = add_page(page, samples); });
  const std::string action = "cloudwatch:GetMetricData";
  if (error) return FailedCall{action, *std::move(error)};
  if (!is_readable) {  // without samples an alarm could fire or recover
    return unreadable_reply(action, "a result has no readable samples");
  }
  for (const Samples& of_host : samples) {
    SampledSeries series;
    for (const auto& [minute, value] : of_host) series.add(minute, value);
    found.push_back(std::move(series).take());
  }
  return std::nullopt;
}

}  // namespace reeve::live
