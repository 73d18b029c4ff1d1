#include "live/act/logged_action.hpp"

#include <reeve/policy/training_job_name.hpp>
#include <variant>

#include "host/enum_names.hpp"
#include "host/target.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::live {
namespace {

void describe_stop(const policy::Verb& verb, const Roster& roster, LoggedAction& action) {
  const host::Target of = host::target(verb);
  const TrainingJobState* job = roster.known(of.job, of.attempt);
  const policy::Instant created =
      job != nullptr && job->created ? *job->created : policy::Instant{};
  action.id = ActionLog::stop_id(action.job, created);
  action.details["created"] = iso_date(created);
}

void describe_clone(const policy::CloneJob& clone, const Roster& roster, LoggedAction& action) {
  const auto before = static_cast<policy::AttemptNumber>(clone.attempt - 1);
  action.job = roster.name(clone.job, before);
  const std::string first = roster.name(clone.job, 1);
  const std::string name = clone.naming == policy::CloneNaming::appended
                               ? policy::appended_name(first, clone.attempt)
                               : roster.name(clone.job, clone.attempt);
  action.id = ActionLog::clone_id(name);
  action.details["new_job"] = name;
  action.details["attempt"] = clone.attempt;
}

}  // namespace

LoggedAction logged_action(const Decided& decided, const Roster& roster) {
  const host::Target of = host::target(decided.verb);
  LoggedAction action;
  action.rule = decided.rule;
  action.action = host::name_of(host::kind_of(decided.verb));
  action.job = roster.name(of.job, of.attempt);
  if (const auto* clone = std::get_if<policy::CloneJob>(&decided.verb)) {
    describe_clone(*clone, roster, action);
  } else if (std::holds_alternative<policy::Notify>(decided.verb)) {
    action.id = ActionLog::message_id(action.rule, action.job, decided.incident);
    action.details["incident"] = of.incident;
  } else {
    describe_stop(decided.verb, roster, action);
  }
  action.details["reason"] = decided.reason;
  action.details["basis"] = decided.basis;
  return action;
}

std::string owner_of(const Roster& roster, policy::JobId job, policy::AttemptNumber attempt) {
  const TrainingJobState* state = roster.known(job, attempt);
  if (state == nullptr || !state->tags) return {};
  for (const auto& [key, value] : *state->tags) {
    if (key == "owner") return value;
  }
  return {};
}

}  // namespace reeve::live
