#include "uniform_progress.hpp"

#include "proposed_verbs.hpp"
#include "tick_strategy.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// Nanoseconds squared: two of a hundred years need 125 bits.
__extension__ using Product = __int128;

Product times(Duration a, Duration b) {
  return Product{a.count()} * b.count();
}

class UniformProgress final : public TickStrategy {
 public:
  explicit UniformProgress(const Options& options)
      : tick_{options.duration("tick")}, overhead_{options.duration("restart_overhead")} {}

 private:
  /// Later lines override earlier ones, as in the published program.
  Choice choose(const Moment& now) const override {
    if (now.left == Duration{0}) return {Hold::nothing, "the work is done"};
    const Duration room = now.deadline - now.elapsed;
    const Duration remaining = room - room % tick_;
    const Product done = times(now.work - now.left, now.deadline);
    Choice choice = now.spot_up ? Choice{Hold::spot, "Spot can be had"}
                                : Choice{Hold::nothing, "Spot is down and there is time"};
    if (done < times(now.elapsed, now.work) && !now.spot_up) {
      choice = {Hold::on_demand, "behind the line to the deadline"};
    }
    const bool ahead = times(now.elapsed + 2 * overhead_, now.work) < done;
    if (now.held == Hold::on_demand && (!now.spot_up || !ahead)) {
      choice = {Hold::on_demand, "not far enough ahead of the line to move"};
    }
    if (up_to_ticks(now.left + 2 * overhead_, tick_) >= remaining && now.held != Hold::spot) {
      choice = {Hold::on_demand, "one more restart would miss the deadline"};
    }
    if (up_to_ticks(now.left + overhead_, tick_) >= remaining) {
      const bool works = now.held == Hold::spot && now.overhead_left == Duration{0};
      choice = works ? Choice{Hold::spot, "no time is left to move"}
                     : Choice{Hold::on_demand, "the deadline leaves no time to wait"};
    }
    return choice;
  }

  Duration tick_;
  Duration overhead_;
};

std::unique_ptr<Policy> make_uniform_progress(const Options& options) {
  return std::make_unique<UniformProgress>(options);
}

}  // namespace

PolicyKind uniform_progress_kind() {
  return {
      .name = "uniform_progress",
      .summary = "keeps a job on a straight line to its deadline, on Spot when possible",
      .source =
          "Wu et al., Can't Be Late: Optimizing Spot Instance Savings under Deadlines "
          "(NSDI 2024), Uniform Progress",
      .options =
          {
              tick_option(),
              restart_overhead_option(),
          },
      .moves = true,
      .check = nullptr,
      .verbs = always<VerbKind::move_job>,
      .make = make_uniform_progress,
  };
}

}  // namespace reeve::policies
