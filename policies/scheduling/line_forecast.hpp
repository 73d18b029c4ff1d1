// When the turn of those who wait for a fleet's machines comes, as far as a rule can know.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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
  /// Who waits, and since when; a line is in this order.
  using Waiter = std::pair<policy::Instant, policy::JobId>;

  /// Another number whenever those who wait there were told something else.  O(line x log) then;
  /// where all that came since, at the same instant, is that some left: O(log line) for each of
  /// those and of whoever stands behind one and was asked.
  std::uint32_t version(policy::PoolId pool, const policy::Step& step);
  /// `never` where the fleet has too few machines as it is.  Who stands elsewhere would be the last
  /// of the line.  O(log line), if the version was asked for.
  policy::Instant turn(policy::JobId job, policy::PoolId pool, const policy::Step& step);
  /// Who is before it has the same turn as by that version; nothing: nobody knows.
  std::optional<Waiter> same_before(policy::PoolId pool, std::uint32_t version) const;
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
  /// Of one who waited when the forecast was made.
  struct Turn {
    Waiter who;
    std::int64_t instances = 0;
    policy::Duration lasts{0};
    policy::Instant at;  ///< of those who are promised it
    bool has_left = false;
  };
  /// Where a job stands in `turns`.
  struct Seat {
    std::uint32_t forecast = 0;  ///< that it was in; 0: none
    std::uint32_t index = 0;
  };
  /// Turns are promised in order, when they are asked for: so who leaves takes few others' away.
  struct Line {
    std::set<Waiter> waiting;
    std::set<policy::JobId> holding;
    std::vector<Turn> turns;
    std::size_t promised = 0;  ///< so many of `turns` are
    JobTable<Seat> seats;
    std::map<policy::JobId, policy::Instant> came_since;  ///< those who were asked
    std::vector<Waiter> left;   ///< for another fleet, and are in the forecast still
    std::vector<Waiter> taken;  ///< out of it since it was made, the first of each version
    Timeline timeline;
    policy::Instant made_at;
    policy::Instant good_until = policy::never;  ///< then somebody is over its estimate
    std::uint32_t capacity = 0;
    std::uint32_t version = 0;
    std::uint32_t made = 0;  ///< the version that was made anew
    News news = News::urgent;
    bool is_only_left = false;  ///< nothing came since it was made but who left it
  };

  Line& line_of(policy::PoolId pool);
  void make_anew(Line& line, policy::PoolId pool, const policy::Step& step);
  static void take_out(Line& line);
  static void promise(Line& line, std::size_t count);

  policy::Duration every_;
  JobTable<Place> places_;
  std::vector<Line> lines_;  ///< by pool
};

}  // namespace reeve::policies
