#include "experiments/holdings.hpp"

namespace reeve::experiments {
namespace {

using policy::Instant;

/// Whether the event, of an attempt that is not over, says that it has machines.
bool has_machines(const models::EventRow& event) {
  return event.primary != policy::Primary::queued && !event.lacks_capacity &&
         event.secondary != policy::Secondary::pending &&
         event.secondary != policy::Secondary::interrupted;
}

}  // namespace

Holdings holdings_of(const models::Record& record) {
  struct State {
    bool has = false;
    std::size_t place = 0;
  };
  std::map<std::pair<policy::JobId, policy::AttemptNumber>, std::map<Instant, State>> states;
  for (std::size_t place = 0; place < record.events.size(); ++place) {
    const models::EventRow& event = record.events[place];
    if (event.duplicate || policy::is_terminal(event.primary)) continue;
    auto& own = states[{event.job, event.attempt}];
    own.try_emplace(event.at, State{.place = place}).first->second.has = has_machines(event);
  }
  Holdings holdings;
  for (const models::AttemptRow& row : record.attempts) {
    const auto found = states.find({row.job, row.number});
    if (found == states.end()) continue;
    std::vector<Holding> own;
    const bool goes_on = row.reason == models::EndReason::horizon;
    const Instant end = goes_on ? policy::never : row.end;
    bool holds = false;
    for (const auto& [at, state] : found->second) {
      if (state.has && !holds) own.push_back({at, end, state.place});
      if (!state.has && holds) own.back().until = at;
      holds = state.has;
    }
    if (!own.empty()) holdings.emplace(found->first, std::move(own));
  }
  return holdings;
}

const Holding* holding_at_or_after(const Holdings& holdings, policy::JobId job,
                                   policy::AttemptNumber attempt, Instant at) {
  const auto found = holdings.find({job, attempt});
  if (found == holdings.end()) return nullptr;
  for (const Holding& holding : found->second) {
    if (holding.contains(at) || holding.from > at) return &holding;
  }
  return nullptr;
}

const Holding* holding_of_job_at_or_after(const Holdings& holdings, policy::JobId job,
                                          policy::AttemptNumber attempt, Instant at) {
  for (auto own = holdings.lower_bound({job, attempt});
       own != holdings.end() && own->first.first == job; ++own) {
    const Holding* const held = holding_at_or_after(holdings, job, own->first.second, at);
    if (held != nullptr) return held;
  }
  return nullptr;
}

std::vector<Holding> holdings_of_job(const Holdings& holdings, policy::JobId job) {
  std::vector<Holding> all;
  for (auto own = holdings.lower_bound({job, policy::AttemptNumber{0}});
       own != holdings.end() && own->first.first == job; ++own) {
    all.insert(all.end(), own->second.begin(), own->second.end());
  }
  return all;
}

}  // namespace reeve::experiments
