#include "experiments/explain/remedies.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <reeve/policy/known_options.hpp>
#include <string_view>
#include <utility>

#include "experiments/explain/with_option.hpp"
#include "scenarios/load/resolved/share_reach.hpp"

namespace reeve::experiments {
namespace {

using Change = decltype(Remedy::change);

/// Runs the scenario with each change that might start one waiting job earlier.
class RemedySearch {
 public:
  RemedySearch(RunAtInstant& run, const Waiter& waiter) : run_{run}, waiter_{waiter} {}
  std::vector<Remedy> all();

 private:
  void add_instances();
  void add_environment();
  void add_quota();
  void add_turns();
  void add_weights(policy::ShareId own);
  void add_options();
  void add_option(const scenarios::SeatSpec& seat, OtherOption option);
  /// The first of the borrowers keeps it from its turn, or the first of its share.
  bool is_behind_borrower() const {
    const auto blocker = run_.blocker(waiter_);
    return blocker.borrows || (blocker.who != nullptr && run_.blocker(*blocker.who).borrows);
  }
  /// Null: the share has a whole name.  Of a prefix only the weight of the prefix can be changed.
  const scenarios::SharePrefix* prefix_of(policy::ShareId share) const {
    for (const scenarios::SharePrefix& prefix : run_.scenario().share_prefixes) {
      if (std::ranges::find(prefix.shares, share) != prefix.shares.end()) return &prefix;
    }
    return nullptr;
  }
  /// Of any waiting job; of running jobs as well, if priorities preempt.
  std::int32_t highest_priority() const;
  void play(Change change, const scenarios::Scenario& scenario) {
    all_.push_back(played(std::move(change), scenario, run_.policy()));
  }
  Remedy played(Change change, const scenarios::Scenario& scenario,
                const scenarios::PolicySpec& policy) {
    Remedy remedy = of_run(run_.run_with(scenario, policy).record);
    remedy.change = std::move(change);
    return remedy;
  }
  Remedy of_run(const models::Record& other) const;
  /// Since when it waits as it does at the instant; a job that never had instances, all along.
  policy::Instant wait_began() const {
    const auto own = holdings_of_job(run_.holdings(), waiter_.job);
    return !own.empty() && own.front().from < run_.at() ? waiter_.since : run_.record().start;
  }
  /// The job's last attempt in the other run, if it has ended by the instant; null: it has not.
  const models::AttemptRow* ended_by_then(const models::Record& other, policy::JobId job) const;

  RunAtInstant& run_;
  const Waiter& waiter_;
  std::vector<Remedy> all_;
};

const models::AttemptRow* RemedySearch::ended_by_then(const models::Record& other,
                                                      policy::JobId job) const {
  const models::AttemptRow* newest = nullptr;
  for (const models::AttemptRow& row : other.attempts) {
    if (row.job == job && (newest == nullptr || row.number > newest->number)) newest = &row;
  }
  if (newest == nullptr || newest->end > run_.at() ||
      newest->reason == models::EndReason::horizon) {
    return nullptr;
  }
  return newest;
}

/// What becomes of the wait in the other run.  By time, and not by attempt: there the job may have
/// lost its instances at other times.
Remedy RemedySearch::of_run(const models::Record& other) const {
  const policy::Instant at = run_.at();
  const auto own = holdings_of_job(holdings_of(other), waiter_.job);
  const auto next = std::ranges::find_if(own, [&](const auto& held) { return held.until > at; });
  const bool holds = next != own.end() && next->contains(at);
  const models::AttemptRow* const ended = ended_by_then(other, waiter_.job);
  const policy::Instant began = wait_began();
  Remedy remedy;
  if (holds || ended != nullptr) {
    if (ended != nullptr) remedy.ended = {ended->end, ended->reason};
    const auto start =
        std::ranges::find_if(own, [&](const auto& held) { return held.from >= began; });
    if (start != own.end() && start->from <= at) {
      remedy.starts = start->from;
    } else if (holds) {
      remedy.ended = std::nullopt;
      remedy.starts = next->from;
      remedy.keeps = true;
    }
    return remedy;
  }
  if (next != own.end()) remedy.starts = next->from;
  if (next == own.begin() || std::prev(next)->until <= began) return remedy;
  remedy.held_before = {std::prev(next)->from, std::prev(next)->until};
  return remedy;
}

std::vector<Remedy> RemedySearch::all() {
  add_instances();
  add_environment();
  const std::int32_t highest = highest_priority();
  if (highest < std::numeric_limits<std::int32_t>::max()) {
    scenarios::Scenario first = run_.scenario();
    std::erase_if(first.world.priority_changes, [&](const models::PriorityChange& change) {
      return change.job == waiter_.job && change.at > run_.since_start();
    });
    first.world.priority_changes.push_back({run_.since_start(), waiter_.job, highest + 1});
    play(OtherPriority{highest + 1}, first);
  }
  add_quota();
  add_turns();
  add_options();
  return std::move(all_);
}

/// As many instances as the job lacks; if it lacks none, as many as the first job ahead of it
/// lacks.  If jobs ahead take these, as many as all of them and the job need.
void RemedySearch::add_instances() {
  const models::Pool& pool = run_.world().pools[waiter_.pool.index];
  const bool fixed = pool.zones.empty() && !pool.replay && !pool.synthesis;
  const std::int64_t free = run_.snapshot().there_for(waiter_);
  const std::int64_t lacks = waiter_.instances - free;
  if (!fixed || (lacks <= 0 && waiter_.reason != WaitsFor::turn)) return;
  std::int64_t before = 0;     // requested by the jobs ahead
  std::int64_t first = lacks;  // lacked by the first job that does not fit
  for (const Waiter* other : run_.ahead_of(waiter_)) {
    before += other->instances;
    if (first <= 0) first = before - free;
  }
  const auto add = [&](std::int64_t more) {
    scenarios::Scenario larger = run_.scenario();
    larger.world.pools[waiter_.pool.index].capacity += static_cast<std::uint32_t>(more);
    play(MoreInstances{more, pool.name}, larger);
  };
  if (lacks + before <= 0) return;  // all of them fit
  if (first <= 0) first = lacks + before;
  add(first);
  if (first < lacks + before && all_.back().starts == waiter_.starts) add(lacks + before);
}

/// Each limit of its environment that is too low, raised by what the job lacks.
void RemedySearch::add_environment() {
  auto room = run_.snapshot().environment_room(waiter_.job, waiter_.pool);
  const std::int64_t wants = waiter_.instances;
  if (waiter_.reason == WaitsFor::quota) {  // quotas cover a part of what it may hold
    const std::int64_t there = run_.snapshot().there_for(waiter_);
    for (auto* const limit : {&room.of_instances, &room.of_limit}) {
      if (*limit) *limit = std::min(**limit, there);
    }
  }
  if (room.least().value_or(wants) >= wants) return;
  scenarios::Scenario larger = run_.scenario();
  const auto place =
      run_.world().directory.queues[run_.terms_of(waiter_.job).queue->index].environment;
  policy::EnvironmentFacts& facts = larger.world.directory.environments[place->index];
  MoreRoom more{.pool = run_.world().pools[waiter_.pool.index].name, .environment = facts.name};
  if (const std::int64_t lacks = wants - room.of_instances.value_or(wants); lacks > 0) {
    *facts.instances += static_cast<std::uint32_t>(lacks);
    more.of_all = lacks;
  }
  if (const std::int64_t lacks = wants - room.of_limit.value_or(wants); lacks > 0) {
    for (policy::CapacityLimit& limit : facts.limits) {
      if (limit.pool == waiter_.pool) limit.instances += static_cast<std::uint32_t>(lacks);
    }
    more.of_pool = lacks;
  }
  play(std::move(more), larger);
}

/// A quota for what its share holds, what others hold of it, and the job itself.  If jobs of its
/// share that are ahead take that, a quota for all of them.
void RemedySearch::add_quota() {
  const auto share = run_.snapshot().share_of(waiter_.job, waiter_.pool);
  if (!share || prefix_of(share->share) != nullptr || !run_.leavers_for(waiter_).empty()) return;
  const auto add = [&](std::int64_t quota) {
    scenarios::Scenario richer = run_.scenario();
    std::erase_if(richer.world.quota_changes, [&](const models::QuotaChange& change) {
      return change.share == share->share && change.pool == waiter_.pool &&
             change.at > run_.since_start();
    });
    richer.world.quota_changes.push_back(
        {run_.since_start(), share->share, waiter_.pool, static_cast<std::uint32_t>(quota)});
    play(OtherQuota{quota, run_.world().directory.shares[share->share.index].name}, richer);
    return all_.back().starts != waiter_.starts;
  };
  const std::int64_t lent = run_.snapshot().lent_away(waiter_);
  const std::int64_t own =
      lent > 0 ? share->quota + lent : std::int64_t{share->used} + waiter_.instances;
  if (own > share->quota && add(own)) return;
  std::int64_t before = 0;
  for (const Waiter* other : run_.ahead_of(waiter_)) {
    if (run_.terms_of(other->job).share == share->share) before += other->instances;
  }
  if (before > 0 && own + before > share->quota) add(own + before);
}

/// Options that delay the job, each at the value that does not.
void RemedySearch::add_options() {
  const auto limit = run_.snapshot().limit_of(waiter_);
  const bool user_has_enough = limit && limit->of_user && !limit->allows(waiter_.instances);
  const bool behind_borrower = is_behind_borrower();
  for (const scenarios::SeatSpec& seat : run_.policy().seats) {
    if (user_has_enough && scenarios::runs(seat, "capacity")) {
      add_option(seat, {std::string{policy::known::user_limit}, std::int64_t{0}});
    }
    if (behind_borrower && scenarios::runs(seat, "quota")) {
      add_option(seat, {std::string{policy::known::blocked_borrower}, std::string{"waits_alone"}});
    }
    constexpr std::array<std::string_view, 3> in_line{"fifo", "sjf", "priority"};
    const bool is_line = std::ranges::any_of(
        in_line, [&](std::string_view algorithm) { return scenarios::runs(seat, algorithm); });
    if (is_line && seat.options.text(policy::known::backfill) == "none") {
      add_option(seat, {std::string{policy::known::backfill}, std::string{"any_fit"}});
    }
  }
}

void RemedySearch::add_option(const scenarios::SeatSpec& seat, OtherOption option) {
  const auto value =
      std::visit([](const auto& to) { return policy::OptionValue{to}; }, option.value);
  const auto changed = with_option(run_.policy(), seat.label, option.option, value);
  if (changed) all_.push_back(played(std::move(option), run_.scenario(), *changed));
}

/// Of shares in turn: half the weight of its own, the least that there is, and nothing kept back.
void RemedySearch::add_turns() {
  const auto turns = run_.turns(waiter_);
  if (!turns) return;
  if (turns->own.share) add_weights(*turns->own.share);
  if (turns->reservation_pct == 0) return;
  for (const scenarios::SeatSpec& seat : run_.policy().seats) {
    if (!scenarios::runs(seat, turns->algorithm)) continue;
    add_option(seat, {std::string{policy::known::compute_reservation}, std::int64_t{0}});
  }
}

void RemedySearch::add_weights(policy::ShareId own) {
  const policy::ShareFacts& facts = run_.world().directory.shares[own.index];
  const scenarios::SharePrefix* const prefix = prefix_of(own);
  const std::string& name = prefix == nullptr ? facts.name : prefix->name;
  const std::vector<policy::ShareId> shares = prefix == nullptr ? std::vector{own} : prefix->shares;
  std::vector<std::uint32_t> weights{facts.weight / 2, 1};
  if (weights.front() <= 1) weights.pop_back();
  for (const std::uint32_t weight : weights) {
    if (weight == 0 || run_.world().directory.shares.size() < 2) continue;
    scenarios::Scenario lighter = run_.scenario();
    for (const policy::ShareId share : shares) {
      lighter.world.directory.shares[share.index].weight = weight;
    }
    play(OtherWeight{weight, name}, lighter);
  }
}

std::int32_t RemedySearch::highest_priority() const {
  std::int32_t highest = std::numeric_limits<std::int32_t>::min();
  for (const models::JobSpec& spec : run_.record().jobs.specs) {
    highest = std::max(highest, spec.priority);
  }
  for (const models::PriorityChange& change : run_.world().priority_changes) {
    highest = std::max(highest, change.priority);
  }
  return highest;
}

}  // namespace

std::vector<Remedy> remedies(RunAtInstant& run, const Waiter& waiter) {
  return RemedySearch{run, waiter}.all();
}

}  // namespace reeve::experiments
