#include "rule.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "job_rule.hpp"
#include "truth.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

enum class Deed : std::uint8_t { stop, notify, clone, limit_runtime };

Deed deed_named(std::string_view name) {
  if (name == "notify") return Deed::notify;
  if (name == "clone") return Deed::clone;
  return name == "limit_runtime" ? Deed::limit_runtime : Deed::stop;
}

struct Row {
  Instant holds_since = never;   ///< since when the condition has been seen to hold
  Instant starts_since = never;  ///< since when the attempt starts up; `never`: it does not
  Instant started_at = never;    ///< when it first was seen to have machines
  Instant due = never;           ///< when the timer is set for
  std::int64_t clones = 0;       ///< that this rule asked for and was not refused
  AttemptNumber attempt = 0;     ///< that the instants are about
  AttemptNumber submitted = 0;   ///< newest attempt whose submission is known
  AttemptNumber asked = 0;       ///< newest attempt that it was done to; a clone: that it makes
  AttemptNumber counted = 0;     ///< newest clone in `clones`
};

class StatedRule final : public JobRule<Row> {
 public:
  explicit StatedRule(const Options& options)
      : when_{options.condition("when")},
        deed_{deed_named(options.text("do"))},
        after_{options.duration("after")},
        reason_{options.text("reason")},
        limit_{options.duration("limit")},
        from_{options.text("from") == "scratch" ? ResumeFrom::scratch
                                                : ResumeFrom::last_checkpoint},
        keeps_tags_{options.flag("keep_tags")},
        max_clones_{options.integer("max_clones")},
        fleet_{options.text("override.fleet")} {}

 private:
  void hear(const Observation& seen) override {
    const auto* news = std::get_if<JobSubmitted>(&seen.fact);
    if (news == nullptr) return;
    Row& row = jobs_[news->job];
    row.submitted = std::max(row.submitted, news->attempt);
  }

  void take_back(Row& row, AttemptNumber attempt) override {
    if (row.counted != attempt) return;
    --row.clones;
    row.counted = 0;
  }

  void forget(Row& row, AttemptNumber attempt) override {
    if (row.asked == attempt) --row.asked;
  }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    if (status.attempt == 0) return;
    Row& row = jobs_[job];
    follow(row, status);
    if (!may_act(row, status)) return;
    const Judged judged = judge(when_, {.fleet = step.fleet,
                                        .job = job,
                                        .now = step.now,
                                        .submitted = row.submitted >= status.attempt,
                                        .starts_since = row.starts_since,
                                        .started_at = row.started_at});
    Instant due = judged.next;
    if (judged.truth != Truth::yes) {
      row.holds_since = never;
    } else {
      if (row.holds_since == never) row.holds_since = begin_of(status, step.now);
      const Instant act_at = later(row.holds_since, pause(status));
      if (act_at <= step.now) return act(job, step, out);
      due = std::min(due, act_at);
    }
    if (due == never || due == row.due) return;
    row.due = due;
    out.wake_at(TimerKey{.job = job, .attempt = status.attempt}.packed(), due);
  }

  /// Start-up begins with Starting or, if that was never told, with Downloading; an interruption
  /// begins it anew.
  static void follow(Row& row, const JobStatus& status) {
    if (status.attempt > row.attempt) {
      row.holds_since = never;
      row.starts_since = never;
      row.started_at = never;
      row.due = never;
      row.attempt = status.attempt;
    }
    const bool waits =
        status.secondary == Secondary::queued || status.secondary == Secondary::pending;
    const bool has_machines = status.primary == Primary::in_progress && !waits;
    if (has_machines && row.started_at == never) row.started_at = status.since;
    const bool starts = status.secondary == Secondary::starting;
    if (starts || (status.secondary == Secondary::downloading && row.starts_since == never)) {
      row.starts_since = status.since;
    } else if (status.secondary != Secondary::downloading) {
      row.starts_since = never;
    }
  }

  /// Once for each attempt, and only where there is something to act on.
  bool may_act(const Row& row, const JobStatus& status) const {
    if (deed_ == Deed::clone) {
      const bool more = status.attempt < std::numeric_limits<AttemptNumber>::max();
      return more && is_terminal(status.primary) && row.asked <= status.attempt;
    }
    if (row.asked >= status.attempt) return false;
    const bool alive = status.primary == Primary::queued || status.primary == Primary::in_progress;
    return alive || deed_ == Deed::notify;
  }

  /// What waits before a clone waits from the end on, however late that was told.
  Instant begin_of(const JobStatus& status, Instant now) const {
    return deed_ == Deed::clone ? status.ended_at : now;
  }

  /// What ends at the instant of its submission would do so again, at the same instant.
  Duration pause(const JobStatus& status) const {
    const bool at_once = deed_ == Deed::clone && status.origin == Origin::rule &&
                         status.ended_at <= status.requested_at;
    return at_once ? std::max<Duration>(after_, kAskAgainAfter) : after_;
  }

  void act(JobId job, const Step& step, Decisions& out) {
    const AttemptNumber attempt = step.fleet.status(job).attempt;
    Row& row = jobs_[job];
    if (deed_ == Deed::clone) return clone(job, step, out);
    if (deed_ == Deed::limit_runtime) {
      // It may be capped at least as tightly already, and before it is submitted nobody knows.
      if (row.submitted < attempt || step.fleet.description(job).max_runtime <= limit_) return;
    }
    row.asked = attempt;
    if (deed_ == Deed::stop) out.propose(StopJob{job, attempt}, reason_);
    if (deed_ == Deed::notify) out.propose(Notify{job, attempt}, reason_);
    if (deed_ == Deed::limit_runtime) out.propose(LimitRuntime{job, attempt, limit_}, reason_);
  }

  void clone(JobId job, const Step& step, Decisions& out) {
    Row& row = jobs_[job];
    const auto next = static_cast<AttemptNumber>(step.fleet.status(job).attempt + 1);
    if (row.counted != next) {
      if (max_clones_ >= 0 && row.clones >= max_clones_) return;
      ++row.clones;
      row.counted = next;
    }
    row.asked = next;
    out.propose(CloneJob{.job = job,
                         .attempt = next,
                         .from = from_,
                         .keep_tags = keeps_tags_,
                         .pool = other_pool(job, step.fleet)},
                reason_);
  }

  /// Nothing: the pool of the attempt before, and so where the job does not fit in the other one.
  std::optional<PoolId> other_pool(JobId job, const FleetView& fleet) const {
    const auto pool = fleet.directory().pool_named(fleet_);
    if (!pool) return std::nullopt;
    const bool has_room =
        fleet.directory().pools[pool->index].size >= fleet.description(job).instances;
    return has_room ? pool : std::nullopt;
  }

  Condition when_;
  Deed deed_;
  Duration after_;
  std::string reason_;  ///< decisions refer to it
  Duration limit_;
  ResumeFrom from_;
  bool keeps_tags_;
  std::int64_t max_clones_;
  std::string fleet_;
};

/// An option that the action has no use for.
OptionProblem useless(std::string_view option, std::string_view action) {
  return {.option = option,
          .message = "only \"do\": \"" + std::string{action} + "\" asks for it",
          .help = "leave it out",
          .against = "do"};
}

OptionProblem check(const Options& options) {
  const Deed deed = deed_named(options.text("do"));
  if (options.text("reason").empty()) {
    return {.option = "reason", .message = "is empty", .help = "say why, or leave it out"};
  }
  const bool limited = options.duration("limit") > Duration{0};
  if (deed == Deed::limit_runtime && !limited) {
    return {.option = "limit",
            .message = "must say how long the attempt may run",
            .help = R"(as in "limit": "24h")",
            .against = "do"};
  }
  if (deed != Deed::limit_runtime && limited) return useless("limit", "limit_runtime");
  if (deed == Deed::clone) return {};
  if (options.text("from") != "last_checkpoint") return useless("from", "clone");
  if (!options.flag("keep_tags")) return useless("keep_tags", "clone");
  if (!options.text("override.fleet").empty()) return useless("override.fleet", "clone");
  return {};
}

std::vector<PoolId> reaches(const Options& options, const Directory& directory, TypeId /*type*/) {
  const auto pool = directory.pool_named(options.text("override.fleet"));
  return pool ? std::vector{*pool} : std::vector<PoolId>{};
}

std::unique_ptr<Policy> make(const Options& options) {
  return std::make_unique<StatedRule>(options);
}

std::vector<OptionSpec> clone_options() {
  return {
      {.name = "from",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("last_checkpoint")",
       .choices = {"last_checkpoint", "scratch"},
       .help = "where a clone starts"},
      {.name = "keep_tags",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "a clone carries the tags of the attempt before"},
      {.name = "max_clones",
       .type = OptionType::integer,
       .unit = "clones",
       .default_json = "2",
       .min = -1,
       .max = 65534,
       .choices = {},
       .help = "clones per job by this rule; -1: no limit"},
      {.name = "override.fleet",
       .type = OptionType::text,
       .unit = "",
       .default_json = R"("")",
       .choices = {},
       .help = "the fleet whose machines a clone asks for, if it fits there; empty: as before"},
  };
}

std::vector<OptionSpec> option_table() {
  std::vector<OptionSpec> all{
      {.name = "when",
       .type = OptionType::condition,
       .unit = "",
       .default_json = "",
       .choices = {},
       .help = "what must hold of the newest attempt at a job"},
      {.name = "do",
       .type = OptionType::choice,
       .unit = "",
       .default_json = "",
       .choices = {"stop", "notify", "clone", "limit_runtime"},
       .help = "what is done then, once for each attempt"},
      {.name = "after",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "how long it must have held, as far as is known; clone: time since the end"},
      {.name = "reason",
       .type = OptionType::text,
       .unit = "",
       .default_json = R"("the condition of the rule holds")",
       .choices = {},
       .help = "why, in decisions and in `reeve explain`"},
      {.name = "limit",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "limit_runtime: the longest the attempt may train"},
  };
  std::vector<OptionSpec> of_clones = clone_options();
  all.insert(all.end(), of_clones.begin(), of_clones.end());
  return all;
}

}  // namespace

PolicyKind rule_kind() {
  return {
      .name = "rule",
      .summary = "does what the scenario says when the condition that it states holds of a job",
      .source = "our own: what handlers of EventBridge events are written for, without their code",
      .options = option_table(),
      .check = check,
      .reaches = reaches,
      .make = make,
  };
}

}  // namespace reeve::policies
