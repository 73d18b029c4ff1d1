#include "spot_fallback.hpp"

#include <limits>

#include "job_rule.hpp"
#include "market.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::string_view kLeave = "interrupted too often on Spot";
constexpr std::string_view kClone = "goes on where nobody interrupts it";

struct Row {
  AttemptNumber stopped = 0;  ///< newest attempt whose stop was asked for
  AttemptNumber cloned = 0;   ///< newest attempt whose clone was asked for: the clone's number
};

/// Two steps, each asked for once per attempt: stop it on Spot; when it has stopped, clone it.
class SpotFallback final : public JobRule<Row> {
 public:
  explicit SpotFallback(const Options& options)
      : interruptions_above_{options.integer("interruptions_above")},
        market_{*market_named(options.text("market"))},
        from_{options.flag("clone_keeps_checkpoint") ? ResumeFrom::last_checkpoint
                                                     : ResumeFrom::scratch} {}

 private:
  void look_at(JobId job, const Step& step, Decisions& out) override {
    const JobStatus& status = step.fleet.status(job);
    const JobDescription& description = step.fleet.description(job);
    const Directory& directory = step.fleet.directory();
    if (status.attempt == std::numeric_limits<AttemptNumber>::max()) return;
    if (directory.pools[description.pool.index].market != Market::spot) return;
    const auto elsewhere = directory.pool_of(description.type, market_);
    // It is better off here than nowhere.
    if (!elsewhere || directory.pools[elsewhere->index].size < description.instances) return;
    Row& row = jobs_[job];
    if (status.primary == Primary::in_progress && row.stopped < status.attempt &&
        std::int64_t{status.interruptions} > interruptions_above_) {
      row.stopped = status.attempt;
      out.propose(StopJob{job, status.attempt}, kLeave);
    }
    const bool own_stop = status.stopped_by == step.seat.index + 1;
    const auto next = static_cast<AttemptNumber>(status.attempt + 1);
    if (status.primary == Primary::stopped && own_stop && row.cloned < next) {
      row.cloned = next;
      out.propose(CloneJob{job, next, from_, true, elsewhere}, kClone);
    }
  }

  /// The attempt's stop, or the clone that has its number.
  void forget(Row& row, AttemptNumber attempt) override {
    if (row.stopped == attempt) --row.stopped;
    if (row.cloned == attempt) --row.cloned;
  }

  std::int64_t interruptions_above_;
  Market market_;
  ResumeFrom from_;
};

std::vector<PoolId> reaches(const Options& options, const Directory& directory, TypeId type) {
  return pools_in_market(options.text("market"), directory, type);
}

std::unique_ptr<Policy> make(const Options& options) {
  return std::make_unique<SpotFallback>(options);
}

OptionProblem check(const Options& options) {
  if (options.text("market") != "spot") return {};
  return {.option = "market",
          .message = "names Spot, which is what the rule leaves",
          .help = "on_demand or reserved"};
}

}  // namespace

PolicyKind spot_fallback_kind() {
  return {
      .name = "spot_fallback",
      .summary = "stops a job that Spot interrupts too often and clones it elsewhere",
      .source = "Rand & Margalit, Advanced Spot-instance Utilization (2023)",
      .options =
          {
              {.name = "interruptions_above",
               .type = OptionType::integer,
               .unit = "interruptions",
               .default_json = "3",
               .min = 0,
               .max = 65535,
               .choices = {},
               .help = "an attempt with more than so many leaves Spot"},
              {.name = "clone_keeps_checkpoint",
               .type = OptionType::flag,
               .unit = "",
               .default_json = "true",
               .choices = {},
               .help = "the clone goes on from the last checkpoint; else it starts from scratch"},
              {.name = "market",
               .type = OptionType::choice,
               .unit = "",
               .default_json = R"("on_demand")",
               .choices = {market_names.begin(), market_names.end()},
               .help = "where the clone runs; without a fleet there, or one too small for it, the "
                       "job stays"},
          },
      .schedules = false,
      .check = check,
      .reaches = reaches,
      .make = make,
  };
}

}  // namespace reeve::policies
