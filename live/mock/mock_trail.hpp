// What CloudTrail of a mock account tells of its training jobs: who created and who stopped them.
#pragma once

#include <nlohmann/json.hpp>
#include <reeve/policy/units.hpp>
#include <string>
#include <vector>

#include "live/mock/mock_answer.hpp"

namespace reeve::live {

/// LookupEvents: two calls a second, as AWS allows.
class MockTrail {
 public:
  MockTrail(std::string account, std::string region);

  /// In the order of time, as the fleet tells it.
  void note_creation(const std::string& job, policy::Instant at);
  /// A call of StopTrainingJob and what came of it.
  void note_stop(const std::string& job, const MockAnswer& answer, policy::Instant at);
  /// The parameters have been checked by wrong_parameters().
  MockAnswer answer(const nlohmann::json& asked, policy::Instant now);

 private:
  struct Event {
    policy::Instant at;
    std::string name;
    std::string job;
    std::string error;  ///< empty: the call was accepted
  };

  nlohmann::json written(std::size_t event) const;

  std::string account_;
  std::string region_;
  std::vector<Event> events_;
  std::vector<policy::Instant> calls_;  ///< the last two
};

}  // namespace reeve::live
