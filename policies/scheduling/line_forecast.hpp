// When the turn of those who wait for a fleet's machines comes, as far as a rule can know.
#pragma once

#include <cstdint>
#include <map>
#include <reeve/policy/policy.hpp>
#include <set>
#include <utility>
#include <vector>

#include "job_table.hpp"
#include "timeline.hpp"

namespace reeve::policies {

/// How long the job's work lasts on the pool's machines, by its user's estimate and its speed
/// there; longer than any where its speed says that it is not for them.  One of which nobody stated
/// any speed is as fast anywhere.
policy::Duration time_of_work(policy::JobId job, policy::PoolId pool,
                              const policy::FleetView& fleet);

/// Everybody has machines for as long as its estimate says, or until its maximum run time.  Who is
/// over that goes on for as long again as it is over it, a minute at least.  Who waits is served in
/// the order of submission, as a gang, and passes others only where that delays none of them
/// (conservative backfilling: Mu'alem and Feitelson, IEEE TPDS 12, 2001).
class LineForecast {
 public:
  enum class Stand : std::uint8_t { nowhere, waits, holds };

  /// `every`: what comes and goes changes the forecast of a fleet no more often than that, but for
  /// who leaves its line for another one, and for how many machines there are.
  explicit LineForecast(policy::Duration every) : every_{every} {}

  /// Where the job stands now; whether others may have to wait for longer, or for less.
  bool note(policy::JobId job, policy::PoolId pool, Stand stand, const policy::FleetView& fleet);
  /// Another number whenever those who wait there were told something else.  O(line x log) then.
  std::uint32_t version(policy::PoolId pool, const policy::Step& step);
  /// `never` where the fleet has too few machines as it is.  Who stands elsewhere would be the last
  /// of the line.  O(log line), if the version was asked for.
  policy::Instant turn(policy::JobId job, policy::PoolId pool, const policy::Step& step);
  /// When to ask for the version, if nobody brings news.
  policy::Instant next_version(policy::PoolId pool) const;

 private:
  struct Place {
    policy::PoolId pool;
    Stand stand = Stand::nowhere;
    policy::Instant since = {};  ///< when it was submitted; not by its queue, again
  };
  /// Whether something came between since the forecast was made.
  enum class News : std::uint8_t { none, some, urgent };
  struct Line {
    std::set<std::pair<policy::Instant, policy::JobId>> waiting;
    std::set<policy::JobId> holding;
    std::map<policy::JobId, policy::Instant> turns;
    Timeline timeline;
    policy::Instant made_at;
    policy::Instant good_until = policy::never;  ///< then somebody is over its estimate
    std::uint32_t capacity = 0;
    std::uint32_t version = 0;
    News news = News::urgent;
  };

  Line& line_of(policy::PoolId pool);
  static void make_anew(Line& line, policy::PoolId pool, const policy::Step& step);
  static policy::Instant promise(Line& line, policy::JobId job, policy::PoolId pool,
                                 const policy::FleetView& fleet);

  policy::Duration every_;
  JobTable<Place> places_;
  std::vector<Line> lines_;  ///< by pool
};

}  // namespace reeve::policies
