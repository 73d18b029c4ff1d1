#include "experiments/instead.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <variant>

#include "host/target.hpp"

namespace reeve::experiments {
namespace {

using policy::Decision;
using policy::Decisions;
using policy::Observation;
using policy::Step;
using policy::Verb;

/// Timers of the deeds: keys that no rule takes.
constexpr std::uint64_t deed_key = std::numeric_limits<std::uint64_t>::max();

bool is_deed_timer(const Observation& seen) {
  const auto* fired = std::get_if<policy::TimerFired>(&seen.fact);
  return fired != nullptr && fired->key == deed_key;
}

bool does_the_same(const Verb& a, const Verb& b) {
  const host::Target first = host::target(a);
  const host::Target second = host::target(b);
  return a.index() == b.index() && first.job == second.job && first.attempt == second.attempt;
}

class ActingInstead final : public policy::Policy {
 public:
  ActingInstead(std::unique_ptr<policy::Policy> rule, const Instead& instead)
      : rule_{std::move(rule)}, instead_{instead}, done_(instead.deeds.size()) {}

  void decide(const Step& step, Decisions& out) override {
    told_.assign(step.observed.begin(), step.observed.end());
    std::erase_if(told_, is_deed_timer);
    if (!told_.empty() || step.observed.empty()) {
      Decisions wishes;
      rule_->decide({step.now, step.seat, told_, step.fleet}, wishes);
      for (const Decisions::Timer& timer : wishes.timers()) out.wake_at(timer.key, timer.at);
      for (const Decision& wish : wishes.proposed()) {
        if (!is_left_out(wish.verb, step.now)) out.propose(wish.verb, wish.reason, wish.basis);
      }
    }
    known_ = known_ || std::any_of(told_.begin(), told_.end(), [&](const Observation& seen) {
               const auto* changed = std::get_if<policy::JobChanged>(&seen.fact);
               return changed != nullptr && changed->job == host::target(instead_.decision).job;
             });
    act(step, out);
  }

 private:
  bool is_left_out(const Verb& verb, policy::Instant now) {
    const bool is_it = does_the_same(verb, instead_.decision);
    if (!left_out_ && is_it && now == instead_.at) left_out_ = true;
    const bool begun =
        left_out_ || std::any_of(done_.begin(), done_.end(), [](bool done) { return done; });
    if (!begun) return false;
    return is_it || std::any_of(instead_.deeds.begin(), instead_.deeds.end(),
                                [&](const Deed& deed) { return does_the_same(verb, deed.verb); });
  }

  void act(const Step& step, Decisions& out) {
    for (std::size_t i = 0; i < instead_.deeds.size(); ++i) {
      const Deed& deed = instead_.deeds[i];
      if (done_[i]) continue;
      if (deed.since == Deed::Since::end) {
        done_[i] = known_ && is_over_before(deed.verb, step.fleet);
      } else if (left_out_) {
        const policy::Instant due = policy::later(instead_.at, deed.after);
        done_[i] = due <= step.now;
        if (!done_[i]) out.wake_at(deed_key, due);
      }
      if (done_[i]) out.propose(deed.verb, instead_reason);
    }
  }

  static bool is_over_before(const Verb& verb, const policy::FleetView& fleet) {
    const host::Target about = host::target(verb);
    const policy::JobStatus& status = fleet.status(about.job);
    return status.attempt + 1 == about.attempt && policy::is_terminal(status.primary);
  }

  std::unique_ptr<policy::Policy> rule_;
  Instead instead_;
  std::vector<bool> done_;  ///< by deed
  bool left_out_ = false;
  bool known_ = false;  ///< the job: before that the fleet has no status of it
  std::vector<Observation> told_;
};

}  // namespace

std::unique_ptr<policy::Policy> acting_instead(std::unique_ptr<policy::Policy> rule,
                                               const Instead& instead) {
  return std::make_unique<ActingInstead>(std::move(rule), instead);
}

}  // namespace reeve::experiments
