#include "idle_capacity.hpp"

#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "held_machines.hpp"
#include "job_rule.hpp"
#include "proposed_verbs.hpp"
#include "wording.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kIdleCapacityReason = "waits although machines of its fleet are idle";
constexpr std::uint16_t kFleetTimer = 1;

enum class Has : std::uint8_t { nothing, wait, machines };

struct IdleCapacityRow {
  Has has = Has::nothing;
  PoolId pool;
  std::uint32_t instances = 0;
  Instant since;              ///< when it was submitted: its place among those that wait
  AttemptNumber attempt = 0;  ///< that `incidents` counts for
  std::uint16_t incidents = 0;
};

/// What is believed of one fleet.
struct Fleet {
  std::uint64_t in_use = 0;
  std::set<std::pair<Instant, JobId>> waiting;
  Instant low_since = never;
  bool told = false;                             ///< of this incident
  std::optional<Notify> message = std::nullopt;  ///< the one that tells of it
};

/// In use are the machines of attempts from Starting on.
class IdleCapacity final : public JobRule<IdleCapacityRow> {
 public:
  explicit IdleCapacity(const Options& options)
      : below_{options.number("below_pct")},
        lasts_{options.duration("lasts")},
        fleet_{options.text("fleet")} {}

 private:
  bool tells_of_attempts() const override { return false; }

  void hear(const Observation& seen) override {
    if (const auto* capacity = std::get_if<CapacityChanged>(&seen.fact)) {
      touched_.insert(capacity->pool);
    } else if (const auto* timer = std::get_if<TimerFired>(&seen.fact)) {
      const TimerKey key = TimerKey::unpacked(timer->key);
      if (key.purpose == kFleetTimer) touched_.insert(PoolId{key.job.index});
    }
  }

  void look_at(JobId job, const Step& step, Decisions&) override {
    const JobStatus& status = step.fleet.status(job);
    IdleCapacityRow& row = jobs_[job];
    take_out(job, row);
    // Before its submission is told of, its fleet is that of another attempt.
    if (!step.fleet.is_described(job)) return;
    const JobDescription& description = step.fleet.description(job);
    row.pool = description.pool;
    row.instances = description.instances;
    row.since = status.requested_at;
    row.has = holds_machines(status) ? Has::machines : is_alive(status) ? Has::wait : Has::nothing;
    put_in(job, row);
  }

  Fleet& fleet(PoolId pool) {
    if (pool.index >= fleets_.size()) fleets_.resize(std::size_t{pool.index} + 1);
    return fleets_[pool.index];
  }

  void take_out(JobId job, const IdleCapacityRow& row) {
    if (row.has == Has::nothing) return;
    touched_.insert(row.pool);
    if (row.has == Has::machines) fleet(row.pool).in_use -= row.instances;
    if (row.has == Has::wait) fleet(row.pool).waiting.erase({row.since, job});
  }

  void put_in(JobId job, const IdleCapacityRow& row) {
    if (row.has == Has::nothing) return;
    touched_.insert(row.pool);
    if (row.has == Has::machines) fleet(row.pool).in_use += row.instances;
    if (row.has == Has::wait) fleet(row.pool).waiting.insert({row.since, job});
  }

  void look_around(const Step& step, Decisions& out) override {
    for (const PoolId pool : std::exchange(touched_, {})) review(pool, step, out);
  }

  void review(PoolId pool, const Step& step, Decisions& out) {
    if (pool.index >= step.fleet.pool_count()) return;
    if (!fleet_.empty() && step.fleet.directory().pools[pool.index].name != fleet_) return;
    Fleet& of = fleet(pool);
    const double least = below_ / 100 * step.fleet.capacity(pool);
    if (of.waiting.empty() || !(static_cast<double>(of.in_use) < least)) {
      of.low_since = never;
      of.told = false;
      of.message.reset();
      return;
    }
    if (of.low_since == never) of.low_since = step.now;
    if (of.told) return;
    const Instant due = later(of.low_since, lasts_);
    if (due > step.now) {
      if (due == never) return;
      return out.wake_at(TimerKey{.job = {pool.index}, .purpose = kFleetTimer}.packed(), due);
    }
    of.told = true;
    tell(of, pool, step, out);
  }

  /// A message that failed is sent again unchanged, as long as its job is pending.
  void tell(Fleet& of, PoolId pool, const Step& step, Decisions& out) {
    if (!of.message || !waits(*of.message, of, step)) of.message = message(of, step);
    const std::string used =
        std::to_string(of.in_use) + " of " + std::to_string(step.fleet.capacity(pool));
    out.propose(*of.message, kIdleCapacityReason,
                used + " for " + length_text(step.now - of.low_since));
  }

  bool waits(const Notify& message, const Fleet& of, const Step& step) {
    return step.fleet.status(message.job).attempt == message.attempt &&
           of.waiting.contains({jobs_[message.job].since, message.job});
  }

  /// About the first who waits.
  Notify message(const Fleet& of, const Step& step) {
    const JobId job = of.waiting.begin()->second;
    IdleCapacityRow& row = jobs_[job];
    const AttemptNumber attempt = step.fleet.status(job).attempt;
    if (std::exchange(row.attempt, attempt) != attempt) row.incidents = 0;
    ++row.incidents;
    return {job, attempt, row.incidents};
  }

  /// The message about it was not sent, or its outcome is unknown.
  void forget(IdleCapacityRow& row, AttemptNumber attempt) override {
    if (row.attempt == attempt) fleet(row.pool).told = false;
    touched_.insert(row.pool);
  }

  double below_;
  Duration lasts_;
  std::string fleet_;
  std::vector<Fleet> fleets_;
  std::set<PoolId> touched_;  ///< in this step
};

OptionProblem doubt_idle_capacity(const Options& options, const Directory& directory) {
  const std::string& fleet = options.text("fleet");
  if (fleet.empty() || directory.pool_named(fleet)) return {};
  return {.option = "fleet",
          .message = "is not a fleet: the rule can never act",
          .help = "the first fleet is " + directory.pools.front().name};
}

OptionProblem idle_idle_capacity(const Options& options, const ScenarioFacts& /*facts*/) {
  if (options.number("below_pct") > 0) return {};
  return {.option = "below_pct",
          .message = "no capacity has a utilization below 0 %",
          .help = "use \"mode\": \"off\""};
}

std::unique_ptr<Policy> make_idle_capacity(const Options& options) {
  return std::make_unique<IdleCapacity>(options);
}

constexpr std::array idle_capacity_alert_keys{AlertKey{"below", "below_pct"},
                                              AlertKey{"for", "lasts"}, AlertKey{"fleet", "fleet"},
                                              AlertKey{"while_runnable"}};

}  // namespace

PolicyKind idle_capacity_kind() {
  return {
      .name = "idle_capacity",
      .summary = "sends a notification when a fleet has unused capacity while jobs are pending",
      .source =
          "How Amazon Search increased ML training twofold using AWS Batch for Amazon SageMaker "
          "Training jobs: an alarm on under-used capacity",
      .options = {{.name = "below_pct",
                   .type = OptionType::number,
                   .unit = "%",
                   .default_json = "40",
                   .min = 0,
                   .max = 100,
                   .choices = {},
                   .help =
                       "share of the fleet's capacity in use below which the fleet counts as idle"},
                  {.name = "lasts",
                   .type = OptionType::duration,
                   .unit = "",
                   .default_json = R"("2h")",
                   .min = 0,
                   .choices = {},
                   .help = "how long this must last without a break"},
                  {.name = "fleet",
                   .type = OptionType::text,
                   .unit = "",
                   .default_json = R"("")",
                   .choices = {},
                   .help = "fleet to watch; empty: each fleet"}},
      .never_stops = true,
      .alert = "allocated_pct",
      .alert_keys = idle_capacity_alert_keys,
      .doubt = doubt_idle_capacity,
      .idle = idle_idle_capacity,
      .verbs = always<VerbKind::notify>,
      .make = make_idle_capacity,
  };
}

}  // namespace reeve::policies
