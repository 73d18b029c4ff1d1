// What tests of the rule `rule` share.
#pragma once

#include <cstdint>
#include <string>

#include "tests/rules/rule_bench.hpp"

namespace reeve::policies {
namespace rule_test {

inline constexpr JobId kJob{1};

inline std::string stated(const std::string& when, const std::string& rest = R"("do": "stop")") {
  return R"({"when": )" + when + ", " + rest + "}";
}

struct StatedBench : RuleBench {
  explicit StatedBench(const std::string& when, const std::string& rest = R"("do": "stop")")
      : RuleBench{"rule", stated(when, rest)} {}
};

inline const std::string kStarted =
    R"({"field": "status", "op": "in", "value": ["Starting", "Training"]})";
inline const std::string kNoTeam =
    R"({"all": [)" + kStarted + R"(, {"not": {"field": "tag:team", "op": "exists"}}]})";

inline Fact alarm(AlarmState state, std::uint32_t host = 1) {
  return AlarmChanged{{kJob, host, static_cast<std::uint16_t>(kOwnSeat.index)}, 1, state};
}

}  // namespace rule_test
}  // namespace reeve::policies
