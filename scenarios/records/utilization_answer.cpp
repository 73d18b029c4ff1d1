// Answers of CloudWatch's GetMetricData: one result for each host, newest or oldest first.
#include <algorithm>

#include "scenarios/records/market_reading.hpp"
#include "scenarios/records/metric_label.hpp"
#include "scenarios/records/utilization_reading.hpp"
#include "scenarios/text/decimal.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/source.hpp"

namespace reeve::scenarios {
namespace {

using policy::Duration;
using policy::Instant;

struct Point {
  Instant at;
  Node stamp;
  Node value;
};

/// One of MetricDataResults, oldest first.
struct Result {
  std::string job;
  std::uint32_t host = 0;  ///< 0: the label names none
  Node node;
  std::vector<Point> points;
};

Node answer_member(const Node& object, std::string_view key) {
  if (const auto found = object.find(key)) return *found;
  throw InputError{at(object, "E0202", fmt::format("the key {} is missing", in_quotes(key)),
                      "not in this object")};
}

Instant read_time_of(const Node& node) {
  if (node.is_text()) return read_stamp(node.as_text(), JsonCell{node, "Timestamps"});
  if (!node.is_number()) {
    throw InputError{at(node, "E0137", "not a date", "expected a date or seconds since 1970")};
  }
  const ScaledDecimal scaled = scale_decimal(node.raw(), 9, Rounding::nearest);
  if (scaled.fault == DecimalFault::none && scaled.value >= 0)
    return Instant{Duration{scaled.value}};
  throw InputError{at(node, "E0332", "a time outside 1970 to 2099", "possibly in milliseconds")
                       .with_help("write seconds since 1970 or dates, as GetMetricData does")};
}

void check_status(const Node& result, UtilBuilder& builder) {
  const auto status = result.find("StatusCode");
  if (!status || !status->is_text() || status->as_text() == "Complete") return;
  if (status->as_text() == "PartialData") {
    return builder.warn(as_warning(
        at(*status, "W0312", "the answer is only partial", "the remaining samples are missing")));
  }
  throw InputError{at(*status, "E0335",
                      fmt::format("the answer is incomplete: {}", in_quotes(status->as_text())),
                      "query again")};
}

Result read_result(const Node& node) {
  Result result{.job = {}, .host = 0, .node = node, .points = {}};
  if (const auto label = node.find("Label"); label && label->is_text()) {
    auto [job, host] = read_metric_label(label->as_text());
    result.job = std::move(job);
    result.host = host;
  }
  const Node stamps = answer_member(node, "Timestamps");
  const Node values = answer_member(node, "Values");
  stamps.as_array();
  values.as_array();
  if (stamps.size() != values.size()) {
    throw InputError{at(values, "E0312",
                        fmt::format("{} values for {} times", values.size(), stamps.size()),
                        "expected one value per time")};
  }
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    result.points.push_back({read_time_of(stamps[i]), stamps[i], values[i]});
  }
  const bool newest_first = result.points.size() > 1 && result.points[0].at > result.points[1].at;
  if (newest_first) std::reverse(result.points.begin(), result.points.end());
  for (std::size_t i = 1; i < result.points.size(); ++i) {
    if (result.points[i].at >= result.points[i - 1].at) continue;
    const Point& wrong = result.points[newest_first ? i - 1 : i];
    throw InputError{
        at(wrong.stamp, "E0330", "times out of order", "neither ascending nor descending")
            .with_help("sort the times, newest first or oldest first")};
  }
  return result;
}

void add_points(const Result& result, Instant zero, UtilBuilder& builder, HostSeries& host) {
  const SourceFile& source = result.node.source();
  for (const Point& point : result.points) {
    if (!point.value.is_number()) {
      throw InputError{at(point.value, "E0313", "not a number", "expected a number")};
    }
    const double value = point.value.as_number();
    const auto percent = builder.percent_of(value);
    if (!percent) throw InputError{builder.wrong_value(at(point.value, {}, {}), value)};
    const Duration distance = host.last_line() == 0 ? Duration{0} : point.at - zero - host.last();
    const auto added =
        host.add(point.at - zero, *percent, source.position(point.stamp.offset()).line);
    if (added == HostSeries::Added::yes) {
      builder.note_distance(distance, [&] { return at(point.stamp, "W0310", {}); });
    }
    if (added == HostSeries::Added::again) builder.note_again(at(point.stamp, "W0311", {}));
    if (added == HostSeries::Added::contradiction) {
      throw InputError{
          at(point.stamp, "E0331", "two different values at one instant", "second value here")};
    }
  }
}

void check_pages(const Node& root) {
  const auto token = root.find("NextToken");
  if (!token || token->is_null() || (token->is_text() && token->as_text().empty())) return;
  throw InputError{
      at(*token, "E0335", "the answer continues on another page", "the next page is missing")
          .with_help("query again with this token, or let the AWS CLI collect all pages")};
}

/// The AWS CLI puts pages one behind the other: a host may have several results.
void take(Result result, std::vector<Result>& results) {
  const auto known = std::find_if(results.begin(), results.end(), [&](const Result& other) {
    return other.host == result.host && other.job == result.job;
  });
  if (known == results.end()) return results.push_back(std::move(result));
  known->points.insert(known->points.end(), result.points.begin(), result.points.end());
  std::stable_sort(known->points.begin(), known->points.end(),
                   [](const Point& a, const Point& b) { return a.at < b.at; });
}

std::vector<Result> read_results(const Node& root, UtilBuilder& builder) {
  std::vector<Result> results;
  std::size_t others = 0;
  for (const Node node : answer_member(root, "MetricDataResults").as_array()) {
    node.as_object();
    const auto label = node.find("Label");
    if (label && label->is_text() && is_another_metric(label->as_text())) {
      ++others;
      continue;
    }
    check_status(node, builder);
    take(read_result(node), results);
  }
  const auto nameless = std::find_if(results.begin(), results.end(),
                                     [](const Result& result) { return result.host == 0; });
  if (nameless != results.end() && results.size() > 1) {
    throw InputError{at(nameless->node, "E0336", "a result without a host", "expected a host")
                         .with_help("set \"Label\": \"JOB/algo-1\"")};
  }
  if (others > 0) {
    builder.warn(about_trace(
        root.source().name(), "W0312",
        fmt::format("{} result{} for other metrics", others, others == 1 ? " is" : "s are"),
        "only GPUUtilization is used", Severity::warning));
  }
  return results;
}

}  // namespace

UtilFile read_util_answer(const Document& document, const UtilOptions& options) {
  const Node root = document.root();
  root.as_object();
  check_pages(root);
  const UtilScale scale = options.scale.value_or(UtilScale::sum);
  const std::string& name = document.source().name();
  UtilBuilder builder{name, options, scale, true};
  const std::vector<Result> results = read_results(root, builder);
  Instant zero = Instant::max();
  for (const Result& result : results) {
    if (!result.points.empty()) zero = std::min(zero, result.points.front().at);
  }
  bool names_hosts = true;
  for (const Result& result : results) {
    names_hosts = names_hosts && result.host > 0;
    auto& hosts = builder.job(result.job);
    add_points(result, zero, builder, UtilBuilder::host(hosts, std::max(1U, result.host)));
  }
  return builder.finish(names_hosts);
}

}  // namespace reeve::scenarios
