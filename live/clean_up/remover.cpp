#include "live/clean_up/remover.hpp"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/enum_names.hpp"
#include "live/act/outcomes.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::live {
namespace {

using host::ReplyKind;
using nlohmann::json;
using policy::Outcome;
using policy::VerbKind;

constexpr std::uint32_t most_tries = 5;

/// How AWS removes a kind of resource.
struct Way {
  VerbKind verb;
  Service service;
  const char* operation;
  std::string_view call;  ///< as IAM names it
  const char* parameter;
  std::size_t most;  ///< of a call
};

/// DeleteAlarms takes a hundred names.  TerminateInstances would fail for all if one is protected.
const Way& way_of(ResourceKind kind) {
  static const Way alarms{VerbKind::delete_alarm,    services::cloudwatch, "DeleteAlarms",
                          "cloudwatch:DeleteAlarms", "AlarmNames",         100};
  static const Way instances{VerbKind::terminate_instances, services::ec2, "TerminateInstances",
                             "ec2:TerminateInstances",      "InstanceId",  1};
  return kind == ResourceKind::alarm ? alarms : instances;
}

std::vector<std::string> ids_of(const std::vector<Removal*>& batch) {
  std::vector<std::string> ids;
  ids.reserve(batch.size());
  for (const Removal* removal : batch) ids.push_back(removal->resource.id);
  return ids;
}

std::string id_in_log(const Resource& resource) {
  return ActionLog::removal_id(resource.id, resource.made);
}

Resource* find_in(std::vector<Resource>& resources, const std::string& id) {
  const auto found = std::find_if(resources.begin(), resources.end(),
                                  [&](const Resource& each) { return each.id == id; });
  return found == resources.end() ? nullptr : &*found;
}

}  // namespace

Remover::Remover(Client& client, Clock& clock, AccountResources& resources, ActionLog& log,
                 RemoverSettings settings)
    : client_{client},
      clock_{clock},
      resources_{resources},
      log_{log},
      settings_{std::move(settings)},
      pace_{clock, std::chrono::seconds{1}} {}

policy::Instant Remover::now() {
  return std::chrono::floor<std::chrono::milliseconds>(clock_.now() + client_.clock_correction());
}

std::optional<FailedCall> Remover::settle_open(policy::Instant at) {
  std::optional<FailedCall> failed;
  for (const ResourceKind kind : {ResourceKind::alarm, ResourceKind::instance}) {
    std::map<std::string, std::string> open;  // ids in the log, by resource
    for (const auto& [id, standing] : log_.standing()) {
      const bool is_ours = standing.action == host::name_of(way_of(kind).verb);
      if (is_ours && standing.outcome.empty()) open[standing.resource] = id;
    }
    std::vector<std::string> names;
    for (const auto& [name, id] : open) names.push_back(name);
    if (names.empty()) continue;
    auto found = resources_.still_there(kind, names);
    if (const auto* call = std::get_if<FailedCall>(&found)) {
      failed = *call;
      continue;
    }
    for (const auto& [name, id] : open) {
      const Resource* there = find_in(std::get<std::vector<Resource>>(found), name);
      const bool is_same = there != nullptr && id_in_log(*there) == id;
      ActionEnd end;
      end.outcome = there != nullptr ? Outcome::expired : Outcome::done;
      end.detail = there == nullptr ? "found after a restart"
                   : is_same        ? "an earlier run ended before it"
                                    : "it was changed since";
      log_.settle(at, id, end);
    }
  }
  return failed;
}

void Remover::remove(std::span<Removal> removals) {
  for (auto next = removals.begin(); next != removals.end();) {
    const ResourceKind kind = next->resource.kind;
    Batch batch;
    for (; next != removals.end() && next->resource.kind == kind; ++next) {
      if (batch.size() == way_of(kind).most) break;
      if (log_.is_done(id_in_log(next->resource))) {
        next->outcome = "done before";
      } else {
        batch.push_back(&*next);
      }
    }
    remove_batch(std::move(batch));
  }
}

std::vector<FailedCall> Remover::denied() const {
  std::vector<FailedCall> calls;
  for (const auto& [kind, error] : denied_) {
    calls.push_back({std::string{way_of(kind).call}, error});
  }
  return calls;
}

void Remover::remove_batch(Batch batch) {
  if (batch.empty()) return;
  const ResourceKind kind = batch.front()->resource.kind;
  if (const auto denied = denied_.find(kind); denied != denied_.end()) {
    for (Removal* removal : batch) {
      removal->end.code = denied->second.code;
      removal->outcome = "refused";
      removal->end.detail = "not sent: an earlier call was refused";
    }
    return;
  }
  if (settings_.is_held_back()) return hold_back(batch, true);
  std::chrono::seconds wait{1};
  for (std::uint32_t number = 1; number <= most_tries && !batch.empty(); ++number) {
    if (number > 1) {
      clock_.sleep(wait);
      wait *= 2;
    }
    pace_.wait();
    const bool is_known = look_before(batch);
    if (settings_.is_held_back()) return hold_back(batch, is_known);
    if (!is_known || batch.empty()) continue;
    const CallResult result = send(batch);
    switch (reply_kind(way_of(kind).operation, result)) {
      case ReplyKind::done:
      case ReplyKind::partly_done:
        return await_end(batch);
      case ReplyKind::rejected:
      case ReplyKind::no_room:
        return refuse(batch, *result.error);
      case ReplyKind::throttled:
      case ReplyKind::unknown:  // the next look tells
        break;
    }
    for (Removal* removal : batch) removal->end.code = result.error->code;
  }
  hold_back(batch, look_after(batch, "the reply was lost"));
}

/// Takes out of the batch what is gone or may not be removed any more.  False: that is unknown.
bool Remover::look_before(Batch& batch) {
  settings_.on_look();
  auto found = resources_.still_there(batch.front()->resource.kind, ids_of(batch));
  if (const auto* failed = std::get_if<FailedCall>(&found)) {
    for (Removal* removal : batch) removal->end.code = failed->error.code;
    return false;
  }
  bool is_known = true;
  Batch left;
  for (Removal* removal : batch) {
    Resource* there = find_in(std::get<std::vector<Resource>>(found), removal->resource.id);
    if (there == nullptr) {
      settle(*removal, Outcome::done,
             removal->end.tries == 0 ? "it had gone before" : "the reply was lost");
      continue;
    }
    const Judgement again = settings_.judge_again(*there);
    if (there->made != removal->resource.made) {
      settle(*removal, Outcome::refused, "it was changed since it was listed");
    } else if (again.verdict == Verdict::unread) {
      removal->end.detail = again.finding;
      is_known = false;
      left.push_back(removal);
    } else if (again.verdict != Verdict::remove) {
      settle(*removal, Outcome::refused,
             again.finding.empty() ? "it is in use again" : again.finding);
    } else {
      left.push_back(removal);
    }
  }
  batch = std::move(left);
  return is_known;
}

/// Settles what is gone as done and takes it out of the batch.  False: that is unknown.
bool Remover::look_after(Batch& batch, const std::string& how) {
  if (batch.empty()) return true;
  auto found = resources_.still_there(batch.front()->resource.kind, ids_of(batch));
  if (std::holds_alternative<FailedCall>(found)) return false;
  std::erase_if(batch, [&](Removal* removal) {
    const bool is_gone =
        find_in(std::get<std::vector<Resource>>(found), removal->resource.id) == nullptr;
    if (is_gone) settle(*removal, Outcome::done, how);
    return is_gone;
  });
  return true;
}

/// AWS has accepted the call; what it removed may be listed for a while.
void Remover::await_end(Batch& batch) {
  std::chrono::seconds wait{1};
  bool is_known = look_after(batch, "");
  for (std::uint32_t look = 1; look < most_tries && !batch.empty(); ++look) {
    clock_.sleep(wait);
    wait *= 2;
    is_known = look_after(batch, "");
  }
  for (Removal* removal : batch) {
    if (is_known) {
      settle(*removal, Outcome::expired, "AWS accepted the call, and it is still there");
    } else {
      removal->outcome = "in flight";
    }
  }
}

CallResult Remover::send(const Batch& batch) {
  const Way& way = way_of(batch.front()->resource.kind);
  json ids = json::array();
  for (Removal* removal : batch) {
    const Resource& resource = removal->resource;
    const std::string id = id_in_log(resource);
    if (removal->end.tries == 0) {
      log_.plan(now(), {id,
                        settings_.rule,
                        std::string{host::name_of(way.verb)},
                        removal->judgement.job,
                        {{"resource", resource.id},
                         {"made", iso_date(resource.made)},
                         {"reason", removal->judgement.finding}}});
    }
    log_.send(now(), id, ++removal->end.tries, way.call);
    ids.push_back(resource.id);
  }
  Call call{way.service, way.operation, {{way.parameter, std::move(ids)}}};
  call.max_attempts = 1;  // before each try it is looked at again
  return client_.call(call);
}

void Remover::refuse(Batch& batch, const CallError& error) {
  for (Removal* removal : batch) removal->end.code = error.code;
  if (concerns_all(error)) denied_.emplace(batch.front()->resource.kind, error);
  if (!concerns_all(error) && batch.size() > 1) {
    for (Removal* removal : batch) remove_batch({removal});
    return;
  }
  look_after(batch, "it had gone before");
  for (Removal* removal : batch) settle(*removal, Outcome::refused, error.message);
}

/// What was not sent has no entry in the journal.
void Remover::settle(Removal& removal, Outcome outcome, std::string detail) {
  removal.end.outcome = outcome;
  removal.end.detail = std::move(detail);
  if (outcome == Outcome::done) removal.end.code.clear();
  removal.outcome = host::name_of(outcome);
  const std::string id = id_in_log(removal.resource);
  const auto standing = log_.standing().find(id);
  if (removal.end.tries > 0 && standing != log_.standing().end()) {
    log_.settle(now(), id, removal.end);
  }
}

/// The rest of a batch, to which nothing is sent any more.
void Remover::hold_back(const Batch& batch, bool is_known) {
  for (Removal* removal : batch) {
    if (removal->end.tries == 0) {
      removal->outcome = "not sent";
    } else if (is_known) {
      settle(*removal, Outcome::expired, "no try had an effect");
    } else {
      removal->outcome = "in flight";
    }
  }
}

}  // namespace reeve::live
