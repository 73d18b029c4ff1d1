// YARN's capacity scheduler as a stand-in: all pending and running jobs, evaluated anew each time.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/rules/schedule/oracles/queue_oracle.hpp"

namespace reeve::tests::oracle {

/// Hadoop, CapacityScheduler.html, "Queue Properties": capacity, maximum-capacity and
/// user-limit-factor; ProportionalCapacityPreemptionPolicy: max_wait_before_kill.  Gangs of one
/// resource.
class CapacityQueues final : public Order {
 public:
  struct Queue {
    std::int64_t capacity = 0;
    std::int64_t most = 0;
  };
  struct Model {
    std::vector<Queue> queues = {};
    std::vector<std::size_t> users = {};  ///< of the jobs; 0: no user, and no limit
    std::int64_t user_limit_pct = 0;      ///< 0: no limit
    Tick grace = 0;                       ///< `never`: no job is preempted
  };
  explicit CapacityQueues(Model model) : model_{std::move(model)} {}

  Moves decide(const State& state) override {
    Plan plan = plan_of(state);
    Moves moves;
    std::vector<std::size_t> claims;
    while (const auto job = next(plan, [&](std::size_t one) { return is_within(plan, one); })) {
      if (plan.size(*job) <= plan.free) {
        moves.start.push_back(*job);
        plan.free -= plan.size(*job);
      } else {
        claims.push_back(*job);
      }
      std::erase(plan.waiting, *job);
      use(plan, *job, 1);
    }
    again_ = never;
    reclaim(plan, claims, moves);
    if (!moves.stop.empty()) again_ = state.now;  // whoever was preempted lines up at once
    if (!claims.empty()) return moves;
    while (const auto job = next(plan, [&](std::size_t one) { return may_borrow(plan, one); })) {
      moves.start.push_back(*job);
      plan.free -= plan.size(*job);
      std::erase(plan.waiting, *job);
      use(plan, *job, 1);
    }
    return moves;
  }
  Tick next_change(const State&) override { return again_; }

 private:
  using User = std::pair<std::size_t, std::size_t>;  ///< of a queue
  struct Plan {
    const State* state = nullptr;
    std::vector<std::int64_t> used = {};
    std::map<User, std::int64_t> held = {};
    std::int64_t free = 0;
    std::vector<std::size_t> may_stop = {};
    std::vector<std::size_t> waiting = {};

    std::size_t queue(std::size_t job) const { return state->job(job).share; }
    std::int64_t size(std::size_t job) const { return state->job(job).needs.front(); }
    /// Smaller goes first.
    std::tuple<std::int64_t, Tick, std::size_t> place(std::size_t job) const {
      return {-state->job(job).priority, state->job(job).submit, job};
    }
  };

  Plan plan_of(const State& state) const {
    Plan plan;
    plan.state = &state;
    plan.used.resize(model_.queues.size());
    plan.free = state.free.front();
    plan.waiting = state.waiting;
    for (const std::size_t job : state.running) {
      use(plan, job, 1);
      if (state.since[job] < state.now) plan.may_stop.push_back(job);
    }
    return plan;
  }
  void use(Plan& plan, std::size_t job, std::int64_t times) const {
    plan.used[plan.queue(job)] += times * plan.size(job);
    plan.held[{plan.queue(job), model_.users[job]}] += times * plan.size(job);
  }

  bool is_within(const Plan& plan, std::size_t job) const {
    const std::size_t queue = plan.queue(job);
    return plan.used[queue] + plan.size(job) <= model_.queues[queue].capacity;
  }
  bool may_borrow(const Plan& plan, std::size_t job) const {
    const std::size_t queue = plan.queue(job);
    return plan.size(job) <= plan.free &&
           plan.used[queue] + plan.size(job) <= model_.queues[queue].most;
  }
  bool user_may(const Plan& plan, std::size_t job) const {
    const std::size_t queue = plan.queue(job);
    if (model_.users[job] == 0 || model_.user_limit_pct == 0) return true;
    const auto holds = plan.held.find({queue, model_.users[job]});
    const std::int64_t held = holds == plan.held.end() ? 0 : holds->second;
    return held == 0 ||
           (held + plan.size(job)) * 100 <= model_.queues[queue].capacity * model_.user_limit_pct;
  }
  /// The part of its capacity that a queue uses; without any it is last.
  bool uses_less(const Plan& plan, std::size_t a, std::size_t b) const {
    const std::int64_t of_a = model_.queues[a].capacity;
    const std::int64_t of_b = model_.queues[b].capacity;
    if (of_a == 0 && of_b == 0) return plan.used[a] < plan.used[b];
    if (of_a == 0 || of_b == 0) return of_b == 0;
    return plan.used[a] * of_b < plan.used[b] * of_a;
  }

  /// Of a user only the first counts, and of a queue only the first of whose user may have more.
  std::optional<std::size_t> head(const Plan& plan, std::size_t queue) const {
    std::vector<std::size_t> line;
    for (const std::size_t job : plan.waiting) {
      if (plan.queue(job) == queue) line.push_back(job);
    }
    std::sort(line.begin(), line.end(),
              [&](std::size_t a, std::size_t b) { return plan.place(a) < plan.place(b); });
    std::vector<std::size_t> passed;
    for (const std::size_t job : line) {
      const std::size_t user = model_.users[job];
      if (std::find(passed.begin(), passed.end(), user) != passed.end()) continue;
      if (user_may(plan, job)) return job;
      passed.push_back(user);
    }
    return std::nullopt;
  }
  template <class May>
  std::optional<std::size_t> next(const Plan& plan, const May& may) const {
    std::optional<std::size_t> best;
    for (std::size_t queue = 0; queue < model_.queues.size(); ++queue) {
      const auto first = head(plan, queue);
      if (!first || !may(*first)) continue;
      if (!best || uses_less(plan, queue, plan.queue(*best))) best = first;
    }
    return best;
  }

  void reclaim(Plan& plan, const std::vector<std::size_t>& claims, Moves& moves) {
    const Tick now = plan.state->now;
    const std::map<std::size_t, Tick> before = std::exchange(since_, {});
    for (const std::size_t job : claims) {
      const auto known = before.find(job);
      since_[job] = known == before.end() ? now : known->second;
    }
    std::int64_t there = plan.free;
    for (const std::size_t job : claims) {
      const Tick due = model_.grace == never ? never : since_[job] + model_.grace;
      if (due > now) {
        again_ = std::min(again_, due);
        continue;
      }
      there -= plan.size(job);
      if (there >= 0) continue;
      const std::vector<std::size_t> victims = victims_for(plan, -there);
      if (victims.empty()) {
        if (plan.may_stop.size() < plan.state->running.size()) again_ = std::min(again_, now + 1);
        there += plan.size(job);
        continue;
      }
      for (const std::size_t victim : victims) {
        use(plan, victim, -1);
        std::erase(plan.may_stop, victim);
        there += plan.size(victim);
        moves.stop.push_back(victim);
      }
    }
  }

  std::vector<std::size_t> victims_for(Plan plan, std::int64_t lacks) const {
    std::vector<std::size_t> chosen;
    while (lacks > 0) {
      std::optional<std::size_t> worst;
      for (const std::size_t job : plan.may_stop) {
        const std::size_t queue = plan.queue(job);
        if (plan.used[queue] <= model_.queues[queue].capacity) continue;
        if (!worst) worst = job;
        const std::size_t other = plan.queue(*worst);
        const bool same = queue == other;
        const bool farther =
            uses_less(plan, other, queue) || (!uses_less(plan, queue, other) && queue > other);
        if (same ? plan.place(job) > plan.place(*worst) : farther) worst = job;
      }
      if (!worst) return {};
      use(plan, *worst, -1);
      std::erase(plan.may_stop, *worst);
      lacks -= plan.size(*worst);
      chosen.push_back(*worst);
    }
    for (std::size_t place = chosen.size(); place-- > 0;) {
      const std::int64_t size = plan.size(chosen[place]);
      if (lacks + size > 0) continue;
      lacks += size;
      chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(place));
    }
    return chosen;
  }

  Model model_;
  std::map<std::size_t, Tick> since_;  ///< who waits within its queue's capacity
  Tick again_ = never;
};

}  // namespace reeve::tests::oracle
