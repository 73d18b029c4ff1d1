#include "resume.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <reeve/policy/clone_fields.hpp>
#include <string>
#include <utility>

#include "broken_handler.hpp"
#include "job_rule.hpp"
#include "status_names.hpp"

namespace reeve::policies {
namespace {

using namespace policy;
using std::chrono::floor;
using std::chrono::hours;
using std::chrono::seconds;

constexpr std::string_view kReason = "ended early and may be continued";
constexpr std::string_view kStoppedBy = "stopped_by:";
constexpr std::string_view kFailed = "failed:";
constexpr std::string_view kAsBefore = "as_before";  // of the market
constexpr std::string_view kNotIdempotent = "not_idempotent";

std::optional<TypeId> type_named(std::string_view name, const Directory& directory) {
  for (std::uint32_t type = 0; type < directory.types.size(); ++type) {
    if (directory.types[type].name == name) return TypeId{type};
  }
  return std::nullopt;
}

/// The ends after which a job is resumed.
class Ends {
 public:
  explicit Ends(const std::vector<std::string>& when) {
    for (const std::string& end : when) add(end);
  }

  /// `kind`, `name`: of the rule whose stop it was.
  bool include(const JobStatus& status, std::string_view kind, std::string_view name) const {
    if (status.primary == Primary::failed) {
      return failed_ ||
             std::find(classes_.begin(), classes_.end(), status.failure) != classes_.end();
    }
    if (status.primary != Primary::stopped) return false;
    if (status.secondary == Secondary::max_runtime_exceeded) return timed_out_;
    if (status.secondary == Secondary::max_wait_time_exceeded) return waited_out_;
    if (status.secondary != Secondary::stopped) return false;
    return stopped_ || std::any_of(rules_.begin(), rules_.end(), [&](const std::string& rule) {
             return rule == kind || rule == name;
           });
  }

 private:
  void add(const std::string& end) {
    failed_ |= end == "failed";
    stopped_ |= end == "stopped";
    timed_out_ |= end == "max_runtime_exceeded";
    waited_out_ |= end == "max_wait_time_exceeded";
    if (end.starts_with(kStoppedBy)) rules_.push_back(end.substr(kStoppedBy.size()));
    if (end.starts_with(kFailed)) {
      // The options were checked: the name is one.
      if (const auto failure = failure_class_named(end.substr(kFailed.size()))) {
        classes_.push_back(*failure);
      }
    }
  }

  bool failed_ = false;
  bool stopped_ = false;
  bool timed_out_ = false;
  bool waited_out_ = false;
  std::vector<std::string> rules_;
  std::vector<FailureClass> classes_;
};

/// The options were checked: each name is one.
std::uint16_t lost_fields(const Options& options) {
  std::uint16_t bits = 0;
  for (const std::string& name : options.texts("loses")) {
    const auto loss = clone_loss_named(name);
    if (loss) bits = static_cast<std::uint16_t>(bits | static_cast<std::uint16_t>(*loss));
  }
  return bits;
}

struct Row {
  Instant clone_at = never;
  std::int64_t resumes = 0;   ///< clones this rule asked for and was not refused
  AttemptNumber judged = 0;   ///< newest attempt whose end asked for a clone
  AttemptNumber counted = 0;  ///< newest clone in `resumes`
};

class Resume final : public JobRule<Row> {
 public:
  explicit Resume(const Options& options)
      : ends_{options.texts("when")},
        min_runtime_{options.duration("min_runtime")},
        backoff_{options.duration("backoff")},
        max_resumes_{options.integer("max_resumes")},
        from_{options.text("from") == "scratch" ? ResumeFrom::scratch
                                                : ResumeFrom::last_checkpoint},
        keeps_tags_{options.flag("keep_tags")},
        fleet_{options.text("override.fleet")},
        market_{options.text("override.market")},
        type_{options.text("override.instance_type")},
        max_runtime_{options.duration("override.max_runtime")},
        loses_{lost_fields(options)},
        naming_{options.text("naming") == "appended" ? CloneNaming::appended
                                                     : CloneNaming::numbered},
        each_copy_{options.text("handler") == kNotIdempotent},
        drops_days_{options.text("measure") == "seconds_field"},
        since_creation_{options.text("since") == "creation"} {}

 private:
  void take_back(Row& row, AttemptNumber attempt) override {
    if (row.counted != attempt) return;
    --row.resumes;
    row.counted = 0;
  }

  /// It may have worked after all: then there is a newer attempt by now.
  void forget(Row& row, AttemptNumber attempt) override {
    if (row.judged + 1 == attempt) row.clone_at = Instant::min();
  }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    Row& row = jobs_[job];
    if (is_terminal(status.primary) && row.judged < status.attempt && is_wanted(job, step)) {
      row.judged = status.attempt;
      Duration pause = wait(row.resumes);
      // What ends at the instant of its submission would do so again, at the same instant.
      const bool at_once = status.origin == Origin::rule && status.ended_at <= status.requested_at;
      if (at_once) pause = std::max<Duration>(pause, kAskAgainAfter);
      row.clone_at = later(status.ended_at, pause);
      if (row.clone_at > step.now && row.clone_at != never) {
        out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), row.clone_at);
      }
    }
    clone_if_due(job, step, out);
  }

  /// By what is known so far: news that come late may make it so.
  bool is_wanted(JobId job, const Step& step) const {
    const JobStatus& status = step.fleet.status(job);
    return ends_.include(status, step.fleet.stopped_by(job), step.fleet.stopped_by_name(job)) &&
           measured(status) >= min_runtime_;
  }

  void clone_if_due(JobId job, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    Row& row = jobs_[job];
    if (row.clone_at > step.now) return;
    row.clone_at = never;
    // Somebody may have submitted the job again while the rule waited.
    if (row.judged != status.attempt || !is_terminal(status.primary)) return;
    if (status.attempt == std::numeric_limits<AttemptNumber>::max()) return;
    const auto next = static_cast<AttemptNumber>(status.attempt + 1);
    if (row.counted != next) {
      if (max_resumes_ >= 0 && row.resumes >= max_resumes_) return;
      ++row.resumes;
      row.counted = next;
    }
    out.propose(CloneJob{job, next, from_, keeps_tags_, other_pool(job, step.fleet), max_runtime_,
                         loses_, naming_, each_copy_},
                kReason, basis(job, step));
  }

  /// How it ended, and which resume this is.
  std::string basis(JobId job, const Step& step) const {
    const JobStatus& status = step.fleet.status(job);
    std::string text;
    if (status.primary == Primary::failed) {
      text = std::string{kFailed};
      text += failure_class_names[static_cast<std::size_t>(status.failure)];
    } else if (status.stopped_by != 0) {
      text = std::string{kStoppedBy};
      text += step.fleet.stopped_by(job);
    } else {
      text = status_name(status.secondary).value_or("over");
    }
    text += ", resume " + std::to_string(jobs_.find(job)->resumes);
    return max_resumes_ < 0 ? text : text + " of " + std::to_string(max_resumes_);
  }

  /// Nothing: the pool of the attempt before, and so where the job does not fit in the other one.
  std::optional<PoolId> other_pool(JobId job, const FleetView& fleet) const {
    const auto pool = wanted_pool(job, fleet);
    if (!pool) return std::nullopt;
    const bool fits = fleet.directory().pools[pool->index].size >= fleet.description(job).instances;
    return fits ? pool : std::nullopt;
  }

  /// What is not overridden stays: a type in the market of before, a market with the type of
  /// before.
  std::optional<PoolId> wanted_pool(JobId job, const FleetView& fleet) const {
    const Directory& directory = fleet.directory();
    const auto market = market_named(market_);
    if (!market && type_.empty()) return directory.pool_named(fleet_);
    const JobDescription& before = fleet.description(job);
    const auto type = type_.empty() ? std::optional{before.type} : type_named(type_, directory);
    if (!type) return std::nullopt;
    return directory.pool_of(*type, market.value_or(directory.pools[before.pool.index].market));
  }

  Duration measured(const JobStatus& status) const {
    const Instant start = since_creation_ ? status.requested_at : status.training_since;
    if (start == never || start > status.ended_at) return Duration{0};
    const Duration run = status.ended_at - start;
    if (!drops_days_) return run;
    return floor<seconds>(run) % hours{24};  // Python's timedelta.seconds
  }

  /// The back-off after `resumes` of them: doubled each time.
  Duration wait(std::int64_t resumes) const {
    Duration wait = backoff_;
    for (; resumes > 0 && wait > Duration{0}; --resumes) {
      if (wait > Duration::max() / 2) return Duration::max();
      wait *= 2;
    }
    return wait;
  }

  Ends ends_;
  Duration min_runtime_;
  Duration backoff_;
  std::int64_t max_resumes_;
  ResumeFrom from_;
  bool keeps_tags_;
  std::string fleet_;
  std::string market_;
  std::string type_;
  Duration max_runtime_;
  std::uint16_t loses_;
  CloneNaming naming_;
  bool each_copy_;
  bool drops_days_;
  bool since_creation_;
};

bool is_end(std::string_view end) {
  for (const std::string_view known :
       {"failed", "stopped", "max_runtime_exceeded", "max_wait_time_exceeded"}) {
    if (end == known) return true;
  }
  if (end.starts_with(kStoppedBy)) return end.size() > kStoppedBy.size();
  return end.starts_with(kFailed) && failure_class_named(end.substr(kFailed.size())).has_value();
}

OptionProblem check(const Options& options) {
  const std::vector<std::string>& when = options.texts("when");
  if (when.empty()) {
    return {.option = "when",
            .message = "no end is named: the rule can never act",
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
            .element = index};
  }
  const bool by_name = !options.text("override.fleet").empty();
  for (const std::string_view other : {"override.market", "override.instance_type"}) {
    const std::string& word = options.text(other);
    if (!by_name || word.empty() || word == kAsBefore) continue;
    return {.option = other,
            .message = "contradicts the fleet that is named",
            .help = "name the one or the other",
            .against = "override.fleet"};
  }
  const std::vector<std::string>& loses = options.texts("loses");
  for (std::size_t index = 0; index < loses.size(); ++index) {
    if (clone_loss_named(loses[index])) continue;
    std::string names;
    for (const CloneField& field : clone_fields) {
      names += (names.empty() ? "" : ", ") + std::string{field.name};
    }
    return {.option = "loses",
            .message = "'" + loses[index] + "' is not a field that a clone copies",
            .help = names,
            .element = index};
  }
  return {};
}

/// A type, or a type in a market, of which no fleet has machines.
OptionProblem doubt(const Options& options, const Directory& directory) {
  const std::string& name = options.text("override.instance_type");
  if (name.empty()) return {};
  const auto type = type_named(name, directory);
  const auto market = market_named(options.text("override.market"));
  const bool any =
      type &&
      std::any_of(directory.pools.begin(), directory.pools.end(), [&](const PoolFacts& pool) {
        return pool.type == *type && (!market || pool.market == *market);
      });
  if (any) return {};
  return {.option = "override.instance_type",
          .message = market ? "no fleet of that market has machines of this type"
                            : "no fleet has machines of this type",
          .help = "a clone goes where the attempt before it ran"};
}

std::vector<PoolId> reaches(const Options& options, const Directory& directory, TypeId type) {
  const std::string& other = options.text("override.instance_type");
  const auto market = market_named(options.text("override.market"));
  if (!other.empty() || market) {
    std::vector<PoolId> pools;
    const auto wanted = other.empty() ? std::optional{type} : type_named(other, directory);
    for (std::uint32_t pool = 0; pool < directory.pools.size(); ++pool) {
      const PoolFacts& facts = directory.pools[pool];
      const bool fits = wanted && facts.type == *wanted && (!market || facts.market == *market);
      if (fits) pools.push_back({pool});
    }
    return pools;
  }
  const auto pool = directory.pool_named(options.text("override.fleet"));
  return pool ? std::vector{*pool} : std::vector<PoolId>{};
}

std::unique_ptr<Policy> make(const Options& options) {
  const bool runs = !is_broken(options) || options.text("handler") == kNotIdempotent;
  if (!runs) return std::make_unique<BrokenHandler>();
  return std::make_unique<Resume>(options);
}

/// What a new attempt asks for that the one before did not.
std::vector<OptionSpec> override_options() {
  return {
      {.name = "override.max_runtime",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "the new attempt's MaxRuntime; 0s: as the job was submitted with"},
      {.name = "override.fleet",
       .type = OptionType::text,
       .unit = "",
       .default_json = R"("")",
       .choices = {},
       .help =
           "the fleet whose machines the new attempt asks for, if it fits there; empty: as before"},
      {.name = "override.market",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("as_before")",
       .choices = {kAsBefore, market_names[0], market_names[1], market_names[2], market_names[3]},
       .help = "the new attempt asks for machines in that market, if it fits there"},
      {.name = "override.instance_type",
       .type = OptionType::text,
       .unit = "",
       .default_json = R"("")",
       .choices = {},
       .help =
           "the new attempt asks for machines of that type, if it fits there; empty: as before"},
  };
}

/// What the article does otherwise: how it measures a run time, and what it calls a clone.
std::vector<OptionSpec> article_options() {
  return {
      {.name = "measure",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("total")",
       .choices = {"total", "seconds_field"},
       .help = "total: the run time; seconds_field: the article's .seconds, without whole days"},
      {.name = "since",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("training")",
       .choices = {"training", "creation"},
       .help = "the run time counts from the first Training, or from the submission (the article)"},
      {.name = "naming",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("numbered")",
       .choices = {"numbered", "appended"},
       .help = "numbered: NAME-r2, cut to 63 characters; appended: the article's NAME with "
               "\"clone\" behind it, refused when that is longer"},
      handler_option({"tags_of_an_answer", "syntax_error", kNotIdempotent},
                     "mistakes with which the article's handler never clones a job, or asks for "
                     "the clone anew with each copy of an event"),
  };
}

std::vector<OptionSpec> option_table() {
  std::vector<OptionSpec> all{
      {.name = "when",
       .type = OptionType::texts,
       .unit = "",
       .default_json = R"(["failed"])",
       .choices = {},
       .help = "ends to resume after: failed, failed:CLASS, stopped, stopped_by:RULE, "
               "max_runtime_exceeded, max_wait_time_exceeded"},
      {.name = "min_runtime",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("2h")",
       .min = 0,
       .choices = {},
       .help = "an attempt that ran for less is not resumed"},
      {.name = "max_resumes",
       .type = OptionType::integer,
       .unit = "resumes",
       .default_json = "2",
       .min = -1,
       .max = 65534,
       .choices = {},
       .help = "resumes per job by this rule; -1: no limit"},
      {.name = "from",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("last_checkpoint")",
       .choices = {"last_checkpoint", "scratch"},
       .help = "where the new attempt starts"},
      {.name = "keep_tags",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "the new attempt carries the tags of the old one"},
      {.name = "loses",
       .type = OptionType::texts,
       .unit = "",
       .default_json = "[]",
       .choices = {},
       .help = "fields that the new attempt is created without: CheckpointConfig, "
               "InputDataConfig, VpcConfig, RetryStrategy, ..."},
      {.name = "backoff",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "wait before the first resume; doubles with every further one"},
  };
  for (OptionSpec& row : override_options()) all.push_back(std::move(row));
  for (OptionSpec& row : article_options()) all.push_back(std::move(row));
  return all;
}

}  // namespace

PolicyKind resume_kind() {
  return {
      .name = "resume",
      .summary = "submits a further attempt at a job that ended early",
      .source =
          "Rand & Margalit, Using Server-less Functions to Govern and Monitor Cloud-Based Training "
          "Experiments (2023), continuity of failed jobs",
      .options = option_table(),
      .schedules = false,
      .check = check,
      .doubt = doubt,
      .reaches = reaches,
      .make = make,
  };
}

}  // namespace reeve::policies
