// The CloudWatch alarms and EC2 instances of an account, as far as a clean-up needs them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <reeve/policy/directory.hpp>
#include <reeve/policy/units.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "live/aws/client.hpp"
#include "live/aws/clock.hpp"
#include "live/feed/failed_call.hpp"
#include "live/feed/training_job_reader.hpp"

namespace reeve::live {

enum class ResourceKind : std::uint8_t { alarm, instance };

/// The tags of instances that a script launched for a training job, as published articles set them.
inline constexpr std::string_view job_tag = "JOB_ID";
inline constexpr std::string_view name_tag = "NAME";

/// The training jobs that the metrics of an alarm are of.
struct AlarmSubject {
  std::vector<std::string> jobs;    ///< by the dimension Host, each once
  std::string job_in_name;          ///< without such metrics: by the name; empty: none
  bool has_other_metrics = false;   ///< of no training job
  std::uint32_t metrics = 0;        ///< that AWS bills; 0: unknown
  bool is_high_resolution = false;  ///< a period below a minute
};

struct Resource {
  ResourceKind kind = ResourceKind::alarm;
  std::string id;        ///< the name of an alarm, the id of an instance
  policy::Instant made;  ///< when an alarm was last configured, an instance launched
  std::string arn = {};  ///< of an alarm
  AlarmSubject subject = {};
  std::string type = {};   ///< of an instance
  std::string state = {};  ///< of an instance, as EC2 names it
  bool is_spot = false;
  std::vector<policy::Tag> tags = {};  ///< of an instance; of an alarm only once they are read

  /// The value of a tag, or null.
  const std::string* tag(std::string_view key) const;
};

/// Reads within the rates that AWS allows an account.
class AccountResources {
 public:
  using Resources = std::variant<std::vector<Resource>, FailedCall>;

  AccountResources(Client& client, Clock& clock);

  /// All metric alarms.
  Resources alarms();
  /// Instances that are not terminated and have one of these tags.
  Resources instances(std::span<const std::string_view> tag_keys);
  /// Those of these ids that are still there.  Instances that shut down are not.
  Resources still_there(ResourceKind kind, std::span<const std::string> ids);
  /// Fills in the tags of an alarm.
  std::optional<FailedCall> read_tags(Resource& alarm);

 private:
  Resources described_alarms(nlohmann::json filter);
  Resources described_instances(nlohmann::json filters);

  Client& client_;
  Pace alarms_;
  Pace instances_;
};

}  // namespace reeve::live
