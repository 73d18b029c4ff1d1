// Reads what an account keeps of its training jobs, by calls that change nothing: the replies that
// the commands of `reeve export-plan` write.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <reeve/policy/units.hpp>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "live/aws/client.hpp"
#include "live/aws/clock.hpp"
#include "live/feed/failed_call.hpp"

namespace reeve::live {

inline constexpr std::array<std::string_view, 5> history_parts{"jobs", "cloudtrail", "utilization",
                                                               "spot-prices", "batch"};

/// What all parts of a history need.
struct HistoryReading {
  Client& client;
  Clock& clock;
  policy::Instant since;
  policy::Instant now;
  /// Gets each reply with its `records`, as the AWS CLI writes it: JSON, without a token of pages.
  /// `part` is one of history_parts.
  std::function<void(std::string_view part, const nlohmann::json& reply, std::size_t records)> take;
};

/// A training job, as far as other parts depend on it.
struct KeptJob {
  std::string name;
  std::int64_t instances = 0;
  policy::Instant started;
  policy::Instant ended;  ///< or now
};

struct KeptJobs {
  std::vector<KeptJob> started;      ///< those that ever had instances
  std::set<std::string> types;       ///< of EC2: p4d.24xlarge
  std::optional<FailedCall> search;  ///< Search is not allowed: each job was described
  std::optional<FailedCall> tags;    ///< ListTags is not allowed: the tags are unknown
  std::size_t unread = 0;            ///< jobs that may not be described
};

/// The training jobs that were created since, by Search.  Without permission for it, by
/// ListTrainingJobs, DescribeTrainingJob and ListTags, which allow 5 jobs a second.
std::variant<KeptJobs, FailedCall> read_jobs(const HistoryReading& reading);

// What came before a failure has been taken.

/// Who created and stopped jobs, and evictions, from CloudTrail: at most 90 days, 100 a second.
std::optional<FailedCall> read_trail(const HistoryReading& reading);

/// CloudWatch's GPUUtilization of each host, as "JOB/algo-N".
std::optional<FailedCall> read_utilization(const HistoryReading& reading,
                                           const std::vector<KeptJob>& jobs);

std::optional<FailedCall> read_spot_prices(const HistoryReading& reading,
                                           const std::set<std::string>& types);

/// The jobs of all queues of AWS Batch, at most ten calls a second.
std::optional<FailedCall> read_batch_jobs(const HistoryReading& reading);

}  // namespace reeve::live
