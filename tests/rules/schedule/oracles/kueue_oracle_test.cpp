// What the oracle of Kueue's scheduling promises in random worlds.
#include <gtest/gtest.h>

#include "tests/property/drawn_text.hpp"
#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/oracles/kueue.hpp"

namespace reeve::tests::oracle {
namespace kueue_oracle_test {

/// Looks at what an order decides, of shares whose quotas cover the pool and do not change.
class Watched final : public Order {
 public:
  Watched(Kueue& order, const std::vector<Share>& shares) : order_{order}, shares_{shares} {}

  Moves decide(const State& state) override {
    const Moves moves = order_.decide(state);
    stops += moves.stop.size();
    std::vector<std::size_t> held;
    std::vector<std::size_t> waiting;
    for (std::size_t job = 0; job < state.jobs->size(); ++job) {
      const bool stays = state.runs(job) && !is_in(moves.stop, job);
      if (stays || is_in(moves.start, job)) held.push_back(job);
      if (!stays && !is_in(moves.start, job) && (state.runs(job) || is_in(state.waiting, job))) {
        waiting.push_back(job);
      }
    }
    const std::vector<std::int64_t> used = used_by(state, held);
    check_owners(state, moves, used, waiting);
    check_victims(state, moves, held);
    return moves;
  }
  Tick next_change(const State& state) override { return order_.next_change(state); }

  std::size_t stops = 0;
  std::size_t borrows = 0;  ///< looks while somebody did
  std::size_t in_vain = 0;  ///< whether a victim was, was looked at

 private:
  static bool is_in(const std::vector<std::size_t>& list, std::size_t job) {
    return std::find(list.begin(), list.end(), job) != list.end();
  }
  std::vector<std::int64_t> used_by(const State& state,
                                    const std::vector<std::size_t>& jobs) const {
    std::vector<std::int64_t> used(shares_.size());
    for (const std::size_t job : jobs) used[state.job(job).share] += state.job(job).needs.front();
    return used;
  }

  /// Who is stopped lines up at once: the last decision of an instant stops nobody.  Who got its
  /// machines at this very instant may be stopped later.
  void check_owners(const State& state, const Moves& moves, const std::vector<std::int64_t>& used,
                    const std::vector<std::size_t>& waiting) {
    bool borrowed = false;
    for (std::size_t share = 0; share < used.size(); ++share) {
      borrowed = borrowed || used[share] > shares_[share].limit;
      EXPECT_LE(used[share], most(shares_[share]));
    }
    const auto is_safe = [&](std::size_t job) { return order_.safe_until(state, job) > state.now; };
    const bool safe = std::any_of(state.running.begin(), state.running.end(), is_safe);
    if (!borrowed || safe || !moves.start.empty() || !moves.stop.empty()) return;
    ++borrows;
    for (const std::size_t job : waiting) {
      const std::size_t share = state.job(job).share;
      EXPECT_GT(used[share] + state.job(job).needs.front(), shares_[share].limit)
          << "job " << job << " waits below its quota while another share borrows";
    }
  }

  /// With any one of them back there is no room for whom they were stopped for; or it would borrow
  /// where it may not, as it need not now.
  void check_victims(const State& state, const Moves& moves, const std::vector<std::size_t>& held) {
    if (moves.start.size() != 1) return;
    const std::size_t job = moves.start.front();
    const std::size_t share = state.job(job).share;
    const std::int64_t size = state.job(job).needs.front();
    std::vector<std::int64_t> used = used_by(state, held);
    used[share] -= size;
    std::int64_t free = state.capacity.front();
    for (const std::int64_t each : used) free -= each;
    const bool borrows_now = used[share] + size > shares_[share].limit;
    for (const std::size_t victim : moves.stop) {
      ++in_vain;
      std::vector<std::int64_t> with = used;
      const std::int64_t back = state.job(victim).needs.front();
      with[state.job(victim).share] += back;
      const bool would_borrow = with[share] + size > shares_[share].limit;
      if (would_borrow && !borrows_now) continue;
      EXPECT_FALSE(has_room(shares_, with, free - back, share, size))
          << "job " << victim << " is stopped in vain for " << job;
    }
  }

  Kueue& order_;
  std::vector<Share> shares_;
};

class RandomCohort : private DrawnText {
 public:
  explicit RandomCohort(std::uint64_t seed) : DrawnText{seed, 21} {
    from_the_start();
    for (std::uint64_t left = between(1, 5); left > 0; --left) {
      Share share;
      share.limit = number(1, 12);
      share.sharing = chance(0.6)   ? Sharing::lend_and_borrow
                      : chance(0.5) ? Sharing::lend
                                    : Sharing::reserve;
      if (chance(0.4)) share.borrow_pct = number(0, 200);
      machines += share.limit;
      shares.push_back(share);
    }
    for (std::uint64_t left = between(2, 60); left > 0; --left) {
      Job job;
      job.share = between(0, shares.size() - 1);
      job.priority = number(0, 4);
      job.needs = {number(1, 6)};
      job.work = number(1, 60);
      job.submit = number(0, 200);
      job.checkpoint_every = number(0, 3);
      jobs.push_back(job);
    }
    for (std::size_t left = shares.size(); left > 0; --left) model.weights.push_back(number(1, 4));
    model.fair = chance(0.5);
    model.within = static_cast<Within>(between(0, 2));
    model.reclaim = Reclaim::any;
    model.borrow_within = chance(0.5);
  }

  std::vector<Share> shares;
  std::vector<Job> jobs;
  std::int64_t machines = 0;
  KueueModel model;

 private:
  std::int64_t number(std::uint64_t low, std::uint64_t high) {
    return static_cast<std::int64_t>(between(low, high));
  }
};

class KueueOracleInRandomWorlds : public EachSeed {};

TEST_F(KueueOracleInRandomWorlds, NoShareWaitsBelowItsQuotaAndNobodyIsStoppedInVain) {
  std::size_t stops = 0;
  std::size_t borrows = 0;
  std::size_t in_vain = 0;
  each_seed([&](std::uint64_t seed) {
    const RandomCohort world{seed};
    Kueue order{world.shares, world.model};
    Watched watched{order, world.shares};
    schedule(world.jobs, {world.machines}, watched);
    stops += watched.stops;
    borrows += watched.borrows;
    in_vain += watched.in_vain;
  });
  EXPECT_GT(stops, 0u);
  EXPECT_GT(borrows, 0u);
  EXPECT_GT(in_vain, 0u);
}

}  // namespace kueue_oracle_test
}  // namespace reeve::tests::oracle
