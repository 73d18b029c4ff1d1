#include "schedule.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backfill.hpp"
#include "capacity_queues.hpp"
#include "gavel.hpp"
#include "job_queues.hpp"
#include "kai.hpp"
#include "kueue.hpp"
#include "multifactor.hpp"
#include "preempting_order.hpp"
#include "quota_shares.hpp"
#include "schedule_options.hpp"
#include "share_order.hpp"
#include "static_order.hpp"
#include "themis.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// `override.sharing` in the order of Sharing, after "as_stated".
std::optional<Sharing> sharing_instead(const std::string& name) {
  for (std::size_t place = 0; place < sharing_names.size(); ++place) {
    if (sharing_names[place] == name) return static_cast<Sharing>(place);
  }
  return std::nullopt;
}

std::unique_ptr<Algorithm> shares_of(const Options& options) {
  QuotaModel model;
  model.victims = VictimOrder::of(options.text("victims")).value();
  model.blocked_borrower_blocks = options.text("blocked_borrower") == "blocks_others";
  model.surplus_at_once = options.text("lowered_quota") == "at_once";
  model.in_share_preemption = options.flag("override.in_share_preemption");
  model.sharing = sharing_instead(options.text("override.sharing"));
  return quota_shares(std::move(model));
}

/// The names of `Choice`, in the order of its values.
template <class Choice, std::size_t count>
Choice choice(const std::string& name, const std::array<std::string_view, count>& names) {
  return static_cast<Choice>(std::find(names.begin(), names.end(), name) - names.begin());
}

constexpr std::array<std::string_view, 3> within_names{"never", "lower_priority",
                                                       "lower_or_newer_equal_priority"};
constexpr std::array<std::string_view, 3> reclaim_names{"never", "lower_priority", "any"};

constexpr std::array<std::string_view, 2> strategy_names{"less_than_or_equal_to_final_share",
                                                         "less_than_initial_share"};

std::unique_ptr<Algorithm> kueue_of(const Options& options) {
  KueueModel model;
  model.fair = options.text("algorithm") == "kueue_fair";
  model.strategies.clear();
  for (const std::string& name : options.texts("preemption_strategies")) {
    model.strategies.push_back(choice<FairStrategy>(name, strategy_names));
  }
  model.strict = options.text("queueing_strategy") == "strict_fifo";
  model.within = choice<WithinShare>(options.text("within_cluster_queue"), within_names);
  model.reclaim = choice<Reclaim>(options.text("reclaim_within_cohort"), reclaim_names);
  model.borrow_within = options.text("borrow_within_cohort") == "lower_priority";
  model.max_priority = options.integer("max_priority_threshold");
  return kueue(std::move(model));
}

/// Algorithms that go by shares as a whole.
std::optional<ShareMeasure> measure_of(const std::string& algorithm) {
  if (algorithm == "fair_share") return ShareMeasure::usage;
  if (algorithm == "max_min") return ShareMeasure::held;
  if (algorithm == "drf") return ShareMeasure::dominant;
  return std::nullopt;
}

std::unique_ptr<Algorithm> in_turn(const Options& options, ShareMeasure measure) {
  ShareModel model;
  model.measure = measure;
  model.decay = options.duration("share_decay");
  model.reservation_pct = options.integer("compute_reservation");
  model.strict = options.text("backfill") == "none";
  return share_order(model);
}

Passing passing_of(const std::string& name) {
  if (name == "easy") return Passing::easy;
  return name == "any_fit" ? Passing::any_fit : Passing::none;
}

std::unique_ptr<Algorithm> factors_of(const Options& options) {
  MultifactorModel model;
  model.passing = passing_of(options.text("backfill"));
  model.age_weight = options.integer("weight.age");
  model.fair_share_weight = options.integer("weight.fair_share");
  model.size_weight = options.integer("weight.size");
  model.priority_weight = options.integer("weight.priority");
  model.max_age = options.duration("max_age");
  model.half_life = options.duration("half_life");
  model.calc_period = options.duration("calc_period");
  model.max_priority = options.integer("max_priority");
  model.favors_small = options.text("favors") == "small";
  model.fair_tree = options.text("fair_share") == "fair_tree";
  return multifactor(model);
}

std::unique_ptr<Algorithm> capacities_of(const Options& options) {
  CapacityModel model;
  model.user_limit_pct = options.integer("user_limit");
  model.grace = options.flag("reclaims") ? options.duration("grace") : Duration::max();
  return capacity_queues(model);
}

std::unique_ptr<Algorithm> attained_of(const Options& options) {
  LeastAttained model{.limits = options.integers("las_limits")};
  if (const std::int64_t times = options.integer("las_promote"); times >= 0) {
    model.promote_after = times;
  }
  return least_attained_service(std::move(model));
}

/// Orders that who ends when does not change.
bool has_forecast(const std::string& algorithm) {
  return algorithm == "fifo" || algorithm == "sjf" || algorithm == "priority";
}

/// As Kueue's own validation.
bool borrows_by_nothing(const Options& options) {
  return options.text("algorithm") == "kueue" && options.text("borrow_within_cohort") != "never" &&
         options.text("reclaim_within_cohort") == "never";
}

/// Each of the two, or both in this order.
bool are_strategies(const std::vector<std::string>& names) {
  if (names.size() == 2) return names[0] == strategy_names[0] && names[1] == strategy_names[1];
  return names.size() == 1;
}

/// A promise to the first alone lasts as long as it is the first.
bool has_promises(const std::string& algorithm, const std::string& passing) {
  return has_forecast(algorithm) || (algorithm == "multifactor" && passing == "easy");
}

OptionProblem check_schedule(const Options& options) {
  if (borrows_by_nothing(options)) {
    return {.option = "borrow_within_cohort",
            .message = "must be never if reclaim_within_cohort is never",
            .help = "\"reclaim_within_cohort\": \"any\" or \"lower_priority\""};
  }
  if (!are_strategies(options.texts("preemption_strategies"))) {
    return {.option = "preemption_strategies",
            .message = "is not a list that Kueue accepts",
            .help =
                "use less_than_or_equal_to_final_share, less_than_initial_share, or both in this "
                "order"};
  }
  const std::string& passing = options.text("backfill");
  const bool forecasts = passing == "easy" || passing == "conservative";
  if (forecasts && !has_promises(options.text("algorithm"), passing)) {
    return {.option = "backfill",
            .message = "needs an algorithm whose order does not depend on usage",
            .help = "use fifo, sjf or priority; \"easy\" also works with multifactor"};
  }
  const std::vector<std::int64_t> limits = options.integers("las_limits");
  if (std::adjacent_find(limits.begin(), limits.end(), std::greater_equal<>{}) != limits.end()) {
    return {.option = "las_limits",
            .message = "must be in strictly ascending order",
            .help = "as in \"las_limits\": [3600, 36000]"};
  }
  if (options.text("algorithm") == "gittins" && options.integers("gittins_lengths").empty()) {
    return {.option = "gittins_lengths",
            .message = "must list GPU times of jobs for gittins",
            .help = "as in \"gittins_lengths\": [600, 3600, 36000]",
            .against = "algorithm"};
  }
  if (VictimOrder::of(options.text("victims"))) return {};
  return {.option = "victims",
          .message = "is not a valid order of victims",
          .help =
              "use names separated by commas: borrowed (only first), lowest_priority, "
              "latest_start, earliest_start, fewest_instances, most_instances"};
}

JobOrder order_of(const Options& options) {
  const std::string& algorithm = options.text("algorithm");
  if (algorithm == "sjf") return {.by = OrderBy::length};
  if (algorithm != "priority") return {};
  return {.by = OrderBy::priority, .ageing = options.duration("ageing")};
}

std::unique_ptr<Algorithm> line_of(const Options& options) {
  const JobOrder order = order_of(options);
  const std::string& passing = options.text("backfill");
  if (passing == "easy") return backfill(order, Promised::first);
  if (passing == "conservative") return backfill(order, Promised::all);
  return static_order(order, passing == "none");
}

std::unique_ptr<Algorithm> algorithm_of(const Options& options) {
  const std::string& name = options.text("algorithm");
  if (name == "quota") return shares_of(options);
  if (name == "kueue" || name == "kueue_fair") return kueue_of(options);
  if (name == "capacity") return capacities_of(options);
  if (name == "kai") return kai();
  if (name == "themis") {
    return themis({options.duration("lease"), options.integer("fairness_knob")});
  }
  if (name == "gavel") return gavel({options.duration("round")});
  if (name == "multifactor") return factors_of(options);
  if (name == "srtf") return shortest_remaining_first(Remaining::time);
  if (name == "srsf") return shortest_remaining_first(Remaining::gpu_time);
  if (name == "las") return attained_of(options);
  if (name == "gittins") return highest_gittins_first(options.integers("gittins_lengths"));
  if (const auto measure = measure_of(name)) return in_turn(options, *measure);
  return line_of(options);
}

std::unique_ptr<Policy> make_schedule(const Options& options) {
  return std::make_unique<Desk>(options.duration("retry_after"),
                                [options] { return algorithm_of(options); });
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
               "delay no earlier job"},
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
       .help = "las: GPU time at which a job moves to the next queue, in ascending order"},
      {.name = "las_promote",
       .type = OptionType::integer,
       .unit = "",
       .default_json = "-1",
       .min = -1,
       .max = 1e6,
       .choices = {},
       .help = "las: a job returns to the first queue after waiting this many times as long as it "
               "ran; -1: never"},
      {.name = "gittins_lengths",
       .type = OptionType::integers,
       .unit = "GPU s",
       .default_json = "[]",
       .min = 1,
       .max = 1e9,
       .choices = {},
       .help = "gittins: GPU times of past jobs, all equally likely; required for gittins"},
      {.name = "lease",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("20m")",
       .min = 1,
       .choices = {},
       .help = "themis: length of a lease; leases end together at fixed UTC times"},
      {.name = "fairness_knob",
       .type = OptionType::integer,
       .unit = "%",
       .default_json = "80",
       .min = 0,
       .max = 100,
       .choices = {},
       .help = "themis: f: the worst 100 - f percent of the jobs that want instances may bid"},
      {.name = "round",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("6m")",
       .min = 1,
       .choices = {},
       .help = "gavel: length of a round; rounds begin at fixed UTC times"},
      {.name = "share_decay",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("10m")",
       .min = 0,
       .choices = {},
       .help =
           "fair_share: time in which past usage decays to 1/e; 0s: only current instances count"},
      {.name = "compute_reservation",
       .type = OptionType::integer,
       .unit = "%",
       .default_json = "0",
       .min = 0,
       .max = 99,
       .choices = {},
       .help = "fair_share, max_min, drf: part of each fleet that stays free: this percentage to "
               "the power of the number of active shares"},
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
          .help = help};
}

OptionSpec span(std::string_view name, std::string_view default_json, double min_s,
                std::string_view help) {
  return {.name = name,
          .type = OptionType::duration,
          .unit = "",
          .default_json = default_json,
          .min = min_s,
          .max = 86400.0 * 1000,
          .choices = {},
          .help = help};
}

std::vector<OptionSpec> factor_options() {
  return {
      span("ageing", R"("0s")", 0,
           "priority: wait that is worth one point of priority; 0s: waiting adds nothing"),
      weight("weight.age", "1000", "multifactor: points of a job that has waited for max_age"),
      weight("weight.fair_share", "10000",
             "multifactor: points of the user with the best fair-share factor"),
      weight("weight.size", "1000",
             "multifactor: points of a job that needs the whole fleet, or one instance if favors "
             "is small"),
      weight("weight.priority", "1000", "multifactor: points of a job with max_priority"),
      span("max_age", R"("7d")", 1, "multifactor: a longer wait adds no more points"),
      span("half_life", R"("7d")", 0,
           "multifactor: time in which past usage falls to half; 0s: usage never decays"),
      span("calc_period", R"("5m")", 1,
           "multifactor: how often usage is sampled for the fair-share factor"),
      {.name = "max_priority",
       .type = OptionType::integer,
       .unit = "",
       .default_json = "100",
       .min = 1,
       .max = 2147483647,
       .choices = {},
       .help = "multifactor: priority that earns all points; negative priorities count as 0"},
      {.name = "favors",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("large")",
       .choices = {"large", "small"},
       .help = "multifactor: which job sizes receive the points of weight.size"},
      {.name = "fair_share",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("fair_tree")",
       .choices = {"fair_tree", "classic"},
       .help = "multifactor: fair_tree ranks all users, first by their share; classic uses "
               "2^(-usage/shares)"},
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
               "limit"},
      {.name = "reclaims",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "capacity: false: borrowers are never preempted; owners wait until borrowers end"},
      span(
          "grace", R"("15s")", 0,
          "capacity: how long a job within its share's quota waits before borrowers are preempted"),
  };
}

std::vector<OptionSpec> quota_options() {
  return {
      {.name = "idle_assignment",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("fifo")",
       .choices = {"fifo"},
       .help = "quota: order in which shares borrow idle quota; fifo: by submission"},
      {.name = "victims",
       .type = OptionType::text,
       .unit = "",
       .default_json = R"("borrowed,lowest_priority,latest_start")",
       .choices = {},
       .help = "quota: order of victims, as keys separated by commas: borrowed (only first), "
               "lowest_priority, latest_start, earliest_start, fewest_instances, most_instances"},
      {.name = "blocked_borrower",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("waits_alone")",
       .choices = {"waits_alone", "blocks_others"},
       .help = "quota: whether a borrower that does not fit blocks later borrowers"},
      {.name = "lowered_quota",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("at_once")",
       .choices = {"at_once", "when_wanted"},
       .help = "quota: when borrowers that a lowered quota no longer covers are preempted"},
      {.name = "override.sharing",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("as_stated")",
       .choices = {"as_stated", "reserve", "lend", "lend_and_borrow"},
       .help = "quota: replaces the key sharing of all shares, to compare with static quotas"},
      {.name = "override.in_share_preemption",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "quota: false: no share preempts its own lower priorities, to compare with static "
               "quotas"},
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
               "best_effort_fifo: later jobs that fit run ahead of it"},
      {.name = "within_cluster_queue",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("never")",
       .choices = {"never", "lower_priority", "lower_or_newer_equal_priority"},
       .help = "kueue, kueue_fair: which jobs of its own share a job may preempt"},
      {.name = "reclaim_within_cohort",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("never")",
       .choices = {"never", "lower_priority", "any"},
       .help = "kueue, kueue_fair: which jobs of borrowing shares a job may preempt"},
      {.name = "borrow_within_cohort",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("never")",
       .choices = {"never", "lower_priority"},
       .help = "kueue: which of those a job may preempt that itself borrows; needs "
               "reclaim_within_cohort"},
      {.name = "max_priority_threshold",
       .type = OptionType::integer,
       .unit = "",
       .default_json = "2147483647",
       .min = -2147483648.0,
       .max = 2147483647,
       .choices = {},
       .help = "kueue: highest priority that borrow_within_cohort may preempt"},
      {.name = "preemption_strategies",
       .type = OptionType::texts,
       .unit = "",
       .default_json = R"(["less_than_or_equal_to_final_share", "less_than_initial_share"])",
       .choices = {"less_than_or_equal_to_final_share", "less_than_initial_share"},
       .help = "kueue_fair: comparison of share values before a preemption; the second applies if "
               "the first is not enough"},
  };
}

std::vector<OptionSpec> all_options() {
  std::vector<OptionSpec> all = order_options();
  for (OptionSpec& option : turn_options()) all.push_back(std::move(option));
  for (OptionSpec& option : factor_options()) all.push_back(std::move(option));
  for (OptionSpec& option : capacity_options()) all.push_back(std::move(option));
  for (OptionSpec& option : quota_options()) all.push_back(std::move(option));
  for (OptionSpec& option : kueue_options()) all.push_back(std::move(option));
  return all;
}

/// Where jobs of the type may be sent: to all that one of them states a speed of.
std::vector<PoolId> schedule_reaches(const Options& options, const Directory& directory,
                                     TypeId type) {
  std::vector<PoolId> all;
  if (options.text("algorithm") != "gavel") return all;
  for (std::uint32_t pool = 0; pool < directory.pools.size(); ++pool) {
    const TypeId there = directory.pools[pool].type;
    const bool is_reached = std::any_of(
        directory.speeds.begin(), directory.speeds.end(), [&](const SpeedsByType& speeds) {
          return !speeds.empty() && speeds[type.index] > 0 && speeds[there.index] > 0;
        });
    if (is_reached) all.push_back({pool});
  }
  return all;
}

}  // namespace

PolicyKind schedule_kind() {
  return {
      .name = "schedule",
      .summary = "starts queued jobs in the order of a scheduling algorithm",
      .source =
          "Harchol-Balter, Performance Modeling and Design of Computer Systems (2013), FCFS and "
          "SJF; Schrage, Operations Research 16 (1968), SRPT; Gittins, Bandit processes and "
          "dynamic allocation indices (1979); Silberschatz et al., Operating System Concepts, "
          "ageing; Lifka, The ANL/IBM SP scheduling system (1995), EASY; Mu'alem and Feitelson, "
          "IEEE TPDS 12 (2001), conservative backfilling; Gu et al., Tiresias (NSDI 2019); Mahajan "
          "et al., Themis (NSDI 2020); Narayanan et al., Gavel (OSDI 2020); Ghodsi et al., "
          "Dominant Resource Fairness (NSDI 2011); AWS Batch User Guide, FIFO queues, fair share, "
          "quota shares; Slurm, priority_multifactor.html, classic_fair_share.html, "
          "fair_tree.html; Hadoop, CapacityScheduler.html; Kueue, Cluster Queue, Preemption, "
          "KEP-1337, KEP-1714; KAI-Scheduler, docs/fairness",
      .options = schedule_options(),
      .schedules = true,
      .check = check_schedule,
      .reaches = schedule_reaches,
      .make = make_schedule,
  };
}

}  // namespace reeve::policies
