// The jobs of AWS Batch in a mock account: what was submitted, and how it stands by the clock.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>

#include "live/mock/mock_answer.hpp"

namespace reeve::live {

/// SubmitJob, DescribeJobs and TerminateJob.  No container runs: a job succeeds a minute after its
/// submission, whatever came of it.  There is one queue and one definition, both named `reeve`.
class BatchJobs {
 public:
  BatchJobs(std::string account, std::string region);

  /// The parameters have been checked by wrong_parameters().
  MockAnswer answer(std::string_view operation, const nlohmann::json& asked, policy::Instant now);

 private:
  struct Job {
    nlohmann::json asked;
    policy::Instant created;
    std::optional<policy::Instant> terminated = {};
    std::string reason = {};
  };

  MockAnswer submit(const nlohmann::json& asked, policy::Instant now);
  MockAnswer describe(const nlohmann::json& asked, policy::Instant now) const;
  MockAnswer terminate(const nlohmann::json& asked, policy::Instant now);
  nlohmann::json detail(const std::string& id, const Job& job, policy::Instant now) const;
  std::string arn(std::string_view resource) const;

  std::string account_;
  std::string region_;
  std::map<std::string, Job> jobs_;  ///< by id
};

}  // namespace reeve::live
