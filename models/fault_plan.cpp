#include "models/fault_plan.hpp"

#include <algorithm>

#include "sim/draws.hpp"

namespace reeve::models {
namespace {

bool meets(const Fault& fault, policy::AttemptNumber attempt) {
  return attempt == fault.attempt || (attempt > fault.attempt && !fault.recovers_on_restart);
}

/// What stands still again wherever the attempt begins again.
bool returns(const Fault& fault) {
  const bool stalls = fault.kind == FaultKind::stall || fault.kind == FaultKind::spin_hang;
  return stalls && !fault.recovers_on_restart;
}

/// When the fault strikes, in training time of its attempt.
Duration time_of(const DrawnFault& drawn, double uniform, Duration trains) {
  if (!drawn.within_attempt) return draw(drawn.after, uniform);
  const double earlier = share_below(drawn.after, trains);
  if (!(uniform * earlier > 0)) return Duration{0};
  const Duration last = std::max(trains - Duration{1}, Duration{0});
  return std::min(draw(drawn.after, uniform * earlier), last);
}

}  // namespace

std::vector<Fault> fault_plan(const World& world, std::uint32_t replication, policy::JobId job,
                              const JobProfile& profile, const PlannedAttempt& planned) {
  const policy::AttemptNumber attempt = planned.number;
  std::vector<Fault> plan;
  for (const Fault& fault : profile.faults) {
    if (meets(fault, attempt)) plan.push_back(fault);
  }
  for (std::uint32_t k = 0; k < profile.drawn_faults.size(); ++k) {
    const DrawnFault& drawn = profile.drawn_faults[k];
    const std::uint32_t round = drawn.repeats ? 1 : attempt;
    const sim::Cause cause =
        drawn.kind == FaultKind::failure ? sim::Cause::failure : sim::Cause::stall;
    const auto uniform = [&](std::uint32_t nth) {  // four draws per fault
      const std::uint32_t place = round * std::uint32_t{drawn_faults_max} + k;
      return sim::uniform({world.seed, replication, cause, job.index, place * 4 + nth});
    };
    if (uniform(0) > drawn.probability) continue;
    Fault fault{.kind = drawn.kind,
                .at = time_of(drawn, uniform(1), planned.trains),
                .recovers_on_restart = !drawn.repeats,
                .attempt = attempt,
                .hosts = {},
                .cause = "drawn"};
    if (drawn.lasts) fault.lasts = draw(*drawn.lasts, uniform(2));
    if (drawn.kind == FaultKind::failure) {
      fault.failure = drawn.classes.empty() ? policy::FailureClass::unknown
                                            : sim::discrete(drawn.classes, uniform(3));
    }
    plan.push_back(std::move(fault));
  }
  std::stable_sort(plan.begin(), plan.end(),
                   [](const Fault& a, const Fault& b) { return a.at < b.at; });
  return plan;
}

void FaultCursor::train(Instant now, bool retried) {
  since_ = now;
  if (plan_.empty()) return;
  if (first_ == policy::never) first_ = tried_ = now;
  std::inplace_merge(met_.begin(), met_.begin() + earlier_, met_.end());
  earlier_ = static_cast<std::uint32_t>(met_.size());
  again_ = 0;
  if (retried) {
    tried_ = now;
    lasting_ = 0;
  }
  pass_others();
  while (once_ < plan_.size() && policy::later(first_, plan_[once_].at) < now) {
    ++once_;
    pass_others();
  }
  while (lasting_ < plan_.size() && policy::later(tried_, plan_[lasting_].at) < now) {
    ++lasting_;
    pass_others();
  }
}

/// Of equal times what comes first in the plan.
FaultCursor::Next FaultCursor::next() const {
  Next next;
  const auto consider = [&](Instant from, std::uint32_t index, Kind kind) {
    const Instant at = policy::later(from, plan_[index].at);
    if (at < next.at || (at == next.at && index < next.index)) next = {at, index, kind};
  };
  if (once_ < plan_.size()) consider(first_, once_, Kind::once);
  if (lasting_ < plan_.size()) consider(tried_, lasting_, Kind::lasting);
  if (again_ < earlier_) consider(since_, met_[again_], Kind::again);
  return next;
}

std::uint32_t FaultCursor::meet() {
  const Next met = next();
  switch (met.kind) {
    case Kind::once:
      ++once_;
      break;
    case Kind::lasting:
      ++lasting_;
      if (returns(plan_[met.index])) met_.push_back(met.index);
      break;
    case Kind::again:
      ++again_;
      break;
  }
  pass_others();
  return met.index;
}

std::uint32_t FaultCursor::add(Fault fault) {
  fault.at = Duration::max();  // it does not come by itself
  plan_.push_back(std::move(fault));
  return static_cast<std::uint32_t>(plan_.size() - 1);
}

/// Each of the two goes on to the next that is its own.
void FaultCursor::pass_others() {
  while (once_ < plan_.size() && !plan_[once_].recovers_on_restart) ++once_;
  while (lasting_ < plan_.size() && (plan_[lasting_].recovers_on_restart || was_met(lasting_))) {
    ++lasting_;
  }
}

bool FaultCursor::was_met(std::uint32_t index) const {
  return std::binary_search(met_.begin(), met_.begin() + earlier_, index);
}

}  // namespace reeve::models
