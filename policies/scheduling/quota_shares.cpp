#include "quota_shares.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "job_order.hpp"
#include "promises.hpp"
#include "share_holding.hpp"
#include "turn.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

constexpr std::int64_t kQuotaSharesUnlimited = std::numeric_limits<std::int64_t>::max() / 4;

/// Shares are served in turn, in a share the highest priority and then the earliest submission;
/// only the first of a share is looked at.  What is within its quota gets machines, if they are
/// lent out by preempting borrowers.  Beyond the quota idle machines of shares that lend are
/// borrowed, in order of submission; where there are none, lower priorities of the same share may
/// be preempted.  Who gets machines that others still hold has a promise of them: to it and to
/// everybody else they are as good as given; but it loses them before anybody who has machines
/// would.  Each pool is planned for itself, in O(shares + log jobs) for each that starts or is
/// preempted.
class QuotaShares final : public Algorithm {
 public:
  explicit QuotaShares(QuotaModel model) : model_{std::move(model)} {}

  Waiting place(const Candidate& candidate, const FleetView& fleet) const override {
    return place_by_priority(candidate, fleet);
  }
  void entered(const Candidate& candidate, const FleetView& fleet) override;
  /// Others pass whoever was refused.
  bool hold(const Candidate&, Turn&) override { return true; }
  void let_go(const Candidate&, const FleetView&) override {}
  void left(JobId job) override;
  void has_machines(const Candidate& candidate, bool runs, Instant now,
                    const FleetView& fleet) override;
  void kept(JobId job) override;
  void may_lose(JobId job) override;
  void terms_changed(PoolId id) override;
  std::int64_t promised(PoolId id) const override {
    return id.index < pools_.size() ? pools_[id.index].promises.come() : 0;
  }
  void reprioritized(const Candidate& candidate, const FleetView& fleet) override;
  void choose(std::span<const PoolId> changed, Turn& turn) override {
    if (turn.is_closed()) return;
    for (const PoolId id : changed) {
      if (pool_of(id, turn.fleet).stale) fill(id, turn);
    }
  }

 private:
  enum class State : std::uint8_t { nowhere, waits, promised, has, leaves };

  struct Row {
    Waiting place;
    Instant since;  ///< when it got its machines, or the promise of them
    std::uint32_t instances = 0;
    std::uint32_t share = 0;
    std::uint32_t promise = 0;  ///< it has, or leaves for; 0: none, for nobody
    std::int64_t due = 0;       ///< of what it is promised, for nobody to bring
    std::int32_t priority = 0;
    PoolId pool;
    State state = State::nowhere;
    bool may_stop = false;   ///< it is preemptible by its own terms
    bool candidate = false;  ///< in `Line::victims` or `Line::promised`
  };

  /// One share in one pool.
  struct Line : ShareHolding {
    std::map<Waiting, std::uint32_t> waiting;  ///< and how many instances each wants
    Victims victims;
    Victims promised;  ///< they have promises, and lose nothing with them
    std::int64_t quota = 0;
    std::int64_t most = 0;  ///< with what it may borrow
    Sharing sharing = Sharing::reserve;
    bool in_share_preemption = false;

    std::int64_t over() const { return used - quota; }
    /// What candidates have, all of them or those whose priority is lower.
    std::int64_t gives() const { return victims.instances() + promised.instances(); }
    std::int64_t gives(std::int64_t below) const {
      return victims.instances(below) + promised.instances(below);
    }
    /// What the pool lacks because of it; below 0: what it lends.
    std::int64_t lacks() const { return over() > 0 || sharing != Sharing::reserve ? over() : 0; }
  };

  /// What of a share is looked at again and again: the first in its line.
  struct First {
    std::int64_t wants = 0;  ///< instances; 0: nobody waits
    std::int64_t left = 0;   ///< of its quota; below 0: it has more
    std::int64_t submitted = 0;
    JobId job;
    bool preempts = false;  ///< in its share
    bool is_within() const { return wants <= left; }
  };

  struct Pool {
    std::vector<First> firsts;  ///< of the lines
    std::vector<Line> lines;    ///< by share; the last is of those who stand in none
    std::int64_t lacks = 0;     ///< the sum of theirs
    std::int64_t borrowed = 0;  ///< instances of candidates of those beyond their quota
    Promises promises;
    std::vector<JobId> fresh;   ///< run, and are no victims yet
    std::vector<JobId> let_in;  ///< have promises, and are no victims yet
    std::vector<JobId> leave_for_nobody;
    std::int64_t leaving = 0;
    std::int64_t capacity = 0;  ///< when it was last looked at
    std::int64_t free = 0;      ///< while it is planned: when all who leave are gone
    std::size_t last = 0;       ///< the share that was served last
    bool wants_back = false;    ///< somebody waits who may have back what others borrow
    bool learned = false;       ///< its quotas are those of now
    bool stale = true;          ///< since it was planned something changed that may matter

    void count(const Line& line, int sign) {
      lacks += sign * line.lacks();
      if (line.over() > 0) borrowed += sign * line.gives();
    }
    /// All that changes a line goes through here, so that the sums are right.
    template <class Change>
    void change(std::size_t share, Change change) {
      Line& line = lines[share];
      count(line, -1);
      change(line);
      count(line, 1);
      firsts[share].left = -line.over();
    }
    /// After its line has changed.
    void find_first(std::size_t share) {
      const auto& waiting = lines[share].waiting;
      First& first = firsts[share];
      first.wants = waiting.empty() ? 0 : waiting.begin()->second;
      if (waiting.empty()) return;
      first.submitted = waiting.begin()->first.second;
      first.job = waiting.begin()->first.job;
    }
    void use(std::size_t share, std::int64_t instances) {
      change(share, [&](Line& line) { line.used += instances; });
    }
    /// What is borrowed and no share that lends has idle.
    std::int64_t uncovered() const { return std::max<std::int64_t>(lacks, 0); }
  };

  /// What a plan is made for.
  struct Goal {
    std::optional<std::size_t> share =
        std::nullopt;            ///< of who gets machines; none: to cover what was lowered
    std::int64_t uncovered = 0;  ///< at most
    std::int64_t below = Victims::no_limit;  ///< priority of victims inside the share
    bool in_share = false;                   ///< the share's own may be preempted
  };

  void describe(Row& row, const Candidate& candidate, const FleetView& fleet);
  Victim victim(JobId id) const {
    const Row& row = rows_[id.index];
    return {id, row.priority, row.since, row.instances};
  }
  void list(JobId id);
  void unlist(JobId id);
  void enter(const Row& row);
  void leave_line(const Row& row);
  bool may_help(const Pool& pool, const Row& row) const;
  void list_fresh(Pool& pool, Instant now);
  void revoke(Pool& pool, std::uint32_t number, bool waits);
  void wait_again(JobId job);
  void no_longer_due(Row& row);
  void use_leavers(Pool& pool, const Row& row);

  void fill(PoolId id, Turn& turn);
  void learn_terms(Pool& pool, PoolId id, const Turn& turn);
  void take_back(Pool& pool, PoolId id, const Turn& turn);
  void deliver(Pool& pool, PoolId id, Turn& turn);
  std::int64_t reserved_from(const Row& row, const Turn& turn) const;
  void start(JobId job, Turn& turn);
  void cover_surplus(Pool& pool, Turn& turn);
  bool may_borrow(Pool& pool, std::size_t share, std::int64_t wanted) const;
  bool serve(Pool& pool, PoolId id, bool in_share, Turn& turn);
  bool borrow(Pool& pool, PoolId id, Turn& turn);
  bool admit(Pool& pool, PoolId id, JobId job, bool preempts, Turn& turn);
  void grant(Pool& pool, PoolId id, JobId job, const std::vector<JobId>& victims, Turn& turn);
  const First& first(Pool& pool, std::size_t share, Turn& turn);

  static bool holds(const Pool& pool, const Goal& goal);
  static bool can_hold(const Pool& pool, const Goal& goal);
  static std::int64_t enough(const Pool& pool, std::size_t share, const Goal& goal);
  std::optional<JobId> next_victim(const Pool& pool, const Goal& goal) const;
  std::optional<Preference> best_of(Victims Line::*candidates, const Pool& pool,
                                    const Goal& goal) const;
  void give_back(Pool& pool, JobId job);
  void take_back(Pool& pool, JobId job);
  bool clear(Pool& pool, const Goal& goal, std::vector<JobId>& victims);
  void take_away(Pool& pool, JobId job, std::uint32_t promise);

  Row& row_of(JobId job) {
    if (job.index >= rows_.size()) rows_.resize(std::size_t{job.index} + 1);
    return rows_[job.index];
  }
  Pool& pool_of(PoolId id, const FleetView& fleet) {
    if (id.index >= pools_.size()) pools_.resize(std::size_t{id.index} + 1);
    Pool& pool = pools_[id.index];
    if (pool.lines.empty()) {
      pool.lines.resize(fleet.directory().shares.size() + 1);
      pool.firsts.resize(pool.lines.size());
      pool.last = pool.lines.size() - 1;
    }
    return pool;
  }
  Line& line_of(const Row& row) { return pools_[row.pool.index].lines[row.share]; }

  QuotaModel model_;
  std::vector<Row> rows_;
  std::vector<Pool> pools_;
  std::vector<std::pair<std::int64_t, JobId>> borrowers_;  ///< of one look at a pool
};

void QuotaShares::describe(Row& row, const Candidate& candidate, const FleetView& fleet) {
  const JobTerms& terms = fleet.terms(candidate.job);
  const std::size_t shares = pool_of(candidate.pool, fleet).lines.size() - 1;
  const bool in_share = terms.share && terms.share->index < shares;
  row.share = in_share ? terms.share->index : static_cast<std::uint32_t>(shares);
  row.may_stop = terms.queue && !terms.keeps_machines;
  row.instances = candidate.instances;
  row.pool = candidate.pool;
  row.priority = fleet.description(candidate.job).priority;
  row.place = place(candidate, fleet);
}

void QuotaShares::entered(const Candidate& candidate, const FleetView& fleet) {
  left(candidate.job);
  Row& row = row_of(candidate.job);
  describe(row, candidate, fleet);
  row.state = State::waits;
  enter(row);
}

/// Only whoever is the first of its share is looked at.
void QuotaShares::enter(const Row& row) {
  Pool& pool = pools_[row.pool.index];
  auto& waiting = pool.lines[row.share].waiting;
  const auto place = waiting.emplace(row.place, row.instances).first;
  if (place != waiting.begin()) return;
  pool.find_first(row.share);
  pool.stale = true;
}

void QuotaShares::leave_line(const Row& row) {
  Pool& pool = pools_[row.pool.index];
  auto& waiting = pool.lines[row.share].waiting;
  const bool was_first = waiting.begin()->first == row.place;
  waiting.erase(row.place);
  if (!was_first) return;
  pool.find_first(row.share);
  pool.stale = true;
}

void QuotaShares::left(JobId id) {
  Row& row = row_of(id);
  const State before = std::exchange(row.state, State::nowhere);
  if (before == State::nowhere) return;
  Pool& pool = pools_[row.pool.index];
  if (before == State::waits) return leave_line(row);
  pool.stale = true;
  if (before == State::has) {
    unlist(id);
    pool.use(row.share, -std::int64_t{row.instances});
  }
  if (before == State::promised) revoke(pool, row.promise, false);
  if (before == State::leaves) {
    pool.leaving -= row.instances;
    pool.promises.has_come(row.promise, row.instances);
  }
  if (before == State::has || before == State::leaves) line_of(row).held -= row.instances;
  row.promise = 0;
}

void QuotaShares::has_machines(const Candidate& candidate, bool runs, Instant now,
                               const FleetView& fleet) {
  Row& row = row_of(candidate.job);
  if (row.state == State::leaves) return;
  Pool& pool = pool_of(candidate.pool, fleet);
  if (row.state != State::has) {
    pool.stale = true;
    left(candidate.job);
    describe(row, candidate, fleet);
    row.state = State::has;
    row.since = now;
    pool.use(row.share, row.instances);
    line_of(row).held += row.instances;
  }
  if (!runs) return;
  pool.stale = pool.stale || may_help(pool, row);
  // Nobody is preempted at the very instant at which it got its machines.
  if (row.since < now) return list(candidate.job);
  pool.fresh.push_back(candidate.job);
}

/// Whether somebody waits who might be let in for it, as the pool was when it was last planned.
bool QuotaShares::may_help(const Pool& pool, const Row& row) const {
  const Line& line = pool.lines[row.share];
  if (pool.uncovered() > 0 || (pool.wants_back && line.over() > 0)) return true;
  if (!line.in_share_preemption || line.waiting.empty()) return false;
  return -line.waiting.begin()->first.first > row.priority;
}

void QuotaShares::kept(JobId id) {
  Row& row = row_of(id);
  if (row.state != State::leaves) return;
  Pool& pool = pools_[row.pool.index];
  row.state = State::has;
  pool.stale = true;
  pool.leaving -= row.instances;
  pool.use(row.share, row.instances);
  revoke(pool, pool.promises.has_come(std::exchange(row.promise, 0), row.instances), true);
}

void QuotaShares::may_lose(JobId id) {
  const Row& row = row_of(id);
  if (row.state != State::has) return;
  list(id);
  pools_[row.pool.index].stale = true;
}

void QuotaShares::terms_changed(PoolId id) {
  if (id.index >= pools_.size()) return;
  pools_[id.index].learned = false;
  pools_[id.index].stale = true;
}

void QuotaShares::reprioritized(const Candidate& candidate, const FleetView& fleet) {
  const JobId id = candidate.job;
  Row& row = row_of(id);
  const std::int32_t priority = fleet.description(id).priority;
  if (row.state == State::nowhere || priority == row.priority) return;
  const bool waits = row.state == State::waits;
  const bool listed = row.candidate;
  pools_[row.pool.index].stale = true;
  if (waits) leave_line(row);
  if (listed) unlist(id);
  row.priority = priority;
  row.place.first = -std::int64_t{priority};
  if (listed) list(id);
  if (waits) enter(row);
}

/// Who keeps whatever machines it gets has none yet while they are promised.
void QuotaShares::list(JobId id) {
  Row& row = rows_[id.index];
  const bool promised = row.promise != 0;
  if ((!promised && !row.may_stop) || std::exchange(row.candidate, true)) return;
  pools_[row.pool.index].change(row.share, [&](Line& line) {
    (promised ? line.promised : line.victims).add(model_.victims, victim(id));
  });
}

void QuotaShares::unlist(JobId id) {
  Row& row = rows_[id.index];
  if (!std::exchange(row.candidate, false)) return;
  pools_[row.pool.index].change(row.share, [&](Line& line) {
    (row.promise != 0 ? line.promised : line.victims).remove(model_.victims, victim(id));
  });
}

void QuotaShares::list_fresh(Pool& pool, Instant now) {
  const auto list_older = [&](std::vector<JobId>& fresh, State state) {
    std::erase_if(fresh, [&](JobId job) {
      const Row& row = rows_[job.index];
      if (row.state != state || &pools_[row.pool.index] != &pool) return true;
      if (row.since < now) list(job);
      return row.since < now;
    });
  };
  list_older(pool.fresh, State::has);
  list_older(pool.let_in, State::promised);
}

/// The promise is off; whoever had it `waits` again, or is gone.
void QuotaShares::revoke(Pool& pool, std::uint32_t number, bool waits) {
  const auto job = pool.promises.revoke(number);
  if (!job) return;
  unlist(*job);
  Row& row = rows_[job->index];
  pool.use(row.share, -std::int64_t{row.instances});
  no_longer_due(row);
  row.promise = 0;
  if (waits) wait_again(*job);
}

void QuotaShares::no_longer_due(Row& row) {
  line_of(row).due -= std::exchange(row.due, 0);
}

void QuotaShares::wait_again(JobId job) {
  Row& row = rows_[job.index];
  no_longer_due(row);
  row.promise = 0;
  row.state = State::waits;
  enter(row);
}

void QuotaShares::fill(PoolId id, Turn& turn) {
  Pool& pool = pool_of(id, turn.fleet);
  if (!std::exchange(pool.learned, true)) learn_terms(pool, id, turn);
  list_fresh(pool, turn.now);
  take_back(pool, id, turn);
  pool.capacity = turn.capacity(id);
  pool.free = turn.free(id) + pool.leaving - pool.promises.sum();
  if (model_.surplus_at_once) cover_surplus(pool, turn);
  // Nobody takes from his own, nor borrows, what is another's who waits.
  while (serve(pool, id, false, turn) || serve(pool, id, true, turn) || borrow(pool, id, turn)) {
    continue;
  }
  deliver(pool, id, turn);
  // Who preempts in his share may want back what others have borrowed besides.
  pool.wants_back = std::any_of(pool.firsts.begin(), pool.firsts.end(), [](const First& first) {
    return first.wants > 0 && (first.is_within() || first.preempts);
  });
  // Whoever is to have machines of those gets them an instant later.
  const auto helps = [&](JobId job) { return may_help(pool, rows_[job.index]); };
  pool.stale = std::any_of(pool.fresh.begin(), pool.fresh.end(), helps) ||
               std::any_of(pool.let_in.begin(), pool.let_in.end(), helps);
  if (pool.stale) turn.look_after(id, Duration{1});
}

/// Those who stand in no share have what no quota covers.
void QuotaShares::learn_terms(Pool& pool, PoolId id, const Turn& turn) {
  const std::vector<ShareFacts>& shares = turn.fleet.directory().shares;
  for (std::uint32_t share = 0; share + 1 < pool.lines.size(); ++share) {
    Line& line = pool.lines[share];
    const ShareFacts& facts = shares[share];
    line.quota = turn.quota({share}, id);
    line.sharing = model_.sharing.value_or(facts.sharing);
    line.in_share_preemption = model_.in_share_preemption && facts.in_share_preemption;
    line.most = line.quota;
    if (line.sharing == Sharing::lend_and_borrow) {
      const std::int64_t pct = facts.borrow_limit_pct;
      line.most = pct < 0 ? kQuotaSharesUnlimited : line.quota * (100 + pct) / 100;
    }
  }
  Line& nobodys = pool.lines.back();
  nobodys.quota = nobodys.most = turn.uncovered(id);
  pool.lacks = pool.borrowed = 0;
  for (std::size_t share = 0; share < pool.lines.size(); ++share) {
    const Line& line = pool.lines[share];
    pool.count(line, 1);
    pool.firsts[share].left = -line.over();
    pool.firsts[share].preempts = line.in_share_preemption;
  }
}

/// Where machines are lost there may be fewer than were promised: the newest promises are off.
void QuotaShares::take_back(Pool& pool, PoolId id, const Turn& turn) {
  while (!pool.promises.empty() && turn.free(id) + pool.leaving < pool.promises.sum()) {
    revoke(pool, pool.promises.newest(), true);
  }
}

/// Starts those whose machines are there, and takes what has come for others for nobody else.
void QuotaShares::deliver(Pool& pool, PoolId id, Turn& turn) {
  if (pool.promises.empty()) return;
  pool.promises.deliver(
      turn.free(id),
      [&](JobId job) {
        const Row& row = rows_[job.index];
        return line_of(row).may_have_now(row.instances, line_of(row).most);
      },
      [&](JobId job) { return reserved_from(rows_[job.index], turn); },
      [&](JobId job) {
        unlist(job);
        Row& row = rows_[job.index];
        no_longer_due(row);
        row.promise = 0;
        start(job, turn);
      });
}

/// What is idle of other shares, and lent to nobody, not even while those leave who owe it others;
/// of shares that are scheduled elsewhere, too.
std::int64_t QuotaShares::reserved_from(const Row& row, const Turn& turn) const {
  const Pool& pool = pools_[row.pool.index];
  if (pool.leaving == 0) return 0;
  const auto own = [&](std::size_t share) {
    const Line& line = pool.lines[share];
    return line.sharing == Sharing::reserve ? line.quota : 0;
  };
  return turn.free_but_kept(row.pool) + idle_of_others(pool.lines, row.share, own);
}

void QuotaShares::start(JobId job, Turn& turn) {
  Row& row = rows_[job.index];
  row.state = State::has;
  row.since = turn.now;
  line_of(row).held += row.instances;
  turn.start(job);
}

bool QuotaShares::holds(const Pool& pool, const Goal& goal) {
  if (pool.free < 0 && goal.share) return false;
  if (goal.share && pool.lines[*goal.share].used > pool.lines[*goal.share].most) return false;
  return pool.uncovered() <= goal.uncovered;
}

/// How many instances of one job of the share would do.
std::int64_t QuotaShares::enough(const Pool& pool, std::size_t share, const Goal& goal) {
  const Line& line = pool.lines[share];
  const std::int64_t lacks = pool.uncovered() - goal.uncovered;
  if (line.sharing == Sharing::reserve && lacks > line.over()) return kQuotaSharesUnlimited;
  std::int64_t need = std::max<std::int64_t>(lacks, 1);
  if (goal.share) need = std::max(need, -pool.free);
  if (goal.share == share) need = std::max(need, line.used - line.most);
  return need;
}

/// Whether all candidates together would do: if not, none need be looked at.
bool QuotaShares::can_hold(const Pool& pool, const Goal& goal) {
  const std::int64_t need =
      std::max(goal.share ? -pool.free : 0, pool.uncovered() - goal.uncovered);
  const bool over = goal.share && pool.lines[*goal.share].over() > 0;
  if (over && !goal.in_share) return holds(pool, goal);
  if (over) {
    const Line& line = pool.lines[*goal.share];
    const std::int64_t there = line.gives(goal.below);
    if (there < line.used - line.most) return false;
    return there >= line.over() || there >= need;  // or then borrowers of other shares
  }
  return pool.borrowed >= need;
}

/// Nobody who has machines goes where one would do who has only a promise.
std::optional<JobId> QuotaShares::next_victim(const Pool& pool, const Goal& goal) const {
  auto best = best_of(&Line::promised, pool, goal);
  if (!best) best = best_of(&Line::victims, pool, goal);
  return best ? std::optional{best->job} : std::nullopt;
}

std::optional<Preference> QuotaShares::best_of(Victims Line::*candidates, const Pool& pool,
                                               const Goal& goal) const {
  std::optional<Preference> best;
  const auto look = [&](std::size_t share, std::int64_t below) {
    const Victims& of = pool.lines[share].*candidates;
    if (of.instances() == 0) return;
    const auto found = of.best(model_.victims, enough(pool, share, goal), below);
    if (found && (!best || *found < *best)) best = found;
  };
  if (goal.share && pool.lines[*goal.share].over() > 0) {
    if (goal.in_share) look(*goal.share, goal.below);
  } else {
    for (std::size_t share = 0; share < pool.lines.size(); ++share) {
      if (pool.lines[share].over() > 0) look(share, Victims::no_limit);
    }
  }
  return best;
}

void QuotaShares::give_back(Pool& pool, JobId job) {
  const Row& row = rows_[job.index];
  unlist(job);
  pool.use(row.share, -std::int64_t{row.instances});
  pool.free += row.instances;
}

void QuotaShares::take_back(Pool& pool, JobId job) {
  const Row& row = rows_[job.index];
  list(job);
  pool.use(row.share, row.instances);
  pool.free -= row.instances;
}

/// Finds victims until the goal is met, and spares the superfluous, the last chosen first.  Where
/// it cannot be met everything is as before, but what was lowered is covered as far as it can be.
bool QuotaShares::clear(Pool& pool, const Goal& goal, std::vector<JobId>& victims) {
  if (goal.share && !can_hold(pool, goal)) return false;
  while (!holds(pool, goal)) {
    const std::optional<JobId> next = next_victim(pool, goal);
    if (!next) {
      if (!goal.share) return true;
      for (const JobId job : victims) take_back(pool, job);
      return false;
    }
    give_back(pool, *next);
    victims.push_back(*next);
  }
  for (std::size_t place = victims.size(); place-- > 0;) {
    const JobId job = victims[place];
    take_back(pool, job);
    if (holds(pool, goal)) {
      victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(place));
    } else {
      give_back(pool, job);
    }
  }
  return true;
}

void QuotaShares::take_away(Pool& pool, JobId job, std::uint32_t promise) {
  Row& row = rows_[job.index];
  row.state = State::leaves;
  row.promise = promise;
  pool.leaving += row.instances;
}

void QuotaShares::cover_surplus(Pool& pool, Turn& turn) {
  if (pool.uncovered() == 0) return;
  std::vector<JobId> victims;
  clear(pool, {}, victims);
  for (const JobId job : victims) {
    if (const std::uint32_t promise = rows_[job.index].promise) {
      pool.promises.revoke(promise);
      wait_again(job);
      continue;
    }
    take_away(pool, job, 0);
    pool.leave_for_nobody.push_back(job);
    turn.preempt(job, PreemptCause::lowered_quota, job);
  }
}

/// The first in line of the share; who is larger than the pool would block it for ever.
const QuotaShares::First& QuotaShares::first(Pool& pool, std::size_t share, Turn& turn) {
  const First& found = pool.firsts[share];
  while (found.wants > pool.capacity) {
    Row& row = rows_[found.job.index];
    leave_line(row);
    row.state = State::nowhere;
    turn.set_aside(row.place.job);
  }
  return found;
}

/// Starts the job, or promises it machines, if that is possible; `preempts` inside its share if
/// there it is beyond its quota.
bool QuotaShares::admit(Pool& pool, PoolId id, JobId job, bool preempts, Turn& turn) {
  const Row& row = rows_[job.index];
  const Goal goal{.share = row.share,
                  .uncovered = pool.uncovered(),
                  .below = row.priority,
                  .in_share = preempts};
  pool.use(row.share, row.instances);
  pool.free -= row.instances;
  std::vector<JobId> victims;
  if (!clear(pool, goal, victims)) {
    pool.use(row.share, -std::int64_t{row.instances});
    pool.free += row.instances;
    return false;
  }
  grant(pool, id, job, victims, turn);
  return true;
}

void QuotaShares::grant(Pool& pool, PoolId id, JobId job, const std::vector<JobId>& victims,
                        Turn& turn) {
  Row& row = rows_[job.index];
  leave_line(row);
  const std::int64_t there = turn.free(id) - reserved_from(row, turn);
  const bool is_there =
      there >= row.instances && line_of(row).may_have_now(row.instances, line_of(row).most);
  if (victims.empty() && pool.promises.empty() && is_there) return start(job, turn);
  row.state = State::promised;
  row.since = turn.now;
  row.promise = pool.promises.make(job, row.instances);
  pool.let_in.push_back(job);
  if (victims.empty()) use_leavers(pool, row);
  for (const JobId each : victims) {
    const Row& loser = rows_[each.index];
    if (loser.promise != 0) {
      pool.promises.hand_over(loser.promise, row.promise);
      wait_again(each);
      continue;
    }
    pool.promises.will_come(row.promise, loser.instances);
    take_away(pool, each, row.promise);
    const bool same = loser.share == row.share;
    turn.preempt(each, same ? PreemptCause::in_share : PreemptCause::reclaim, job);
  }
  row.due = pool.promises.come(row.promise);
  line_of(row).due += row.due;
}

/// Those who leave for nobody, as their share's quota was lowered, leave for it.
void QuotaShares::use_leavers(Pool& pool, const Row& row) {
  std::int64_t lacks = row.instances;
  std::erase_if(pool.leave_for_nobody, [&](JobId job) {
    Row& leaver = rows_[job.index];
    if (leaver.state != State::leaves || leaver.promise != 0) return true;
    if (lacks <= 0) return false;
    lacks -= leaver.instances;
    leaver.promise = row.promise;
    pool.promises.will_come(row.promise, leaver.instances);
    return true;
  });
}

/// Whether the share could borrow so much now.
bool QuotaShares::may_borrow(Pool& pool, std::size_t share, std::int64_t wanted) const {
  const Goal goal{.share = share, .uncovered = pool.uncovered()};
  pool.use(share, wanted);
  pool.free -= wanted;
  const bool may = holds(pool, goal);
  pool.use(share, -wanted);
  pool.free += wanted;
  return may;
}

/// The next share in turn gets something: what is its own, or else of its own, `in_share`, what
/// lower priorities of it have.
bool QuotaShares::serve(Pool& pool, PoolId id, bool in_share, Turn& turn) {
  std::size_t share = pool.last;
  for (std::size_t left = pool.lines.size(); left > 0; --left) {
    if (++share == pool.lines.size()) share = 0;
    const First& front = first(pool, share, turn);
    if (front.wants == 0 || front.is_within() == in_share) continue;
    if (in_share && (!front.preempts || may_borrow(pool, share, front.wants))) continue;
    if (!admit(pool, id, front.job, in_share, turn)) continue;
    pool.last = share;
    return true;
  }
  return false;
}

/// Who was submitted first borrows what is idle.
bool QuotaShares::borrow(Pool& pool, PoolId id, Turn& turn) {
  if (pool.free <= 0) return false;
  borrowers_.clear();
  for (std::size_t share = 0; share < pool.lines.size(); ++share) {
    const Line& line = pool.lines[share];
    if (line.sharing != Sharing::lend_and_borrow) continue;
    const First& front = first(pool, share, turn);
    if (front.wants == 0 || front.is_within()) continue;
    borrowers_.emplace_back(front.submitted, front.job);
  }
  std::sort(borrowers_.begin(), borrowers_.end());
  for (const auto& borrower : borrowers_) {
    if (admit(pool, id, borrower.second, false, turn)) return true;
    if (model_.blocked_borrower_blocks) return false;
  }
  return false;
}

}  // namespace

std::unique_ptr<Algorithm> quota_shares(QuotaModel model) {
  return std::make_unique<QuotaShares>(std::move(model));
}

}  // namespace reeve::policies
