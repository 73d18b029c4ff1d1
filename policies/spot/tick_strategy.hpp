// What the Spot strategies share: from tick to tick, one choice for each running job.
#pragma once

#include <reeve/policy/options.hpp>
#include <reeve/policy/policy.hpp>
#include <string_view>

#include "job_table.hpp"

namespace reeve::policies {

/// On what terms a job has instances for a tick.
enum class Hold : std::uint8_t { nothing, spot, on_demand };

/// All that a strategy knows of a job at the start of a tick.
struct Moment {
  policy::Duration work{0};           ///< in all, more than 0
  policy::Duration left{0};           ///< of it
  policy::Duration elapsed{0};        ///< since its submission
  policy::Duration deadline{0};       ///< after its submission; Duration::max(): none
  policy::Duration overhead_left{0};  ///< of the restart under way
  bool spot_up = false;               ///< the whole job could run on Spot
  Hold held = Hold::nothing;          ///< what it has now
};

/// A choice and why: static text.
struct Choice {
  Hold hold = Hold::nothing;
  std::string_view reason;
};

/// The smallest multiple of `tick` that is not less than `time`; both not negative, `tick` not 0.
policy::Duration up_to_ticks(policy::Duration time, policy::Duration tick);

/// The options of strategies that count ticks.
policy::OptionSpec tick_option();
policy::OptionSpec restart_overhead_option();

/// Chooses when a job reports, once at each instant, and again where Spot had no room after all.
class TickStrategy : public policy::Policy {
 public:
  void decide(const policy::Step& step, policy::Decisions& out) final;

 protected:
  virtual Choice choose(const Moment& moment) const = 0;

 private:
  struct Row {
    policy::Instant decided_at = policy::Instant::min();
    policy::Instant full_at = policy::Instant::min();  ///< Spot was
  };

  void look_at(policy::JobId job, const policy::Step& step, policy::Decisions& out);

  JobTable<Row> jobs_;
};

}  // namespace reeve::policies
