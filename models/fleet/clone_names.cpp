#include "models/fleet/clone_names.hpp"

#include <reeve/policy/training_job_name.hpp>

namespace reeve::models {

const AttemptNames& CloneNames::names() {
  if (!names_) names_.emplace(jobs_);
  return *names_;
}

std::optional<policy::JobId> CloneNames::job(const std::string& name) {
  return names().job(name);
}

bool CloneNames::append(policy::JobId job, policy::AttemptNumber attempt) {
  std::string name = policy::appended_name(jobs_.name(job), attempt);
  if (name.size() > policy::training_job_name_max || names().job(name)) return false;
  return appended_.insert(std::move(name)).second;
}

}  // namespace reeve::models
