// Deletes alarms and terminates instances: each one journaled, looked at before and after.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "live/act/action_log.hpp"
#include "live/clean_up/account_resources.hpp"
#include "live/clean_up/orphans.hpp"

namespace reeve::live {

/// What is to be removed, and why.
struct Removal {
  Resource resource;
  Judgement judgement;
  std::string outcome = {};  ///< empty: it was not its turn yet
  ActionEnd end = {};
};

struct RemoverSettings {
  std::string rule;                                           ///< of the journal
  std::function<bool()> is_held_back = [] { return false; };  ///< before each call
  std::function<void()> on_look = [] {};                      ///< before resources are judged again
  /// Judges a resource as it is now, just before the call.
  std::function<Judgement(Resource&)> judge_again;
};

/// One call for as many alarms as AWS takes, and one for each instance.  What is gone afterwards is
/// done, whatever the reply.  A call that AWS rejects for several alarms is repeated for each.
/// After a call without permission, none of its operation is sent.  Throws JournalFailure, after
/// which nothing may be sent.
class Remover {
 public:
  Remover(Client& client, Clock& clock, AccountResources& resources, ActionLog& log,
          RemoverSettings settings);

  /// Settles what an earlier run sent.  Returns a call that failed: what it is about stays open.
  std::optional<FailedCall> settle_open(policy::Instant now);
  /// In their order, until it is held back: then the outcome of the rest is "not sent".
  void remove(std::span<Removal> removals);
  /// Calls that were refused for a reason that concerns all calls of their operation.
  std::vector<FailedCall> denied() const;

 private:
  using Batch = std::vector<Removal*>;

  policy::Instant now();
  void remove_batch(Batch batch);
  bool look_before(Batch& batch);
  bool look_after(Batch& batch, const std::string& how);
  void await_end(Batch& batch);
  CallResult send(const Batch& batch);
  void refuse(Batch& batch, const CallError& error);
  void settle(Removal& removal, policy::Outcome outcome, std::string detail);
  void hold_back(const Batch& batch, bool is_known);

  Client& client_;
  Clock& clock_;
  AccountResources& resources_;
  ActionLog& log_;
  RemoverSettings settings_;
  Pace pace_;
  std::map<ResourceKind, CallError> denied_;
};

}  // namespace reeve::live
