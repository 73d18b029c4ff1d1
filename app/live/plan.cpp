#include "app/live/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "app/exit_code.hpp"
#include "app/files/output_place.hpp"
#include "app/live/account.hpp"
#include "app/live/cloud_error.hpp"
#include "app/live/plan_file.hpp"
#include "app/live/snapshot_run.hpp"
#include "app/study/interruption.hpp"
#include "app/text/shell_word.hpp"
#include "app/usage_error.hpp"
#include "live/aws/timestamps.hpp"
#include "live/feed/account_jobs.hpp"

namespace reeve::app {
namespace {

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

/// None: interrupted.
std::optional<Account> opened_account(const RuleRun& rules, const Console& console) try {
  return std::optional<Account>{std::in_place, rules.settings()};
} catch (const CloudError&) {
  if (!interruption()) throw;
  console.complain("interrupted: nothing was read\n");
  return std::nullopt;
}

}  // namespace

int plan(const PlanArguments& arguments, const Console& console) {
  RuleRun rules{arguments.rules, console};
  if (arguments.out) {
    check_output_file(*arguments.out, plan_begins, "--out");
    check_replaced_file(*arguments.out, "--out");
    if (arguments.out == arguments.rules.journal) {
      throw UsageError{"--out and --journal name the same file", "choose another file for one"};
    }
  }
  note_interruption();  // each call and each wait looks at it
  std::optional<Account> account = opened_account(rules, console);
  if (!account) return ExitCode::interrupted;
  SnapshotRun run{rules, *account, console};
  run.observe(run.feed(), {});
  rules.complain(console);
  std::vector<std::string> facts{account->region()};
  if (const auto& id = rules.settings().account; !id.empty()) facts.push_back("account " + id);
  const std::string lacks = run.why_partial();
  const report::Table table = rules.rules_table("plan", std::move(facts), lacks);
  rules.print(table, console);
  const bool is_interrupted = run.jobs().interrupted || rules.is_partial();
  if (arguments.out && is_interrupted) {
    console.complain("interrupted: " + *arguments.out + " is not written\n");
  } else if (arguments.out) {
    write_plan(*arguments.out, rules, table, *account, run.jobs(), run.at(), !lacks.empty(),
               console);
  }
  rules.keep_journal(console);
  if (is_interrupted) return ExitCode::interrupted;
  if (!rules.failure().empty()) return ExitCode::failed;
  if (!lacks.empty()) return ExitCode::cloud;
  if (!rules.host().muted().empty()) return ExitCode::failed;
  return arguments.detailed_exitcode && actions_of(rules) > 0 ? ExitCode::pending : ExitCode::done;
}

}  // namespace reeve::app
