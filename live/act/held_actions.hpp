// Actions that a guard does not let be sent: in the journal of actions, and asked about again.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "host/confirm_first.hpp"
#include "host/journal.hpp"
#include "host/ports.hpp"
#include "live/act/action_log.hpp"
#include "live/act/messenger.hpp"
#include "live/aws/clock.hpp"
#include "live/feed/roster.hpp"
#include "live/journal/answer_file.hpp"

namespace reeve::live {

struct HeldSettings {
  std::uint32_t confirm_first = 0;  ///< actions that a person confirms; 0: none
  std::string command;              ///< that confirms one, but for its id
  bool sends_messages = false;      ///< that an action waits for a person
  std::function<bool()> is_killed = [] { return false; };
  std::function<policy::Instant()> now;
  /// An action waits for a person, and did not before.
  std::function<void(const LoggedAction&)> on_wait = [](const LoggedAction&) {};
  std::function<void(const Answer&, const ActionLog::Standing&)> on_answer =
      [](const Answer&, const ActionLog::Standing&) {};
  /// Answers cannot be read: once, until they can be.
  std::function<void(const Failure&)> on_unread = [](const Failure&) {};
  /// The message that it waits was not sent.
  std::function<void(const LoggedAction&, const ActionEnd&)> on_untold = [](const LoggedAction&,
                                                                            const ActionEnd&) {};
};

/// Until a person has confirmed as many, each stop and further attempt waits for a person: the
/// guard refuses it, and the answer makes the feed tell again how its job stands, as a duplicated
/// event does.  So its rule decides anew.  A held further attempt is in the journal too, because a
/// later run must look at its ended job.
class HeldActions final : public host::Feed, public host::Journal::Listener {
 public:
  /// The references must outlive the object.  `feed` tells what happens in the account.
  HeldActions(host::Feed& feed, const Roster& roster, ActionLog& log, AnswerFile answers,
              Messenger& messenger, HeldSettings settings);

  policy::Instant advance(policy::Instant deadline, host::Intake& out) override;
  void on_entry(const host::Entry& entry) override;
  /// For the guard.
  host::ConfirmFirst::Answer answer_about(const policy::Verb& verb) const;
  /// Why answers cannot be read; empty: they can.
  const std::string& unread() const { return unread_; }
  /// At the end of a run: tells of what waits, each once.
  void finish();

 private:
  struct Notice {
    LoggedAction held;
    policy::JobId job;
    policy::AttemptNumber attempt = 1;  ///< that runs or ran
    std::uint32_t tries = 0;
    policy::Instant due = {};
  };

  bool asks() const { return settings_.confirm_first > 0; }
  void note_held(const host::Refused& refused);
  void take_answers();
  void look_again(const std::string& action);
  void look_again_at_all();
  void note_changes(const host::Intake& out);
  void end_waiting(const policy::JobChanged& ended);
  void drop_notice(const std::string& action);
  void tell_due(policy::Instant now);
  bool tell(Notice& notice, bool is_last);

  host::Feed& feed_;
  const Roster& roster_;
  ActionLog& log_;
  AnswerFile answers_;
  Messenger& messenger_;
  HeldSettings settings_;
  std::vector<std::string> seats_;                       ///< names
  std::map<std::string, policy::JobId> waiting_;         ///< by action: of this run
  std::map<policy::JobId, policy::Observation> newest_;  ///< changes of jobs
  std::vector<policy::Observation> again_;               ///< to be told
  std::deque<Notice> notices_;                           ///< not sent
  std::string unread_;                                   ///< why answers were not, at the last try
  policy::Instant now_ = policy::Instant::min();
};

}  // namespace reeve::live
