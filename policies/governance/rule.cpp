#include "rule.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "alarm_options.hpp"
#include "clone_terms.hpp"
#include "grounds.hpp"
#include "job_alarms.hpp"
#include "job_rule.hpp"
#include "start_up.hpp"
#include "truth.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

enum class Deed : std::uint8_t { stop, notify, clone, limit_runtime, save };

Deed deed_named(std::string_view name) {
  if (name == "notify") return Deed::notify;
  if (name == "clone") return Deed::clone;
  if (name == "save") return Deed::save;
  return name == "limit_runtime" ? Deed::limit_runtime : Deed::stop;
}

constexpr std::int64_t kUsualClones = 2;

/// What a stop accuses the attempt of.  By the alarm: of standing still, where there is one, and of
/// nothing but a broken rule where there is none.
constexpr std::string_view kByAlarm = "by_alarm";

StopCause cause_named(std::string_view name, bool has_alarm) {
  if (name == "rule_broken") return StopCause::rule_broken;
  if (name == "learning_nothing") return StopCause::learning_nothing;
  if (name == "using_little") return StopCause::using_little;
  if (name == "never_starting") return StopCause::never_starting;
  const bool stands_still = name == "standing_still" || has_alarm;
  return stands_still ? StopCause::standing_still : StopCause::rule_broken;
}

bool has_text(const Condition& test, std::string_view text) {
  if (test.comparison == Comparison::matches) return test.pattern->matches(text);
  const bool named = std::find(test.texts.begin(), test.texts.end(), text) != test.texts.end();
  return named != (test.comparison == Comparison::differs);
}

/// Whether such a field has no value in that status: it says what ended an attempt.
bool must_lack(ConditionField field, Primary primary) {
  if (field == ConditionField::failure) return primary != Primary::failed;
  const bool says_who =
      field == ConditionField::stopped_by || field == ConditionField::stopped_by_name;
  return says_who && !is_terminal(primary);
}

/// What a test says of all attempts in this status; nothing if it says no such thing.
std::optional<bool> says(const Condition& test, Primary primary, Secondary secondary) {
  if (must_lack(test.field, primary)) return test.comparison == Comparison::differs;
  constexpr std::int64_t sure = 100;  // of what has not failed
  if (test.field == ConditionField::confidence_pct && primary != Primary::failed) {
    return number_holds(test, sure);
  }
  const bool starts = secondary == Secondary::starting || secondary == Secondary::downloading;
  if (test.field == ConditionField::startup_time && !starts) return length_holds(test, Duration{0});
  if (test.field == ConditionField::primary_status) {
    return has_text(test, primary_names[static_cast<std::size_t>(primary)]);
  }
  if (test.field != ConditionField::status) return std::nullopt;
  for (const auto& [name, known] : secondary_names) {
    if (known == secondary) return has_text(test, name);
  }
  return test.comparison == Comparison::differs;  // one that is not produced any more
}

/// Whether it can hold in this status, whatever else there is to say of the job.
Truth outlook(const Condition& condition, Primary primary, Secondary secondary) {
  if (condition.kind == Condition::Kind::test) {
    const auto holds = says(condition, primary, secondary);
    if (!holds) return Truth::unknown;
    return *holds ? Truth::yes : Truth::no;
  }
  const bool any = condition.kind == Condition::Kind::any;
  Truth whole = any ? Truth::no : Truth::yes;
  for (const Condition& part : condition.parts) {
    const Truth one = outlook(part, primary, secondary);
    whole = any ? std::max(whole, one) : std::min(whole, one);
  }
  if (condition.kind != Condition::Kind::none || whole == Truth::unknown) return whole;
  return whole == Truth::yes ? Truth::no : Truth::yes;
}

/// Whether it can ever hold of an attempt that the action may be done to.
bool can_act(const Condition& when, Deed deed) {
  if (deed == Deed::notify) return true;
  const bool of_ends = deed == Deed::clone;
  for (std::size_t i = 0; i < primary_names.size(); ++i) {
    const auto primary = static_cast<Primary>(i);
    if (primary == Primary::stopping || is_terminal(primary) != of_ends) continue;
    for (const auto& [name, secondary] : secondary_names) {
      if ((secondary >= Secondary::completed) != of_ends) continue;
      if (outlook(when, primary, secondary) != Truth::no) return true;
    }
  }
  return false;
}

struct RuleRow {
  Instant holds_since = never;  ///< since when the condition has been seen to hold
  StartUp starting = {};
  Instant started_at = never;     ///< when it first was seen to have machines
  Instant uploads_since = never;  ///< when it was seen to train no more
  Instant due = never;            ///< when the timer is set for
  Instant act_at = never;         ///< when what was decided is done
  std::int64_t clones = 0;        ///< that this rule asked for and was not refused
  AttemptNumber attempt = 0;      ///< that the instants are about
  AttemptNumber asked = 0;        ///< newest attempt that it was done to; a clone: that it makes
  AttemptNumber counted = 0;      ///< newest clone in `clones`
  AttemptNumber waited = 0;       ///< attempt whose latency is over since the condition holds
  AttemptNumber denied = 0;       ///< attempt for which it was refused on its merits
  std::uint32_t revision = 0;     ///< of the newest status that was judged
  AttemptNumber blocked = 0;      ///< newest attempt that its queue could not start
  Blockage blocked_by = Blockage::capacity;
};

class StatedRule final : public JobRule<RuleRow> {
 public:
  explicit StatedRule(const Options& options)
      : when_{options.condition("when")},
        deed_{deed_named(options.text("do"))},
        after_{options.duration("after")},
        latency_{options.duration("latency")},
        reason_{options.text("reason")},
        cause_{cause_named(options.text("accuses"), asks_for(when_, ConditionField::alarm))},
        limit_{options.duration("limit")},
        terms_{options},
        backoff_{options.duration("backoff")},
        max_clones_{options.integer("max_clones")},
        asks_status_{asks_for(when_, ConditionField::status) ||
                     asks_for(when_, ConditionField::primary_status)} {
    if (asks_for(when_, ConditionField::alarm)) {
      alarms_.emplace(read_alarm(options, AlarmOptions::nested));
    }
  }

  void decide(const Step& step, Decisions& out) override {
    if (alarms_) alarms_->begin(step, out);
    JobRule::decide(step, out);
  }

 private:
  bool is_deed(const ActionSettled& settled) const override { return !is_of_alarm(settled); }

  void hear(const Observation& seen) override {
    const auto* blocked = std::get_if<QueueBlocked>(&seen.fact);
    if (blocked == nullptr || blocked->attempt < jobs_[blocked->job].blocked) return;
    jobs_[blocked->job].blocked = blocked->attempt;
    jobs_[blocked->job].blocked_by = blocked->by;
  }

  void attend(const Observation& seen, const Step& step, Decisions& out) override {
    hear(seen);
    if (const auto* change = std::get_if<JobChanged>(&seen.fact)) {
      note_upload(*change, seen.happened_at, step);
      pass_through(*change, step, out);
    }
    if (!alarms_) return;
    const auto event = alarms_->hear(seen, step, out);
    if (!event) return;
    RuleRow& row = jobs_[event->job];
    if (event->begins) {
      back_off_anew(event->job, row.attempt);
      // What came to nothing meanwhile was of another incident: this one waits its own latency.
      if (row.act_at == never && may_act(row, step.fleet.status(event->job))) row.waited = 0;
    }
    // What was refused on its merits may be asked for again when an alarm goes off again.
    if (event->fires && row.denied != 0) {
      forget(row, std::exchange(row.denied, 0));
      row.waited = 0;
    }
    look_at(event->job, step, out);
  }

  void conclude(const ActionSettled& settled, const Step& /*step*/, Decisions& /*out*/) override {
    if (!worked(settled)) jobs_[settled.job].denied = settled.attempt;
  }

  /// Its end may have been told in the same step: the belief does not keep when it uploaded.
  void note_upload(const JobChanged& event, Instant at, const Step& step) {
    if (event.secondary != Secondary::uploading) return;
    const JobStatus& status = step.fleet.status(event.job);
    if (event.attempt != status.attempt) return;
    RuleRow& row = jobs_[event.job];
    follow(row, status);
    row.uploads_since = std::min(row.uploads_since, at);
  }

  /// A status that another one follows in the same step is judged too, by all else that is believed
  /// by now.  It has not lasted, and clones are of what is over: of its last status.
  void pass_through(const JobChanged& event, const Step& step, Decisions& out) {
    if (!asks_status_ || deed_ == Deed::clone || after_ > Duration{0}) return;
    const JobStatus& status = step.fleet.status(event.job);
    if (event.attempt != status.attempt) return;
    RuleRow& row = jobs_[event.job];
    follow(row, status);
    if (event.revision <= row.revision) return;
    row.revision = event.revision;
    if (event.revision >= status.revision || row.act_at != never || !may_act(row, status)) return;
    Subject passed = subject(event.job, step);
    passed.passed = {event.primary, event.secondary};
    if (judge(when_, passed).truth == Truth::yes) act_in_time(passed, step, out);
  }

  Subject subject(JobId job, const Step& step) {
    const JobStatus& status = step.fleet.status(job);
    const AttemptNumber attempt = status.attempt;
    const RuleRow& row = jobs_[job];
    const bool blocked = row.blocked == attempt && status.primary == Primary::queued;
    return {.fleet = step.fleet,
            .job = job,
            .now = step.now,
            .starts_since = row.starting.since(),
            .started_at = row.started_at,
            .uploads_since = row.uploads_since,
            .alarm = alarm_of(job, attempt),
            .blocked_by = blocked ? std::optional{row.blocked_by} : std::nullopt};
  }

  void take_back(RuleRow& row, AttemptNumber attempt) override {
    if (row.counted != attempt) return;
    --row.clones;
    row.counted = 0;
  }

  void lack_consent(const ActionSettled& settled, const Step& step, Decisions& out) override {
    if (!terms_.are_asked_once()) JobRule::lack_consent(settled, step, out);
  }

  void forget(RuleRow& row, AttemptNumber attempt) override {
    if (row.asked == attempt) --row.asked;
  }

  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    if (status.attempt == 0) return;
    RuleRow& row = jobs_[job];
    follow(row, status);
    if (!may_act(row, status)) return;
    if (row.act_at != never) {
      if (row.act_at > step.now) return;
      row.act_at = never;
      return act(job, step, out);
    }
    const Subject now = subject(job, step);
    const Judged judged = judge(when_, now);
    Instant due = judged.next;
    if (judged.truth != Truth::yes) {
      row.holds_since = never;
      row.waited = 0;
    } else {
      if (row.holds_since == never) row.holds_since = begin_of(status, step.now);
      const Instant act_at = later(row.holds_since, pause(row, status));
      if (act_at <= step.now) return act_in_time(now, step, out);
      due = std::min(due, act_at);
    }
    if (due == never || due == row.due) return;
    row.due = due;
    wake(job, status.attempt, due, out);
  }

  static void wake(JobId job, AttemptNumber attempt, Instant at, Decisions& out) {
    if (at != never) out.wake_at(TimerKey{.job = job, .attempt = attempt}.packed(), at);
  }

  std::optional<AlarmState> alarm_of(JobId job, AttemptNumber attempt) const {
    return alarms_ ? alarms_->state(job, attempt) : std::nullopt;
  }

  /// The time that a function takes to run, once: what it was called for is done all the same.
  void act_in_time(const Subject& subject, const Step& step, Decisions& out) {
    const JobId job = subject.job;
    RuleRow& row = jobs_[job];
    const AttemptNumber attempt = step.fleet.status(job).attempt;
    note_grounds(subject, row);
    if (latency_ <= Duration{0} || row.waited == attempt) return act(job, step, out);
    row.waited = attempt;
    row.act_at = later(step.now, latency_);
    row.due = row.act_at;
    wake(job, attempt, row.act_at, out);
  }

  void note_grounds(const Subject& subject, const RuleRow& row) {
    std::string why = grounds(when_, subject);
    const bool lasted = after_ > Duration{0} && deed_ != Deed::clone;
    if (lasted) why += "; for " + length_text(subject.now - row.holds_since);
    grounds_[subject.job] = std::move(why);
  }

  const std::string& basis(JobId job) { return grounds_[job]; }

  static void follow(RuleRow& row, const JobStatus& status) {
    if (status.attempt > row.attempt) {
      row.holds_since = never;
      row.started_at = never;
      row.uploads_since = never;
      row.due = never;
      row.act_at = never;
      row.revision = 0;
      row.attempt = status.attempt;
    }
    const bool waits = status.secondary == Secondary::queued || awaits_capacity(status);
    const bool has_machines = status.primary == Primary::in_progress && !waits;
    if (has_machines && row.started_at == never) row.started_at = status.since;
    row.starting.follow(status);
  }

  /// Once for each attempt, and only where there is something to act on.
  bool may_act(const RuleRow& row, const JobStatus& status) const {
    if (deed_ == Deed::clone) {
      const bool more = status.attempt < std::numeric_limits<AttemptNumber>::max();
      return more && is_terminal(status.primary) && row.asked <= status.attempt;
    }
    if (row.asked >= status.attempt) return false;
    return is_alive(status) || deed_ == Deed::notify;
  }

  /// What waits before a clone waits from the end on, however late that was told.
  Instant begin_of(const JobStatus& status, Instant now) const {
    return deed_ == Deed::clone ? status.ended_at : now;
  }

  Duration pause(const RuleRow& row, const JobStatus& status) const {
    Duration wait = after_;
    if (deed_ == Deed::clone && backoff_ > Duration{0}) {
      const bool counted = row.counted == status.attempt + 1;
      const Duration more = backed_off(backoff_, row.clones - (counted ? 1 : 0));
      wait = more > Duration::max() - wait ? Duration::max() : wait + more;
    }
    return deed_ == Deed::clone ? pause_before_clone(status, wait) : wait;
  }

  void act(JobId job, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    const AttemptNumber attempt = status.attempt;
    RuleRow& row = jobs_[job];
    if (deed_ == Deed::clone) return clone(job, step, out);
    // Before it trains there is nothing to save; its training event triggers the rule again.
    if (deed_ == Deed::save && status.secondary != Secondary::training) return;
    if (deed_ == Deed::limit_runtime) {
      // It may be capped at least as tightly already; unknown before its submission event.
      if (!step.fleet.is_described(job)) return;
      if (step.fleet.description(job).max_runtime <= limit_) return;
    }
    row.asked = attempt;
    row.denied = 0;  // that was of what was asked before
    const std::uint16_t incident = incident_of(job, attempt);
    if (deed_ == Deed::stop)
      out.propose(StopJob{job, attempt, cause_, incident}, reason_, basis(job));
    if (deed_ == Deed::notify) out.propose(Notify{job, attempt, incident}, reason_, basis(job));
    if (deed_ == Deed::limit_runtime)
      out.propose(LimitRuntime{job, attempt, limit_}, reason_, basis(job));
    if (deed_ == Deed::save) out.propose(SaveCheckpoint{job, attempt}, reason_, basis(job));
  }

  std::uint16_t incident_of(JobId job, AttemptNumber attempt) const {
    return alarms_ ? std::max<std::uint16_t>(alarms_->incidents(job, attempt), 1)
                   : std::uint16_t{1};
  }

  void clone(JobId job, const Step& step, Decisions& out) {
    // Whether it fits elsewhere is known when its submission is told of.
    if (terms_.goes_elsewhere() && !step.fleet.is_described(job)) return;
    RuleRow& row = jobs_[job];
    const auto next = static_cast<AttemptNumber>(step.fleet.status(job).attempt + 1);
    if (row.counted != next) {
      if (max_clones_ >= 0 && row.clones >= max_clones_) return;
      ++row.clones;
      row.counted = next;
    }
    row.asked = next;
    out.propose(terms_.request(job, next, step.fleet), reason_, basis(job));
  }

  Condition when_;
  Deed deed_;
  Duration after_;
  Duration latency_;
  std::string reason_;  ///< decisions refer to it
  StopCause cause_;     ///< its stops are judged by whether that was so
  Duration limit_;
  CloneTerms terms_;
  Duration backoff_;
  std::int64_t max_clones_;
  bool asks_status_;
  std::map<JobId, std::string> grounds_;  ///< of the newest verdict on each job
  std::optional<JobAlarms> alarms_;       ///< if the condition asks for them
};

/// An option that the action has no use for.
OptionProblem useless(std::string_view option, std::string_view action) {
  return {.option = option,
          .message = "only \"do\": \"" + std::string{action} + "\" uses it",
          .help = "leave it out",
          .against = "do"};
}

OptionProblem check_rule(const Options& options) {
  const Deed deed = deed_named(options.text("do"));
  if (options.text("reason").empty()) {
    return {.option = "reason",
            .message = "is empty",
            .help = "write a reason, or leave the option out"};
  }
  if (deed != Deed::stop && options.text("accuses") != kByAlarm) return useless("accuses", "stop");
  const bool limited = options.duration("limit") > Duration{0};
  if (deed == Deed::limit_runtime && !limited) {
    return {.option = "limit",
            .message = "must state the maximum training time",
            .help = R"(as in "limit": "24h")",
            .against = "do"};
  }
  if (deed != Deed::limit_runtime && limited) return useless("limit", "limit_runtime");
  const OptionProblem of_alarm = check_alarm(options, AlarmOptions::nested);
  if (!of_alarm.message.empty()) return of_alarm;
  const OptionProblem of_clones = check_clone_terms(options);
  if (deed == Deed::clone || !of_clones.message.empty()) return of_clones;
  const std::string_view of_clone = stated_clone_option(options);
  if (!of_clone.empty()) return useless(of_clone, "clone");
  if (options.integer("max_clones") != kUsualClones) return useless("max_clones", "clone");
  return {};
}

/// The rule is sound, and does nothing.
OptionProblem doubt_rule(const Options& options, const Directory& directory) {
  const Deed deed = deed_named(options.text("do"));
  if (deed == Deed::clone && options.integer("max_clones") == 0) {
    return {.option = "max_clones",
            .message = "is 0: the rule never acts",
            .help = "use -1 for no limit"};
  }
  if (can_act(options.condition("when"), deed)) return doubt_clone_terms(options, directory);
  const bool clones = deed == Deed::clone;
  return {.option = "when",
          .message = std::string{"cannot hold for an attempt that is "} +
                     (clones ? "over" : "queued or in progress") + ": the rule never acts",
          .help = clones ? "write a condition for ended attempts: only these are cloned"
                         : "use \"notify\" or \"clone\" for ended attempts",
          .against = "do"};
}

std::unique_ptr<Policy> make_rule(const Options& options) {
  return std::make_unique<StatedRule>(options);
}

std::vector<OptionSpec> rule_options() {
  std::vector<OptionSpec> all{
      {.name = "when",
       .type = OptionType::condition,
       .unit = "",
       .default_json = "",
       .choices = {},
       .help = "condition on the newest attempt of a job",
       .vary = Vary::either},
      {.name = "do",
       .type = OptionType::choice,
       .unit = "",
       .default_json = "",
       .choices = {"stop", "notify", "clone", "limit_runtime", "save"},
       .help = "action, taken once per attempt"},
      {.name = "after",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "how long the condition must hold; clone: time since the end",
       .vary = Vary::up},
      {.name = "latency",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "time from then to the action, which happens even if the condition stops holding"},
      {.name = "reason",
       .type = OptionType::text,
       .unit = "",
       .default_json = R"("the condition of the rule holds")",
       .choices = {},
       .help = "reason shown in decisions.csv and in `reeve explain`"},
      {.name = "accuses",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("by_alarm")",
       .choices = {kByAlarm, "rule_broken", "standing_still", "learning_nothing", "using_little",
                   "never_starting"},
       .help = "stop: cause that decides whether the stop is a true positive; by_alarm: "
               "standing_still if the condition tests `alarm`, else rule_broken"},
      {.name = "limit",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("0s")",
       .min = 0,
       .choices = {},
       .help = "limit_runtime: maximum training time of the attempt",
       .vary = Vary::up},
  };
  all.push_back({.name = "max_clones",
                 .type = OptionType::integer,
                 .unit = "clones",
                 .default_json = "2",
                 .min = -1,
                 .max = 65534,
                 .choices = {},
                 .help = "maximum clones per job by this rule; -1: no limit"});
  for (OptionSpec& row : clone_options()) all.push_back(std::move(row));
  for (const OptionSpec& row : alarm_options(AlarmOptions::nested)) all.push_back(row);
  return all;
}

std::vector<VerbKind> rule_verbs(const Options& options) {
  std::vector<VerbKind> all;
  if (asks_for(options.condition("when"), ConditionField::alarm)) {
    all = {VerbKind::put_alarm, VerbKind::delete_alarm};
  }
  switch (deed_named(options.text("do"))) {
    case Deed::stop:
      all.push_back(VerbKind::stop_job);
      break;
    case Deed::notify:
      all.push_back(VerbKind::notify);
      break;
    case Deed::clone:
      all.push_back(VerbKind::clone_job);
      break;
    case Deed::limit_runtime:
      all.push_back(VerbKind::limit_runtime);
      break;
    case Deed::save:
      all.push_back(VerbKind::save_checkpoint);
      break;
  }
  return all;
}

}  // namespace

PolicyKind rule_kind() {
  return {
      .name = "rule",
      .summary = "takes an action when a condition in the scenario holds for a job",
      .source = "reeve's own; replaces hand-written handlers of EventBridge events",
      .options = rule_options(),
      .check = check_rule,
      .doubt = doubt_rule,
      .reaches = reached_by_clones,
      .verbs = rule_verbs,
      .make = make_rule,
  };
}

}  // namespace reeve::policies
