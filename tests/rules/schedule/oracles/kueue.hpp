// Kueue's scheduling as a stand-in: one cohort of shares on one pool, and who is preempted.
#pragma once

#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/rules/schedule/oracles/cycle_watch.hpp"
#include "tests/rules/schedule/oracles/quota_shares.hpp"

namespace reeve::tests::oracle {

enum class Within : std::uint8_t { none, lower_priority, lower_or_newer };
enum class Reclaim : std::uint8_t { none, lower_priority, any };

/// KEP-1714: S2-a and S2-b.
enum class Strategy : std::uint8_t { final_share, initial_share };

struct KueueModel {
  bool strict = false;  ///< the first of a share blocks it
  Within within = Within::none;
  Reclaim reclaim = Reclaim::none;
  bool borrow_within = false;  ///< who borrows may preempt lower priorities
  std::int64_t threshold = std::numeric_limits<std::int32_t>::max();  ///< of those
  std::int64_t tick_ns = 60'000'000'000;
  bool fair = false;
  std::vector<Strategy> strategies = {Strategy::final_share, Strategy::initial_share};
  std::vector<std::int64_t> weights = {};  ///< of fair sharing, by share: lower gets more
};

/// What the share keeps for itself.
inline std::int64_t own(const Share& share) {
  return share.sharing == Sharing::reserve ? share.limit : 0;
}
/// What it may have at most, if there is as much.
inline std::int64_t most(const Share& share) {
  if (share.sharing != Sharing::lend_and_borrow) return share.limit;
  if (share.borrow_pct < 0) return 1'000'000'000;
  return share.limit * (100 + share.borrow_pct) / 100;
}
inline std::int64_t lendable(const std::vector<Share>& shares) {
  std::int64_t sum = 0;
  for (const Share& share : shares) sum += share.limit - own(share);
  return sum;
}

/// Whether a share may have more: its own, and of what all lend what no share has, up to its limit.
inline bool has_room(const std::vector<Share>& shares, const std::vector<std::int64_t>& used,
                     std::int64_t free, std::size_t share, std::int64_t more) {
  const auto of_all = [&](std::size_t each) {
    return std::max<std::int64_t>(used[each] - own(shares[each]), 0);
  };
  std::int64_t left = lendable(shares);
  for (std::size_t each = 0; each < shares.size(); ++each) left -= of_all(each);
  const std::int64_t own_left = std::max<std::int64_t>(own(shares[share]) - used[share], 0);
  const std::int64_t limit = most(shares[share]) - own(shares[share]) - of_all(share);
  return more <= own_left + std::min(left, limit) && more <= free;
}

/// Kueue's pages "Cluster Queue" and "Preemption".  In cycles, until one starts nobody: each share
/// nominates the first of its line that can start (or only the first of all), with the targets that
/// it would have alone; those that borrow then go last, else the highest priority, the earliest
/// submission.  Everything is sorted anew, and all sums are made anew, whenever they are asked for.
class Kueue final : public Order {
 public:
  explicit Kueue(std::vector<Share> shares, KueueModel model = {},
                 std::vector<LimitChange> limits = {}, std::vector<PriorityChange> priorities = {})
      : shares_{std::move(shares)},
        model_{model},
        limits_{std::move(limits)},
        priorities_{std::move(priorities)} {}

  Moves decide(const State& state) override {
    watch_.looks_at(state, apply_changes(state));
    Plan plan = plan_of(state);
    while (cycle(plan)) continue;
    watch_.decided(state, plan.moves);
    // Who was preempted lines up at once.
    again_ = plan.moves.stop.empty() ? never : state.now;
    return plan.moves;
  }

  Tick next_change(const State& state) override {
    Tick next = again_;
    for (const std::size_t job : state.running) {
      const Tick safe = safe_until(state, job);
      if (safe > state.now && !state.waiting.empty()) next = std::min(next, safe);
    }
    for (const LimitChange& change : limits_) next = std::min(next, change.at);
    for (const PriorityChange& change : priorities_) next = std::min(next, change.at);
    return next;
  }

  Tick safe_until(const State& state, std::size_t job) const {
    return watch_.safe_until(state, job);
  }

 private:
  using Jobs = std::vector<std::size_t>;

  /// What would be so.
  struct Plan {
    const State* state = nullptr;
    std::vector<std::int64_t> used = {};  ///< by share
    std::int64_t free = 0;
    Jobs may_stop = {};  ///< those who run and are not safe
    Jobs waiting = {};
    Moves moves = {};

    std::size_t share(std::size_t job) const { return state->job(job).share; }
    std::int64_t size(std::size_t job) const { return state->job(job).needs.front(); }
    void use(std::size_t job, std::int64_t times) {
      used[share(job)] += times * size(job);
      free -= times * size(job);
    }
  };

  struct Nominee {
    std::size_t job = 0;
    Jobs targets = {};
    bool borrows = false;
    bool blocked = false;
  };

  /// Whether there were any that matter.
  bool apply_changes(const State& state) {
    bool any = false;
    while (changed_.size() < state.jobs->size()) {
      changed_.push_back(state.job(changed_.size()).priority);
    }
    std::erase_if(limits_, [&](const LimitChange& change) {
      if (change.at > state.now) return false;
      shares_[change.share].limit = change.limit;
      return any = true;
    });
    std::erase_if(priorities_, [&](const PriorityChange& change) {
      if (change.at > state.now) return false;
      const auto& waiting = state.waiting;
      const bool is_there =
          state.runs(change.job) || std::binary_search(waiting.begin(), waiting.end(), change.job);
      any = any || (is_there && changed_[change.job] != change.priority);
      changed_[change.job] = change.priority;
      return true;
    });
    return any;
  }

  Plan plan_of(const State& state) const {
    Plan plan;
    plan.state = &state;
    plan.used.resize(shares_.size());
    plan.free = state.capacity.front();
    for (const std::size_t job : state.running) {
      plan.use(job, 1);
      if (safe_until(state, job) <= state.now) plan.may_stop.push_back(job);
    }
    plan.waiting = state.waiting;
    return plan;
  }

  bool borrows(const Plan& plan, std::size_t share) const {
    return plan.used[share] > shares_[share].limit;
  }
  bool holds(const Plan& plan, std::size_t share, std::int64_t more, bool may_borrow) const {
    if (!has_room(shares_, plan.used, plan.free, share, more)) return false;
    return may_borrow || plan.used[share] + more <= shares_[share].limit;
  }

  /// KEP-1714, "Share value function and weights"; in one pool, so what all lend says nothing,
  /// unless it is nothing.
  std::int64_t value_of(std::size_t share, std::int64_t used) const {
    if (lendable(shares_) == 0) return 0;
    return std::max<std::int64_t>(used - shares_[share].limit, 0) * model_.weights[share];
  }

  // Whom to preempt.

  void sort_as_candidates(const Plan& plan, Jobs& jobs) const {
    const auto place = [&](std::size_t job) {
      return std::tuple{changed_[job], -plan.state->since[job], job};
    };
    std::sort(jobs.begin(), jobs.end(),
              [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  }
  Jobs of_own(const Plan& plan, std::size_t wanting) const {
    Jobs out;
    for (const std::size_t job : plan.may_stop) {
      if (plan.share(job) != plan.share(wanting) || model_.within == Within::none) continue;
      const bool newer = model_.within == Within::lower_or_newer &&
                         changed_[job] == changed_[wanting] &&
                         plan.state->job(job).submit > plan.state->job(wanting).submit;
      if (changed_[job] < changed_[wanting] || newer) out.push_back(job);
    }
    sort_as_candidates(plan, out);
    return out;
  }
  Jobs of_borrowers(const Plan& plan, std::size_t wanting) const {
    Jobs out;
    for (const std::size_t job : plan.may_stop) {
      if (plan.share(job) == plan.share(wanting) || !borrows(plan, plan.share(job))) continue;
      const bool lower = changed_[job] < changed_[wanting];
      if (model_.reclaim == Reclaim::any || (model_.reclaim == Reclaim::lower_priority && lower)) {
        out.push_back(job);
      }
    }
    sort_as_candidates(plan, out);
    return out;
  }

  /// In this order until there is room, others only while their share borrows; then back again from
  /// the last but one.
  std::optional<Jobs> attempt(Plan plan, std::size_t job, const Jobs& candidates,
                              bool may_borrow) const {
    const std::size_t share = plan.share(job);
    const auto fits = [&] { return holds(plan, share, plan.size(job), may_borrow); };
    Jobs targets;
    for (const std::size_t candidate : candidates) {
      const bool other = plan.share(candidate) != share;
      if (other && !borrows(plan, plan.share(candidate))) continue;
      plan.use(candidate, -1);
      targets.push_back(candidate);
      if (fits()) break;
    }
    if (targets.empty() || !fits()) return std::nullopt;
    const Jobs all = targets;
    for (std::size_t at = all.size() - 1; at-- > 0;) {
      plan.use(all[at], 1);
      if (fits()) {
        std::erase(targets, all[at]);
      } else {
        plan.use(all[at], -1);
      }
    }
    return targets;
  }

  bool looks_for_targets(const Plan& plan, std::size_t job) const {
    const std::size_t share = plan.share(job);
    const std::int64_t size = plan.size(job);
    const std::int64_t reach =
        std::min(own(shares_[share]) + lendable(shares_), most(shares_[share]));
    if (size > reach) return false;
    const bool may_borrow = model_.fair ? model_.reclaim != Reclaim::none : model_.borrow_within;
    return size <= shares_[share].limit || may_borrow;
  }

  /// The page "Preemption", Fair Sharing, Algorithm overview.
  class FairSearch {
   public:
    FairSearch(const Kueue& kueue, Plan plan, std::size_t job, const Jobs& others, const Jobs& mine)
        : kueue_{kueue}, plan_{std::move(plan)}, job_{job}, left_(kueue.shares_.size()) {
      for (const std::size_t each : others) left_[plan_.share(each)].push_back(each);
      left_[plan_.share(job)] = mine;
    }

    std::optional<Jobs> found() {
      std::vector<Jobs> again(left_.size());
      while (const auto share = highest(left_)) {
        while (!left_[*share].empty()) {
          const std::size_t target = left_[*share].front();
          left_[*share].erase(left_[*share].begin());
          if (goes(*share, target)) {
            if (take(target)) return spared();
            break;
          }
          again[*share].push_back(target);
        }
      }
      if (kueue_.model_.strategies.size() == 1) return std::nullopt;
      while (const auto share = highest(again)) {
        const std::size_t target = again[*share].front();
        again[*share].clear();
        if (wanted() < value(*share) && take(target)) return spared();
      }
      return std::nullopt;
    }

   private:
    std::int64_t value(std::size_t share, std::int64_t more = 0) const {
      return kueue_.value_of(share, plan_.used[share] + more);
    }
    std::int64_t wanted() const { return value(plan_.share(job_), plan_.size(job_)); }
    bool fits() const { return kueue_.holds(plan_, plan_.share(job_), plan_.size(job_), true); }
    bool goes(std::size_t share, std::size_t target) const {
      if (share == plan_.share(job_)) return true;
      const std::int64_t used = plan_.used[plan_.share(job_)] + plan_.size(job_);
      if (used <= kueue_.shares_[plan_.share(job_)].limit) return true;
      return kueue_.model_.strategies.front() == Strategy::final_share
                 ? wanted() <= value(share, -plan_.size(target))
                 : wanted() < value(share);
    }
    bool take(std::size_t target) {
      plan_.use(target, -1);
      targets_.push_back(target);
      return fits();
    }
    /// Of shares that borrow, and its own, that with the highest value; among equals others first,
    /// then that whose first candidate is before the other's.
    std::optional<std::size_t> highest(const std::vector<Jobs>& lines) const {
      const std::size_t own = plan_.share(job_);
      Jobs shares;
      for (std::size_t share = 0; share < lines.size(); ++share) {
        if (lines[share].empty() || (share != own && !kueue_.borrows(plan_, share))) continue;
        shares.push_back(share);
      }
      const auto place = [&](std::size_t share) {
        const std::size_t first = lines[share].front();
        return std::tuple{share == own ? -wanted() : -value(share), share == own,
                          kueue_.changed_[first], -plan_.state->since[first], first};
      };
      const auto best =
          std::min_element(shares.begin(), shares.end(),
                           [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
      return best == shares.end() ? std::nullopt : std::optional{*best};
    }
    Jobs spared() {
      const Jobs all = targets_;
      for (std::size_t at = all.size() - 1; at-- > 0;) {
        plan_.use(all[at], 1);
        if (fits()) {
          std::erase(targets_, all[at]);
        } else {
          plan_.use(all[at], -1);
        }
      }
      return targets_;
    }

    const Kueue& kueue_;
    Plan plan_;
    std::size_t job_;
    std::vector<Jobs> left_;  ///< by share
    Jobs targets_;
  };

  /// The page "Preemption", Classic Preemption, Targets.
  std::optional<Jobs> targets_of(const Plan& plan, std::size_t job) const {
    if (!looks_for_targets(plan, job)) return std::nullopt;
    const std::size_t share = plan.share(job);
    const std::int64_t limit = shares_[share].limit;
    const Jobs others = of_borrowers(plan, job);
    const Jobs mine = of_own(plan, job);
    if (model_.fair) return FairSearch{*this, plan, job, others, mine}.found();
    const auto with = [&](Jobs first) {
      first.insert(first.end(), mine.begin(), mine.end());
      return first;
    };
    if (plan.used[share] + plan.size(job) <= limit || others.empty()) {
      return attempt(plan, job, with(others), true);
    }
    if (model_.borrow_within) {
      Jobs low = others;
      std::erase_if(low, [&](std::size_t each) {
        return changed_[each] >= changed_[job] || changed_[each] > model_.threshold;
      });
      if (auto found = attempt(plan, job, with(low), true)) return found;
      return attempt(plan, job, with(others), false);
    }
    if (plan.used[share] < limit) {
      if (auto found = attempt(plan, job, with(others), false)) return found;
    }
    return attempt(plan, job, mine, true);
  }

  // Cycles.

  std::tuple<std::int64_t, Tick, std::size_t> place(const Plan& plan, std::size_t job) const {
    return {-changed_[job], plan.state->job(job).submit, job};
  }

  Nominee nominee(const Plan& plan, std::size_t job) const {
    Nominee out;
    out.job = job;
    Plan after = plan;
    if (!holds(plan, plan.share(job), plan.size(job), true)) {
      const auto targets = targets_of(plan, job);
      out.blocked = !targets;
      if (targets) out.targets = *targets;
      for (const std::size_t each : out.targets) after.use(each, -1);
    }
    after.use(job, 1);
    out.borrows = borrows(after, after.share(job));
    return out;
  }

  std::vector<Nominee> nominees(const Plan& plan) const {
    std::vector<Nominee> out;
    for (std::size_t share = 0; share < shares_.size(); ++share) {
      Jobs line;
      for (const std::size_t job : plan.waiting) {
        if (plan.share(job) == share) line.push_back(job);
      }
      std::sort(line.begin(), line.end(),
                [&](std::size_t a, std::size_t b) { return place(plan, a) < place(plan, b); });
      for (const std::size_t job : line) {
        const Nominee one = nominee(plan, job);
        if (!one.blocked || (model_.strict && looks_for_targets(plan, job))) out.push_back(one);
        if (!one.blocked || model_.strict) break;
      }
    }
    return out;
  }

  /// Who borrows goes last; by fair sharing that is the first of a tournament, whose share has the
  /// lowest value with it.
  std::tuple<std::int64_t, std::tuple<std::int64_t, Tick, std::size_t>> turn(
      const Plan& plan, const std::vector<std::int64_t>& kept, const Nominee& one) const {
    const std::size_t share = plan.share(one.job);
    const std::int64_t used = plan.used[share] + kept[share] + plan.size(one.job);
    return {model_.fair ? value_of(share, used) : one.borrows, place(plan, one.job)};
  }

  bool cycle(Plan& plan) {
    std::vector<Nominee> all = nominees(plan);
    std::vector<std::int64_t> kept(shares_.size());
    bool started = false;
    while (!all.empty()) {
      std::sort(all.begin(), all.end(), [&](const Nominee& a, const Nominee& b) {
        return turn(plan, kept, a) < turn(plan, kept, b);
      });
      const Nominee one = all.front();
      all.erase(all.begin());
      const std::size_t share = plan.share(one.job);
      if (one.blocked) {
        keep(plan, one, kept);
        continue;
      }
      Plan after = plan;
      bool lost = false;
      for (const std::size_t each : one.targets) {
        lost = lost ||
               std::find(plan.may_stop.begin(), plan.may_stop.end(), each) == plan.may_stop.end();
        after.use(each, -1);
      }
      Plan seen = after;
      for (std::size_t each = 0; each < kept.size(); ++each) seen.used[each] += kept[each];
      if (lost || !holds(seen, share, plan.size(one.job), true)) continue;
      for (const std::size_t each : one.targets) {
        watch_.takes(*plan.state, one.job, each);
        std::erase(after.may_stop, each);
        after.moves.stop.push_back(each);
      }
      after.use(one.job, 1);
      std::erase(after.waiting, one.job);
      after.moves.start.push_back(one.job);
      plan = std::move(after);
      started = true;
    }
    return started;
  }

  /// For the rest of the cycle nobody has what the first of a strict line waits for, unless it can
  /// always take it back.
  void keep(const Plan& plan, const Nominee& one, std::vector<std::int64_t>& kept) const {
    const std::size_t share = plan.share(one.job);
    if (model_.reclaim == Reclaim::any) return;
    const std::int64_t end = one.borrows ? most(shares_[share]) : shares_[share].limit;
    kept[share] = std::clamp<std::int64_t>(end - plan.used[share], 0, plan.size(one.job));
  }

  std::vector<Share> shares_;
  KueueModel model_;
  std::vector<LimitChange> limits_;
  std::vector<PriorityChange> priorities_;
  std::vector<std::int64_t> changed_;  ///< the priorities as they are now
  CycleWatch watch_{model_.tick_ns};
  Tick again_ = never;
};

}  // namespace reeve::tests::oracle
