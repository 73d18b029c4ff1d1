// The training jobs that run in an account now, from calls that only read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "host/ports.hpp"
#include "live/aws/client.hpp"
#include "live/aws/clock.hpp"
#include "live/feed/roster.hpp"
#include "live/feed/training_job_reader.hpp"

namespace reeve::live {

struct AccountJobs {
  std::vector<FleetEvent> jobs;  ///< with tags; by creation, then by name
  std::vector<UnreadJob> unread;
  std::size_t gone = 0;  ///< deleted after they were listed
  bool interrupted = false;
};

/// Called before each job; false stops the listing.
using OnJob = std::function<bool(std::size_t done, std::size_t all)>;

/// The account of the credentials, by GetCallerIdentity.
std::variant<std::string, FailedCall> account_of(Client& client);

/// Jobs with the status InProgress or Stopping: ListTrainingJobs, then DescribeTrainingJob and
/// ListTags of each, within the rates that AWS allows an account: 2 listings and 5 descriptions per
/// second (AWS General Reference, SageMaker quotas).  A job that may not be described is unread. If
/// none may be, the listing fails.
std::variant<AccountJobs, FailedCall> running_jobs(Client& client, Clock& clock,
                                                   const OnJob& on_job = {});

/// The jobs of an account at one instant, as a feed: timers that are due then fire, no later ones.
class Snapshot final : public host::Feed {
 public:
  /// `roster` and `jobs` must outlive the feed.
  Snapshot(const std::vector<FleetEvent>& jobs, Roster& roster, policy::Instant now)
      : jobs_{jobs}, roster_{roster}, now_{now} {}

  policy::Instant advance(policy::Instant deadline, host::Intake& out) override;

 private:
  const std::vector<FleetEvent>& jobs_;
  Roster& roster_;
  policy::Instant now_;
  bool told_ = false;
};

}  // namespace reeve::live
