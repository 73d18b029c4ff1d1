// What is doubtful about queues is doubtful under some algorithms and not under others.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace {

std::ptrdiff_t findings(std::string_view code, const std::string& algorithm) {
  const Loaded loaded = load(SourceFile::from_text("queues.jsonc", R"({ "reeve": 1,
    "prices": { "instances": { "t": { "usd_per_hour": 30, "gpus": 8 } } },
    "fleet": [ { "name": "p4", "instance_type": "t", "capacity": 100 } ],
    "platform": { "model": "ideal" },
    "shares": [ { "name": "search", "quota": { "p4": 60 } },
                { "name": "ads", "quota": { "p4": 40 } } ],
    "queues": [ { "name": "main", "shares": ["search", "ads"] } ],
    "job_defaults": { "queue": "main" },
    "policies": { "it": [ { "rule": "schedule", "algorithm": ")" + algorithm +
                                                                       R"(" } ] },
    "jobs": [ { "name": "a", "work": "2h", "share": "search", "priority": 5 },
              { "name": "b", "work": "2h", "share": "ads", "priority": 1 } ] })"),
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

}  // namespace
}  // namespace reeve::scenarios
