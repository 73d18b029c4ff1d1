#include "app/live/run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <tuple>
#include <utility>
#include <variant>

#include "app/exit_code.hpp"
#include "app/live/action_journal_file.hpp"
#include "app/live/queue_run.hpp"
#include "app/live/snapshot_run.hpp"
#include "host/enum_names.hpp"
#include "live/aws/timestamps.hpp"

namespace reeve::app {
namespace {

RuleRunArguments acting(RuleRunArguments arguments) {
  arguments.acts = true;
  arguments.journal.reset();
  return arguments;
}

/// Label values of Prometheus: a backslash, a quote and a line break are escaped.
std::string label(const std::string& value) {
  std::string out;
  for (const char c : value) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return '"' + out + '"';
}

std::string metrics_of(const RuleRun& rules, const Actor& actor, std::uint64_t messages) {
  std::string text = fmt::format(
      "# TYPE reeve_messages_total counter\nreeve_messages_total {}\n"
      "# TYPE reeve_calls_total counter\nreeve_calls_total {}\n"
      "# TYPE reeve_training_jobs gauge\nreeve_training_jobs {}\n"
      "# TYPE reeve_kill_switch gauge\nreeve_kill_switch {}\n",
      messages, actor.calls(), rules.has_begun() ? rules.host().belief().running() : 0,
      actor.is_killed() ? 1 : 0);
  if (rules.has_begun()) {
    text += fmt::format(
        "# TYPE reeve_actions_in_flight gauge\nreeve_actions_in_flight {}\n"
        "# TYPE reeve_muted_rules gauge\nreeve_muted_rules {}\n",
        rules.host().actions_in_flight(), rules.host().muted().size());
  }
  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> counts;
  for (const live::ActionRow& row : actor.rows()) {
    ++counts[{row.rule, std::string{host::name_of(row.action)},
              row.outcome.empty() ? "in_flight" : row.outcome}];
  }
  text += "# TYPE reeve_actions gauge\n";
  for (const auto& [key, count] : counts) {
    const auto& [rule, action, outcome] = key;
    text += fmt::format("reeve_actions{{rule={},action={},outcome={}}} {}\n", label(rule),
                        label(action), label(outcome), count);
  }
  return text;
}

void print(const report::Table& summary, const RuleRun& rules, const Actor& actor,
           const Console& console) {
  const report::Table actions = actor.actions_table(!console.json);
  const report::Table proposals = rules.proposals_table(!console.json);
  if (console.json) {
    console.print("[" + report::json(summary) + "," + report::json(actions) + "," +
                  report::json(proposals) + "]\n");
    return;
  }
  console.print(summary);
  for (const report::Table* table : {&actions, &proposals}) {
    if (table->rows.empty()) continue;
    console.print("\n");
    console.print(*table);
  }
}

int exit_code(const RuleRun& rules, const Actor& actor, const EndedRun& ended) {
  const int code = exit_code_of(rules, ended, ExitCode::cloud);
  return code == ExitCode::done && actor.has_failed() ? int{ExitCode::cloud} : code;
}

}  // namespace

int live_run(const ActArguments& arguments, const Console& console) {
  RuleRun rules{acting(arguments.rules), console};
  QueueRun run{"live run", rules, arguments.run_length, console};
  KeptRun kept{acting(arguments.rules), arguments.keep, rules, [&run] { return run.intake(); },
               console};
  NamedLog journal = open_action_log(arguments.actor.journal, run.account());
  Actor actor{arguments.actor, rules, run.account(), run.feed(), journal, console};
  actor.look_up_with([&run](const std::string& job) { run.feed().look_up(job); });
  if (const auto last = actor.last_entry()) {
    constexpr std::chrono::minutes around{15};
    run.feed().look_again(*last - around, *last + around);
    for (const std::string& job : actor.to_read_again()) run.feed().look_up(job);
  }
  kept.show_instead([&] {
    return Shown{{actor.summary("run", {run.intake()}, {}), actor.actions_table(true)},
                 metrics_of(rules, actor, run.messages())};
  });
  console.note("journal of actions: " + journal.name + '\n');
  run.observe(kept, actor.feed(), actor.acting());
  actor.finish();
  const EndedRun ended = end_run(rules, kept, run.unobserved(), console);
  print(actor.summary("run", {run.intake()}, ended.why_partial), rules, actor, console);
  if (!rules.failure().empty()) console.complain("the run ended: " + rules.failure() + '\n');
  run.check_received();
  return exit_code(rules, actor, ended);
}

int live_tick(const ActArguments& arguments, const Console& console) {
  RuleRun rules{acting(arguments.rules), console};
  check_guards_of_pass("live tick", rules.guards());
  Account account{rules.settings()};
  SnapshotRun run{rules, account, console};
  NamedLog journal = open_action_log(arguments.actor.journal, account);
  Actor actor{arguments.actor, rules, account, run.feed(), journal, console};
  run.observe(actor.feed(), actor.acting());
  actor.finish();
  rules.complain(console);
  const EndedRun ended{run.why_partial(), !rules.failure().empty()};
  print(actor.summary("tick", {account.region()}, ended.why_partial), rules, actor, console);
  return exit_code(rules, actor, ended);
}

}  // namespace reeve::app
