// What carries out the decisions of rules in an account: journal, messages, calls, and their table.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/console.hpp"
#include "app/live/account.hpp"
#include "app/live/rule_run.hpp"
#include "app/live/table_journal.hpp"
#include "live/act/account_actions.hpp"
#include "live/act/held_actions.hpp"
#include "live/act/kill_switch.hpp"
#include "live/act/unsettled.hpp"
#include "report/table.hpp"

namespace reeve::app {

struct ActorArguments {
  std::optional<std::string> journal;    ///< of actions; none: that of the account
  std::optional<std::string> kill_file;  ///< none: that of the configuration
  bool is_single_pass = false;
};

/// Where messages go.  Throws UsageError if a variable with an address is not set.
live::Addresses addresses_of(const scenarios::LiveSpec& settings);

class Actor {
 public:
  /// Settles what an earlier run left open.  Throws UsageError, JournalFailure and CloudError; then
  /// nothing was sent.  The references must outlive it.
  Actor(const ActorArguments& arguments, RuleRun& rules, Account& account, host::Feed& feed,
        NamedLog& journal, const Console& console);

  host::Feed& feed() { return *actions_; }
  /// How to look at a job whose event may be lost.
  void look_up_with(std::function<void(const std::string&)> look_up) {
    look_up_ = std::move(look_up);
  }
  Acting acting();
  /// Settles what is open after the run, and tells what could not be settled.  False: the journal
  /// cannot be written.
  bool finish();

  /// When an earlier run last planned or sent an action; nothing: it did not.
  std::optional<policy::Instant> last_entry() const { return last_entry_; }
  /// The training jobs of stops and further attempts of the last day, and of those that wait for a
  /// person, that no further attempt followed: a rule may still want one.
  std::vector<std::string> to_read_again() const;
  const std::vector<live::ActionRow>& rows() const { return actions_->rows(); }
  std::uint64_t calls() const { return actions_->calls(); }
  /// As it was last looked at.
  bool is_killed() const { return !kill_switch_.why().empty(); }
  /// Once the run is finished.
  bool is_done(const live::ActionRow& row) const { return outcome_of(row) == "done"; }
  /// Whether an action of this run was refused or did not come to an end.
  bool has_failed() const;
  /// A row for each rule, and one for each action.
  report::Table summary(const std::string& command, std::vector<std::string> facts,
                        const std::string& why_partial) const;
  report::Table actions_table(bool for_people) const;

 private:
  live::HeldSettings held_settings();
  live::ActionSettings action_settings();
  void settle_open();
  void tell(const live::ActionRow& row) const;
  void tell_waiting(const live::LoggedAction& held) const;
  void tell_unread(const live::FoundActions& found) const;
  std::string outcome_of(const live::ActionRow& row) const;

  RuleRun& rules_;
  Account& account_;
  const Console& console_;
  bool is_single_pass_;
  live::KillSwitch kill_switch_;
  const std::string& journal_name_;
  live::ActionLog& log_;
  std::optional<policy::Instant> last_entry_;
  std::function<void(const std::string&)> look_up_ = [](const std::string&) {};
  std::vector<experiments::EarlierAction> earlier_;
  std::unique_ptr<live::Transport> transport_;  ///< of messages
  std::optional<live::Messenger> messenger_;
  std::optional<live::HeldActions> held_;
  std::optional<live::AccountActions> actions_;
};

}  // namespace reeve::app
