// Carries out in an AWS account what the host decides: an Actuator, and the Feed of its replies.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "host/journal.hpp"
#include "host/ports.hpp"
#include "live/act/action_log.hpp"
#include "live/act/messenger.hpp"
#include "live/aws/client.hpp"
#include "live/aws/clock.hpp"
#include "live/feed/roster.hpp"
#include "live/feed/service_job_reader.hpp"
#include "live/feed/training_job_reader.hpp"

namespace reeve::live {

/// An action of this run, as it stands.  What is decided again after it ended is the same action.
struct ActionRow {
  std::string id;      ///< in the journal of actions
  policy::Instant at;  ///< of the decision
  std::string rule;
  policy::VerbKind action = policy::VerbKind::stop_job;
  std::string job;      ///< the training job that it concerns
  std::string new_job;  ///< of a clone
  std::string reason;
  std::string basis;
  std::string outcome;          ///< empty: in flight
  std::uint32_t decisions = 1;  ///< how often it was decided; the rest is of the last time
  ActionEnd end;
  std::vector<std::string> differences = {};  ///< of a clone from its original
  bool is_of_earlier_run = true;              ///< its effect; this run sends nothing
};

struct ActionSettings {
  policy::Duration apart = std::chrono::seconds{1};  ///< between two calls of one operation
  /// One pass without later steps: a call waits for its rate, and the client tries again what is
  /// throttled.  Else a later `advance` sends it, and the host tries again.
  bool is_single_pass = false;
  std::function<bool()> is_killed = [] { return false; };
  /// An attempt is observed that a rule of an earlier run stopped, before the host observes it.
  std::function<void(policy::JobId, policy::AttemptNumber, const std::string& rule)>
      on_stopped_before = [](policy::JobId, policy::AttemptNumber, const std::string&) {};
  /// By the reply to a stop, the job does not run.  Its event may be late or lost: look at the job.
  std::function<void(const std::string& job)> on_ended = [](const std::string&) {};
  std::function<void(const ActionRow&)> on_settled = [](const ActionRow&) {};
  /// A call was refused for a reason that concerns all calls of its operation.
  std::function<void(const FailedCall&)> on_trouble = [](const FailedCall&) {};
};

/// One call for each try of the host, journaled before it is sent.  A stop or clone that the
/// journal already has as done is not sent again, nor is a message within the hour.  Without a
/// permission, the calls of that kind are refused unsent for five minutes.  While the kill
/// switch is engaged nothing is sent; the host observes the switch.  Throws JournalFailure, after
/// which nothing may be sent.
class AccountActions final : public host::Feed,
                             public host::Actuator,
                             public host::Journal::Listener {
 public:
  /// The references must outlive the object.  `feed` tells what happens in the account.
  AccountActions(host::Feed& feed, Client& client, Clock& clock, const Roster& roster,
                 ActionLog& log, Messenger& messenger, ActionSettings settings);

  policy::Instant advance(policy::Instant deadline, host::Intake& out) override;
  void submit(const host::Attempt& attempt) override;
  /// Listens to the host's journal: reasons of decisions, and how actions settle.
  void on_entry(const host::Entry& entry) override;

  /// At the end of a run: settles what is known.  A stop or clone that was sent and has no final
  /// reply stays open in the log: the account can be asked.
  void finish();
  const std::vector<ActionRow>& rows() const { return rows_; }
  /// Calls that change the account, sent by this run.
  std::uint64_t calls() const { return calls_; }

 private:
  struct Action {
    std::size_t row = 0;  ///< index of rows_
    LoggedAction logged;
    bool is_planned = false;       ///< in the log
    bool was_done_before = false;  ///< by the log
    bool may_have_worked = false;  ///< a try without a reply
    std::optional<host::ReplyKind> reply = {};
  };
  struct Sent {
    host::ReplyKind kind = host::ReplyKind::unknown;
    std::string code;
    std::string detail;
  };

  policy::Instant time();
  int tries() const { return settings_.is_single_pass ? 0 : 1; }  ///< of a call
  void look_at_switch(host::Intake& out, policy::Instant now);
  void recall_stops(const host::Intake& out);
  bool is_open(const Action& action) const { return rows_[action.row].outcome.empty(); }
  void plan(const host::Attempt& attempt);
  Action describe(const host::Attempt& attempt);
  void send_due();
  policy::Duration until_next_send();
  Pace& pace_of(policy::VerbKind verb);
  void carry_out(const host::Attempt& attempt, Action& action);
  bool was_done_before(const host::Attempt& attempt, const LoggedAction& logged);
  static std::optional<Sent> held_back(const host::Attempt& attempt, const Action& action);
  Sent send(const host::Attempt& attempt, Action& action);
  void note(const host::Attempt& attempt, Action& action, std::string_view call,
            std::string_view service_job = {});
  Sent stop(const host::Attempt& attempt, Action& action);
  Sent clone(const policy::CloneJob& verb, Action& action);
  Sent is_that_clone(const policy::CloneJob& verb, const Action& action, Sent in_use);
  Sent tell(const host::Attempt& attempt, const Action& action);
  Sent refused(const std::string& kind, const FailedCall& failed, host::ReplyKind reply);
  Sent sent_as(const std::string& kind, const std::string& action, const CallResult& result);
  void settle(Action& action, policy::Outcome outcome);

  host::Feed& feed_;
  Client& client_;
  Clock& clock_;
  const Roster& roster_;
  ActionLog& log_;
  Messenger& messenger_;
  ActionSettings settings_;
  TrainingJobReader reader_;
  std::map<policy::VerbKind, Pace> paces_;
  ServiceJobReader service_jobs_;
  std::map<std::string, policy::Instant> denied_;  ///< kinds of calls, and when they were refused
  std::vector<std::string> seats_;                 ///< names
  struct Decision {
    std::string reason;
    std::string basis;
  };
  std::map<policy::ActionId, Decision> decisions_;  ///< accepted, not submitted yet
  std::map<policy::ActionId, Action> actions_;      ///< in flight
  std::deque<host::Attempt> outbox_;                ///< tries that wait for their pace
  std::vector<host::Reply> replies_;                ///< not handed over yet
  std::vector<ActionRow> rows_;
  /// By id, action and rule.
  std::map<std::tuple<std::string, policy::VerbKind, std::string>, std::size_t> row_of_;
  policy::Instant now_ = policy::Instant::min();
  bool was_killed_ = false;
  bool has_earlier_ = false;  ///< the log has actions of earlier runs
  std::set<std::pair<policy::JobId, policy::AttemptNumber>> recalled_;  ///< looked up in the log
  std::uint64_t calls_ = 0;
};

}  // namespace reeve::live
