// Quotas of shares that promise too much, too little, or nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "scenarios/load.hpp"
#include "tests/unit/scenarios/queue_cases.hpp"

namespace reeve::scenarios {
namespace queue_lints_test {

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

}  // namespace queue_lints_test
}  // namespace reeve::scenarios
