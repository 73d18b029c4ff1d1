// Runs of MLflow: search_runs().to_csv(), or runs/search of the REST API.  Source: mlflow/protos/
// service.proto (times in milliseconds), mlflow.search_runs (dates).
#include <array>

#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/history/trackers/kinds.hpp"
#include "scenarios/history/trackers/run_table.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;

constexpr auto mlflow_arrays = std::to_array<std::string_view>({"runs"});
constexpr auto mlflow_keys =
    std::to_array<std::string_view>({"data", "metrics", "timestamp", "next_page_token", "run"});
constexpr auto mlflow_whole = std::to_array<std::string_view>({"info", "tags", "params"});

/// A list of {key, value}, or an object of them.
void tell_pairs(RunList& runs, std::string_view group, const json* pairs) {
  if (pairs == nullptr) return;
  if (pairs->is_object()) runs.settings(group, *pairs);
  if (!pairs->is_array()) return;
  for (const json& pair : *pairs) runs.setting(group, text_at(pair, "key"), text_at(pair, "value"));
}

void read_mlflow_run(const JsonRecord& record, RunList& runs) {
  const json* nested = member(record.value, "run");
  const json& value = nested == nullptr ? record.value : *nested;
  TrackedRun run;
  std::string state;
  if (const json* info = member(value, "info")) {
    run.id = text_at(*info, "run_id");
    if (run.id.empty()) run.id = text_at(*info, "run_uuid");
    state = text_at(*info, "status");
    run.started = run_time_at(*info, "start_time");
    run.ended = run_time_at(*info, "end_time");
  }
  if (const json* data = member(value, "data")) {
    tell_pairs(runs, "tags", member(*data, "tags"));
    tell_pairs(runs, "params", member(*data, "params"));
    const json* metrics = member(*data, "metrics");
    // MLflow has no heartbeat; the last value of a metric is the last sign of progress.
    for (std::size_t i = 0; metrics != nullptr && metrics->is_array() && i < metrics->size(); ++i) {
      const auto at = run_time_at((*metrics)[i], "timestamp");
      if (at && (!run.last_heartbeat || *at > *run.last_heartbeat)) run.last_heartbeat = at;
    }
  }
  runs.add(std::move(run), state, record.line);
}

}  // namespace

bool is_mlflow(std::string_view head) {
  if (!is_run_json(head)) return has_columns(head, {"run_id", "experiment_id"});
  const auto has = [&](std::string_view text) { return head.find(text) != head.npos; };
  return has("\"experiment_id\"") && has("\"info\"") && (has("\"run_id\"") || has("\"run_uuid\""));
}

void read_mlflow(HistoryInput& input, const HistoryOptions& options, History& into) {
  RunList runs{input, options, into};
  if (is_run_json(input.head)) {
    for_each_record(input, {mlflow_arrays, mlflow_keys, mlflow_whole},
                    [&](const JsonRecord& record) {
                      if (!record.is_rest) return read_mlflow_run(record, runs);
                      const bool has_more = !text_at(record.value, "next_page_token").empty();
                      if (has_more) runs.miss_page(record.line);
                    });
    return runs.finish();
  }
  RunTable table{input};
  while (table.next()) {
    TrackedRun run;
    run.id = table.text({"run_id"});
    run.started = run_time(table.text({"start_time"}));
    run.ended = run_time(table.text({"end_time"}));
    table.tell_settings(runs);
    runs.add(std::move(run), table.text({"status"}), table.line());
  }
  runs.finish();
}

}  // namespace reeve::scenarios
