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
#include "proposed_verbs.hpp"
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
  return std::make_unique<JobQueues>(options.duration("retry_after"),
                                     [options] { return algorithm_of(options); });
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
      .never_stops = true,
      .check = check_schedule,
      .reaches = schedule_reaches,
      .verbs = always<VerbKind::start_job, VerbKind::place_job, VerbKind::preempt_job>,
      .make = make_schedule,
  };
}

}  // namespace reeve::policies
