#include "experiments/explain/run_at_instant.hpp"

#include <algorithm>

#include "scenarios/load/resolved/share_reach.hpp"

namespace reeve::experiments {

RunAtInstant::RunAtInstant(const scenarios::Scenario& scenario, const InstantQuestion& question,
                           const std::atomic<bool>* interrupted)
    : scenario_{scenario},
      question_{question},
      interrupted_{interrupted},
      at_{policy::later(scenario.world.start, question.at)},
      result_{run_with(scenario, *question.policy)},
      holdings_{holdings_of(result_.record)},
      snapshot_{scenario.world, *question.policy, result_.record, holdings_, at_} {}

RunResult RunAtInstant::run_with(const scenarios::Scenario& scenario,
                                 const scenarios::PolicySpec& policy) {
  RunOptions options;
  options.keep = {.attempts = true, .utilization = true, .events = true};
  options.interrupted = interrupted_;
  RunResult result = run(scenario, policy, question_.replication, options);
  partial_ = partial_ || result.record.partial;
  return result;
}

std::optional<ShareTurns> RunAtInstant::turns(const Waiter& waiter) const {
  return share_turns(world(), policy(), record(), holdings_, snapshot_, waiter, at_);
}

std::vector<const models::PreemptionRow*> RunAtInstant::leavers_for(const Waiter& waiter) const {
  const auto is_there = [&](const models::PreemptionRow& lost) {
    return std::ranges::any_of(record().attempts, [&](const models::AttemptRow& row) {
      return row.job == lost.job && row.number == lost.attempt && row.end > at_;
    });
  };
  std::vector<const models::PreemptionRow*> leavers;
  for (const models::PreemptionRow& row : record().preemptions) {
    const bool since = row.at >= waiter.since && row.at <= at_;
    if (row.to == waiter.job && row.job != waiter.job && since && is_there(row)) {
      leavers.push_back(&row);
    }
  }
  return leavers;
}

LineBlocker RunAtInstant::first_in_line(const Waiter& waiter) const {
  return line_blocker(world(), policy(), record(), snapshot_, waiter);
}

LineBlocker RunAtInstant::blocker(const Waiter& waiter) const {
  if (!leavers_for(waiter).empty()) return {};
  const LineBlocker found = first_in_line(waiter);
  const bool is_ahead = found.who != nullptr && found.who->starts < waiter.starts;
  return is_ahead ? LineBlocker{} : found;
}

std::vector<const Waiter*> RunAtInstant::ahead_of(const Waiter& waiter) const {
  std::vector<const Waiter*> ahead;
  for (const Waiter& other : snapshot_.waiters()) {
    if (&other == &waiter) break;
    if (other.pool == waiter.pool) ahead.push_back(&other);
  }
  return ahead;
}

std::optional<std::int64_t> RunAtInstant::reach(const Waiter& waiter) const {
  std::optional<std::int64_t> least;
  for (const scenarios::SeatSpec& seat : policy().seats) {
    const auto most =
        scenarios::reach(world(), seat, terms_of(waiter.job), waiter.pool, question_.at);
    if (most) least = std::min(least.value_or(*most), *most);
  }
  return least;
}

const models::AttemptRow* RunAtInstant::newest_attempt(policy::JobId job) const {
  const models::AttemptRow* newest = nullptr;
  for (const models::AttemptRow& row : record().attempts) {
    if (row.job != job || row.requested > at_) continue;
    if (newest == nullptr || row.number > newest->number) newest = &row;
  }
  return newest;
}

const Holding* RunAtInstant::held(policy::JobId job, policy::AttemptNumber attempt) const {
  const Holding* const held = holding_at_or_after(holdings_, job, attempt, at_);
  return held != nullptr && held->contains(at_) ? held : nullptr;
}

const policy::JobTerms& RunAtInstant::terms_of(policy::JobId job) const {
  const models::JobSpec& spec = record().jobs.specs[job.index];
  return world().directory.terms[world().profiles[spec.profile].terms];
}

std::string RunAtInstant::queue_of(policy::JobId job) const {
  const auto& terms = terms_of(job);
  return terms.queue ? world().directory.queues[terms.queue->index].name : std::string{};
}

std::string RunAtInstant::share_of(policy::JobId job) const {
  const auto& terms = terms_of(job);
  return terms.share ? world().directory.shares[terms.share->index].name : std::string{};
}

std::string RunAtInstant::environment_of(policy::JobId job) const {
  const auto& terms = terms_of(job);
  if (!terms.queue) return {};
  const auto place = world().directory.queues[terms.queue->index].environment;
  return place ? world().directory.environments[place->index].name : std::string{};
}

std::vector<Waiter> RunAtInstant::line_of(const std::string& name, bool is_queue) const {
  std::vector<Waiter> line;
  for (const Waiter& waiter : snapshot_.waiters()) {
    const bool mine =
        is_queue ? queue_of(waiter.job) == name : world().pools[waiter.pool.index].name == name;
    if (mine) line.push_back(waiter);
  }
  std::ranges::stable_sort(
      line, [&](const Waiter& a, const Waiter& b) { return snapshot_.goes_before(a, b); });
  return line;
}

}  // namespace reeve::experiments
