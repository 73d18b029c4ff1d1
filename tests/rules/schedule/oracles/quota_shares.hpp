// AWS Batch quota shares as a stand-in: quotas of one pool that reserve, lend and borrow, and who
// is preempted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/rules/schedule/oracles/queue_oracle.hpp"

namespace reeve::tests::oracle {

enum class Sharing : std::uint8_t { reserve, lend, lend_and_borrow };

struct Share {
  std::int64_t limit = 0;
  Sharing sharing = Sharing::lend_and_borrow;
  std::int64_t borrow_pct = -1;  ///< of its limit; below 0: whatever is lent
  bool in_share_preemption = false;
};

/// What AWS does not publish.
struct QuotaModel {
  /// A borrower that does not fit keeps those who came later from borrowing.
  bool blocked_borrower_blocks = false;
  /// What a lowered limit leaves without cover is preempted when it is lowered, not when wanted.
  bool surplus_at_once = true;
};

struct LimitChange {
  Tick at = 0;
  std::size_t share = 0;
  std::int64_t limit = 0;
};
struct PriorityChange {
  Tick at = 0;
  std::size_t job = 0;
  std::int64_t priority = 0;
};

/// aws-behaviour.md §4.4, the normative model of AWS Batch User Guide, "Quota management" and
/// "Preemption": shares are served in turn, in a share the highest priority and then the earliest
/// submission; only the first of a share is looked at.  What is within its limit gets machines, if
/// they are lent out by preempting borrowers.  Beyond the limit idle machines of shares that lend
/// are borrowed, in order of submission; if there are none, lower priorities of the same share may
/// be preempted.  Victims: lowest priority, latest start, best fit, until there is room; then those
/// turn out to be superfluous are spared, the last chosen first.  Of one resource.
class QuotaShares final : public Order {
 public:
  explicit QuotaShares(std::vector<Share> shares, QuotaModel model = {},
                       std::vector<LimitChange> limits = {},
                       std::vector<PriorityChange> priorities = {})
      : shares_{std::move(shares)},
        model_{model},
        limits_{std::move(limits)},
        priorities_{std::move(priorities)},
        last_{shares_.size() - 1} {}

  Moves decide(const State& state) override {
    apply_changes(state);
    Plan plan = plan_of(state);
    if (model_.surplus_at_once) cover_surplus(plan);
    while (serve(plan) || borrow(plan)) continue;
    // Who was preempted lines up at once.
    again_ = plan.moves.stop.empty() ? never : state.now;
    return plan.moves;
  }

  Tick next_change(const State& state) override {
    Tick next = again_;
    const bool fresh =
        std::any_of(state.running.begin(), state.running.end(),
                    [&state](std::size_t job) { return state.since[job] == state.now; });
    // Who may be stopped a tick later.
    if (fresh && !state.waiting.empty()) next = std::min(next, state.now + 1);
    for (const LimitChange& change : limits_) next = std::min(next, change.at);
    for (const PriorityChange& change : priorities_) next = std::min(next, change.at);
    return next;
  }

 private:
  /// What would be so.
  struct Plan {
    const State* state = nullptr;
    std::vector<std::int64_t> priority = {};  ///< by job
    std::vector<std::int64_t> used = {};      ///< by share
    std::int64_t free = 0;                    ///< below 0: impossible
    std::vector<std::size_t> may_stop = {};   ///< those who ran before this instant
    std::vector<std::size_t> waiting = {};
    Moves moves = {};

    std::size_t share(std::size_t job) const { return state->job(job).share; }
    std::int64_t size(std::size_t job) const { return state->job(job).needs.front(); }
    void take(std::size_t job) { use(job, 1); }
    void give_back(std::size_t job) { use(job, -1); }

   private:
    void use(std::size_t job, std::int64_t times) {
      used[share(job)] += times * size(job);
      free -= times * size(job);
    }
  };

  void apply_changes(const State& state) {
    while (changed_.size() < state.jobs->size()) {
      changed_.push_back(state.job(changed_.size()).priority);
    }
    std::erase_if(limits_, [&](const LimitChange& change) {
      if (change.at <= state.now) shares_[change.share].limit = change.limit;
      return change.at <= state.now;
    });
    std::erase_if(priorities_, [&](const PriorityChange& change) {
      if (change.at <= state.now) changed_[change.job] = change.priority;
      return change.at <= state.now;
    });
  }

  Plan plan_of(const State& state) const {
    Plan plan;
    plan.state = &state;
    plan.priority = changed_;
    plan.used.resize(shares_.size());
    plan.free = state.capacity.front();
    for (const std::size_t job : state.running) plan.take(job);
    for (const std::size_t job : state.running) {
      if (state.since[job] < state.now) plan.may_stop.push_back(job);
    }
    plan.waiting = state.waiting;
    return plan;
  }

  /// What is borrowed and no share that lends has idle.
  std::int64_t uncovered(const Plan& plan) const {
    std::int64_t lacks = 0;
    for (std::size_t share = 0; share < shares_.size(); ++share) {
      const std::int64_t over = plan.used[share] - shares_[share].limit;
      if (over > 0 || shares_[share].sharing != Sharing::reserve) lacks += over;
    }
    return std::max<std::int64_t>(lacks, 0);
  }
  bool is_over(const Plan& plan, std::size_t share) const {
    return plan.used[share] > shares_[share].limit;
  }
  bool may_have(std::size_t share, std::int64_t used) const {
    const Share& terms = shares_[share];
    if (used <= terms.limit) return true;
    if (terms.sharing != Sharing::lend_and_borrow) return false;
    return terms.borrow_pct < 0 || used * 100 <= terms.limit * (100 + terms.borrow_pct);
  }

  std::optional<std::size_t> head(const Plan& plan, std::size_t share) const {
    std::optional<std::size_t> first;
    const auto place = [&](std::size_t job) {
      return std::tuple{-plan.priority[job], plan.state->job(job).submit, job};
    };
    for (const std::size_t job : plan.waiting) {
      if (plan.share(job) != share) continue;
      if (!first || place(job) < place(*first)) first = job;
    }
    return first;
  }

  /// Stops candidates until the plan holds, and spares the superfluous; false if it never holds.
  template <class Holds, class Candidates>
  static bool clear(Plan& plan, Holds holds, Candidates candidates) {
    std::vector<std::size_t> victims;
    while (!holds(plan)) {
      const std::vector<std::size_t> all = candidates(plan);
      if (all.empty()) return false;
      const auto place = [&](std::size_t job) {
        Plan without = plan;
        without.give_back(job);
        const std::int64_t size = plan.size(job);
        const bool enough = holds(without);
        const Tick elapsed = plan.state->now - plan.state->since[job];
        return std::tuple{plan.priority[job], elapsed, !enough, enough ? size : -size, job};
      };
      const std::size_t victim =
          *std::min_element(all.begin(), all.end(),
                            [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
      plan.give_back(victim);
      std::erase(plan.may_stop, victim);
      victims.push_back(victim);
    }
    std::vector<std::size_t> spared;
    for (auto victim = victims.rbegin(); victim != victims.rend(); ++victim) {
      plan.take(*victim);
      if (holds(plan)) {
        spared.push_back(*victim);
      } else {
        plan.give_back(*victim);
      }
    }
    for (const std::size_t victim : victims) {
      const bool stays = std::find(spared.begin(), spared.end(), victim) != spared.end();
      (stays ? plan.may_stop : plan.moves.stop).push_back(victim);
    }
    return true;
  }

  std::vector<std::size_t> of_borrowers(const Plan& plan) const {
    std::vector<std::size_t> out;
    for (const std::size_t job : plan.may_stop) {
      if (is_over(plan, plan.share(job))) out.push_back(job);
    }
    return out;
  }

  void cover_surplus(Plan& plan) const {
    const auto holds = [this](const Plan& seen) { return uncovered(seen) == 0; };
    clear(plan, holds, [this](const Plan& seen) { return of_borrowers(seen); });
  }

  /// Starts the job if that is possible; `preempts` inside its share if there it is beyond its
  /// limit.
  bool admit(Plan& plan, std::size_t job, bool preempts) const {
    const std::size_t share = plan.share(job);
    const std::int64_t before = uncovered(plan);
    Plan trial = plan;
    trial.take(job);
    const auto holds = [&](const Plan& seen) {
      return seen.free >= 0 && uncovered(seen) <= before && may_have(share, seen.used[share]);
    };
    const auto candidates = [&](const Plan& seen) {
      if (!is_over(seen, share)) return of_borrowers(seen);
      std::vector<std::size_t> out;
      for (const std::size_t other : seen.may_stop) {
        const bool lower = seen.priority[other] < seen.priority[job];
        if (preempts && seen.share(other) == share && lower) out.push_back(other);
      }
      return out;
    };
    if (!clear(trial, holds, candidates)) return false;
    std::erase(trial.waiting, job);
    trial.moves.start.push_back(job);
    plan = std::move(trial);
    return true;
  }

  bool is_within(const Plan& plan, std::size_t job) const {
    const std::size_t share = plan.share(job);
    return plan.used[share] + plan.size(job) <= shares_[share].limit;
  }
  bool may_borrow(const Plan& plan, std::size_t job) const {
    Plan trial = plan;
    return !is_within(plan, job) && admit(trial, job, false);
  }

  /// The next share in turn that gets something without borrowing more: what is its own, or, if
  /// nobody can have that, what lower priorities of it have.
  bool serve(Plan& plan) {
    for (const bool in_share : {false, true}) {
      for (std::size_t turn = 1; turn <= shares_.size(); ++turn) {
        const std::size_t share = (last_ + turn) % shares_.size();
        const auto job = head(plan, share);
        if (!job || is_within(plan, *job) == in_share) continue;
        if (in_share && (!shares_[share].in_share_preemption || may_borrow(plan, *job))) continue;
        if (!admit(plan, *job, in_share)) continue;
        last_ = share;
        return true;
      }
    }
    return false;
  }

  bool borrow(Plan& plan) const {
    std::vector<std::pair<Tick, std::size_t>> borrowers;
    for (std::size_t share = 0; share < shares_.size(); ++share) {
      const auto job = head(plan, share);
      if (!job || is_within(plan, *job)) continue;
      if (shares_[share].sharing != Sharing::lend_and_borrow) continue;
      borrowers.emplace_back(plan.state->job(*job).submit, *job);
    }
    std::sort(borrowers.begin(), borrowers.end());
    for (const auto& borrower : borrowers) {
      if (admit(plan, borrower.second, false)) return true;
      if (model_.blocked_borrower_blocks) return false;
    }
    return false;
  }

  std::vector<Share> shares_;
  QuotaModel model_;
  std::vector<LimitChange> limits_;
  std::vector<PriorityChange> priorities_;
  std::vector<std::int64_t> changed_;  ///< the priorities as they are now
  std::size_t last_;                   ///< the share that was served last
  Tick again_ = never;
};

}  // namespace reeve::tests::oracle
