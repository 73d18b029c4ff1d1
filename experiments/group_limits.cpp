#include "experiments/group_limits.hpp"

#include <reeve/policy/known_options.hpp>

#include "scenarios/load/resolved/share_reach.hpp"

namespace reeve::experiments {

GroupLimits::GroupLimits(const models::World& world, const scenarios::PolicySpec& policy,
                         const models::Record& record, const Holdings& holdings, policy::Instant at)
    : world_{world}, record_{record} {
  for (const scenarios::SeatSpec& seat : policy.seats) {
    if (scenarios::runs(seat, "kai")) of_ = Of::keepers;
    if (!scenarios::runs(seat, "capacity")) continue;
    user_limit_pct_ = seat.options.integer(policy::known::user_limit);
    if (user_limit_pct_ > 0) of_ = Of::users;
  }
  if (!any()) return;
  for (const models::AttemptRow& row : record.attempts) {
    const Holding* const held = holding_at_or_after(holdings, row.job, row.number, at);
    if (held == nullptr || !held->contains(at)) continue;
    const auto group = group_of(row.job, row.number);
    if (!group) continue;
    held_[{row.pool, terms_of(row.job).share, *group}] +=
        record.jobs.specs[row.job.index].instances;
  }
}

std::optional<GroupLimit> GroupLimits::of(policy::JobId job, policy::AttemptNumber attempt,
                                          policy::PoolId pool, std::int64_t quota) const {
  if (!any()) return std::nullopt;
  const auto group = group_of(job, attempt);
  if (!group) return std::nullopt;
  GroupLimit limit{.of_user = of_ == Of::users,
                   .user = *group,
                   .user_limit_pct = user_limit_pct_,
                   .most = quota};
  if (limit.of_user) limit.most = quota * user_limit_pct_ / 100;
  const auto held = held_.find({pool, terms_of(job).share, *group});
  if (held != held_.end()) limit.held = held->second;
  return limit;
}

/// A user's name, or of all who keep their machines one and the same; nothing: it is in no group.
std::optional<std::string> GroupLimits::group_of(policy::JobId job,
                                                 policy::AttemptNumber attempt) const {
  if (of_ == Of::keepers) {
    const policy::JobTerms& terms = terms_of(job);
    return terms.keeps_machines || !terms.queue ? std::optional<std::string>{""} : std::nullopt;
  }
  const models::JobProfile& profile = world_.profiles[record_.jobs.specs[job.index].profile];
  const policy::TagSetId tags = models::tags_of(record_, job, attempt, profile.tags);
  const auto named = world_.directory.tag(tags, "username");
  const auto user = named ? named : world_.directory.tag(tags, "owner");
  return user ? std::optional<std::string>{*user} : std::nullopt;
}

const policy::JobTerms& GroupLimits::terms_of(policy::JobId job) const {
  const models::JobSpec& spec = record_.jobs.specs[job.index];
  return world_.directory.terms[world_.profiles[spec.profile].terms];
}

}  // namespace reeve::experiments
