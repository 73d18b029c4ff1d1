// NVIDIA's KAI scheduler as a stand-in: everybody who waits and runs, looked at anew for each
// start.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "tests/rules/schedule/oracles/cycle_watch.hpp"
#include "tests/rules/schedule/oracles/queue_oracle.hpp"

namespace reeve::tests::oracle {

/// KAI-Scheduler, docs/fairness and docs/priority: queues of one level, one resource, whole gangs.
class Kai final : public Order {
 public:
  struct Queue {
    std::int64_t deserved = 0;
    std::int64_t limit = 0;
    std::int64_t weight = 1;  ///< over quota: a larger one gets more
  };
  explicit Kai(const std::vector<Queue>& queues, std::int64_t tick_ns = 60'000'000'000)
      : queues_{queues}, watch_{tick_ns} {}

  Moves decide(const State& state) override {
    watch_.looks_at(state);
    Plan plan = plan_of(state);
    fair_ = division(plan);
    while (let_one_in(plan)) continue;
    watch_.decided(state, plan.moves);
    again_ = plan.moves.stop.empty() ? never : state.now;  // who was preempted lines up at once
    return plan.moves;
  }

  Tick next_change(const State& state) override {
    Tick next = again_;
    for (const std::size_t job : state.running) {
      const Tick safe = safe_until(state, job);
      if (safe > state.now && !state.waiting.empty()) next = std::min(next, safe);
    }
    return next;
  }

  Tick safe_until(const State& state, std::size_t job) const {
    return watch_.safe_until(state, job);
  }

  /// Max-min fair by weight, of what is over what each deserves: whoever wants no more than its
  /// part has all of that, and the others divide the rest anew.  Parts of one that nobody can have
  /// whole go to those who lack most of theirs.
  static std::vector<std::int64_t> divided(const std::vector<Queue>& queues,
                                           const std::vector<std::int64_t>& wants,
                                           std::int64_t all) {
    std::vector<std::int64_t> given;
    for (std::size_t of = 0; of < queues.size(); ++of) {
      given.push_back(std::min(queues[of].deserved, wants[of]));
      all -= given.back();
    }
    // Who wants less than its part has all of it, and the others divide the rest.
    std::vector<std::size_t> open;
    for (std::size_t of = 0; of < queues.size(); ++of) {
      if (wants[of] > given[of]) open.push_back(of);
    }
    for (bool again = true; again && all > 0;) {
      again = false;
      std::int64_t sum = 0;
      for (const std::size_t of : open) sum += queues[of].weight;
      const std::int64_t at_hand = all;
      for (const std::size_t of : std::vector<std::size_t>{open}) {
        const std::int64_t more = wants[of] - given[of];
        if (more * sum > at_hand * queues[of].weight) continue;
        given[of] += more;
        all -= more;
        std::erase(open, of);
        again = true;
      }
    }
    if (all <= 0 || open.empty()) return given;
    std::int64_t sum = 0;
    for (const std::size_t of : open) sum += queues[of].weight;
    const std::int64_t at_hand = all;
    for (const std::size_t of : open) {
      given[of] += at_hand * queues[of].weight / sum;
      all -= at_hand * queues[of].weight / sum;
    }
    for (; all > 0; --all) {
      const auto lacks_most = std::max_element(open.begin(), open.end(), [&](auto a, auto b) {
        return at_hand * queues[a].weight % sum < at_hand * queues[b].weight % sum;
      });
      ++given[*lacks_most];
      open.erase(lacks_most);
    }
    return given;
  }

 private:
  struct Plan {
    const State* state = nullptr;
    std::vector<std::int64_t> used = {};
    std::vector<std::int64_t> kept = {};
    std::int64_t free = 0;
    std::vector<std::size_t> may_stop = {};
    std::vector<std::size_t> waiting = {};
    Moves moves = {};

    std::size_t queue(std::size_t job) const { return state->job(job).share; }
    std::int64_t size(std::size_t job) const { return state->job(job).needs.front(); }
    void use(std::size_t job, std::int64_t times) {
      used[queue(job)] += times * size(job);
      if (state->job(job).keeps) kept[queue(job)] += times * size(job);
      free -= times * size(job);
    }
    /// Smaller goes first.
    bool is_before(std::size_t a, std::size_t b) const {
      const Job& one = state->job(a);
      const Job& other = state->job(b);
      if (one.priority != other.priority) return one.priority > other.priority;
      return std::pair{one.submit, a} < std::pair{other.submit, b};
    }
  };

  Plan plan_of(const State& state) const {
    Plan plan;
    plan.state = &state;
    plan.used.resize(queues_.size());
    plan.kept.resize(queues_.size());
    plan.free = state.capacity.front();
    for (const std::size_t job : state.running) {
      plan.use(job, 1);
      if (!state.job(job).keeps && safe_until(state, job) <= state.now) {
        plan.may_stop.push_back(job);
      }
    }
    plan.waiting = state.waiting;
    return plan;
  }
  std::vector<std::int64_t> division(const Plan& plan) const {
    std::vector<std::int64_t> wants = plan.used;
    for (const std::size_t job : plan.waiting) wants[plan.queue(job)] += plan.size(job);
    for (std::size_t of = 0; of < wants.size(); ++of) {
      wants[of] = std::min(wants[of], queues_[of].limit);
    }
    return divided(queues_, wants, plan.state->capacity.front());
  }
  // Which of two queues is next, with a job of each.

  bool queue_is_before(const Plan& plan, std::size_t a, std::size_t b) const {
    const std::size_t one = plan.queue(a);
    const std::size_t other = plan.queue(b);
    const auto over_fair = [&](std::size_t of) { return plan.used[of] > fair_[of]; };
    if (over_fair(one) != over_fair(other)) return over_fair(other);
    const auto over_deserved = [&](std::size_t job) {
      return plan.used[plan.queue(job)] + plan.size(job) > queues_[plan.queue(job)].deserved;
    };
    if (over_deserved(a) != over_deserved(b)) return over_deserved(b);
    const auto whole = [&](std::size_t of) { return std::max(queues_[of].deserved, fair_[of]); };
    if ((whole(one) == 0) != (whole(other) == 0)) return whole(other) == 0;
    const auto compared = [&](std::int64_t of_one, std::int64_t of_other) {
      return of_one * std::max<std::int64_t>(whole(other), 1) -
             of_other * std::max<std::int64_t>(whole(one), 1);
    };
    const std::int64_t with =
        compared(plan.used[one] + plan.size(a), plan.used[other] + plan.size(b));
    if (with != 0) return with < 0;
    const std::int64_t without = compared(plan.used[one], plan.used[other]);
    if (without != 0) return without < 0;
    return std::pair{whole(one), one} < std::pair{whole(other), other};
  }
  /// All of its line, the first first.
  std::vector<std::size_t> line(const Plan& plan, std::size_t queue) const {
    std::vector<std::size_t> jobs;
    for (const std::size_t job : plan.waiting) {
      if (plan.queue(job) == queue) jobs.push_back(job);
    }
    std::sort(jobs.begin(), jobs.end(),
              [&](std::size_t a, std::size_t b) { return plan.is_before(a, b); });
    return jobs;
  }
  bool may_keep(const Plan& plan, std::size_t job) const {
    const std::size_t of = plan.queue(job);
    return !plan.state->job(job).keeps || plan.kept[of] + plan.size(job) <= queues_[of].deserved;
  }
  bool may_have(const Plan& plan, std::size_t job) const {
    const std::size_t of = plan.queue(job);
    return may_keep(plan, job) && plan.used[of] + plan.size(job) <= queues_[of].limit;
  }

  // What KAI calls actions; each lets one in.

  /// Nobody gets what somebody who goes before it would take from it a moment later: those try
  /// first.
  bool let_one_in(Plan& plan) {
    const auto next = next_that_fits(plan);
    if (reclaim(plan, next) || preempt(plan, next)) return true;
    if (next) let_in(plan, *next, {});
    return next.has_value();
  }
  void let_in(Plan& plan, std::size_t job, const std::vector<std::size_t>& victims) {
    for (const std::size_t victim : victims) {
      watch_.takes(*plan.state, job, victim);
      plan.use(victim, -1);
      std::erase(plan.may_stop, victim);
      plan.moves.stop.push_back(victim);
    }
    plan.use(job, 1);
    std::erase(plan.waiting, job);
    plan.moves.start.push_back(job);
  }
  std::optional<std::size_t> next_that_fits(const Plan& plan) const {
    std::optional<std::size_t> best;
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
      for (const std::size_t job : line(plan, queue)) {
        if (plan.size(job) > plan.free || !may_have(plan, job)) continue;
        if (!best || queue_is_before(plan, job, *best)) best = job;
        break;
      }
    }
    return best;
  }
  /// Those who go before that one, or all.
  std::vector<std::size_t> in_turn(const Plan& plan, std::optional<std::size_t> before) const {
    std::vector<std::vector<std::size_t>> lines;
    for (std::size_t queue = 0; queue < queues_.size(); ++queue) {
      lines.push_back(line(plan, queue));
      if (lines.back().empty()) lines.pop_back();
    }
    std::sort(lines.begin(), lines.end(), [&](const auto& a, const auto& b) {
      return queue_is_before(plan, a.front(), b.front());
    });
    std::vector<std::size_t> all;
    for (const auto& each : lines) all.insert(all.end(), each.begin(), each.end());
    std::erase_if(all, [&](std::size_t job) {
      if (!before) return false;
      const bool same = plan.queue(job) == plan.queue(*before);
      return same ? !plan.is_before(job, *before) : !queue_is_before(plan, job, *before);
    });
    return all;
  }
  bool reclaim(Plan& plan, std::optional<std::size_t> before) {
    for (const std::size_t job : in_turn(plan, before)) {
      const std::size_t of = plan.queue(job);
      if (!may_have(plan, job) || plan.used[of] + plan.size(job) > fair_[of]) continue;
      const auto victims = reclaimed(plan, job);
      if (victims.empty()) continue;
      let_in(plan, job, victims);
      return true;
    }
    return false;
  }
  /// Strategies "maintain fair share" and "guarantee deserved quota".
  bool gives(const Plan& plan, std::size_t queue, std::size_t to) const {
    const std::size_t wanting = plan.queue(to);
    if (queue == wanting) return false;
    if (plan.used[queue] > fair_[queue]) return true;
    const std::int64_t with = plan.used[wanting] + plan.size(to);
    if (with > queues_[wanting].deserved || plan.used[queue] <= queues_[queue].deserved) {
      return false;
    }
    return with * std::max<std::int64_t>(fair_[queue], 1) <
           plan.used[queue] * std::max<std::int64_t>(fair_[wanting], 1);
  }
  std::vector<std::size_t> reclaimed(Plan plan, std::size_t to) const {
    const std::int64_t lacks = plan.size(to) - plan.free;
    std::vector<std::size_t> chosen;
    while (plan.free < plan.size(to)) {
      std::optional<std::size_t> worst;
      for (std::size_t job : plan.may_stop) {
        const std::size_t queue = plan.queue(job);
        // The queue to which it is the last, of those that are most saturated the first.
        if (!gives(plan, queue, to)) continue;
        if (!worst) worst = job;
        const std::size_t other = plan.queue(*worst);
        const std::int64_t more = plan.used[queue] * std::max<std::int64_t>(fair_[other], 1) -
                                  plan.used[other] * std::max<std::int64_t>(fair_[queue], 1);
        const bool later = queue == other && plan.is_before(*worst, job);
        if (later || more > 0 || (more == 0 && queue < other)) worst = job;
      }
      if (!worst) return {};
      plan.use(*worst, -1);
      std::erase(plan.may_stop, *worst);
      chosen.push_back(*worst);
    }
    return spared(plan, chosen, lacks);
  }
  bool preempt(Plan& plan, std::optional<std::size_t> before) {
    for (const std::size_t job : in_turn(plan, before)) {
      if (!may_keep(plan, job)) continue;
      const std::size_t of = plan.queue(job);
      const std::int64_t lacks =
          std::max(plan.size(job) - plan.free, plan.used[of] + plan.size(job) - queues_[of].limit);
      std::vector<std::size_t> lower;
      for (const std::size_t each : plan.may_stop) {
        const bool is_lower = plan.state->job(each).priority < plan.state->job(job).priority;
        if (plan.queue(each) == of && is_lower) lower.push_back(each);
      }
      std::sort(lower.begin(), lower.end(),
                [&](std::size_t a, std::size_t b) { return plan.is_before(b, a); });
      std::vector<std::size_t> chosen;
      std::int64_t still = lacks;
      for (const std::size_t each : lower) {
        if (still <= 0) break;
        still -= plan.size(each);
        chosen.push_back(each);
      }
      if (still > 0 || chosen.empty()) continue;
      let_in(plan, job, spared(plan, chosen, lacks));
      return true;
    }
    return false;
  }
  static std::vector<std::size_t> spared(const Plan& plan, std::vector<std::size_t> chosen,
                                         std::int64_t lacks) {
    std::int64_t have = 0;
    for (const std::size_t job : chosen) have += plan.size(job);
    for (std::size_t at = chosen.size(); at-- > 0;) {
      if (have - plan.size(chosen[at]) < lacks) continue;
      have -= plan.size(chosen[at]);
      chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return chosen;
  }

  std::vector<Queue> queues_;
  std::vector<std::int64_t> fair_;
  CycleWatch watch_;
  Tick again_ = never;
};

}  // namespace reeve::tests::oracle
