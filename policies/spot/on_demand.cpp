#include "on_demand.hpp"

#include "proposed_verbs.hpp"
#include "tick_strategy.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

class OnDemand final : public TickStrategy {
  Choice choose(const Moment& moment) const override {
    if (moment.left > Duration{0}) return {Hold::on_demand, "jobs are to run on demand"};
    return {Hold::nothing, "the work is done"};
  }
};

std::unique_ptr<Policy> make_on_demand(const Options& /*options*/) {
  return std::make_unique<OnDemand>();
}

}  // namespace

PolicyKind on_demand_kind() {
  return {
      .name = "on_demand",
      .summary = "holds on-demand instances until the work is done",
      .source =
          "Wu et al., Can't Be Late: Optimizing Spot Instance Savings under Deadlines "
          "(NSDI 2024), baseline",
      .options = {},
      .moves = true,
      .check = nullptr,
      .verbs = always<VerbKind::move_job>,
      .make = make_on_demand,
  };
}

}  // namespace reeve::policies
