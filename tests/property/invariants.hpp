// What tests of invariants share.
#pragma once

#include <string>

#include "scenarios/load.hpp"
#include "tests/property/report_reader.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::tests {
namespace invariants_test {

/// The last policy of each world has a rule that reads what scripts report.
inline scenarios::Scenario load_text(const std::string& text) {
  auto scenario =
      scenarios::load(scenarios::SourceFile::from_text("random.jsonc", text), ".").scenario;
  scenario.policies.back().seats.push_back(report_reader());
  return scenario;
}

class Invariants : public EachSeed {};

}  // namespace invariants_test
}  // namespace reeve::tests
