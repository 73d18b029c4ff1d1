// What is doubtful about queues is doubtful under some algorithms and not under others.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "scenarios/load.hpp"
#include "tests/unit/scenarios/queue_cases.hpp"

namespace reeve::scenarios {
namespace queue_lints_test {

TEST(QueueLints, PrioritiesOfSharesAreComparedBySomeAlgorithms) {
  for (const char* const apart : {"quota", "capacity", "fair_share", "max_min", "drf", "kai"}) {
    EXPECT_EQ(findings("W0547", apart), 1) << apart;
  }
  for (const char* const compares : {"multifactor", "kueue", "kueue_fair", "priority"}) {
    EXPECT_EQ(findings("W0547", compares), 0) << compares;
  }
}

TEST(QueueLints, PrioritiesOfSharesThatBorrowDecideWhoGivesMachinesBack) {
  const auto instead = [](const std::string& sharing, const std::string& victims) {
    return R"(quota", "override": { "sharing": ")" + sharing + R"(" }, "victims": ")" + victims;
  };
  const std::string usual = "borrowed,lowest_priority,latest_start";
  EXPECT_EQ(findings("W0547", instead("lend_and_borrow", usual)), 0);
  EXPECT_EQ(findings("W0547", instead("lend_and_borrow", "latest_start,lowest_priority")), 0);
  EXPECT_EQ(findings("W0547", instead("lend_and_borrow", "borrowed,latest_start")), 1);
  EXPECT_EQ(findings("W0547", instead("as_stated", usual)), 1) << "search alone borrows";
  EXPECT_EQ(findings("W0547", instead("lend", usual)), 1) << "nobody borrows";
}

TEST(QueueLints, WhoWaitedTooLongInAQueueHasNotRun) {
  const auto told = [](const std::string& limit, const std::string& rules, int wanted = 5) {
    const Loaded loaded = load(SourceFile::from_text("limited.jsonc", R"({ "reeve": 1,
      "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
      "fleet": [ { "name": "p4", "instance_type": "t", "capacity": 8 } ],
      "queues": [ { "name": "main" )" + limit + R"( } ],
      "policies": { "it": [ { "rule": "schedule" }, )" + rules + R"( ] },
      "job_defaults": { "work": "2h", "queue": "main" },
      "jobs": [ { "name": "a", "instances": 4 }, { "name": "b", "instances": )" +
                                                                          std::to_string(wanted) +
                                                                          "} ] }"),
                               ".");
    return std::any_of(loaded.warnings.begin(), loaded.warnings.end(),
                       [](const Diagnostic& finding) { return finding.code == "W0450"; });
  };
  const std::string limit = R"(, "runnable_limit": "1h")";
  const auto resume = [](const std::string& with) {
    return R"({ "rule": "resume", "when": ["failed:capacity"])" + with + " }";
  };
  EXPECT_TRUE(told(limit, resume("")));
  EXPECT_FALSE(told(limit, resume(R"(, "min_runtime": "0s")")));
  EXPECT_TRUE(told(limit, resume(R"(, "since": "creation")"))) << "2h are asked for";
  EXPECT_FALSE(told(limit, resume(R"(, "since": "creation", "min_runtime": "1h")")));
  EXPECT_TRUE(told(limit, R"({ "rule": "resume" })")) << "of whatever failed";
  EXPECT_FALSE(told(limit, R"({ "rule": "resume", "when": ["failed:code"] })"));
  EXPECT_FALSE(told("", resume("")));
  EXPECT_FALSE(told(limit, resume(""), 4)) << "no job is pending";
  const std::string beside = R"(, { "rule": "resume", "name": "other", "min_runtime": "0s",
                                    "when": ["failed:capacity"])";
  EXPECT_FALSE(told(limit, resume("") + beside + " }"));
  EXPECT_TRUE(told(limit, resume("") + beside + R"(, "mode": "shadow" })"));
  const std::string relaunch = R"({ "rule": "relaunch" })";
  EXPECT_FALSE(told(limit, resume("") + ", " + relaunch));
  const auto stated = [](const std::string& also) {
    return R"({ "rule": "rule", "do": "clone", "when": { "all": [
      { "field": "status", "op": "==", "value": "Failed" })" +
           also + " ] } }";
  };
  EXPECT_TRUE(told(limit, stated(R"(, { "field": "training_time", "op": ">=", "value": "2h" })")));
  EXPECT_FALSE(told(limit, stated("")));
}

/// Two shares that lend, with the priorities 5 and 1, and these keys; in queues of these
/// priorities.
std::ptrdiff_t unmet(const std::string& first, const std::string& second, int above = 0) {
  const Loaded loaded = load(SourceFile::from_text("unmet.jsonc", R"({ "reeve": 1,
    "clock": { "horizon": "9d" },
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "p4", "instance_type": "t", "capacity": 15 } ],
    "platform": { "model": "ideal" },
    "shares": [ { "name": "a", "quota": { "p4": 5 }, )" + first + R"( },
                { "name": "b", "quota": { "p4": 5 }, )" + second + R"( },
                { "name": "c", "quota": { "p4": 5 }, "sharing": "lend" } ],
    "queues": [ { "name": "qa", "shares": ["a", "c"], "priority": )" + std::to_string(above) +
                                                                      R"( },
                { "name": "qb", "shares": ["b"] } ],
    "policies": { "it": [ { "rule": "schedule", "algorithm": "quota" } ] },
    "jobs": [ { "name": "j", "work": "2h", "queue": "qa", "share": "a", "priority": 5 },
              { "name": "k", "work": "2h", "queue": "qb", "share": "b", "priority": 1 } ] })"),
                             ".");
  return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                       [](const Diagnostic& finding) { return finding.code == "W0547"; });
}

TEST(QueueLints, PrioritiesMeetAmongSharesThatMayBeBeyondTheirQuotas) {
  const std::string lends = R"("sharing": "lend")";
  const std::string borrows = R"("sharing": "lend_and_borrow")";
  const std::string nothing = R"("sharing": "lend_and_borrow", "borrow_limit_pct": 0)";
  const std::string lowered =
      R"("sharing": "reserve", "changes": [ { "at": "1h", "quota": { "p4": 2 } } ])";
  EXPECT_EQ(unmet(borrows, borrows), 0);
  EXPECT_EQ(unmet(lowered, lowered), 0);
  EXPECT_EQ(unmet(borrows, lowered), 0);
  EXPECT_EQ(unmet(borrows, lends), 1);
  EXPECT_EQ(unmet(borrows, nothing), 1);
  EXPECT_EQ(unmet(lowered, lends), 1);
  EXPECT_EQ(unmet(borrows, borrows, 1), 1) << "queues of different priorities lend nothing";
}

TEST(QueueLints, WhatAShareCanHaveIsUpToTheAlgorithm) {
  const std::string wide =
      R"(, { "name": "wide", "work": "2h", "share": "search", "instances": 90 })";
  for (const char* const as_stated : {"quota", "kueue", "kueue_fair"}) {
    EXPECT_EQ(findings("W0544", as_stated, wide), 1) << as_stated << ": ads lends nothing";
  }
  for (const char* const other : {"capacity", "kai", "fair_share", "drf", "fifo"}) {
    EXPECT_EQ(findings("W0544", other, wide), 0) << other;
  }
  const std::string narrow =
      R"(, { "name": "narrow", "work": "2h", "share": "ads", "instances": 50 })";
  for (const char* const keeps : {"quota", "kueue", "capacity", "kai"}) {
    EXPECT_EQ(findings("W0544", keeps, narrow), 1) << keeps << ": ads borrows nothing";
  }
  EXPECT_EQ(findings("W0544", "max_min", narrow), 0);
}

}  // namespace queue_lints_test
}  // namespace reeve::scenarios
