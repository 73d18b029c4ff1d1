#include "app/live/shadow.hpp"

#include <fmt/format.h>

#include <istream>
#include <utility>

#include "app/exit_code.hpp"
#include "app/live/interruptible_input.hpp"
#include "app/live/kept_run.hpp"
#include "app/live/queue_run.hpp"
#include "app/usage_error.hpp"
#include "live/feed/event_lines.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using scenarios::in_quotes;

void complain_about_lines(const live::EventLines& events, const std::string& from,
                          const Console& console) {
  for (const live::UnreadableLine& line : events.first_unreadable()) {
    console.complain(fmt::format("{}:{}: {}\n", from, line.line, line.why));
  }
  const auto shown = events.first_unreadable().size();
  if (events.unreadable() > shown) {
    console.complain(
        fmt::format("and {} more lines that are no events\n", events.unreadable() - shown));
  }
}

/// The tables and the journal; the exit code if nothing else went wrong.
int finish(RuleRun& rules, KeptRun& kept, std::string intake, std::string why_partial,
           const Console& console, int if_partial) {
  const EndedRun ended = end_run(rules, kept, std::move(why_partial), console);
  rules.print(rules.rules_table("shadow", {std::move(intake)}, ended.why_partial), console);
  rules.keep_journal(console);
  return exit_code_of(rules, ended, if_partial);
}

int shadow_lines(const ShadowArguments& arguments, const Console& console) {
  const std::string& from = *arguments.from;
  InterruptibleInput input{from};
  if (!input.is_open()) {
    throw UsageError{"--from " + in_quotes(from) + " cannot be read",
                     "name a file with one event per line, or - for standard input"};
  }
  std::istream lines{&input};
  RuleRun rules{arguments.rules, console};
  live::EventLines events{lines, rules.roster()};
  const live::RosterCounts& counts = rules.roster().counts();
  const auto intake = [&] {
    return intake_text(scenarios::counted(counts.all(), "event"), counts, events.unreadable());
  };
  KeptRun kept{arguments.rules, {arguments.out, arguments.status_port}, rules, intake, console};
  rules.run({.feed = events, .start = events.start(), .on_step = [&] { kept.keep(); }});
  complain_about_lines(events, from, console);
  std::string lacks;
  if (events.unreadable() > 0) {
    lacks = scenarios::counted(events.unreadable(), "line") + " could not be read";
  }
  if (!input.failure().empty()) lacks = "reading " + from + " failed: " + input.failure();
  const int code = finish(rules, kept, intake(), lacks, console, ExitCode::failed);
  if (code != ExitCode::interrupted && events.unreadable() > 0 && counts.all() == 0) {
    console.complain("no line is an event: write one JSON object per line\n");
    return ExitCode::invalid;
  }
  return code;
}

int shadow_queue(const ShadowArguments& arguments, const Console& console) {
  RuleRun rules{arguments.rules, console};
  QueueRun run{"live shadow", rules, arguments.run_length, console};
  KeptRun kept{arguments.rules,
               {arguments.out, arguments.status_port},
               rules,
               [&run] { return run.intake(); },
               console};
  run.observe(kept, run.feed(), {});
  run.check_received();
  return finish(rules, kept, run.intake(), run.unobserved(), console, ExitCode::cloud);
}

}  // namespace

int shadow(const ShadowArguments& arguments, const Console& console) {
  return arguments.from ? shadow_lines(arguments, console) : shadow_queue(arguments, console);
}

}  // namespace reeve::app
