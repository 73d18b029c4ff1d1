// Slurm's accounting as sacct --json writes it, 21.08 (numbers and texts) to 24.05 (lists, and
// numbers as {set, infinite, number}).  Source: outputs in the tests of mila-iqia/SARC.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/history/slurm/jobs.hpp"
#include "scenarios/history/slurm/kinds.hpp"
#include "scenarios/records/market_reading.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;
using policy::Duration;

constexpr auto slurm_arrays = std::to_array<std::string_view>({"jobs"});
constexpr auto slurm_keys = std::to_array<std::string_view>(
    {"job_id", "user", "account", "cluster", "partition", "allocation_nodes", "restart_cnt",
     "kill_request_user", "administrator", "comment"});
constexpr auto slurm_parts = std::to_array<std::string_view>(
    {"array", "het", "state", "time", "tres", "exit_code", "association", "errors"});

/// A plain number, or one that is set; nothing for "infinite" and Slurm's numbers for none.
std::optional<double> slurm_number(const json& object, std::string_view key) {
  const json* value = member(object, key);
  if (value == nullptr) return {};
  double number = 0;
  if (value->is_object()) {
    const auto is = [&](std::string_view flag) {
      const json* found = member(*value, flag);
      return found != nullptr && found->is_boolean() && found->get<bool>();
    };
    if (!is("set") || is("infinite")) return {};
    number = number_at(*value, "number").value_or(-1);
  } else {
    number = number_at(object, key).value_or(-1);
  }
  constexpr double none = 4294967294;  // NO_VAL, and INFINITE above it
  if (number < 0 || number >= none) return {};
  return number;
}

std::int32_t slurm_small(const json& object, std::string_view key, std::int32_t otherwise) {
  const auto number = slurm_number(object, key);
  return number && *number < 1e9 ? static_cast<std::int32_t>(*number) : otherwise;
}

SlurmTime slurm_time_at(const json& times, std::string_view key) {
  const auto seconds = slurm_number(times, key);
  if (!seconds || *seconds <= 0) return {};
  const auto at = instant_of_seconds(*seconds);
  return at ? SlurmTime{SlurmTime::Kind::exact, *at} : SlurmTime{};
}

std::optional<Duration> slurm_length_at(const json& times, std::string_view key, double unit_s) {
  const auto number = slurm_number(times, key);
  if (!number) return {};
  const std::chrono::duration<double> length{*number * unit_s};
  if (length > longest_run) return {};
  return std::chrono::round<Duration>(length);
}

const json& slurm_part(const json& job, std::string_view key) {
  static const json none = json::object();
  const json* found = member(job, key);
  return found != nullptr && found->is_object() ? *found : none;
}

/// A requeued or resized job is completed as well, in the list of its states.
std::optional<SlurmState> slurm_state_of(const json& job) {
  const json* current = member(slurm_part(job, "state"), "current");
  if (current == nullptr) return {};
  if (current->is_string()) return slurm_state(current->get_ref<const std::string&>());
  if (!current->is_array()) return {};
  std::optional<SlurmState> first;
  for (const json& each : *current) {
    const auto state =
        each.is_string() ? slurm_state(each.get_ref<const std::string&>()) : std::nullopt;
    if (state == SlurmState::requeued || state == SlurmState::resizing) return state;
    if (!first) first = state;
  }
  return first;
}

/// The list as the text of sacct has it: "gres/gpu:a100=4,node=1".
std::string resources_text(const json& job, std::string_view which) {
  std::string text;
  const json* list = member(slurm_part(job, "tres"), which);
  if (list == nullptr || !list->is_array()) return text;
  for (const json& each : *list) {
    const auto count = count_at(each, "count");
    const std::string type = text_at(each, "type"), name = text_at(each, "name");
    if (!count || (type != "gres" && type != "node")) continue;
    fmt::format_to(std::back_inserter(text), "{}{}{}{}={}", text.empty() ? "" : ",", type,
                   name.empty() ? "" : "/", name, *count);
  }
  return text;
}

class SlurmJson {
 public:
  SlurmJson(HistoryInput& input, const HistoryOptions& options, History& into)
      : input_{input}, jobs_{input, options, into} {}

  void read(const JsonRecord& found) {
    if (const json* errors = member(found.value, "errors")) {
      if (errors->is_array() && !errors->empty()) {
        input_.findings.warn("W0630", found.line, "sacct reports an error: jobs may be missing",
                             "export again");
      }
    }
    if (found.is_rest) return;
    const json& job = found.value;
    if (member(job, "job_id") == nullptr && member(job, "time") == nullptr) return;
    ++input_.report.records;
    SlurmRecord record;
    record.line = found.line;
    const auto state = slurm_state_of(job);
    if (!read_id(job, record)) return jobs_.refuse(found.line, "a job without a job_id");
    if (!state) {
      return jobs_.refuse(found.line, fmt::format("job {} has no known state", record.id.job));
    }
    record.state = *state;
    read_times(job, record);
    if (!read_resources(job, record)) return;
    if (!read_names(job, record)) return;
    read_end(job, record);
    jobs_.add(record, true);
  }

  void finish() { jobs_.finish(); }

 private:
  bool read_id(const json& job, SlurmRecord& record) {
    const auto id = slurm_number(job, "job_id");
    if (!id || *id < 1) return false;
    record.raw_id = record.id.job = static_cast<std::uint32_t>(*id);
    const json& array = slurm_part(job, "array");
    const json& het = slurm_part(job, "het");
    if (const auto parent = slurm_number(array, "job_id"); parent && *parent > 0) {
      record.id.job = static_cast<std::uint32_t>(*parent);
      record.id.task = slurm_small(array, "task_id", -1);
      tasks_ = text_at(array, "task");
      if (record.id.task < 0) record.id.tasks = tasks_;
    } else if (const auto leader = slurm_number(het, "job_id"); leader && *leader > 0) {
      record.id.job = static_cast<std::uint32_t>(*leader);
      record.id.part = slurm_small(het, "job_offset", 0);
    }
    return true;
  }

  static void read_times(const json& job, SlurmRecord& record) {
    const json& times = slurm_part(job, "time");
    record.submit = slurm_time_at(times, "submission");
    record.start = slurm_time_at(times, "start");
    record.end = slurm_time_at(times, "end");
    record.elapsed = slurm_length_at(times, "elapsed", 1);
    record.limit = slurm_length_at(times, "limit", 60);
  }

  bool read_resources(const json& job, SlurmRecord& record) {
    std::string list = resources_text(job, "allocated");
    const json* allocated = member(slurm_part(job, "tres"), "allocated");
    if (allocated == nullptr || allocated->empty()) list = resources_text(job, "requested");
    SlurmResources resources;
    resources.read(list);
    if (const auto nodes = slurm_number(job, "allocation_nodes"); nodes && *nodes > 0) {
      record.nodes = static_cast<std::int64_t>(*nodes);
    } else {
      record.nodes = resources.nodes();
    }
    record.gpus = resources.gpus().value_or(0);
    record.has_slices = resources.has_slices();
    if (resources.has_types()) {
      input_.findings.warn("W0622", record.line,
                           fmt::format("job {} has GPUs of a second type", record.id.job),
                           "they are counted as the first");
    }
    return name(record, std::string{resources.type()}, record.gpu_type);
  }

  bool name(const SlurmRecord& record, const std::string& text, std::uint32_t& to) {
    const auto number = jobs_.names().of_plain(text);
    if (!number) {
      jobs_.refuse(record.line, fmt::format("{} is no plain text", in_quotes(text)));
      return false;
    }
    to = *number;
    return true;
  }

  bool read_names(const json& job, SlurmRecord& record) {
    std::string user = text_at(job, "user");
    if (user.empty()) user = text_at(slurm_part(job, "association"), "user");
    return name(record, user, record.user) &&
           name(record, text_at(job, "partition"), record.partition) &&
           name(record, text_at(job, "account"), record.account) &&
           name(record, text_at(job, "cluster"), record.cluster) &&
           name(record, text_at(job, "kill_request_user"), record.stopped_by);
  }

  void read_end(const json& job, SlurmRecord& record) {
    record.by_person = record.stopped_by != 0 && jobs_.names().text(record.stopped_by) != "root";
    if (const auto restarts = slurm_number(job, "restart_cnt")) {
      record.restarts = static_cast<std::int64_t>(*restarts);
    }
    const json& exit = slurm_part(job, "exit_code");
    record.exit_code = slurm_small(exit, "return_code", 0);
    const json& signal = slurm_part(exit, "signal");
    record.signal = std::max(slurm_small(signal, "id", 0), slurm_small(signal, "signal_id", 0));
    bool readable = true;
    record.gpu_util =
        jobstats_gpu_util(text_at(slurm_part(job, "comment"), "administrator"), readable);
    if (!readable) {
      input_.findings.warn(
          "W0642", record.line,
          fmt::format("job {}: the summary of jobstats cannot be read", record.id.job));
    }
  }

  HistoryInput& input_;
  SlurmJobs jobs_;
  std::string tasks_;
};

}  // namespace

bool is_slurm_json(std::string_view head) {
  const auto has = [&](std::string_view text) { return head.find(text) != head.npos; };
  return has("\"jobs\"") && has("\"job_id\"") && has("\"submission\"") && has("\"elapsed\"");
}

void read_slurm_json(HistoryInput& input, const HistoryOptions& options, History& into) {
  SlurmJson reader{input, options, into};
  for_each_record(input, {slurm_arrays, slurm_keys, slurm_parts},
                  [&](const JsonRecord& record) { reader.read(record); });
  reader.finish();
}

}  // namespace reeve::scenarios
