// What the journal of actions says: how each action stands.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <reeve/policy/units.hpp>
#include <string>

#include "app/console.hpp"
#include "app/live/plan_file.hpp"
#include "live/act/job_stopper.hpp"
#include "live/journal/action_journal.hpp"

namespace reeve::app {

/// The journal of actions of an account, and how each of its actions stands.
class ActionLog {
 public:
  struct Standing {
    std::string job;          ///< name of the training job
    std::string outcome;      ///< empty: not settled
    policy::Instant at = {};  ///< of its last entry
  };

  /// `file`: none is that of the account and region in the state directory of the user.  Throws
  /// UsageError if it cannot be used.
  ActionLog(const std::optional<std::string>& file, const std::string& account,
            const std::string& region);

  /// The id of a stop: the same for each plan that stops this job.
  static std::string id_of(const PlannedAction& action);
  const std::string& file() const { return file_; }
  bool is_done(const std::string& action) const;
  /// By id of the action.
  const std::map<std::string, Standing>& standing() const { return standing_; }
  /// Actions that are done, settled within the hour before `now`.
  std::uint32_t done_within_hour(policy::Instant now) const;

  void plan(policy::Instant at, const PlannedAction& action, const std::string& plan_digest);
  void send(policy::Instant at, const std::string& action, std::uint32_t number);
  void settle(policy::Instant at, const std::string& action, const live::ActionEnd& end);

 private:
  std::string file_;
  std::unique_ptr<live::ActionJournal> journal_;
  std::map<std::string, Standing> standing_;
};

/// Checks the hash chain of a journal of actions.  Returns the exit code: 1 if it is broken.
int verify_action_log(const std::string& file, const Console& console);

}  // namespace reeve::app
