// The state of Gavel: pending jobs, jobs with instances, and what each was due and had.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "for_whom.hpp"
#include "gavel.hpp"
#include "gavel_demands.hpp"
#include "gavel_turns.hpp"
#include "job_order.hpp"
#include "turn.hpp"

namespace reeve::policies {

/// Time on the instances of one pool: `due` in millionths of milliseconds, `had` in milliseconds.
struct GavelAccount {
  policy::PoolId pool;
  std::int64_t due = 0;
  std::int64_t had = 0;
};

/// What a job may have in the round: instances of one of the pools that it is for.
struct GavelEntry {
  double urgency = 0;    ///< what it is due for each hour that it had; the largest is the first
  std::int64_t due = 0;  ///< to the end of the round
  policy::Instant submitted;
  std::uint32_t speed = 0;
  policy::JobId job;
  policy::PoolId pool;

  /// Whether `a` is after `b`.
  friend bool operator<(const GavelEntry& a, const GavelEntry& b) {
    if (a.urgency != b.urgency) return a.urgency < b.urgency;
    if (a.due != b.due) return a.due < b.due;
    if (a.submitted != b.submitted) return b.submitted < a.submitted;
    if (a.job != b.job) return b.job < a.job;
    if (a.speed != b.speed) return a.speed < b.speed;
    return b.pool < a.pool;
  }
};

class Gavel final : public Algorithm {
 public:
  explicit Gavel(const GavelModel& model) : model_{model} {}

  Waiting place(const Candidate& candidate, const policy::FleetView& fleet) const override {
    return place_by_submission(candidate, fleet);
  }
  void step_begins(policy::Instant now) override { now_ = now; }
  void entered(const Candidate& candidate, const policy::FleetView& fleet) override {
    arrive(candidate, fleet, State::waits);
    ++waiting_;
    comes(candidate.job);
  }
  /// Other jobs run ahead of a refused one.
  bool hold(const Candidate&, Turn&) override { return true; }
  void let_go(const Candidate&, const policy::FleetView&) override {}
  void left(policy::JobId job) override;
  void has_machines(const Candidate& candidate, bool is_running, policy::Instant,
                    const policy::FleetView& fleet) override {
    if (row_of(candidate.job).state != State::has) {
      arrive(candidate, fleet, State::has);
      row_of(candidate.job).goes = std::nullopt;
      holding_.insert(candidate.job);
    }
    row_of(candidate.job).starts = !is_running;
  }
  void kept(policy::JobId job) override {
    Row& row = row_of(job);
    row.goes = std::nullopt;
    leaves_no_more(row);
    row.stays = true;
  }
  void may_lose(policy::JobId job) override { row_of(job).stays = false; }
  void not_placed(policy::JobId job, bool for_good) override;
  void terms_changed(policy::PoolId) override { demands_.terms_changed(); }
  void choose(std::span<const policy::PoolId>, Turn& turn) override;

 private:
  enum class State : std::uint8_t { nowhere, waits, has };
  enum class When : std::uint8_t { begin, between };  ///< of rounds

  /// Of a job, over all of its attempts.
  struct Row {
    GavelDemands::Entry* of = nullptr;        ///< while it waits or has instances
    std::vector<GavelAccount> accounts = {};  ///< less what was due to its kind when it came
    std::vector<PoolTurns::Slot> slots{};     ///< by pool of its kind; empty: it has no turn now
    std::uint64_t came = 0;                   ///< its number among newcomers; 0: it is none
    std::set<policy::PoolId> barred = {};     ///< the platform would not have it there
    std::optional<policy::PoolId> goes = {};  ///< where instances are promised to it
    std::optional<policy::PoolId> asked_for = {};  ///< where it is about to be queued
    policy::Instant submitted;
    policy::Instant since;  ///< when it got the instances that it has
    policy::Instant sent_from =
        policy::Instant::min();  ///< when it may be sent to another pool again
    policy::PoolId pool;
    State state = State::nowhere;
    bool may_stop = false;
    bool starts = false;  ///< its start is requested
    bool leaves = false;  ///< its instances are asked back
    bool stays = false;   ///< they could not be had
  };
  /// Those of one kind who wait.
  struct KindTurns {
    const GavelDemands::Entry* of = nullptr;
    std::vector<PoolTurns> pools = {};  ///< by the places in JobKind::speeds
    std::map<std::uint64_t, policy::JobId> newcomers =
        {};  ///< since the round began; the first first
  };
  /// Of one kind in one pool, the next whose turn it is.
  struct Stream {
    PoolTurns::Walk walk;
    const KindTurns* kind = nullptr;
    std::size_t place = 0;
    GavelEntry first = {};
  };
  /// Instances of each pool that are still to be assigned.
  using Rooms = std::map<policy::PoolId, std::int64_t>;

  Row& row_of(policy::JobId job) {
    if (job.index >= rows_.size()) rows_.resize(std::size_t{job.index} + 1);
    return rows_[job.index];
  }
  static std::int64_t instances(const Row& row) { return row.of->first.instances; }
  void leaves_no_more(Row& row) {
    if (std::exchange(row.leaves, false)) leaving_[row.pool] -= instances(row);
  }
  static GavelAccount& account(Row& row, policy::PoolId pool);
  static JobKind kind_of(const Candidate& candidate, const Row& row,
                         const policy::FleetView& fleet);

  void arrive(const Candidate& candidate, const policy::FleetView& fleet, State state);
  void comes(policy::JobId job);
  void comes_no_more(policy::JobId job);
  void line_up(policy::JobId job);
  void step_out(policy::JobId job);
  GavelTurn turn_of(policy::JobId job, std::size_t place) const;
  bool may_go(const Row& row, policy::PoolId pool) const {
    return pool == row.pool || (now_ >= row.sent_from && row.barred.count(pool) == 0);
  }
  std::int64_t due_of(const GavelDemands::Demand& demand, std::size_t place) const {
    const std::int64_t share = demand.share[place];
    // Time that it was due there once is no reason to be there, if it is due none now.
    return share > 0 ? demand.due[place] + share * whole_ms(model_.round) : 0;
  }
  GavelEntry entry_of(policy::JobId job, std::size_t place, std::int64_t due) const;
  void add_entries(policy::JobId job, std::vector<GavelEntry>& to) const;
  double urgency(std::int64_t due, std::int64_t had) const;

  void hold_round(Turn& turn);
  std::vector<policy::JobId> begin_round(Rooms& rooms);
  void end_leases(const std::vector<policy::JobId>& leases, Turn& turn);
  std::map<policy::PoolId, ForWhom> who_comes(const Turn& turn) const;

  Rooms rooms(const Turn& turn) const;
  static bool any(const Rooms& rooms);
  bool has_turn(policy::JobId job, When when) const;
  bool give(const GavelEntry& entry, Rooms& rooms);
  static std::int64_t room_of(const Rooms& rooms, policy::PoolId pool) {
    const auto known = rooms.find(pool);
    return known == rooms.end() ? 0 : known->second;
  }
  std::vector<Stream> streams(const Rooms& rooms) const;
  bool find_next(Stream& stream) const;
  void take_turns(Rooms& rooms, When when);
  void take_newcomers(Rooms& rooms);
  void fill(Turn& turn);
  void deliver(Turn& turn);
  void take_back_promises(const Turn& turn);
  void start(policy::JobId job, Turn& turn);
  void look_again(Turn& turn) const;

  policy::Duration since_round() const { return now_.time_since_epoch() % model_.round; }

  GavelModel model_;
  std::vector<Row> rows_;
  GavelDemands demands_;
  Rooms leaving_;            ///< asked back
  std::size_t waiting_ = 0;  ///< pending jobs
  std::set<policy::JobId> holding_;
  std::set<policy::JobId> asked_;        ///< about to stand in another queue
  std::vector<policy::JobId> promised_;  ///< the first first
  std::vector<KindTurns> kinds_;
  std::vector<GavelEntry> leases_;  ///< with instances when the round began; the first first
  std::uint64_t came_ = 0;
  policy::Instant now_;
  policy::Instant round_held_ = policy::Instant::min();
};

}  // namespace reeve::policies
