#include "gavel.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "for_whom.hpp"
#include "gavel_demands.hpp"
#include "job_order.hpp"
#include "turn.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// Time on the machines of one pool: `due` in millionths of milliseconds, `had` in milliseconds.
struct Account {
  PoolId pool;
  std::int64_t due = 0;
  std::int64_t had = 0;
};

/// What a job may have in the round: machines of one of the pools that it is for.
struct Entry {
  double urgency = 0;    ///< what it is due for each hour that it had; the largest is the first
  std::int64_t due = 0;  ///< to the end of the round
  Instant submitted;
  std::uint32_t speed = 0;
  JobId job;
  PoolId pool;

  /// Whether `a` is after `b`.
  friend bool operator<(const Entry& a, const Entry& b) {
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

  Waiting place(const Candidate& candidate, const FleetView& fleet) const override {
    return place_by_submission(candidate, fleet);
  }
  void step_begins(Instant now) override { now_ = now; }
  void entered(const Candidate& candidate, const FleetView& fleet) override {
    arrive(candidate, fleet, State::waits);
    waiting_.insert(candidate.job);
    newcomers_.push_back(candidate.job);
  }
  /// Other jobs run ahead of a refused one.
  bool hold(const Candidate&, Turn&) override { return true; }
  void let_go(const Candidate&, const FleetView&) override {}
  void left(JobId job) override;
  void has_machines(const Candidate& candidate, bool is_running, Instant,
                    const FleetView& fleet) override {
    if (row_of(candidate.job).state != State::has) {
      arrive(candidate, fleet, State::has);
      row_of(candidate.job).goes = std::nullopt;
      holding_.insert(candidate.job);
    }
    row_of(candidate.job).starts = !is_running;
  }
  void kept(JobId job) override {
    Row& row = row_of(job);
    row.goes = std::nullopt;
    leaves_no_more(row);
    row.stays = true;
  }
  void may_lose(JobId job) override { row_of(job).stays = false; }
  void not_placed(JobId job, bool for_good) override;
  void terms_changed(PoolId) override { demands_.terms_changed(); }
  void choose(std::span<const PoolId>, Turn& turn) override;

 private:
  enum class State : std::uint8_t { nowhere, waits, has };
  enum class When : std::uint8_t { begin, between };  ///< of rounds

  /// Of a job, over all of its attempts.
  struct Row {
    GavelDemands::Entry* of = nullptr;     ///< while it waits or has machines
    std::vector<Account> accounts = {};    ///< less what was due to its kind when it came
    std::set<PoolId> barred = {};          ///< the platform would not have it there
    std::optional<PoolId> goes = {};       ///< where machines are promised to it
    std::optional<PoolId> asked_for = {};  ///< where it is about to stand in line
    Instant submitted;
    Instant since;                       ///< when it got the machines that it has
    Instant sent_from = Instant::min();  ///< when it may be sent to another pool again
    PoolId pool;
    State state = State::nowhere;
    bool may_stop = false;
    bool starts = false;  ///< its start is asked for
    bool leaves = false;  ///< its machines are asked back
    bool stays = false;   ///< they could not be had
  };
  /// Instances of each pool that are still to be assigned.
  using Rooms = std::map<PoolId, std::int64_t>;

  Row& row_of(JobId job) {
    if (job.index >= rows_.size()) rows_.resize(std::size_t{job.index} + 1);
    return rows_[job.index];
  }
  static std::int64_t instances(const Row& row) { return row.of->first.instances; }
  void leaves_no_more(Row& row) {
    if (std::exchange(row.leaves, false)) leaving_[row.pool] -= instances(row);
  }
  static Account& account(Row& row, PoolId pool);
  static JobKind kind_of(const Candidate& candidate, const Row& row, const FleetView& fleet);

  void arrive(const Candidate& candidate, const FleetView& fleet, State state);
  void add_entries(JobId job, std::vector<Entry>& to) const;
  double urgency(std::int64_t due, std::int64_t had) const;

  void hold_round(Turn& turn);
  std::vector<JobId> begin_round(Rooms& rooms);
  void end_leases(const std::vector<JobId>& leases, Turn& turn);
  std::map<PoolId, ForWhom> who_comes(const Turn& turn) const;

  Rooms rooms(const Turn& turn) const;
  static bool any(const Rooms& rooms);
  bool has_turn(JobId job, When when) const;
  bool is_served(JobId job) const;
  bool give(const Entry& entry, Rooms& rooms);
  void take_turns(Rooms& rooms, When when);
  void fill(Turn& turn);
  void deliver(Turn& turn);
  void take_back_promises(const Turn& turn);
  void start(JobId job, Turn& turn);
  void look_again(Turn& turn) const;

  Duration since_round() const { return now_.time_since_epoch() % model_.round; }

  GavelModel model_;
  std::vector<Row> rows_;
  GavelDemands demands_;
  Rooms leaving_;  ///< asked back
  std::set<JobId> waiting_;
  std::set<JobId> holding_;
  std::vector<JobId> promised_;   ///< the first first
  std::vector<Entry> rest_;       ///< a heap: whose turn is to come in this round
  std::vector<Entry> passed_;     ///< who did not fit when its turn came
  std::vector<JobId> newcomers_;  ///< since the round began
  Instant now_;
  Instant round_held_ = Instant::min();
};

// ---- who is there ------------------------------------------------------------------------------

Account& Gavel::account(Row& row, PoolId pool) {
  for (Account& each : row.accounts) {
    if (each.pool == pool) return each;
  }
  return row.accounts.emplace_back(Account{.pool = pool});
}

JobKind Gavel::kind_of(const Candidate& candidate, const Row& row, const FleetView& fleet) {
  JobKind kind{.instances = candidate.instances};
  if (!fleet.terms(candidate.job).queue) {  // a job without a queue is not moved for others
    kind.speeds.emplace_back(candidate.pool, 1'000'000U);
    return kind;
  }
  for (std::uint32_t index = 0; index < fleet.directory().pools.size(); ++index) {
    const PoolId pool{index};
    const std::uint32_t speed = fleet.speed(candidate.job, pool);
    const bool may_go = speed > 0 && row.barred.count(pool) == 0;
    if (may_go || pool == candidate.pool) kind.speeds.emplace_back(pool, std::max(speed, 1U));
  }
  return kind;
}

/// It stands in a line, or has machines: the programme counts it from now on.
void Gavel::arrive(const Candidate& candidate, const FleetView& fleet, State state) {
  left(candidate.job);
  demands_.count_due(now_);
  Row& row = row_of(candidate.job);
  const JobTerms& terms = fleet.terms(candidate.job);
  row.pool = candidate.pool;
  row.state = state;
  row.since = now_;
  row.submitted = fleet.description(candidate.job).submitted_at;
  row.may_stop = terms.queue && !terms.keeps_machines;
  row.stays = false;
  row.of = &demands_.add(kind_of(candidate, row, fleet));
  const auto& [kind, demand] = *row.of;
  for (std::size_t place = 0; place < kind.speeds.size(); ++place) {
    account(row, kind.speeds[place].first).due -= demand.due[place];
  }
}

void Gavel::left(JobId job) {
  Row& row = row_of(job);
  const State before = std::exchange(row.state, State::nowhere);
  if (before == State::nowhere) return;
  demands_.count_due(now_);
  const auto& [kind, demand] = *row.of;
  for (std::size_t place = 0; place < kind.speeds.size(); ++place) {
    account(row, kind.speeds[place].first).due += demand.due[place];
  }
  if (before == State::has) {
    account(row, row.pool).had += std::max<std::int64_t>(whole_ms(now_ - row.since), 0);
  }
  leaves_no_more(row);
  demands_.remove(*row.of);
  row.asked_for = std::nullopt;
  waiting_.erase(job);
  holding_.erase(job);
}

void Gavel::not_placed(JobId job, bool for_good) {
  Row& row = row_of(job);
  if (!row.asked_for) return;
  const PoolId pool = *std::exchange(row.asked_for, std::nullopt);
  row.goes = std::nullopt;
  if (for_good) row.barred.insert(pool);
  row.sent_from = now_ + model_.round;
  newcomers_.push_back(job);
}

// ---- what is due -------------------------------------------------------------------------------

/// X / f; who had nothing yet is the most urgent, who is due nothing the least.
double Gavel::urgency(std::int64_t due, std::int64_t had) const {
  if (due <= 0) return 0;
  if (had <= 0) return std::numeric_limits<double>::max();
  return static_cast<double>(due) / static_cast<double>(had);
}

void Gavel::add_entries(JobId job, std::vector<Entry>& to) const {
  const Row& row = rows_[job.index];
  const auto& [kind, demand] = *row.of;
  for (std::size_t place = 0; place < kind.speeds.size(); ++place) {
    const PoolId pool = kind.speeds[place].first;
    const std::uint32_t speed = kind.speeds[place].second;
    if (pool != row.pool && (now_ < row.sent_from || row.barred.count(pool) > 0)) continue;
    const auto known = std::find_if(row.accounts.begin(), row.accounts.end(),
                                    [&](const Account& each) { return each.pool == pool; });
    const std::int64_t share = demand.share[place];
    // Time that it was due there once is no reason to be there, if it is due none now.
    const std::int64_t due =
        share > 0 ? known->due + demand.due[place] + share * whole_ms(model_.round) : 0;
    const bool holds = row.state == State::has && pool == row.pool;
    const std::int64_t had = known->had + (holds ? whole_ms(now_ - row.since) : 0);
    to.push_back({urgency(due, had), due, row.submitted, speed, job, pool});
  }
}

// ---- rounds ------------------------------------------------------------------------------------

void Gavel::choose(std::span<const PoolId>, Turn& turn) {
  if (turn.is_closed()) return;
  const bool begins = since_round() == Duration{0} && round_held_ != now_;
  if (begins) hold_round(turn);
  fill(turn);
  look_again(turn);
}

void Gavel::hold_round(Turn& turn) {
  round_held_ = now_;
  demands_.count_due(now_);
  demands_.solve(turn);
  Rooms room;
  for (const PoolId pool : demands_.pools()) room[pool] = turn.own_and_free(pool);
  const std::vector<JobId> leases = begin_round(room);
  std::make_heap(rest_.begin(), rest_.end());
  take_turns(room, When::begin);
  end_leases(leases, turn);
}

/// Forgets what was promised, but to those who are on their way.  Who has machines now that others
/// may have.
std::vector<JobId> Gavel::begin_round(Rooms& rooms) {
  promised_.clear();
  rest_.clear();
  passed_.clear();
  newcomers_.clear();
  std::vector<JobId> leases;
  for (const JobId job : waiting_) {
    Row& row = rows_[job.index];
    row.goes = row.asked_for;
    if (row.goes) {
      promised_.push_back(job);
      rooms[*row.goes] -= instances(row);
    } else {
      add_entries(job, rest_);
    }
  }
  for (const JobId job : holding_) {
    Row& row = rows_[job.index];
    if (row.leaves) {
      if (!row.goes) continue;
      promised_.push_back(job);
      rooms[*row.goes] -= instances(row);
    } else if (!row.may_stop || row.starts || row.stays) {
      rooms[row.pool] -= instances(row);
    } else {
      add_entries(job, rest_);
      leases.push_back(job);
    }
  }
  return leases;
}

/// A job without instances in this round returns those that it has; a job with others moves.
void Gavel::end_leases(const std::vector<JobId>& leases, Turn& turn) {
  std::vector<JobId> losers;
  for (const JobId job : leases) {
    Row& row = rows_[job.index];
    if (row.goes == row.pool) {
      row.goes = std::nullopt;
    } else {
      losers.push_back(job);
    }
  }
  std::erase_if(promised_, [this](JobId job) { return !rows_[job.index].goes; });
  std::map<PoolId, ForWhom> come = who_comes(turn);
  for (const JobId job : losers) {
    Row& row = rows_[job.index];
    row.leaves = true;
    leaving_[row.pool] += instances(row);
    // A job that moves to faster instances may leave for its own sake only.
    turn.preempt(job, PreemptCause::in_share, come[row.pool].leaves(instances(row), job));
  }
}

/// The jobs that have a promise of instances, by pool.
std::map<PoolId, ForWhom> Gavel::who_comes(const Turn& turn) const {
  std::map<PoolId, ForWhom> come;
  for (const PoolId pool : demands_.pools()) {
    const auto leave = leaving_.find(pool);
    come[pool] = ForWhom{turn.free(pool), leave == leaving_.end() ? 0 : leave->second};
  }
  for (const JobId job : promised_) {
    const Row& row = rows_[job.index];
    come[*row.goes].comes(job, instances(row));
  }
  return come;
}

// ---- machines ----------------------------------------------------------------------------------

/// Those that are free or asked back, less those that are promised.
Gavel::Rooms Gavel::rooms(const Turn& turn) const {
  Rooms all = leaving_;
  for (const PoolId pool : demands_.pools()) all[pool] += turn.free(pool);
  for (const JobId job : promised_) {
    const Row& row = rows_[job.index];
    if (row.goes) all[*row.goes] -= instances(row);
  }
  return all;
}

bool Gavel::any(const Rooms& rooms) {
  return std::any_of(rooms.begin(), rooms.end(), [](const auto& each) { return each.second > 0; });
}

/// Who waits has its turn at any time, who has machines when a round begins.
bool Gavel::has_turn(JobId job, When when) const {
  const Row& row = rows_[job.index];
  if (row.goes) return false;
  return row.state == State::waits || (when == When::begin && row.state == State::has);
}

/// It has what it is to have in this round.  Who gives machines back stands in line again soon.
bool Gavel::is_served(JobId job) const {
  const Row& row = rows_[job.index];
  return row.goes || (row.state == State::has && !row.leaves);
}

/// Promises the machines, if they are there.
bool Gavel::give(const Entry& entry, Rooms& rooms) {
  Row& row = rows_[entry.job.index];
  std::int64_t& room = rooms[entry.pool];
  if (instances(row) > room) return false;
  room -= instances(row);
  row.goes = entry.pool;
  promised_.push_back(entry.job);
  return true;
}

void Gavel::take_turns(Rooms& rooms, When when) {
  while (!rest_.empty() && any(rooms)) {
    std::pop_heap(rest_.begin(), rest_.end());
    const Entry next = rest_.back();
    rest_.pop_back();
    const bool is_given = has_turn(next.job, when) && give(next, rooms);
    if (!is_given && (when == When::begin || !is_served(next.job))) passed_.push_back(next);
  }
}

/// What became free since the round began is for those who wait; who came since is the last.
void Gavel::fill(Turn& turn) {
  deliver(turn);
  Rooms room = rooms(turn);
  if (waiting_.empty() || !any(room)) return;
  std::erase_if(passed_, [&](const Entry& each) {
    return is_served(each.job) || (has_turn(each.job, When::between) && give(each, room));
  });
  take_turns(room, When::between);
  std::erase_if(newcomers_, [&](JobId job) {
    if (!has_turn(job, When::between)) return true;
    std::vector<Entry> all;
    if (any(room)) add_entries(job, all);
    std::sort(all.rbegin(), all.rend());
    return std::any_of(all.begin(), all.end(), [&](const Entry& each) { return give(each, room); });
  });
  deliver(turn);
}

/// Gives instances that have become free to the jobs that they are promised to.
void Gavel::deliver(Turn& turn) {
  take_back_promises(turn);
  for (const JobId job : std::exchange(promised_, {})) {
    Row& row = rows_[job.index];
    if (!row.goes) continue;
    const bool is_there = row.state == State::waits && row.pool == *row.goes;
    if (is_there && instances(row) <= turn.free(row.pool)) {
      start(job, turn);
      continue;
    }
    promised_.push_back(job);
    if (is_there || row.state != State::waits || row.asked_for) continue;
    row.asked_for = row.goes;
    turn.place(job, *row.goes);
  }
}

/// Of more than there is now the last are not kept.
void Gavel::take_back_promises(const Turn& turn) {
  Rooms room = rooms(turn);
  for (auto job = promised_.rbegin(); job != promised_.rend(); ++job) {
    Row& row = rows_[job->index];
    if (!row.goes || row.asked_for || room[*row.goes] >= 0) continue;
    room[*row.goes] += instances(row);
    row.goes = std::nullopt;
    newcomers_.push_back(*job);
  }
}

void Gavel::start(JobId job, Turn& turn) {
  Row& row = rows_[job.index];
  row.goes = std::nullopt;
  row.state = State::has;
  row.starts = true;
  row.since = now_;
  waiting_.erase(job);
  holding_.insert(job);
  turn.start(job);
}

/// Rounds go on while anybody waits, could have other machines, or is due more or less than it was.
void Gavel::look_again(Turn& turn) const {
  const bool is_due_otherwise = demands_.is_stale() && !holding_.empty();
  if (waiting_.empty() && !demands_.any_may_move() && !is_due_otherwise) return;
  turn.look_after(demands_.pools().front(), model_.round - since_round());
}

}  // namespace

std::unique_ptr<Algorithm> gavel(const GavelModel& model) {
  return std::make_unique<Gavel>(model);
}

}  // namespace reeve::policies
