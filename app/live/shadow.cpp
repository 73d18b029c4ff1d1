#include "app/live/shadow.hpp"

#include <fmt/format.h>

#include <chrono>
#include <istream>
#include <memory>
#include <set>
#include <utility>

#include "app/exit_code.hpp"
#include "app/live/account.hpp"
#include "app/live/interruptible_input.hpp"
#include "app/study/interruption.hpp"
#include "app/usage_error.hpp"
#include "live/alarms/cloud_metrics.hpp"
#include "live/feed/event_lines.hpp"
#include "live/feed/queue_feed.hpp"
#include "report/display_width.hpp"
#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::app {
namespace {

using scenarios::in_quotes;

/// What was taken and what was not: `all` is "12 events" or "12 messages".
std::string intake_text(std::string all, const live::RosterCounts& counts,
                        std::uint64_t unreadable) {
  if (counts.unused > 0) all += fmt::format(", {} not used", counts.unused);
  if (counts.foreign > 0) all += fmt::format(", {} of other accounts or regions", counts.foreign);
  if (unreadable > 0) all += fmt::format(", {} unreadable", unreadable);
  return all;
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

/// The table and the journal; the exit code if nothing else went wrong.
int finish(RuleRun& rules, std::string events, std::string why_partial, const Console& console) {
  rules.complain(console);
  if (rules.is_partial()) why_partial = "interrupted";
  if (!rules.failure().empty()) why_partial = rules.failure();
  rules.print(rules.rules_table("shadow", {std::move(events)}, why_partial), console);
  rules.keep_journal(console);
  if (rules.is_partial()) return ExitCode::interrupted;
  if (!why_partial.empty()) return ExitCode::failed;
  return rules.host().muted().empty() ? ExitCode::done : ExitCode::failed;
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
  rules.run({.feed = events, .start = events.start()});
  complain_about_lines(events, from, console);
  const live::RosterCounts& counts = rules.roster().counts();
  std::string lacks;
  if (events.unreadable() > 0) {
    lacks = scenarios::counted(events.unreadable(), "line") + " could not be read";
  }
  if (!input.failure().empty()) lacks = "reading " + from + " failed: " + input.failure();
  const int code = finish(
      rules, intake_text(scenarios::counted(counts.all(), "event"), counts, events.unreadable()),
      lacks, console);
  if (code != ExitCode::interrupted && events.unreadable() > 0 && counts.all() == 0) {
    console.complain("no line is an event: write one JSON object per line\n");
    return ExitCode::invalid;
  }
  return code;
}

/// Each kind of trouble once: an outage must not fill the log.
live::QueueWatch watch_of(const Console& console) {
  auto told = std::make_shared<std::set<std::string>>();
  return {.interrupted = [&interrupted = interruption()] { return interrupted.load(); },
          .on_trouble =
              [&console, told](const live::FailedCall& failed) {
                if (!told->insert(failed.action + failed.error.code).second) return;
                const std::string hint = hint_for(failed);
                console.complain(fmt::format(
                    "{} failed: {} {}\n  = help: {}\n", failed.action, failed.error.code,
                    report::printable(failed.error.message),
                    failed.error.retryable || hint.empty() ? "reeve tries it again"
                                                           : hint + "; reeve tries it again"));
              },
          .on_unreadable =
              [&console, told](const std::string& id, const std::string& why) {
                constexpr std::size_t most_told = 10;
                if (told->size() >= most_told || !told->insert(id).second) return;
                console.complain(
                    fmt::format("{}: {}\n", report::printable(id), report::printable(why)));
              }};
}

std::string queue_text(const live::Roster& roster, const live::QueueCounts& counts) {
  std::string text = intake_text(scenarios::counted(counts.messages, "message"), roster.counts(),
                                 counts.unreadable);
  if (counts.looked_up > 0) {
    text += ", " + scenarios::counted(counts.looked_up, "job") + " looked up";
  }
  if (counts.failed_calls > 0) {
    text += ", " + scenarios::counted(counts.failed_calls, "failed call");
  }
  return text;
}

std::optional<policy::Duration> length_of(const std::optional<std::string>& written) {
  if (!written) return std::nullopt;
  constexpr policy::Duration most = std::chrono::days{3'660};
  const auto parsed = scenarios::parse_duration(*written);
  if (!parsed || *parsed <= policy::Duration{0} || *parsed > most) {
    throw UsageError{"--for " + in_quotes(*written) + " is not a length of time", "--for 12h"};
  }
  return *parsed;
}

int shadow_queue(const ShadowArguments& arguments, const Console& console) {
  RuleRun rules{arguments.rules, console};
  const scenarios::LiveSpec& settings = rules.settings();
  if (settings.queue.empty()) {
    throw UsageError{"live shadow has no events: the configuration names no queue",
                     "add \"queue\" to the key \"live\", or --from events.jsonl"};
  }
  const auto length = length_of(arguments.run_length);
  Account account{settings};
  const live::QueueWatch watch = watch_of(console);
  live::QueueFeed feed{account.client(),
                       account.clock(),
                       rules.roster(),
                       {settings.queue, settings.reconcile_every},
                       watch};
  const policy::Instant start = feed.time();
  note_interruption();  // the feed looks at it all the time
  console.note("reading " + settings.queue + "; Ctrl-C ends it with the table\n");
  live::CloudMetrics metrics{account.client()};
  rules.run({.feed = feed,
             .start = start,
             .until = length ? start + *length : policy::never,
             .metrics = &metrics,
             .on_trouble = watch.on_trouble});
  feed.finish();
  if (feed.failure()) give_up(*feed.failure());
  return finish(rules, queue_text(rules.roster(), feed.counts()), {}, console);
}

}  // namespace

int shadow(const ShadowArguments& arguments, const Console& console) {
  return arguments.from ? shadow_lines(arguments, console) : shadow_queue(arguments, console);
}

}  // namespace reeve::app
