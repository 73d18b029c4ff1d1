// What tests of defects share: a scenario of one job, and the codes of the lints that it has.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace defects_test {

/// What of a scenario a case is about; the rest is the same for all.
struct Said {
  std::string rules = {};
  std::string platform = R"("model": "sagemaker-training")";
  std::string job = {};                    ///< keys of the job
  std::string fleet = R"("capacity": 8)";  ///< keys of the fleet
};

struct Defect {
  int number = 0;
  std::string code;
  Said broken;
  Said mended;
};

inline std::vector<std::string> codes_of(const Said& said) {
  const std::string text =
      R"({ "reeve": 1, "name": "defect", "clock": { "horizon": "9d" },
    "prices": { "instances":
      { "demo": { "usd_per_hour": 30, "spot_usd_per_hour": 9, "gpus": 8 } } },
    "platform": { )" +
      said.platform + R"( }, "fleet": [ { "name": "pool", "instance_type": "demo", )" + said.fleet +
      R"( } ], "jobs": [ { "instances": 8, )" +
      (said.job.find("\"work\"") == std::string::npos ? R"("work": "5h", )" : "") +
      (said.job.find("\"name\"") == std::string::npos ? R"("name": "train", )" : "") + said.job +
      R"( } ], "policies": { "p": [ )" + said.rules + " ] } }";
  std::vector<std::string> codes;
  for (const Diagnostic& found : load(SourceFile::from_text("defect.jsonc", text), ".").warnings) {
    codes.emplace_back(found.code);
  }
  return codes;
}

inline const std::string ec2 = R"("model": "ec2")";
inline const std::string spot =
    R"("capacity": 8, "market": "spot", "reclaim": { "every": "5h", "away": "1h" })";
inline const std::string hooked =
    R"("checkpoint": { "every": "1h", "on_notice": { "save": "90s" } })";

/// Nothing but its limit, of a day by AWS's default, ends it.
inline const std::string it_stands = R"("faults": [ { "at": "1h", "kind": "stall" } ])";

/// It stands still, and nothing is told of its GPUs.
inline const std::string unseen = R"("faults": [ { "at": "1h", "kind": "metrics_lost" },
                                          { "at": "2h", "kind": "stall" } ])";

/// A host stands still that has no metrics any more.
inline const std::string gone = R"("faults": [ { "at": "1h", "kind": "metrics_lost", "hosts": [5] },
                                        { "at": "2h", "kind": "stall", "hosts": [5] } ])";

/// A rule that is stated, and stops when the alarm goes off that is described so.
Said by_alarm(const std::string& with, const std::string& job) {
  return {.rules = R"({ "rule": "rule", "name": "still", "do": "stop", "alarm": { )" + with +
                   R"( }, "when": { "field": "alarm", "op": "==", "value": "alarm" } })",
          .job = job};
}

inline std::string cloned_when(const std::string& when) {
  return R"({ "rule": "rule", "name": "again", "do": "clone", "when": )" + when + " }";
}

inline const std::string it_fails = R"({ "field": "status", "op": "==", "value": "Failed" })";

inline bool tells(const std::string& code, const Said& said) {
  const std::vector<std::string> codes = codes_of(said);
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

inline void expect_each(const std::vector<Defect>& all) {
  for (const Defect& defect : all) {
    EXPECT_TRUE(tells(defect.code, defect.broken)) << defect.number << defect.broken.rules;
    EXPECT_FALSE(tells(defect.code, defect.mended)) << defect.number << defect.mended.rules;
  }
}

inline const std::string of_a = R"("tags": { "project": "a" })";
inline const std::string for_a = R"(, "scope": { "tags": ["project=a"] })";
/// Some job has that tag, or the scope would be doubtful itself.
inline const std::string for_b = R"(, "scope": { "tags": ["project=b"] })";

/// A fleet of which that share of what breaks only hangs.
inline std::string hang(const std::string& share) {
  return R"("capacity": 8, "node_faults": { "per_1000_node_days": 30, "hangs": )" + share + " }";
}

}  // namespace defects_test
}  // namespace reeve::scenarios
