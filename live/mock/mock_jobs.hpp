// The training jobs of a mock account as SageMaker lists and describes them.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "live/events/fleet_event.hpp"
#include "live/mock/mock_answer.hpp"
#include "live/mock/mock_fleet.hpp"

namespace reeve::live {

/// Search, ListTrainingJobs, DescribeTrainingJob, StopTrainingJob, CreateTrainingJob, ListTags and
/// AddTags. CreateTrainingJob accepts further attempts of jobs only: with the tags `reeve:retry-of`
/// and `reeve:attempt`.
class MockJobs {
 public:
  MockJobs(std::string account, std::string region);

  /// A state of a job, in the order of time.
  void take(FleetEvent event);
  /// The parameters have been checked by wrong_parameters().  Stops and further attempts are the
  /// fleet's.
  MockAnswer answer(std::string_view operation, const nlohmann::json& asked, MockFleet& fleet);
  bool has(const std::string& job) const { return jobs_.contains(job); }

 private:
  struct Job {
    FleetEvent newest;  ///< its state
    std::vector<policy::Tag> tags;
    nlohmann::json requested;  ///< members of CreateTrainingJob that no state has
  };

  MockAnswer search(const nlohmann::json& asked) const;
  MockAnswer list(const nlohmann::json& asked) const;
  MockAnswer describe(const nlohmann::json& asked) const;
  static nlohmann::json description(const Job& job);
  static nlohmann::json tags_of(const Job& job);
  MockAnswer stop(const nlohmann::json& asked, MockFleet& fleet);
  MockAnswer create(const nlohmann::json& asked, MockFleet& fleet);
  MockAnswer list_tags(const nlohmann::json& asked) const;
  MockAnswer add_tags(const nlohmann::json& asked);
  const std::string* name_of(const std::string& arn) const;
  std::string arn_of(const std::string& job) const;
  nlohmann::json usual_request(const std::string& job) const;

  std::string account_;
  std::string region_;
  std::map<std::string, Job, std::less<>> jobs_;
  std::vector<std::string> by_creation_;
  /// Names, by that of the first attempt and the number.
  std::map<std::pair<std::string, std::uint32_t>, std::string> attempts_;
  std::map<std::string, nlohmann::json> created_;  ///< requests of jobs without a state yet
};

/// The answer for a call that a fleet took: nothing, or the error that AWS gives.
MockAnswer answer_for(const MockFleet::Reply& reply);

}  // namespace reeve::live
