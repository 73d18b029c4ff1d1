// A rule proposes only what its kind states (PolicyKind::verbs): permissions depend on it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/run.hpp"
#include "host/enum_names.hpp"
#include "host/target.hpp"
#include "scenarios/load.hpp"

namespace reeve::tests {
namespace proposed_verbs_test {

const scenarios::SeatSpec& seat_of(const scenarios::PolicySpec& policy, std::string_view label) {
  return *std::find_if(policy.seats.begin(), policy.seats.end(),
                       [&](const scenarios::SeatSpec& seat) { return seat.label == label; });
}

/// A seat in warn mode sends messages instead.
bool may_propose(const scenarios::SeatSpec& seat, policy::VerbKind verb) {
  if (seat.mode == host::Mode::warn && verb == policy::VerbKind::notify) return true;
  const std::vector<policy::VerbKind> stated = seat.kind->verbs(seat.options);
  return std::find(stated.begin(), stated.end(), verb) != stated.end();
}

/// The number of decisions that were looked at.
std::size_t check_decisions(const scenarios::Scenario& scenario) {
  experiments::RunOptions options;
  options.decisions = true;
  std::size_t decisions = 0;
  for (const scenarios::PolicySpec& policy : scenario.policies) {
    SCOPED_TRACE(scenario.name + "/" + policy.name);
    const auto result = experiments::run(scenario, policy, 0, options);
    for (const experiments::DecisionRow& row : result.decisions) {
      ++decisions;
      const scenarios::SeatSpec& seat = seat_of(policy, row.rule);
      const policy::VerbKind verb = host::kind_of(row.verb);
      EXPECT_TRUE(may_propose(seat, verb)) << seat.kind->name << " " << host::name_of(verb);
    }
  }
  return decisions;
}

std::size_t check_decisions_of(const std::filesystem::path& folder) {
  std::size_t decisions = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator{folder}) {
    if (entry.path().extension() != ".jsonc") continue;
    decisions += check_decisions(scenarios::load(entry.path()).scenario);
  }
  return decisions;
}

TEST(ProposedVerbs, AreThoseThatTheKindStates) {
  EXPECT_GT(check_decisions_of(REEVE_SOURCE_DIR "/tests/rules"), 1000u) << "nothing was looked at";
  EXPECT_GT(check_decisions_of(REEVE_SOURCE_DIR "/scenarios/gallery"), 1000u)
      << "nothing was looked at";
}

}  // namespace proposed_verbs_test
}  // namespace reeve::tests
