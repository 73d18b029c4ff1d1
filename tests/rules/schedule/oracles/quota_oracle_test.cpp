// The oracle of quota shares against the stories that were worked out by hand, and what it promises
// in random ones.
#include <gtest/gtest.h>

#include "tests/property/drawn_text.hpp"
#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/oracles/quota_shares.hpp"

namespace reeve::tests::oracle {
namespace quota_oracle_test {

using Spans = std::vector<Course::Span>;

/// In minutes.
constexpr Tick hour = 60;

Job gang(std::size_t share, std::int64_t priority, std::int64_t machines, Tick work,
         Tick submit = 0) {
  Job job;
  job.share = share;
  job.priority = priority;
  job.needs = {machines};
  job.work = work;
  job.submit = submit;
  job.checkpoint_every = hour;
  return job;
}

Share terms(std::int64_t limit, Sharing sharing = Sharing::lend_and_borrow) {
  Share share;
  share.limit = limit;
  share.sharing = sharing;
  return share;
}

/// 60 of 100 machines are one's, 40 the other's (F100 to F106): A to D, X1 of the first, B1 and
/// then B2 of the second, E of the first.
struct TwoShares {
  enum Name : std::size_t { a, b, c, d, x1, b1, b2, e };
  std::vector<Job> jobs{gang(0, 80, 15, 10 * hour),
                        gang(0, 50, 15, 10 * hour),
                        gang(0, 30, 15, 10 * hour),
                        gang(0, 10, 15, 10 * hour),
                        gang(0, 5, 15, 10 * hour),
                        gang(1, 50, 25, 12 * hour),
                        gang(1, 50, 15, 6 * hour, 4 * hour + 15),
                        gang(0, 90, 15, 3 * hour, 6 * hour + 30)};
  std::vector<Share> shares{terms(60), terms(40)};
  QuotaModel model = {};
  std::vector<LimitChange> limits = {};

  TwoShares() { shares[0].in_share_preemption = shares[1].in_share_preemption = true; }

  std::vector<Course> run() const {
    QuotaShares order{shares, model, limits};
    return schedule(jobs, {100}, order);
  }
};

/// Machines times minutes.
Tick lost(const std::vector<Job>& jobs, const std::vector<Course>& courses) {
  Tick all = 0;
  for (std::size_t job = 0; job < jobs.size(); ++job) {
    all += courses[job].lost * jobs[job].needs.front();
  }
  return all;
}
Tick makespan(const std::vector<Course>& courses) {
  Tick last = 0;
  for (const Course& course : courses) last = std::max(last, course.done);
  return last;
}

TEST(QuotaOracle, BorrowsAndGivesBackToTheOwnerAndToPriority) {
  const TwoShares story;
  const auto courses = story.run();
  for (const std::size_t job : {story.a, story.b, story.c}) {
    EXPECT_EQ(courses[job].held, (Spans{{0, 10 * hour}}));
  }
  EXPECT_EQ(courses[story.x1].held, (Spans{{0, 4 * hour + 15}, {10 * hour, 16 * hour}}));
  EXPECT_EQ(courses[story.d].held, (Spans{{0, 6 * hour + 30}, {9 * hour + 30, 13 * hour + 30}}));
  EXPECT_EQ(courses[story.b2].first_start(), 4 * hour + 15);
  EXPECT_EQ(courses[story.e].first_start(), 6 * hour + 30);
  EXPECT_EQ(lost(story.jobs, courses) * 4, 45 * hour) << "11.25 instance-hours";
}

TEST(QuotaOracle, ReservedSharesLendNothing) {
  TwoShares story;
  for (Share& share : story.shares) share = terms(share.limit, Sharing::reserve);
  const auto courses = story.run();
  EXPECT_EQ(courses[story.x1].first_start(), 10 * hour);
  EXPECT_EQ(makespan(courses), 20 * hour);
}

TEST(QuotaOracle, BorrowsUpToItsLimitOnly) {
  // 20 % of 60 are 12, and X1 wants 15 (F101).
  TwoShares story;
  story.shares[0].borrow_pct = 20;
  EXPECT_EQ(story.run()[story.x1].first_start(), 10 * hour);
  story.shares[0].borrow_pct = 25;
  EXPECT_EQ(story.run()[story.x1].first_start(), 0);
}

TEST(QuotaOracle, ShareThatOnlyLendsDoesNotBorrow) {
  TwoShares story;
  story.shares[0].sharing = Sharing::lend;
  EXPECT_EQ(story.run()[story.x1].first_start(), 10 * hour);
}

/// Who is stopped when E comes to a first share that is full (F103).
std::vector<std::size_t> stopped_by(std::int64_t priority, std::int64_t machines) {
  TwoShares story;
  story.jobs[story.x1].needs = {1000};  // not there
  story.jobs[story.e].priority = priority;
  story.jobs[story.e].needs = {machines};
  const auto courses = story.run();
  std::vector<std::size_t> out;
  for (std::size_t job = 0; job < courses.size(); ++job) {
    if (courses[job].preemptions() > 0) out.push_back(job);
  }
  return out;
}

TEST(QuotaOracle, LowerPrioritiesOfAFullShareMakeRoom) {
  using Jobs = std::vector<std::size_t>;
  EXPECT_EQ(stopped_by(90, 15), (Jobs{TwoShares::d}));
  EXPECT_EQ(stopped_by(90, 30), (Jobs{TwoShares::c, TwoShares::d}));
  EXPECT_EQ(stopped_by(90, 20), (Jobs{TwoShares::c, TwoShares::d}));
  EXPECT_EQ(stopped_by(10, 15), Jobs{});
}

TEST(QuotaOracle, NobodyIsStoppedWhereTheShareHasRoom) {
  TwoShares story;  // F104
  story.jobs[story.x1].needs = story.jobs[story.d].needs = {1000};
  const auto courses = story.run();
  EXPECT_EQ(courses[story.e].first_start(), 6 * hour + 30);
  EXPECT_EQ(lost(story.jobs, courses), 0);
}

TEST(QuotaOracle, NoMoreThanItsRetriesIsQueuedAgain) {
  TwoShares story;  // F105
  story.jobs[story.x1].max_preemptions = 0;
  const auto courses = story.run();
  EXPECT_EQ(courses[story.x1].held, (Spans{{0, 4 * hour + 15}}));
  EXPECT_EQ(courses[story.x1].done, never);
}

TEST(QuotaOracle, ALoweredLimitCostsOneVictim) {
  TwoShares story;  // F116: 75 are used, 45 are left and 15 borrowed
  story.limits = {{1 * hour, 0, 45}};
  auto courses = story.run();
  EXPECT_EQ(courses[story.x1].held.front(), (Course::Span{0, 1 * hour}));
  EXPECT_EQ(courses[story.d].held.front().until, 4 * hour + 15) << "then the owner returns";
  story.model.surplus_at_once = false;
  courses = story.run();
  EXPECT_EQ(courses[story.x1].held.front(), (Course::Span{0, 4 * hour + 15}));
}

TEST(QuotaOracle, IsTheExampleOfTheNotebook) {
  // The second share's job takes back what it lent though the third has a machine idle; then the
  // lowest becomes the most urgent.
  enum Name : std::size_t { high, med, low, second };
  const std::vector<Job> jobs{gang(0, 3, 1, 100), gang(0, 2, 1, 100), gang(0, 1, 1, 100),
                              gang(1, 1, 1, 100, 10)};
  std::vector<Share> shares{terms(1), terms(1, Sharing::lend), terms(1, Sharing::reserve)};
  shares[0].borrow_pct = 200;
  shares[0].in_share_preemption = true;
  QuotaShares order{shares, {}, {}, {{20, low, 4}}};
  const auto courses = schedule(jobs, {3}, order);
  EXPECT_EQ(courses[high].held.front(), (Course::Span{0, 20}));
  EXPECT_EQ(courses[med].held.front(), (Course::Span{0, 10}));
  EXPECT_EQ(courses[second].held, (Spans{{10, 110}}));
  EXPECT_EQ(courses[low].held.front().from, 20);
}

TEST(QuotaOracle, ABlockedBorrowerBlocksOthersOnlyIfTheModelSaysSo) {
  // The file `head-of-line` (F93): 40, 30 and 30; peak 85 and 15 hours, or a peak of 70.
  std::vector<Job> jobs{gang(0, 0, 40, 10 * hour), gang(1, 0, 70, 5 * hour)};
  jobs.insert(jobs.end(), 9, gang(2, 0, 5, 10 * hour));
  const auto peak = [&](const std::vector<Course>& courses) {
    std::int64_t used = 0;
    for (std::size_t job = 0; job < jobs.size(); ++job) {
      if (courses[job].first_start() == 0) used += jobs[job].needs.front();
    }
    return used;
  };
  const std::vector<Share> shares{terms(40), terms(30), terms(30)};
  QuotaShares order{shares};
  const auto courses = schedule(jobs, {100}, order);
  EXPECT_EQ(peak(courses), 85);
  EXPECT_EQ(makespan(courses), 15 * hour);
  EXPECT_EQ(courses[1].first_start(), 10 * hour);
  QuotaModel blocking;
  blocking.blocked_borrower_blocks = true;
  QuotaShares blocked{shares, blocking};
  EXPECT_EQ(peak(schedule(jobs, {100}, blocked)), 70);
}

TEST(QuotaOracle, SparesWhoTurnsOutToBeSuperfluous) {
  // The first share has 4 of the other's machines.  The one of 1 is chosen first, then that of 6,
  // with which alone there is room.
  const std::vector<Job> jobs{gang(0, 9, 3, 100), gang(0, 1, 1, 100), gang(0, 2, 6, 100),
                              gang(1, 0, 4, 10, 5)};
  QuotaShares order{{terms(6), terms(4)}};
  const auto courses = schedule(jobs, {10}, order);
  EXPECT_EQ(courses[0].preemptions(), 0u);
  EXPECT_EQ(courses[1].preemptions(), 0u);
  EXPECT_EQ(courses[2].preemptions(), 1u);
  EXPECT_EQ(courses[3].first_start(), 5);
}

/// Looks at what an order decides.
class Watched final : public Order {
 public:
  Watched(Order& order, const std::vector<Share>& shares) : order_{order}, shares_{shares} {}

  Moves decide(const State& state) override {
    const Moves moves = order_.decide(state);
    std::vector<std::int64_t> used(shares_.size());
    std::vector<std::size_t> waiting;
    for (std::size_t job = 0; job < state.jobs->size(); ++job) {
      const auto in = [job](const std::vector<std::size_t>& list) {
        return std::find(list.begin(), list.end(), job) != list.end();
      };
      const bool holds = (state.runs(job) && !in(moves.stop)) || in(moves.start);
      if (holds) used[state.job(job).share] += state.job(job).needs.front();
      if (!holds && (state.runs(job) || in(state.waiting))) waiting.push_back(job);
    }
    check(state, moves, used, waiting);
    stops += moves.stop.size();
    return moves;
  }
  Tick next_change(const State& state) override { return order_.next_change(state); }

  std::size_t stops = 0;
  std::size_t borrows = 0;
  std::size_t looks = 0;  ///< at the first of a share that waits

 private:
  void check(const State& state, const Moves& moves, const std::vector<std::int64_t>& used,
             const std::vector<std::size_t>& waiting) {
    std::int64_t all = 0;
    bool borrowed = false;
    for (std::size_t share = 0; share < used.size(); ++share) {
      all += used[share];
      const bool over = used[share] > shares_[share].limit;
      borrowed = borrowed || over;
      EXPECT_TRUE(!over || shares_[share].sharing == Sharing::lend_and_borrow);
    }
    borrows += borrowed ? 1u : 0u;
    EXPECT_LE(all, state.capacity.front());
    // Who is stopped lines up at once: the last decision of an instant stops nobody.  Who got its
    // machines at this very instant may be stopped a tick later.
    const bool fresh = !moves.start.empty() ||
                       std::any_of(state.running.begin(), state.running.end(),
                                   [&](auto job) { return state.since[job] == state.now; });
    for (const std::size_t share_head : heads(state, waiting)) {
      if (!moves.stop.empty() || fresh) break;
      ++looks;
      const Job& job = state.job(share_head);
      const bool within = used[job.share] + job.needs.front() <= shares_[job.share].limit;
      EXPECT_FALSE(within) << "job " << share_head << " waits though its share has quota left";
    }
    // Of several starts at one instant a later one may stop somebody whose machines another, who
    // was stopped for an earlier one, could have kept; and what is free may be what a borrower has.
    if (borrowed || moves.start.size() > 1) return;
    for (const std::size_t stopped : moves.stop) {
      const std::int64_t free = state.capacity.front() - all;
      const Job& job = state.job(stopped);
      const bool within = used[job.share] + job.needs.front() <= shares_[job.share].limit;
      EXPECT_FALSE(within && free >= job.needs.front()) << "job " << stopped << " stopped in vain";
    }
  }

  static std::vector<std::size_t> heads(const State& state,
                                        const std::vector<std::size_t>& waiting) {
    const Rank rank = [](const State& seen, std::size_t job) {
      return Place{static_cast<Tick>(seen.job(job).share), -seen.job(job).priority,
                   seen.job(job).submit};
    };
    std::vector<std::size_t> out;
    for (const std::size_t job : sorted(waiting, state, rank)) {
      if (out.empty() || state.job(out.back()).share != state.job(job).share) out.push_back(job);
    }
    return out;
  }

  Order& order_;
  std::vector<Share> shares_;
};

class RandomShares : private DrawnText {
 public:
  explicit RandomShares(std::uint64_t seed) : DrawnText{seed, 13} {
    from_the_start();
    for (std::uint64_t left = between(1, 5); left > 0; --left) {
      Share share = terms(number(1, 12), chance(0.6)   ? Sharing::lend_and_borrow
                                         : chance(0.5) ? Sharing::lend
                                                       : Sharing::reserve);
      if (chance(0.4)) share.borrow_pct = number(0, 200);
      share.in_share_preemption = chance(0.5);
      machines += share.limit;
      shares.push_back(share);
    }
    const std::uint64_t count = between(2, 60);
    for (std::uint64_t job = 0; job < count; ++job) {
      const std::size_t share = between(0, shares.size() - 1);
      const std::int64_t priority = number(0, 4);
      const std::int64_t size = number(1, 6);
      const Tick work = number(1, 60);
      jobs.push_back(gang(share, priority, size, work, number(0, 200)));
      jobs.back().checkpoint_every = number(0, 3);
    }
    model.blocked_borrower_blocks = chance(0.3);
  }

  std::vector<Share> shares;
  std::vector<Job> jobs;
  std::int64_t machines = 0;
  QuotaModel model;

 private:
  std::int64_t number(std::uint64_t low, std::uint64_t high) {
    return static_cast<std::int64_t>(between(low, high));
  }
};

class QuotaOracleInRandomWorlds : public EachSeed {};

TEST_F(QuotaOracleInRandomWorlds, NoShareWaitsBelowItsQuotaAndNobodyIsStoppedInVain) {
  std::size_t stops = 0;
  std::size_t borrows = 0;
  std::size_t looks = 0;
  each_seed([&](std::uint64_t seed) {
    const RandomShares world{seed};
    QuotaShares order{world.shares, world.model};
    Watched watched{order, world.shares};
    schedule(world.jobs, {world.machines}, watched);
    stops += watched.stops;
    borrows += watched.borrows;
    looks += watched.looks;
  });
  EXPECT_GT(stops, 0u);
  EXPECT_GT(borrows, 0u);
  EXPECT_GT(looks, 0u);
}

}  // namespace quota_oracle_test
}  // namespace reeve::tests::oracle
