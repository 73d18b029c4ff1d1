#include "experiments/explain/share_turns.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <reeve/policy/known_options.hpp>
#include <set>
#include <utility>

#include "experiments/measures.hpp"
#include "models/quotas.hpp"

namespace reeve::experiments {
namespace {

using policy::Duration;
using policy::Instant;
using policy::PoolId;
using policy::ShareId;

/// In that time what was used falls to 1/e; the longest: never; 0: what is held counts.
Duration decay_of(const scenarios::SeatSpec& seat, std::string_view algorithm) {
  if (algorithm == "fair_share") return seat.options.duration(policy::known::share_decay);
  if (algorithm != "multifactor") return Duration{0};
  const Duration half = seat.options.duration(policy::known::half_life);
  if (half == Duration{0}) return Duration::max();
  return std::chrono::duration_cast<Duration>(half / std::log(2.0));
}

class Turns {
 public:
  Turns(const models::World& world, const models::Record& record, const Holdings& holdings,
        const QueueSnapshot& snapshot, const Waiter& waiter, Instant at,
        const scenarios::SeatSpec& seat)
      : world_{world},
        record_{record},
        snapshot_{snapshot},
        waiter_{waiter},
        at_{at},
        algorithm_{seat.options.text(policy::known::algorithm)},
        decay_{decay_of(seat, algorithm_)},
        strict_{seat.options.text(policy::known::backfill) == "none"},
        own_{share_of(waiter.job)},
        line_{line_of(waiter.job)} {
    for (const models::ShareUseRow& row : record.share_use) {
      if (row.at <= at) note(row.at, row.share, row.pool, row.used);
    }
    note_nobodys(holdings);
    for (const Waiter& other : snapshot.waiters()) {
      if (other.pool != waiter.pool || snapshot.is_too_large(other)) continue;
      if (line_of(other.job) == line_) waiting_.insert(share_of(other.job));
    }
  }

  ShareTurns of_waiter(std::int64_t reservation_pct) const {
    ShareTurns turns{.algorithm = algorithm_, .own = turn_of(own_)};
    const bool is_passed = !strict_ && waiter_.reason == WaitsFor::turn;
    const bool has_turns = algorithm_ != "multifactor" && !snapshot_.is_too_large(waiter_);
    for (const auto& share : waiting_) {
      if (share == own_ || !has_turns || is_passed) continue;
      const ShareTurn other = turn_of(share);
      if (is_before(other, turns.before ? *turns.before : turns.own)) turns.before = other;
    }
    if (algorithm_ == "multifactor" || reservation_pct == 0) return turns;
    turns.reservation_pct = reservation_pct;
    turns.most = snapshot_.most(waiter_.job, waiter_.pool);
    turns.kept = kept_of(turns.most, reservation_pct);
    return turns;
  }

 private:
  /// None: jobs in no share, which are one more.
  using Share = std::optional<ShareId>;

  /// What one has, and what it has used until then, of which as much is left as the rule leaves.
  struct Account {
    std::map<PoolId, std::pair<Instant, std::int64_t>> now = {};  ///< since when, and how many
    double used_hours = 0;
  };

  const policy::JobTerms& terms_of(policy::JobId job) const {
    const models::JobSpec& spec = record_.jobs.specs[job.index];
    return world_.directory.terms[world_.profiles[spec.profile].terms];
  }
  Share share_of(policy::JobId job) const { return terms_of(job).share; }
  models::Line line_of(policy::JobId job) const {
    return models::line_of(world_.directory, terms_of(job));
  }

  /// In order of time.
  void note(Instant at, Share share, PoolId pool, std::int64_t used) {
    Account& own = accounts_[share];
    const auto [stretch, is_first] = own.now.try_emplace(pool, at, used);
    if (is_first) return;
    own.used_hours += hours_left(stretch->second, at);
    stretch->second = {at, used};
  }

  /// Records tell what shares have.  For what the others of the line have, attempts are asked.
  void note_nobodys(const Holdings& holdings) {
    std::map<std::pair<Instant, PoolId>, std::int64_t> changes;
    for (const models::AttemptRow& row : record_.attempts) {
      const auto own = holdings.find({row.job, row.number});
      if (own == holdings.end() || share_of(row.job) || line_of(row.job) != line_) continue;
      const std::int64_t instances = record_.jobs.specs[row.job.index].instances;
      for (const Holding& held : own->second) {
        changes[{held.from, row.pool}] += instances;
        changes[{held.until, row.pool}] -= instances;
      }
    }
    std::map<PoolId, std::int64_t> now;
    for (const auto& [when, more] : changes) {
      if (when.first > at_) return;
      note(when.first, std::nullopt, when.second, now[when.second] += more);
    }
  }

  /// Of what was held since then until that instant.
  double hours_left(const std::pair<Instant, std::int64_t>& stretch, Instant until) const {
    if (decay_ == Duration{0}) return 0;
    const double from_s = seconds(at_ - stretch.first);
    const double until_s = seconds(at_ - until);
    const double length = seconds(decay_);
    const double counts = decay_ == Duration::max()
                              ? from_s - until_s
                              : length * (std::exp(-until_s / length) - std::exp(-from_s / length));
    return static_cast<double>(stretch.second) * counts / 3600;
  }

  std::int64_t held(const Account& of, std::optional<PoolId> in = std::nullopt) const {
    std::int64_t sum = 0;
    for (const auto& [pool, stretch] : of.now) {
      if (!in || pool == *in) sum += stretch.second;
    }
    return sum;
  }

  /// Among equals the lower weight is first, then the share that stands first.  What adds up over
  /// time is equal up to a billionth.
  bool is_before(const ShareTurn& a, const ShareTurn& b) const {
    const double equal = a.ahead_hours ? 1 + 1e-9 : 1;
    if (a.had > b.had * equal) return false;
    if (b.had > a.had * equal) return true;
    return std::pair{a.weight, place_of(a.share)} < std::pair{b.weight, place_of(b.share)};
  }
  std::size_t place_of(Share share) const {
    return share ? share->index : world_.directory.shares.size();
  }

  ShareTurn turn_of(Share share) const {
    ShareTurn turn{.share = share};
    if (share) turn.weight = world_.directory.shares[share->index].weight;
    const auto found = accounts_.find(share);
    const Account account = found == accounts_.end() ? Account{} : found->second;
    turn.held = algorithm_ == "max_min" ? held(account, waiter_.pool) : held(account);
    turn.had = static_cast<double>(turn.held * turn.weight);
    if (decay_ > Duration{0}) {
      turn.used_hours = account.used_hours;
      for (const auto& [pool, stretch] : account.now) *turn.used_hours += hours_left(stretch, at_);
      if (algorithm_ == "fair_share") look_ahead(turn);
    } else if (algorithm_ == "drf") {
      turn.had = dominant_part(account, turn.weight);
    }
    return turn;
  }

  /// Times the weight: what is equal stays so, as it is rounded once.
  double dominant_part(const Account& of, std::uint32_t weight) const {
    double most = 0;
    for (const auto& [pool, stretch] : of.now) {
      const auto whole = std::max<std::int64_t>(snapshot_.most(waiter_.job, pool), 1);
      const auto weighted = static_cast<double>(stretch.second * weight);
      most = std::max(most, weighted / static_cast<double>(whole));
    }
    return most;
  }

  /// As the rule compares shares: what is left of its use a decay from now, and what comes to it.
  void look_ahead(ShareTurn& turn) const {
    const double left = std::exp(-1.0);
    const double comes = static_cast<double>(turn.held) * seconds(decay_) / 3600 * (1 - left);
    turn.decay = decay_;
    turn.ahead_hours = *turn.used_hours * left + comes;
    turn.had = *turn.ahead_hours * turn.weight;
  }

  /// Those of the line that have jobs, or under `fair_share` had some less than a decay ago.
  std::set<Share> active() const {
    const Duration lingers = algorithm_ == "fair_share" ? decay_ : Duration{0};
    std::set<Share> active;
    for (const models::AttemptRow& row : record_.attempts) {
      const bool is_over = row.end <= at_ && row.reason != models::EndReason::horizon;
      if (row.requested > at_ || (is_over && policy::later(row.end, lingers) <= at_)) continue;
      if (line_of(row.job) == line_) active.insert(share_of(row.job));
    }
    return active;
  }

  double kept_of(std::int64_t most, std::int64_t reservation_pct) const {
    auto kept = static_cast<double>(most);
    for (std::size_t left = active().size(); left > 0; --left) {
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
  bool strict_;  ///< if the next in turn does not fit, no job starts
  Share own_;
  models::Line line_;
  std::map<Share, Account> accounts_;
  std::set<Share> waiting_;  ///< in the pool, for their turn
};

}  // namespace

std::optional<ShareTurns> share_turns(const models::World& world,
                                      const scenarios::PolicySpec& policy,
                                      const models::Record& record, const Holdings& holdings,
                                      const QueueSnapshot& snapshot, const Waiter& waiter,
                                      Instant at) {
  constexpr std::array<std::string_view, 4> in_turn{"fair_share", "max_min", "drf", "multifactor"};
  for (const scenarios::SeatSpec& seat : policy.seats) {
    const bool takes_turns = std::any_of(in_turn.begin(), in_turn.end(), [&](auto algorithm) {
      return scenarios::runs(seat, algorithm);
    });
    if (!takes_turns) continue;
    const Turns turns{world, record, holdings, snapshot, waiter, at, seat};
    return turns.of_waiter(seat.options.integer(policy::known::compute_reservation));
  }
  return std::nullopt;
}

}  // namespace reeve::experiments
