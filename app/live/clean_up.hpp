// What `reeve live orphans` and `reeve live down` share: they list, judge, remove and print.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/console.hpp"
#include "app/live/account.hpp"
#include "app/live/resource_cost.hpp"
#include "live/act/kill_switch.hpp"
#include "live/clean_up/orphans.hpp"
#include "live/clean_up/remover.hpp"
#include "report/table.hpp"
#include "scenarios/load/keys/scenario.hpp"

namespace reeve::app {

struct CleanUpArguments {
  std::string file;                       ///< the live configuration; empty: none
  std::optional<std::string> journal;     ///< of actions; none: that of the account
  std::optional<std::string> kill_file;   ///< none: that of the configuration
  std::optional<std::string> older_than;  ///< orphans; none: an hour
  std::optional<std::uint32_t> limit;     ///< removals of a run; none: 100
  bool removes = false;                   ///< else it only lists
};

/// Alarms and instances whose training job has ended or does not exist.  Returns the exit code.
int live_orphans(const CleanUpArguments& arguments, const Console& console);

/// Alarms and instances that reeve created, by their tag; refuses while such training jobs run.
/// Returns the exit code.
int live_down(const CleanUpArguments& arguments, const Console& console);

/// One run of such a command.  What they remove differs in tags and judgement only.
class CleanUp {
 public:
  /// Throws UsageError, InputError and CloudError.  The references must outlive it.
  CleanUp(std::string command, const CleanUpArguments& arguments, const Console& console);
  virtual ~CleanUp() = default;
  CleanUp(const CleanUp&) = delete;
  CleanUp& operator=(const CleanUp&) = delete;

  /// Finds, removes unless it only lists, and prints.  Returns the exit code.
  int run();

 protected:
  virtual std::vector<std::string_view> tag_keys() const = 0;
  /// Also just before a removal.
  virtual live::Judgement judge(live::Resource& resource) = 0;
  /// The lines below the table of what was found.
  virtual void add_notes(report::Table& table) const = 0;

  scenarios::LiveSpec settings() const {
    return configuration_ ? *configuration_->live : scenarios::LiveSpec{};
  }
  Account& account() { return account_; }
  live::AccountResources& resources() { return resources_; }
  live::JobEnds& ends() { return ends_; }
  const live::OrphanTerms& terms() const { return terms_; }
  const CleanUpArguments& arguments() const { return arguments_; }
  const Console& console() const { return console_; }
  /// A call that failed for more than one resource; told once for each action.
  void tell(const live::FailedCall& failed);
  bool finds_some() const { return !removals_.empty(); }
  std::string command_line(const std::string& option) const;
  std::string journal_file() const;

 private:
  void find();
  void find(live::ResourceKind kind);
  void remove();
  report::Table table() const;
  report::TableRow row(const live::Removal& removal, const std::string& outcome) const;
  std::string totals() const;
  int exit_code() const;

  std::string command_;
  const CleanUpArguments& arguments_;
  const Console& console_;
  std::optional<scenarios::Scenario> configuration_;
  live::OrphanTerms terms_;
  Account account_;
  live::AccountResources resources_;
  live::TrainingJobReader reader_;
  live::JobEnds ends_;
  ResourceCost cost_;
  live::KillSwitch kill_switch_;
  std::vector<live::Removal> removals_;
  std::vector<live::Removal> others_;  ///< reported only, and unread ones
  std::size_t tried_ = 0;              ///< of removals_, by this run
  std::vector<std::string> failed_;    ///< actions
  std::string failure_;                ///< of the journal
  bool was_interrupted_ = false;
};

}  // namespace reeve::app
