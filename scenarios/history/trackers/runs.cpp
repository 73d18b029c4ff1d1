#include "scenarios/history/trackers/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "scenarios/history/reading/json_records.hpp"
#include "scenarios/records/market_reading.hpp"
#include "scenarios/text/decimal.hpp"
#include "scenarios/text/quantity.hpp"
#include "scenarios/text/utf8.hpp"

namespace reeve::scenarios {
namespace {

using nlohmann::json;
using policy::Instant;

/// Settings that name a job, in small letters and digits only; the first that a run has counts.
constexpr auto job_settings = std::to_array<std::string_view>(
    {"trainingjobname", "smtrainingjobname", "sagemakertrainingjobname", "sagemakerjobname",
     "sagemakerjob", "slurmjobid", "awsbatchjobid", "jobname"});
constexpr std::size_t most_seen = 200;
constexpr std::size_t deepest_setting = 8;

using RunStateRow = std::pair<std::string_view, std::string_view>;
constexpr auto run_states = std::to_array<RunStateRow>({
    {"running", "running"},
    {"finished", "finished"},
    {"failed", "failed"},
    {"crashed", "crashed"},
    {"killed", "killed"},
    {"preempted", "killed"},
    {"preempting", "running"},
    {"pending", "running"},
    {"scheduled", "running"},
});

std::string plain_letters(std::string_view text, bool keeps_all) {
  std::string plain;
  for (const char c : text) {
    const char low = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (keeps_all || (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9')) plain += low;
  }
  return plain;
}

std::string setting_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_integer() ? value.dump() : std::string{};
}

}  // namespace

bool is_run_json(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const std::size_t begin = head.find_first_not_of(" \t\r\n");
  return begin != head.npos && (head[begin] == '{' || head[begin] == '[');
}

std::optional<Instant> run_time(std::string_view text) {
  text = trimmed(text);
  const std::size_t point = std::min(text.find('.'), text.size());
  if (point > 0 && text.substr(0, point).find_first_not_of("0123456789") == text.npos) {
    const ScaledDecimal number = scale_decimal(text, 3, Rounding::nearest);
    constexpr std::int64_t year_5138 = 100'000'000'000;  // in seconds; in milliseconds 1973
    if (number.fault != DecimalFault::none || number.value <= 0) return {};
    const bool is_ms = number.value / 1000 > year_5138;
    const std::int64_t ms = is_ms ? number.value / 1000 : number.value;
    // Compared in milliseconds: in nanoseconds, a far time overflows.
    if (ms > floor<std::chrono::milliseconds>(latest_instant.time_since_epoch()).count()) return {};
    return Instant{std::chrono::milliseconds{ms}};
  }
  return instant_of(text);
}

std::optional<Instant> run_time_at(const json& object, std::string_view key) {
  const std::string text = text_at(object, key);
  return text.empty() ? std::nullopt : run_time(text);
}

void RunList::setting(std::string_view group, std::string_view name, std::string_view value) {
  if (!wanted_.empty()) {
    if (seen_.size() < most_seen) seen_.insert(fmt::format("{}.{}", group, name));
    if (wanted_ != name && wanted_ != fmt::format("{}.{}", group, name)) return;
    is_known_ = true;
    if (job_.empty()) job_ = value;
    return;
  }
  const std::string plain = plain_letters(name, false);
  const auto found = std::find(job_settings.begin(), job_settings.end(), plain);
  const auto rank = static_cast<std::size_t>(found - job_settings.begin());
  if (found == job_settings.end() || value.empty() || (!job_.empty() && rank >= rank_)) return;
  job_ = value;
  rank_ = rank;
}

void RunList::settings(std::string_view group, const json& object) {
  if (!object.is_object()) return;
  const auto nested = [&](const auto& self, const std::string& before, const json& parent,
                          std::size_t depth) -> void {
    for (const auto& [key, value] : parent.items()) {
      const json* wrapped = member(value, "value");
      const json& bare = wrapped != nullptr ? *wrapped : value;
      const std::string name = before + key;
      if (bare.is_object()) {
        if (depth < deepest_setting) self(self, name + '.', bare, depth + 1);
      } else {
        setting(group, name, setting_text(bare));
      }
    }
  };
  nested(nested, "", object, 0);
}

void RunList::add(TrackedRun run, std::string_view state, std::uint64_t line) {
  ++input_.report.records;
  run.job = std::exchange(job_, {});
  const auto fault = [&](std::string message) {
    input_.findings.warn("W0632", line, std::move(message));
  };
  if (run.id.empty()) return fault("a run without an id");
  for (const std::string& text : {run.id, run.job}) {
    if (find_invalid_utf8(text) != text.npos) return fault("a run whose id or job is not UTF-8");
  }
  const std::string word = plain_letters(state, true);
  const auto known = std::find_if(run_states.begin(), run_states.end(),
                                  [&](const RunStateRow& row) { return row.first == word; });
  if (known == run_states.end()) {
    return fault(
        fmt::format("run {} has the unknown state {}", in_quotes(run.id), in_quotes(state)));
  }
  run.state = known->second;
  for (const auto& time : {run.started, run.ended, run.last_heartbeat}) {
    if (time) into_.see(*time);
  }
  ++runs_;
  ++input_.report.used;
  joined_ += run.job.empty() ? 0U : 1U;
  into_.runs.push_back(std::move(run));
}

void RunList::miss_page(std::uint64_t line) {
  input_.findings.warn("W0631", line, "a page of runs is missing", "export all pages");
}

void RunList::finish() {
  if (runs_ == 0) return;
  if (!wanted_.empty() && !is_known_) {
    const std::string help = did_you_mean(wanted_, seen_);
    throw InputError{
        about_trace(input_.name, "E0411", fmt::format("no run has the setting {}", wanted_),
                    help.empty() ? "--join takes config.KEY, tags.KEY or params.KEY" : help)};
  }
  if (joined_ == 0) {
    input_.findings.warn("W0644", 0,
                         fmt::format("{}, and none names its job", counted(runs_, "run")),
                         "--join config.KEY names the setting that does");
  }
}

}  // namespace reeve::scenarios
