#include "spot_only.hpp"

#include "proposed_verbs.hpp"
#include "tick_strategy.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

class SpotOnly final : public TickStrategy {
  Choice choose(const Moment& moment) const override {
    if (moment.left == Duration{0}) return {Hold::nothing, "the work is done"};
    if (moment.spot_up) return {Hold::spot, "Spot can be had"};
    return {Hold::nothing, "Spot is down"};
  }
};

std::unique_ptr<Policy> make_spot_only(const Options& /*options*/) {
  return std::make_unique<SpotOnly>();
}

}  // namespace

PolicyKind spot_only_kind() {
  return {
      .name = "spot_only",
      .summary = "uses only Spot instances, whenever they are available",
      .source =
          "Wu et al., Can't Be Late: Optimizing Spot Instance Savings under Deadlines "
          "(NSDI 2024), baseline",
      .options = {},
      .moves = true,
      .check = nullptr,
      .verbs = always<VerbKind::move_job>,
      .make = make_spot_only,
  };
}

}  // namespace reeve::policies
