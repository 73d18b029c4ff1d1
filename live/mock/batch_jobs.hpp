// The jobs of AWS Batch in a mock account: what was submitted, and how it stands by the clock.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <string_view>

#include "live/mock/mock_answer.hpp"

namespace reeve::live {

/// SubmitJob, ListJobs, DescribeJobs and TerminateJob.  No container runs: a job succeeds a minute
/// after its submission, whatever came of it, and an array lists no children.  There is one queue
/// and one definition, both named `reeve`.
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
  MockAnswer list(const nlohmann::json& asked, policy::Instant now) const;
  nlohmann::json detail(const std::string& id, const Job& job, policy::Instant now) const;
  std::string arn(std::string_view resource) const;

  std::string account_;
  std::string region_;
  std::map<std::string, Job> jobs_;  ///< by id
};

/// Whether ListJobs or ListServiceJobs shows a job: with a filter, by its creation in milliseconds
/// alone; else by its status.
bool is_listed(const nlohmann::json& asked, std::string_view status, std::int64_t created);

/// What filters it does not know; empty: none.
std::string unknown_filter(const nlohmann::json& asked);

}  // namespace reeve::live
