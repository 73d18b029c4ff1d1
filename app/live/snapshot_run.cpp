#include "app/live/snapshot_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <variant>

#include "app/study/interruption.hpp"
#include "app/usage_error.hpp"
#include "live/alarms/cloud_metrics.hpp"
#include "report/display_width.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

live::AccountJobs running_jobs(Account& account, const Console& console) {
  const std::atomic<bool>& interrupted = interruption();
  const bool shows = console.watched() && !console.quiet;
  auto found =
      live::running_jobs(account.client(), account.clock(), [&](std::size_t done, std::size_t all) {
        if (shows) console.complain(fmt::format("\rtraining jobs read: {} of {}", done, all));
        return !interrupted.load();
      });
  if (shows) console.complain("\r\x1b[K");
  if (const auto* failed = std::get_if<live::FailedCall>(&found)) give_up(*failed);
  return std::get<live::AccountJobs>(std::move(found));
}

void complain_about_jobs(const live::AccountJobs& jobs, const Console& console) {
  constexpr std::size_t most_shown = 10;
  for (std::size_t job = 0; job < std::min(jobs.unread.size(), most_shown); ++job) {
    console.complain(fmt::format("training job {} cannot be read: {}\n",
                                 scenarios::in_quotes(jobs.unread[job].name),
                                 report::printable(jobs.unread[job].why)));
  }
  if (jobs.unread.size() > most_shown) {
    console.complain(fmt::format("and {} more training jobs\n", jobs.unread.size() - most_shown));
  }
}

void complain_about_metrics(const live::FailedCall& failed, const Console& console) {
  const std::string hint = hint_for(failed);
  console.complain(fmt::format("{} failed: {} {}\n", failed.action, failed.error.code,
                               report::printable(failed.error.message)));
  if (!hint.empty()) console.complain("  = help: " + hint + '\n');
}

}  // namespace

void check_guards_of_pass(const std::string& command, const scenarios::GuardSpec& guards) {
  std::string name;
  if (guards.canary) name = "canary";
  if (guards.dry_start > policy::Duration{0}) name = "dry_start";
  if (name.empty()) return;
  throw UsageError{command + " cannot keep the guard " + name + " from one pass to the next",
                   "use live run, or a guard such as stops_per_hour"};
}

SnapshotRun::SnapshotRun(RuleRun& rules, Account& account, const Console& console)
    : rules_{rules},
      account_{account},
      console_{console},
      at_{account.now()},
      jobs_{running_jobs(account, console)},
      snapshot_{jobs_.jobs, rules.roster(), at_} {}

void SnapshotRun::observe(host::Feed& feed, Acting acting) {
  live::CloudMetrics metrics{account_.client()};
  rules_.run({.feed = feed,
              .start = at_,
              .metrics = &metrics,
              .acting = std::move(acting),
              .is_snapshot = true,
              .on_trouble = [&](const live::FailedCall& failed) { unread_metrics_ = failed; }});
  const bool is_failure = unread_metrics_ && !interruption();  // which ends calls
  if (is_failure) complain_about_metrics(*unread_metrics_, console_);
  complain_about_jobs(jobs_, console_);
}

std::string SnapshotRun::why_partial() const {
  if (!rules_.failure().empty()) return rules_.failure();
  if (jobs_.interrupted || rules_.is_partial()) return "interrupted";
  const std::size_t unknown =
      jobs_.unread.size() + rules_.roster().undescribed().size() + rules_.roster().counts().foreign;
  if (unknown > 0) return scenarios::counted(unknown, "training job") + " could not be read";
  return unread_metrics_ ? "the metrics of alarms could not be read" : "";
}

}  // namespace reeve::app
