// The service jobs of a job queue of AWS Batch that have not ended.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <reeve/policy/directory.hpp>
#include <reeve/policy/units.hpp>
#include <string>
#include <variant>
#include <vector>

#include "live/aws/client.hpp"
#include "live/aws/clock.hpp"
#include "live/feed/failed_call.hpp"

namespace reeve::live {

struct ServiceJob {
  std::string id;
  std::string name;
  std::string queue;
  std::string share;   ///< quota share or share identifier; empty: none
  std::string status;  ///< of AWS Batch: RUNNABLE
  policy::Instant created;
  std::optional<policy::Instant> started;
  std::map<std::string, std::int64_t> usage;  ///< instances by `capacityUnit`
  // Of its description alone.
  std::int64_t priority = 0;
  std::vector<policy::Tag> tags;

  /// SCHEDULED, STARTING or RUNNING.
  bool holds_instances() const;
};

/// In the order of creation.
std::variant<std::vector<ServiceJob>, FailedCall> list_service_jobs(Client& client,
                                                                    const std::string& queue);

/// Reads priority and tags, at most ten jobs per second; those that have ended meanwhile are taken
/// out.  `goes_on` is asked before each.
std::optional<FailedCall> describe_service_jobs(Client& client, Clock& clock,
                                                std::vector<ServiceJob>& jobs,
                                                const std::function<bool()>& goes_on);

/// GetJobQueueSnapshot: the ids of the first waiting jobs, in their order, at most 100 for each
/// queue, or for each quota share.
std::variant<std::vector<std::string>, FailedCall> front_of_queue(Client& client,
                                                                  const std::string& queue);

}  // namespace reeve::live
