// Option names with a meaning outside the rule: lints, explain and exports treat every rule that
// has such an option alike, also a rule of a plug-in.
#pragma once

#include <reeve/policy/options.hpp>
#include <string_view>

namespace reeve::policy {

/// A choice counts as a text.
struct KnownOption {
  std::string_view name;
  OptionType type;
  OptionType other_type = type;

  constexpr operator std::string_view() const { return name; }
  constexpr bool may_have(OptionType of) const {
    if (of == OptionType::choice) of = OptionType::text;
    return of == type || of == other_type;
  }
};

}  // namespace reeve::policy

/// A rule may use such a name for an option of another type: reeve then does not read it.
namespace reeve::policy::known {

// What the rule does, and when.
/// Choice: stop, notify or warn_then_stop.
inline constexpr KnownOption action{"action", OptionType::text};
/// Choice: the action of a stated rule.
inline constexpr KnownOption does{"do", OptionType::text};
/// Duration: from the warning to the stop.
inline constexpr KnownOption warn_for{"warn_for", OptionType::duration};
/// Duration: from the notification to the stop; 0s: it only notifies.
inline constexpr KnownOption stop_after{"stop_after", OptionType::duration};
/// Choice: clock, or platform for a limit of the platform itself.
inline constexpr KnownOption enforce_by{"enforce_by", OptionType::text};
/// Duration: how long the problem, or the wait, lasts before the rule acts.
inline constexpr KnownOption after{"after", OptionType::duration};
/// Duration: between two checks.
inline constexpr KnownOption every{"every", OptionType::duration};
/// Condition, or texts: the ends of attempts on which it acts.
inline constexpr KnownOption when{"when", OptionType::condition, OptionType::texts};
/// Texts: the events that it reports.
inline constexpr KnownOption events{"events", OptionType::texts};
/// Duration: the longest run time.
inline constexpr KnownOption limit{"limit", OptionType::duration};
/// Number: the spending at which it acts, in USD.
inline constexpr KnownOption limit_usd{"limit_usd", OptionType::number};
/// Duration: how long before a limit it acts.
inline constexpr KnownOption ahead{"ahead", OptionType::duration};
/// Choice: what has a budget of its own.
inline constexpr KnownOption per{"per", OptionType::text};
/// Text: the tag key that it counts by.
inline constexpr KnownOption tag{"tag", OptionType::text};
/// Texts: the tag keys that a job must have.
inline constexpr KnownOption keys{"keys", OptionType::texts};

// Alarms on GPU utilization, and other signs of life.
/// Choice: the metric of the alarm; only with `period`, `threshold` and `scale`.
inline constexpr KnownOption metric{"metric", OptionType::text};
/// Choice: the same, in the alarm of a stated rule.
inline constexpr KnownOption alarm_metric{"alarm.metric", OptionType::text};
/// Duration: of one datapoint, or of one heartbeat.
inline constexpr KnownOption period{"period", OptionType::duration};
/// Integers: M of N.
inline constexpr KnownOption datapoints{"datapoints", OptionType::integers};
/// Number: that datapoints are compared with.
inline constexpr KnownOption threshold{"threshold", OptionType::number};
/// Choice: the comparison operator.
inline constexpr KnownOption compare{"compare", OptionType::text};
/// Choice: per GPU, or the sum of an instance.
inline constexpr KnownOption scale{"scale", OptionType::text};
/// Choice: how the periods of datapoints are aligned.
inline constexpr KnownOption window{"window", OptionType::text};
/// Choice: how missing data counts.
inline constexpr KnownOption missing{"missing", OptionType::text};
/// Texts: the hosts that have an alarm.
inline constexpr KnownOption hosts{"hosts", OptionType::texts};
/// Duration: from the start of training to the alarm.
inline constexpr KnownOption arm_delay{"arm_delay", OptionType::duration};
/// Choice: which datapoint of several hosts counts.
inline constexpr KnownOption match{"match", OptionType::text};
/// Choice: the sign of life.
inline constexpr KnownOption signal{"signal", OptionType::text};
/// Integer: heartbeats that must be missing.
inline constexpr KnownOption misses{"misses", OptionType::integer};
/// Flag: whether reported phases delay the rule.
inline constexpr KnownOption phase_hints{"phase_hints", OptionType::flag};
/// Choice: what a stopped job is taken to do.
inline constexpr KnownOption accuses{"accuses", OptionType::text};
/// Number: the least GPU utilization, in percent.
inline constexpr KnownOption min_pct{"min_pct", OptionType::number};
/// Flag: whether the alarm stops the job.
inline constexpr KnownOption action_stop{"action.stop", OptionType::flag};
/// Choice: how the handler finds the job of the alarm.
inline constexpr KnownOption action_found_by{"action.found_by", OptionType::text};

// New attempts.
/// Integer: the most new attempts of a job; below 0: no limit.
inline constexpr KnownOption max_resumes{"max_resumes", OptionType::integer};
/// Integer: the same for a stated rule.
inline constexpr KnownOption max_clones{"max_clones", OptionType::integer};
/// Duration: the least run time of an attempt that is resumed.
inline constexpr KnownOption min_runtime{"min_runtime", OptionType::duration};
/// Number: the least confidence of its failure class.
inline constexpr KnownOption min_confidence{"min_confidence", OptionType::number};
/// Choice: how that run time is measured.
inline constexpr KnownOption measure{"measure", OptionType::text};
/// Choice: from when it counts.
inline constexpr KnownOption since{"since", OptionType::text};
/// Choice: last_checkpoint or scratch.
inline constexpr KnownOption from{"from", OptionType::text};
/// Texts: the settings that a new attempt lacks.
inline constexpr KnownOption loses{"loses", OptionType::texts};
/// Flag: whether a new attempt has the tags of the job.
inline constexpr KnownOption keep_tags{"keep_tags", OptionType::flag};
/// Flag: whether a new attempt has the checkpoint.
inline constexpr KnownOption keeps_checkpoint{"clone_keeps_checkpoint", OptionType::flag};
/// Choice: how a new attempt is named.
inline constexpr KnownOption naming{"naming", OptionType::text};
/// Choice: works, or the defect of the handler.
inline constexpr KnownOption handler{"handler", OptionType::text};
/// Text: the fleet of a new attempt.
inline constexpr KnownOption override_fleet{"override.fleet", OptionType::text};
/// Choice: its market.
inline constexpr KnownOption override_market{"override.market", OptionType::text};
/// Text: its instance type.
inline constexpr KnownOption override_instance_type{"override.instance_type", OptionType::text};
/// Duration: its limit.
inline constexpr KnownOption override_max_runtime{"override.max_runtime", OptionType::duration};

// Markets and fleets.
/// Texts: fleets to which jobs move; with `after`: pending jobs.
inline constexpr KnownOption fleets{"fleets", OptionType::texts};
/// Number: the most USD that a pending job may cost more elsewhere for each hour gained; below 0:
/// no limit.
inline constexpr KnownOption usd_per_hour_gained{"usd_per_hour_gained", OptionType::number};
/// Choice: the market of the jobs.
inline constexpr KnownOption market{"market", OptionType::text};
/// Choice: how a market is chosen.
inline constexpr KnownOption use{"use", OptionType::text};
/// Integer: interruptions after which an attempt leaves Spot.
inline constexpr KnownOption interruptions_above{"interruptions_above", OptionType::integer};
/// Number: the least fraction of billed time that becomes lasting work.
inline constexpr KnownOption min_progress{"min_progress", OptionType::number};
/// Integer: time-outs after which a pending job leaves Spot.
inline constexpr KnownOption timeouts{"timeouts", OptionType::integer};
/// Flag: whether a timed-out job leaves Spot.
inline constexpr KnownOption after_max_wait{"after_max_wait", OptionType::flag};
/// Flag: whether the end of a capacity block is a reason to save.
inline constexpr KnownOption block_end{"block_end", OptionType::flag};
/// Flag: whether a rebalance recommendation is a reason to save.
inline constexpr KnownOption rebalance{"rebalance", OptionType::flag};
/// Duration: how long before a loss the rule asks jobs to save.
inline constexpr KnownOption lead{"lead", OptionType::duration};
/// Duration: of a move, in worlds with ticks.
inline constexpr KnownOption restart_overhead{"restart_overhead", OptionType::duration};
/// Flag: whether a strategy is asked once more when the work is done.
inline constexpr KnownOption upstream_extra_tick{"upstream_extra_tick", OptionType::flag};
/// Duration: how long an instance is idle before it counts as orphaned.
inline constexpr KnownOption idle{"idle", OptionType::duration};
/// Flag: whether orphaned instances are removed.
inline constexpr KnownOption instances{"instances", OptionType::flag};
/// Flag: whether orphaned alarms are removed.
inline constexpr KnownOption alarms{"alarms", OptionType::flag};
/// Flag: whether gangs that lost instances are stopped.
inline constexpr KnownOption gangs{"gangs", OptionType::flag};

// Scheduling.
/// Choice: the order of pending jobs.
inline constexpr KnownOption algorithm{"algorithm", OptionType::text};
/// Choice: which jobs pass a job that does not fit.
inline constexpr KnownOption backfill{"backfill", OptionType::text};
/// Choice: of kueue.
inline constexpr KnownOption queueing_strategy{"queueing_strategy", OptionType::text};
/// Text: the order in which jobs are preempted.
inline constexpr KnownOption victims{"victims", OptionType::text};
/// Choice: whether a borrower that does not fit blocks others.
inline constexpr KnownOption blocked_borrower{"blocked_borrower", OptionType::text};
/// Choice: when jobs above a lowered quota are preempted.
inline constexpr KnownOption lowered_quota{"lowered_quota", OptionType::text};
/// Duration: from a refused start to the next.
inline constexpr KnownOption retry_after{"retry_after", OptionType::duration};
/// Duration: the window of fair share.
inline constexpr KnownOption share_decay{"share_decay", OptionType::duration};
/// Duration: of usage.
inline constexpr KnownOption half_life{"half_life", OptionType::duration};
/// Integer: percent of the capacity kept for inactive shares.
inline constexpr KnownOption compute_reservation{"compute_reservation", OptionType::integer};
/// Integer: the most that one user may have, in percent of the queue.
inline constexpr KnownOption user_limit{"user_limit", OptionType::integer};
/// Integer: weight of usage in a priority.
inline constexpr KnownOption weight_fair_share{"weight.fair_share", OptionType::integer};
/// Integers: service limits of the queues of las.
inline constexpr KnownOption las_limits{"las_limits", OptionType::integers};
/// Integer: when las moves a job up; below 0: never.
inline constexpr KnownOption las_promote{"las_promote", OptionType::integer};
/// Duration: a round of gavel.
inline constexpr KnownOption round{"round", OptionType::duration};
/// Duration: a lease of themis.
inline constexpr KnownOption lease{"lease", OptionType::duration};
/// Choice: instead of what shares say.
inline constexpr KnownOption override_sharing{"override.sharing", OptionType::text};
/// Flag: likewise.
inline constexpr KnownOption override_in_share_preemption{"override.in_share_preemption",
                                                          OptionType::flag};

}  // namespace reeve::policy::known
