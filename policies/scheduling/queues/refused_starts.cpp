#include "refused_starts.hpp"

#include <algorithm>
#include <chrono>

#include "job_events.hpp"

namespace reeve::policies {

using namespace policy;

RefusedStarts::Limits RefusedStarts::add_pool(Quota quota) {
  const auto [of_quota, is_new] = quotas_.try_emplace(quota, limits_.size());
  if (is_new) limits_.emplace_back();
  limits_.emplace_back();
  return {.instances = limits_.size() - 1, .quota = of_quota->second};
}

std::optional<std::size_t> RefusedStarts::limit_of(const ActionSettled& refused, Limits of_pool) {
  switch (again(refused)) {
    case Again::when_room:
      return of_pool.quota;
    case Again::not_needed:
      return of_pool.instances;
    case Again::after_other_action:
    case Again::later:
    case Again::when_released:
      return std::nullopt;
  }
  return std::nullopt;
}

void RefusedStarts::asked(Limits of_pool) {
  ++limits_[of_pool.instances].asked;
  ++limits_[of_pool.quota].asked;
}

void RefusedStarts::answered(Limits of_pool) {
  for (const std::size_t limit : {of_pool.instances, of_pool.quota}) {
    --limits_[limit].asked;
    stir(limit);
  }
}

void RefusedStarts::worked(Limits of_pool, Start start) {
  for (const std::size_t index : {of_pool.instances, of_pool.quota}) {
    Limit& limit = limits_[index];
    limit.refusals = 0;
    const bool preempted = start.has_preempted || start.instances < limit.full_for_preempting;
    if (start.instances >= limit.full_for) reopen(index, preempted);
  }
}

void RefusedStarts::refused_by(std::size_t limit, Start start) {
  Limit& full = limits_[limit];
  full.full_for = std::min(full.full_for, start.instances);
  if (start.has_preempted) {
    full.full_for_preempting = std::min(full.full_for_preempting, start.instances);
  }
  stir(limit);
}

void RefusedStarts::wait_at_limit(JobId job) {
  const Held& held = held_.at(job);
  limits_[*held.limit].refused[held.start.instances].insert(held.place);
  stir(*held.limit);
}

void RefusedStarts::let_go(JobId job) {
  const auto held = held_.find(job);
  if (const auto limit = held->second.limit) {
    auto& refused = limits_[*limit].refused;
    const auto size = refused.find(held->second.start.instances);
    size->second.erase(held->second.place);
    if (size->second.empty()) refused.erase(size);
  }
  held_.erase(held);
}

void RefusedStarts::has_preempted(JobId job) {
  const auto held = held_.find(job);
  if (held != held_.end()) held->second.start.has_preempted = true;
}

/// Doubles with each refusal, until that is `enough`: a limit that never has room must not be tried
/// each minute.
Duration RefusedStarts::wait_after(std::uint8_t refusals, Duration enough) const {
  Duration wait = retry_after_;
  for (; refusals > 0 && wait < enough; --refusals) wait *= 2;
  return wait;
}

/// An hour is enough, but not where others are preempted each time: those whose saves take longer
/// would never end.
Duration RefusedStarts::wait_of(std::uint8_t refusals, bool has_preempted) const {
  constexpr Duration longest = Duration::max() / 2;
  return wait_after(refusals, has_preempted ? longest : std::chrono::hours{1});
}

/// One timer for all jobs that a quota refused, however many they are.
Instant RefusedStarts::look_later(std::size_t limit, Instant now) {
  Limit& full = limits_[limit];
  if (full.look != never) return never;
  full.look = later(now, wait_after(full.refusals, std::chrono::hours{1}));
  if (full.refusals < doublings_max) ++full.refusals;
  return full.look;
}

/// The smallest is the likeliest to find room, and if it does all others are proposed, except those
/// that have timers.
std::optional<JobId> RefusedStarts::look(std::size_t limit, Instant now) {
  Limit& full = limits_[limit];
  if (full.look > now) return std::nullopt;
  full.look = never;
  for (const auto& [size, refused] : full.refused) {
    for (const Waiting& place : refused) {
      if (held_.at(place.job).until == never) return place.job;
    }
  }
  return std::nullopt;
}

void RefusedStarts::reopen(std::size_t limit, bool preempted) {
  limits_[limit].full_for = none_refused;
  if (!preempted) limits_[limit].full_for_preempting = none_refused;
  stir(limit);
}

void RefusedStarts::reopen_all() {
  for (std::size_t limit = 0; limit < limits_.size(); ++limit) reopen(limit);
}

void RefusedStarts::stir(std::size_t limit) {
  Limit& stirred = limits_[limit];
  if (stirred.refused.empty() || std::exchange(stirred.stirred, true)) return;
  stirred_.push_back(limit);
}

std::vector<std::size_t> RefusedStarts::take_stirred() {
  for (const std::size_t limit : stirred_) limits_[limit].stirred = false;
  return std::exchange(stirred_, {});
}

std::optional<JobId> RefusedStarts::next(std::size_t limit) const {
  const Limit& full = limits_[limit];
  if (full.asked > 0) return std::nullopt;
  std::optional<Waiting> first;
  for (const auto& [size, refused] : full.refused) {
    if (size >= full.full_for) break;
    for (const Waiting& place : refused) {
      if (first && *first < place) break;
      if (size >= full.full_for_preempting && held_.at(place.job).start.has_preempted) continue;
      first = place;
    }
  }
  if (!first) return std::nullopt;
  return first->job;
}

}  // namespace reeve::policies
