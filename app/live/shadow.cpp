#include "app/live/shadow.hpp"

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <istream>
#include <memory>
#include <set>
#include <utility>

#include "app/exit_code.hpp"
#include "app/live/account.hpp"
#include "app/live/interruptible_input.hpp"
#include "app/live/recorded_samples.hpp"
#include "app/live/shadow_record.hpp"
#include "app/live/status_page.hpp"
#include "app/study/interruption.hpp"
#include "app/usage_error.hpp"
#include "live/alarms/cloud_metrics.hpp"
#include "live/feed/event_lines.hpp"
#include "live/feed/queue_feed.hpp"
#include "report/display_width.hpp"
#include "report/format.hpp"
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

/// The record of a run, if one is asked for.
class KeptRun {
 public:
  KeptRun(const ShadowArguments& arguments, RuleRun& rules, std::function<std::string()> intake,
          const Console& console)
      : rules_{rules}, intake_{std::move(intake)}, place_{arguments.out.value_or("")} {
    if (arguments.status_port) {
      page_.emplace(static_cast<std::uint16_t>(*arguments.status_port));
      console.note("status page: " + page_->url() + '\n');
    }
    if (!arguments.out) return;
    if (arguments.rules.journal) {
      throw UsageError{"--journal and --out exclude each other", "the directory has the journal"};
    }
    record_.emplace(place_, rules, arguments.rules.file).describe_intake(intake_);
  }
  /// After each step.
  void keep() {
    if (record_) record_->keep();
    constexpr std::chrono::seconds old{2};
    if (page_ && std::chrono::steady_clock::now() - shown_ >= old) show();
  }
  /// Before a pause.
  void keep_all() {
    if (record_) record_->keep_all();
    if (page_) show();
  }
  void note_trouble(const live::FailedCall& failed) {
    if (record_) record_->note_trouble(failed);
  }
  void take_sample(const std::string& host, policy::Instant minute, double percent) {
    if (record_) record_->take_sample(host, minute, percent);
  }
  /// Why the last lines could not be written; empty: they were.
  std::string end(const Console& console) {
    if (!record_ || !rules_.failure().empty()) return {};
    try {
      record_->end(rules_.is_partial() ? "interrupted" : "ended");
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    console.note("wrote " + place_ + "; reeve live log " + place_ + '\n');
    return {};
  }

 private:
  void show() {
    shown_ = std::chrono::steady_clock::now();
    page_->show({rules_.rules_table("shadow", {intake_()}, {}), rules_.proposals_table(true)});
  }

  RuleRun& rules_;
  std::function<std::string()> intake_;
  std::string place_;
  std::optional<StatusPage> page_;
  std::chrono::steady_clock::time_point shown_;
  std::optional<ShadowRecord> record_;
};

/// The tables and the journal; the exit code if nothing else went wrong.
int finish(RuleRun& rules, KeptRun& kept, std::string intake, std::string why_partial,
           const Console& console, int if_partial = ExitCode::failed) {
  rules.complain(console);
  if (rules.is_partial()) why_partial = "interrupted";
  if (!rules.failure().empty()) why_partial = rules.failure();
  const std::string unkept = kept.end(console);
  if (!unkept.empty()) why_partial = unkept;
  rules.print(rules.rules_table("shadow", {std::move(intake)}, why_partial), console);
  rules.keep_journal(console);
  if (rules.is_partial()) return ExitCode::interrupted;
  if (!why_partial.empty()) {
    return rules.failure().empty() && unkept.empty() ? if_partial : ExitCode::failed;
  }
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
  const live::RosterCounts& counts = rules.roster().counts();
  const auto intake = [&] {
    return intake_text(scenarios::counted(counts.all(), "event"), counts, events.unreadable());
  };
  KeptRun kept{arguments, rules, intake, console};
  rules.run({.feed = events, .start = events.start(), .on_step = [&] { kept.keep(); }});
  complain_about_lines(events, from, console);
  std::string lacks;
  if (events.unreadable() > 0) {
    lacks = scenarios::counted(events.unreadable(), "line") + " could not be read";
  }
  if (!input.failure().empty()) lacks = "reading " + from + " failed: " + input.failure();
  const int code = finish(rules, kept, intake(), lacks, console);
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

/// What was not observed at the end; empty: all was.  A call that failed once is no gap.
std::string unobserved(const RuleRun& rules, live::QueueFeed& feed) {
  constexpr std::chrono::minutes gap{5};
  const policy::Instant now = feed.time();
  if (const auto since = feed.cut_off_since();
      since && (now - *since >= gap || !feed.has_received())) {
    return "nothing could be received since " + report::instant(*since);
  }
  if (const auto since = rules.metrics_unread_since(); since && now - *since >= gap) {
    return "the metrics of alarms could not be read since " + report::instant(*since);
  }
  return {};
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
  KeptRun* keeper = nullptr;  // which the feed needs, and which describes the feed
  const live::QueueWatch said = watch_of(console);
  live::QueueWatch watch = said;
  watch.on_trouble = [&](const live::FailedCall& failed) {
    if (keeper != nullptr) keeper->note_trouble(failed);
    said.on_trouble(failed);
  };
  watch.on_wait = [&] { keeper->keep_all(); };
  live::QueueFeed feed{account.client(),
                       account.clock(),
                       rules.roster(),
                       {settings.queue, settings.reconcile_every},
                       watch};
  std::uint64_t unread_metrics = 0;
  const auto intake = [&] {
    std::string text = queue_text(rules.roster(), feed.counts());
    if (unread_metrics > 0) {
      text += ", " + scenarios::counted(unread_metrics, "failed read") + " of metrics";
    }
    return text;
  };
  KeptRun kept{arguments, rules, intake, console};
  keeper = &kept;
  const policy::Instant start = feed.time();
  note_interruption();  // the feed looks at it all the time
  console.note("reading " + settings.queue + "; Ctrl-C ends it with the table\n");
  live::CloudMetrics cloud{account.client()};
  ToldMetrics metrics{cloud, [&](const std::string& host, policy::Instant minute, double percent) {
                        kept.take_sample(host, minute, percent);
                      }};
  rules.run({.feed = feed,
             .start = start,
             .until = length ? start + *length : policy::never,
             .metrics = &metrics,
             .on_trouble =
                 [&](const live::FailedCall& failed) {
                   ++unread_metrics;
                   watch.on_trouble(failed);
                 },
             .on_step = [&] { kept.keep(); }});
  // What could not be recorded comes again.
  if (rules.failure().empty()) feed.finish();
  if (feed.failure()) give_up(*feed.failure());
  return finish(rules, kept, intake(), unobserved(rules, feed), console, ExitCode::cloud);
}

}  // namespace

int shadow(const ShadowArguments& arguments, const Console& console) {
  return arguments.from ? shadow_lines(arguments, console) : shadow_queue(arguments, console);
}

}  // namespace reeve::app
