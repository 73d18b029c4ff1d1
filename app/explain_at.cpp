#include "app/explain_at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "app/exit_code.hpp"
#include "app/interruption.hpp"
#include "app/job_story.hpp"
#include "experiments/explain/line_blocker.hpp"
#include "experiments/explain/queue_snapshot.hpp"
#include "experiments/explain/share_turns.hpp"
#include "experiments/explain/with_option.hpp"
#include "experiments/run.hpp"
#include "report/format.hpp"
#include "report/table.hpp"
#include "report/words.hpp"
#include "scenarios/load/share_reach.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using experiments::QueueSnapshot;
using experiments::RunResult;
using experiments::ShareTurn;
using experiments::ShareTurns;
using experiments::Waiter;
using policy::Duration;
using policy::Instant;

/// Something that might have let the job run, and what came of it.
struct Remedy {
  std::string what = {};
  Instant starts = policy::never;
  std::string instead = {};  ///< why it would not wait then; empty: it would, or starts sooner
  std::string before = {};   ///< what it would have had, and lost again; empty: nothing
  std::string after = {};    ///< how it would have ended by then without being done; empty: not
};

/// Runs the scenario, as it is or with one thing changed, and looks at the instant.
class Looker {
 public:
  Looker(const scenarios::Scenario& scenario, const WaitQuestion& question)
      : scenario_{scenario},
        question_{question},
        at_{policy::later(scenario.world.start, question.at)},
        result_{run(scenario, *question.policy)},
        holdings_{experiments::holdings_of(result_.record)},
        snapshot_{scenario.world, *question.policy, result_.record, holdings_, at_} {}

  const QueueSnapshot& snapshot() const { return snapshot_; }
  std::optional<ShareTurns> turns(const Waiter& waiter) const {
    return experiments::share_turns(world(), *question_.policy, record(), holdings_, snapshot_,
                                    waiter, at_);
  }
  /// Who was preempted for it since it waits, and has not left yet: what they have is for it.
  std::vector<const models::PreemptionRow*> leavers_for(const Waiter& waiter) const;
  /// Who keeps it from its turn.
  experiments::LineBlocker first_in_line(const Waiter& waiter) const {
    return experiments::line_blocker(world(), *question_.policy, record(), snapshot_, waiter);
  }
  /// Likewise, if he does not start before it, and nobody leaves for it.
  experiments::LineBlocker blocker(const Waiter& waiter) const {
    if (!leavers_for(waiter).empty()) return {};
    const auto found = first_in_line(waiter);
    const bool is_ahead = found.who != nullptr && found.who->starts < waiter.starts;
    return is_ahead ? experiments::LineBlocker{} : found;
  }
  /// Whether the first of those who borrow keeps it from its turn, or whoever is first of its
  /// share.
  bool is_behind_borrower(const Waiter& waiter) const {
    const auto blocker = this->blocker(waiter);
    return blocker.borrows || (blocker.who != nullptr && this->blocker(*blocker.who).borrows);
  }
  /// The most of the pool that its share can ever have, or jobs in none; nothing where no share is
  /// kept to a quota.
  std::optional<std::int64_t> reach(const Waiter& waiter) const;
  const models::Record& record() const { return result_.record; }
  const models::World& world() const { return scenario_.world; }
  Instant at() const { return at_; }
  bool partial() const { return partial_; }
  std::string clock(Instant at) const { return clock_text(at - result_.record.start); }

  std::optional<policy::JobId> job() const {
    const models::Jobs& jobs = result_.record.jobs;
    for (std::uint32_t index = 0; index < jobs.specs.size(); ++index) {
      if (jobs.name({index}) == question_.id) return policy::JobId{index};
    }
    return std::nullopt;
  }

  /// Null: the attempt has no machines at the instant.
  const experiments::Holding* held(policy::JobId job, policy::AttemptNumber attempt) const {
    const auto* const held = experiments::holding_at_or_after(holdings_, job, attempt, at_);
    return held != nullptr && held->contains(at_) ? held : nullptr;
  }

  /// The queue that the job stands in; empty: none.
  std::string queue_of(policy::JobId job) const {
    const auto& terms = terms_of(job);
    return terms.queue ? world().directory.queues[terms.queue->index].name : std::string{};
  }
  std::string share_of(policy::JobId job) const {
    const auto& terms = terms_of(job);
    return terms.share ? world().directory.shares[terms.share->index].name : std::string{};
  }
  /// The environment of that queue; empty: none.
  std::string environment_of(policy::JobId job) const {
    const auto& terms = terms_of(job);
    if (!terms.queue) return {};
    const auto place = world().directory.queues[terms.queue->index].environment;
    return place ? world().directory.environments[place->index].name : std::string{};
  }
  const policy::JobTerms& terms_of(policy::JobId job) const {
    const models::JobSpec& spec = record().jobs.specs[job.index];
    return world().directory.terms[world().profiles[spec.profile].terms];
  }

  /// Each thing alone that might let the one that waits run sooner, played.
  std::vector<Remedy> remedies(const Waiter& waiter);

 private:
  void add_instances(const Waiter& waiter, std::vector<Remedy>& all);
  void add_environment(const Waiter& waiter, std::vector<Remedy>& all);
  void add_quota(const Waiter& waiter, std::vector<Remedy>& all);
  void add_turns(const Waiter& waiter, std::vector<Remedy>& all);
  void add_weights(const Waiter& waiter, policy::ShareId own, std::vector<Remedy>& all);
  void add_options(const Waiter& waiter, std::vector<Remedy>& all);
  void add_option(const Waiter& waiter, const scenarios::SeatSpec& seat, std::string_view option,
                  const policy::OptionValue& value, std::vector<Remedy>& all);
  /// Null: the share has a whole name.  Of a prefix only the prefix can be changed, in its weight.
  const scenarios::SharePrefix* prefix_of(policy::ShareId share) const {
    for (const scenarios::SharePrefix& prefix : scenario_.share_prefixes) {
      if (std::ranges::find(prefix.shares, share) != prefix.shares.end()) return &prefix;
    }
    return nullptr;
  }
  /// That any job ever has: of those that run as well, where priorities preempt.
  std::int32_t highest_priority() const;
  RunResult run(const scenarios::Scenario& scenario, const scenarios::PolicySpec& policy) {
    experiments::RunOptions options;
    options.keep = {.attempts = true, .utilization = true, .events = true};
    options.interrupted = &interruption();
    RunResult result = experiments::run(scenario, policy, question_.replication, options);
    partial_ = partial_ || result.record.partial;
    return result;
  }

  Remedy played(std::string what, const Waiter& waiter, const scenarios::Scenario& scenario,
                const scenarios::PolicySpec& policy) {
    const RunResult other = run(scenario, policy);
    Remedy remedy = of_run(other.record, waiter);
    remedy.what = std::move(what);
    return remedy;
  }
  Remedy of_run(const models::Record& other, const Waiter& waiter) const;
  /// Since when it waits as it does at the instant; who never had machines has waited all along.
  Instant wait_began(const Waiter& waiter) const {
    const auto own = experiments::holdings_of_job(holdings_, waiter.job);
    return !own.empty() && own.front().from < at_ ? waiter.since : result_.record.start;
  }
  /// The job's last attempt in the other run, if it is over by the instant; null: it is not.
  const models::AttemptRow* ended_by_then(const models::Record& other, policy::JobId job) const;
  /// "is over at 02:00:00 (failed)"
  std::string end_text(const models::AttemptRow& last) const;

  const scenarios::Scenario& scenario_;
  const WaitQuestion& question_;
  Instant at_;
  bool partial_ = false;
  RunResult result_;
  experiments::Holdings holdings_;
  QueueSnapshot snapshot_;
};

const models::AttemptRow* Looker::ended_by_then(const models::Record& other,
                                                policy::JobId job) const {
  const models::AttemptRow* newest = nullptr;
  for (const models::AttemptRow& row : other.attempts) {
    if (row.job == job && (newest == nullptr || row.number > newest->number)) newest = &row;
  }
  if (newest == nullptr || newest->end > at_ || newest->reason == models::EndReason::horizon) {
    return nullptr;
  }
  return newest;
}

std::vector<const models::PreemptionRow*> Looker::leavers_for(const Waiter& waiter) const {
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

std::string Looker::end_text(const models::AttemptRow& last) const {
  if (last.reason == models::EndReason::completed) return "is done at " + clock(last.end);
  return fmt::format("is over at {} ({})", clock(last.end), report::word(last.reason));
}

/// What becomes of the wait in the other run.  By time, and not by attempt: there the job may have
/// lost its machines at other times.
Remedy Looker::of_run(const models::Record& other, const Waiter& waiter) const {
  const auto own = experiments::holdings_of_job(experiments::holdings_of(other), waiter.job);
  const auto next = std::ranges::find_if(own, [&](const auto& held) { return held.until > at_; });
  const bool holds = next != own.end() && next->contains(at_);
  const models::AttemptRow* const ended = ended_by_then(other, waiter.job);
  const Instant began = wait_began(waiter);
  if (holds || ended != nullptr) {
    const auto start =
        std::ranges::find_if(own, [&](const auto& held) { return held.from >= began; });
    const bool is_done = ended == nullptr || ended->reason == models::EndReason::completed;
    if (start != own.end() && start->from <= at_) {
      return {.starts = start->from, .after = is_done ? "" : ", and " + end_text(*ended)};
    }
    if (!holds) return {.instead = "it " + end_text(*ended)};
    return {.starts = next->from, .instead = "it has kept its machines since " + clock(next->from)};
  }
  Remedy remedy;
  if (next != own.end()) remedy.starts = next->from;
  if (next == own.begin() || std::prev(next)->until <= began) return remedy;
  remedy.before = fmt::format("it has machines from {} to {}, then ", clock(std::prev(next)->from),
                              clock(std::prev(next)->until));
  return remedy;
}

/// Those of the same fleet that wait then and start before it.
std::vector<const Waiter*> ahead_of(const Looker& looker, const Waiter& waiter) {
  std::vector<const Waiter*> ahead;
  for (const Waiter& other : looker.snapshot().waiters()) {
    if (&other == &waiter) break;
    if (other.pool == waiter.pool) ahead.push_back(&other);
  }
  return ahead;
}

std::string more_instances(std::int64_t count) {
  return fmt::format("{} more instance{}", count, count == 1 ? "" : "s");
}

std::vector<Remedy> Looker::remedies(const Waiter& waiter) {
  std::vector<Remedy> all;
  add_instances(waiter, all);
  add_environment(waiter, all);
  const std::int32_t highest = highest_priority();
  if (highest < std::numeric_limits<std::int32_t>::max()) {
    scenarios::Scenario first = scenario_;
    std::erase_if(first.world.priority_changes, [&](const models::PriorityChange& change) {
      return change.job == waiter.job && change.at > question_.at;
    });
    first.world.priority_changes.push_back({question_.at, waiter.job, highest + 1});
    all.push_back(played(fmt::format("priority {} from then on", highest + 1), waiter, first,
                         *question_.policy));
  }
  add_quota(waiter, all);
  add_turns(waiter, all);
  add_options(waiter, all);
  return all;
}

/// As many as it lacks of what is there for it, or, where that is enough, whoever goes first does;
/// and if these go to those before it, as many as all of them want.
void Looker::add_instances(const Waiter& waiter, std::vector<Remedy>& all) {
  const models::Pool& pool = world().pools[waiter.pool.index];
  const bool fixed = pool.zones.empty() && !pool.replay && !pool.synthesis;
  const std::int64_t free = snapshot_.there_for(waiter);
  const std::int64_t lacks = waiter.instances - free;
  if (!fixed || (lacks <= 0 && waiter.reason != experiments::WaitsFor::turn)) return;
  std::int64_t before = 0;     // what those want who have theirs first
  std::int64_t first = lacks;  // that somebody lacks
  for (const Waiter* other : ahead_of(*this, waiter)) {
    before += other->instances;
    if (first <= 0) first = before - free;
  }
  const auto add = [&](std::int64_t more) {
    scenarios::Scenario larger = scenario_;
    larger.world.pools[waiter.pool.index].capacity += static_cast<std::uint32_t>(more);
    all.push_back(played(fmt::format("{} in {}, all along", more_instances(more), pool.name),
                         waiter, larger, *question_.policy));
  };
  if (lacks + before <= 0) return;  // all of them fit
  if (first <= 0) first = lacks + before;
  add(first);
  if (first < lacks + before && all.back().starts == waiter.starts) add(lacks + before);
}

/// Each limit of its environment that has too little room, raised by as much as it lacks.
void Looker::add_environment(const Waiter& waiter, std::vector<Remedy>& all) {
  auto room = snapshot_.environment_room(waiter.job, waiter.pool);
  const std::int64_t wants = waiter.instances;
  if (waiter.reason == experiments::WaitsFor::quota) {  // of what it may have, quotas cover some
    const std::int64_t there = snapshot_.there_for(waiter);
    for (auto* const limit : {&room.of_instances, &room.of_limit}) {
      if (*limit) *limit = std::min(**limit, there);
    }
  }
  if (room.least().value_or(wants) >= wants) return;
  scenarios::Scenario larger = scenario_;
  const auto place = world().directory.queues[terms_of(waiter.job).queue->index].environment;
  policy::EnvironmentFacts& facts = larger.world.directory.environments[place->index];
  std::string what;
  if (const std::int64_t lacks = wants - room.of_instances.value_or(wants); lacks > 0) {
    *facts.instances += static_cast<std::uint32_t>(lacks);
    what = more_instances(lacks);
  }
  if (const std::int64_t lacks = wants - room.of_limit.value_or(wants); lacks > 0) {
    for (policy::CapacityLimit& limit : facts.limits) {
      if (limit.pool == waiter.pool) limit.instances += static_cast<std::uint32_t>(lacks);
    }
    what += fmt::format("{}{} of {}", what.empty() ? "" : " and ", more_instances(lacks),
                        world().pools[waiter.pool.index].name);
  }
  all.push_back(played(fmt::format("{} for environment {}, all along", what, facts.name), waiter,
                       larger, *question_.policy));
}

/// One that holds what its share has, what others have of it, and it as well; and if that goes to
/// those of its share who are before it, one that holds them all.
void Looker::add_quota(const Waiter& waiter, std::vector<Remedy>& all) {
  const auto share = snapshot_.share_of(waiter.job, waiter.pool);
  if (!share || prefix_of(share->share) != nullptr || !leavers_for(waiter).empty()) return;
  const auto add = [&](std::int64_t quota) {
    scenarios::Scenario richer = scenario_;
    std::erase_if(richer.world.quota_changes, [&](const models::QuotaChange& change) {
      return change.share == share->share && change.pool == waiter.pool && change.at > question_.at;
    });
    richer.world.quota_changes.push_back(
        {question_.at, share->share, waiter.pool, static_cast<std::uint32_t>(quota)});
    all.push_back(played(fmt::format("a quota of {} for {} from then on", quota,
                                     world().directory.shares[share->share.index].name),
                         waiter, richer, *question_.policy));
    return all.back().starts != waiter.starts;
  };
  const std::int64_t lent = snapshot_.lent_away(waiter);
  const std::int64_t own =
      lent > 0 ? share->quota + lent : std::int64_t{share->used} + waiter.instances;
  if (own > share->quota && add(own)) return;
  std::int64_t before = 0;
  for (const Waiter* other : ahead_of(*this, waiter)) {
    if (terms_of(other->job).share == share->share) before += other->instances;
  }
  if (before > 0 && own + before > share->quota) add(own + before);
}

/// Those that hold it back, at the value that does not.
void Looker::add_options(const Waiter& waiter, std::vector<Remedy>& all) {
  const auto limit = snapshot_.limit_of(waiter);
  const bool user_has_enough = limit && limit->of_user && !limit->allows(waiter.instances);
  const bool behind_borrower = is_behind_borrower(waiter);
  for (const scenarios::SeatSpec& seat : question_.policy->seats) {
    if (user_has_enough && scenarios::runs(seat, "capacity")) {
      add_option(waiter, seat, "user_limit", std::int64_t{0}, all);
    }
    if (behind_borrower && scenarios::runs(seat, "quota")) {
      add_option(waiter, seat, "blocked_borrower", std::string{"waits_alone"}, all);
    }
    constexpr std::array<std::string_view, 3> in_line{"fifo", "sjf", "priority"};
    const bool is_line = std::ranges::any_of(
        in_line, [&](std::string_view algorithm) { return scenarios::runs(seat, algorithm); });
    if (is_line && seat.options.text("backfill") == "none") {
      add_option(waiter, seat, "backfill", std::string{"any_fit"}, all);
    }
  }
}

void Looker::add_option(const Waiter& waiter, const scenarios::SeatSpec& seat,
                        std::string_view option, const policy::OptionValue& value,
                        std::vector<Remedy>& all) {
  const auto changed = experiments::with_option(*question_.policy, seat.label, option, value);
  if (!changed) return;
  const auto* const number = std::get_if<std::int64_t>(&value);
  const std::string text = number != nullptr ? fmt::to_string(*number)
                                             : scenarios::in_quotes(std::get<std::string>(value));
  all.push_back(played(fmt::format("{}: {}", scenarios::in_quotes(option), text), waiter, scenario_,
                       *changed));
}

/// Of shares in turn: half the weight of its own, the least that there is, and nothing kept back.
void Looker::add_turns(const Waiter& waiter, std::vector<Remedy>& all) {
  const auto turns = this->turns(waiter);
  if (!turns) return;
  if (turns->own.share) add_weights(waiter, *turns->own.share, all);
  if (turns->reservation_pct == 0) return;
  for (const scenarios::SeatSpec& seat : question_.policy->seats) {
    if (!scenarios::runs(seat, turns->algorithm)) continue;
    add_option(waiter, seat, "compute_reservation", std::int64_t{0}, all);
  }
}

void Looker::add_weights(const Waiter& waiter, policy::ShareId own, std::vector<Remedy>& all) {
  const policy::ShareFacts& facts = world().directory.shares[own.index];
  const scenarios::SharePrefix* const prefix = prefix_of(own);
  const std::string& name = prefix == nullptr ? facts.name : prefix->name;
  const std::vector<policy::ShareId> shares = prefix == nullptr ? std::vector{own} : prefix->shares;
  std::vector<std::uint32_t> weights{facts.weight / 2, 1};
  if (weights.front() <= 1) weights.pop_back();
  for (const std::uint32_t weight : weights) {
    if (weight == 0 || world().directory.shares.size() < 2) continue;
    scenarios::Scenario lighter = scenario_;
    for (const policy::ShareId share : shares) {
      lighter.world.directory.shares[share.index].weight = weight;
    }
    all.push_back(played(fmt::format("weight {} of share {}, all along",
                                     static_cast<double>(weight) / policy::weight_one, name),
                         waiter, lighter, *question_.policy));
  }
}

std::optional<std::int64_t> Looker::reach(const Waiter& waiter) const {
  std::optional<std::int64_t> least;
  for (const scenarios::SeatSpec& seat : question_.policy->seats) {
    const auto most =
        scenarios::reach(world(), seat, terms_of(waiter.job), waiter.pool, question_.at);
    if (most) least = std::min(least.value_or(*most), *most);
  }
  return least;
}

std::int32_t Looker::highest_priority() const {
  std::int32_t highest = std::numeric_limits<std::int32_t>::min();
  for (const models::JobSpec& spec : record().jobs.specs) {
    highest = std::max(highest, spec.priority);
  }
  for (const models::PriorityChange& change : world().priority_changes) {
    highest = std::max(highest, change.priority);
  }
  return highest;
}

/// "at 02:00:00, 8 h sooner", against when it starts as it is.
std::string start_text(const Looker& looker, const Waiter& waiter, const Remedy& remedy) {
  if (remedy.starts == waiter.starts) return "no difference";
  if (remedy.starts == policy::never) return "it would not start";
  const std::string start = "it starts at " + looker.clock(remedy.starts);
  if (waiter.starts == policy::never) return start;
  const bool sooner = remedy.starts < waiter.starts;
  const Duration by = sooner ? waiter.starts - remedy.starts : remedy.starts - waiter.starts;
  return fmt::format("{}, {} {}", start, report::short_duration(by), sooner ? "sooner" : "later");
}

std::string outcome(const Looker& looker, const Waiter& waiter, const Remedy& remedy) {
  if (!remedy.instead.empty()) return remedy.instead;
  return remedy.before + start_text(looker, waiter, remedy) + remedy.after;
}

/// "J1 (4), J2 (1) and 3 more", of rows that have a job and its instances.
template <class Row>
std::string names_of_jobs(const Looker& looker, const std::vector<const Row*>& rows) {
  constexpr std::size_t shown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(rows.size(), shown); ++i) {
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", looker.record().jobs.name(rows[i]->job),
                        rows[i]->instances);
  }
  if (rows.size() > shown) text += fmt::format(" and {} more", rows.size() - shown);
  return text;
}

/// What the instant says of a job that does not wait.
std::string other_state(const Looker& looker, policy::JobId job) {
  const models::Record& record = looker.record();
  const models::AttemptRow* newest = nullptr;
  for (const models::AttemptRow& row : record.attempts) {
    if (row.job != job || row.requested > looker.at()) continue;
    if (newest == nullptr || row.number > newest->number) newest = &row;
  }
  if (newest == nullptr) {
    return fmt::format("is not submitted yet: it is at {}",
                       looker.clock(record.jobs.specs[job.index].submit));
  }
  if (const auto* const held = looker.held(job, newest->number)) {
    return fmt::format("has its machines since {}, until {}", looker.clock(held->from),
                       looker.clock(std::min(held->until, newest->end)));
  }
  return fmt::format("does not wait: attempt {} was over at {} ({})", newest->number,
                     looker.clock(newest->end), report::word(newest->reason));
}

nlohmann::ordered_json seconds_of(const Looker& looker, Instant at) {
  if (at == policy::never) return nullptr;
  return std::chrono::duration<double>(at - looker.record().start).count();
}

/// "share search (weight 2) holds 40 and has used 13.3 instance-hours of late, with what it holds
/// 20.1 in 10 min", or "which holds 40 ..." in the middle of a sentence.
std::string stand_of(const Looker& looker, const ShareTurn& turn, std::string_view which = "") {
  const auto& shares = looker.world().directory.shares;
  const bool one = turn.share.has_value();
  std::string text =
      fmt::format("{} (weight {}){} {} {}",
                  one ? "share " + shares[turn.share->index].name : "jobs in no share",
                  static_cast<double>(turn.weight) / policy::weight_one, which,
                  one ? "holds" : "hold", turn.held);
  if (turn.used_hours) {
    text += fmt::format(" and {} used {:.1f} instance-hours of late", one ? "has" : "have",
                        *turn.used_hours);
  }
  if (turn.ahead_hours) {
    text += fmt::format(", with what {} {:.1f} in {}", one ? "it holds" : "they hold",
                        *turn.ahead_hours, report::short_duration(turn.decay));
  }
  return text;
}

/// Whether it would have so much that too little were left of what is kept for shares without jobs.
bool is_kept_out(const Looker& looker, const Waiter& waiter, const ShareTurns& turns) {
  const std::int64_t free = looker.snapshot().free(waiter.pool);
  const auto room = looker.snapshot().environment_room(waiter.job, waiter.pool).least();
  const std::int64_t left = std::min(free, room.value_or(free)) - waiter.instances;
  return turns.kept > 0 && static_cast<double>(left) < turns.kept;
}

std::string before_text(const Looker& looker, const ShareTurn& before) {
  return fmt::format("{}, {} before", stand_of(looker, before, ", which"),
                     before.share ? "goes" : "go");
}

std::string turn_text(const Looker& looker, const Waiter& waiter, const ShareTurns& turns) {
  if (is_kept_out(looker, waiter, turns)) {
    return fmt::format(
        "\"compute_reservation\": {} keeps {:.4g} of {} for shares that are not active",
        turns.reservation_pct, turns.kept, turns.most);
  }
  if (turns.before) return before_text(looker, *turns.before);
  if (turns.algorithm == "multifactor") {
    return "points of age, fair share, size and priority say who goes first";
  }
  const bool in_share = turns.own.share.has_value();
  if (looker.first_in_line(waiter).who != nullptr) {
    return fmt::format("{} go before this one",
                       in_share ? "jobs of its share" : "others in no share");
  }
  return fmt::format("{} first, but the rule holds machines for somebody, or its start was refused",
                     in_share ? "its share goes" : "jobs in no share go");
}

/// "big (5), which goes before it in share a and does not start in this run"
std::string behind_text(const Looker& looker, const experiments::LineBlocker& blocker) {
  const Waiter& who = *blocker.who;
  const std::string start = who.starts == policy::never ? "does not start in this run"
                                                        : "starts at " + looker.clock(who.starts);
  const std::string share = looker.share_of(who.job);
  const std::string among = share.empty() ? "in no share" : "in share " + share;
  return fmt::format("{} ({}), which goes before it {} and {}", looker.record().jobs.name(who.job),
                     who.instances, blocker.borrows ? "among those who borrow" : among, start);
}

/// Who is before it, and who is before him; empty: nobody.
std::string blocker_text(const Looker& looker, const Waiter& waiter) {
  const auto blocker = looker.blocker(waiter);
  if (blocker.who == nullptr) return {};
  std::string text = "it waits behind " + behind_text(looker, blocker);
  const auto his = looker.blocker(*blocker.who);
  if (his.who == nullptr) return text;
  return fmt::format("{}; {} waits behind {}", text, looker.record().jobs.name(blocker.who->job),
                     behind_text(looker, his));
}

/// What it waits for, whoever stands before it.
std::string reason_text(const Looker& looker, const Waiter& waiter) {
  const auto reach = looker.reach(waiter);
  const bool never = waiter.starts == policy::never;
  if (never && reach && std::int64_t{waiter.instances} > *reach) {
    if (looker.share_of(waiter.job).empty()) {
      return fmt::format("it never starts: it stands in no share, and what no quota covers is {}",
                         *reach);
    }
    return fmt::format("it never starts: its share can have {} at most", *reach);
  }
  if (const auto leavers = looker.leavers_for(waiter); !leavers.empty()) {
    return fmt::format("it waits for {} to leave, preempted for it at {}",
                       names_of_jobs(looker, leavers), looker.clock(leavers.front()->at));
  }
  const auto turns = looker.turns(waiter);
  const auto limit = looker.snapshot().limit_of(waiter);
  switch (waiter.reason) {
    case experiments::WaitsFor::machines:
      if (turns && turns->before) {
        return "it waits for machines, and " + before_text(looker, *turns->before);
      }
      return "it waits for machines: fewer are free than it wants";
    case experiments::WaitsFor::environment:
      return "it waits for room in its environment";
    case experiments::WaitsFor::user_limit:
      return fmt::format("it waits for its user: {} may have {} of the share (\"user_limit\": {})",
                         limit->user, limit->most, limit->user_limit_pct);
    case experiments::WaitsFor::quota:
      if (limit && !limit->allows(waiter.instances)) {
        return fmt::format(
            "it is not preemptible, and such jobs have what their share deserves: {} in all",
            limit->most);
      }
      if (looker.snapshot().lent_away(waiter) > 0) {
        return "it waits for its share: within its quota, but others have more than theirs, and "
               "nobody gives that back now";
      }
      return looker.share_of(waiter.job).empty()
                 ? "it waits for machines that no quota covers: it stands in no share"
                 : "it waits for its share: beyond its quota, and what it may borrow now";
    case experiments::WaitsFor::turn:
      break;
  }
  if (turns) return "it waits for its turn: " + turn_text(looker, waiter, *turns);
  if (ahead_of(looker, waiter).empty()) {
    return "it waits though it would fit: the rule holds machines for somebody, or its start was "
           "refused";
  }
  return "it waits for its turn: others go first, or the rule holds machines for somebody";
}

/// Why it waits, in a sentence.
std::string why(const Looker& looker, const Waiter& waiter) {
  const std::string blocker = blocker_text(looker, waiter);
  if (blocker.empty()) return reason_text(looker, waiter);
  const bool says_all = waiter.reason == experiments::WaitsFor::turn && !looker.turns(waiter);
  const std::string before = says_all ? "" : reason_text(looker, waiter) + "; ";
  return before + blocker;
}

std::string waits_for(const Looker& looker, const Waiter& waiter) {
  const std::uint32_t free = looker.snapshot().free(waiter.pool);
  std::string text =
      fmt::format("wants {} of {} instances; {} {} free", waiter.instances,
                  looker.snapshot().offered(waiter.pool), free, free == 1 ? "is" : "are");
  if (const auto room = looker.snapshot().environment_room(waiter.job, waiter.pool).least()) {
    text += fmt::format("; its environment {} has room for {}", looker.environment_of(waiter.job),
                        std::max<std::int64_t>(*room, 0));
  }
  if (const auto turns = looker.turns(waiter)) {
    text += (turns->own.share ? "; its " : "; ") + stand_of(looker, turns->own);
  }
  const auto share = looker.snapshot().share_of(waiter.job, waiter.pool);
  if (!share) return text;
  text += fmt::format("; its share {} has {} of its {}", looker.share_of(waiter.job), share->used,
                      share->quota);
  if (share->lent > 0) text += fmt::format(", {} of them lent", share->lent);
  if (share->borrowed > 0) text += fmt::format(", {} borrowed", share->borrowed);
  if (const auto limit = looker.snapshot().limit_of(waiter)) {
    text += limit->of_user ? fmt::format(", {} by {}", limit->held, limit->user)
                           : fmt::format(", {} by jobs that are not preemptible", limit->held);
  }
  return text;
}

int explain_waiter(Looker& looker, const Waiter& waiter, const Console& console) {
  const std::vector<const Waiter*> ahead = ahead_of(looker, waiter);
  const std::vector<Remedy> remedies = looker.remedies(waiter);
  const std::string name = looker.record().jobs.name(waiter.job);
  const std::string place = looker.world().pools[waiter.pool.index].name;
  if (console.json) {
    nlohmann::ordered_json json{{"job", name},
                                {"at_s", seconds_of(looker, looker.at())},
                                {"state", "waits"},
                                {"attempt", waiter.attempt},
                                {"pool", place},
                                {"queue", looker.queue_of(waiter.job)},
                                {"share", looker.share_of(waiter.job)},
                                {"position", ahead.size() + 1},
                                {"reason", experiments::name(waiter.reason)},
                                {"why", why(looker, waiter)},
                                {"instances", waiter.instances},
                                {"free", looker.snapshot().free(waiter.pool)},
                                {"since_s", seconds_of(looker, waiter.since)},
                                {"starts_s", seconds_of(looker, waiter.starts)}};
    const Waiter* const blocker = looker.blocker(waiter).who;
    json["behind"] = blocker == nullptr ? "" : looker.record().jobs.name(blocker->job);
    auto& before = json["ahead"] = nlohmann::ordered_json::array();
    for (const Waiter* other : ahead) before.push_back(looker.record().jobs.name(other->job));
    auto& would = json["would_let_it_run"] = nlohmann::ordered_json::array();
    for (const Remedy& remedy : remedies) {
      would.push_back({{"change", remedy.what},
                       {"starts_s", seconds_of(looker, remedy.starts)},
                       {"text", outcome(looker, waiter, remedy)}});
    }
    json["partial"] = looker.partial();
    console.print(json.dump(2) + '\n');
  } else {
    std::string out = fmt::format(
        " {} waits at {} for {}, since {}: place {}\n  {}\n  {}\n  ahead of it: {}\n  {}\n", name,
        looker.clock(looker.at()), place, looker.clock(waiter.since), ahead.size() + 1,
        waits_for(looker, waiter), why(looker, waiter),
        ahead.empty() ? "nobody" : names_of_jobs(looker, ahead),
        waiter.starts == policy::never ? "it does not start in this run"
                                       : "it starts at " + looker.clock(waiter.starts));
    out += " what would have let it run sooner\n";
    for (const Remedy& remedy : remedies) {
      out += fmt::format("  {}: {}\n", remedy.what, outcome(looker, waiter, remedy));
    }
    console.print(out);
  }
  return looker.partial() ? ExitCode::interrupted : ExitCode::done;
}

/// Who waits there, in the order in which they came to start: those of a queue in whatever fleet.
std::vector<Waiter> line_of(const Looker& looker, const std::string& name, bool is_queue) {
  std::vector<Waiter> line;
  for (const Waiter& waiter : looker.snapshot().waiters()) {
    const bool mine = is_queue ? looker.queue_of(waiter.job) == name
                               : looker.world().pools[waiter.pool.index].name == name;
    if (mine) line.push_back(waiter);
  }
  std::stable_sort(line.begin(), line.end(), [&](const Waiter& a, const Waiter& b) {
    return looker.snapshot().goes_before(a, b);
  });
  return line;
}

report::Table line_table(const Looker& looker, const std::string& name, bool is_queue) {
  report::Table table;
  table.name = name;
  table.columns = {{"position", "place"},
                   {"job", "job", report::Align::left},
                   {"pool", "fleet", report::Align::left},
                   {"share", "share", report::Align::left},
                   {"priority", "priority"},
                   {"instances", "instances"},
                   {"waited_s", "waited"},
                   {"reason", "waits for", report::Align::left},
                   {"starts_s", "starts at"}};
  for (const Waiter& waiter : line_of(looker, name, is_queue)) {
    report::Cell start = report::no_cell();
    if (waiter.starts != policy::never) {
      start = report::cell(waiter.starts - looker.record().start);
      start.text = looker.clock(waiter.starts);
    }
    report::Cell priority = report::cell(double{0}, std::to_string(waiter.priority));
    priority.value = std::int64_t{waiter.priority};
    table.rows.push_back(
        {{report::cell(std::uint64_t{table.rows.size() + 1}),
          report::cell(std::string_view{looker.record().jobs.name(waiter.job)}),
          report::cell(std::string_view{looker.world().pools[waiter.pool.index].name}),
          report::cell(std::string_view{looker.share_of(waiter.job)}), std::move(priority),
          report::cell(std::uint64_t{waiter.instances}), report::cell(looker.at() - waiter.since),
          report::cell(experiments::name(waiter.reason)), std::move(start)}});
  }
  table.facts = {
      {name, fmt::format("{} {} at {}", table.rows.size(),
                         table.rows.size() == 1 ? "waits" : "wait", looker.clock(looker.at()))}};
  return table;
}

bool has_queue(const scenarios::Scenario& scenario, const std::string& name) {
  const auto& queues = scenario.world.directory.queues;
  return std::ranges::any_of(queues, [&](const auto& queue) { return queue.name == name; });
}

}  // namespace

bool has_line(const scenarios::Scenario& scenario, const std::string& name) {
  const auto& pools = scenario.world.pools;
  return has_queue(scenario, name) ||
         std::ranges::any_of(pools, [&](const auto& pool) { return pool.name == name; });
}

int explain_at(const scenarios::Scenario& scenario, const WaitQuestion& question,
               const Console& console) {
  Looker looker{scenario, question};
  const auto job = looker.job();
  if (!job) {
    const report::Table table = line_table(looker, question.id, has_queue(scenario, question.id));
    console.json ? console.print(report::json(table)) : console.print(table);
    return looker.partial() ? ExitCode::interrupted : ExitCode::done;
  }
  for (const Waiter& waiter : looker.snapshot().waiters()) {
    if (waiter.job == *job) return explain_waiter(looker, waiter, console);
  }
  const std::string state = other_state(looker, *job);
  if (console.json) {
    const nlohmann::ordered_json json{{"job", question.id},
                                      {"at_s", seconds_of(looker, looker.at())},
                                      {"state", state},
                                      {"partial", looker.partial()}};
    console.print(json.dump(2) + '\n');
  } else {
    console.print(fmt::format(" {} {} (at {})\n", question.id, state, looker.clock(looker.at())));
  }
  return looker.partial() ? ExitCode::interrupted : ExitCode::done;
}

}  // namespace reeve::app
