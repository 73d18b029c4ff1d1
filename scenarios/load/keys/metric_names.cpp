#include "scenarios/load/keys/metric_names.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <vector>

namespace reeve::scenarios {
namespace {

using Unit = MetricUnit;

/// What every metric of waiting means.
constexpr std::string_view waiting =
    "time from submission until the job first holds instances: queue and platform.provisioning; "
    "without startup, which is billed, and without waits after an interruption; no value if it "
    "never held instances";
constexpr std::string_view waiting_of_jobs =
    "over jobs that held instances (without jobs_never_started): time from submission until the "
    "job first holds instances: queue and platform.provisioning; without startup, which is billed, "
    "and without waits after an interruption";

/// What every metric of waiting anew means.
constexpr std::string_view waiting_again =
    "requeue wait after it first held instances: queue and provisioning, from the loss of its "
    "instances to the next ones, and from the submission of a further attempt until that holds "
    "instances or gives up; without repairs and the time before a further attempt is submitted; no "
    "value if it never held instances";
constexpr std::string_view waiting_again_of_jobs =
    "over jobs that held instances: requeue wait (queue and provisioning) after the job first held "
    "instances, 0 for jobs that lost none; mean_wait_s + mean_wait_again_s is the whole wait";

constexpr std::string_view slowdown_of_jobs =
    "over jobs with a result: time from submission to result, divided by the work (at least ten "
    "seconds); at least 1";

constexpr std::string_view fairness_of_jobs =
    "over jobs with a result, if a run has several: finish-time fairness, the time from "
    "submission to result, divided by that time alone on one n-th of its fleet, where n is the "
    "mean number of jobs; above 1 the job is worse off";

constexpr std::string_view jain_index_of_shares =
    "Jain's index of the mean slowdowns of the shares: 1 if all are equal, 1/n if one of n has all "
    "the slowdown; no value for fewer than two shares with results";
constexpr std::string_view jain_index_of_owners =
    "Jain's index of the mean slowdowns of the owners: 1 if all are equal, 1/n if one of n has all "
    "the slowdown; no value for fewer than two owners with results";
constexpr std::string_view jain_index_of_values =
    "Jain's index of the mean slowdowns of the values of one tag, and of the jobs without it: 1 if "
    "all are equal, 1/n if one of n has all the slowdown; no value for fewer than two groups with "
    "results";

constexpr MetricSpec bill_metrics[] = {
    {"billed_usd", Unit::usd, "cost of every billed second of every instance"},
    {"wasted_usd", Unit::usd,
     "sum of stalled, lost work, stop grace, orphan, idle reserved and false stops"},
    {"total_usd", Unit::usd, "billed_usd + guardrail_usd"},
    {"cost_per_job_usd", Unit::usd,
     "billed_usd divided by jobs_done; no value if no job is done; over runs: the mean of the "
     "quotients"},
    {"clairvoyant_usd", Unit::usd,
     "lower bound of the bill for the jobs that are done: the bill of a policy that knows every "
     "stall, failure and Spot loss, at the lowest price, without startup and checkpoints; no value "
     "if no bound is known"},
    {"productive_usd", Unit::usd, "work that counted"},
    {"startup_usd", Unit::usd, "startup: images, data, set-up"},
    {"checkpoint_usd", Unit::usd, "pauses to write checkpoints"},
    {"stalled_usd", Unit::usd, "instances held without progress"},
    {"lost_work_usd", Unit::usd, "work redone after an interruption, failure or stop"},
    {"drain_usd", Unit::usd, "stop grace: from a stop to the end of billing"},
    {"orphan_usd", Unit::usd, "orphaned instances: their job has ended"},
    {"idle_reserved_usd", Unit::usd, "reserved or warm-pool instances without a job"},
    {"false_stop_usd", Unit::usd, "cost of false stops: their stop grace and redone work"},
    {"guardrail_usd", Unit::usd, "alarms and calls; not instance time"},
    {"managed_premium_usd", Unit::usd, "part of billed_usd that EC2 prices would have saved"},
    {"waived_usd", Unit::usd,
     "cost of launches that Spot took back in a free first hour; not billed"},
    {"starved_usd", Unit::usd,
     "part of the cost of work due to slow data loaders; included in the uses of that time"},
    {"straggler_usd", Unit::usd,
     "part of the cost of work due to slow hosts; included in the uses of that time"},
    {"amortized_usd", Unit::usd,
     "for reserved instances: up-front payments spread over their term; in billed_usd"},
    {"unblended_usd", Unit::usd,
     "as on invoices: up-front payments in full when they are due, capacity blocks when they "
     "begin"},
    {"ops_usd", Unit::usd, "prices.ops_usd_per_month over the horizon; not in the bill"},
    {"total_with_ops_usd", Unit::usd, "total_usd + ops_usd, if there are operations costs"},
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
     "warm-pool instances after first attempts; reserved instances idle between attempts"},
    {"first_attempt.false_stop_usd", Unit::usd, "false_stop_usd of each job's first attempt"},
    {"first_attempt.guardrail_usd", Unit::usd,
     "alarms, events and notifications of first attempts"},
    {"first_attempt.total_usd", Unit::usd,
     "first_attempt.billed_usd + first_attempt.guardrail_usd"},
};

constexpr MetricSpec time_metrics[] = {
    {"time_to_result", Unit::duration, "time from submission to result", true},
    {"detected_after", Unit::duration, "detection delay: time from the first stall to the alarm",
     true},
    {"makespan", Unit::duration, "time from the first submission to the last end of an attempt"},
    {"mean_detected_after", Unit::duration, "mean detection delay, over detected stalls"},
    {"max_detected_after", Unit::duration, "largest detection delay, over detected stalls"},
    {"mean_time_to_result_s", Unit::seconds,
     "mean job completion time: from submission to result, over jobs with a result"},
    {"median_time_to_result_s", Unit::seconds,
     "median job completion time, over jobs with a result, if a run has several; over runs: the "
     "mean of the medians"},
    {"p99_time_to_result_s", Unit::seconds,
     "99th percentile of job completion times, over jobs with a result, if a run has several; over "
     "runs: the mean of the percentiles"},
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
     "finish-time fairness of the job that is worst off: the largest"},
    {"weighted_mean_time_to_result_s", Unit::seconds,
     "mean_time_to_result_s with each job weighted by its `weight`; no value if all weights are 1"},
    {"weighted_mean_wait_s", Unit::seconds,
     "mean_wait_s with each job weighted by its `weight`; no value if all weights are 1"},
};

constexpr MetricSpec count_metrics[] = {
    {"jobs_done", Unit::count, "jobs with a result"},
    {"jobs_failed", Unit::count, "jobs whose last attempt failed"},
    {"jobs_unfinished", Unit::count, "jobs without a result at the end"},
    {"jobs_never_started", Unit::count,
     "submitted jobs that never held instances: they gave up, were stopped or refused, or still "
     "wait at the end; no mean includes their waits"},
    {"jobs_not_in_data", Unit::count,
     "jobs of a trace that ran again after an end from outside (a limit, a kill, the end of the "
     "log): the data do not show what followed, so their cost and time are no results"},
    {"deadlines_missed", Unit::count,
     "jobs with a result after their deadline, or none when the deadline passed"},
    {"cut_off", Unit::count,
     "1 if a run without a horizon was ended because no job made progress for 366 days"},
    {"attempts", Unit::count, "attempts of all jobs"},
    {"interruptions", Unit::count, "interruptions of all attempts"},
    {"preemptions", Unit::count, "times that a queue preempted a job for others"},
    {"queue_blocks", Unit::count, "times that a queue reported that it cannot start an attempt"},
    {"notices", Unit::count,
     "interruption notices of Spot, and notices before the end of a capacity block"},
    {"resizes", Unit::count, "times that an elastic gang stopped and re-rendezvoused"},
    {"node_losses", Unit::count, "instances that attempts lost while they continued"},
    {"duplicate_creates", Unit::count,
     "clones requested again because of a duplicate event, and refused because the name exists"},
    {"false_stops", Unit::count,
     "stops by rules that were false positives: the attempt did not do what the rule targets"},
    {"missed_stalls", Unit::count, "stalls that nothing detected (false negatives)"},
    {"alarms_created", Unit::count, "alarms that were created"},
    {"orphan_alarms", Unit::count, "orphaned alarms: left at the end although their job has ended"},
    {"orphan_instances", Unit::count,
     "orphaned instances: billed at the end although their job has ended"},
    {"unmapped_instances", Unit::count, "orphaned instances without a tag that maps them to a job"},
    {"notifications", Unit::count, "notifications to users and operators"},
    {"alarms_unheard", Unit::count,
     "alarms in ALARM for more than an hour, or to the end of the run, while the attempt ran on "
     "and no rule acted"},
    {"retries", Unit::count,
     "attempts that the platform restarted after an infrastructure failure"},
    {"repairs", Unit::count, "clusters that the platform repaired"},
    {"quota_refusals", Unit::count, "attempts and calls refused because of a quota"},
    {"actions.start_job", Unit::count, "starts that rules proposed and the platform accepted"},
    {"actions.stop_job", Unit::count, "stops that rules proposed and the platform accepted"},
    {"actions.clone_job", Unit::count, "further attempts that rules submitted"},
    {"actions.limit_runtime", Unit::count, "run-time limits that rules set"},
    {"actions.put_alarm", Unit::count, "alarms that rules created"},
    {"actions.delete_alarm", Unit::count, "alarms that rules deleted"},
    {"actions.notify", Unit::count, "notifications that rules sent"},
    {"actions.place_job", Unit::count, "attempts that rules placed in a fleet"},
    {"actions.move_job", Unit::count, "moves of attempts that rules made"},
    {"actions.terminate_instances", Unit::count, "orphaned instances that rules terminated"},
    {"actions.save_checkpoint", Unit::count, "checkpoints that rules requested"},
    {"actions.preempt_job", Unit::count, "preemptions by queues"},
    {"actions.expired", Unit::count,
     "actions given up because all tries failed; the rule proposes it again a minute later if it "
     "still applies"},
    {"decisions.refused", Unit::count, "proposed actions that were refused"},
    {"decisions.refused_by_guard", Unit::count, "proposed actions that a guard refused"},
    {"decisions.shadow", Unit::count, "proposed actions of rules in shadow mode"},
    {"productive_instance_hours", Unit::hours, "work that counted"},
    {"lost_work_instance_hours", Unit::hours, "work that was redone"},
    {"stalled_instance_hours", Unit::hours, "instances held without progress"},
    {"wasted_instance_hours", Unit::hours,
     "instance time of wasted_usd without idle_reserved_usd: stalled, lost work, stop grace, "
     "orphan "
     "and false stops"},
    {"productive_gpu_hours", Unit::gpu_hours, "GPU time of work that counted"},
    {"wasted_gpu_hours", Unit::gpu_hours, "the GPU time of wasted_instance_hours"},
    {"peak_allocated_pct", Unit::percent,
     "largest allocated share of the available capacity of all fleets together"},
    {"mean_allocated_pct", Unit::percent,
     "mean allocated share of the available capacity, from the first submission until the last "
     "attempt has ended and no instance is held"},
    {"peak_used_pct", Unit::percent,
     "largest share of the available capacity of all fleets together that made progress"},
    {"mean_used_pct", Unit::percent,
     "mean share of the available capacity that made progress, over the same time as "
     "mean_allocated_pct"},
    {"advice.break_even_per_hour", Unit::per_hour,
     "random interruptions per hour above which Spot is expected to cost more than on demand",
     true},
    {"advice.break_even_first_order_per_hour", Unit::per_hour,
     "the same to first order: each interruption costs half the time between two checkpoints and a "
     "startup",
     true},
    {"advice.checkpoint_every", Unit::duration,
     "Young's interval: square root of 2 x checkpoint cost x time between losses; at least the "
     "upload time, no value if longer than the work",
     true},
    {"advice.losses_per_hour", Unit::per_hour,
     "losses per hour, from the market or broken instances, to first order", true},
    {"advice.managed_break_even_usd", Unit::usd,
     "monthly bill above which the managed premium exceeds prices.ops_usd_per_month"},
    {"ledger.residual_usd", Unit::usd, "bill minus the sum of its uses: always 0"},
};

constexpr MetricSpec named_metrics[] = {
    {"job.NAME.time_to_result", Unit::duration, "time from submission to result"},
    {"job.NAME.detected_after", Unit::duration,
     "detection delay: time from its first stall to the alarm"},
    {"job.NAME.wait", Unit::duration, waiting},
    {"job.NAME.wait_again", Unit::duration, waiting_again},
    {"job.NAME.slowdown", Unit::ratio,
     "time from submission to result, divided by its work (at least ten seconds); at least 1"},
    {"job.NAME.done", Unit::count, "1 if the job has a result, else 0"},
    {"job.NAME.attempts", Unit::count, "attempts of the job"},
    {"job.NAME.interruptions", Unit::count, "interruptions of the job"},
    {"job.NAME.preemptions", Unit::count, "times that its queue preempted it for others"},
    {"job.NAME.preempted_at", Unit::duration,
     "time after the start of the clock when its queue first preempted it; no value if never"},
    {"job.NAME.ticks", Unit::count,
     "in the tick model: ticks from submission to result or the end"},
    {"job.NAME.billed_usd", Unit::usd, "billed cost of the job"},
    {"job.NAME.wasted_usd", Unit::usd, "wasted cost of the job"},
    {"pool.NAME.allocated", Unit::count,
     "instances of the fleet that jobs hold, or orphaned ones, after all events at that time",
     false, true},
    {"pool.NAME.offered_instance_hours", Unit::hours, "available instances, held or not"},
    {"pool.NAME.allocated_instance_hours", Unit::hours, "instances held by jobs, or orphaned"},
    {"pool.NAME.used_instance_hours", Unit::hours, "instances that made progress"},
    {"pool.NAME.free_instance_hours", Unit::hours, "available instances that nothing holds"},
    {"pool.NAME.down_instance_hours", Unit::hours, "broken instances not yet repaired or replaced"},
    {"pool.NAME.offered_pct", Unit::percent, "available share of its capacity"},
    {"pool.NAME.used_pct", Unit::percent,
     "share of its available capacity that made progress, over the same time as mean_used_pct"},
    {"pool.NAME.interruptions", Unit::count, "interruptions of attempts on the fleet"},
    {"pool.NAME.node_faults", Unit::count, "instances of the fleet that broke or hung"},
    {"pool.NAME.node_hits", Unit::count, "times that an instance of an attempt broke or hung"},
    {"pool.NAME.billed_usd", Unit::usd, "cost of the fleet; the fleets sum to billed_usd"},
    {"rule.NAME.right_stops", Unit::count, "stops of stalled attempts, in time (true positives)"},
    {"rule.NAME.late_stops", Unit::count,
     "stops of stalled attempts, decided more than late_after after the onset"},
    {"rule.NAME.false_stops", Unit::count, "stops that were false positives"},
    {"rule.NAME.missed_stalls", Unit::count,
     "stalls that nothing detected (false negatives), of a rule that detects stalls"},
    {"rule.NAME.kept_rule_stops", Unit::count, "policy-violation stops; they do not claim a stall"},
    {"rule.NAME.mean_delay", Unit::duration,
     "mean detection delay: from onset to decision, over true and late stops"},
    {"rule.NAME.max_delay", Unit::duration, "largest detection delay"},
    {"rule.NAME.false_stop_usd", Unit::usd, "cost of its false stops; part of false_stop_usd"},
    {"rule.NAME.gap_usd", Unit::usd,
     "for min_gpu: part of the cost of its jobs' instances by which GPU use falls short of "
     "min_pct; included in the uses of that time"},
    {"rule.NAME.late_stop_usd", Unit::usd, "cost of stalls after late_after until a late stop"},
    {"rule.NAME.missed_stall_usd", Unit::usd, "cost of stalls that nothing detected"},
    {"tag.KEY.VALUE.billed_usd", Unit::usd,
     "billed cost of attempts with this tag; VALUE (untagged): without the key"},
    {"tag.KEY.VALUE.wasted_usd", Unit::usd,
     "wasted cost of attempts with this tag; VALUE (untagged): without the key"},
    {"tag.KEY.VALUE.jobs", Unit::count,
     "jobs whose first attempt has this tag; VALUE (untagged): without the key"},
    {"tag.KEY.jain_index", Unit::ratio, jain_index_of_values},
    {"tag.KEY.VALUE.mean_wait_s", Unit::seconds, "mean_wait_s of the jobs with this tag"},
    {"tag.KEY.VALUE.p99_wait_s", Unit::seconds, "p99_wait_s of the jobs with this tag"},
    {"tag.KEY.VALUE.mean_wait_again_s", Unit::seconds,
     "mean_wait_again_s of the jobs with this tag"},
    {"tag.KEY.VALUE.p99_wait_again_s", Unit::seconds, "p99_wait_again_s of the jobs with this tag"},
    {"tag.KEY.VALUE.mean_slowdown", Unit::ratio, "mean_slowdown of the jobs with this tag"},
    {"tag.KEY.VALUE.mean_finish_time_fairness", Unit::ratio,
     "mean_finish_time_fairness of the jobs with this tag"},
    {"tag.KEY.VALUE.worst_finish_time_fairness", Unit::ratio,
     "worst_finish_time_fairness of the jobs with this tag"},
    {"owner.NAME.mean_wait_s", Unit::seconds, "mean_wait_s of the jobs of this owner"},
    {"owner.NAME.p99_wait_s", Unit::seconds, "p99_wait_s of the jobs of this owner"},
    {"owner.NAME.mean_wait_again_s", Unit::seconds, "mean_wait_again_s of the jobs of this owner"},
    {"owner.NAME.p99_wait_again_s", Unit::seconds, "p99_wait_again_s of the jobs of this owner"},
    {"owner.NAME.mean_slowdown", Unit::ratio, "mean_slowdown of the jobs of this owner"},
    {"owner.NAME.mean_finish_time_fairness", Unit::ratio,
     "mean_finish_time_fairness of the jobs of this owner"},
    {"owner.NAME.worst_finish_time_fairness", Unit::ratio,
     "worst_finish_time_fairness of the jobs of this owner"},
    {"share.NAME.used", Unit::count,
     "instances that its jobs hold, in all fleets, after all events at that time", false, true},
    {"share.NAME.quota", Unit::count, "its quota in instances, after all events at that time",
     false, true},
    {"share.NAME.borrowed", Unit::count,
     "borrowed quota: instances that it holds beyond its quota of their fleet, after all events at "
     "that time",
     false, true},
    {"share.NAME.lent", Unit::count,
     "unused instances of its quota that others have borrowed, after all events at that time; if "
     "several shares could lend them, the first one counts",
     false, true},
    {"share.NAME.borrowed_instance_hours", Unit::hours, "borrowed quota: held beyond its quota"},
    {"share.NAME.lent_instance_hours", Unit::hours, "unused quota that others have borrowed"},
    {"share.NAME.lost_work_instance_hours", Unit::hours, "work of its jobs that was redone"},
    {"share.NAME.preemptions", Unit::count, "times that a queue preempted one of its jobs"},
    {"share.NAME.mean_wait_s", Unit::seconds, "mean_wait_s of the jobs of this share"},
    {"share.NAME.p99_wait_s", Unit::seconds, "p99_wait_s of the jobs of this share"},
    {"share.NAME.mean_wait_again_s", Unit::seconds, "mean_wait_again_s of the jobs of this share"},
    {"share.NAME.p99_wait_again_s", Unit::seconds, "p99_wait_again_s of the jobs of this share"},
    {"share.NAME.mean_slowdown", Unit::ratio, "mean_slowdown of the jobs of this share"},
    {"share.NAME.mean_finish_time_fairness", Unit::ratio,
     "mean_finish_time_fairness of the jobs of this share"},
    {"share.NAME.worst_finish_time_fairness", Unit::ratio,
     "worst_finish_time_fairness of the jobs of this share"},
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

MetricRange range_of(const MetricSpec& metric) {
  constexpr double endless = std::numeric_limits<double>::infinity();
  const std::string_view name = metric.name;
  const bool has_sign = name == "managed_premium_usd" || name == "ledger.residual_usd";
  if (has_sign) return {-endless, endless};
  if (name.ends_with("slowdown")) return {1, endless};
  if (name.find("jain_index") != name.npos) return {0, 1};
  return {0, metric.unit == Unit::percent ? 100 : endless};
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
    case Unit::gpu_hours:
      return "a number of GPU-hours";
    case Unit::per_hour:
      return "a number per hour";
    case Unit::ratio:
      return "a ratio";
  }
  return "a value";
}

}  // namespace reeve::scenarios
