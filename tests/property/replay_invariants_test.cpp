// Runs that are repeated or replayed are the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "host/tape.hpp"
#include "tests/property/invariants.hpp"
#include "tests/property/journaled_run.hpp"
#include "tests/property/random_scenario.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace invariants_test {

TEST_F(Invariants, TheSameSeedGivesTheSameBytes) {
  each_seed([&](std::uint64_t seed) {
    const std::string text = RandomScenario{seed}.text();
    const auto scenario = load_text(text);
    const Taped first = run_taped(scenario, scenario.policies.back());
    const Taped second = run_taped(load_text(text), scenario.policies.back());
    EXPECT_EQ(first.journal, second.journal);
    EXPECT_EQ(first.result.digest, second.result.digest);
  });
}

/// F126: what was recorded once is decided alike by a fresh host, with no world behind it.
TEST_F(Invariants, ATapedRunReplayedThroughAFreshHostGivesTheSameJournal) {
  std::size_t reported = 0;
  each_seed([&](std::uint64_t seed) {
    const auto scenario = load_text(RandomScenario{seed}.text());
    const scenarios::PolicySpec& policy = scenario.policies.back();
    const Taped taped = run_taped(scenario, policy);
    if (taped.journal.find("training_reported ") != std::string::npos) ++reported;
    const auto [replayed, digest] = replay(scenario, policy, taped.journal);
    EXPECT_EQ(taped.journal, replayed);
    EXPECT_EQ(taped.result.digest, digest);
  });
  EXPECT_GT(reported, 0u);
}

TEST_F(Invariants, AJournalCutAnywhereLeadsToTheSameEnd) {
  each_seed([&](std::uint64_t seed) {
    const auto scenario = load_text(RandomScenario{seed}.text());
    const scenarios::PolicySpec& policy = scenario.policies.back();
    const std::string whole = run_taped(scenario, policy).journal;
    const auto lines = static_cast<std::uint64_t>(std::count(whole.begin(), whole.end(), '\n'));
    const double place = sim::uniform({seed, 1, sim::Cause::scenario_fuzz, 0, 0});
    const auto cut = 1 + static_cast<std::uint64_t>(place * static_cast<double>(lines - 1));
    EXPECT_EQ(run_with_crash(scenario, policy, cut, whole), whole) << "cut after line " << cut;
  });
}

}  // namespace invariants_test
}  // namespace reeve::tests
