#include "experiments/share_turns.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "models/quotas.hpp"

namespace reeve::experiments {
namespace {

using policy::Duration;
using policy::Instant;
using policy::PoolId;
using policy::ShareId;

double seconds(Duration of) {
  return std::chrono::duration<double>(of).count();
}

/// In that time what was used falls to 1/e; the longest: never; 0: what is held counts.
Duration decay_of(const scenarios::SeatSpec& seat, std::string_view algorithm) {
  if (algorithm == "fair_share") return seat.options.duration("share_decay");
  if (algorithm != "multifactor") return Duration{0};
  const Duration half = seat.options.duration("half_life");
  if (half == Duration{0}) return Duration::max();
  return std::chrono::duration_cast<Duration>(half / std::log(2.0));
}

class Turns {
 public:
  Turns(const models::World& world, const models::Record& record, const QueueSnapshot& snapshot,
        const Waiter& waiter, Instant at, const scenarios::SeatSpec& seat)
      : world_{world},
        record_{record},
        snapshot_{snapshot},
        waiter_{waiter},
        at_{at},
        algorithm_{seat.options.text("algorithm")},
        decay_{decay_of(seat, algorithm_)} {
    for (const models::ShareUseRow& row : record.share_use) {
      if (row.at <= at) now_[row.share][row.pool] = row.used;
    }
    for (const Waiter& other : snapshot.waiters()) {
      const auto share = share_of(other.job);
      if (!share || other.pool != waiter.pool || snapshot.is_too_large(other)) continue;
      waiting_.insert(*share);
    }
  }

  ShareTurns of(ShareId own, std::int64_t reservation_pct) const {
    ShareTurns turns{.algorithm = algorithm_, .own = turn_of(own)};
    const bool takes_turns = algorithm_ != "multifactor" && !snapshot_.is_too_large(waiter_);
    for (const ShareId share : waiting_) {
      if (share == own || !takes_turns) continue;
      if (!models::may_lend(world_.directory, own, share)) continue;  // another line
      const ShareTurn other = turn_of(share);
      if (is_before(other, turns.before ? *turns.before : turns.own)) turns.before = other;
    }
    if (algorithm_ == "multifactor" || reservation_pct == 0) return turns;
    turns.reservation_pct = reservation_pct;
    turns.most = snapshot_.most(waiter_.job, waiter_.pool);
    turns.kept = kept_of(own, reservation_pct);
    return turns;
  }

  std::optional<ShareId> share_of(policy::JobId job) const {
    const models::JobSpec& spec = record_.jobs.specs[job.index];
    return world_.directory.terms[world_.profiles[spec.profile].terms].share;
  }

 private:
  std::int64_t held(ShareId share, std::optional<PoolId> in = std::nullopt) const {
    const auto found = now_.find(share);
    std::int64_t sum = 0;
    if (found == now_.end()) return sum;
    for (const auto& [pool, used] : found->second) {
      if (!in || pool == *in) sum += used;
    }
    return sum;
  }

  /// Among equals the lower weight is first, then the share that stands first.  What adds up over
  /// time is equal up to a billionth.
  bool is_before(const ShareTurn& a, const ShareTurn& b) const {
    const double equal = a.ahead_hours ? 1 + 1e-9 : 1;
    if (a.had > b.had * equal) return false;
    if (b.had > a.had * equal) return true;
    return std::pair{a.weight, a.share} < std::pair{b.weight, b.share};
  }

  double used_hours(ShareId share) const {
    std::map<PoolId, std::pair<Instant, std::uint32_t>> since;
    double sum = 0;
    const auto pass = [&](const auto& stretch, Instant until) {
      const double from_s = seconds(at_ - stretch.first);
      const double until_s = seconds(at_ - until);
      const double counts = decay_ == Duration::max()
                                ? from_s - until_s
                                : seconds(decay_) * (std::exp(-until_s / seconds(decay_)) -
                                                     std::exp(-from_s / seconds(decay_)));
      sum += stretch.second * counts / 3600;
    };
    for (const models::ShareUseRow& row : record_.share_use) {
      if (row.share != share || row.at > at_) continue;
      const auto [stretch, is_first] = since.try_emplace(row.pool, row.at, row.used);
      if (is_first) continue;
      pass(stretch->second, row.at);
      stretch->second = {row.at, row.used};
    }
    for (const auto& [pool, stretch] : since) pass(stretch, at_);
    return sum;
  }

  ShareTurn turn_of(ShareId share) const {
    ShareTurn turn{.share = share, .weight = world_.directory.shares[share.index].weight};
    const bool of_pool = algorithm_ == "max_min";
    turn.held = of_pool ? held(share, waiter_.pool) : held(share);
    turn.had = static_cast<double>(turn.held * turn.weight);
    if (decay_ > Duration{0}) {
      turn.used_hours = used_hours(share);
      if (algorithm_ == "fair_share") look_ahead(turn);
    } else if (algorithm_ == "drf") {
      turn.had = 0;
      for (std::uint32_t pool = 0; pool < world_.pools.size(); ++pool) {
        const auto most = snapshot_.most(waiter_.job, {pool});
        const auto whole = static_cast<double>(std::max<std::int64_t>(most, 1));
        const auto part = static_cast<double>(held(share, PoolId{pool}) * turn.weight) / whole;
        turn.had = std::max(turn.had, part);
      }
    }
    return turn;
  }

  /// As the rule compares shares: what is left of its use a decay from now, and what comes to it.
  void look_ahead(ShareTurn& turn) const {
    const double left = std::exp(-1.0);
    const double comes = static_cast<double>(turn.held) * seconds(decay_) / 3600 * (1 - left);
    turn.decay = decay_;
    turn.ahead_hours = *turn.used_hours * left + comes;
    turn.had = *turn.ahead_hours * turn.weight;
  }

  /// Whether jobs in no share stand in one line with the share: in a queue like its own, or where
  /// jobs in no queue do.
  bool stands_with(policy::JobId job, ShareId share) const {
    const auto& queues = world_.directory.queues;
    const policy::QueueFacts& own = queues[world_.directory.shares[share.index].queue.index];
    const auto is_like_it = [&](const policy::QueueFacts& queue) {
      return models::have_one_line(queue, own);
    };
    const models::JobSpec& spec = record_.jobs.specs[job.index];
    const auto queue = world_.directory.terms[world_.profiles[spec.profile].terms].queue;
    if (queue) return is_like_it(queues[queue->index]);
    if (own.environment) return false;
    return own.priority == 0 || std::all_of(queues.begin(), queues.end(), is_like_it);
  }

  /// Those in one line with the share that have jobs, or under `fair_share` had some less than a
  /// decay ago; jobs in no share are one more.
  std::set<std::optional<ShareId>> active_with(ShareId own) const {
    const Duration lingers = algorithm_ == "fair_share" ? decay_ : Duration{0};
    std::set<std::optional<ShareId>> active;
    for (const models::AttemptRow& row : record_.attempts) {
      const bool is_over = row.end <= at_ && row.reason != models::EndReason::horizon;
      if (row.requested > at_ || (is_over && policy::later(row.end, lingers) <= at_)) continue;
      const auto share = share_of(row.job);
      const bool in_line =
          share ? models::may_lend(world_.directory, own, *share) : stands_with(row.job, own);
      if (in_line) active.insert(share);
    }
    return active;
  }

  double kept_of(ShareId own, std::int64_t reservation_pct) const {
    auto kept = static_cast<double>(snapshot_.most(waiter_.job, waiter_.pool));
    for (std::size_t active = active_with(own).size(); active > 0; --active) {
      kept = kept * static_cast<double>(reservation_pct) / 100;
    }
    return kept;
  }

  const models::World& world_;
  const models::Record& record_;
  const QueueSnapshot& snapshot_;
  const Waiter& waiter_;
  Instant at_;
  std::string algorithm_;
  Duration decay_;
  std::map<ShareId, std::map<PoolId, std::uint32_t>> now_;  ///< instances that each has
  std::set<ShareId> waiting_;                               ///< in the pool, for their turn
};

}  // namespace

std::optional<ShareTurns> share_turns(const models::World& world,
                                      const scenarios::PolicySpec& policy,
                                      const models::Record& record, const QueueSnapshot& snapshot,
                                      const Waiter& waiter, Instant at) {
  constexpr std::array<std::string_view, 4> in_turn{"fair_share", "max_min", "drf", "multifactor"};
  for (const scenarios::SeatSpec& seat : policy.seats) {
    const bool takes_turns = std::any_of(in_turn.begin(), in_turn.end(), [&](auto algorithm) {
      return scenarios::runs(seat, algorithm);
    });
    if (!takes_turns) continue;
    const Turns turns{world, record, snapshot, waiter, at, seat};
    const auto own = turns.share_of(waiter.job);
    if (!own) return std::nullopt;
    return turns.of(*own, seat.options.integer("compute_reservation"));
  }
  return std::nullopt;
}

}  // namespace reeve::experiments
