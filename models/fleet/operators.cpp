#include "models/fleet/operators.hpp"

#include <algorithm>
#include <limits>

namespace reeve::models {

const Human* Operators::of(policy::JobId job) const {
  const std::string& owner = core_.profile(job).owner;
  if (owner.empty()) return nullptr;
  for (const Human& human : core_.world.humans) {
    if (human.owner == owner) return &human;
  }
  return nullptr;
}

/// The list is made once, for all operators together: owners are told apart by profile.
const std::vector<policy::JobId>& Operators::jobs_of(const Human& human) {
  if (jobs_of_owner_.empty()) {
    std::vector<std::vector<policy::JobId>*> list_of_profile;
    for (const JobProfile& kind : core_.world.profiles) {
      list_of_profile.push_back(&jobs_of_owner_[kind.owner]);
    }
    for (std::uint32_t index = 0; index < core_.truth.size(); ++index) {
      const policy::JobId job{index};
      list_of_profile[core_.spec(job).profile]->push_back(job);
    }
  }
  return jobs_of_owner_[human.owner];
}

bool Operators::is_away(const Human& human, Instant at) const {
  return std::any_of(human.away.begin(), human.away.end(), [&](const auto& absence) {
    return policy::later(core_.world.start, absence.first) <= at &&
           at < policy::later(core_.world.start, absence.second);
  });
}

Instant Operators::reads_at(const Human& human, Instant sent) const {
  Instant at = policy::later(sent, *human.reads_within);
  for (const auto& [from, until] : human.away) {  // in order
    const Instant back = policy::later(core_.world.start, until);
    if (policy::later(core_.world.start, from) > at || at >= back) continue;
    at = back == policy::never ? back : policy::later(back, *human.reads_within);
  }
  return at;
}

bool Operators::may_resubmit(policy::JobId job) const {
  return core_.record.job_rows[job.index].status != policy::Primary::completed &&
         core_.truth[job.index].attempts < std::numeric_limits<policy::AttemptNumber>::max();
}

bool Operators::wants_again(policy::JobId job) const {
  return may_resubmit(job) && !core_.truth[job.index].ends_as_logged;
}

bool Operators::will_resubmit(Instant from) const {
  if (core_.world.humans.empty()) return false;
  for (std::uint32_t index = 0; index < core_.truth.size(); ++index) {
    if (!wants_again({index})) continue;
    const Human* human = of({index});
    if (human != nullptr && will_resubmit({index}, *human, from)) return true;
  }
  return false;
}

bool Operators::will_resubmit(policy::JobId job, const Human& human, Instant from) const {
  const auto comes = [&](Instant at) {
    return at >= from && at != policy::never && !is_away(human, at);
  };
  const Instant ended = core_.record.job_rows[job.index].end;
  if (human.reacts_within && !is_away(human, ended) &&
      comes(policy::later(ended, *human.reacts_within))) {
    return true;
  }
  return human.on_return != OnReturn::nothing &&
         std::any_of(human.away.begin(), human.away.end(), [&](const auto& absence) {
           return comes(policy::later(core_.world.start, absence.second));
         });
}

}  // namespace reeve::models
