// What the journal of actions says: how each action stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <reeve/policy/policy.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "live/journal/action_journal.hpp"
#include "live/journal/answer_file.hpp"

namespace reeve::live {

/// How an action ended.
struct ActionEnd {
  policy::Outcome outcome = policy::Outcome::expired;
  std::string code = {};    ///< of AWS; empty: none
  std::string detail = {};  ///< for people; empty: nothing to add
  std::uint32_t tries = 0;
  bool concerns_all = false;  ///< the same call will fail for other jobs too
  bool is_held_back = false;  ///< the kill switch prevented further tries
};

/// An action before it is sent.
struct LoggedAction {
  std::string id;  ///< the same whenever the same is decided again
  std::string rule;
  std::string action;              ///< a verb of rules, such as `stop_job`
  std::string job;                 ///< name of the training job that it concerns
  nlohmann::ordered_json details;  ///< `reason`, `basis` and what the action needs
};

/// Of a stop that waits for a person.
inline constexpr std::string_view ended_before_confirmed =
    "the job ended before a person confirmed it";

/// The journal of actions of an account, and how each of its actions stands.
class ActionLog {
 public:
  struct Standing {
    std::string rule;
    std::string action;
    std::string job;
    std::string new_job;   ///< of a clone: its name
    std::string resource;  ///< of an update or a removal: what it changes
    std::string reason;
    std::string service_job = {};  ///< of a stop by AWS Batch: its id
    bool is_sent = false;
    /// Empty: in flight.  Of Outcome; or `held` by a guard; or `confirmed` or `refused` by a
    /// person.
    std::string outcome = {};
    std::string code = {};        ///< of AWS, of what it refused or could not do
    std::string guard = {};       ///< of `held`
    std::string parameters = {};  ///< of an update: those of its call, as JSON
    policy::Instant at = {};      ///< of its last entry
    policy::Instant acted = {};   ///< when it was last planned, held or sent
    policy::Instant first = {};   ///< when it was first planned or held
  };

  /// Reads the journal.  Throws JournalFailure.
  explicit ActionLog(std::unique_ptr<ActionJournal> journal);
  /// Reads what others wrote since.  Throws JournalFailure.
  void refresh();

  /// The ids of a stop, a further attempt, a message and a removal.  A job is known by its name and
  /// CreationTime, an alarm or instance by when it was `made`.
  static std::string stop_id(const std::string& job, policy::Instant created);
  static std::string clone_id(const std::string& new_job);
  static std::string message_id(const std::string& rule, const std::string& job,
                                std::uint64_t incident);
  /// Of a new setting, which may be set again later.
  static std::string update_id(const std::string& action, const std::string& parameters,
                               policy::Instant at);
  static std::string removal_id(const std::string& resource, policy::Instant made);
  /// Of the message that an action waits for a person.
  static std::string notice_id(const std::string& action);

  /// What was changed in the journal when it was read: then nothing may be sent.
  const std::optional<BrokenChain>& broken() const { return broken_; }
  bool is_done(const std::string& action) const;
  /// A person has to confirm it, and has not answered.
  bool waits_for_person(const std::string& action) const;
  /// Null: no person has answered.
  const Answer* answer_about(const std::string& action) const;
  /// Actions that a person confirmed.
  std::size_t confirmed() const { return confirmed_; }
  /// By id of the action.
  const std::map<std::string, Standing>& standing() const { return standing_; }
  /// Stops that are done or may be, settled or not, within the hour before `now`.
  std::uint32_t stops_within_hour(policy::Instant now) const;

  void plan(policy::Instant at, const LoggedAction& action);
  /// `guard`: its name.
  void hold(policy::Instant at, const LoggedAction& action, std::string_view guard);
  /// The first answer about an action counts.
  void answer(policy::Instant at, const Answer& answer);
  /// `call`: as IAM names it.  `service_job`: the id of the one that it terminates; empty: none.
  void send(policy::Instant at, const std::string& action, std::uint32_t number,
            std::string_view call, std::string_view service_job = {});
  void settle(policy::Instant at, const std::string& action, const ActionEnd& end);

 private:
  void append(policy::Instant at, JournalKind kind, const std::string& action,
              const nlohmann::ordered_json& body);
  void take(const JournalEntry& entry);
  void take_answer(Answer answer);

  std::unique_ptr<ActionJournal> journal_;
  std::optional<BrokenChain> broken_;
  std::map<std::string, Answer> answers_;
  std::size_t confirmed_ = 0;
  std::map<std::string, Standing> standing_;
};

/// How many entries a journal has, and the first that was changed.
struct Verified {
  std::uint64_t entries = 0;
  std::optional<BrokenChain> broken;
};
Verified verify(ActionJournal& journal);

}  // namespace reeve::live
