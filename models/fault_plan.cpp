#include "models/fault_plan.hpp"

#include <algorithm>

#include "sim/draws.hpp"

namespace reeve::models {
namespace {

bool meets(const Fault& fault, policy::AttemptNumber attempt) {
  return attempt == fault.attempt || (attempt > fault.attempt && !fault.recovers_on_restart);
}

}  // namespace

std::vector<Fault> fault_plan(const World& world, std::uint32_t replication, policy::JobId job,
                              const JobProfile& profile, policy::AttemptNumber attempt) {
  std::vector<Fault> plan;
  for (const Fault& fault : profile.faults) {
    if (meets(fault, attempt)) plan.push_back(fault);
  }
  for (std::uint32_t k = 0; k < profile.drawn_faults.size(); ++k) {
    const DrawnFault& drawn = profile.drawn_faults[k];
    const std::uint32_t round = drawn.repeats ? 1 : attempt;
    const sim::Cause cause =
        drawn.kind == FaultKind::failure ? sim::Cause::failure : sim::Cause::stall;
    const auto luck = [&](std::uint32_t nth) {  // four draws per fault
      const std::uint32_t place = round * std::uint32_t{drawn_faults_max} + k;
      return sim::uniform({world.seed, replication, cause, job.index, place * 4 + nth});
    };
    if (luck(0) > drawn.probability) continue;
    Fault fault{.kind = drawn.kind,
                .at = draw(drawn.after, luck(1)),
                .recovers_on_restart = !drawn.repeats,
                .attempt = attempt,
                .hosts = {},
                .cause = "drawn"};
    if (drawn.lasts) fault.lasts = draw(*drawn.lasts, luck(2));
    if (drawn.kind == FaultKind::failure) {
      fault.failure = drawn.classes.empty() ? policy::FailureClass::unknown
                                            : sim::discrete(drawn.classes, luck(3));
    }
    plan.push_back(std::move(fault));
  }
  std::stable_sort(plan.begin(), plan.end(),
                   [](const Fault& a, const Fault& b) { return a.at < b.at; });
  return plan;
}

}  // namespace reeve::models
