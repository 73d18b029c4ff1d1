// The rules of a live configuration beside a feed: they decide, and an actuator acts if there is
// one.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/console.hpp"
#include "app/live/proposals.hpp"
#include "experiments/run.hpp"
#include "live/alarms/local_alarms.hpp"
#include "live/feed/roster.hpp"
#include "report/table.hpp"
#include "report/temporary_file.hpp"

namespace reeve::app {

struct RuleRunArguments {
  std::string file;                    ///< the live configuration
  std::vector<std::string> policies;   ///< one, or none: the only one
  std::optional<std::string> journal;  ///< a file for the text journal
  bool acts = false;                   ///< rules have their modes; else all are in shadow mode
};

/// What carries out the decisions of rules.
struct Acting {
  host::Actuator* actuator = nullptr;
  std::vector<host::Journal::Listener*> listeners = {};  ///< hear of decisions before the actuator
  std::vector<experiments::EarlierAction> earlier = {};  ///< for guards
  host::ConfirmFirst::Ask confirmed = {};                ///< empty: no person is asked
};

/// What the rules observe.
struct Observed {
  host::Feed& feed;
  std::optional<policy::Instant> start;  ///< of the feed
  policy::Instant until = policy::never;
  live::MetricSource* metrics = nullptr;  ///< of alarms; none: they are not evaluated
  Acting acting = {};                     ///< needs RuleRunArguments::acts
  bool is_snapshot = false;               ///< alarms are evaluated once, when they are created
  std::function<void(const live::FailedCall&)> on_trouble = [](const live::FailedCall&) {};
  std::function<void()> on_step = [] {};  ///< before each step
};

/// Shows warnings.  Throws UsageError if the file is a scenario, InputError if it is invalid.
/// `text`: gets what was read.
scenarios::Scenario load_live_configuration(const std::string& file, const Console& console,
                                            std::string* text = nullptr);

/// Whether a rule of the policy acts on alarms, for which reeve reads metrics.
bool needs_metrics(const scenarios::PolicySpec& policy);

class RuleRun {
 public:
  /// Throws UsageError if the file is a scenario, InputError if it is invalid.
  RuleRun(const RuleRunArguments& arguments, const Console& console);

  const scenarios::LiveSpec& settings() const { return *configuration_.live; }
  /// The file as it was read.
  const std::string& configuration_text() const { return configuration_text_; }
  const std::string& configuration_name() const { return configuration_.name; }
  const std::string& policy_name() const { return policy_.name; }
  /// The names of the rules that are not off, in the order of the host; only once it has begun.
  std::vector<std::string> active_rules() const;
  live::Roster& roster() { return roster_; }

  /// Runs until the feed ends, the user interrupts or `until` comes; call it once.
  void run(const Observed& observed);
  /// Writes the text journal there instead of a file of its own.  Call it before `run`.
  void write_journal_to(std::ostream& out) { journal_.write_text_to(out); }
  void flush_journal() { journal_.flush_text(); }
  /// Before the step that observes the attempt: a rule of an earlier run stopped it.
  void recall_stop(policy::JobId job, policy::AttemptNumber attempt, const std::string& rule);
  /// Puts the journal in place, if there is one and it could be written.
  void keep_journal(const Console& console);

  bool has_begun() const { return host_ != nullptr && host_->steps() > 0; }
  const host::Host& host() const { return *host_; }
  std::optional<policy::Instant> start() const { return start_; }
  /// The mode of a rule in the configuration.
  host::Mode mode_of(const std::string& rule) const { return modes_.at(rule); }
  /// No guard refuses it, and the mode of its rule lets it act.
  bool would_act(const Proposal& proposal) const {
    return proposal.refused_by.empty() && mode_of(proposal.rule) == host::Mode::enforce;
  }
  const scenarios::GuardSpec& guards() const { return configuration_.guards; }
  /// Since when the metrics of alarms could not be read, up to the end.
  std::optional<policy::Instant> metrics_unread_since() const { return metrics_unread_since_; }
  const std::vector<Proposal>& proposals() const { return proposals_.rows(); }
  bool is_partial() const { return is_partial_; }
  /// Why the run ended early; empty: it did not.
  const std::string& failure() const { return failure_; }
  /// One row for each rule, also for those that would do nothing.  `command` and `facts` stand
  /// in the first lines, and `why_partial` at the end unless it is empty.
  report::Table rules_table(std::string_view command, std::vector<std::string> facts,
                            const std::string& why_partial) const;
  /// Each proposal, so that everything printed is exported.  For people, the evidence stands for
  /// the reason.
  report::Table proposals_table(bool for_people) const;
  /// Both tables, as the console prints them.
  void print(const report::Table& rules, const Console& console) const;
  /// Muted rules, and jobs that no rule can judge.
  void complain(const Console& console) const;

 private:
  std::string configuration_text_;
  scenarios::Scenario configuration_;
  std::map<std::string, host::Mode> modes_;
  scenarios::PolicySpec policy_;
  live::Roster roster_;
  host::Journal journal_;
  std::string journal_path_;
  std::optional<report::TemporaryFile> file_;
  bool acts_;
  Proposals proposals_;
  std::unique_ptr<host::Host> host_;
  std::optional<policy::Instant> start_;
  bool is_partial_ = false;
  bool has_metrics_ = false;
  std::optional<policy::Instant> metrics_unread_since_;
  std::string failure_;
};

}  // namespace reeve::app
