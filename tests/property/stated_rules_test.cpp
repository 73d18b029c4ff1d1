// Rules that a scenario states decide as those that are written in C++ do: in every world, to the
// nanosecond.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/load.hpp"
#include "tests/property/journaled_run.hpp"
#include "tests/property/random_scenario.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace {

/// The same handlers twice, under the same names, for the same world.
struct Twins {
  std::string coded;
  std::string stated;
};

class TwinRules : private DrawnText {
 public:
  explicit TwinRules(std::uint64_t seed) : DrawnText{seed, 5} {}

  /// Each of them in some of the worlds, in an order of its own by priority.
  Twins text() {
    judge_starts();
    watch_clocks();
    resume();
    return std::move(both_);
  }

 private:
  static constexpr const char* started =
      R"({ "field": "time_since_start", "op": "exists" },
         { "field": "primary_status", "op": "==", "value": "InProgress" })";

  void add(const std::string& name, const std::string& coded, const std::string& stated) {
    const std::string ends =
        fmt::format(", \"name\": \"{}\", \"priority\": {}, \"mode\": \"{}\" }},\n", name,
                    between(0, 3), pick({"enforce", "enforce", "enforce", "warn", "shadow"}));
    both_.coded += "{ " + coded + ends;
    both_.stated += "{ \"rule\": \"rule\", " + stated + ends;
  }

  void judge_starts() {
    if (chance(0.7)) {
      const std::string action{pick({"stop", "notify"})};
      add("tags",
          fmt::format(R"("rule": "required_tags", "keys": ["username", "team"], "action": "{}")",
                      action),
          fmt::format(R"("when": {{ "all": [ {}, {{ "any": [
              {{ "not": {{ "field": "tag:username", "op": "exists" }} }},
              {{ "not": {{ "field": "tag:team", "op": "exists" }} }} ] }} ] }}, "do": "{}")",
                      started, action));
    }
    if (chance(0.5)) {
      const std::uint64_t limit = between(1, 6);
      add("size", fmt::format(R"("rule": "max_instances", "limit": {})", limit),
          fmt::format(R"("when": {{ "all": [ {},
              {{ "field": "instances", "op": ">", "value": {} }} ] }}, "do": "stop")",
                      started, limit));
    }
    if (chance(0.4)) {
      add("types", R"("rule": "allowed_types", "allow": ["b*", "s*"], "deny": ["small"])",
          fmt::format(R"("when": {{ "all": [ {}, {{ "not": {{ "all": [
              {{ "field": "instance_type", "op": "matches", "value": "b.*|s.*" }},
              {{ "field": "instance_type", "op": "!=", "value": "small" }} ] }} }} ] }},
              "do": "stop")",
                      started));
    }
  }

  void watch_clocks() {
    if (chance(0.6)) {
      const std::uint64_t limit = between(10, 1'000);
      add("cap",
          fmt::format(R"("rule": "max_runtime", "limit": "{}m", "enforce_by": "clock")", limit),
          fmt::format(R"("when": {{ "all": [
              {{ "field": "status", "op": "in",
                 "value": ["Pending", "Starting", "Downloading", "Training", "Interrupted"] }},
              {{ "field": "training_time", "op": ">=", "value": "{}m" }},
              {{ "any": [ {{ "field": "attempt", "op": "==", "value": 1 }},
                          {{ "field": "origin", "op": "==", "value": "rule" }} ] }} ] }},
              "do": "stop")",
                      limit));
    }
    if (chance(0.6)) {
      const std::uint64_t limit = between(1, 3'000);
      add("start", fmt::format(R"("rule": "startup_limit", "limit": "{}s")", limit),
          fmt::format(R"("when": {{ "field": "startup_time", "op": ">=", "value": "{}s" }},
              "do": "stop")",
                      limit));
    }
  }

  void resume() {
    if (!chance(0.8)) return;
    const std::uint64_t least = between(0, 300);
    const std::uint64_t most = between(0, 4);
    const std::string_view from = pick({"last_checkpoint", "last_checkpoint", "scratch"});
    const std::string_view tags = chance(0.8) ? "true" : "false";
    add("resume",
        fmt::format(R"("rule": "resume", "when": ["failed"], "min_runtime": "{}m",
            "max_resumes": {}, "from": "{}", "keep_tags": {})",
                    least, most, from, tags),
        fmt::format(R"("when": {{ "all": [ {{ "field": "status", "op": "==", "value": "Failed" }},
            {{ "field": "training_time", "op": ">=", "value": "{}m" }} ] }},
            "do": "clone", "max_clones": {}, "from": "{}", "keep_tags": {})",
                    least, most, from, tags));
  }

  Twins both_;
};

/// The world of the seed with the two policies instead of its own.
scenarios::Scenario world_with(const Twins& rules, std::uint64_t seed) {
  std::string text = RandomScenario{seed}.text();
  text.erase(text.rfind("\"policies\":"));
  text += "\"policies\": { \"coded\": [ " + rules.coded + " ], \"stated\": [ " + rules.stated +
          " ] } }";
  return scenarios::load(scenarios::SourceFile::from_text("random.jsonc", text), ".").scenario;
}

/// What was decided and what became of it, each with its instant; without the words of reasons.
std::vector<std::string> decided(const std::string& journal) {
  std::vector<std::string> lines;
  std::istringstream in{journal};
  std::string now;
  for (std::string line; std::getline(in, line);) {
    const std::string word = line.substr(0, line.find(' '));
    if (word == "step") now = line.substr(0, line.find(' ', 5));
    const bool told = word == "accept" || word == "refuse" || word == "shadow" || word == "warn" ||
                      word == "attempt" || word == "settle";
    if (!told) continue;
    const std::size_t reason = line.find(" reason=\"");
    if (reason != std::string::npos) {
      const std::size_t end = line.find('"', reason + 9);
      line.erase(reason, end + 1 - reason);
    }
    lines.push_back(now + ": " + line);
  }
  return lines;
}

class StatedRules : public EachSeed {};

TEST_F(StatedRules, DecideAsRulesOfTheSameMeaningInCode) {
  std::size_t compared = 0;
  std::size_t clones = 0;
  each_seed([&](std::uint64_t seed) {
    const Twins rules = TwinRules{seed}.text();
    SCOPED_TRACE(rules.coded);
    const auto scenario = world_with(rules, seed);
    const Taped coded = run_taped(scenario, scenario.policies.at(0));
    const Taped stated = run_taped(scenario, scenario.policies.at(1));
    const std::vector<std::string> expected = decided(coded.journal);
    const std::vector<std::string> found = decided(stated.journal);
    for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
      ASSERT_EQ(expected[i], found[i]);
      if (expected[i].find("clone") != std::string::npos) ++clones;
    }
    ASSERT_EQ(expected.size(), found.size());
    EXPECT_TRUE(coded.result.record.ledger.billed() == stated.result.record.ledger.billed());
    EXPECT_TRUE(stated.result.record.ledger.residual() == 0);
    compared += expected.size();
  });
  EXPECT_GT(compared, 0u) << "nothing was decided: nothing was examined";
  EXPECT_GT(clones, 0u);
}

}  // namespace
}  // namespace reeve::tests
