// What tests of doubtful queues share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace queue_lints_test {

inline std::ptrdiff_t findings(std::string_view code, const std::string& algorithm,
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

/// Two shares of five of ten machines, in queues of their own, that have these keys; a job of six.
inline std::ptrdiff_t apart(const std::string& algorithm, const std::string& one,
                            const std::string& other, int capacity = 10,
                            std::string_view code = "W0544") {
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

}  // namespace queue_lints_test
}  // namespace reeve::scenarios
