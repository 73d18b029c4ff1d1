// Whether it pays to leave a line: dollars more elsewhere for each hour that the result is sooner.
#pragma once

#include <optional>
#include <reeve/policy/options.hpp>
#include <reeve/policy/policy.hpp>
#include <span>
#include <string>
#include <vector>

#include "line_forecast.hpp"

namespace reeve::policies {

/// As the options `usd_per_hour_gained` and `spot_pct` say.
class WaitOrMove {
 public:
  explicit WaitOrMove(const policy::Options& options);

  /// Without it a pending job moves at any price.
  bool has_limit() const { return limit_ >= 0; }
  /// Where the job stands now; whether others may have to wait for longer, or for less.
  bool note(policy::JobId job, policy::PoolId pool, LineForecast::Stand stand,
            const policy::FleetView& fleet) {
    return has_limit() && lines_.note(job, pool, stand, fleet);
  }
  /// Which of these pools the job goes to: where an hour gained costs least, if no more than it
  /// may; then where it gains most.  Its own, if it is among them (the last), where no other is
  /// worth it.
  std::optional<policy::PoolId> choose(policy::JobId job, std::span<const policy::PoolId> pools,
                                       const policy::Step& step);
  /// "$1125.00 more, 9h45m sooner: $115.38 per hour gained"
  std::string basis(policy::JobId job, policy::PoolId to, const policy::Step& step);
  /// Who stays in the pool's line need not be asked again while this is the same, unless other
  /// fleets have room.
  std::uint32_t version(policy::PoolId pool, const policy::Step& step);
  /// Nor who stands before that, by what changed since that version; nothing: anybody may.
  std::optional<LineForecast::Waiter> same_before(policy::PoolId pool,
                                                  std::uint32_t version) const {
    return lines_.same_before(pool, version);
  }
  /// When to ask for a version again, though nothing is heard; `never`, if for none was asked
  /// since.
  policy::Instant take_look();

 private:
  /// By moving, against waiting on.
  struct Gain {
    policy::Usd more;
    policy::Duration sooner{0};  ///< the longest: the time of free instances is unknown
  };

  Gain gain(policy::JobId job, policy::PoolId to, const policy::Step& step);
  static double usd_per_hour(const Gain& gain);
  bool is_worth_it(const Gain& gain) const;

  double limit_;  ///< dollars; below 0: there is none
  double spot_;   ///< of the price on demand
  LineForecast lines_;
  policy::Instant look_ = policy::never;
};

std::vector<policy::OptionSpec> wait_or_move_options();
policy::OptionProblem check_wait_or_move(const policy::Options& options);
/// Where no work is as cheap in one of these fleets as in any other, and must be.
policy::OptionProblem doubt_wait_or_move(const policy::Options& options,
                                         std::span<const policy::PoolId> fleets,
                                         const policy::Directory& directory);

}  // namespace reeve::policies
