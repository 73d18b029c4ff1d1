// The EC2 instances of a mock account: they start, run until they are terminated, and do nothing.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>

#include "live/mock/mock_answer.hpp"

namespace reeve::live {

/// RunInstances, DescribeInstances, TerminateInstances and CreateTags.  A client token starts its
/// instances once.
class MockInstances {
 public:
  /// The parameters have been checked by wrong_parameters().
  MockAnswer answer(std::string_view operation, const nlohmann::json& asked, policy::Instant now);

 private:
  struct Instance {
    nlohmann::json asked;  ///< parameters of RunInstances
    std::string reservation;
    policy::Instant launched;
    std::map<std::string, std::string> tags = {};
    std::optional<policy::Instant> terminated = {};
  };
  struct Launch {
    nlohmann::json asked;
    nlohmann::json ids;
    std::string reservation;
  };

  MockAnswer run(const nlohmann::json& asked, policy::Instant now);
  MockAnswer describe(const nlohmann::json& asked, policy::Instant now) const;
  MockAnswer terminate(const nlohmann::json& asked, policy::Instant now);
  MockAnswer tag(const nlohmann::json& asked);
  std::optional<MockError> unknown_in(const nlohmann::json& ids) const;
  nlohmann::json reservation_of(const Launch& launch, policy::Instant now) const;
  static const char* state_of(const Instance& instance, policy::Instant now);
  static bool passes(const std::string& id, const Instance& instance, const nlohmann::json& filter,
                     policy::Instant now);
  static nlohmann::json described(const std::string& id, const Instance& instance,
                                  policy::Instant now);

  std::map<std::string, Instance> instances_;  ///< by id
  std::map<std::string, Launch> launches_;     ///< by client token
  std::uint64_t reservations_ = 0;
};

}  // namespace reeve::live
