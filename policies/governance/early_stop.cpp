#include "early_stop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ladder.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kDiverged = "its loss is no number";
constexpr std::string_view kPlateau = "its loss improves no more";
constexpr const char* kLastBetter = ", the last that counted as better was ";

enum class Wrong : std::uint8_t { nothing, plateau, diverged };

struct EarlyStopRow {
  double loss = 0;                                        ///< newest that was told
  double best = std::numeric_limits<double>::infinity();  ///< the last that counted as better
  Instant told = never;                                   ///< `loss`
  Instant improved = never;                               ///< `best`
  Instant look = never;                                   ///< the next one, if there is a reason
  Instant looked = Instant::min();                        ///< the newest
  Instant since = never;        ///< the training that all this is of has gone on since
  AttemptNumber attempt = 0;    ///< likewise
  AttemptNumber asked = 0;      ///< newest attempt whose stop was asked for
  std::uint16_t incidents = 0;  ///< of the attempt, that are over and did not end it
  std::uint8_t looks = 0;       ///< in a row that saw no number
  bool in_trouble = false;      ///< the newest verdict
  Wrong asked_for = Wrong::nothing;
};

/// Examines the newest loss at an interval from the start of Training on, if there is a reason:
/// a loss that improves after one that did needs no examination.  An attempt that trains again
/// after an interruption has lost what it learnt since its checkpoint and did not train meanwhile:
/// earlier reports are no measure of it.
class EarlyStop final : public LadderRule<EarlyStopRow> {
 public:
  explicit EarlyStop(const Options& options)
      : LadderRule<EarlyStopRow>{options},
        every_{options.duration("every")},
        looks_{options.integer("looks")},
        plateau_{options.duration("plateau")},
        improvement_{options.number("improvement_pct") / 100} {}

 private:
  void hear(const Observation& seen) override {
    const auto* report = std::get_if<TrainingReported>(&seen.fact);
    if (report == nullptr || !report->has_loss) return;
    note_loss(*report, seen.happened_at);
    if (jobs_[report->job].look == never) heard_.push_back(report->job);
  }

  /// When all that came with a report is known.
  void look_around(const Step& step, Decisions& out) override {
    for (const JobId job : heard_) {
      const EarlyStopRow& row = jobs_[job];
      if (row.look == never && is_worth_a_look(row)) look_at(job, step, out);
    }
    heard_.clear();
  }

  void note_loss(const TrainingReported& report, Instant at) {
    EarlyStopRow& row = jobs_[report.job];
    if (report.attempt < row.attempt) return;
    begin_attempt(row, report.attempt);
    if (row.since != never && at < row.since) return;  // of what was lost
    if (row.told != never && at < row.told) return;
    row.told = at;
    row.loss = report.loss;
    if (!(report.loss < row.best - improvement_ * std::abs(row.best)) && row.improved != never) {
      return;
    }
    if (std::isnan(report.loss)) return;
    row.best = report.loss;
    row.improved = at;
  }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    EarlyStopRow& row = jobs_[job];
    begin_attempt(row, status.attempt);
    if (row.attempt != status.attempt) return;
    if (status.primary != Primary::in_progress || status.secondary != Secondary::training) return;
    if (std::exchange(row.since, status.since) != status.since) begin_training(row, job);
    if (row.look == never && is_worth_a_look(row)) row.look = next_look(row, status, step.now);
    const bool looks = row.look <= step.now;
    if (looks) look(row, step.now);
    // What came to nothing is decided again when it may be, however long it is to the next look.
    const bool asks_again = row.in_trouble && row.asked < row.attempt;
    if (looks || asks_again || ladder_.is_due(job, step.now)) judge(job, step, out);
    if (row.look == never && is_worth_a_look(row)) row.look = next_look(row, status, step.now);
    if (row.look == never) return;
    out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), row.look);
  }

  static void look(EarlyStopRow& row, Instant now) {
    row.look = never;
    row.looked = now;
    row.looks = none(row) ? static_cast<std::uint8_t>(std::min(row.looks + 1, 255)) : 0;
  }

  bool is_worth_a_look(const EarlyStopRow& row) const {
    const bool is_judged = row.in_trouble && !(none(row) && row.looks < looks_);
    const bool is_said = is_judged && row.asked >= row.attempt && wrong_with(row) == row.asked_for;
    if (is_said) return false;
    return none(row) || row.looks > 0 || row.in_trouble || is_flat(row);
  }

  /// What is told at the very instant of a look is seen by it.
  Instant next_look(const EarlyStopRow& row, const JobStatus& status, Instant now) const {
    const Duration trained = now - status.training_since;
    const bool is_time = trained > Duration{0} && trained % every_ == Duration{0};
    if (is_time && row.looked < now) return now;
    return later(status.training_since, (trained / every_ + 1) * every_);
  }

  static bool none(const EarlyStopRow& row) { return row.told != never && std::isnan(row.loss); }

  /// Reports that have arrived are kept: they may arrive before the event of the training itself.
  void begin_training(EarlyStopRow& row, JobId job) {
    row.looks = 0;
    row.look = never;
    row.in_trouble = false;
    if (row.told == never || row.told < row.since) {
      row.told = row.improved = never;
      row.best = std::numeric_limits<double>::infinity();
    } else if (row.improved != never && row.improved < row.since) {
      row.improved = std::isnan(row.loss) ? never : row.told;
      row.best = std::isnan(row.loss) ? std::numeric_limits<double>::infinity() : row.loss;
    }
    ladder_.stand_down(job);
    end_incident(row, row.attempt);
  }

  Wrong wrong_with(const EarlyStopRow& row) const {
    if (none(row)) return Wrong::diverged;
    return is_flat(row) ? Wrong::plateau : Wrong::nothing;
  }

  bool is_flat(const EarlyStopRow& row) const {
    return plateau_ > Duration{0} && row.improved != never && row.told - row.improved >= plateau_;
  }

  /// Fewer looks without a number than it takes are no verdict: that of before stands.
  void judge(JobId job, const Step& step, Decisions& out) {
    EarlyStopRow& row = jobs_[job];
    if (none(row) && row.looks < looks_) return;
    const Wrong wrong = wrong_with(row);
    row.in_trouble = wrong != Wrong::nothing;
    if (wrong != row.asked_for) end_incident(row, row.attempt);
    if (wrong == Wrong::nothing) return ladder_.stand_down(job);
    if (row.asked >= row.attempt) return;
    const bool diverged = wrong == Wrong::diverged;
    Grievance failing{job, row.attempt, diverged ? kDiverged : kPlateau,
                      StopCause::learning_nothing};
    failing.incident += row.incidents;
    failing.basis = diverged
                        ? "at " + std::to_string(row.looks) + " looks in a row"
                        : "it is " + number_text(row.loss) + kLastBetter + number_text(row.best) +
                              " " + length_text(row.told - row.improved) + " before";
    if (!ladder_.act(failing, step, out)) return;
    row.asked = row.attempt;
    row.asked_for = wrong;
  }

  void forget(EarlyStopRow& row, AttemptNumber attempt) override {
    if (row.asked == attempt) --row.asked;
  }

  std::vector<JobId> heard_;  ///< in this step
  Duration every_;
  std::int64_t looks_;
  Duration plateau_;
  double improvement_;
};

std::unique_ptr<Policy> make_early_stop(const Options& options) {
  return std::make_unique<EarlyStop>(options);
}

OptionProblem idle_early_stop(const Options& /*options*/, const ScenarioFacts& facts) {
  if (facts.reports_loss) return {};
  return {.option = "rule",
          .message = "no job reports a loss",
          .help = "add \"loss\" to \"reports\" of the jobs"};
}

}  // namespace

PolicyKind early_stop_kind() {
  return {
      .name = "early_stop",
      .summary = "stops training whose loss becomes NaN or stops improving",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), stopping experiments that fail early",
      .options =
          {
              {.name = "every",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("10m")",
               .min = 1,
               .choices = {},
               .help = "interval between checks of the newest loss, from the start of Training",
               .vary = Vary::up},
              {.name = "looks",
               .type = OptionType::integer,
               .unit = "looks",
               .default_json = "2",
               .min = 1,
               .max = 255,
               .choices = {},
               .help = "consecutive checks that must find NaN",
               .vary = Vary::up},
              {.name = "plateau",
               .type = OptionType::duration,
               .unit = "",
               .default_json = R"("0s")",
               .min = 0,
               .choices = {},
               .help = "act after this long without an improvement; 0s: never",
               .vary = Vary::up},
              {.name = "improvement_pct",
               .type = OptionType::number,
               .unit = "%",
               .default_json = "1",
               .min = 0,
               .max = 100,
               .choices = {},
               .help = "decrease that counts as an improvement, relative to the last one that did",
               .vary = Vary::down,
               .companion = {"plateau", R"("plateau": "6h")"}},
              action_option("action on such a job"),
              warn_for_option(),
          },
      .reads_reports = true,
      .idle = idle_early_stop,
      .verbs = ladder_verbs,
      .make = make_early_stop,
  };
}

}  // namespace reeve::policies
