#include "live/batch/updates.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "live/act/tried_call.hpp"
#include "live/batch/settings.hpp"
#include "live/events/json_fields.hpp"

namespace reeve::live {
namespace {

using nlohmann::json;

/// As the journal names it: `update_quota_share`.
std::string action_of(BatchResource resource) {
  std::string action = "update_" + std::string{name_of(resource)};
  std::replace(action.begin(), action.end(), ' ', '_');
  return action;
}

std::optional<BatchResource> resource_of(const std::string& action) {
  for (const BatchResource resource :
       {BatchResource::environment, BatchResource::scheduling_policy, BatchResource::queue,
        BatchResource::share, BatchResource::job}) {
    if (action == action_of(resource)) return resource;
  }
  return std::nullopt;
}

}  // namespace

BatchUpdater::BatchUpdater(Client& client, Clock& clock, ActionLog& log,
                           std::function<policy::Instant()> now, std::function<bool()> is_held_back)
    : client_{client},
      clock_{clock},
      log_{log},
      now_{std::move(now)},
      is_held_back_{std::move(is_held_back)},
      pace_{clock, std::chrono::milliseconds{200}} {}

/// Of a resource that is gone, no.
std::variant<bool, FailedCall> BatchUpdater::has_settings(BatchResource resource,
                                                          const json& parameters) {
  const std::string key{update_key(resource)};
  const auto found = described(client_, resource, parameters.value(key, ""));
  if (const auto* failed = std::get_if<FailedCall>(&found)) {
    if (failed->error.code == "ClientException") return false;
    return *failed;
  }
  const auto& value = std::get<std::optional<json>>(found);
  json wanted = parameters;
  wanted.erase(key);
  return value && changes_between(*value, wanted).empty();
}

std::optional<FailedCall> BatchUpdater::settle_open() {
  std::vector<std::pair<std::string, ActionLog::Standing>> open;
  for (const auto& [id, standing] : log_.standing()) {
    if (standing.outcome.empty() && resource_of(standing.action)) open.emplace_back(id, standing);
  }
  for (const auto& [id, standing] : open) {
    const BatchResource resource = *resource_of(standing.action);
    const json parameters = json::parse(standing.parameters, nullptr, false);
    ActionEnd end;
    end.detail = "an earlier run ended before it";
    if (standing.is_sent && parameters.is_object()) {
      const auto has = has_settings(resource, parameters);
      if (const auto* failed = std::get_if<FailedCall>(&has)) return *failed;
      if (std::get<bool>(has)) {
        end.outcome = policy::Outcome::done;
        end.detail = "found after a restart";
      }
    }
    log_.settle(now_(), id, end);
  }
  return std::nullopt;
}

/// The priority of a job that has ended meanwhile matters no more.
void BatchUpdater::look_at_ended_job(const BatchUpdate& update, ActionEnd& end) {
  if (update.resource != BatchResource::job || end.outcome != policy::Outcome::refused) return;
  if (end.concerns_all) return;
  const auto found =
      described(client_, BatchResource::job, update.parameters.value("jobId", std::string{}));
  const auto* failed = std::get_if<FailedCall>(&found);
  const bool is_gone = failed != nullptr && failed->error.code == "ClientException";
  const auto* value = std::get_if<std::optional<json>>(&found);
  const std::string status = value != nullptr && *value ? text_of(**value, "status") : "";
  if (!is_gone && status != "SUCCEEDED" && status != "FAILED") return;
  end.outcome = policy::Outcome::done;
  end.detail = "the job has ended";
}

ActionEnd BatchUpdater::carry_out(const BatchUpdate& update) {
  const policy::Instant at = now_();
  const std::string action = action_of(update.resource);
  const std::string written =
      update.parameters.dump(-1, ' ', false, json::error_handler_t::replace);
  const std::string id = ActionLog::update_id(action, written, at);
  log_.plan(at, {id,
                 "live batch",
                 action,
                 "",
                 {{"resource", update.name}, {"change", update.change}, {"parameters", written}}});
  std::optional<ActionEnd>& denied = denied_[static_cast<std::size_t>(update.resource)];
  ActionEnd end;
  if (denied) {
    end.outcome = policy::Outcome::refused;
    end.code = "NotSent";
    end.detail = "an earlier call of its kind was refused";
  } else {
    const std::string operation{update_of(update.resource)};
    end = live::carry_out(
        client_, clock_, pace_,
        {.call = {services::batch, operation, update.parameters},
         .on_try =
             [&](std::uint32_t number) { log_.send(now_(), id, number, "batch:" + operation); },
         .has_worked =
             [&] {
               const auto has = has_settings(update.resource, update.parameters);
               const bool* known = std::get_if<bool>(&has);
               return known != nullptr && *known;
             },
         .is_held_back = is_held_back_});
    look_at_ended_job(update, end);
    if (end.concerns_all) denied = end;
  }
  log_.settle(now_(), id, end);
  return end;
}

}  // namespace reeve::live
