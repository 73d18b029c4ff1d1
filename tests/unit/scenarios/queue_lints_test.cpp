// What is doubtful about queues is doubtful under some algorithms and not under others.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace {

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

}  // namespace
}  // namespace reeve::scenarios
