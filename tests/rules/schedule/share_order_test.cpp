// Shares in turn, worked out by hand.
#include <array>
#include <cmath>
#include <random>

#include "tests/rules/schedule/rule_as_order.hpp"

namespace reeve::policies {
namespace share_order_test {

/// A queue of shares on one machine each time, by name of what was started.
class Turns {
 public:
  Turns(const std::string& options, const std::vector<double>& weights, std::uint32_t machines)
      : bench_{"schedule", options} {
    bench_.directory.queues.push_back({.name = "queue"});
    for (const double weight : weights) {
      ShareFacts facts;
      facts.weight = static_cast<std::uint32_t>(std::lround(weight * weight_one));
      bench_.directory.shares.push_back(facts);
    }
    bench_.at(0s, {CapacityChanged{{0}, machines}});
  }

  Fact job(std::uint32_t id, std::uint32_t share, std::int32_t priority = 0,
           std::uint32_t instances = 1) {
    JobDescription description;
    description.instances = instances;
    description.priority = priority;
    description.submitted_at = kStart + std::chrono::seconds{id};
    JobTerms terms;
    terms.queue = QueueId{0};
    terms.share = ShareId{share};
    description.terms = bench_.directory.intern(terms).value();
    return submitted({id}, 1, description);
  }
  std::vector<std::uint32_t> at(Duration when, std::vector<Fact> facts) {
    std::vector<std::uint32_t> started;
    const Wishes wishes = bench_.at(when, std::move(facts));
    for (const StartJob& start : wishes.all<StartJob>()) {
      started.push_back(start.job.index);
    }
    return started;
  }
  static Fact over(std::uint32_t id) { return changed({id}, 9, Secondary::completed); }

 private:
  RuleBench bench_;
};

using Jobs = std::vector<std::uint32_t>;

// F96: low and mid have been submitted, high later: mid, high, low.
TEST(ShareOrder, WhoComesLaterIsNextIfItsShareIsToHaveMore) {
  Turns turns{R"({"algorithm": "fair_share"})", {5, 3, 1}, 1};
  EXPECT_EQ(turns.at(0s, {turns.job(0, 0), turns.job(1, 1)}), (Jobs{1}));
  EXPECT_EQ(turns.at(1min, {turns.job(2, 2)}), (Jobs{}));
  EXPECT_EQ(turns.at(1h, {turns.over(1)}), (Jobs{2}));
  EXPECT_EQ(turns.at(2h, {turns.over(2)}), (Jobs{0}));
}

// F97, F98: priorities are compared inside a share, and never between shares.
TEST(ShareOrder, PrioritiesCountInsideAShareOnly) {
  for (const bool swapped : {false, true}) {
    Turns turns{R"({"algorithm": "fair_share"})", {3, 2, 1}, 1};
    EXPECT_EQ(turns.at(0s, {turns.job(0, 0, swapped ? 5 : 1), turns.job(1, 1, 3),
                            turns.job(2, 2, swapped ? 1 : 5)}),
              (Jobs{2}));
    EXPECT_EQ(turns.at(1h, {turns.over(2)}), (Jobs{1}));
    EXPECT_EQ(turns.at(2h, {turns.over(1)}), (Jobs{0}));
  }
  Turns one{R"({"algorithm": "fair_share"})", {1}, 1};
  EXPECT_EQ(one.at(0s, {one.job(9, 0, 9), one.job(0, 0, 1), one.job(1, 0, 3), one.job(2, 0, 5)}),
            (Jobs{9}));
  EXPECT_EQ(one.at(1h, {one.over(9)}), (Jobs{2}));
  EXPECT_EQ(one.at(2h, {one.over(2)}), (Jobs{1}));
  EXPECT_EQ(one.at(3h, {one.over(1)}), (Jobs{0}));
}

/// The parts that three shares with more jobs than machines have of them; `lasts`: seconds of a
/// job.
template <typename Lasts>
std::array<double, 3> saturated(const char* options, Lasts lasts) {
  Turns turns{options, {1, 3, 5}, 230};
  std::vector<Fact> facts;
  constexpr std::uint32_t jobs = 30'000;
  for (std::uint32_t id = 0; id < jobs; ++id) facts.push_back(turns.job(id, id % 3));
  std::array<double, 3> held{};
  std::map<Duration, std::vector<std::uint32_t>> running;
  Duration now{0};
  const auto start = [&](const Jobs& started) {
    for (const std::uint32_t id : started) {
      const std::chrono::seconds length{lasts()};
      running[now + length].push_back(id);
      held.at(id % 3) += static_cast<double>(length.count());
    }
  };
  start(turns.at(now, facts));
  for (std::size_t ended = 0; ended < 15'000;) {
    const auto next = running.extract(running.begin());
    now = next.key();
    ended += next.mapped().size();
    facts.clear();
    for (const std::uint32_t id : next.mapped()) facts.push_back(turns.over(id));
    start(turns.at(now, facts));
  }
  const double all = held[0] + held[1] + held[2];
  return {held[0] / all, held[1] / all, held[2] / all};
}

// F95: weights 1, 3 and 5 on 230 machines, all wanted by all: 15 : 5 : 3, whether machines become
// free one after the other or all at one instant.
TEST(ShareOrder, UnderSaturationSharesHoldMachinesAsTheirWeightsSay) {
  for (const char* const options :
       {R"({"algorithm": "fair_share"})", R"({"algorithm": "fair_share", "share_decay": "0s"})",
        R"({"algorithm": "fair_share", "share_decay": "1s"})",
        R"({"algorithm": "fair_share", "share_decay": "1d"})", R"({"algorithm": "max_min"})",
        R"({"algorithm": "drf"})"}) {
    std::mt19937 rng{7};
    const auto random = saturated(options, [&rng] { return 300 + rng() % 600; });
    const auto equal = saturated(options, [] { return 600; });
    for (const auto& parts : {random, equal}) {
      EXPECT_NEAR(parts[0], 15.0 / 23, 0.01) << options;
      EXPECT_NEAR(parts[1], 5.0 / 23, 0.01) << options;
      EXPECT_NEAR(parts[2], 3.0 / 23, 0.01) << options;
    }
  }
}

// One had a machine for 20 minutes, the other for twice 10, or for 4 and 16: both have used the
// same, whatever the last digit of the sums says, and the first of the shares is next.
TEST(ShareOrder, TheSameUsageInOtherPiecesIsTheSame) {
  for (const Duration first : {Duration{10min}, Duration{4min}, Duration{7min}, Duration{11min}}) {
    for (const std::uint32_t share : {0U, 1U}) {
      Turns turns{R"({"algorithm": "fair_share"})", {1, 1}, 2};
      EXPECT_EQ(turns.at(0s, {turns.job(0, share), turns.job(1, 1 - share)}).size(), 2U);
      EXPECT_EQ(turns.at(first, {turns.over(0), turns.job(2, share)}), (Jobs{2}));
      EXPECT_EQ(turns.at(20min, {turns.over(1), turns.over(2), turns.job(3, 1, 0, 2),
                                 turns.job(4, 0, 0, 2)}),
                (Jobs{4}))
          << first.count();
    }
  }
}

// F99: of 16 machines 8 are kept while one share has jobs, 4 while two have, 2 while three have.
TEST(ShareOrder, SomeIsKeptForSharesThatHaveNoJobs) {
  Turns turns{R"({"algorithm": "fair_share", "compute_reservation": 50})", {1, 1, 1}, 16};
  std::vector<Fact> facts;
  for (std::uint32_t id = 0; id < 20; ++id) facts.push_back(turns.job(id, 0));
  EXPECT_EQ(turns.at(0s, facts).size(), 8U);
  EXPECT_EQ(turns.at(1s, {turns.job(20, 1)}), (Jobs{20, 8, 9, 10}));
  EXPECT_EQ(turns.at(2s, {turns.job(21, 2), turns.job(22, 2)}), (Jobs{21, 22}));
}

// A quarter of 4 is kept while two are active, half while one is.
TEST(ShareOrder, AShareIsActiveForADecayAfterItsLastJob) {
  Turns turns{R"({"algorithm": "fair_share", "compute_reservation": 50})", {1, 1}, 4};
  std::vector<Fact> facts{turns.job(0, 0)};
  for (std::uint32_t id = 1; id < 9; ++id) facts.push_back(turns.job(id, 1));
  EXPECT_EQ(turns.at(0s, facts), (Jobs{0, 1, 2}));
  EXPECT_EQ(turns.at(1min, {turns.over(0)}), (Jobs{3}));
  EXPECT_EQ(turns.at(10min + 59s, {turns.over(1)}), (Jobs{4}));
  EXPECT_EQ(turns.at(11min, {turns.over(2)}), (Jobs{}));
  EXPECT_EQ(turns.at(12min, {turns.job(9, 0)}), (Jobs{9}));
}

TEST(ShareOrder, WithUsageThatDecaysWhatWasHeldLongAgoIsForgotten) {
  for (const bool soon : {true, false}) {
    Turns turns{R"({"algorithm": "fair_share", "share_decay": "1h"})", {1, 1}, 1};
    EXPECT_EQ(turns.at(0s, {turns.job(0, 0)}), (Jobs{0}));
    EXPECT_EQ(turns.at(10h, {turns.over(0)}), (Jobs{}));
    const Duration now = soon ? 10h + 1min : 100h;
    EXPECT_EQ(turns.at(now, {turns.job(1, 1)}), (Jobs{1}));
    EXPECT_EQ(turns.at(now + 30min, {turns.job(2, 0), turns.job(3, 1), turns.over(1)}),
              soon ? Jobs{3} : Jobs{2});
  }
}

TEST(ShareOrder, WhereTheNextInTurnDoesNotFitOthersPassIfTheyMay) {
  for (const bool passes : {false, true}) {
    Turns turns{std::string{R"({"algorithm": "max_min", "backfill": ")"} +
                    (passes ? "any_fit" : "none") + "\"}",
                {1, 1},
                4};
    EXPECT_EQ(turns.at(0s, {turns.job(0, 1, 0, 2)}), (Jobs{0}));
    EXPECT_EQ(turns.at(1s, {turns.job(1, 0, 0, 3), turns.job(2, 1)}), passes ? Jobs{2} : Jobs{});
  }
}

}  // namespace share_order_test
}  // namespace reeve::policies
