// Slurm's multifactor priority as a stand-in: all that a user ever held, and everybody's priority,
// looked at anew each time.
#pragma once

#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "tests/rules/schedule/oracles/backfill.hpp"
#include "tests/rules/schedule/oracles/in_order.hpp"

namespace reeve::tests::oracle {

/// Slurm, priority_multifactor.html ("The job's priority at any given time will be a weighted
/// sum"), classic_fair_share.html and fair_tree.html.  A tick is a minute.  Shares are accounts,
/// and users have one share each of theirs.  Priorities are in thousandths of a point.
class Multifactor final : public Order {
 public:
  enum class Passing : std::uint8_t { none, any_fit, easy };
  struct Model {
    std::vector<double> shares = {};      ///< of the accounts; a larger one gets more
    std::vector<std::size_t> users = {};  ///< of the jobs
    std::int64_t age = 0, fair_share = 0, size = 0, priority = 0;  ///< weights, in points
    Tick max_age = 1;
    Tick half_life = 0;  ///< 0: nothing is forgotten
    Tick period = 1;     ///< usage is as of a whole number of these
    std::int64_t max_priority = 1;
    bool favors_small = false;
    bool fair_tree = true;
    Passing passing = Passing::none;
  };
  explicit Multifactor(Model model) : model_{std::move(model)} {}

  Moves decide(const State& state) override {
    note(state);
    const std::map<User, std::int64_t> fair = fair_points(state);
    const Rank rank = [&](const State& seen, std::size_t job) {
      return Place{-priority(seen, job, fair.at(user(seen, job))), seen.job(job).submit};
    };
    const Moves moves = moves_of(rank, state);
    for (const std::size_t job : moves.start) {
      held_.push_back({state.now, never, state.job(job).needs.front(), job});
    }
    return moves;
  }
  Tick next_change(const State& state) override {
    return state.waiting.empty() ? never : state.now - state.now % model_.period + model_.period;
  }

 private:
  /// Account and name.
  using User = std::pair<std::size_t, std::size_t>;
  struct Held {
    Tick from, until;
    std::int64_t machines;
    std::size_t job;
  };

  Moves moves_of(const Rank& rank, const State& state) const {
    if (model_.passing == Passing::easy) return Backfill{Promised::first, rank}.decide(state);
    const bool passes = model_.passing == Passing::any_fit;
    return InOrder{rank, passes ? Behind::may_pass : Behind::waits}.decide(state);
  }
  void note(const State& state) {
    for (Held& held : held_) {
      if (held.until == never && !state.runs(held.job)) held.until = state.now;
    }
  }
  User user(const State& state, std::size_t job) const {
    return {state.job(job).share, model_.users[job]};
  }

  std::int64_t priority(const State& state, std::size_t job, std::int64_t fair) const {
    const std::int64_t all = state.capacity.front();
    const std::int64_t wants = state.job(job).needs.front();
    const std::int64_t size = model_.favors_small ? all - wants + 1 : wants;
    const std::int64_t urgent =
        std::clamp<std::int64_t>(state.job(job).priority, 0, model_.max_priority);
    const std::int64_t fixed = fair + model_.size * 1000 * size / all +
                               model_.priority * 1000 * urgent / model_.max_priority;
    const Tick age = std::min(state.now - state.job(job).submit, model_.max_age);
    return fixed * model_.max_age * 60 + model_.age * 1000 * age * 60;
  }

  std::map<User, double> usage(const State& state) const {
    const Tick until = state.now - state.now % model_.period;
    std::map<User, double> sums;
    for (std::size_t job = 0; job < state.jobs->size(); ++job) {
      if (state.job(job).submit <= state.now) sums[user(state, job)];
    }
    for (const Held& held : held_) {
      const Tick end = std::min(held.until, until);
      if (held.from >= end) continue;
      double seconds = 60 * static_cast<double>(end - held.from);
      if (model_.half_life > 0) {
        const double life = 60 * static_cast<double>(model_.half_life);
        const auto left = [&](Tick at) {
          return std::exp2(-60 * static_cast<double>(until - at) / life);
        };
        seconds = life / std::log(2.0) * (left(end) - left(held.from));
      }
      sums[user(state, held.job)] += static_cast<double>(held.machines) * seconds;
    }
    for (auto& sum : sums) sum.second = std::round(sum.second);
    return sums;
  }

  std::map<User, std::int64_t> fair_points(const State& state) const {
    const std::map<User, double> used = usage(state);
    std::map<User, std::int64_t> points;
    for (const auto& [of, _] : used) {
      const double factor = model_.fair_tree ? ranked(of, used) : classic(of, used);
      points[of] = std::llround(static_cast<double>(model_.fair_share * 1000) * factor);
    }
    return points;
  }

  struct Sums {
    double all = 0;       ///< used by all
    double account = 0;   ///< used by its account
    double shares = 0;    ///< of all accounts
    double siblings = 0;  ///< users of its account
  };
  Sums sums(const User& of, const std::map<User, double>& used) const {
    Sums out;
    for (const double shares : model_.shares) out.shares += shares;
    for (const auto& [other, seconds] : used) {
      out.all += seconds;
      if (other.first != of.first) continue;
      out.account += seconds;
      out.siblings += 1;
    }
    return out;
  }

  double classic(const User& of, const std::map<User, double>& used) const {
    const Sums in = sums(of, used);
    const double all = std::max(in.all, 1.0);
    const double shares = model_.shares[of.first] / in.shares / in.siblings;
    const double actual = used.at(of) / all;
    const double effective = actual + (in.account / all - actual) / in.siblings;
    return std::exp2(-effective / shares);
  }

  /// The account counts first, then the user in it: of how many users it is not behind.
  double ranked(const User& of, const std::map<User, double>& used) const {
    double better = 0;
    for (const auto& other : used) {
      const auto [account, user] = level(of, used);
      const auto [account_of_other, user_of_other] = level(other.first, used);
      const bool same = equal(account, account_of_other);
      const bool before =
          same ? user_of_other > user && !equal(user, user_of_other) : account_of_other > account;
      better += before ? 1 : 0;
    }
    const auto count = static_cast<double>(used.size());
    return (count - better) / count;
  }
  std::pair<double, double> level(const User& of, const std::map<User, double>& used) const {
    const Sums in = sums(of, used);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const double account =
        in.account > 0 ? model_.shares[of.first] / in.shares / (in.account / in.all) : infinity;
    const double mine = used.at(of);
    return {account, mine > 0 ? 1 / in.siblings / (mine / in.account) : infinity};
  }
  static bool equal(double a, double b) { return a == b || std::abs(a - b) <= 1e-12 * a; }

  Model model_;
  std::vector<Held> held_;
};

}  // namespace reeve::tests::oracle
