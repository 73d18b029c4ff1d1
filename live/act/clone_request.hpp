// The request for a further attempt at a training job, from what AWS tells of an earlier one.
#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <reeve/policy/policy.hpp>
#include <string>
#include <vector>

namespace reeve::live {

/// In what a further attempt differs from the attempt that it repeats.
struct CloneChanges {
  std::string name;        ///< of the new training job
  std::string first_name;  ///< of the first attempt
  policy::AttemptNumber attempt = 2;
  std::optional<bool> spot = std::nullopt;  ///< nothing: as it was
  /// Empty: as it was.  Of a cluster with several instance groups the types stay.
  std::string instance_type = {};
  std::optional<std::chrono::seconds> max_runtime = std::nullopt;  ///< nothing: as it was
  bool keep_tags = true;
  bool from_scratch = false;
  std::string rule = {};    ///< that creates it; empty: none
  std::uint16_t loses = 0;  ///< bits of policy::CloneLoss: fields to leave out
};

/// The parameters of CreateTrainingJob.  `described` is the reply of DescribeTrainingJob, `tags`
/// the list of ListTags.  SessionChainingConfig, which no operation returns, is not repeated.
///
/// - Tags: those of the original, as far as the 50 that AWS allows have room, then those of reeve.
///   Without `keep_tags`, or with CloneLoss::tags, those of reeve alone, which connect attempts.
/// - A Spot job waits for at least its longest run; one day if it had no MaxWaitTimeInSeconds.  It
///   keeps no warm pool.
/// - Another instance type leaves the training plan and the placement, which are of one type.
nlohmann::json clone_request(const nlohmann::json& described, const nlohmann::json& tags,
                             const CloneChanges& changes);

/// For people: a line for each member that `described` and `request` do not share, in the order of
/// the parameters.  Empty members count as absent.  A description has no tags, so tags are missing.
std::vector<std::string> differences(const nlohmann::json& described,
                                     const nlohmann::json& request);

}  // namespace reeve::live
