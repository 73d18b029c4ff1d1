#include "app/live/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

#include "app/exit_code.hpp"
#include "app/files/output_place.hpp"
#include "app/live/account.hpp"
#include "app/live/plan_file.hpp"
#include "app/study/interruption.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "live/alarms/cloud_metrics.hpp"
#include "live/aws/timestamps.hpp"
#include "live/feed/account_jobs.hpp"
#include "report/display_width.hpp"
#include "report/format.hpp"
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

std::string why_partial(RuleRun& rules, const live::AccountJobs& jobs,
                        const std::optional<live::FailedCall>& unread_metrics) {
  if (!rules.failure().empty()) return rules.failure();
  if (jobs.interrupted || rules.is_partial()) return "interrupted";
  const std::size_t unknown =
      jobs.unread.size() + rules.roster().undescribed().size() + rules.roster().counts().foreign;
  if (unknown > 0) return scenarios::counted(unknown, "training job") + " could not be read";
  return unread_metrics ? "the metrics of alarms could not be read" : "";
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

std::size_t actions_of(const RuleRun& rules) {
  return static_cast<std::size_t>(
      std::count_if(rules.proposals().begin(), rules.proposals().end(),
                    [&](const Proposal& row) { return rules.would_act(row); }));
}

void write_plan(const std::string& file, const RuleRun& rules, const report::Table& table,
                const Account& account, const live::AccountJobs& jobs, policy::Instant now,
                bool is_partial, const Console& console) {
  report::TemporaryFile out{file};
  out.stream()
      << plan_begins
      << fmt::format(
             ",\"at\":\"{}\",\"account\":\"{}\",\"region\":\"{}\",\"actions\":{},\"partial\":{},",
             live::iso_date(now), account.id(), account.region(), actions_of(rules), is_partial)
      << "\"enforce\":"
      << enforceable(rules, jobs).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
      << ",\"rules\":" << report::json(table)
      << ",\"proposals\":" << report::json(rules.proposals_table(false)) << "}\n";
  out.close();
  out.put_in_place();
  console.note(fmt::format("wrote {}; reeve live enforce {}\n", file, shell_word(file)));
}

void complain_about_metrics(const live::FailedCall& failed, const Console& console) {
  const std::string hint = hint_for(failed);
  console.complain(fmt::format("{} failed: {} {}\n", failed.action, failed.error.code,
                               report::printable(failed.error.message)));
  if (!hint.empty()) console.complain("  = help: " + hint + '\n');
}

}  // namespace

int plan(const PlanArguments& arguments, const Console& console) {
  RuleRun rules{arguments.rules, console};
  if (arguments.out) {
    check_output_file(*arguments.out, plan_begins, "--out");
    if (arguments.out == arguments.rules.journal) {
      throw UsageError{"--out and --journal name the same file", "choose another file for one"};
    }
  }
  Account account{rules.settings()};
  // A job that is read later may have changed by then: judged at the start, it is not late.
  const policy::Instant now = account.now();
  const live::AccountJobs jobs = running_jobs(account, console);
  live::Snapshot snapshot{jobs.jobs, rules.roster(), now};
  live::CloudMetrics metrics{account.client()};
  std::optional<live::FailedCall> unread_metrics;
  rules.run({.feed = snapshot,
             .start = now,
             .metrics = &metrics,
             .is_snapshot = true,
             .on_trouble = [&](const live::FailedCall& failed) { unread_metrics = failed; }});
  if (unread_metrics) complain_about_metrics(*unread_metrics, console);
  complain_about_jobs(jobs, console);
  rules.complain(console);
  std::vector<std::string> facts{account.region()};
  if (const auto& id = rules.settings().account; !id.empty()) facts.push_back("account " + id);
  const std::string lacks = why_partial(rules, jobs, unread_metrics);
  const report::Table table = rules.rules_table("plan", std::move(facts), lacks);
  rules.print(table, console);
  const bool is_interrupted = jobs.interrupted || rules.is_partial();
  if (arguments.out && is_interrupted) {
    console.complain("interrupted: " + *arguments.out + " is not written\n");
  } else if (arguments.out) {
    write_plan(*arguments.out, rules, table, account, jobs, now, !lacks.empty(), console);
  }
  rules.keep_journal(console);
  if (is_interrupted) return ExitCode::interrupted;
  if (!rules.failure().empty()) return ExitCode::failed;
  if (!lacks.empty()) return ExitCode::cloud;
  if (!rules.host().muted().empty()) return ExitCode::failed;
  return arguments.detailed_exitcode && actions_of(rules) > 0 ? ExitCode::pending : ExitCode::done;
}

}  // namespace reeve::app
