// Runs of Weights & Biases: JSON of its API (lines, arrays, GraphQL answers), or CSV.  Source:
// wandb/apis/public/runs.py; the CSV of the page is from memory.
#include <array>

#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/history/trackers/kinds.hpp"
#include "scenarios/history/trackers/run_table.hpp"
#include "scenarios/text/decimal.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;
using policy::Duration;

constexpr auto wandb_arrays = std::to_array<std::string_view>(
    {"runs", "edges", "data/project/runs/edges", "project/runs/edges"});
constexpr auto wandb_keys =
    std::to_array<std::string_view>({"id", "name", "state", "node", "createdAt", "created_at",
                                     "heartbeatAt", "heartbeat_at", "hasNextPage", "pageInfo"});
constexpr auto wandb_whole = std::to_array<std::string_view>({"config"});

void set_end(TrackedRun& run, std::string_view state) {
  const bool runs_on = state == "running" || state == "Running" || state == "pending";
  // A crashed run ended at a time that nothing tells: its heartbeats stopped.
  const bool is_crashed = state == "crashed" || state == "Crashed";
  if (!runs_on && !is_crashed && !run.ended) run.ended = run.last_heartbeat;
}

void read_wandb_run(const JsonRecord& record, RunList& runs) {
  const json* node = member(record.value, "node");
  const json& value = node == nullptr ? record.value : *node;
  TrackedRun run;
  const json* config = member(value, "config");
  run.id = text_at(value, "id");
  // The id of GraphQL is opaque; its name is the id of the page.
  if (node != nullptr && member(value, "name") != nullptr) run.id = text_at(value, "name");
  for (const auto* key : {"createdAt", "created_at"}) {
    if (!run.started) run.started = run_time_at(value, key);
  }
  for (const auto* key : {"heartbeatAt", "heartbeat_at"}) {
    if (!run.last_heartbeat) run.last_heartbeat = run_time_at(value, key);
  }
  if (config != nullptr && config->is_string()) {
    const auto& text = config->get_ref<const std::string&>();
    runs.settings("config", json::parse(text, nullptr, false));
  } else if (config != nullptr) {
    runs.settings("config", *config);
  }
  const std::string state = text_at(value, "state");
  set_end(run, state);
  runs.add(std::move(run), state, record.line);
}

void read_wandb_table(HistoryInput& input, RunList& runs) {
  RunTable table{input};
  while (table.next()) {
    TrackedRun run;
    run.id = table.text({"id", "ID", "run_id", "Name", "name"});
    run.started = run_time(table.text({"createdAt", "created_at", "Created"}));
    run.last_heartbeat = run_time(table.text({"heartbeatAt", "heartbeat_at", "Updated"}));
    run.ended = run_time(table.text({"End Time"}));
    const auto runtime = few_digits(table.text({"Runtime", "runtime"}));
    if (!run.last_heartbeat && run.started && runtime) {
      run.last_heartbeat = *run.started + std::chrono::seconds{*runtime};
    }
    table.tell_settings(runs);
    const std::string_view state = table.text({"state", "State"});
    set_end(run, state);
    runs.add(std::move(run), state, table.line());
  }
}

}  // namespace

bool is_wandb(std::string_view head) {
  if (!is_run_json(head)) {
    return has_columns(head, {"heartbeatAt"}) || has_columns(head, {"Created", "Runtime", "State"});
  }
  return head.find("\"heartbeatAt\"") != head.npos || head.find("\"heartbeat_at\"") != head.npos;
}

void read_wandb(HistoryInput& input, const HistoryOptions& options, History& into) {
  RunList runs{input, options, into};
  if (is_run_json(input.head)) {
    for_each_record(input, {wandb_arrays, wandb_keys, wandb_whole}, [&](const JsonRecord& record) {
      if (!record.is_rest) return read_wandb_run(record, runs);
      const json* next = member(record.value, "pageInfo");
      const json* more = next == nullptr ? nullptr : member(*next, "hasNextPage");
      if (more != nullptr && *more == true) runs.miss_page(record.line);
    });
  } else {
    read_wandb_table(input, runs);
  }
  runs.finish();
}

}  // namespace reeve::scenarios
