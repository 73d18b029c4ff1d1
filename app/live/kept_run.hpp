// What a run beside a feed leaves behind: its record in a directory, and its status page.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/console.hpp"
#include "app/live/rule_run.hpp"
#include "app/live/shadow_record.hpp"
#include "app/live/status_page.hpp"
#include "report/table.hpp"

namespace reeve::app {

struct KeepArguments {
  std::optional<std::string> out;            ///< a directory for the record of the run
  std::optional<std::uint32_t> status_port;  ///< of a page on loopback; 0: a free one
};

/// What the status page shows.
struct Shown {
  std::vector<report::Table> tables;
  std::string metrics;  ///< in the text format of Prometheus
};

class KeptRun {
 public:
  /// `intake`: what was taken, for people.  Throws UsageError.  `rules` must outlive it.
  KeptRun(const RuleRunArguments& of, const KeepArguments& keep, RuleRun& rules,
          std::function<std::string()> intake, const Console& console);

  /// Shows this instead of the proposals of the rules.
  void show_instead(std::function<Shown()> shown) { shown_of_ = std::move(shown); }
  /// After each step.
  void keep();
  /// Before a pause.
  void keep_all();
  void note_trouble(const live::FailedCall& failed);
  void take_sample(const std::string& host, policy::Instant minute, double percent);
  /// Why the last lines could not be written; empty: they were.
  std::string end(const Console& console);

 private:
  void show();

  RuleRun& rules_;
  std::function<std::string()> intake_;
  std::function<Shown()> shown_of_;
  std::string place_;
  std::optional<StatusPage> page_;
  std::chrono::steady_clock::time_point shown_;
  std::optional<ShadowRecord> record_;
};

/// Ends the record, and completes `why_partial`: an interruption and a failure come first.
struct EndedRun {
  std::string why_partial;  ///< empty: the run is complete
  bool is_unkept = false;   ///< something could not be written
};
EndedRun end_run(const RuleRun& rules, KeptRun& kept, std::string why_partial,
                 const Console& console);
/// The exit code of a run that ended so; `if_partial` if it is partial for no failure of reeve.
int exit_code_of(const RuleRun& rules, const EndedRun& ended, int if_partial);

/// What was taken and what was not: `all` is "12 events" or "12 messages".
std::string intake_text(std::string all, const live::RosterCounts& counts,
                        std::uint64_t unreadable);

}  // namespace reeve::app
