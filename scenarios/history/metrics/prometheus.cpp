// GPU utilization as Prometheus answers range queries, from the metrics of DCGM.  Sources: the HTTP
// API of Prometheus; default-counters.csv and README of dcgm-exporter.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "scenarios/history/metrics/kinds.hpp"
#include "scenarios/history/metrics/series.hpp"
#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/records/market_reading.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;
using policy::Instant;

constexpr auto range_arrays = std::to_array<std::string_view>({"data/result", "result"});
constexpr auto range_keys = std::to_array<std::string_view>(
    {"status", "error", "errorType", "resultType", "data", "value", "histograms"});
constexpr auto range_whole = std::to_array<std::string_view>({"metric", "warnings", "infos"});
constexpr std::string_view range_pairs = "values";

/// Metrics of GPU use, and what multiplies their values to percent.
struct GpuMetric {
  std::string_view name;
  double percent;
};
constexpr auto gpu_metrics = std::to_array<GpuMetric>({
    {"DCGM_FI_DEV_GPU_UTIL", 1},
    {"DCGM_FI_PROF_GR_ENGINE_ACTIVE", 100},
});
/// DCGM's values for what was not measured are 2^63 - 16 and more, or 2^31 - 16 in 32 bits.
constexpr double least_blank = 2147483632.0;
constexpr double rounding = 1.01;  ///< a ratio is measured as time by time, so it may pass 1

std::string first_label(const json& labels, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    std::string text = text_at(labels, name);
    if (!text.empty()) return text;
  }
  return {};
}

/// The job that the exporter names: a pod of Kubernetes, or a job of a batch system.
std::string job_of_labels(const json& labels) {
  std::string batch = first_label(labels, {"hpc_job", "slurm_job_id", "jobid", "slurmjobid"});
  if (!batch.empty() && batch != "0") return batch;
  const bool renamed = labels.contains("exported_pod");  // then `pod` is the exporter's own
  const std::string pod = text_at(labels, renamed ? "exported_pod" : "pod");
  if (pod.empty() || pod.find("dcgm-exporter") != pod.npos) return {};
  const std::string space = text_at(labels, renamed ? "exported_namespace" : "namespace");
  return space.empty() ? pod : space + '/' + pod;
}

SeriesName name_of_labels(const json& labels, const HistoryOptions& options) {
  SeriesName name{.job = job_of_labels(labels),
                  .host = first_label(labels, {"Hostname", "hostname", "node", "instance"}),
                  .gpu = first_label(labels, {"gpu", "minor_number", "UUID", "uuid"}),
                  .is_sum = false};
  const std::string part = text_at(labels, "GPU_I_ID");
  if (!part.empty()) name.gpu += '.' + part;
  if (name.job.empty()) name.job = options.job;
  if (name.host.empty()) name.host = options.host;
  return name;
}

class RangeAnswers {
 public:
  RangeAnswers(HistoryInput& input, const HistoryOptions& options)
      : input_{input}, options_{options} {}

  void add(const JsonRecord& record) {
    if (record.is_rest || member(record.value, "status") != nullptr) return end_answer(record);
    if (member(record.value, "value") != nullptr) throw InputError{one_instant(record.line)};
    ++input_.report.records;
    const json* labels = member(record.value, "metric");
    const json* values = member(record.value, "values");
    if (values == nullptr || !values->is_array() || (labels != nullptr && !labels->is_object())) {
      const bool histogram = member(record.value, "histograms") != nullptr;
      return input_.findings.warn("W0632", record.line,
                                  histogram ? "a series of histograms" : "a series without values");
    }
    static const json no_labels = json::object();
    add_series(labels == nullptr ? no_labels : *labels, record.pairs, record.line);
  }

  void finish(History& into) {
    settle_nameless();
    if (others_ > 0) {
      input_.findings.warn("W0652", 0,
                           fmt::format("{} of other metrics", counted(others_, "series")),
                           "DCGM_FI_DEV_GPU_UTIL and DCGM_FI_PROF_GR_ENGINE_ACTIVE are used");
    }
    if (blank_ > 0) {
      input_.findings.warn("W0650", 0, fmt::format("{} not measured", counted(blank_, "sample")),
                           "NaN and the blank values of DCGM are missing samples");
    }
    if (parts_.empty() && !refused_.empty()) {
      throw InputError{about_trace(input_.name, "E0421",
                                   fmt::format("Prometheus refused the query: {}", refused_),
                                   "repeat the query")};
    }
    if (parts_.empty()) {
      throw InputError{about_trace(input_.name, "E0422", "no series of GPU utilization",
                                   "query DCGM_FI_DEV_GPU_UTIL with query_range")};
    }
    parts_.join(input_, into);
  }

 private:
  struct Nameless {
    SeriesName name;
    std::uint64_t line;
    PackedSamples samples;
  };

  using Pairs = std::span<const JsonPair>;

  void add_series(const json& labels, Pairs values, std::uint64_t line) {
    const SeriesName name = name_of_labels(labels, options_);
    const std::string metric = text_at(labels, "__name__");
    if (metric.empty()) {
      Nameless kept{name, line, {}};
      for (const JsonPair& pair : values) add_sample(pair, 1, least_blank, line, kept.samples);
      nameless_.push_back(std::move(kept));
      return;
    }
    const auto known = std::find_if(gpu_metrics.begin(), gpu_metrics.end(),
                                    [&](const GpuMetric& each) { return each.name == metric; });
    if (known == gpu_metrics.end() || !first_metric_of(name, metric)) {
      ++others_;
      return;
    }
    ++input_.report.used;
    auto& samples = parts_.part(name);
    for (const JsonPair& pair : values) {
      add_sample(pair, known->percent, 100 * rounding, line, samples);
    }
  }

  /// Of a GPU with two metrics, the first one in the file counts.
  bool first_metric_of(const SeriesName& name, const std::string& metric) {
    return metrics_.try_emplace(name, metric).first->second == metric;
  }

  /// One [time, "value"].
  void add_sample(const JsonPair& pair, double scale, double most, std::uint64_t line,
                  PackedSamples& samples) {
    const auto at = pair.is_good ? instant_of_seconds(pair.first) : std::nullopt;
    const double value = pair.second;
    if (!at) {
      return input_.findings.warn("W0632", line, "a sample that is not [time, \"value\"]");
    }
    if (std::isnan(value) || value >= least_blank) {
      ++blank_;
      return;
    }
    const double percent = value * scale;
    if (percent < 0 || percent > most) {
      return input_.findings.warn("W0654", line, fmt::format("a utilization of {} %", percent),
                                  "it is left out");
    }
    samples.push_back({*at, most < least_blank ? std::min(percent, 100.0) : percent});
  }

  /// Functions such as avg drop the name of the metric: values up to 1 are ratios.
  void settle_nameless() {
    double largest = 0;
    for (const Nameless& series : nameless_) {
      for (const auto& sample : series.samples) largest = std::max(largest, sample.percent);
    }
    const double scale = largest > 0 && largest <= rounding ? 100 : 1;
    for (Nameless& series : nameless_) {
      if (largest > 100 * rounding) {
        ++others_;
        continue;
      }
      input_.findings.warn("W0651", series.line, "a series without the name of its metric",
                           scale > 1 ? "its values are read as ratios, since none is above 1"
                                     : "its values are read as percent");
      ++input_.report.used;
      auto& samples = parts_.part(series.name);
      for (const auto& sample : series.samples) {
        samples.push_back({sample.at, std::min(100.0, sample.percent * scale)});
      }
    }
    nameless_.clear();
  }

  void end_answer(const JsonRecord& record) {
    const json* data = member(record.value, "data");
    const std::string type = text_at(data == nullptr ? record.value : *data, "resultType");
    if (type == "vector" || type == "scalar" || type == "string") {
      throw InputError{one_instant(record.line)};
    }
    if (text_at(record.value, "status") == "error") {
      refused_ = in_quotes(text_at(record.value, "error"));
      input_.findings.warn("W0630", record.line, fmt::format("an error: {}", refused_),
                           "repeat the query");
    }
    for (const auto* key : {"warnings", "infos"}) {
      const json* list = member(record.value, key);
      if (list == nullptr || !list->is_array()) continue;
      for (const json& each : *list) {
        const std::string text = each.is_string() ? each.get<std::string>() : each.dump();
        input_.findings.warn("W0650", record.line,
                             fmt::format("Prometheus reports {}", in_quotes(text)));
      }
    }
  }

  Diagnostic one_instant(std::uint64_t line) const {
    Diagnostic error = about_trace(input_.name, "E0395", "an instant query: one value per series",
                                   "use /api/v1/query_range with start, end and step");
    error.position = {line, 1, 1};
    return error;
  }

  HistoryInput& input_;
  const HistoryOptions& options_;
  SeriesParts parts_;
  std::map<SeriesName, std::string> metrics_;
  std::vector<Nameless> nameless_;
  std::string refused_;
  std::uint64_t others_ = 0, blank_ = 0;
};

}  // namespace

bool is_prometheus(std::string_view head) {
  const auto has = [&](std::string_view text) { return head.find(text) != head.npos; };
  return has("\"resultType\"") || (has("\"status\"") && has("\"errorType\""));
}

void read_prometheus(HistoryInput& input, const HistoryOptions& options, History& into) {
  RangeAnswers answers{input, options};
  for_each_record(input, {range_arrays, range_keys, range_whole, range_pairs},
                  [&](const JsonRecord& record) { answers.add(record); });
  answers.finish(into);
}

}  // namespace reeve::scenarios
