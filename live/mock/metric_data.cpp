#include "live/mock/metric_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "live/aws/timestamps.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;
using policy::Duration;
using policy::Instant;
using std::chrono::minutes;

constexpr std::size_t most_queries = 500;
constexpr std::int64_t most_datapoints = 100'800;

struct Datapoint {
  Instant from;
  double value = 0;
};

struct Window {
  Instant from;
  Instant until;
};

struct Query {
  std::string id;
  std::string host;  ///< empty: of another metric
  Duration period{0};
  std::string statistic;
  std::string label;
};

MockError validation_error(std::string message) {
  return {"ValidationError", std::move(message)};
}

/// Of JSON in seconds since 1970, of a form as text.
std::optional<Instant> time_in(const json& object, const char* key) {
  const json& written = object.at(key);
  constexpr double most = 4e9;
  if (written.is_string()) {
    const auto at = parse_iso_date(written.get_ref<const std::string&>());
    const auto seconds = at ? std::chrono::duration<double>(at->time_since_epoch()).count() : -1;
    return seconds >= 0 && seconds <= most ? at : std::nullopt;
  }
  const double seconds = written.get<double>();
  if (!(seconds >= 0 && seconds <= most)) return std::nullopt;
  return Instant{
      std::chrono::milliseconds{static_cast<std::int64_t>(std::llround(seconds * 1'000))}};
}

std::optional<std::int64_t> whole_in(const json& object, const char* key) {
  const json& written = object.value(key, json{});
  if (written.is_number_integer()) return written.get<std::int64_t>();
  if (!written.is_string()) return std::nullopt;
  const auto& text = written.get_ref<const std::string&>();
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  return is_whole ? std::optional{value} : std::nullopt;
}

std::string host_of(const json& metric) {
  if (metric.value("Namespace", "") != "/aws/sagemaker/TrainingJobs") return {};
  if (metric.value("MetricName", "") != "GPUUtilization") return {};
  const json& dimensions = metric.value("Dimensions", json::array());
  if (dimensions.size() != 1 || dimensions[0].value("Name", "") != "Host") return {};
  return dimensions[0].value("Value", "");
}

bool is_statistic(std::string_view name) {
  constexpr std::array known{"Average", "Minimum", "Maximum", "Sum", "SampleCount"};
  return std::find(known.begin(), known.end(), name) != known.end();
}

std::variant<Query, MockError> read_query(const json& asked) {
  Query query{asked.value("Id", ""), {}, {}, {}, asked.value("Label", "")};
  if (query.id.empty() || query.id.front() < 'a' || query.id.front() > 'z') {
    return validation_error("an Id begins with a lower-case letter");
  }
  const auto stat = asked.find("MetricStat");
  if (stat == asked.end() || !stat->is_object() || !stat->contains("Metric")) {
    return validation_error("the mock account answers queries with a MetricStat only");
  }
  const auto period = whole_in(*stat, "Period");
  constexpr std::int64_t minute = 60;
  constexpr std::int64_t day = 86'400;
  if (!period || *period <= 0 || *period > day || *period % minute != 0) {
    return validation_error("Period is not a multiple of 60");
  }
  query.period = std::chrono::seconds{*period};
  query.statistic = stat->value("Stat", "");
  if (!is_statistic(query.statistic))
    return validation_error("Stat is unknown: " + query.statistic);
  query.host = host_of(stat->at("Metric"));
  if (query.label.empty()) query.label = query.host.empty() ? query.id : query.host;
  return query;
}

double combined(const std::string& statistic, const std::vector<double>& samples) {
  double sum = 0;
  for (const double each : samples) sum += each;
  const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
  if (statistic == "Minimum") return *least;
  if (statistic == "Maximum") return *most;
  if (statistic == "Sum") return sum;
  if (statistic == "SampleCount") return static_cast<double>(samples.size());
  // Rounding must not leave the range of equal samples.
  return std::clamp(sum / static_cast<double>(samples.size()), *least, *most);
}

/// One sample per minute.
std::vector<Datapoint> datapoints(const models::MetricSeries& metric, const Query& query,
                                  Window window) {
  std::vector<Datapoint> all;
  if (metric.segments() == 0) return all;
  // Of the window, the periods in which the metric was present.
  const Instant first = metric.segment_start(0);
  const std::size_t last = metric.segments() - 1;
  if (!metric.segment_value(last))
    window.until = std::min(window.until, metric.segment_start(last));
  Instant period = window.from;
  if (first > period) period += (first - period) / query.period * query.period;
  std::vector<double> samples;
  for (; period < window.until; period += query.period) {
    const Instant end = std::min(period + query.period, window.until);
    samples.clear();
    for (Instant at = period; at < end; at += minutes{1}) {
      const models::SampleSet sample = metric.samples(at, at + minutes{1}, minutes{1});
      if (sample.count > 0) samples.push_back(sample.mean());
    }
    if (!samples.empty()) all.push_back({period, combined(query.statistic, samples)});
  }
  return all;
}

/// The part of the datapoints that belongs to a page, and the token of the next one.
class Page {
 public:
  Page(std::int64_t first, std::int64_t most, bool is_form)
      : first_{first}, last_{first + most}, is_form_{is_form} {}

  void add(const Query& query, std::vector<Datapoint> all, bool newest_first) {
    if (newest_first) std::reverse(all.begin(), all.end());
    json times = json::array();
    json values = json::array();
    for (const Datapoint& point : all) {
      const std::int64_t place = seen_++;
      if (place < first_ || place >= last_) continue;
      if (is_form_) {
        times.push_back(iso_date(point.from));
        values.push_back(fmt::format("{}", point.value));
      } else {
        times.push_back(std::chrono::duration<double>(point.from.time_since_epoch()).count());
        values.push_back(point.value);
      }
    }
    results_.push_back({{"Id", query.id},
                        {"Label", query.label},
                        {"StatusCode", seen_ > last_ ? "PartialData" : "Complete"},
                        {"Timestamps", std::move(times)},
                        {"Values", std::move(values)}});
  }
  json answer() && {
    json out{{"MetricDataResults", std::move(results_)}};
    if (seen_ > last_) out["NextToken"] = std::to_string(last_);
    return out;
  }

 private:
  std::int64_t first_;
  std::int64_t last_;
  bool is_form_;  ///< texts, no numbers
  std::int64_t seen_ = 0;
  json results_ = json::array();
};

}  // namespace

MockAnswer metric_data(const MetricOfHost& metric_of, const json& asked, Instant published) {
  const auto start = time_in(asked, "StartTime");
  const auto end = time_in(asked, "EndTime");
  if (!start || !end) return validation_error("StartTime or EndTime is not a time");
  if (*start >= *end) return validation_error("StartTime must be less than EndTime");
  const std::string order = asked.value("ScanBy", "TimestampDescending");
  if (order != "TimestampDescending" && order != "TimestampAscending") {
    return validation_error("ScanBy is unknown: " + order);
  }
  const json& queries = asked.at("MetricDataQueries");
  if (queries.size() > most_queries) return validation_error("a call has at most 500 queries");
  const auto most = asked.contains("MaxDatapoints") ? whole_in(asked, "MaxDatapoints")
                                                    : std::optional{most_datapoints};
  if (!most || *most < 1 || *most > most_datapoints)
    return validation_error("MaxDatapoints is 1 to 100800");
  const auto first = asked.contains("NextToken") ? whole_in(asked, "NextToken") : std::optional{0L};
  constexpr std::int64_t most_first = 1'000'000'000'000;
  if (!first || *first < 0 || *first > most_first)
    return MockError{"InvalidNextToken", "the token is of no reply"};
  const Window window{std::chrono::floor<minutes>(*start),
                      std::chrono::floor<minutes>(std::min(*end, published))};
  Page page{*first, *most, asked.at("StartTime").is_string()};
  std::set<std::string> ids;
  for (const json& each : queries) {
    auto read = read_query(each);
    if (const auto* error = std::get_if<MockError>(&read)) return *error;
    const Query& query = std::get<Query>(read);
    if (!ids.insert(query.id).second)
      return validation_error("two queries have the Id " + query.id);
    const models::MetricSeries metric = metric_of(query.host, window.from);
    page.add(query, datapoints(metric, query, window), order == "TimestampDescending");
  }
  return std::move(page).answer();
}

}  // namespace reeve::live
