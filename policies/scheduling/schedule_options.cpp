#include "schedule_options.hpp"

#include <string_view>
#include <utility>

namespace reeve::policies {

using namespace policy;

namespace {

/// Other algorithms ignore the option.
Companion only_for(std::vector<std::string_view> algorithms) {
  return {.option = "algorithm", .help = {}, .words = std::move(algorithms)};
}

std::vector<OptionSpec> order_options() {
  return {
      {.name = "algorithm",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("fifo")",
       .choices = {"fifo", "sjf", "priority", "srtf", "srsf", "las", "gittins", "themis", "gavel",
                   "quota", "fair_share", "max_min", "drf", "multifactor", "capacity", "kueue",
                   "kueue_fair", "kai"},
       .help = "which job runs first: fifo: earliest submission; sjf: shortest expected_work; "
               "priority: highest priority; srtf: least remaining time; srsf: least remaining time "
               "x GPUs; las: least GPU time received; gittins: highest Gittins index; themis: "
               "worst finish-time fairness; gavel: least served across instance types; quota: AWS "
               "Batch quota shares; fair_share, max_min, drf: the share with least usage, fewest "
               "instances, or smallest dominant share; multifactor: Slurm priority; capacity: YARN "
               "capacity scheduler; kueue, kueue_fair: Kueue with classic preemption or fair "
               "sharing; kai: NVIDIA KAI"},
      {.name = "backfill",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("none")",
       .choices = {"none", "any_fit", "easy", "conservative"},
       .help = "which jobs may run ahead of the job at the head: none: no job; any_fit: every job "
               "that fits; easy: jobs that do not delay the head job; conservative: jobs that "
               "delay no earlier job",
       .companion =
           only_for({"fifo", "sjf", "priority", "fair_share", "max_min", "drf", "multifactor"})},
      {.name = "retry_after",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("1m")",
       .min = 1,
       .choices = {},
       .help = "delay before a refused start is retried; doubles up to one hour"},
  };
}

std::vector<OptionSpec> turn_options() {
  return {
      {.name = "las_limits",
       .type = OptionType::integers,
       .unit = "GPU s",
       .default_json = "[3600, 36000]",
       .min = 1,
       .max = 1e9,
       .choices = {},
       .help = "las: GPU time at which a job moves to the next queue, in ascending order",
       .companion = only_for({"las"})},
      {.name = "las_promote",
       .type = OptionType::integer,
       .unit = "",
       .default_json = "-1",
       .min = -1,
       .max = 1e6,
       .choices = {},
       .help = "las: a job returns to the first queue after waiting this many times as long as it "
               "ran; -1: never",
       .companion = only_for({"las"})},
      {.name = "gittins_lengths",
       .type = OptionType::integers,
       .unit = "GPU s",
       .default_json = "[]",
       .min = 1,
       .max = 1e9,
       .choices = {},
       .help = "gittins: GPU times of past jobs, all equally likely; required for gittins",
       .companion = only_for({"gittins"})},
      {.name = "lease",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("20m")",
       .min = 1,
       .choices = {},
       .help = "themis: length of a lease; leases end together at fixed UTC times",
       .companion = only_for({"themis"})},
      {.name = "fairness_knob",
       .type = OptionType::integer,
       .unit = "%",
       .default_json = "80",
       .min = 0,
       .max = 100,
       .choices = {},
       .help = "themis: f: the worst 100 - f percent of the jobs that want instances may bid",
       .companion = only_for({"themis"})},
      {.name = "round",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("6m")",
       .min = 1,
       .choices = {},
       .help = "gavel: length of a round; rounds begin at fixed UTC times",
       .companion = only_for({"gavel"})},
  };
}

std::vector<OptionSpec> share_options() {
  return {
      {.name = "share_decay",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("10m")",
       .min = 0,
       .choices = {},
       .help =
           "fair_share: time in which past usage decays to 1/e; 0s: only current instances count",
       .companion = only_for({"fair_share"})},
      {.name = "compute_reservation",
       .type = OptionType::integer,
       .unit = "%",
       .default_json = "0",
       .min = 0,
       .max = 99,
       .choices = {},
       .help = "fair_share, max_min, drf: part of each fleet that stays free: this percentage to "
               "the power of the number of active shares",
       .companion = only_for({"fair_share", "max_min", "drf"})},
  };
}

OptionSpec weight(std::string_view name, std::string_view default_json, std::string_view help) {
  return {.name = name,
          .type = OptionType::integer,
          .unit = "points",
          .default_json = default_json,
          .min = 0,
          .max = 1e6,
          .choices = {},
          .help = help,
          .companion = only_for({"multifactor"})};
}

OptionSpec span(std::string_view name, std::string_view default_json, double min_s,
                std::string_view help, std::string_view algorithm) {
  return {.name = name,
          .type = OptionType::duration,
          .unit = "",
          .default_json = default_json,
          .min = min_s,
          .max = 86400.0 * 1000,
          .choices = {},
          .help = help,
          .companion = only_for({algorithm})};
}

std::vector<OptionSpec> factor_options() {
  return {
      span("ageing", R"("0s")", 0,
           "priority: wait that is worth one point of priority; 0s: waiting adds nothing",
           "priority"),
      weight("weight.age", "1000", "multifactor: points of a job that has waited for max_age"),
      weight("weight.fair_share", "10000",
             "multifactor: points of the user with the best fair-share factor"),
      weight("weight.size", "1000",
             "multifactor: points of a job that needs the whole fleet, or one instance if favors "
             "is small"),
      weight("weight.priority", "1000", "multifactor: points of a job with max_priority"),
      span("max_age", R"("7d")", 1, "multifactor: a longer wait adds no more points",
           "multifactor"),
      span("half_life", R"("7d")", 0,
           "multifactor: time in which past usage falls to half; 0s: usage never decays",
           "multifactor"),
      span("calc_period", R"("5m")", 1,
           "multifactor: how often usage is sampled for the fair-share factor", "multifactor"),
      {.name = "max_priority",
       .type = OptionType::integer,
       .unit = "",
       .default_json = "100",
       .min = 1,
       .max = 2147483647,
       .choices = {},
       .help = "multifactor: priority that earns all points; negative priorities count as 0",
       .companion = only_for({"multifactor"})},
      {.name = "favors",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("large")",
       .choices = {"large", "small"},
       .help = "multifactor: which job sizes receive the points of weight.size",
       .companion = only_for({"multifactor"})},
      {.name = "fair_share",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("fair_tree")",
       .choices = {"fair_tree", "classic"},
       .help = "multifactor: fair_tree ranks all users, first by their share; classic uses "
               "2^(-usage/shares)",
       .companion = only_for({"multifactor"})},
  };
}

std::vector<OptionSpec> capacity_options() {
  return {
      {.name = "user_limit",
       .type = OptionType::integer,
       .unit = "%",
       .default_json = "100",
       .min = 0,
       .max = 1e6,
       .choices = {},
       .help = "capacity: most instances of one user, as a percentage of the share's quota; 0: no "
               "limit",
       .companion = only_for({"capacity"})},
      {.name = "reclaims",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "capacity: false: borrowers are never preempted; owners wait until borrowers end",
       .companion = only_for({"capacity"})},
      span("grace", R"("15s")", 0,
           "capacity: how long a job within its share's quota waits before borrowers are preempted",
           "capacity"),
  };
}

std::vector<OptionSpec> quota_options() {
  return {
      {.name = "idle_assignment",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("fifo")",
       .choices = {"fifo"},
       .help = "quota: order in which shares borrow idle quota; fifo: by submission",
       .companion = only_for({"quota"})},
      {.name = "victims",
       .type = OptionType::text,
       .unit = "",
       .default_json = R"("borrowed,lowest_priority,latest_start")",
       .choices = {},
       .help = "quota: order of victims, as keys separated by commas: borrowed (only first), "
               "lowest_priority, latest_start, earliest_start, fewest_instances, most_instances",
       .companion = only_for({"quota"})},
      {.name = "blocked_borrower",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("waits_alone")",
       .choices = {"waits_alone", "blocks_others"},
       .help = "quota: whether a borrower that does not fit blocks later borrowers",
       .companion = only_for({"quota"})},
      {.name = "lowered_quota",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("at_once")",
       .choices = {"at_once", "when_wanted"},
       .help = "quota: when borrowers that a lowered quota no longer covers are preempted",
       .companion = only_for({"quota"})},
      {.name = "override.sharing",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("as_stated")",
       .choices = {"as_stated", "reserve", "lend", "lend_and_borrow"},
       .help = "quota: replaces the key sharing of all shares, to compare with static quotas",
       .companion = only_for({"quota"})},
      {.name = "override.in_share_preemption",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "quota: false: no share preempts its own lower priorities, to compare with static "
               "quotas",
       .companion = only_for({"quota"})},
  };
}

std::vector<OptionSpec> kueue_options() {
  return {
      {.name = "queueing_strategy",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("best_effort_fifo")",
       .choices = {"best_effort_fifo", "strict_fifo"},
       .help = "kueue, kueue_fair: strict_fifo: the first job of a share blocks the share; "
               "best_effort_fifo: later jobs that fit run ahead of it",
       .companion = only_for({"kueue", "kueue_fair"})},
      {.name = "within_cluster_queue",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("never")",
       .choices = {"never", "lower_priority", "lower_or_newer_equal_priority"},
       .help = "kueue, kueue_fair: which jobs of its own share a job may preempt",
       .companion = only_for({"kueue", "kueue_fair"})},
      {.name = "reclaim_within_cohort",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("never")",
       .choices = {"never", "lower_priority", "any"},
       .help = "kueue, kueue_fair: which jobs of borrowing shares a job may preempt",
       .companion = only_for({"kueue", "kueue_fair"})},
      {.name = "borrow_within_cohort",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("never")",
       .choices = {"never", "lower_priority"},
       .help = "kueue: which of those a job may preempt that itself borrows; needs "
               "reclaim_within_cohort",
       .companion = only_for({"kueue"})},
      {.name = "max_priority_threshold",
       .type = OptionType::integer,
       .unit = "",
       .default_json = "2147483647",
       .min = -2147483648.0,
       .max = 2147483647,
       .choices = {},
       .help = "kueue: highest priority that borrow_within_cohort may preempt",
       .companion = only_for({"kueue"})},
      {.name = "preemption_strategies",
       .type = OptionType::texts,
       .unit = "",
       .default_json = R"(["less_than_or_equal_to_final_share", "less_than_initial_share"])",
       .choices = {"less_than_or_equal_to_final_share", "less_than_initial_share"},
       .help = "kueue_fair: comparison of share values before a preemption; the second applies if "
               "the first is not enough",
       .companion = only_for({"kueue_fair"})},
  };
}

}  // namespace

std::vector<OptionSpec> schedule_options() {
  std::vector<OptionSpec> all = order_options();
  for (OptionSpec& option : turn_options()) all.push_back(std::move(option));
  for (OptionSpec& option : share_options()) all.push_back(std::move(option));
  for (OptionSpec& option : factor_options()) all.push_back(std::move(option));
  for (OptionSpec& option : capacity_options()) all.push_back(std::move(option));
  for (OptionSpec& option : quota_options()) all.push_back(std::move(option));
  for (OptionSpec& option : kueue_options()) all.push_back(std::move(option));
  return all;
}

}  // namespace reeve::policies
