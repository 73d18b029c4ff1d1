#include "app/live/observed_fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "app/live/recorded_samples.hpp"
#include "app/usage_error.hpp"
#include "live/aws/timestamps.hpp"
#include "live/feed/event_lines.hpp"
#include "report/format.hpp"
#include "scenarios/load.hpp"
#include "scenarios/load/resolved/live_types.hpp"
#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/json_syntax.hpp"

namespace reeve::app {
namespace {

namespace fs = std::filesystem;
using live::TrainingJobState;
using nlohmann::ordered_json;
using policy::Duration;
using policy::Instant;
using policy::Secondary;

constexpr const char* status_file = "status.json";

UsageError changed(const std::string& file, const std::string& what) {
  return UsageError{file + ": " + what + " cannot be read",
                    "reeve writes this file; it was changed"};
}

std::string length_text(Duration length) {
  std::string text;
  report::append_seconds(text, length);
  return text + 's';
}

Instant instant_in(const RecordedShadow& record, const char* key, const std::string& directory) {
  if (!record.status.contains(key)) {
    throw UsageError{scenarios::in_quotes(directory) + " has no step yet",
                     "wait for the first event; reeve live status " + directory};
  }
  if (const auto at = live::parse_iso_date(status_text(record, key))) return *at;
  throw changed(status_file, key);
}

TimeByStatus spent_by(const TrainingJobState& job, Instant end) {
  TimeByStatus spent;
  for (std::size_t at = 0; at < job.transitions.size(); ++at) {
    const live::StatusTransition& entered = job.transitions[at];
    const bool is_last = at + 1 == job.transitions.size();
    if (is_last && policy::is_terminal(job.primary)) break;
    const Instant left = entered.end ? *entered.end : is_last ? end : job.transitions[at + 1].start;
    spent[entered.status] += std::max(left - entered.start, Duration{0});
  }
  return spent;
}

ObservedJob observed(const TrainingJobState& job, Instant end) {
  ObservedJob seen;
  seen.name = job.name;
  seen.created = *job.created;
  seen.spent = spent_by(job, end);
  seen.is_over = policy::is_terminal(job.primary);
  seen.completed = job.primary == policy::Primary::completed;
  seen.billed = job.billable;
  if (!seen.billed && seen.is_over && job.started && job.ended) {
    seen.billed = std::max(*job.ended - *job.started, Duration{0});
  }
  return seen;
}

/// The fleet of the configuration that has such a job.
const policy::PoolFacts* fleet_of(const policy::Directory& directory, const TrainingJobState& job) {
  const bool spot = job.spot.value_or(false);
  for (const policy::PoolFacts& pool : directory.pools) {
    if (directory.types[pool.type.index].name != job.instance_type) continue;
    if ((pool.market == policy::Market::spot) == spot) return &pool;
  }
  return nullptr;
}

bool is_sagemaker_name(const std::string& text) {
  constexpr std::size_t longest = 63;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  };
  return text.size() <= longest && std::all_of(text.begin(), text.end(), fits);
}

/// Why the simulator cannot run the job; empty: it can.
std::string obstacle(const TrainingJobState& job, const ObservedJob& seen, bool has_fleet) {
  if (!is_sagemaker_name(job.name)) return "with a name that SageMaker does not accept";
  if (job.transitions.empty()) return "without a status";
  if (!has_fleet) return "of instances without a fleet";
  if (seen.is_over && !seen.spent.contains(Secondary::training)) return "ended before training";
  return {};
}

/// `trace`: a file with its GPU utilization; empty: none.
ordered_json job_json(const TrainingJobState& job, const ObservedJob& seen,
                      const std::string& fleet, const std::string& trace, Instant start,
                      Duration horizon) {
  const auto trained = seen.spent.find(Secondary::training);
  Duration work = trained == seen.spent.end() ? Duration{0} : trained->second;
  if (!seen.is_over) work += horizon;
  // Its limit ends it again.
  if (job.secondary == Secondary::max_runtime_exceeded) work += std::chrono::hours{1};
  ordered_json out{{"name", job.name},
                   {"fleet", fleet},
                   {"instances", std::max(job.instances, 1U)},
                   {"submit", length_text(*job.created - start)},
                   {"work", length_text(std::max(work, Duration{std::chrono::seconds{1}}))}};
  if (job.max_runtime) out["max_runtime"] = length_text(*job.max_runtime);
  if (job.max_wait && job.spot.value_or(false)) out["max_wait"] = length_text(*job.max_wait);
  if (!trace.empty()) out["gpu_util"] = {{"trace", trace}, {"format", "csv"}};
  for (const auto& [key, value] : job.tags.value_or(std::vector<policy::Tag>{})) {
    if (key.starts_with("reeve:")) continue;  // they describe a live job
    out["tags"][key] = value;
  }
  return out;
}

/// The file with the GPU utilization of the job; empty: it is not known.
std::string trace_of(const TrainingJobState& job, const RecordedSamples& samples,
                     std::uint32_t gpus, TraceFiles& files) {
  for (const live::StatusTransition& entered : job.transitions) {
    if (entered.status != Secondary::training) continue;
    const auto trace = samples.trace(job.name, entered.start, gpus);
    return trace ? files.add(*trace) : std::string{};
  }
  return {};
}

/// The configuration with these jobs in the place of an account.
scenarios::Scenario scenario_with(const scenarios::SourceFile& configuration,
                                  const fs::path& folder, ordered_json jobs, Instant start,
                                  Duration horizon) {
  ordered_json document = ordered_json::parse(
      scenarios::without_trailing_commas(configuration.text()), nullptr, false, true);
  if (!document.is_object()) throw changed(configuration.name(), "the JSON");
  document.erase("live");
  document["clock"] = {{"start", report::instant(start)}, {"horizon", length_text(horizon)}};
  document["jobs"] = std::move(jobs);
  const auto source = scenarios::SourceFile::from_text(configuration.name(), document.dump(2));
  return std::move(scenarios::load(source, folder).scenario);
}

/// What the events tell of all jobs.
class Told {
 public:
  Told(const fs::path& root, scenarios::Scenario& configuration)
      : roster_{configuration.world.directory, configuration.live->account,
                configuration.live->region, [&](std::string_view name) {
                  return scenarios::type_of_account(*configuration.live, name);
                }} {
    const fs::path file = root / "events.jsonl";
    std::ifstream lines{file, std::ios::binary};
    if (!fs::is_regular_file(file) || !lines) throw changed(file.string(), "the file");
    live::EventLines feed{lines, roster_};
    host::Intake intake;
    while (feed.advance(policy::never, intake) != policy::never) intake.clear();
    unreadable_ = feed.unreadable();
  }
  std::uint64_t unreadable() const { return unreadable_; }
  std::vector<const TrainingJobState*> jobs() const { return roster_.training_jobs(); }

 private:
  live::Roster roster_;
  std::uint64_t unreadable_ = 0;
};

}  // namespace

std::string status_text(const RecordedShadow& record, const char* key) {
  const auto found = record.status.find(key);
  if (found == record.status.end() || !found->is_string()) throw changed(status_file, key);
  return found->get<std::string>();
}

ObservedFleet read_observed_fleet(const std::string& directory, const RecordedShadow& record) {
  ObservedFleet fleet;
  fleet.from = instant_in(record, "from", directory);
  fleet.to = instant_in(record, "to", directory);
  constexpr std::chrono::days longest{3'660};
  if (fleet.to < fleet.from || fleet.to - fleet.from > longest) throw changed(status_file, "to");
  const fs::path root{directory};
  const fs::path folder{status_text(record, "folder")};
  const auto source = scenarios::SourceFile::load(root / "configuration.jsonc");
  scenarios::Scenario configuration = scenarios::load(source, folder).scenario;
  if (!configuration.live) throw changed(source->name(), "the key \"live\"");
  const policy::Directory fleets = configuration.world.directory;
  const Told told{root, configuration};
  const RecordedSamples samples{root / "metrics.csv"};
  TraceFiles traces;
  fleet.unreadable = told.unreadable() + samples.unreadable();
  Instant start = fleet.to;
  for (const TrainingJobState* job : told.jobs()) {
    if (job->created) start = std::min(start, *job->created);
  }
  if (start == fleet.to || fleet.to - start > longest) {
    throw UsageError{scenarios::in_quotes(directory) + " has no training job yet",
                     "reeve live status " + directory};
  }
  // What waits longer than it did must end, too.
  const Duration horizon = 2 * (fleet.to - start);
  ordered_json jobs = ordered_json::array();
  for (const TrainingJobState* job : told.jobs()) {
    if (!job->created) {
      ++fleet.left_out["without a creation time"];
      continue;
    }
    ObservedJob seen = observed(*job, fleet.to);
    const policy::PoolFacts* const pool = fleet_of(fleets, *job);
    if (const std::string why = obstacle(*job, seen, pool != nullptr); !why.empty()) {
      ++fleet.left_out[why];
      continue;
    }
    const std::string trace = trace_of(*job, samples, fleets.types[pool->type.index].gpus, traces);
    jobs.push_back(job_json(*job, seen, pool->name, trace, start, horizon));
    fleet.jobs.push_back(std::move(seen));
  }
  fleet.scenario = scenario_with(*source, folder, std::move(jobs), start, horizon);
  fleet.scenario.name = status_text(record, "configuration");
  return fleet;
}

}  // namespace reeve::app
