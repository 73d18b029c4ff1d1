// What else could have been done in place of a decision, against sums by hand.
#include "experiments/explain/alternatives.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiments/counterfactual.hpp"
#include "scenarios/load.hpp"

namespace reeve::experiments {
namespace alternatives_test {

/// A job of ten hours on Spot ($9/h, on demand $30/h) with a checkpoint each hour; other machines
/// cost $20/h.
class AlternativesTest : public ::testing::Test {
 protected:
  void play(const std::string& job, const std::string& rules) {
    scenario_ = scenarios::load(
                    scenarios::SourceFile::from_text(
                        "a.jsonc", R"({ "reeve": 1,
    "clock": { "start": "2026-01-01T00:00:00Z", "horizon": "9d" },
    "prices": { "instances": { "t": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 1 },
                               "u": { "usd_per_hour": 20, "gpus": 1 } } },
    "fleet": [ { "name": "other", "instance_type": "u", "capacity": 1 },
               { "name": "small", "instance_type": "t", "capacity": 1 },
               { "name": "spot", "instance_type": "t", "capacity": 2, "market": "spot" },
               { "name": "od", "instance_type": "t", "capacity": 2 } ],
    "platform": { "model": "sagemaker-training", "startup": "0s", "stop_grace": "0s" },
    "jobs": [ { "name": "a", "fleet": "spot", "work": "10h", "max_runtime": "3d", )" +
                                       job + R"( } ], "policies": { "p": [ )" + rules + " ] } }"),
                    ".")
                    .scenario;
    options_.keep.attempts = options_.decisions = true;
    result_ = run(scenario_, scenario_.policies.front(), 0, options_);
  }

  /// The first decision of that verb that was done.
  template <class Verb>
  const DecisionRow& first() const {
    for (const DecisionRow& row : result_.decisions) {
      if (std::holds_alternative<Verb>(row.verb) && row.outcome == "done") return row;
    }
    throw std::runtime_error{"there is none"};
  }

  /// By name; in micro-dollars, more than it was for all.
  std::map<std::string, std::int64_t> prices(const DecisionRow& row) const {
    const Standings standings{result_};
    const models::JobSpec& job = result_.record.jobs.specs[0];
    std::map<std::string, std::int64_t> prices;
    for (const Alternative& other :
         alternatives(scenario_.world, job, row, standings.of(row).value())) {
      const auto otherwise = instead(row, other.deeds);
      EXPECT_EQ(otherwise.failed, "") << other.name;
      prices[other.name] = otherwise.all_more.micros();
    }
    return prices;
  }

  Otherwise instead(const DecisionRow& row, const std::vector<Deed>& deeds) const {
    return run_instead(scenario_, scenario_.policies.front(), options_, result_, row, deeds)
        .value();
  }

  scenarios::Scenario scenario_;
  RunOptions options_;
  RunResult result_;
};

using Prices = std::map<std::string, std::int64_t>;

const std::string hourly = R"("checkpoint": { "every": "1h" })";
const std::string fails = hourly + R"(, "instances": 2,
    "faults": [ { "at": "2h30m", "kind": "failure", "class": "infrastructure" } ])";

TEST_F(AlternativesTest, ACloneCouldHaveBegunAnewOrRunElsewhere) {
  play(fails, R"({ "rule": "resume" })");
  // Two machines: 8 h at $9 as it was; 10 h at $9, or 8 h at $30.  One machine is no room for it.
  EXPECT_EQ(prices(first<policy::CloneJob>()),
            (Prices{{"from scratch", 36'000'000}, {"on od", 336'000'000}}));
}

TEST_F(AlternativesTest, ACloneThatWaitedCouldHaveComeAtOnce) {
  play(fails, R"({ "rule": "resume", "backoff": "1h" })");
  const DecisionRow& clone = first<policy::CloneJob>();
  const Standings standings{result_};
  const auto all = alternatives(scenario_.world, result_.record.jobs.specs[0], clone,
                                standings.of(clone).value());
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all.front().name, "at once");
  const Otherwise other = instead(clone, all.front().deeds);
  EXPECT_EQ(other.failed, "");
  EXPECT_EQ(other.all_more, policy::Usd{});
  ASSERT_TRUE(other.done_at);  // 2h30m and 8 h, and not an hour later
  EXPECT_EQ(*other.done_at - result_.record.start, std::chrono::minutes{10 * 60 + 30});
}

TEST_F(AlternativesTest, AStopCouldHaveBeenSavedFirst) {
  play(R"("checkpoint": { "every": "1h", "on_request": { "save": "90s" } })",
       R"({ "rule": "max_runtime", "limit": "5h30m", "enforce_by": "clock" },
          { "rule": "resume", "when": ["stopped_by:max_runtime"], "min_runtime": "0s",
            "max_resumes": 1 })");
  // At $9: 5h30m and 5 h as it was; 10 h where nothing is done twice, as work goes on while it is
  // saved.  The resume has alternatives of its own.
  EXPECT_EQ(prices(first<policy::StopJob>()),
            (Prices{{"save first", -4'500'000}, {"only tell people", -4'500'000}}));
}

TEST_F(AlternativesTest, AStopThatNobodyResumesCouldHaveBeenARestart) {
  play(hourly, R"({ "rule": "max_runtime", "limit": "6h", "enforce_by": "clock" })");
  // 6 h of it are saved: 4 h more at $9, $30 and $30.
  EXPECT_EQ(prices(first<policy::StopJob>()), (Prices{{"only tell people", 36'000'000},
                                                      {"start it again", 36'000'000},
                                                      {"start it again on small", 120'000'000},
                                                      {"start it again on od", 120'000'000}}));
}

TEST_F(AlternativesTest, WhoWasWarnedCouldHaveBeenToldOnly) {
  play(hourly, R"({ "rule": "max_runtime", "limit": "6h", "enforce_by": "clock",
                    "action": "warn_then_stop", "warn_for": "30m" })");
  // Told at 6 h, stopped at 6h30m, of which 6 h are saved: 3h30m more at $9 to the end.
  EXPECT_EQ(prices(first<policy::StopJob>()).at("only tell people"), 31'500'000);
}

TEST_F(AlternativesTest, WhatCannotBeDoneIsNotPriced) {
  play(hourly, R"({ "rule": "max_runtime", "limit": "6h", "enforce_by": "clock" })");
  const DecisionRow& stop = first<policy::StopJob>();
  // There is no attempt to place before it is over.
  const policy::PlaceJob place{.job = stop.job, .attempt = stop.attempt, .pool = {3}};
  EXPECT_NE(instead(stop, {{.verb = place}}).failed, "");
  const policy::CloneJob clone{.job = stop.job, .attempt = 2};
  const std::vector<Deed> never{{.verb = policy::Notify{stop.job, stop.attempt}},
                                {.verb = clone, .after = std::chrono::hours{24 * 30}}};
  EXPECT_EQ(instead(stop, never).failed, "the run ended first");
}

/// Each is a run: with the decision itself as the only deed it is the same one.
TEST_F(AlternativesTest, TheDecisionInItsOwnPlaceChangesNothing) {
  play(fails, R"({ "rule": "resume" })");
  const DecisionRow& clone = first<policy::CloneJob>();
  const Otherwise same = instead(clone, {{.verb = clone.verb}});
  EXPECT_EQ(same.failed, "");
  EXPECT_EQ(same.all_more, policy::Usd{});
  EXPECT_EQ(same.done_at, result_.record.job_rows[0].end);
}

}  // namespace alternatives_test
}  // namespace reeve::experiments
