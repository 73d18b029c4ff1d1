#include "market.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "held_back.hpp"
#include "job_news.hpp"
#include "job_table.hpp"
#include "timer_key.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kReason = "jobs are to run in this market";

class PlaceInMarket final : public Policy {
 public:
  explicit PlaceInMarket(const Options& options) : market_{*market_named(options.text("use"))} {}

  void decide(const Step& step, Decisions& out) override {
    for (const Observation& seen : step.observed) {
      const auto* settled = own_settlement(seen, step.seat, VerbKind::place_job);
      if (settled != nullptr) settle(*settled, step, out);
    }
    for (const HeldBack::Target& held : held_.released(step, out)) {
      ask_again(held.job, held.attempt);
      look_at(held.job, step, out);
    }
    for (const Observation& seen : step.observed) {
      if (const auto job = job_with_news(seen, step.seat)) look_at(*job, step, out);
      if (const auto* timer = std::get_if<TimerFired>(&seen.fact)) {
        const JobId job = TimerKey::unpacked(timer->key).job;
        if (jobs_.knows(job)) look_at(job, step, out);
      }
    }
  }

 private:
  struct Row {
    AttemptNumber asked = 0;   ///< newest attempt that was placed
    AttemptNumber barred = 0;  ///< newest attempt whose place in the market was refused
  };

  void look_at(JobId job, const Step& step, Decisions& out) {
    const JobStatus& status = step.fleet.status(job);
    const JobDescription& description = step.fleet.description(job);
    Row& row = jobs_[job];
    if (status.primary != Primary::queued || row.asked >= status.attempt) return;
    if (!description.awaits_placement && status.origin == Origin::rule) return;
    const PoolId pool = place_for(job, status.attempt, step.fleet);
    if (!description.awaits_placement && pool == description.pool) return;
    row.asked = status.attempt;
    out.propose(PlaceJob{job, status.attempt, pool}, kReason);
  }

  /// Where the market has no room for the job it stays with what it asked for: it must run.
  PoolId place_for(JobId job, AttemptNumber attempt, const FleetView& fleet) {
    const JobDescription& description = fleet.description(job);
    if (jobs_[job].barred >= attempt) return description.pool;
    const auto pool = fleet.directory().pool_of(description.type, market_);
    return pool.value_or(description.pool);
  }

  void settle(const ActionSettled& settled, const Step& step, Decisions& out) {
    switch (again(settled)) {
      case Again::when_released:
        return held_.add(settled, out);
      case Again::with_news:
        return ask_again(settled.job, settled.attempt);
      case Again::later:
        ask_again(settled.job, settled.attempt);
        return out.wake_at(TimerKey{.job = settled.job, .attempt = settled.attempt}.packed(),
                           later(step.now, kAskAgainAfter));
      case Again::never:
        break;
    }
    if (settled.outcome != Outcome::refused || settled.refusal != Refusal::platform) return;
    if (jobs_[settled.job].barred >= settled.attempt) return;
    jobs_[settled.job].barred = settled.attempt;
    ask_again(settled.job, settled.attempt);
    look_at(settled.job, step, out);
  }

  void ask_again(JobId job, AttemptNumber attempt) {
    if (jobs_[job].asked == attempt) --jobs_[job].asked;
  }

  Market market_;
  JobTable<Row> jobs_;
  HeldBack held_;
};

std::unique_ptr<Policy> make(const Options& options) {
  return std::make_unique<PlaceInMarket>(options);
}

}  // namespace

PolicyKind market_kind() {
  return {
      .name = "market",
      .summary = "runs jobs in one market, whatever they asked for",
      .source = "Rand & Margalit, Advanced Spot-instance Utilization (2023)",
      .options = {{.name = "use",
                   .type = OptionType::choice,
                   .unit = "",
                   .default_json = "",
                   .choices = {market_names.begin(), market_names.end()},
                   .help = "where jobs run, if there is a fleet of their type"}},
      .schedules = false,
      .places = true,
      .owns_use = true,
      .check = nullptr,
      .make = make,
  };
}

}  // namespace reeve::policies
