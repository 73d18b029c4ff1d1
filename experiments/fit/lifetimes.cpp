#include "experiments/fit/lifetimes.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace reeve::experiments {
namespace {

constexpr double least_length = 1;  // seconds: a logarithm must exist

bool has_ended(const ObservedJob& job, WorkEnds ends) {
  const bool stopped =
      job.end_status == scenarios::EndStatus::killed || job.end_cause == EndCause::person;
  switch (ends) {
    case WorkEnds::by_itself:
      return !is_cut_short(job);
    case WorkEnds::by_itself_or_people:
      return !is_cut_short(job) || stopped;
    case WorkEnds::by_anything:
      return !still_runs(job);
  }
  return false;
}

}  // namespace

Lifetimes::Lifetimes(const ObservedHistory& history) : history_{history} {
  std::map<std::string_view, std::size_t> users;
  for (const ObservedJob& job : history.jobs) users.emplace(job.user, users.size());
  for (const ObservedJob& job : history.jobs) users_.push_back(users[job.user]);
}

std::optional<Lifetime> Lifetimes::of(std::size_t index, WorkEnds ends) const {
  const ObservedJob& job = history_.jobs[index];
  const policy::Instant begin = began(job);
  if (begin >= history_.end) return std::nullopt;
  const policy::Instant end = policy::later(begin, *job.duration);
  if (end <= history_.start) return std::nullopt;
  Lifetime life{.at = std::max(least_length, seconds_of(*job.duration))};
  life.ended = has_ended(job, ends);
  if (begin < history_.start) life.entry = seconds_of(history_.start - begin);
  if (life.entry >= life.at) return std::nullopt;
  life.limit = seconds_of(history_.end - begin);
  if (job.time_limit) life.limit = std::min(life.limit, seconds_of(*job.time_limit));
  if (life.limit < life.at) life.limit = 0;  // the sources saw it later
  const auto week = begin < history_.start
                        ? std::size_t{0}
                        : static_cast<std::size_t>((begin - history_.start) / week_length);
  life.cluster = users_[index] * 10'000 + week;
  return life;
}

std::vector<Lifetime> Lifetimes::of(std::span<const std::size_t> jobs, WorkEnds ends) const {
  std::vector<Lifetime> lives;
  for (const std::size_t job : jobs) {
    if (const auto life = of(job, ends)) lives.push_back(*life);
  }
  return lives;
}

}  // namespace reeve::experiments
