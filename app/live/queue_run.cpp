#include "app/live/queue_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <set>
#include <utility>

#include "app/live/recorded_samples.hpp"
#include "app/study/interruption.hpp"
#include "app/usage_error.hpp"
#include "live/alarms/cloud_metrics.hpp"
#include "report/display_width.hpp"
#include "report/format.hpp"
#include "scenarios/text/diagnostic.hpp"
#include "scenarios/text/quantity.hpp"

namespace reeve::app {
namespace {

using scenarios::in_quotes;

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

const scenarios::LiveSpec& with_queue(const std::string& command, const RuleRun& rules) {
  if (rules.settings().queue.empty()) {
    throw UsageError{command + " has no events: the configuration names no queue",
                     "add \"queue\" to the key \"live\"" +
                         std::string{command == "live shadow" ? ", or --from events.jsonl" : ""}};
  }
  return rules.settings();
}

}  // namespace

QueueRun::QueueRun(const std::string& command, RuleRun& rules,
                   const std::optional<std::string>& length, const Console& console)
    : rules_{rules},
      console_{console},
      length_{(with_queue(command, rules), length_of(length))},
      account_{rules.settings()},
      said_{watch_of(console)},
      feed_{account_.client(),
            account_.clock(),
            rules.roster(),
            {rules.settings().queue, rules.settings().reconcile_every},
            {.interrupted = said_.interrupted,
             .on_trouble = [this](const live::FailedCall& failed) { note_trouble(failed); },
             .on_unreadable = said_.on_unreadable,
             .on_wait =
                 [this] {
                   if (kept_ != nullptr) kept_->keep_all();
                 }}} {}

void QueueRun::note_trouble(const live::FailedCall& failed) {
  if (kept_ != nullptr) kept_->note_trouble(failed);
  said_.on_trouble(failed);
}

std::string QueueRun::intake() const {
  std::string text = queue_text(rules_.roster(), feed_.counts());
  if (unread_metrics_ > 0) {
    text += ", " + scenarios::counted(unread_metrics_, "failed read") + " of metrics";
  }
  return text;
}

void QueueRun::observe(KeptRun& kept, host::Feed& feed, Acting acting) {
  kept_ = &kept;
  const policy::Instant start = feed_.time();
  note_interruption();  // the feed looks at it all the time
  console_.note("reading " + rules_.settings().queue + "; Ctrl-C ends it with the table\n");
  live::CloudMetrics cloud{account_.client()};
  ToldMetrics metrics{cloud, [&](const std::string& host, policy::Instant minute, double percent) {
                        kept.take_sample(host, minute, percent);
                      }};
  rules_.run({.feed = feed,
              .start = start,
              .until = length_ ? start + *length_ : policy::never,
              .metrics = &metrics,
              .acting = std::move(acting),
              .on_trouble =
                  [&](const live::FailedCall& failed) {
                    ++unread_metrics_;
                    note_trouble(failed);
                  },
              .on_step = [&] { kept.keep(); }});
  // What could not be recorded comes again.
  if (rules_.failure().empty()) feed_.finish();
}

void QueueRun::check_received() const {
  if (feed_.failure()) give_up(*feed_.failure());
}

std::string QueueRun::unobserved() {
  constexpr std::chrono::minutes gap{5};
  const policy::Instant now = feed_.time();
  if (const auto since = feed_.cut_off_since();
      since && (now - *since >= gap || !feed_.has_received())) {
    return "nothing could be received since " + report::instant(*since);
  }
  if (const auto since = feed_.blind_since(); since && now - *since >= gap) {
    return "training jobs could not be read since " + report::instant(*since);
  }
  if (const auto since = rules_.metrics_unread_since(); since && now - *since >= gap) {
    return "the metrics of alarms could not be read since " + report::instant(*since);
  }
  return {};
}

}  // namespace reeve::app
