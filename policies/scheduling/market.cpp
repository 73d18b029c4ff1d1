#include "market.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "job_rule.hpp"
#include "proposed_verbs.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kMarketReason = "jobs are to run in this market";

struct MarketRow {
  AttemptNumber asked = 0;   ///< newest attempt that was placed
  AttemptNumber barred = 0;  ///< newest attempt whose place in the market was refused
};

class PlaceInMarket final : public JobRule<MarketRow> {
 public:
  explicit PlaceInMarket(const Options& options) : market_{*market_named(options.text("use"))} {}

 private:
  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    const JobDescription& description = step.fleet.description(job);
    MarketRow& row = jobs_[job];
    if (!step.fleet.is_described(job)) return;  // what it asks for is not known yet
    if (status.primary != Primary::queued || row.asked >= status.attempt) return;
    if (!description.awaits_placement && status.origin != Origin::person) return;
    const PoolId pool = place_for(job, status.attempt, step.fleet);
    if (!description.awaits_placement && pool == description.pool) return;
    row.asked = status.attempt;
    out.propose(PlaceJob{job, status.attempt, pool}, kMarketReason);
  }

  /// Where the market has no room for the job it stays with what it asked for: it must run.
  PoolId place_for(JobId job, AttemptNumber attempt, const FleetView& fleet) {
    const JobDescription& description = fleet.description(job);
    if (jobs_[job].barred >= attempt) return description.pool;
    const auto pool = fleet.directory().pool_of(description.type, market_);
    return pool.value_or(description.pool);
  }

  void conclude(const ActionSettled& settled, const Step& step, Decisions& out) override {
    if (settled.outcome != Outcome::refused || settled.refusal != Refusal::platform) return;
    MarketRow& row = jobs_[settled.job];
    forget(row, settled.attempt);
    if (row.barred < settled.attempt) {
      row.barred = settled.attempt;
      return look_at(settled.job, step, out);
    }
    // Until it is placed it waits in no line, and it fits where it asked to run.
    out.wake_at(TimerKey{.job = settled.job, .attempt = settled.attempt}.packed(),
                later(step.now, kAskAgainAfter));
  }

  void forget(MarketRow& row, AttemptNumber attempt) override {
    if (row.asked == attempt) --row.asked;
  }

  Market market_;
};

std::vector<PoolId> market_reaches(const Options& options, const Directory& directory,
                                   TypeId type) {
  return pools_in_market(options.text("use"), directory, type);
}

std::unique_ptr<Policy> make_market(const Options& options) {
  return std::make_unique<PlaceInMarket>(options);
}

}  // namespace

std::vector<PoolId> pools_in_market(std::string_view market, const Directory& directory,
                                    TypeId type) {
  const auto pool = directory.pool_of(type, *market_named(market));
  return pool ? std::vector{*pool} : std::vector<PoolId>{};
}

PolicyKind market_kind() {
  return {
      .name = "market",
      .summary = "runs every job in one market, regardless of the requested market",
      .source = "Rand & Margalit, Advanced Spot-instance Utilization (2023)",
      .options = {{.name = "use",
                   .type = OptionType::choice,
                   .unit = "",
                   .default_json = "",
                   .choices = {market_names.begin(), market_names.end()},
                   .help = "market in which jobs run, if it has a fleet of their instance type"}},
      .schedules = false,
      .places = true,
      .owns_use = true,
      .never_stops = true,
      .check = nullptr,
      .reaches = market_reaches,
      .verbs = always<VerbKind::place_job>,
      .make = make_market,
  };
}

}  // namespace reeve::policies
