#include "app/live/plan_file.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "app/live/kill_places.hpp"
#include "app/usage_error.hpp"
#include "host/enum_names.hpp"
#include "live/aws/sigv4.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::app {
namespace {

using nlohmann::ordered_json;

constexpr const char* make_one = "reeve live plan CONFIGURATION --out plan.json";

policy::Instant instant_at(const ordered_json& object, const char* key) {
  const auto at = live::parse_iso_date(object.at(key).get<std::string>());
  if (!at) throw std::invalid_argument{key};
  return *at;
}

PlannedAction action_of(const ordered_json& row) {
  return {row.at("rule"),   row.at("action"), row.at("training_job"), instant_at(row, "created"),
          row.at("reason"), row.at("basis")};
}

}  // namespace

ordered_json enforceable(const RuleRun& rules, const live::AccountJobs& jobs) {
  std::map<std::string, policy::Instant> created;
  for (const live::FleetEvent& event : jobs.jobs) {
    const auto& job = std::get<live::TrainingJobState>(event.detail);
    if (job.created) created[job.name] = *job.created;
  }
  ordered_json actions = ordered_json::array();
  for (const Proposal& row : rules.proposals()) {
    const auto job = created.find(row.name);
    if (!rules.would_act(row) || job == created.end()) continue;
    actions.push_back({{"rule", row.rule},
                       {"action", host::name_of(row.action)},
                       {"training_job", row.name},
                       {"created", live::iso_date(job->second)},
                       {"reason", row.reason},
                       {"basis", row.basis}});
  }
  const scenarios::GuardSpec& guards = rules.guards();
  const live::KillPlaces kill = kill_places(rules.settings(), std::nullopt);
  // The file is of this machine; elsewhere --kill-file names another.
  const std::string file =
      kill.file.empty() ? kill.file : std::filesystem::absolute(kill.file).string();
  ordered_json written{
      {"stops_per_hour", nullptr},
      {"protected_tags", guards.protected_tags},
      {"kill_switch",
       {{"file", file}, {"parameter", kill.parameter}, {"tag", kill.tag}, {"queue", kill.queue}}},
      {"actions", std::move(actions)}};
  if (guards.stops_per_hour) written["stops_per_hour"] = *guards.stops_per_hour;
  return written;
}

PlanFile read_plan(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw UsageError{file + " cannot be read", make_one};
  if (!text.str().starts_with(plan_begins)) throw UsageError{file + " is no plan", make_one};
  try {
    const ordered_json read = ordered_json::parse(text.str());
    const ordered_json& enforce = read.at("enforce");
    PlanFile plan{
        instant_at(read, "at"), read.at("account"), read.at("region"), {}, {}, {}, {}, {}};
    if (const auto& most = enforce.at("stops_per_hour"); !most.is_null())
      plan.stops_per_hour = most;
    plan.protected_tags = enforce.at("protected_tags");
    const ordered_json& kill = enforce.at("kill_switch");
    plan.kill_switch = {kill.at("file"), kill.at("parameter"), kill.at("tag"), kill.at("queue")};
    for (const ordered_json& row : enforce.at("actions")) plan.actions.push_back(action_of(row));
    plan.digest = live::sha256_hex(text.str());
    return plan;
  } catch (const std::exception&) {
    throw UsageError{file + " is a damaged plan", make_one};
  }
}

}  // namespace reeve::app
