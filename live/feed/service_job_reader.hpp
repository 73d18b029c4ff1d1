// Finds the service job of AWS Batch that runs a training job.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "live/aws/client.hpp"
#include "live/aws/clock.hpp"
#include "live/feed/failed_call.hpp"
#include "live/feed/training_job_reader.hpp"

namespace reeve::live {

/// Whether AWS Batch gives a training job such a name: AWSBatch, the name in the request, and 32
/// hexadecimal digits (SageMaker AI Developer Guide, "Training queues").
bool is_named_by_batch(std::string_view training_job);

/// The name in the ARN of a training job; empty: it is none.
std::string training_job_in(const std::string& arn);

/// A service job whose newest attempt is a given training job.
struct FoundServiceJob {
  std::string id;
  bool is_over = false;  ///< it has ended or was terminated: its queue starts no further attempt
};

/// Ten calls per second; AWS publishes no rate for them.  What a listing found is kept, and is
/// asked about before it is trusted.
class ServiceJobReader {
 public:
  /// Nothing: there is no such service job.
  using Found = std::variant<std::optional<FoundServiceJob>, FailedCall>;

  ServiceJobReader(Client& client, Clock& clock,
                   policy::Duration apart = std::chrono::milliseconds{100});

  /// By DescribeServiceJob of `hint`, if events have told one, or of what an earlier listing found;
  /// else by a listing of the service jobs that hold instances, in all queues of the account.
  Found find(const std::string& training_job, const std::string& hint = {});
  /// Nothing also if its newest attempt is another training job.
  Found describe(const std::string& id, const std::string& training_job);

 private:
  using Take = std::function<void(const nlohmann::json& element)>;
  std::optional<FailedCall> each(const char* operation, nlohmann::json parameters, const char* list,
                                 const Take& take);
  std::optional<FailedCall> list();

  Client& client_;
  Pace pace_;
  std::map<std::string, std::string> ids_;  ///< by training job, of the last listing
};

}  // namespace reeve::live
