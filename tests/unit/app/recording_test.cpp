#include "app/live/recording.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <variant>

#include "app/live/simulated_fleet.hpp"
#include "live/events/recording_lines.hpp"
#include "live/mock/mock_account.hpp"
#include "scenarios/load.hpp"

namespace reeve::app {
namespace {

using nlohmann::json;

/// Each three minutes Spot takes the instance of the job away: 5,000 times.
constexpr const char* often_interrupted = R"({
  "reeve": 1,
  "clock": { "start": "2026-01-05T00:00:00Z", "horizon": "250h" },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 3, "spot_usd_per_hour": 1, "gpus": 1 } } },
  "platform": { "model": "sagemaker-training", "startup": "10s" },
  "fleet": [ { "name": "spot", "instance_type": "ml.x", "capacity": 1, "market": "spot",
               "availability": { "up": "2m", "down": "1m" } } ],
  "jobs": [ { "name": "long", "work": "2000h", "max_runtime": "2000h", "max_wait": "2000h" } ],
  "policies": { "limits": [ { "rule": "required_tags", "keys": ["team"], "mode": "shadow" } ] }
})";

scenarios::Scenario interrupted_job() {
  return scenarios::load(scenarios::SourceFile::from_text("often.jsonc", often_interrupted), ".")
      .scenario;
}

TEST(Recording, TheStatesOfAJobShareOneListOfTransitions) {
  const scenarios::Scenario scenario = interrupted_job();
  const Recording recording = record_events(scenario, scenario.policies.front(), false);
  std::set<const live::StatusTransition*> lists;  // by their first element
  std::size_t states = 0;
  std::size_t interruptions = 0;
  for (const live::FleetEvent& event : recording.events) {
    const auto* state = std::get_if<live::TrainingJobState>(&event.detail);
    if (state == nullptr) continue;
    ++states;
    ASSERT_EQ(state->transitions.size(), states);
    EXPECT_EQ(state->transitions.back().status, state->secondary);
    if (state->secondary == policy::Secondary::interrupted) ++interruptions;
    lists.insert(&state->transitions[0]);
  }
  EXPECT_GE(interruptions, 4'900U);
  EXPECT_EQ(lists.size(), 1U);
}

TEST(Recording, AsTextHasEachStatusOfAJobOnceAndIsReadAsItWas) {
  scenarios::Scenario scenario = interrupted_job();
  scenario.world.end = scenario.world.start + std::chrono::hours{50};
  const Recording recording = record_events(scenario, scenario.policies.front(), false);
  std::stringstream text;
  write_events(recording, text);
  EXPECT_LT(text.view().size(), 6'000'000U);  // with all statuses in each line: 590 megabytes
  live::RecordingReader reader;
  std::string line;
  for (const live::FleetEvent& event : recording.events) {
    ASSERT_TRUE(std::getline(text, line));
    const auto read = reader.read(line);
    ASSERT_TRUE(std::holds_alternative<live::FleetEvent>(read));
    const auto* state = std::get_if<live::TrainingJobState>(&event.detail);
    if (state == nullptr) continue;
    const auto& again = std::get<live::TrainingJobState>(std::get<live::FleetEvent>(read).detail);
    ASSERT_EQ(again.transitions.size(), state->transitions.size());
    EXPECT_EQ(again.transitions.back().word, state->transitions.back().word);
  }
}

/// As text, the messages of these events are more than 10 gigabytes.
TEST(SimulatedFleet, AMockAccountHoldsTheUnreadEventsOfAJobThatIsInterruptedOften) {
  const scenarios::Scenario scenario = interrupted_job();
  const scenarios::PolicySpec policy = shadowed(scenario.policies.front());
  live::MockAccount account{std::make_unique<SimulatedFleet>(scenario, policy),
                            std::string{recorded_account}, std::string{recorded_region},
                            scenario.world.platform.metrics.publish_delay};
  account.advance(scenario.world.end);
  EXPECT_GT(account.sent(), 15'000U);
  const auto described = account.answer("sagemaker", "DescribeTrainingJob",
                                        {{"TrainingJobName", "long"}}, scenario.world.end);
  ASSERT_TRUE(std::holds_alternative<json>(described));
  const json& transitions = std::get<json>(described).at("SecondaryStatusTransitions");
  EXPECT_GT(transitions.size(), 15'000U);
  for (std::size_t place = 0; place + 1 < transitions.size(); ++place) {
    EXPECT_EQ(transitions[place].at("EndTime"), transitions[place + 1].at("StartTime"));
  }
  EXPECT_FALSE(transitions.back().contains("EndTime"));
}

}  // namespace
}  // namespace reeve::app
