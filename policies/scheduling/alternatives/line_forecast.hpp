// When the turn of those who wait for a fleet's instances comes, as far as a rule can know.
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

/// The duration of the job's work on the pool, by its user's estimate and its speed there; longer
/// than any other if its speed rules the pool out.  A job without a stated speed is equally fast
/// everywhere.
policy::Duration time_of_work(policy::JobId job, policy::PoolId pool,
                              const policy::FleetView& fleet);

/// Each job holds instances for its estimate, or up to its maximum run time.  A job that exceeds
/// its estimate runs on for as long as it has exceeded it, at least a minute.  Pending jobs start
/// in order of submission, as gangs, and run ahead of others only if that delays none of them
/// (conservative backfilling: Mu'alem and Feitelson, IEEE TPDS 12, 2001).
class LineForecast {
 public:
  enum class Stand : std::uint8_t { nowhere, waits, holds };

  /// `every`: what comes and goes changes the forecast of a fleet no more often than that, but for
  /// who leaves its line for another one, and for how many instances there are.
  explicit LineForecast(policy::Duration every) : every_{every} {}

  /// Where the job stands now; whether others may have to wait for longer, or for less.
  bool note(policy::JobId job, policy::PoolId pool, Stand stand, const policy::FleetView& fleet);
  /// A pending job, and since when it waits; a line is in this order.
  using Waiter = std::pair<policy::Instant, policy::JobId>;

  /// Changes whenever the forecast of pending jobs changes.  O(queue x log) then; if the only
  /// change since, at the same instant, is that some left: O(log queue) for each of those and for
  /// each job behind one whose turn was requested.
  std::uint32_t version(policy::PoolId pool, const policy::Step& step);
  /// `never` where the fleet has too few instances as it is.  Who stands elsewhere would be the
  /// last of the line.  O(log line), if the version was requested.
  policy::Instant turn(policy::JobId job, policy::PoolId pool, const policy::Step& step);
  /// The job ahead of it that has the same turn as in that version; nothing: unknown.
  std::optional<Waiter> same_before(policy::PoolId pool, std::uint32_t version) const;
  /// When to request the version, if no event comes before.
  policy::Instant next_version(policy::PoolId pool) const;

 private:
  struct Place {
    policy::PoolId pool;
    Stand stand = Stand::nowhere;
    policy::Instant since = {};  ///< when it was submitted; not by its queue, again
  };
  /// Whether something came between since the forecast was made.
  enum class Changes : std::uint8_t { none, some, urgent };
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
  /// Turns are promised in order, when they are requested: so who leaves takes few others' away.
  struct Line {
    std::set<Waiter> waiting;
    std::set<policy::JobId> holding;
    std::vector<Turn> turns;
    std::size_t promised = 0;  ///< the number of promised `turns`
    JobTable<Seat> seats;
    std::map<policy::JobId, policy::Instant> came_since;  ///< jobs whose turn was requested
    std::vector<Waiter> left;   ///< for another fleet, and are in the forecast still
    std::vector<Waiter> taken;  ///< out of it since it was made, the first of each version
    Timeline timeline;
    policy::Instant made_at;
    policy::Instant good_until = policy::never;  ///< then a job exceeds its estimate
    std::uint32_t capacity = 0;
    std::uint32_t version = 0;
    std::uint32_t made = 0;  ///< the version that was made anew
    Changes changes = Changes::urgent;
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
