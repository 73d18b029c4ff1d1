#include "resume.hpp"

#include <limits>
#include <string>
#include <utility>

#include "broken_handler.hpp"
#include "clone_terms.hpp"
#include "ends.hpp"
#include "job_rule.hpp"
#include "status_names.hpp"

namespace reeve::policies {
namespace {

using namespace policy;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::seconds;

constexpr std::string_view kResumeReason = "ended early and may be continued";
/// A rule that stops by the clock, whatever the job does.
constexpr std::string_view kSchedule = "office_hours";
constexpr std::string_view kNotIdempotent = "not_idempotent";

struct ResumeRow {
  Instant clone_at = never;
  std::int64_t resumes = 0;   ///< clones this rule asked for and was not refused
  AttemptNumber judged = 0;   ///< newest attempt whose end asked for a clone
  AttemptNumber counted = 0;  ///< newest clone in `resumes`
};

class Resume final : public JobRule<ResumeRow> {
 public:
  explicit Resume(const Options& options)
      : ends_{options.texts("when")},
        min_confidence_{options.number("min_confidence")},
        min_runtime_{options.duration("min_runtime")},
        backoff_{options.duration("backoff")},
        max_resumes_{options.integer("max_resumes")},
        terms_{options},
        each_copy_{options.text("handler") == kNotIdempotent},
        drops_days_{options.text("measure") == "seconds_field"},
        since_creation_{options.text("since") == "creation"} {}

 private:
  void take_back(ResumeRow& row, AttemptNumber attempt) override {
    if (row.counted != attempt) return;
    --row.resumes;
    row.counted = 0;
  }

  void lack_consent(const ActionSettled& settled, const Step& step, Decisions& out) override {
    if (!terms_.are_asked_once()) JobRule::lack_consent(settled, step, out);
  }

  /// It may have worked after all: then there is a newer attempt by now.
  void forget(ResumeRow& row, AttemptNumber attempt) override {
    if (row.judged + 1 == attempt) row.clone_at = Instant::min();
  }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    ResumeRow& row = jobs_[job];
    if (is_terminal(status.primary) && row.judged < status.attempt && is_wanted(job, step)) {
      row.judged = status.attempt;
      const Duration pause = pause_before_clone(status, backed_off(backoff_, row.resumes));
      row.clone_at = later(status.ended_at, pause);
      if (row.clone_at > step.now && row.clone_at != never) {
        out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), row.clone_at);
      }
    }
    clone_if_due(job, step, out);
  }

  /// By what is known so far; a late event may change it.
  bool is_wanted(JobId job, const Step& step) const {
    const JobStatus& status = step.fleet.status(job);
    if (status.primary == Primary::failed && confidence_pct(status) / 100.0 < min_confidence_) {
      return false;
    }
    const bool is_known =
        status.primary != Primary::stopped || status.secondary != Secondary::other;
    if (!is_known) return false;
    const std::string_view kind = step.fleet.stopped_by(job);
    const std::string_view name = step.fleet.stopped_by_name(job);
    // Who stops by the clock brings back by the clock, or is named.
    if (kind == kSchedule && !ends_.name_rule(kind, name)) return false;
    return ends_.include(status, kind, name) && measured(status) >= min_runtime_;
  }

  /// The hours that end are no failure of what trained in them.  What was submitted out of hours
  /// hardly trains, and would be submitted again all night.
  static bool is_cut_short_by_hours(JobId job, const Step& step) {
    const JobStatus& status = step.fleet.status(job);
    return step.fleet.stopped_by(job) == kSchedule && status.training_since != never &&
           later(status.training_since, kAskAgainAfter) <= status.ended_at;
  }

  void clone_if_due(JobId job, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    ResumeRow& row = jobs_[job];
    if (row.clone_at > step.now) return;
    // Whether it fits elsewhere is known when its submission is told of.
    if (terms_.goes_elsewhere() && !step.fleet.is_described(job)) return;
    row.clone_at = never;
    // Another rule or a person may have submitted the job again while the rule waited.
    if (row.judged != status.attempt || !is_terminal(status.primary)) return;
    if (status.attempt == std::numeric_limits<AttemptNumber>::max()) return;
    const auto next = static_cast<AttemptNumber>(status.attempt + 1);
    if (max_resumes_ == 0) return;
    if (row.counted != next && !is_cut_short_by_hours(job, step)) {
      if (max_resumes_ >= 0 && row.resumes >= max_resumes_) return;
      ++row.resumes;
      row.counted = next;
    }
    CloneJob clone = terms_.request(job, next, step.fleet);
    clone.each_copy = each_copy_;
    out.propose(clone, kResumeReason, basis(job, step));
  }

  /// How it ended, and which resume this is.
  std::string basis(JobId job, const Step& step) const {
    const JobStatus& status = step.fleet.status(job);
    std::string text;
    if (status.primary == Primary::failed) {
      text = std::string{ended_failed_as};
      text += failure_class_names[static_cast<std::size_t>(status.failure)];
      if (confidence_pct(status) < 100) {
        text += " (confidence " + std::to_string(confidence_pct(status)) + " %)";
      }
    } else if (status.stopped_by != 0) {
      text = std::string{ended_stopped_by};
      text += step.fleet.stopped_by(job);
    } else {
      text = status_name(status.secondary).value_or("over");
    }
    if (is_cut_short_by_hours(job, step)) return text + ", which does not count";
    text += ", resume " + std::to_string(jobs_.find(job)->resumes);
    return max_resumes_ < 0 ? text : text + " of " + std::to_string(max_resumes_);
  }

  Duration measured(const JobStatus& status) const {
    const Instant start = since_creation_ ? status.requested_at : status.training_since;
    if (start == never || start > status.ended_at) return Duration{0};
    const Duration run = status.ended_at - start;
    if (!drops_days_) return run;
    return floor<seconds>(run) % hours{24};  // Python's timedelta.seconds
  }

  Ends ends_;
  double min_confidence_;
  Duration min_runtime_;
  Duration backoff_;
  std::int64_t max_resumes_;
  CloneTerms terms_;
  bool each_copy_;
  bool drops_days_;
  bool since_creation_;
};

OptionProblem check_resume(const Options& options) {
  const std::vector<std::string>& when = options.texts("when");
  if (when.empty()) {
    return {.option = "when",
            .message = "names no end: the rule can never act",
            .help = R"(as in "when": ["failed"])"};
  }
  for (std::size_t index = 0; index < when.size(); ++index) {
    if (is_end(when[index])) continue;
    return {.option = "when",
            .message = "'" + when[index] + "' is not an end of an attempt",
            .help =
                "failed, failed:CLASS (unknown, infrastructure, capacity, code, out_of_memory, "
                "data, configuration, hardware, quota), stopped, stopped_by:RULE, "
                "max_runtime_exceeded or max_wait_time_exceeded",
            .element = index,
            .wrong = when[index],
            .words = ends_that_may_be()};
  }
  return check_clone_terms(options);
}

bool resume_runs(const Options& options) {
  return !is_broken(options) || options.text("handler") == kNotIdempotent;
}

std::unique_ptr<Policy> make_resume(const Options& options) {
  if (!resume_runs(options)) return std::make_unique<BrokenHandler>();
  return std::make_unique<Resume>(options);
}

/// What the article does otherwise: how it measures a run time, and what it calls a clone.
std::vector<OptionSpec> article_options() {
  return {
      {.name = "measure",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("total")",
       .choices = {"total", "seconds_field"},
       .help = "total: the whole run time; seconds_field: the article's .seconds, which drops "
               "whole days"},
      {.name = "since",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("training")",
       .choices = {"training", "creation"},
       .help = "start of the run time: the first Training, or the submission as in the article"},
      handler_option({"tags_of_an_answer", "syntax_error", kNotIdempotent},
                     "defects of the article's code: the first two never resume a job, "
                     "not_idempotent resumes once per copy of an event"),
  };
}

std::vector<OptionSpec> resume_options() {
  std::vector<OptionSpec> all{
      {.name = "when",
       .type = OptionType::texts,
       .unit = "",
       .default_json = R"(["failed"])",
       .choices = {},
       .help = "ends after which to resume: failed, failed:CLASS, stopped, stopped_by:RULE, "
               "max_runtime_exceeded, max_wait_time_exceeded"},
      {.name = "min_runtime",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("2h")",
       .min = 0,
       .choices = {},
       .help = "minimum run time of an attempt to resume"},
      {.name = "min_confidence",
       .type = OptionType::number,
       .unit = "",
       .default_json = "0",
       .min = 0,
       .max = 1,
       .choices = {},
       .help = "minimum confidence of the failure class of an attempt to resume"},
      {.name = "max_resumes",
       .type = OptionType::integer,
       .unit = "resumes",
       .default_json = "2",
       .min = -1,
       .max = 65534,
       .choices = {},
       .help = "maximum resumes per job by this rule; -1: no limit"},
  };
  for (OptionSpec& row : clone_options()) all.push_back(std::move(row));
  for (OptionSpec& row : article_options()) all.push_back(std::move(row));
  return all;
}

/// Each end that the rule waits for is a failure whose class is never as certain as it requires.
bool is_never_certain(const Options& options, const ScenarioFacts& facts) {
  constexpr std::string_view failed = "failed:";
  const double least = options.number("min_confidence");
  const auto too_uncertain = [&](const std::string& end) {
    if (!end.starts_with(failed)) return false;
    const auto failure = failure_class_named(end.substr(failed.size()));
    return failure && facts.confidence[static_cast<std::size_t>(*failure)] < least;
  };
  const std::vector<std::string>& ends = options.texts("when");
  return !ends.empty() && std::all_of(ends.begin(), ends.end(), too_uncertain);
}

OptionProblem idle_resume(const Options& options, const ScenarioFacts& facts) {
  if (options.integer("max_resumes") == 0) {
    return {.option = "max_resumes",
            .message = "the rule may not resume any job",
            .help = "use \"mode\": \"off\""};
  }
  if (!is_never_certain(options, facts)) return {};
  return {.option = "min_confidence",
          .message = "no such failure ever reaches this confidence",
          .help = "use at most \"log_confidence\"; the confidence of an unknown failure is 0"};
}

constexpr std::array resume_defects{
    ArticleDefect{
        .option = "handler",
        .word = "tags_of_an_answer",
        .code = "W0445",
        .message = "Tags is the whole response of list_tags: SageMaker rejects each clone",
        .effect = rule_does_nothing,
        .help = mended_handler,
        .never_runs = true,
    },
    ArticleDefect{
        .option = "handler",
        .word = "syntax_error",
        .code = "W0451",
        .message = "the handler is not valid Python: it cannot be deployed",
        .effect = rule_does_nothing,
        .help = mended_handler,
        .never_runs = true,
    },
    ArticleDefect{
        .option = "since",
        .word = "creation",
        .code = "W0444",
        .message = "the time in the queue counts as run time",
        .effect = "a job that never trained is resumed",
        .help = "\"since\": \"training\"",
        .only_if_some = "min_runtime",
    },
};

std::vector<VerbKind> resume_verbs(const Options& options) {
  if (!resume_runs(options)) return {};
  return {VerbKind::clone_job};
}

}  // namespace

PolicyKind resume_kind() {
  return {
      .name = "resume",
      .summary = "submits a new attempt of a job that ended early",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), continuity of failed jobs",
      .options = resume_options(),
      .never_stops = true,
      .defects = resume_defects,
      .check = check_resume,
      .doubt = doubt_clone_terms,
      .idle = idle_resume,
      .reaches = reached_by_clones,
      .verbs = resume_verbs,
      .make = make_resume,
  };
}

}  // namespace reeve::policies
