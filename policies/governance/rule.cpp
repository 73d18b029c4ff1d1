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
#include "rule_options.hpp"
#include "start_up.hpp"
#include "truth.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

StopCause cause_named(std::string_view name, bool has_alarm) {
  if (name == "rule_broken") return StopCause::rule_broken;
  if (name == "learning_nothing") return StopCause::learning_nothing;
  if (name == "using_little") return StopCause::using_little;
  if (name == "never_starting") return StopCause::never_starting;
  const bool stands_still = name == "standing_still" || has_alarm;
  return stands_still ? StopCause::standing_still : StopCause::rule_broken;
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

std::unique_ptr<Policy> make_rule(const Options& options) {
  return std::make_unique<StatedRule>(options);
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
