#include "heartbeat.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "ladder.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// What a signal is called, and what is held against who gives none; static texts.
struct Signal {
  std::string_view name;
  std::string_view reason;
  std::optional<Sign> sign;  ///< none: the reports of the script
};

constexpr std::array<Signal, 4> kSignals{{
    {"steps", "has made no step for too long", std::nullopt},
    {"log_lines", "has written no log line for too long", Sign::log_lines},
    {"network", "has sent nothing to its other hosts for too long", Sign::network},
    {"power", "has drawn no power for too long", Sign::power},
}};

const Signal& signal_named(std::string_view name) {
  const auto* const found = std::find_if(kSignals.begin(), kSignals.end(),
                                         [&](const Signal& s) { return s.name == name; });
  return found == kSignals.end() ? kSignals.front() : *found;  // the options were checked
}

struct HeartbeatRow {
  Instant beat = never;         ///< newest sign of life
  Instant due = never;          ///< when the timer is set for
  AttemptNumber attempt = 0;    ///< of all this: the newest that was heard of
  AttemptNumber asked = 0;      ///< newest attempt whose stop was asked for
  std::uint16_t incidents = 0;  ///< silences of the attempt that are over and did not end it
};

/// An attempt is watched from its first report on: one that never writes any is unknown, not dead.
/// Periods count while it trains; an interruption begins them anew.
class Heartbeat final : public LadderRule<HeartbeatRow> {
 public:
  explicit Heartbeat(const Options& options)
      : LadderRule<HeartbeatRow>{options},
        signal_{signal_named(options.text("signal"))},
        period_{options.duration("period")},
        misses_{options.integer("misses")} {}

 private:
  void hear(const Observation& seen) override {
    if (const auto* report = std::get_if<TrainingReported>(&seen.fact)) {
      if (!signal_.sign) note_beat(report->job, report->attempt, seen.happened_at);
    } else if (const auto* signs = std::get_if<SignsSeen>(&seen.fact)) {
      const bool own = signal_.sign && has_sign(signs->signs, *signal_.sign);
      if (own) note_beat(signs->job, signs->attempt, seen.happened_at);
    }
  }

  void note_beat(JobId job, AttemptNumber attempt, Instant at) {
    HeartbeatRow& row = jobs_[job];
    if (attempt < row.attempt) return;
    begin_attempt(row, attempt);
    row.beat = row.beat == never ? at : std::max(row.beat, at);
    heard_.push_back(job);
  }

  void look_around(const Step& step, Decisions& out) override {
    for (const JobId job : heard_) look_at(job, step, out);
    heard_.clear();
  }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    HeartbeatRow& row = jobs_[job];
    if (row.attempt != status.attempt) return;
    if (status.primary != Primary::in_progress || status.secondary != Secondary::training) return;
    const Instant due = due_at(row.beat, status.since);
    if (due > step.now) {
      ladder_.stand_down(job);
      end_incident(row, status.attempt);
      // One timer at a time: it finds out whether a report arrived meanwhile.
      if (row.due != never && row.due > step.now) return;
      row.due = due;
      return out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), due);
    }
    if (row.asked >= status.attempt) return;
    Grievance silent{job, status.attempt, signal_.reason, StopCause::standing_still};
    silent.incident += row.incidents;
    silent.basis = row.beat < status.since
                       ? "none for " + length_text(step.now - status.since) + " of training"
                       : "the last one " + length_text(step.now - row.beat) + " ago";
    if (ladder_.act(silent, step, out)) row.asked = status.attempt;
  }

  /// The end of so many whole periods without a report; they count from the start of this training.
  Instant due_at(Instant beat, Instant since) const {
    const std::int64_t heard = beat < since ? 0 : (beat - since) / period_ + 1;
    const std::int64_t most = Duration::max() / period_;
    return later(since, std::min(heard + misses_, most) * period_);
  }

  void forget(HeartbeatRow& row, AttemptNumber attempt) override {
    if (row.asked == attempt) --row.asked;
  }

  const Signal& signal_;
  Duration period_;
  std::int64_t misses_;
  std::vector<JobId> heard_;  ///< in this step
};

std::unique_ptr<Policy> make_heartbeat(const Options& options) {
  return std::make_unique<Heartbeat>(options);
}

}  // namespace

PolicyKind heartbeat_kind() {
  return {
      .name = "heartbeat",
      .summary = "stops or reports an attempt whose progress reports stop",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), stalled jobs; spin hangs, which a GPU alarm misses",
      .options =
          {
              {.name = "period",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("5m")",
               .min = 1,
               .choices = {},
               .help = "period in which at least one report is expected",
               .vary = Vary::up},
              {.name = "misses",
               .type = OptionType::integer,
               .unit = "periods",
               .default_json = "3",
               .min = 1,
               .max = 10'000,
               .choices = {},
               .help = "consecutive periods without a report",
               .vary = Vary::up},
              {.name = "signal",
               .type = OptionType::choice,
               .unit = "",
               .default_json = R"("steps")",
               .choices = {"steps", "log_lines", "network", "power"},
               .help = "signal to watch; a job declares its signals in `reports.signals`"},
              action_option("action on a silent job"),
              warn_for_option(),
          },
      .reads_reports = true,
      .finds_stalls = true,
      .verbs = ladder_verbs,
      .make = make_heartbeat,
  };
}

}  // namespace reeve::policies
