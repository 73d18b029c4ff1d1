#include "scenarios/load/metric_names.hpp"

#include <fmt/format.h>

#include <charconv>
#include <vector>

namespace reeve::scenarios {
namespace {

using Unit = MetricUnit;

/// What every metric of waiting means.
constexpr std::string_view waiting =
    "from submission until its first machines are there: the queue and platform.provisioning; "
    "start-up, which is billed, is not waiting, nor is what follows an interruption; none if they "
    "never were";
constexpr std::string_view waiting_of_jobs =
    "over jobs that got machines (jobs_never_started are not in it), from submission until the "
    "first are there: the queue and platform.provisioning; start-up, which is billed, is not "
    "waiting, nor is what follows an interruption";

/// What every metric of waiting anew means.
constexpr std::string_view waiting_again =
    "after its first machines were there: in line, or for provisioning, from the loss of its "
    "machines to the next ones, and from the submission of a further attempt to its machines, or "
    "until it gave up; not the time in which nobody has asked for another attempt, nor repairs; "
    "none if it never had machines";
constexpr std::string_view waiting_again_of_jobs =
    "over jobs that got machines, 0 of those that lost none: how long they waited after the first "
    "were there, in line or for provisioning (mean_wait_s + mean_wait_again_s is all of it)";

constexpr std::string_view slowdown_of_jobs =
    "over jobs that have a result: from submission to result, as a multiple of the work (of ten "
    "seconds if it is less), 1 at least";

constexpr std::string_view fairness_of_jobs =
    "over jobs of a run that have a result, if there are several: the time from submission to "
    "result over that on a part of its "
    "fleet alone, one n-th where n jobs are there on the mean; above 1 it is worse off";

constexpr std::string_view jain_index_of_shares =
    "Jain's index of the shares' mean slowdowns: 1 where all shares are slowed down alike, 1/n "
    "where one of n has it all; none of fewer than two that have results";
constexpr std::string_view jain_index_of_owners =
    "Jain's index of the owners' mean slowdowns: 1 where all are slowed down alike, 1/n where one "
    "of n has it all; none of fewer than two who have results";
constexpr std::string_view jain_index_of_values =
    "Jain's index of the mean slowdowns of the jobs with each value of one tag, and of those "
    "without it: 1 where all are slowed down alike, 1/n where one of n has it all; none of fewer "
    "than two that have results";

constexpr MetricSpec bill_metrics[] = {
    {"billed_usd", Unit::usd, "every billed second of every instance"},
    {"wasted_usd", Unit::usd, "stalled, lost work, drain, orphan, idle reserved and false stops"},
    {"total_usd", Unit::usd, "billed_usd + guardrail_usd"},
    {"productive_usd", Unit::usd, "work that counted"},
    {"startup_usd", Unit::usd, "images, data, set-up"},
    {"checkpoint_usd", Unit::usd, "pauses to write checkpoints"},
    {"stalled_usd", Unit::usd, "machines held without progress"},
    {"lost_work_usd", Unit::usd, "work redone after an interruption, failure or stop"},
    {"drain_usd", Unit::usd, "between a stop and the end of billing"},
    {"orphan_usd", Unit::usd, "machines whose job is gone"},
    {"idle_reserved_usd", Unit::usd, "reserved or warm machines without a job"},
    {"false_stop_usd", Unit::usd, "what wrong stops destroyed: their drain and redone work"},
    {"guardrail_usd", Unit::usd, "alarms and calls; not instance time"},
    {"managed_premium_usd", Unit::usd, "what EC2's prices would have saved of billed_usd; in it"},
    {"waived_usd", Unit::usd,
     "what launches would have cost that Spot took back in a free first hour"},
    {"starved_usd", Unit::usd,
     "what loaders that keep up would have saved of work's time; in the uses of that time"},
    {"straggler_usd", Unit::usd,
     "what hosts that are all alike would have saved of work's time; in the uses of that time"},
    {"amortized_usd", Unit::usd,
     "of reserved machines: up-front payments spread over their term; in billed_usd"},
    {"unblended_usd", Unit::usd,
     "as invoices say it: up-front payments in full when they fall due, blocks when they begin"},
    {"ops_usd", Unit::usd, "prices.ops_usd_per_month over the horizon; beside the bill"},
    {"total_with_ops_usd", Unit::usd, "total_usd + ops_usd, where there are such costs"},
};

constexpr MetricSpec first_attempt_metrics[] = {
    {"first_attempt.billed_usd", Unit::usd, "billed_usd of each job's first attempt"},
    {"first_attempt.wasted_usd", Unit::usd, "wasted_usd of each job's first attempt"},
    {"first_attempt.productive_usd", Unit::usd, "productive_usd of each job's first attempt"},
    {"first_attempt.startup_usd", Unit::usd, "startup_usd of each job's first attempt"},
    {"first_attempt.checkpoint_usd", Unit::usd, "checkpoint_usd of each job's first attempt"},
    {"first_attempt.stalled_usd", Unit::usd, "stalled_usd of each job's first attempt"},
    {"first_attempt.lost_work_usd", Unit::usd, "lost_work_usd of each job's first attempt"},
    {"first_attempt.drain_usd", Unit::usd, "drain_usd of each job's first attempt"},
    {"first_attempt.orphan_usd", Unit::usd, "orphan_usd of each job's first attempt"},
    {"first_attempt.idle_reserved_usd", Unit::usd,
     "warm machines after first attempts; reserved ones idle between attempts"},
    {"first_attempt.false_stop_usd", Unit::usd, "false_stop_usd of each job's first attempt"},
    {"first_attempt.guardrail_usd", Unit::usd, "alarms, events and messages of first attempts"},
    {"first_attempt.total_usd", Unit::usd,
     "first_attempt.billed_usd + first_attempt.guardrail_usd"},
};

constexpr MetricSpec time_metrics[] = {
    {"time_to_result", Unit::duration, "of the only job, from submission to result", true},
    {"detected_after", Unit::duration, "of the only job, from its first stall to the alarm", true},
    {"makespan", Unit::duration, "from the first submission to the last end of an attempt"},
    {"mean_detected_after", Unit::duration, "over stalls that were detected"},
    {"max_detected_after", Unit::duration, "over stalls that were detected"},
    {"mean_time_to_result_s", Unit::seconds, "over jobs that have a result"},
    {"median_time_to_result_s", Unit::seconds,
     "over jobs of a run that have a result, if there are several; of runs: the mean of theirs"},
    {"p99_time_to_result_s", Unit::seconds,
     "over jobs of a run that have a result, if there are several; of runs: the mean of theirs"},
    {"mean_wait_s", Unit::seconds, waiting_of_jobs},
    {"median_wait_s", Unit::seconds, waiting_of_jobs},
    {"p99_wait_s", Unit::seconds, waiting_of_jobs},
    {"mean_wait_again_s", Unit::seconds, waiting_again_of_jobs},
    {"p99_wait_again_s", Unit::seconds, waiting_again_of_jobs},
    {"mean_slowdown", Unit::ratio, slowdown_of_jobs},
    {"jain_index.shares", Unit::ratio, jain_index_of_shares},
    {"jain_index.owners", Unit::ratio, jain_index_of_owners},
    {"mean_finish_time_fairness", Unit::ratio, fairness_of_jobs},
    {"worst_finish_time_fairness", Unit::ratio,
     "of the job that is worst off: the largest finish-time fairness"},
    {"weighted_mean_time_to_result_s", Unit::seconds,
     "the same as mean_time_to_result_s, each job as often as its `weight` says; none if all say "
     "1"},
    {"weighted_mean_wait_s", Unit::seconds,
     "the same as mean_wait_s, each job as often as its `weight` says; none if all say 1"},
};

constexpr MetricSpec count_metrics[] = {
    {"jobs_done", Unit::count, "jobs that have a result"},
    {"jobs_failed", Unit::count, "jobs whose last attempt failed"},
    {"jobs_unfinished", Unit::count, "jobs without a result at the end"},
    {"jobs_never_started", Unit::count,
     "submitted jobs that never got machines: they gave up, were stopped or refused, or still wait "
     "at the end; their waits are in no mean"},
    {"deadlines_missed", Unit::count,
     "jobs whose result came after their deadline, or has not come by it"},
    {"cut_off", Unit::count,
     "1 if a run without a horizon was ended, for no job had come closer to its end for 366 days"},
    {"attempts", Unit::count, "of all jobs"},
    {"interruptions", Unit::count, "of all attempts"},
    {"preemptions", Unit::count, "times that a queue took machines of a job for others"},
    {"queue_blocks", Unit::count, "times that a queue said it cannot start an attempt"},
    {"notices", Unit::count, "warnings of Spot, or of a capacity block, that machines go"},
    {"resizes", Unit::count, "times that an elastic gang stopped and met anew"},
    {"node_losses", Unit::count, "instances that attempts lost and went on without"},
    {"duplicate_creates", Unit::count,
     "clones asked for once more by a second copy of an event, and refused: the name is taken"},
    {"false_stops", Unit::count,
     "stops by rules of attempts that were not what they were accused of"},
    {"missed_stalls", Unit::count, "stalls that nothing detected"},
    {"alarms_created", Unit::count, "alarms that ever existed"},
    {"orphan_alarms", Unit::count, "alarms left at the end although their job is over"},
    {"orphan_instances", Unit::count, "instances billed at the end although their job is over"},
    {"unmapped_instances", Unit::count, "of those, without a tag that says whose they are"},
    {"notifications", Unit::count, "messages to people"},
    {"alarms_unheard", Unit::count,
     "alarms in ALARM for over an hour, or to the end of the run, while the attempt ran on and no "
     "rule acted"},
    {"retries", Unit::count,
     "attempts that the platform began again after an infrastructure failure"},
    {"repairs", Unit::count, "clusters that the platform repaired"},
    {"quota_refusals", Unit::count, "attempts and calls refused because of a quota"},
    {"actions.start_job", Unit::count, "starts that rules asked for and the host accepted"},
    {"actions.stop_job", Unit::count, "stops that rules asked for and the host accepted"},
    {"actions.clone_job", Unit::count, "further attempts that rules asked for"},
    {"actions.limit_runtime", Unit::count, "run-time limits that rules asked for"},
    {"actions.put_alarm", Unit::count, "alarms put"},
    {"actions.delete_alarm", Unit::count, "alarms deleted"},
    {"actions.notify", Unit::count, "messages that rules asked for"},
    {"actions.place_job", Unit::count, "attempts that rules placed in a fleet"},
    {"actions.move_job", Unit::count, "moves of attempts that rules asked for"},
    {"actions.terminate_instances", Unit::count, "leftover machines that rules gave back"},
    {"actions.save_checkpoint", Unit::count, "checkpoints that rules asked for"},
    {"actions.preempt_job", Unit::count, "jobs whose machines their queue took for others"},
    {"actions.expired", Unit::count,
     "actions that were given up, for none of their tries worked: a rule asks again a minute later "
     "if it is still right"},
    {"decisions.refused", Unit::count, "wishes of rules that the host refused"},
    {"decisions.refused_by_guard", Unit::count, "of those, by a guard"},
    {"decisions.shadow", Unit::count, "wishes of rules in shadow mode"},
    {"productive_instance_hours", Unit::hours, "work that counted"},
    {"lost_work_instance_hours", Unit::hours, "work that was redone"},
    {"stalled_instance_hours", Unit::hours, "machines held without progress"},
    {"peak_allocated_pct", Unit::percent,
     "the largest share of the capacity on offer, of all fleets together, that was held at one "
     "time"},
    {"mean_allocated_pct", Unit::percent,
     "mean share of the capacity on offer that was held, from the first submission to the last "
     "end, and on until no machine is held"},
    {"peak_used_pct", Unit::percent,
     "the largest share of the capacity on offer, of all fleets together, that made progress at "
     "one time"},
    {"mean_used_pct", Unit::percent,
     "mean share of the capacity on offer making progress, in the time of mean_allocated_pct"},
    {"advice.break_even_per_hour", Unit::per_hour,
     "interruptions an hour, at random, from which on Spot is expected to cost more than on demand",
     true},
    {"advice.break_even_first_order_per_hour", Unit::per_hour,
     "the same to first order: each costs half the time between two checkpoints and a start-up",
     true},
    {"advice.checkpoint_every", Unit::duration,
     "Young's interval: the square root of 2 x checkpoint cost x time between losses; an upload at "
     "least, none if longer than the work",
     true},
    {"advice.losses_per_hour", Unit::per_hour,
     "how often the market takes the job's machines, or one of them breaks, to first order", true},
    {"advice.managed_break_even_usd", Unit::usd,
     "the monthly bill from which on the managed premium exceeds prices.ops_usd_per_month"},
    {"ledger.residual_usd", Unit::usd, "bill minus the sum of its uses: 0, always"},
};

constexpr MetricSpec named_metrics[] = {
    {"job.NAME.time_to_result", Unit::duration, "of one job, from submission to result"},
    {"job.NAME.detected_after", Unit::duration, "of one job, from its first stall to the alarm"},
    {"job.NAME.wait", Unit::duration, waiting},
    {"job.NAME.wait_again", Unit::duration, waiting_again},
    {"job.NAME.slowdown", Unit::ratio,
     "of one job: from submission to result, as a multiple of its work (of ten seconds if it is "
     "less), 1 at least"},
    {"job.NAME.done", Unit::count, "1 if the job has a result, else 0"},
    {"job.NAME.attempts", Unit::count, "of one job"},
    {"job.NAME.interruptions", Unit::count, "of one job"},
    {"job.NAME.preemptions", Unit::count, "times that its queue took its machines for others"},
    {"job.NAME.preempted_at", Unit::duration,
     "after the start of the clock: when its queue first took its machines; none if never"},
    {"job.NAME.ticks", Unit::count, "of the tick world, from submission to result or the end"},
    {"job.NAME.billed_usd", Unit::usd, "of one job"},
    {"job.NAME.wasted_usd", Unit::usd, "of one job"},
    {"pool.NAME.allocated", Unit::count,
     "instances of one fleet that jobs hold, or left behind, at an instant: after all of it", false,
     true},
    {"pool.NAME.offered_instance_hours", Unit::hours, "of one fleet: on offer, held or not"},
    {"pool.NAME.allocated_instance_hours", Unit::hours,
     "of one fleet: held by jobs, or left behind"},
    {"pool.NAME.used_instance_hours", Unit::hours, "of one fleet: making progress"},
    {"pool.NAME.free_instance_hours", Unit::hours, "of one fleet: on offer, and nobody's"},
    {"pool.NAME.down_instance_hours", Unit::hours,
     "of one fleet: broken machines until they are back"},
    {"pool.NAME.offered_pct", Unit::percent, "of one fleet: offered share of its capacity"},
    {"pool.NAME.used_pct", Unit::percent,
     "of one fleet: share of its capacity on offer making progress, in the time of "
     "mean_used_pct"},
    {"pool.NAME.interruptions", Unit::count, "of attempts on one fleet"},
    {"pool.NAME.node_faults", Unit::count, "machines of one fleet that broke or hung"},
    {"pool.NAME.node_hits", Unit::count, "times an attempt's machine broke or hung, of one fleet"},
    {"pool.NAME.billed_usd", Unit::usd, "of one fleet; all of them sum to billed_usd"},
    {"rule.NAME.right_stops", Unit::count,
     "of one rule: stops of attempts that stood still, in time"},
    {"rule.NAME.late_stops", Unit::count,
     "the same, decided on more than late_after after the onset"},
    {"rule.NAME.false_stops", Unit::count, "of attempts that were not what it accused them of"},
    {"rule.NAME.missed_stalls", Unit::count,
     "that nothing noticed, of a rule that is there to find them"},
    {"rule.NAME.kept_rule_stops", Unit::count,
     "for a broken rule: they accuse nobody of standing still"},
    {"rule.NAME.mean_delay", Unit::duration, "from onset to the decision, of right and late stops"},
    {"rule.NAME.max_delay", Unit::duration, "the longest of these"},
    {"rule.NAME.false_stop_usd", Unit::usd,
     "what its false stops destroyed: part of false_stop_usd"},
    {"rule.NAME.gap_usd", Unit::usd,
     "of min_gpu: the part of what its jobs' machines cost by which GPU use falls short of "
     "min_pct; "
     "in the uses of that time"},
    {"rule.NAME.late_stop_usd", Unit::usd, "what stood still beyond late_after until late stops"},
    {"rule.NAME.missed_stall_usd", Unit::usd, "what standstills cost that nothing noticed"},
    {"tag.KEY.VALUE.billed_usd", Unit::usd,
     "of attempts with this tag; VALUE (untagged): without the key"},
    {"tag.KEY.VALUE.wasted_usd", Unit::usd,
     "of attempts with this tag; VALUE (untagged): without the key"},
    {"tag.KEY.VALUE.jobs", Unit::count,
     "jobs whose first attempt has this tag; VALUE (untagged): lacks the key"},
    {"tag.KEY.jain_index", Unit::ratio, jain_index_of_values},
    {"tag.KEY.VALUE.mean_wait_s", Unit::seconds,
     "of jobs with this tag: mean_wait_s of these alone"},
    {"tag.KEY.VALUE.p99_wait_s", Unit::seconds, "of jobs with this tag: p99_wait_s of these alone"},
    {"tag.KEY.VALUE.mean_wait_again_s", Unit::seconds,
     "of jobs with this tag: mean_wait_again_s of these alone"},
    {"tag.KEY.VALUE.p99_wait_again_s", Unit::seconds,
     "of jobs with this tag: p99_wait_again_s of these alone"},
    {"tag.KEY.VALUE.mean_slowdown", Unit::ratio,
     "of jobs with this tag: mean_slowdown of these alone"},
    {"tag.KEY.VALUE.mean_finish_time_fairness", Unit::ratio,
     "of jobs with this tag: mean_finish_time_fairness of these alone"},
    {"tag.KEY.VALUE.worst_finish_time_fairness", Unit::ratio,
     "of jobs with this tag: worst_finish_time_fairness of these alone"},
    {"owner.NAME.mean_wait_s", Unit::seconds,
     "of the jobs of one owner: mean_wait_s of these alone"},
    {"owner.NAME.p99_wait_s", Unit::seconds, "of the jobs of one owner: p99_wait_s of these alone"},
    {"owner.NAME.mean_wait_again_s", Unit::seconds,
     "of the jobs of one owner: mean_wait_again_s of these alone"},
    {"owner.NAME.p99_wait_again_s", Unit::seconds,
     "of the jobs of one owner: p99_wait_again_s of these alone"},
    {"owner.NAME.mean_slowdown", Unit::ratio,
     "of the jobs of one owner: mean_slowdown of these alone"},
    {"owner.NAME.mean_finish_time_fairness", Unit::ratio,
     "of the jobs of one owner: mean_finish_time_fairness of these alone"},
    {"owner.NAME.worst_finish_time_fairness", Unit::ratio,
     "of the jobs of one owner: worst_finish_time_fairness of these alone"},
    {"share.NAME.used", Unit::count,
     "instances that jobs of one share hold, of all fleets, at an instant: after all of it", false,
     true},
    {"share.NAME.quota", Unit::count, "instances that are its own, at an instant: after all of it",
     false, true},
    {"share.NAME.borrowed", Unit::count,
     "instances that it holds beyond its quota of their fleet, at an instant: after all of it",
     false, true},
    {"share.NAME.lent", Unit::count,
     "idle instances of its quota that others have borrowed, at an instant: after all of it; where "
     "several shares could lend them, of the first",
     false, true},
    {"share.NAME.borrowed_instance_hours", Unit::hours, "of one share: beyond its quota"},
    {"share.NAME.lent_instance_hours", Unit::hours,
     "of one share: idle of its quota, and borrowed by others"},
    {"share.NAME.lost_work_instance_hours", Unit::hours,
     "of one share: work of its jobs that was redone"},
    {"share.NAME.preemptions", Unit::count,
     "times that a queue took machines of a job of one share"},
    {"share.NAME.mean_wait_s", Unit::seconds,
     "of the jobs of one share: mean_wait_s of these alone"},
    {"share.NAME.p99_wait_s", Unit::seconds, "of the jobs of one share: p99_wait_s of these alone"},
    {"share.NAME.mean_wait_again_s", Unit::seconds,
     "of the jobs of one share: mean_wait_again_s of these alone"},
    {"share.NAME.p99_wait_again_s", Unit::seconds,
     "of the jobs of one share: p99_wait_again_s of these alone"},
    {"share.NAME.mean_slowdown", Unit::ratio,
     "of the jobs of one share: mean_slowdown of these alone"},
    {"share.NAME.mean_finish_time_fairness", Unit::ratio,
     "of the jobs of one share: mean_finish_time_fairness of these alone"},
    {"share.NAME.worst_finish_time_fairness", Unit::ratio,
     "of the jobs of one share: worst_finish_time_fairness of these alone"},
};

constexpr std::string_view families[] = {"job.", "tag.", "pool.", "rule.", "owner.", "share."};

/// What follows the last dot.
std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('.') + 1);
}

/// Of a tag's key, whatever its values.
bool is_of_key(const MetricSpec& spec) {
  return spec.name.starts_with("tag.") && spec.name.find("VALUE") == std::string_view::npos;
}

}  // namespace

std::span<const MetricSpec> metric_names() {
  static const std::vector<MetricSpec> all = [] {
    std::vector<MetricSpec> rows;
    const auto add = [&](std::span<const MetricSpec> part) {
      rows.insert(rows.end(), part.begin(), part.end());
    };
    add(bill_metrics);
    add(first_attempt_metrics);
    add(time_metrics);
    add(count_metrics);
    add(named_metrics);
    return rows;
  }();
  return all;
}

std::string_view family_of(std::string_view metric) {
  for (const std::string_view family : families) {
    if (metric.starts_with(family)) return family;
  }
  return {};
}

std::string in_metric_name(std::string_view text, bool is_key) {
  constexpr std::string_view special = "%=!<>";
  std::string out;
  for (const char c : text) {
    const bool printed = static_cast<unsigned char>(c) > ' ' && c != '\x7f';
    if (printed && special.find(c) == std::string_view::npos && !(is_key && c == '.')) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string from_metric_name(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned byte = 0;
    const char* const digits = text.data() + at + 1;
    const bool escape = text[at] == '%' && at + 2 < text.size() &&
                        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2;
    out += escape ? static_cast<char>(byte) : text[at];
    if (escape) at += 2;
  }
  return out;
}

std::optional<MetricUse> find_metric(std::string_view text) {
  const std::string_view family = family_of(text);
  const std::size_t head = family.size();
  const bool of_tag = family == "tag.";
  for (const MetricSpec& spec : metric_names()) {
    if (family.empty()) {
      if (spec.name == text) return MetricUse{&spec, {}, {}, {}, {}, {}, {}, {}};
      continue;
    }
    if (!spec.name.starts_with(family)) continue;
    // Names may hold dots: the metric is what follows the last, the name what lies between.
    const std::string_view tail = last_part(spec.name);
    if (last_part(text) != tail || text.size() < tail.size() + head + 2) continue;
    const std::string_view name = text.substr(head, text.size() - tail.size() - head - 1);
    MetricUse use{&spec, {}, {}, {}, {}, {}, {}, {}};
    if (family == "job.") use.job = name;
    if (family == "pool.") use.pool = name;
    if (family == "share.") use.share = name;
    if (family == "rule.") use.rule = name;
    if (family == "owner.") use.owner = from_metric_name(name);
    if (!of_tag) return use;
    const auto dot = name.find('.');
    if (is_of_key(spec)) {
      if (name.empty() || dot != std::string_view::npos) continue;
      use.key = from_metric_name(name);
      return use;
    }
    if (dot == 0 || dot == std::string_view::npos) continue;
    use.key = from_metric_name(name.substr(0, dot));
    use.value = from_metric_name(name.substr(dot + 1));
    return use;
  }
  return std::nullopt;
}

std::string_view name_of(MetricUnit unit) {
  switch (unit) {
    case Unit::usd:
      return "dollars";
    case Unit::duration:
      return "a duration";
    case Unit::seconds:
      return "a number of seconds";
    case Unit::count:
      return "a count";
    case Unit::percent:
      return "a percentage";
    case Unit::hours:
      return "a number of instance-hours";
    case Unit::per_hour:
      return "a number per hour";
    case Unit::ratio:
      return "a ratio";
  }
  return "a value";
}

}  // namespace reeve::scenarios
