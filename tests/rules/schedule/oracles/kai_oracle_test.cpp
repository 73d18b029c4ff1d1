// What the oracle of KAI's scheduling promises in random worlds.
#include <gtest/gtest.h>

#include "tests/property/drawn_text.hpp"
#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/oracles/kai.hpp"

namespace reeve::tests::oracle {
namespace kai_oracle_test {

bool is_in(const std::vector<std::size_t>& list, std::size_t job) {
  return std::find(list.begin(), list.end(), job) != list.end();
}

/// Looks at what an order decides, of queues that deserve no more than there is.
class Watched final : public Order {
 public:
  Watched(Kai& order, const std::vector<Kai::Queue>& queues, bool single)
      : order_{order}, queues_{queues}, single_{single} {}

  Moves decide(const State& state) override {
    const Moves moves = order_.decide(state);
    stops += moves.stop.size();
    const Books books = books_after(state, moves);
    check_limits(books);
    check_victims(state, moves, books);
    // Who is stopped lines up at once, and who got its machines at this very instant is safe: only
    // where there is neither has everybody what is its.
    const auto is_safe = [&](std::size_t job) { return order_.safe_until(state, job) > state.now; };
    const bool safe = std::any_of(state.running.begin(), state.running.end(), is_safe);
    if (safe || !moves.start.empty() || !moves.stop.empty()) return moves;
    check_waiting(state, books);
    if (single_) check_weights(state, books);
    return moves;
  }
  Tick next_change(const State& state) override { return order_.next_change(state); }

  std::size_t stops = 0;
  std::size_t borrows = 0;    ///< looks while some waited and some had more than they deserve
  std::size_t saturated = 0;  ///< looks while two wanted more than their parts

 private:
  struct Books {
    std::vector<std::int64_t> used = {};
    std::vector<std::int64_t> kept = {};
    std::int64_t free = 0;
  };

  Books books_after(const State& state, const Moves& moves) const {
    Books books;
    books.used.resize(queues_.size());
    books.kept.resize(queues_.size());
    books.free = state.capacity.front();
    for (std::size_t job = 0; job < state.jobs->size(); ++job) {
      const bool stays = state.runs(job) && !is_in(moves.stop, job);
      if (!stays && !is_in(moves.start, job)) continue;
      const std::int64_t size = state.job(job).needs.front();
      books.used[state.job(job).share] += size;
      if (state.job(job).keeps) books.kept[state.job(job).share] += size;
      books.free -= size;
    }
    return books;
  }

  void check_limits(const Books& books) const {
    for (std::size_t of = 0; of < queues_.size(); ++of) {
      EXPECT_LE(books.used[of], queues_[of].limit) << "queue " << of;
      EXPECT_LE(books.kept[of], queues_[of].deserved) << "queue " << of;
    }
  }

  /// Of another queue only those beyond what that deserves, but for the last gang; of its own only
  /// lower priorities; and with any of them back there is no room.
  void check_victims(const State& state, const Moves& moves, const Books& books) const {
    if (moves.start.size() != 1) return;
    const Job& winner = state.job(moves.start.front());
    std::vector<std::int64_t> largest(queues_.size());
    for (const std::size_t victim : moves.stop) {
      const Job& loser = state.job(victim);
      const std::int64_t back = loser.needs.front();
      EXPECT_FALSE(loser.keeps) << "job " << victim;
      largest[loser.share] = std::max(largest[loser.share], back);
      const bool same = loser.share == winner.share;
      EXPECT_TRUE(!same || loser.priority < winner.priority) << "job " << victim;
      const bool above = same && books.used[loser.share] + back > queues_[loser.share].limit;
      EXPECT_TRUE(above || books.free < back) << "job " << victim << " is stopped in vain";
    }
    for (std::size_t of = 0; of < queues_.size(); ++of) {
      if (largest[of] == 0 || of == winner.share) continue;
      EXPECT_GT(books.used[of] + largest[of], queues_[of].deserved) << "queue " << of;
    }
  }

  void check_waiting(const State& state, const Books& books) {
    bool borrowed = false;
    for (std::size_t of = 0; of < queues_.size(); ++of) {
      borrowed = borrowed || books.used[of] > queues_[of].deserved;
    }
    if (borrowed && !state.waiting.empty()) ++borrows;
    for (const std::size_t job : state.waiting) {
      const Kai::Queue& queue = queues_[state.job(job).share];
      const std::int64_t size = state.job(job).needs.front();
      const std::int64_t with = books.used[state.job(job).share] + size;
      const std::int64_t kept = books.kept[state.job(job).share] + size;
      if (state.job(job).keeps && kept > queue.deserved) continue;
      EXPECT_GT(with, queue.deserved) << "job " << job << " waits within what its queue deserves";
      EXPECT_TRUE(size > books.free || with > queue.limit) << "job " << job << " waits, and fits";
    }
  }

  /// Of those that want more, and may have it, none is a whole machine behind another: what it has
  /// beyond what it deserves, for its weight.
  void check_weights(const State& state, const Books& books) {
    std::vector<std::size_t> hungry;
    for (std::size_t of = 0; of < queues_.size(); ++of) {
      const auto waits = [&](std::size_t job) { return state.job(job).share == of; };
      if (books.used[of] >= queues_[of].limit) continue;
      if (std::any_of(state.waiting.begin(), state.waiting.end(), waits)) hungry.push_back(of);
    }
    for (const std::size_t a : hungry) {
      for (const std::size_t b : hungry) {
        if (a == b) continue;
        ++saturated;
        const std::int64_t more = books.used[a] - queues_[a].deserved;
        const std::int64_t less = books.used[b] - queues_[b].deserved;
        EXPECT_LT((more - 1) * queues_[b].weight, (less + 1) * queues_[a].weight)
            << "queue " << a << " has more for its weight than queue " << b;
      }
    }
  }

  Kai& order_;
  std::vector<Kai::Queue> queues_;
  bool single_;  ///< each job is of one machine, and may be preempted
};

class RandomQueues : private DrawnText {
 public:
  RandomQueues(std::uint64_t seed, bool single) : DrawnText{seed, 23} {
    from_the_start();
    for (std::uint64_t left = between(2, 5); left > 0; --left) {
      Kai::Queue queue;
      queue.deserved = number(0, 10);
      queue.limit = chance(0.7) ? 1000 : queue.deserved * (100 + number(0, 200)) / 100;
      queue.weight = number(1, 5);
      machines += queue.deserved;
      queues.push_back(queue);
    }
    machines += number(1, 20);
    for (std::uint64_t left = between(2, single ? 120 : 60); left > 0; --left) {
      Job job;
      job.share = between(0, queues.size() - 1);
      job.priority = number(0, 3);
      job.needs = {single ? 1 : number(1, 6)};
      job.work = number(1, 60);
      job.submit = number(0, single ? 40 : 200);
      job.checkpoint_every = number(0, 3);
      job.keeps = !single && chance(0.2);
      jobs.push_back(job);
    }
  }

  std::vector<Kai::Queue> queues;
  std::vector<Job> jobs;
  std::int64_t machines = 0;

 private:
  std::int64_t number(std::uint64_t low, std::uint64_t high) {
    return static_cast<std::int64_t>(between(low, high));
  }
};

class KaiOracleInRandomWorlds : public EachSeed {
 protected:
  void watch(bool single) {
    each_seed([&](std::uint64_t seed) {
      const RandomQueues world{seed, single};
      Kai order{world.queues};
      Watched watched{order, world.queues, single};
      schedule(world.jobs, {world.machines}, watched);
      stops += watched.stops;
      borrows += watched.borrows;
      saturated += watched.saturated;
    });
    EXPECT_GT(stops, 0u);
    EXPECT_GT(borrows, 0u);
  }

  std::size_t stops = 0;
  std::size_t borrows = 0;
  std::size_t saturated = 0;
};

TEST_F(KaiOracleInRandomWorlds, NobodyWaitsWithinWhatItsShareDeservesNorIsStoppedInVain) {
  watch(false);
}

TEST_F(KaiOracleInRandomWorlds, WhatIsLeftOverGoesByWeightToAMachine) {
  watch(true);
  EXPECT_GT(saturated, 0u);
}

}  // namespace kai_oracle_test
}  // namespace reeve::tests::oracle
