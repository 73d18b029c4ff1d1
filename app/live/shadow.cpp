#include "app/live/shadow.hpp"

#include <fmt/format.h>

#include <istream>

#include "app/exit_code.hpp"
#include "app/live/interruptible_input.hpp"
#include "app/usage_error.hpp"
#include "live/feed/event_lines.hpp"
#include "scenarios/text/diagnostic.hpp"

namespace reeve::app {
namespace {

using scenarios::in_quotes;

std::string events_text(const live::Roster& roster, const live::EventLines& events) {
  const live::RosterCounts& counts = roster.counts();
  std::string text = scenarios::counted(counts.all(), "event");
  if (counts.unused > 0) text += fmt::format(", {} not used", counts.unused);
  if (counts.foreign > 0) text += fmt::format(", {} of other accounts or regions", counts.foreign);
  if (events.unreadable() > 0) {
    text += fmt::format(", {} unreadable", events.unreadable());
  }
  return text;
}

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

}  // namespace

int shadow(const ShadowArguments& arguments, const Console& console) {
  InterruptibleInput input{arguments.from};
  if (!input.is_open()) {
    throw UsageError{"--from " + in_quotes(arguments.from) + " cannot be read",
                     "name a file with one event per line, or - for standard input"};
  }
  std::istream lines{&input};
  RuleRun rules{arguments.rules, console};
  live::EventLines events{lines, rules.roster()};
  rules.run(events, events.start());
  complain_about_lines(events, arguments.from, console);
  rules.complain(console);
  rules.print(rules.rules_table("shadow", {events_text(rules.roster(), events)},
                                rules.is_partial() ? "interrupted" : ""),
              console);
  rules.keep_journal(console);
  if (rules.is_partial()) return ExitCode::interrupted;
  if (events.unreadable() > 0 && rules.roster().counts().all() == 0) {
    console.complain("no line is an event: write one JSON object per line\n");
    return ExitCode::invalid;
  }
  return rules.host().muted().empty() ? ExitCode::done : ExitCode::failed;
}

}  // namespace reeve::app
