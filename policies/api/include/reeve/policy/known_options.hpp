// Option names with a meaning outside the rule: lints, explain and exports treat every rule that
// has such an option alike, also a rule of a plug-in.
#pragma once

#include <string_view>

/// The comment of each name gives the type of the option and its meaning.  A rule may use the name
/// for an option of another type; reeve then does not read it.
namespace reeve::policy::known {

// What the rule does, and when.
/// Choice: stop, notify or warn_then_stop.
inline constexpr std::string_view action = "action";
/// Choice: the action of a stated rule.
inline constexpr std::string_view does = "do";
/// Duration: from the warning to the stop.
inline constexpr std::string_view warn_for = "warn_for";
/// Duration: from the notification to the stop; 0s: it only notifies.
inline constexpr std::string_view stop_after = "stop_after";
/// Choice: clock, or platform for a limit of the platform itself.
inline constexpr std::string_view enforce_by = "enforce_by";
/// Duration: how long the problem, or the wait, lasts before the rule acts.
inline constexpr std::string_view after = "after";
/// Duration: between two checks.
inline constexpr std::string_view every = "every";
/// Condition, or texts: the ends of attempts on which it acts.
inline constexpr std::string_view when = "when";
/// Texts: the events that it reports.
inline constexpr std::string_view events = "events";
/// Duration: the longest run time.
inline constexpr std::string_view limit = "limit";
/// Number: the spending at which it acts, in USD.
inline constexpr std::string_view limit_usd = "limit_usd";
/// Duration: how long before a limit it acts.
inline constexpr std::string_view ahead = "ahead";
/// Choice: what has a budget of its own.
inline constexpr std::string_view per = "per";
/// Text: the tag key that it counts by.
inline constexpr std::string_view tag = "tag";
/// Texts: the tag keys that a job must have.
inline constexpr std::string_view keys = "keys";

// Alarms on GPU utilization, and other signs of life.
/// Choice: the metric of the alarm; only with `period`, `threshold` and `scale`.
inline constexpr std::string_view metric = "metric";
/// Choice: the same, in the alarm of a stated rule.
inline constexpr std::string_view alarm_metric = "alarm.metric";
/// Duration: of one datapoint, or of one heartbeat.
inline constexpr std::string_view period = "period";
/// Integers: M of N.
inline constexpr std::string_view datapoints = "datapoints";
/// Number: that datapoints are compared with.
inline constexpr std::string_view threshold = "threshold";
/// Choice: the comparison operator.
inline constexpr std::string_view compare = "compare";
/// Choice: per GPU, or the sum of an instance.
inline constexpr std::string_view scale = "scale";
/// Choice: how the periods of datapoints are aligned.
inline constexpr std::string_view window = "window";
/// Choice: how missing data counts.
inline constexpr std::string_view missing = "missing";
/// Texts: the hosts that have an alarm.
inline constexpr std::string_view hosts = "hosts";
/// Duration: from the start of training to the alarm.
inline constexpr std::string_view arm_delay = "arm_delay";
/// Choice: which datapoint of several hosts counts.
inline constexpr std::string_view match = "match";
/// Choice: the sign of life.
inline constexpr std::string_view signal = "signal";
/// Integer: heartbeats that must be missing.
inline constexpr std::string_view misses = "misses";
/// Flag: whether reported phases delay the rule.
inline constexpr std::string_view phase_hints = "phase_hints";
/// Choice: what a stopped job is taken to do.
inline constexpr std::string_view accuses = "accuses";
/// Number: the least GPU utilization, in percent.
inline constexpr std::string_view min_pct = "min_pct";
/// Flag: whether the alarm stops the job.
inline constexpr std::string_view action_stop = "action.stop";
/// Choice: how the handler finds the job of the alarm.
inline constexpr std::string_view action_found_by = "action.found_by";

// New attempts.
/// Integer: the most new attempts of a job; below 0: no limit.
inline constexpr std::string_view max_resumes = "max_resumes";
/// Integer: the same for a stated rule.
inline constexpr std::string_view max_clones = "max_clones";
/// Duration: the least run time of an attempt that is resumed.
inline constexpr std::string_view min_runtime = "min_runtime";
/// Choice: how that run time is measured.
inline constexpr std::string_view measure = "measure";
/// Choice: from when it counts.
inline constexpr std::string_view since = "since";
/// Choice: last_checkpoint or scratch.
inline constexpr std::string_view from = "from";
/// Texts: the settings that a new attempt lacks.
inline constexpr std::string_view loses = "loses";
/// Flag: whether a new attempt has the tags of the job.
inline constexpr std::string_view keep_tags = "keep_tags";
/// Flag: whether a new attempt has the checkpoint.
inline constexpr std::string_view keeps_checkpoint = "clone_keeps_checkpoint";
/// Choice: how a new attempt is named.
inline constexpr std::string_view naming = "naming";
/// Choice: works, or the defect of the handler.
inline constexpr std::string_view handler = "handler";
/// Text: the fleet of a new attempt.
inline constexpr std::string_view override_fleet = "override.fleet";
/// Choice: its market.
inline constexpr std::string_view override_market = "override.market";
/// Text: its instance type.
inline constexpr std::string_view override_instance_type = "override.instance_type";
/// Duration: its limit.
inline constexpr std::string_view override_max_runtime = "override.max_runtime";

// Markets and fleets.
/// Texts: fleets to which jobs move; with `after`: pending jobs.
inline constexpr std::string_view fleets = "fleets";
/// Choice: the market of the jobs.
inline constexpr std::string_view market = "market";
/// Choice: how a market is chosen.
inline constexpr std::string_view use = "use";
/// Integer: interruptions after which an attempt leaves Spot.
inline constexpr std::string_view interruptions_above = "interruptions_above";
/// Number: the least fraction of billed time that becomes lasting work.
inline constexpr std::string_view min_progress = "min_progress";
/// Integer: time-outs after which a pending job leaves Spot.
inline constexpr std::string_view timeouts = "timeouts";
/// Flag: whether a timed-out job leaves Spot.
inline constexpr std::string_view after_max_wait = "after_max_wait";
/// Flag: whether the end of a capacity block is a reason to save.
inline constexpr std::string_view block_end = "block_end";
/// Flag: whether a rebalance recommendation is a reason to save.
inline constexpr std::string_view rebalance = "rebalance";
/// Duration: how long before a loss the rule asks jobs to save.
inline constexpr std::string_view lead = "lead";
/// Duration: of a move, in worlds with ticks.
inline constexpr std::string_view restart_overhead = "restart_overhead";
/// Flag: whether a strategy is asked once more when the work is done.
inline constexpr std::string_view upstream_extra_tick = "upstream_extra_tick";
/// Duration: how long an instance is idle before it counts as orphaned.
inline constexpr std::string_view idle = "idle";
/// Flag: whether orphaned instances are removed.
inline constexpr std::string_view instances = "instances";
/// Flag: whether orphaned alarms are removed.
inline constexpr std::string_view alarms = "alarms";
/// Flag: whether gangs that lost instances are stopped.
inline constexpr std::string_view gangs = "gangs";

// Scheduling.
/// Choice: the order of pending jobs.
inline constexpr std::string_view algorithm = "algorithm";
/// Choice: which jobs pass a job that does not fit.
inline constexpr std::string_view backfill = "backfill";
/// Choice: of kueue.
inline constexpr std::string_view queueing_strategy = "queueing_strategy";
/// Text: the order in which jobs are preempted.
inline constexpr std::string_view victims = "victims";
/// Choice: whether a borrower that does not fit blocks others.
inline constexpr std::string_view blocked_borrower = "blocked_borrower";
/// Choice: when jobs above a lowered quota are preempted.
inline constexpr std::string_view lowered_quota = "lowered_quota";
/// Duration: from a refused start to the next.
inline constexpr std::string_view retry_after = "retry_after";
/// Duration: the window of fair share.
inline constexpr std::string_view share_decay = "share_decay";
/// Duration: of usage.
inline constexpr std::string_view half_life = "half_life";
/// Integer: percent of the capacity kept for inactive shares.
inline constexpr std::string_view compute_reservation = "compute_reservation";
/// Integer: the most that one user may have, in percent of the queue.
inline constexpr std::string_view user_limit = "user_limit";
/// Integer: weight of usage in a priority.
inline constexpr std::string_view weight_fair_share = "weight.fair_share";
/// Integers: service limits of the queues of las.
inline constexpr std::string_view las_limits = "las_limits";
/// Integer: when las moves a job up; below 0: never.
inline constexpr std::string_view las_promote = "las_promote";
/// Duration: a round of gavel.
inline constexpr std::string_view round = "round";
/// Duration: a lease of themis.
inline constexpr std::string_view lease = "lease";
/// Choice: instead of what shares say.
inline constexpr std::string_view override_sharing = "override.sharing";
/// Flag: likewise.
inline constexpr std::string_view override_in_share_preemption = "override.in_share_preemption";

}  // namespace reeve::policy::known
