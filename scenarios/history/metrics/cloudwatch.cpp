// Utilization that CloudWatch keeps, as GetMetricData and GetMetricStatistics answer:
// GPUUtilization of SageMaker, the sum over the GPUs of an instance.  Source of the fields and
// their oddities: botocore's service model of CloudWatch.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "scenarios/history/metrics/kinds.hpp"
#include "scenarios/history/metrics/series.hpp"
#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/records/metric_label.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;
using policy::Instant;

constexpr auto answer_arrays = std::to_array<std::string_view>({"MetricDataResults", "Datapoints"});
constexpr auto answer_keys = std::to_array<std::string_view>(
    {"Id", "Label", "StatusCode", "NextToken", "Timestamp", "Average", "Code"});
constexpr auto answer_whole =
    std::to_array<std::string_view>({"Timestamps", "Values", "Messages", "Error"});
constexpr std::string_view console_header = "Full label,";
constexpr std::string_view label_help = "label the queries JOB/algo-N, or name --job and --host";

/// The instant of a sample; nothing if it is none, or in milliseconds.
std::optional<Instant> sample_time(const json& value) {
  if (value.is_string()) return instant_of(value.get_ref<const std::string&>());
  if (!value.is_number()) return {};
  return instant_of_seconds(value.get<double>());
}

class CloudwatchAnswers {
 public:
  CloudwatchAnswers(HistoryInput& input, const HistoryOptions& options)
      : input_{input}, options_{options} {}

  void add(const JsonRecord& record) {
    if (record.is_rest || member(record.value, "NextToken") != nullptr) return end_answer(record);
    ++input_.report.records;
    token_line_ = 0;  // it is on the page that the last answer names
    if (const json* error = member(record.value, "Error")) {
      return input_.findings.warn("W0630", record.line,
                                  fmt::format("an error: {}", text_at(*error, "Code")),
                                  "repeat the query");
    }
    if (member(record.value, "Timestamp") != nullptr) return add_datapoint(record);
    if (member(record.value, "Timestamps") != nullptr) return add_result(record);
    if (member(record.value, "Messages") != nullptr) return end_answer(record);
    input_.findings.warn("W0632", record.line, "a result without times");
  }

  void finish(History& into) {
    flush_datapoints({}, 0);
    if (token_line_ > 0) throw InputError{incomplete()};
    const auto partial = partial_warnings();
    for (const Diagnostic& warning : partial) input_.findings.warn(warning);
    if (others_ > 0) {
      input_.findings.warn("W0652", 0,
                           fmt::format("{} of other metrics", counted(others_, "result")),
                           "only GPUUtilization is used");
    }
    if (parts_.empty() && unnamed_ > 0) throw InputError{unnamed_error()};
    if (unnamed_ > 0) {
      input_.findings.warn("W0651", unnamed_line_,
                           fmt::format("{} without a job and host", counted(unnamed_, "result")),
                           std::string{label_help});
    }
    parts_.join(input_, into);
  }

 private:
  struct Partial {
    std::string label;
    std::uint64_t line;
  };

  /// The series that a result is of, by its label, its id and the options.
  std::optional<SeriesName> name_of_result(std::string_view label, const std::string& id) const {
    MetricLabel named = read_metric_label(label);
    if (const auto given = options_.labels.find(id); given != options_.labels.end()) {
      named = read_metric_label(given->second);
    }
    SeriesName name{
        .job = named.job.empty() ? options_.job : named.job, .host = {}, .gpu = {}, .is_sum = true};
    name.host = named.host > 0 ? fmt::format("algo-{}", named.host) : options_.host;
    return name.job.empty() || name.host.empty() ? std::nullopt : std::optional{name};
  }

  void note_unnamed(std::uint64_t line) {
    if (unnamed_++ == 0) unnamed_line_ = line;
  }

  void add_result(const JsonRecord& record) {
    const std::string label = text_at(record.value, "Label"), id = text_at(record.value, "Id");
    if (is_another_metric(label)) {
      ++others_;
      return;
    }
    const auto name = name_of_result(label, id);
    if (!name) return note_unnamed(record.line);
    const json *times = member(record.value, "Timestamps"),
               *values = member(record.value, "Values");
    if (values == nullptr || !values->is_array() || !times->is_array() ||
        times->size() != values->size()) {
      return input_.findings.warn("W0632", record.line,
                                  fmt::format("{}: not one value for each time", in_quotes(label)));
    }
    note_status(text_at(record.value, "StatusCode"), id + '\n' + label, label, record.line);
    ++input_.report.used;
    auto& samples = parts_.part(*name, id);
    for (std::size_t i = 0; i < times->size(); ++i) {
      add_sample((*times)[i], (*values)[i], record.line, samples);
    }
  }

  /// A result has several pages: only its last one tells whether it is whole.
  void note_status(std::string status, const std::string& query, const std::string& label,
                   std::uint64_t line) {
    if (status == "PartialData") {
      partial_.insert_or_assign(query, Partial{label, line});
      return;
    }
    partial_.erase(query);
    if (status.empty() || status == "Complete") return;
    input_.findings.warn("W0650", line, fmt::format("{}: {}", in_quotes(label), in_quotes(status)),
                         "its samples are missing; repeat the query");
  }

  void add_sample(const json& time, const json& value, std::uint64_t line, PackedSamples& samples) {
    const auto at = sample_time(time);
    const bool is_number = value.is_number() && std::isfinite(value.get<double>());
    if (!at || !is_number) {
      return input_.findings.warn("W0632", line, at ? "a value that is no number" : "not a time");
    }
    const double percent = value.get<double>();
    if (percent < 0) {
      return input_.findings.warn("W0654", line, "a negative utilization", "it is left out");
    }
    samples.push_back({*at, percent});
  }

  void add_datapoint(const JsonRecord& record) {
    const json* value = member(record.value, "Average");
    if (value == nullptr) {
      return input_.findings.warn("W0632", record.line, "a datapoint without Average",
                                  "query with --statistics Average");
    }
    if (datapoints_line_ == 0) datapoints_line_ = record.line;
    const std::size_t before = datapoints_.size();
    add_sample(*member(record.value, "Timestamp"), *value, record.line, datapoints_);
    input_.report.used += datapoints_.size() - before;
  }

  /// GetMetricStatistics answers of one metric; its label is the metric's name.
  void flush_datapoints(const std::string& label, std::uint64_t line) {
    const auto samples = std::exchange(datapoints_, {});
    const std::uint64_t first = std::exchange(datapoints_line_, 0);
    if (samples.empty()) return;
    if (is_another_metric(label)) {
      ++others_;
      input_.report.used -= samples.size();
      return;
    }
    const auto name = name_of_result(label, {});
    if (!name) {
      input_.report.used -= samples.size();
      return note_unnamed(first == 0 ? line : first);
    }
    parts_.part(*name).append(samples);
  }

  void end_answer(const JsonRecord& record) {
    flush_datapoints(text_at(record.value, "Label"), record.line);
    token_line_ = text_at(record.value, "NextToken").empty() ? 0 : record.line;
    const json* messages = member(record.value, "Messages");
    if (messages == nullptr || !messages->is_array() || messages->empty()) return;
    input_.findings.warn(
        "W0650", record.line,
        fmt::format("CloudWatch reports {}", in_quotes(text_at(messages->front(), "Code"))));
  }

  std::vector<Diagnostic> partial_warnings() const {
    std::vector<Diagnostic> all;
    for (const auto& [query, partial] : partial_) {
      Diagnostic warning =
          about_trace(input_.name, "W0312",
                      fmt::format("only a part of the data of {}", in_quotes(partial.label)),
                      "the remaining samples are missing; query again", Severity::warning);
      warning.position = {partial.line, 1, 1};
      all.push_back(std::move(warning));
    }
    return all;
  }

  std::vector<Diagnostic> incomplete() const {
    Diagnostic error = about_trace(input_.name, "E0335", "the answer continues on another page",
                                   "query again with this token, or without --no-paginate");
    error.position = {token_line_, 1, 1};
    std::vector<Diagnostic> all{std::move(error)};
    for (Diagnostic& warning : partial_warnings()) all.push_back(std::move(warning));
    return all;
  }

  Diagnostic unnamed_error() const {
    const bool lacks_host = !options_.job.empty();
    Diagnostic error = about_trace(
        input_.name, "E0402",
        lacks_host ? "metrics of an unknown host" : "metrics of an unknown job and host",
        std::string{label_help});
    error.position = {unnamed_line_, 1, 1};
    return error;
  }

  HistoryInput& input_;
  const HistoryOptions& options_;
  SeriesParts parts_;
  PackedSamples datapoints_;  ///< their label may come after them
  std::uint64_t datapoints_line_ = 0;
  std::map<std::string, Partial> partial_;  ///< queries whose last page is partial
  std::uint64_t token_line_ = 0;            ///< the last answer has more pages
  std::uint64_t unnamed_ = 0, unnamed_line_ = 0, others_ = 0;
};

}  // namespace

bool is_cloudwatch(std::string_view head) {
  const auto has = [&](std::string_view text) { return head.find(text) != head.npos; };
  if (head.starts_with(console_header)) return true;
  return has("\"MetricDataResults\"") || (has("\"Datapoints\"") && has("\"Label\"")) ||
         (has("\"Datapoints\"") && has("\"Timestamp\""));
}

void read_cloudwatch(HistoryInput& input, const HistoryOptions& options, History& into) {
  CloudwatchAnswers answers{input, options};
  const int first = input.stream->peek();
  if (first == console_header.front()) {
    throw InputError{about_trace(input.name, "E0420", "a download of the CloudWatch console",
                                 "export with aws cloudwatch get-metric-data")};
  }
  for_each_record(input, {answer_arrays, answer_keys, answer_whole},
                  [&](const JsonRecord& record) { answers.add(record); });
  answers.finish(into);
}

}  // namespace reeve::scenarios
