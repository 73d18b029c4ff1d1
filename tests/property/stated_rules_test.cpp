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
namespace stated_rules_test {

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
    watch_gpus();
    wait_no_longer();
    return std::move(both_);
  }

  /// What looks for stalls and may only warn of them.
  Twins warn_of_stalls() {
    add_gpu_watch("warn");
    return std::move(both_);
  }

  /// The one rule that does two things is two that do one.
  Twins leave_spot() {
    const std::uint64_t most = between(0, 3);
    const std::string_view market = pick({"on_demand", "on_demand", "reserved"});
    const bool keeps = chance(0.7);
    const bool in_vain = chance(0.6);
    const std::string ends = mode_of(pick({"enforce", "enforce", "enforce", "warn", "shadow"}));
    const std::string elsewhere = fmt::format(
        R"({{ "field": "market", "op": "==", "value": "spot" }},
           {{ "field": "{}_fleet", "op": "exists" }})",
        market);
    both_.coded = fmt::format(
        R"({{ "rule": "spot_fallback", "interruptions_above": {}, "market": "{}",
              "clone_keeps_checkpoint": {}, "after_max_wait": {}{})",
        most, market, keeps, in_vain, ends);
    both_.stated = fmt::format(
        R"({{ "rule": "rule", "name": "leave", "when": {{ "all": [ {},
              {{ "field": "primary_status", "op": "==", "value": "InProgress" }},
              {{ "field": "interruptions", "op": ">", "value": {} }} ] }}, "do": "stop"{})",
        elsewhere, most, ends);
    const std::string_view waited =
        R"(, { "field": "status", "op": "==", "value": "MaxWaitTimeExceeded" })";
    both_.stated += fmt::format(
        R"(, {{ "rule": "rule", "name": "go-on", "when": {{ "all": [ {},
              {{ "field": "primary_status", "op": "==", "value": "Stopped" }}, {{ "any": [
              {{ "field": "stopped_by_name", "op": "==", "value": "leave" }}{} ] }} ] }},
              "do": "clone", "max_clones": -1, "from": "{}", "override": {{ "market": "{}" }}{})",
        elsewhere, in_vain ? waited : "", keeps ? "last_checkpoint" : "scratch", market, ends);
    return std::move(both_);
  }

 private:
  static std::string mode_of(std::string_view mode) {
    return fmt::format(R"(, "mode": "{}" }})", mode);
  }

  static constexpr const char* started =
      R"({ "field": "time_since_start", "op": "exists" },
         { "field": "primary_status", "op": "==", "value": "InProgress" })";

  void add(const std::string& name, const std::string& coded, const std::string& stated) {
    const std::uint64_t priority = between(0, 3);
    add(name, coded, stated, priority, pick({"enforce", "enforce", "enforce", "warn", "shadow"}));
  }

  void add(const std::string& name, const std::string& coded, const std::string& stated,
           std::uint64_t priority, std::string_view mode) {
    const std::string ends = fmt::format(
        ", \"name\": \"{}\", \"priority\": {}, \"mode\": \"{}\" }},\n", name, priority, mode);
    both_.coded += "{ " + coded + ends;
    both_.stated += "{ \"rule\": \"rule\", " + stated + ends;
  }

  void judge_starts() {
    if (chance(0.7)) {
      const std::string action{pick({"stop", "notify"})};
      const bool late = chance(0.5) && action == "stop";  // who is over is not told of any more
      const std::uint64_t latency = late ? between(0, 90) : 0;
      add("tags",
          fmt::format(R"("rule": "required_tags", "keys": ["username", "team"], "action": "{}",
              "latency": "{}s")",
                      action, latency),
          fmt::format(R"("when": {{ "all": [ {}, {{ "any": [
              {{ "not": {{ "field": "tag:username", "op": "exists" }} }},
              {{ "not": {{ "field": "tag:team", "op": "exists" }} }} ] }} ] }}, "do": "{}",
              "latency": "{}s")",
                      started, action, latency));
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
              "do": "stop", "accuses": "never_starting")",
                      limit));
    }
  }

  /// What waited for machines for too long is asked for elsewhere.
  void wait_no_longer() {
    if (!chance(0.5)) return;
    const std::uint64_t most = between(0, 3);
    add("in-vain",
        fmt::format(R"("rule": "resume", "when": ["max_wait_time_exceeded"], "min_runtime": "0s",
            "max_resumes": {}, "override": {{ "fleet": "a" }})",
                    most),
        fmt::format(R"("when": {{ "field": "status", "op": "==", "value": "MaxWaitTimeExceeded" }},
            "do": "clone", "max_clones": {}, "override": {{ "fleet": "a" }})",
                    most));
  }

  void watch_gpus() {
    if (chance(0.6)) add_gpu_watch({});
  }

  /// `mode`: empty: any.
  void add_gpu_watch(std::string_view mode) {
    const std::uint64_t n = between(1, 4);
    const std::uint64_t m = between(1, n);
    const std::uint64_t delay = chance(0.3) ? between(1, 90) : 0;
    std::string alarm =
        Written{
            R"("period": "{}m", "datapoints": [{}, {}], "threshold": {}, "compare": "{}",
           "scale": "{}", "missing": "{}", "window": "{}", "statistic": "{}", "hosts": [{}],
           "match": "{}", "arm_delay": "{}m", "reset_on_new_attempt": {})",
            pick({"1", "5", "60"}),
            m,
            n,
            between(0, 50),
            pick({"<", "<="}),
            pick({"sum", "sum", "per_gpu"}),
            pick({"missing", "ignore", "breaching", "notBreaching"}),
            pick({"sliding", "wall_clock"}),
            pick({"average", "minimum", "maximum"}),
            pick({"\"algo-1\"", "\"all\"", "\"algo-1\", \"algo-2\""}),
            pick({"any", "all"}),
            delay,
            chance(0.5)}
            .text;
    if (chance(0.2)) alarm += R"(, "disarm_on": ["Completed", "Failed", "Stopped"])";
    const std::uint64_t latency = chance(0.5) ? between(1, 90) : 0;
    const std::string coded = fmt::format(
        R"("rule": "stalled_gpu", {}, "action": {{ "latency": "{}s" }})", alarm, latency);
    const std::string stated =
        fmt::format(R"("alarm": {{ {} }}, "latency": "{}s", "do": "stop", "when": {{ "all": [
            {{ "field": "alarm", "op": "==", "value": "alarm" }},
            {{ "field": "primary_status", "op": "==", "value": "InProgress" }} ] }})",
                    alarm, latency);
    if (mode.empty()) return add("gpus", coded, stated);
    add("gpus", coded, stated, 0, mode);
  }

  void resume() {
    if (!chance(0.8)) return;
    const std::uint64_t least = between(0, 300);
    const std::uint64_t most = between(0, 4);
    const std::string_view from = pick({"last_checkpoint", "last_checkpoint", "scratch"});
    const std::string_view tags = chance(0.8) ? "true" : "false";
    const std::uint64_t sure = chance(0.5) ? between(0, 100) : 0;
    const std::string terms = clone_terms();
    add("resume",
        fmt::format(R"("rule": "resume", "when": ["failed"], "min_runtime": "{}m",
            "max_resumes": {}, "from": "{}", "keep_tags": {}, "min_confidence": {:.2f}{})",
                    least, most, from, tags, static_cast<double>(sure) / 100, terms),
        fmt::format(R"("when": {{ "all": [ {{ "field": "status", "op": "==", "value": "Failed" }},
            {{ "field": "training_time", "op": ">=", "value": "{}m" }},
            {{ "field": "confidence_pct", "op": ">=", "value": {} }} ] }},
            "do": "clone", "max_clones": {}, "from": "{}", "keep_tags": {}{})",
                    least, sure, most, from, tags, terms));
  }

  /// What both say of their clones in the same words: back-off, what is overridden, what is lost.
  std::string clone_terms() {
    std::string terms;
    if (chance(0.5)) terms += fmt::format(R"(, "backoff": "{}m")", between(1, 300));
    std::string other;
    if (chance(0.4)) other += fmt::format(R"("max_runtime": "{}m")", between(10, 2'000));
    if (chance(0.3)) {
      const std::string_view type = pick({"big", "small"});
      other += fmt::format(R"({}"instance_type": "{}")", other.empty() ? "" : ", ", type);
    }
    if (!other.empty()) terms += R"(, "override": { )" + other + " }";
    if (chance(0.4)) {
      const std::string_view lost =
          pick({R"("CheckpointConfig")", R"("InputDataConfig")", R"("VpcConfig", "Environment")",
                R"("RetryStrategy")", R"("Tags")"});
      terms += fmt::format(R"(, "loses": [{}])", lost);
    }
    if (chance(0.2)) terms += R"(, "naming": "appended")";
    return terms;
  }

  Twins both_;
};

/// The world of the seed with the two policies instead of its own.
scenarios::Scenario world_with(const Twins& rules, std::uint64_t seed, Leaning leaning,
                               std::string_view kill_switch = {}) {
  std::string text = RandomScenario{seed, 1, leaning}.text();
  text.erase(text.rfind("\"policies\":"));
  if (text.find("\"kill_switch\":") == std::string::npos) text += kill_switch;
  // Two rules may do twice as much as one.
  const auto leave_out = [&](std::string_view guard, std::string_view end) {
    const std::size_t at = text.find(guard);
    if (at != std::string::npos) text.erase(at, text.find(end, at) + end.size() - at);
  };
  leave_out("\"actions_per_rule_per_day\":", ", ");
  leave_out("\"canary\":", "}, ");
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
    lines.push_back(now + ": " + without_texts(without_texts(line, "reason"), "basis"));
  }
  return lines;
}

/// Those of them that are about one verb, wherever the seats and whatever the numbers of actions.
std::vector<std::string> about(std::string_view verb, const std::vector<std::string>& lines) {
  std::vector<std::string> found;
  for (std::string line : lines) {
    if (line.find(verb) == std::string::npos) continue;
    for (const std::string_view field : {" action=", " seat=", " winner="}) {
      const std::size_t begin = line.find(field);
      if (begin == std::string::npos) continue;
      line.erase(begin, line.find(' ', begin + 1) - begin);
    }
    found.push_back(std::move(line));
  }
  return found;
}

/// What each of the two decides in the world of the seed; both must cost the same.
struct BothDecided {
  std::vector<std::string> coded;
  std::vector<std::string> stated;
};

BothDecided decided_by(const Twins& rules, std::uint64_t seed, Leaning leaning,
                       std::string_view kill_switch = {}) {
  const auto scenario = world_with(rules, seed, leaning, kill_switch);
  const Taped coded = run_taped(scenario, scenario.policies.at(0));
  const Taped stated = run_taped(scenario, scenario.policies.at(1));
  EXPECT_TRUE(coded.result.record.ledger.billed() == stated.result.record.ledger.billed());
  EXPECT_TRUE(stated.result.record.ledger.residual() == 0);
  return {decided(coded.journal), decided(stated.journal)};
}

/// Two rules that a count keeps back wait in two queues, and one rule in one: whose turn it is then
/// differs.
bool any_kept_by_a_count(const std::vector<std::string>& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    return line.find("_per_hour\"") != std::string::npos;
  });
}

class StatedRules : public EachSeed {};

TEST_F(StatedRules, DecideAsRulesOfTheSameMeaningInCode) {
  std::size_t compared = 0;
  std::size_t clones = 0;
  each_seed([&](std::uint64_t seed) {
    const Twins rules = TwinRules{seed}.text();
    SCOPED_TRACE(rules.coded);
    const auto [expected, found] = decided_by(rules, seed, Leaning::none);
    for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
      ASSERT_EQ(expected[i], found[i]);
      if (expected[i].find("clone") != std::string::npos) ++clones;
    }
    ASSERT_EQ(expected.size(), found.size());
    compared += expected.size();
  });
  EXPECT_GT(compared, 0u) << "nothing was decided: nothing was examined";
  EXPECT_GT(clones, 0u);
}

// A message that is on its way when the switch is engaged is given up, and so is each that follows.
TEST_F(StatedRules, WarnOfStallsAgainAtTheReleaseOfTheKillSwitch) {
  std::string engaged;  // three hours in each four
  for (int hour = 1; hour < 200; hour += 4) {
    engaged += fmt::format(R"({}["{}h", "{}h"])", engaged.empty() ? "" : ", ", hour, hour + 3);
  }
  const std::string kill_switch = R"("kill_switch": { "engaged": [)" + engaged + "] }, ";
  std::size_t warned = 0;
  std::size_t given_up = 0;
  each_seed([&](std::uint64_t seed) {
    const Twins rules = TwinRules{seed}.warn_of_stalls();
    SCOPED_TRACE(rules.coded);
    const auto [expected, found] = decided_by(rules, seed, Leaning::none, kill_switch);
    for (std::size_t i = 0; i < std::min(expected.size(), found.size()); ++i) {
      ASSERT_EQ(expected[i], found[i]);
    }
    ASSERT_EQ(expected.size(), found.size());
    for (const std::string& line : found) {
      if (line.find(": warn ") != std::string::npos) ++warned;
      if (line.find("outcome=expired") != std::string::npos) ++given_up;
    }
  });
  EXPECT_GT(warned, 0u) << "nobody was warned: nothing was examined";
  EXPECT_GT(given_up, 0u) << "no message was given up: nothing was examined";
}

TEST_F(StatedRules, ALeaveFromSpotIsTwoOfThem) {
  std::size_t clones = 0;
  each_seed([&](std::uint64_t seed) {
    const Twins rules = TwinRules{seed}.leave_spot();
    SCOPED_TRACE(rules.coded);
    const auto [expected, found] =
        decided_by(rules, seed, seed % 2 == 0 ? Leaning::spot : Leaning::none);
    if (any_kept_by_a_count(expected) || any_kept_by_a_count(found)) return;
    for (const std::string_view verb : {"verb=stop_job", "verb=clone_job", "verb=notify"}) {
      EXPECT_EQ(about(verb, expected), about(verb, found));
    }
    clones += about("verb=clone_job", expected).size();
  });
  EXPECT_GT(clones, 0u) << "nothing left Spot: nothing was examined";
}

}  // namespace stated_rules_test
}  // namespace reeve::tests
