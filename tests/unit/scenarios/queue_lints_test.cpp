// What is doubtful about queues is doubtful under some algorithms and not under others.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace queue_lints_test {

std::ptrdiff_t findings(std::string_view code, const std::string& algorithm,
                        const std::string& more = {}, int capacity = 100) {
  const Loaded loaded = load(SourceFile::from_text("queues.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "p4", "instance_type": "t", "capacity": )" + std::to_string(capacity) +
                                                                       R"( } ],
    "platform": { "model": "ideal" },
    "shares": [ { "name": "search", "quota": { "p4": 60 }, "sharing": "lend_and_borrow" },
                { "name": "ads", "quota": { "p4": 40 } } ],
    "queues": [ { "name": "main", "shares": ["search", "ads"] } ],
    "job_defaults": { "queue": "main" },
    "policies": { "it": [ { "rule": "schedule", "algorithm": ")" + algorithm +
                                                                       R"(" } ] },
    "jobs": [ { "name": "a", "work": "2h", "share": "search", "priority": 5 },
              { "name": "b", "work": "2h", "share": "ads", "priority": 1 } )" +
                                                                       more + "] }"),
                             ".");
  return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                       [code](const Diagnostic& finding) { return finding.code == code; });
}

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

TEST(QueueLints, QuotasCoverNoMoreThanTheirEnvironmentMayHave) {
  const auto in_no_share = [](const std::string& environment, int instances) {
    const Loaded loaded = load(SourceFile::from_text("covered.jsonc", R"({ "reeve": 1,
      "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
      "fleet": [ { "name": "f", "instance_type": "t", "capacity": 8 } ],
      "platform": { "model": "ideal" },
      "environments": [ { "name": "e", )" + environment + R"( } ],
      "shares": [ { "name": "a", "quota": { "f": 6 } } ],
      "queues": [ { "name": "q", "environment": "e", "shares": ["a"] } ],
      "policies": { "it": [ { "rule": "schedule", "algorithm": "quota" } ] },
      "jobs": [ { "name": "out", "work": "2h", "instances": )" + std::to_string(instances) +
                                                                          " } ] }"),
                               ".");
    return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                         [](const Diagnostic& finding) { return finding.code == "W0544"; });
  };
  EXPECT_EQ(in_no_share(R"("instances": 2)", 6), 0);
  EXPECT_EQ(in_no_share(R"("instances": 2)", 7), 1);
  EXPECT_EQ(in_no_share(R"("limits": { "f": 5 })", 3), 0);
  EXPECT_EQ(in_no_share(R"("limits": { "f": 5 })", 4), 1);
  EXPECT_EQ(in_no_share(R"("instances": 20)", 3), 1) << "it is the quota that counts";
}

/// A quota that is raised while another is lowered promises no more than before.
TEST(QueueLints, QuotasMayPromiseTooMuchLater) {
  const auto later = [](const std::string& other) {
    const Loaded loaded = load(SourceFile::from_text("later.jsonc", R"({ "reeve": 1,
      "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
      "fleet": [ { "name": "f", "instance_type": "t", "capacity": 12 } ],
      "platform": { "model": "ideal" },
      "shares": [ { "name": "a", "quota": { "f": 6 },
                    "changes": [ { "at": "1h", "quota": { "f": 9 } } ] },
                  { "name": "b", "quota": { "f": 6 })" + other + R"( } ],
      "queues": [ { "name": "q", "shares": ["a", "b"] } ],
      "policies": { "it": [ { "rule": "schedule", "algorithm": "quota" } ] },
      "jobs": [ { "name": "j", "work": "2h", "queue": "q", "share": "a" } ] })"),
                               ".");
    return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                         [](const auto& finding) { return finding.code == "W0545"; });
  };
  EXPECT_EQ(later(""), 1);
  EXPECT_EQ(later(R"(, "changes": [ { "at": "1h", "quota": { "f": 3 } } ])"), 0);
  EXPECT_EQ(later(R"(, "changes": [ { "at": "2h", "quota": { "f": 3 } } ])"), 1);
}

/// What a share had before the job came is nothing to it.
TEST(QueueLints, AShareMayHaveTooLittleByThen) {
  const auto submitted = [](const std::string& at) {
    const Loaded loaded = load(SourceFile::from_text("by_then.jsonc", R"({ "reeve": 1,
      "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
      "fleet": [ { "name": "f", "instance_type": "t", "capacity": 10 } ],
      "platform": { "model": "ideal" },
      "shares": [ { "name": "a", "quota": { "f": 4 },
                    "changes": [ { "at": "3h", "quota": { "f": 1 } } ] } ],
      "queues": [ { "name": "q", "shares": ["a"] } ],
      "policies": { "it": [ { "rule": "schedule", "algorithm": "quota" } ] },
      "jobs": [ { "name": "j", "work": "2h", "queue": "q", "share": "a", "instances": 2,
                  "submit": ")" + at + "\" } ] }"),
                               ".");
    return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                         [](const auto& finding) { return finding.code == "W0544"; });
  };
  EXPECT_EQ(submitted("2h"), 0);
  EXPECT_EQ(submitted("3h"), 1);
}

TEST(QueueLints, EachPolicyByWhichAJobNeverStartsIsNamedWithWhatItLetsItHave) {
  const Loaded loaded = load(SourceFile::from_text("each.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "f", "instance_type": "t", "capacity": 8 } ],
    "platform": { "model": "ideal" },
    "shares": [ { "name": "a", "quota": { "f": 3 }, "sharing": "lend_and_borrow" },
                { "name": "b", "quota": { "f": 2 }, "sharing": "lend" } ],
    "queues": [ { "name": "q", "shares": ["a", "b"] } ],
    "policies": {
      "quota": [ { "rule": "schedule", "algorithm": "quota" } ],
      "static": [ { "rule": "schedule", "algorithm": "quota",
                    "override": { "sharing": "reserve" } } ],
      "fifo": [ { "rule": "schedule" } ] },
    "jobs": [ { "name": "j", "work": "2h", "queue": "q", "share": "a", "instances": 6 } ] })"),
                             ".");
  const auto found = std::find_if(loaded.warnings.begin(), loaded.warnings.end(),
                                  [](const auto& finding) { return finding.code == "W0544"; });
  ASSERT_NE(found, loaded.warnings.end());
  EXPECT_NE(found->message.find("can have 5 at most"), std::string::npos) << found->message;
  EXPECT_NE(found->label.find(R"(under "quota", "static" (3) it)"), std::string::npos)
      << found->label;
}

TEST(QueueLints, WhatAShareCanHaveIsUpToWhatIsSaidInstead) {
  const std::string wide =
      R"(, { "name": "wide", "work": "2h", "share": "search", "instances": 90 })";
  const std::string narrow =
      R"(, { "name": "narrow", "work": "2h", "share": "ads", "instances": 50 })";
  const auto instead = [](const std::string& sharing) {
    return R"(quota", "override": { "sharing": ")" + sharing + R"(" }, "lowered_quota": "at_once)";
  };
  EXPECT_EQ(findings("W0544", instead("lend_and_borrow"), wide), 0);
  EXPECT_EQ(findings("W0544", instead("lend_and_borrow"), narrow), 0);
  EXPECT_EQ(findings("W0544", instead("reserve"), wide), 1);
  EXPECT_EQ(findings("W0544", instead("lend"), narrow), 1);
}

/// Two shares of five of ten machines, in queues of their own, that have these keys; a job of six.
std::ptrdiff_t apart(const std::string& algorithm, const std::string& one, const std::string& other,
                     int capacity = 10, std::string_view code = "W0544") {
  const Loaded loaded = load(SourceFile::from_text("apart.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "p4", "instance_type": "t", "capacity": )" + std::to_string(capacity) +
                                                                      R"( } ],
    "platform": { "model": "ideal" },
    "environments": [ { "name": "e1", "instances": 10 }, { "name": "e2", "instances": 10 } ],
    "shares": [ { "name": "a", "quota": { "p4": 5 }, "sharing": "lend_and_borrow" },
                { "name": "b", "quota": { "p4": 5 }, "sharing": "lend_and_borrow" } ],
    "queues": [ { "name": "qa", "shares": ["a"], )" + one +
                                                                      R"( },
                { "name": "qb", "shares": ["b"], )" + other +
                                                                      R"( } ],
    "policies": { "it": [ { "rule": "schedule", "algorithm": ")" + algorithm +
                                                                      R"(" } ] },
    "jobs": [ { "name": "six", "work": "2h", "queue": "qa", "share": "a", "instances": 6 } ] })"),
                             ".");
  EXPECT_EQ(loaded.scenario.world.jobs.specs.size(), 1u) << algorithm;
  return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                       [code](const Diagnostic& finding) { return finding.code == code; });
}

TEST(QueueLints, QuotasOfAllQueuesAreWithinTheFleetAndTheirEnvironment) {
  const std::string e1 = R"("environment": "e1")";
  const std::string e2 = R"("environment": "e2")";
  EXPECT_EQ(apart("quota", e1, e2, 10, "W0545"), 0);
  EXPECT_EQ(apart("quota", e1, e2, 9, "W0545"), 1) << "of the fleet";
  EXPECT_EQ(apart("quota", e1, e1, 10, "W0545"), 0) << "10 of 10 in one environment";
}

/// What the second queue on an environment is told, with shares that have this.
std::string of_a_second_queue(const std::string& algorithm, const std::string& share) {
  const Loaded loaded = load(SourceFile::from_text("second.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "p4", "instance_type": "t", "capacity": 10 } ],
    "platform": { "model": "ideal" },
    "environments": [ { "name": "e", "instances": 10 } ],
    "shares": [ { "name": "a", )" + share + R"( }, { "name": "b", )" + share +
                                                                       R"( } ],
    "queues": [ { "name": "qa", "shares": ["a"], "environment": "e" },
                { "name": "qb", "shares": ["b"], "environment": "e" } ],
    "policies": { "it": [ { "rule": "schedule", "algorithm": ")" + algorithm +
                                                                       R"(" } ] },
    "jobs": [ { "name": "j", "work": "2h", "queue": "qa", "share": "a" } ] })"),
                             ".");
  for (const Diagnostic& finding : loaded.warnings) {
    if (finding.code == "W0548") return finding.help;
  }
  return {};
}

TEST(QueueLints, QuotaSharesAloneNeedAnEnvironmentForEachQueue) {
  const std::string one = "with quota shares, AWS Batch allows one queue per environment";
  const std::string first = "the queue with the higher priority is served first";
  EXPECT_EQ(of_a_second_queue("fair_share", R"("weight": 2)"), first);
  EXPECT_EQ(of_a_second_queue("quota", R"("weight": 2)"), one);
  EXPECT_EQ(of_a_second_queue("kueue", R"("quota": { "p4": 5 })"), one);
}

TEST(QueueLints, SharesLendWithinAnEnvironmentAndAPriority) {
  const std::string e1 = R"("environment": "e1")";
  const std::string e2 = R"("environment": "e2")";
  for (const char* const algorithm : {"quota", "kueue", "kueue_fair", "capacity", "kai"}) {
    EXPECT_EQ(apart(algorithm, e1, e1), 0) << algorithm;
    EXPECT_EQ(apart(algorithm, e1, e2), 1) << algorithm;
    EXPECT_EQ(apart(algorithm, R"("priority": 1)", R"("priority": 1)"), 0) << algorithm;
    EXPECT_EQ(apart(algorithm, R"("priority": 1)", R"("priority": 2)"), 1) << algorithm;
  }
  EXPECT_EQ(apart("capacity", e1, e2, 11), 0) << "one machine is nobody's";
  EXPECT_EQ(apart("quota", e1, e2, 11), 1) << "only quotas are lent";
}

TEST(QueueLints, RulesThatTellUsersApartSeeTagsAlone) {
  const std::string with_key = R"(, { "name": "c", "work": "2h", "share": "ads", "owner": "ann" })";
  const std::string with_tag =
      R"(, { "name": "c", "work": "2h", "share": "ads", "tags": { "owner": "ann" } })";
  const std::string with_both = R"(, { "name": "c", "work": "2h", "share": "ads", "owner": "ann",
                                       "tags": { "username": "ann" } })";
  for (const char* const tells : {"multifactor", "capacity"}) {
    EXPECT_EQ(findings("W0570", tells, with_key), 1) << tells;
    EXPECT_EQ(findings("W0570", tells, with_tag), 0) << tells;
    EXPECT_EQ(findings("W0570", tells, with_both), 0) << tells;
  }
  EXPECT_EQ(findings("W0570", "fair_share", with_key), 0);
  const std::string no_limit = R"(capacity", "user_limit": 0, "lowered_quota": "at_once)";
  EXPECT_EQ(findings("W0570", no_limit, with_key), 0);
}

TEST(QueueLints, AShareMayHaveNothingOfWhereItsJobsAreSent) {
  const auto sent = [](const std::string& algorithm, const std::string& quota) {
    const Loaded loaded = load(SourceFile::from_text("sent.jsonc", R"({ "reeve": 1,
      "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
      "fleet": [ { "name": "p4", "instance_type": "t", "capacity": 10 },
                 { "name": "alt", "instance_type": "t", "capacity": 10 } ],
      "shares": [ { "name": "a", "quota": { )" + quota + R"( }, "sharing": "lend_and_borrow" } ],
      "queues": [ { "name": "main", "fleet": "p4", "shares": ["a"] } ],
      "policies": { "it": [ { "rule": "schedule", "algorithm": ")" + algorithm +
                                                                       R"(" },
                            { "rule": "alternatives", "fleets": ["alt"], "after": "20m" } ] },
      "jobs": [ { "name": "x", "work": "2h", "queue": "main", "share": "a" } ] })"),
                               ".");
    return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                         [](const Diagnostic& finding) { return finding.code == "W0544"; });
  };
  EXPECT_EQ(sent("quota", R"("p4": 10)"), 1);
  EXPECT_EQ(sent("quota", R"("p4": 10, "alt": 1)"), 0);
  EXPECT_EQ(sent("kueue", R"("p4": 10)"), 1);
  EXPECT_EQ(sent("capacity", R"("p4": 10)"), 0) << "what is nobody's may be borrowed";
  EXPECT_EQ(sent("fifo", R"("p4": 10)"), 0);
}

TEST(QueueLints, WhatIsOfNobodysQuotaIsThereForSome) {
  const std::string extra =
      R"(, { "name": "extra", "work": "2h", "share": "search", "instances": 110 })";
  for (const char* const all : {"capacity", "kai"}) {
    EXPECT_EQ(findings("W0544", all, extra, 120), 0) << all;
  }
  for (const char* const quotas : {"quota", "kueue"}) {
    EXPECT_EQ(findings("W0544", quotas, extra, 120), 1) << quotas;
  }
}

/// How often it is found of 10 machines in this market, of which two shares have this, and `jobs`.
std::ptrdiff_t uncovered(const std::string& algorithm, const std::string& market,
                         const std::string& quotas, const std::string& jobs = {}) {
  const Loaded loaded = load(SourceFile::from_text("uncovered.jsonc", R"({ "reeve": 1,
    "clock": { "horizon": "9d" },
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "p4", "instance_type": "t", "capacity": 10, "market": ")" +
                                                                          market +
                                                                          R"(" } ],
    "platform": { "model": "ideal" },
    "shares": [ { "name": "a", )" + quotas + R"( }, { "name": "b", )" + quotas +
                                                                          R"( } ],
    "queues": [ { "name": "main", "shares": ["a", "b"] } ],
    "policies": { "it": [ { "rule": "schedule", "algorithm": ")" + algorithm +
                                                                          R"(" } ] },
    "jobs": [ { "name": "j", "work": "2h", "queue": "main", "share": "a" } )" +
                                                                          jobs + " ] }"),
                             ".");
  return std::count_if(loaded.warnings.begin(), loaded.warnings.end(), [](const auto& finding) {
    return finding.code == "W0559" && finding.message == "2 instances of fleet \"p4\" in no quota";
  });
}

TEST(QueueLints, ReservedMachinesThatNoQuotaCoversAreOfNoUseToShares) {
  const std::string four = R"("quota": { "p4": 4 })";
  const std::string five = R"("quota": { "p4": 5 })";
  const std::string borrows = R"("quota": { "p4": 4 }, "sharing": "lend_and_borrow")";
  for (const char* const keeps : {"quota", "kueue", "kueue_fair"}) {
    EXPECT_EQ(uncovered(keeps, "reserved", four), 1) << keeps;
    EXPECT_EQ(uncovered(keeps, "reserved", borrows), 1) << keeps << ": only quotas are lent";
    EXPECT_EQ(uncovered(keeps, "reserved", five), 0) << keeps;
  }
  for (const char* const other : {"capacity", "kai", "fifo", "fair_share"}) {
    EXPECT_EQ(uncovered(other, "reserved", four), 0) << other;
  }
  EXPECT_EQ(uncovered("quota", "on_demand", four), 0) << "they cost nothing";
  const std::string later = four + R"(, "changes": [ { "at": "1h", "quota": { "p4": 5 } } ])";
  EXPECT_EQ(uncovered("quota", "reserved", later), 0) << "some time they are covered";
  EXPECT_EQ(uncovered("quota", "reserved", four, R"(, { "name": "k", "work": "2h" })"), 0)
      << "a job in no share has them";
}

/// Of ten machines, with these options of `schedule`, these further rules, and these jobs of two
/// shares.
std::ptrdiff_t reserved(const std::string& options, const std::string& jobs,
                        const std::string& rules = {}) {
  const Loaded loaded = load(SourceFile::from_text("reserved.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "p4", "instance_type": "t", "capacity": 10 },
               { "name": "more", "instance_type": "t", "capacity": 100 } ],
    "platform": { "model": "ideal" },
    "environments": [ { "name": "e", "limits": { "p4": 8 } } ],
    "shares": [ { "name": "a" }, { "name": "b" }, { "name": "c" } ],
    "queues": [ { "name": "main", "fleet": "p4", "shares": ["a", "b"] },
                { "name": "apart", "fleet": "p4", "shares": ["c"], "environment": "e" } ],
    "job_defaults": { "queue": "main", "work": "1h" },
    "policies": { "it": [ { "rule": "schedule", )" + options + " }" + rules +
                                                                         R"( ] },
    "jobs": [ )" + jobs + " ] }"),
                             ".");
  EXPECT_FALSE(loaded.scenario.world.jobs.specs.empty()) << options;
  return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                       [](const auto& finding) { return finding.code == "W0544"; });
}

TEST(QueueLints, WhatIsKeptForOtherSharesNobodyHas) {
  const std::string half = R"("algorithm": "fair_share", "compute_reservation": 50)";
  const std::string six = R"({ "name": "six", "share": "a", "instances": 6 })";
  EXPECT_EQ(reserved(half, six), 1);
  EXPECT_EQ(reserved(R"("algorithm": "max_min", "compute_reservation": 50)", six), 1);
  EXPECT_EQ(reserved(R"("algorithm": "drf", "compute_reservation": 50)", six), 1);
  EXPECT_EQ(reserved(R"("algorithm": "fifo", "compute_reservation": 50)", six), 0);
  EXPECT_EQ(reserved(R"("algorithm": "fair_share", "compute_reservation": 40)", six), 0);
  EXPECT_EQ(reserved(half, R"({ "name": "five", "share": "a", "instances": 5 })"), 0);
  EXPECT_EQ(reserved(half, six + R"(, { "name": "one", "share": "b" })"), 0)
      << "a quarter where two are active";
  const std::string apart = R"({ "name": "four", "queue": "apart", "share": "c", "instances": )";
  EXPECT_EQ(reserved(half, six + ", " + apart + "4 }"), 1) << "another environment is by itself";
  EXPECT_EQ(reserved(half, apart + "4 }"), 0);
  EXPECT_EQ(reserved(half, apart + "5 }"), 1) << "half of what its environment may have";
  EXPECT_EQ(reserved(half, six, R"(, { "rule": "alternatives", "fleets": ["more"] })"), 0)
      << "it may start there";
}

std::ptrdiff_t whole(const std::string& rules, const std::string& jobs) {
  const Loaded loaded = load(SourceFile::from_text("whole.jsonc", R"({ "reeve": 1,
    "clock": { "horizon": "9d" },
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "p4", "instance_type": "t", "capacity": 10 } ],
    "platform": { "model": "ec2" },
    "policies": { "it": [ )" + rules + R"( ] }, )" + jobs + " }"),
                             ".");
  return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                       [](const auto& finding) { return finding.code == "W0560"; });
}

TEST(QueueLints, GangsThatAreScheduledStartWhole) {
  const std::string small =
      R"("jobs": [ { "name": "j", "work": "1h", "instances": 4, "min_instances": 3 } ])";
  EXPECT_EQ(whole(R"({ "rule": "schedule" })", small), 1);
  EXPECT_EQ(whole(R"({ "rule": "schedule", "algorithm": "las" })", small), 1);
  EXPECT_EQ(whole(R"({ "rule": "schedule", "mode": "shadow" })", small), 0);
  EXPECT_EQ(whole("", small), 0);
  EXPECT_EQ(
      whole(R"({ "rule": "schedule" })",
            R"("jobs": [ { "name": "j", "work": "1h", "instances": 4, "min_instances": 4 } ])"),
      0);
  const auto drawn = [](const std::string& instances) {
    return R"("workload": { "jobs": 9, "arrivals": { "process": "poisson", "gap": "1h" },
      "work": "1h", "min_instances": 2, "instances": )" +
           instances + " }";
  };
  EXPECT_EQ(whole(R"({ "rule": "schedule" })", drawn(R"({ "2": 1, "4": 1 })")), 1);
  EXPECT_EQ(whole(R"({ "rule": "schedule" })", drawn("2")), 0);
}

/// Jobs of a trace or drawn that take turns, with this work and these keys.
std::ptrdiff_t turns(const std::string& rule, const std::string& work, const std::string& keys,
                     const std::string& platform = R"("model": "ideal")") {
  const Loaded loaded = load(SourceFile::from_text("turns.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "p4", "instance_type": "t", "capacity": 10 } ],
    "platform": { )" + platform + R"( },
    "queues": [ { "name": "main" } ],
    "policies": { "it": [ { "rule": "schedule", )" + rule + R"( } ] },
    "workload": { "jobs": 9, "queue": "main", "arrivals": { "process": "poisson", "gap": "1h" },
      "work": )" + work + keys + " } }"),
                             ".");
  return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                       [](const auto& finding) { return finding.code == "W0555"; });
}

TEST(QueueLints, DrawnJobsMayLoseAllOfEachTurn) {
  const std::string rounds = R"("algorithm": "gavel", "round": "10m")";
  EXPECT_EQ(turns(rounds, R"("2h")", ""), 1);
  EXPECT_EQ(turns(rounds, R"("9m")", ""), 0);
  EXPECT_EQ(turns(rounds, R"({ "uniform": ["1m", "9m"] })", ""), 0);
  EXPECT_EQ(turns(rounds, R"({ "uniform": ["1m", "11m"] })", ""), 1);
  EXPECT_EQ(turns(rounds, R"({ "exponential": "1h" })", R"(, "checkpoint": { "every": "5m" })"), 0);
  EXPECT_EQ(turns(R"("algorithm": "las")", R"("2h")", ""), 0);
}

/// 3,600 GPU s are 7 min 30 s of 8 GPUs.
TEST(QueueLints, JobsThatBeginAnewMayLoseAllOfEachTurn) {
  const std::string promotes = R"("algorithm": "las", "las_promote": 8)";
  EXPECT_EQ(turns(promotes, R"("2h")", R"(, "checkpoint": { "every": "10m" })"), 1);
  EXPECT_EQ(turns(promotes, R"("2h")", R"(, "checkpoint": { "every": "5m" })"), 0);
  EXPECT_EQ(turns(promotes, R"("2h")", R"(, "instances": 2, "checkpoint": { "every": "5m" })"), 1);
  const std::string long_turns = promotes + R"(, "las_limits": [36000])";
  EXPECT_EQ(turns(long_turns, R"("2h")", R"(, "checkpoint": { "every": "10m" })"), 0);
}

/// Saves after so much work, each with these keys, in turns of an hour.
std::ptrdiff_t turns_of_an_hour(const std::string& every, const std::string& keys = {},
                                const std::string& platform = R"("model": "ideal")") {
  return turns(R"("algorithm": "themis", "lease": "1h")", R"("9h")",
               R"(, "checkpoint": { "every": ")" + every + '"' + keys + " }", platform);
}

TEST(QueueLints, ACheckpointAtTheVeryEndOfATurnIsKept) {
  EXPECT_EQ(turns_of_an_hour("1h"), 0);
  EXPECT_EQ(turns_of_an_hour("61m"), 1);
  EXPECT_EQ(turns_of_an_hour("59m", R"(, "cost": "1m")"), 0);
  EXPECT_EQ(turns_of_an_hour("59m", R"(, "cost": "61s")"), 1);
  EXPECT_EQ(turns_of_an_hour("1h", R"(, "size": 60, "upload": 0.1)"), 0)
      << "an orderly end lets it finish";
  EXPECT_EQ(turns_of_an_hour("1h", R"(, "sync": "at_end")"), 0) << "likewise";
  EXPECT_EQ(turns_of_an_hour("30m", R"(, "sync": "none")"), 1);
}

TEST(QueueLints, AStartTakesPartOfATurn) {
  const std::string managed =
      R"("model": "sagemaker-training", "startup": "5m", "stop_grace": "1m")";
  EXPECT_EQ(turns_of_an_hour("55m", "", managed), 0);
  EXPECT_EQ(turns_of_an_hour("56m", "", managed), 1);
  EXPECT_EQ(turns_of_an_hour("50m", R"(, "size": 60, "restore": 0.2)", managed), 0);
  EXPECT_EQ(turns_of_an_hour("51m", R"(, "size": 60, "restore": 0.2)", managed), 1)
      << "what follows reads it first";
  EXPECT_EQ(turns_of_an_hour("9h", R"(, "on_stop": { "save": "1m" })", managed), 0);
  EXPECT_EQ(turns_of_an_hour("9h", R"(, "on_stop": { "save": "2m" })", managed), 1);
  EXPECT_EQ(turns_of_an_hour("5m", "", R"("model": "sagemaker-training", "startup": "1h")"), 1);
  EXPECT_EQ(turns_of_an_hour("59m", "", R"("model": "ec2")"), 0);
  EXPECT_EQ(turns_of_an_hour("1h", "", R"("model": "ec2")"), 1) << "a minute of provisioning";
}

}  // namespace queue_lints_test
}  // namespace reeve::scenarios
