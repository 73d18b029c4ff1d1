// Lists and describes the training jobs of an account, within the rates of AWS.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>
#include <variant>
#include <vector>

#include "live/aws/client.hpp"
#include "live/aws/clock.hpp"
#include "live/aws/pages.hpp"
#include "live/events/fleet_event.hpp"
#include "live/feed/failed_call.hpp"

namespace reeve::live {

/// Keeps calls apart, so that they stay within a rate.
class Pace {
 public:
  Pace(Clock& clock, policy::Duration apart) : clock_{clock}, apart_{apart} {}
  void wait();
  /// How long `wait` would wait.
  policy::Duration left() const;

 private:
  Clock& clock_;
  policy::Duration apart_;
  std::optional<policy::Instant> next_;
};

/// A job that is listed and cannot be described.
struct UnreadJob {
  std::string name;
  std::string why;
};

/// A job that was deleted after it was listed.
struct GoneJob {};

struct ListedJob {
  std::string name;
  std::optional<policy::Instant> modified;
  std::string status;  ///< TrainingJobStatus
};

/// A listing of training jobs under way.
struct Listing {
  Pages pages;
  std::vector<ListedJob> found = {};
};

/// 2 listings and 5 descriptions per second (AWS General Reference, SageMaker quotas).
class TrainingJobReader {
 public:
  using Described = std::variant<FleetEvent, GoneJob, UnreadJob, FailedCall>;

  TrainingJobReader(Client& client, Clock& clock);

  /// What ListTrainingJobs gives for `filter`; no call yet.
  static Listing listing(const nlohmann::json& filter);
  /// Appends the jobs of the next page.
  std::optional<FailedCall> read_page(Listing& listing);
  /// Appends all jobs that ListTrainingJobs gives for `filter`.
  std::optional<FailedCall> list(const nlohmann::json& filter, std::vector<ListedJob>& found);
  /// DescribeTrainingJob and ListTags.  A call without permission is a FailedCall.
  Described describe(const std::string& name);
  /// DescribeTrainingJob only: the tags are unknown.
  Described describe_without_tags(const std::string& name);
  /// How long `read_page` and `describe` would wait.
  policy::Duration until_next_page() const { return lists_.left(); }
  policy::Duration until_next_description() const { return descriptions_.left(); }

 private:
  Client& client_;
  Pace lists_;
  Pace descriptions_;
};

}  // namespace reeve::live
