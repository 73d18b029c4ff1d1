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
#include "desk.hpp"
#include "gavel.hpp"
#include "kai.hpp"
#include "kueue.hpp"
#include "multifactor.hpp"
#include "preempting_order.hpp"
#include "quota_shares.hpp"
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
            .message = "preempts nobody where no borrower may be preempted",
            .help = "\"reclaim_within_cohort\": \"any\" or \"lower_priority\""};
  }
  if (!are_strategies(options.texts("preemption_strategies"))) {
    return {.option = "preemption_strategies",
            .message = "is none of the lists that Kueue knows",
            .help =
                "one of less_than_or_equal_to_final_share and less_than_initial_share, or both "
                "in this order"};
  }
  const std::string& passing = options.text("backfill");
  const bool forecasts = passing == "easy" || passing == "conservative";
  if (forecasts && !has_promises(options.text("algorithm"), passing)) {
    return {.option = "backfill",
            .message = "promises nothing where the order depends on who has had what",
            .help = "with fifo, sjf and priority only; \"easy\" with multifactor as well"};
  }
  const std::vector<std::int64_t> limits = options.integers("las_limits");
  if (std::adjacent_find(limits.begin(), limits.end(), std::greater_equal<>{}) != limits.end()) {
    return {.option = "las_limits",
            .message = "do not ascend: each is the end of a queue, and the next begins there",
            .help = "as in \"las_limits\": [3600, 36000]"};
  }
  if (options.text("algorithm") == "gittins" && options.integers("gittins_lengths").empty()) {
    return {.option = "gittins_lengths",
            .message = "must say how long jobs are, of which the order is made",
            .help = "as in \"gittins_lengths\": [600, 3600, 36000]",
            .against = "algorithm"};
  }
  if (VictimOrder::of(options.text("victims"))) return {};
  return {.option = "victims",
          .message = "is no order of victims: a name in it is not known, or is there twice",
          .help =
              "names with commas between them: borrowed (only as the first), lowest_priority, "
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
       .help =
           "order of the queue: fifo by submission, sjf by the expected run time, priority by "
           "what people gave each job, srtf by what is left, srsf by that times the GPUs, las by "
           "what "
           "a job has had, gittins by how likely it ends soon, themis by how late it ends, "
           "gavel by who is served worst on machines of several kinds, these six preempting; quota "
           "by shares that lend, borrow and "
           "take back; of "
           "shares in turn: fair_share by what each has used, max_min by what it holds, drf by "
           "the largest part of a pool that it holds; multifactor by Slurm's weighted sum of age, "
           "fair share, size and priority; capacity by shares as YARN's queues, that are "
           "guaranteed "
           "their quota and have what others leave idle; kueue and kueue_fair as Kueue does, with "
           "classic preemption or fair sharing; kai as NVIDIA's KAI, by what shares deserve and "
           "weights of what is left"},
      {.name = "backfill",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("none")",
       .choices = {"none", "any_fit", "easy", "conservative"},
       .help = "none: the first in line blocks its pool; any_fit: any job that fits starts; easy: "
               "any that fits and does not delay the first; conservative: nor anybody before it"},
      {.name = "retry_after",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("1m")",
       .min = 1,
       .choices = {},
       .help = "wait before a refused start is asked for again; doubles to an hour"},
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
       .help = "las: GPU time at which a job falls into the next queue"},
      {.name = "las_promote",
       .type = OptionType::integer,
       .unit = "",
       .default_json = "-1",
       .min = -1,
       .max = 1e6,
       .choices = {},
       .help = "las: whoever waited so many times as long as it ran begins anew; -1: nobody does"},
      {.name = "gittins_lengths",
       .type = OptionType::integers,
       .unit = "GPU s",
       .default_json = "[]",
       .min = 1,
       .max = 1e9,
       .choices = {},
       .help = "gittins: GPU time of jobs of the past, each as likely as the others; needed there"},
      {.name = "lease",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("20m")",
       .min = 1,
       .choices = {},
       .help = "themis: how often leases end and machines are on offer again, by the clock"},
      {.name = "fairness_knob",
       .type = OptionType::integer,
       .unit = "%",
       .default_json = "80",
       .min = 0,
       .max = 100,
       .choices = {},
       .help = "themis: f: of those who want machines the worst off 100 - f percent bid for them"},
      {.name = "round",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("6m")",
       .min = 1,
       .choices = {},
       .help = "gavel: how often it is decided anew who has which machines, by the clock"},
      {.name = "share_decay",
       .type = OptionType::duration,
       .unit = "",
       .default_json = R"("10m")",
       .min = 0,
       .choices = {},
       .help = "fair_share: in that time usage falls to 1/e; 0s: what a share holds now counts"},
      {.name = "compute_reservation",
       .type = OptionType::integer,
       .unit = "%",
       .default_json = "0",
       .min = 0,
       .max = 99,
       .choices = {},
       .help = "shares in turn: so much of a pool, to the power of the active shares, is kept for "
               "the others"},
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
           "priority: waiting for so long is worth a point of priority; 0s: waiting is worth "
           "nothing"),
      weight("weight.age", "1000", "multifactor: points of a job that has waited for max_age"),
      weight("weight.fair_share", "10000", "multifactor: points of the user served least"),
      weight("weight.size", "1000",
             "multifactor: points of a job that wants all machines of its pool"),
      weight("weight.priority", "1000", "multifactor: points of a job of max_priority"),
      span("max_age", R"("7d")", 1, "multifactor: whoever waits longer gains no more by it"),
      span("half_life", R"("7d")", 0,
           "multifactor: in that time usage falls to a half; 0s: nothing is forgotten"),
      span("calc_period", R"("5m")", 1,
           "multifactor: how often it is looked at who has used how much"),
      {.name = "max_priority",
       .type = OptionType::integer,
       .unit = "",
       .default_json = "100",
       .min = 1,
       .max = 2147483647,
       .choices = {},
       .help = "multifactor: the priority that counts in full; a negative one counts as 0"},
      {.name = "favors",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("large")",
       .choices = {"large", "small"},
       .help = "multifactor: which sizes of jobs have the points of weight.size"},
      {.name = "fair_share",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("fair_tree")",
       .choices = {"fair_tree", "classic"},
       .help = "multifactor: fair_tree ranks all users, those of the share served least before "
               "all others; classic goes by 2^(-usage/shares)"},
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
       .help = "capacity: what one user of a share may hold, of the share's quota; 0: no limit"},
      {.name = "reclaims",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "capacity: false: nobody is preempted, owners wait until borrowers end"},
      span("grace", R"("15s")", 0,
           "capacity: how long one within its share's quota waits before borrowers are preempted"),
  };
}

std::vector<OptionSpec> quota_options() {
  return {
      {.name = "idle_assignment",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("fifo")",
       .choices = {"fifo"},
       .help = "quota: who borrows idle capacity first: fifo by submission"},
      {.name = "victims",
       .type = OptionType::text,
       .unit = "",
       .default_json = R"("borrowed,lowest_priority,latest_start")",
       .choices = {},
       .help = "quota: who is preempted first, by keys with commas between them"},
      {.name = "blocked_borrower",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("waits_alone")",
       .choices = {"waits_alone", "blocks_others"},
       .help = "quota: whether a borrower that does not fit keeps later ones from "
               "borrowing"},
      {.name = "lowered_quota",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("at_once")",
       .choices = {"at_once", "when_wanted"},
       .help = "quota: when what a lowered quota leaves without cover is preempted"},
      {.name = "override.sharing",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("as_stated")",
       .choices = {"as_stated", "reserve", "lend", "lend_and_borrow"},
       .help = "quota: how all shares share, whatever they say"},
      {.name = "override.in_share_preemption",
       .type = OptionType::flag,
       .unit = "",
       .default_json = "true",
       .choices = {},
       .help = "quota: false: in no share is anybody preempted for a higher priority"},
  };
}

std::vector<OptionSpec> kueue_options() {
  return {
      {.name = "queueing_strategy",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("best_effort_fifo")",
       .choices = {"best_effort_fifo", "strict_fifo"},
       .help = "kueue, kueue_fair: strict_fifo: the first of a share blocks it; best_effort_fifo: "
               "whoever can "
               "start passes it"},
      {.name = "within_cluster_queue",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("never")",
       .choices = {"never", "lower_priority", "lower_or_newer_equal_priority"},
       .help = "kueue, kueue_fair: whom of its own share a job may preempt"},
      {.name = "reclaim_within_cohort",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("never")",
       .choices = {"never", "lower_priority", "any"},
       .help = "kueue, kueue_fair: whom of shares that borrow a job may preempt"},
      {.name = "borrow_within_cohort",
       .type = OptionType::choice,
       .unit = "",
       .default_json = R"("never")",
       .choices = {"never", "lower_priority"},
       .help = "kueue: whom of them a job may preempt that borrows as well; needs "
               "reclaim_within_cohort"},
      {.name = "max_priority_threshold",
       .type = OptionType::integer,
       .unit = "",
       .default_json = "2147483647",
       .min = -2147483648.0,
       .max = 2147483647,
       .choices = {},
       .help = "kueue: borrow_within_cohort preempts nobody of a higher priority"},
      {.name = "preemption_strategies",
       .type = OptionType::texts,
       .unit = "",
       .default_json = R"(["less_than_or_equal_to_final_share", "less_than_initial_share"])",
       .choices = {"less_than_or_equal_to_final_share", "less_than_initial_share"},
       .help = "kueue_fair: how a share's value compares with that of whom it preempts; the second "
               "where the first does not help"},
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
      .summary = "starts queued jobs when their turn comes and machines are free",
      .source =
          "Harchol-Balter, Performance Modeling and Design of Computer Systems (2013), FCFS and "
          "SJF; Lifka, The ANL/IBM SP scheduling system (1995), and Mu'alem and Feitelson, IEEE "
          "TPDS "
          "12 (2001), backfilling; AWS Batch User Guide, job queues without a scheduling policy "
          "(FIFO), quota shares, fair share; Gu et al., Tiresias (NSDI 2019); Mahajan et al., "
          "Themis (NSDI 2020); Narayanan et al., Gavel (OSDI 2020); Ghodsi et al., "
          "Dominant Resource Fairness (NSDI "
          "2011); Slurm, priority_multifactor.html, classic_fair_share.html and fair_tree.html; "
          "Hadoop, CapacityScheduler.html; Kueue, Cluster Queue and Preemption, KEP-1714; "
          "KAI-Scheduler, docs/fairness",
      .options = all_options(),
      .schedules = true,
      .check = check_schedule,
      .reaches = schedule_reaches,
      .make = make_schedule,
  };
}

}  // namespace reeve::policies
