#include "strawman.hpp"

#include "proposed_verbs.hpp"
#include "tick_strategy.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

class Strawman final : public TickStrategy {
 public:
  explicit Strawman(const Options& options)
      : tick_{options.duration("tick")},
        overhead_{options.duration("restart_overhead")},
        keeps_when_done_{options.flag("upstream_extra_tick")} {}

 private:
  Choice choose(const Moment& moment) const override {
    if (moment.left == Duration{0} && !keeps_when_done_) {
      return {Hold::nothing, "the work is done"};
    }
    if (up_to_ticks(moment.left + overhead_, tick_) >= moment.deadline - moment.elapsed) {
      if (moment.held == Hold::spot) return {Hold::spot, "no time is left to move"};
      return {Hold::on_demand, "the deadline leaves no time to wait"};
    }
    if (moment.spot_up) return {Hold::spot, "Spot can be had"};
    return {Hold::nothing, "Spot is down and there is time"};
  }

  Duration tick_;
  Duration overhead_;
  bool keeps_when_done_;
};

std::unique_ptr<Policy> make_strawman(const Options& options) {
  return std::make_unique<Strawman>(options);
}

}  // namespace

PolicyKind strawman_kind() {
  return {
      .name = "strawman",
      .summary = "waits for Spot until only on-demand instances can meet the deadline",
      .source =
          "Wu et al., Can't Be Late: Optimizing Spot Instance Savings under Deadlines "
          "(NSDI 2024), the greedy policy",
      .options =
          {
              tick_option(),
              restart_overhead_option(),
              {.name = "upstream_extra_tick",
               .type = OptionType::flag,
               .unit = "",
               .default_json = "false",
               .choices = {},
               .help = "true: holds its instances one tick longer when the work is done, as the "
                       "published program does; needs platform.asks_when_done"},
          },
      .moves = true,
      .check = nullptr,
      .verbs = always<VerbKind::move_job>,
      .make = make_strawman,
  };
}

}  // namespace reeve::policies
