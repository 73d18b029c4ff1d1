// The resources of AWS Batch that queues are made of: what describes and what changes them.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "live/aws/client.hpp"
#include "live/feed/failed_call.hpp"

namespace reeve::live {

enum class BatchResource : std::uint8_t { environment, scheduling_policy, queue, share, job };

/// What a resource is called in messages and in the journal: `quota share`.
std::string_view name_of(BatchResource resource);
/// The operation that changes it: `UpdateQuotaShare`.
std::string_view update_of(BatchResource resource);
/// The parameter of that operation that names the resource: `quotaShareArn`.
std::string_view update_key(BatchResource resource);

/// As AWS describes it, with all its settings.  `id`: the value of `update_key`.  Nothing: there is
/// no such resource.
std::variant<std::optional<nlohmann::json>, FailedCall> described(Client& client,
                                                                  BatchResource resource,
                                                                  const std::string& id);

/// The job queues of an account with what they refer to, each as AWS describes it.
struct BatchAccount {
  std::map<std::string, nlohmann::json> environments;                    ///< by name
  std::map<std::string, nlohmann::json> policies;                        ///< by ARN
  std::map<std::string, nlohmann::json> queues;                          ///< by name
  std::map<std::pair<std::string, std::string>, nlohmann::json> shares;  ///< by queue and name
};

/// All queues for SageMaker training and all service environments; policies and quota shares of
/// the queues in `names` alone.
std::variant<BatchAccount, FailedCall> read_batch_account(Client& client,
                                                          const std::vector<std::string>& names);

}  // namespace reeve::live
