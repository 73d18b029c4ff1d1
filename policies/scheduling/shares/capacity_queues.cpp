#include "capacity_queues.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "borrow_limit.hpp"
#include "job_order.hpp"
#include "summary_tree.hpp"
#include "turn.hpp"
#include "user_of.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// A pending job within its share's capacity has a claim: no job borrows meanwhile, so that
/// returned instances go to it.  A job for which others were preempted keeps its claim, whichever
/// job is first in its share by then: the instances belong to its share, not to the borrower.
class CapacityQueues final : public Algorithm {
 public:
  explicit CapacityQueues(const CapacityModel& model) : model_{model} {}

  Waiting place(const Candidate& candidate, const FleetView& fleet) const override {
    return place_by_priority(candidate, fleet);
  }
  void step_begins(Instant now) override { now_ = now; }
  void entered(const Candidate& candidate, const FleetView& fleet) override {
    left(candidate.job);
    Row& row = described(candidate, fleet);
    row.state = State::waits;
    lines_up(row);
  }
  /// Other jobs run ahead of a refused one.
  bool hold(const Candidate&, Turn&) override { return true; }
  void let_go(const Candidate&, const FleetView&) override {}
  void left(JobId job) override {
    Row& row = row_of(job);
    const State before = std::exchange(row.state, State::nowhere);
    row.promised = false;
    if (before == State::waits) stop_waiting(row);
    if (before == State::has) use(row, -1);
    if (before == State::leaves) pools_[row.pool.index].leaving -= row.instances;
  }
  void has_machines(const Candidate& candidate, bool is_running, Instant,
                    const FleetView& fleet) override {
    if (row_of(candidate.job).state == State::leaves) return;
    if (row_of(candidate.job).state != State::has) {
      left(candidate.job);
      has(described(candidate, fleet));
    }
    if (is_running) holds(candidate.job);
  }
  void kept(JobId job) override {
    Row& row = row_of(job);
    if (row.state != State::leaves) return;
    pools_[row.pool.index].leaving -= row.instances;
    row.state = State::has;
    row.stays = true;
    use(row, 1);
  }
  void may_lose(JobId job) override {
    Row& row = row_of(job);
    if (std::exchange(row.stays, false) && row.state == State::has) list(row);
  }
  std::int64_t promised(PoolId id) const override {
    if (id.index >= pools_.size()) return 0;
    const Pool& pool = pools_[id.index];
    return std::max<std::int64_t>(pool.claimed - pool.leaving, 0);
  }
  void reprioritized(const Candidate& candidate, const FleetView& fleet) override {
    Row& row = row_of(candidate.job);
    if (row.state == State::waits) {
      const bool promised = row.promised;
      entered(candidate, fleet);
      row.promised = promised;
    }
    if (row.state != State::has) return;
    const bool listed = row.listed;
    if (listed) unlist(row);
    row.place = place(candidate, fleet);
    if (listed) list(row);
  }
  void choose(std::span<const PoolId> changed, Turn& turn) override {
    if (turn.is_closed()) return;
    for (const PoolId pool : changed) fill(pool, turn);
  }

 private:
  enum class State : std::uint8_t { nowhere, waits, has, leaves };

  /// The newest attempt of a job.
  struct Row {
    Waiting place;
    Instant since;            ///< when it got its machines
    Instant claims;           ///< since when it has waited within its share's capacity
    std::uint64_t round = 0;  ///< of its pool, in which it last did so
    std::uint32_t instances = 0;
    std::uint32_t share = 0;
    std::uint32_t user = 0;
    PoolId pool;
    State state = State::nowhere;
    bool may_stop = false;  ///< by its own terms
    bool fresh = false;     ///< it would be listed, but got its machines at this very instant
    bool listed = false;    ///< as one that may be preempted now
    bool stays = false;     ///< its machines could not be had
    bool promised = false;  ///< a job was preempted for it
  };

  struct Holder {
    Waiting place;
    std::int64_t instances = 0;
    /// The last of a line is the first to lose its machines.
    friend bool operator<(const Holder& a, const Holder& b) { return b.place < a.place; }
  };
  struct Sum {
    std::int64_t instances = 0;
    static Sum of(const Holder& holder) { return {holder.instances}; }
    friend Sum operator+(Sum a, Sum b) { return {a.instances + b.instances}; }
  };

  /// One share in one pool.
  struct Line {
    std::map<std::uint32_t, std::set<Waiting>> waiting;  ///< by user
    std::map<std::uint32_t, std::int64_t> held;          ///< likewise
    SummaryTree<Holder, Sum> holders;                    ///< that may be preempted now
    std::int64_t fresh = 0;                              ///< so many more an instant later
    std::int64_t used = 0;                               ///< but for what leaves
    std::int64_t quota = 0;
    BorrowLimit limit;
    std::optional<Waiting> first;  ///< as was last found out
    bool outdated = true;          ///< `first` may be another

    bool over() const { return used > quota; }
    /// Less of its capacity is in use; those who have none come last.
    bool operator<(const Line& other) const {
      if (quota == 0 || other.quota == 0) {
        return quota == other.quota ? used < other.used : quota > 0;
      }
      return used * other.quota < other.used * quota;
    }
  };

  struct Pool {
    std::vector<Line> lines;      ///< by share; the last is of those who stand in none
    std::vector<JobId> promised;  ///< who was, among others, the first first
    std::vector<JobId> fresh;     ///< all of one instant
    Instant fresh_since;
    std::int64_t leaving = 0;
    KeptForOthers kept;        ///< for shares of other sections
    std::int64_t own = 0;      ///< the capacities of all of this one
    std::int64_t claimed = 0;  ///< by those who will have enough when all who leave have left
    std::uint64_t round = 1;
  };

  Row& row_of(JobId job) {
    if (job.index >= rows_.size()) rows_.resize(std::size_t{job.index} + 1);
    return rows_[job.index];
  }
  Line& line_of(const Row& row) { return pools_[row.pool.index].lines[row.share]; }
  Pool& pool_of(PoolId id, const FleetView& fleet) {
    if (id.index >= pools_.size()) pools_.resize(std::size_t{id.index} + 1);
    Pool& pool = pools_[id.index];
    if (pool.lines.empty()) pool.lines.resize(fleet.directory().shares.size() + 1);
    return pool;
  }
  /// 0: the user is unknown and has no limit.
  std::uint32_t user(JobId job, const FleetView& fleet) {
    if (model_.user_limit_pct == 0) return 0;
    const auto name = user_of(job, fleet);
    if (!name) return 0;
    const auto next = static_cast<std::uint32_t>(users_.size() + 1);
    return users_.try_emplace(std::string{*name}, next).first->second;
  }
  Row& described(const Candidate& candidate, const FleetView& fleet) {
    const std::size_t nobodys = pool_of(candidate.pool, fleet).lines.size() - 1;
    const JobTerms& terms = fleet.terms(candidate.job);
    const bool in_share = terms.share && terms.share->index < nobodys;
    Row& row = row_of(candidate.job);
    row.place = place(candidate, fleet);
    row.instances = candidate.instances;
    row.share = in_share ? terms.share->index : static_cast<std::uint32_t>(nobodys);
    row.user = user(candidate.job, fleet);
    row.pool = candidate.pool;
    row.may_stop = terms.queue && !terms.keeps_machines;
    row.stays = false;
    return row;
  }
  /// It may be preempted from now on, or from a moment later on.
  void holds(JobId job) {
    Row& row = row_of(job);
    if (!row.may_stop || row.stays || row.listed || row.fresh) return;
    if (row.since < now_) return list(row);
    Pool& pool = pools_[row.pool.index];
    if (pool.fresh_since < now_) list_fresh(pool);
    pool.fresh_since = now_;
    pool.fresh.push_back(job);
    row.fresh = true;
    ++line_of(row).fresh;
  }
  void list_fresh(Pool& pool) {
    for (const JobId job : std::exchange(pool.fresh, {})) {
      if (rows_[job.index].fresh) list(rows_[job.index]);
    }
  }
  void list(Row& row) {
    unlist(row);
    row.listed = true;
    line_of(row).holders.insert({row.place, row.instances});
  }
  void unlist(Row& row) {
    if (std::exchange(row.fresh, false)) --line_of(row).fresh;
    if (std::exchange(row.listed, false)) line_of(row).holders.erase({row.place, row.instances});
  }
  /// Counts what it has, or is to have; `times` -1: no longer.
  void use(Row& row, std::int64_t times) {
    Line& line = line_of(row);
    line.outdated = true;
    line.used += times * row.instances;
    std::int64_t& held = line.held[row.user];
    held += times * row.instances;
    if (held == 0) line.held.erase(row.user);
    if (times < 0) unlist(row);
  }
  void has(Row& row) {
    row.state = State::has;
    row.since = now_;
    use(row, 1);
  }
  void lines_up(const Row& row) {
    Line& line = line_of(row);
    line.outdated = true;
    line.waiting[row.user].insert(row.place);
  }
  void stop_waiting(const Row& row) {
    Line& line = line_of(row);
    line.outdated = true;
    const auto of_user = line.waiting.find(row.user);
    of_user->second.erase(row.place);
    if (of_user->second.empty()) line.waiting.erase(of_user);
  }
  void start(JobId job, Turn& turn) {
    Row& row = rows_[job.index];
    row.promised = false;
    stop_waiting(row);
    has(row);
    turn.start(job);
  }

  void fill(PoolId id, Turn& turn) {
    Pool& pool = pool_of(id, turn.fleet);
    if (pool.fresh_since < now_) list_fresh(pool);
    learn_terms(pool, id, turn);
    set_aside_too_large(pool, id, turn);
    const std::vector<JobId> claims = serve(pool, id, turn);
    reclaim(pool, id, claims, turn);
    for (const JobId job : claims) {
      Row& row = rows_[job.index];
      use(row, -1);
      lines_up(row);
    }
    ++pool.round;
    if (claims.empty()) borrow(pool, id, turn);
  }

  /// Those who stand in no share have what is guaranteed to none.
  void learn_terms(Pool& pool, PoolId id, const Turn& turn) {
    pool.kept = turn.kept_for_others(id);
    const std::vector<ShareFacts>& shares = turn.fleet.directory().shares;
    for (std::uint32_t share = 0; share + 1 < pool.lines.size(); ++share) {
      Line& line = pool.lines[share];
      const std::int64_t quota = turn.quota({share}, id);
      line.outdated = line.outdated || quota != line.quota;
      line.quota = quota;
      line.limit = BorrowLimit{quota, shares[share].sharing, shares[share]};
    }
    Line& nobodys = pool.lines.back();
    nobodys.outdated = true;
    nobodys.quota = turn.uncovered(id);
    nobodys.limit = BorrowLimit{nobodys.quota};
    pool.own = 0;
    for (const Line& line : pool.lines) pool.own += line.quota;
  }

  /// They would block their shares for ever.
  void set_aside_too_large(Pool& pool, PoolId id, Turn& turn) {
    for (Line& line : pool.lines) {
      while (const std::optional<Waiting> first = head(line)) {
        const JobId job = first->job;
        Row& row = rows_[job.index];
        if (row.instances <= turn.capacity(id)) break;
        stop_waiting(row);
        row.state = State::nowhere;
        turn.set_aside(job);
      }
    }
  }

  /// A user that holds nothing may always start a job, or a job larger than the limit would wait
  /// for ever.
  bool user_may(const Line& line, const Row& row) const {
    const std::int64_t limit = model_.user_limit_pct == 0
                                   ? BorrowLimit::unlimited
                                   : line.quota * model_.user_limit_pct / 100;
    const auto holds = line.held.find(row.user);
    const std::int64_t held = holds == line.held.end() ? 0 : holds->second;
    return row.user == 0 || held == 0 || held + row.instances <= limit;
  }
  /// The first of those whose user may have more.
  const std::optional<Waiting>& head(Line& line) const {
    if (!std::exchange(line.outdated, false)) return line.first;
    const Waiting* best = nullptr;
    for (const auto& [user, waiting] : line.waiting) {
      const Waiting& first = *waiting.begin();
      if (best != nullptr && *best < first) continue;
      if (user_may(line, rows_[first.job.index])) best = &first;
    }
    line.first = best == nullptr ? std::nullopt : std::optional{*best};
    return line.first;
  }
  /// The first of the share that has least of its capacity, of those that `may` have more.
  template <class May>
  std::optional<JobId> next(Pool& pool, const May& may) const {
    const Line* least = nullptr;
    JobId job;
    for (Line& line : pool.lines) {
      const std::optional<Waiting>& first = head(line);
      if (!first || (least != nullptr && !(line < *least))) continue;
      if (!may(line, rows_[first->job.index].instances)) continue;
      least = &line;
      job = first->job;
    }
    return least == nullptr ? std::nullopt : std::optional{job};
  }

  /// Starts the jobs within their share's capacity in turn, then those for which others were
  /// preempted and which are not first any more.  A job that does not fit counts as if it had
  /// instances, so that the jobs behind it are considered.
  std::vector<JobId> serve(Pool& pool, PoolId id, Turn& turn) {
    std::vector<JobId> claims;
    const auto take = [&](JobId job) {
      Row& row = rows_[job.index];
      if (row.instances <= turn.free_of_own(id, pool.kept, pool.own)) return start(job, turn);
      stop_waiting(row);
      use(row, 1);
      claims.push_back(job);
    };
    while (const auto job = next(pool, is_within)) take(*job);
    std::erase_if(pool.promised, [&](JobId job) {
      const Row& row = rows_[job.index];
      return !row.promised || row.state != State::waits || row.pool != id;
    });
    for (const JobId job : pool.promised) {
      Row& row = rows_[job.index];
      if (!is_in_line(row)) continue;  // it was its turn
      row.promised = is_within(line_of(row), row.instances) && user_may(line_of(row), row);
      if (row.promised) take(job);
    }
    return claims;
  }
  static bool is_within(const Line& line, std::int64_t wanted) {
    return line.used + wanted <= line.quota;
  }
  bool is_in_line(const Row& row) {
    const Line& line = line_of(row);
    const auto of_user = line.waiting.find(row.user);
    return of_user != line.waiting.end() && of_user->second.contains(row.place);
  }

  void borrow(Pool& pool, PoolId id, Turn& turn) {
    const auto may = [&](const Line& line, std::int64_t wanted) {
      return wanted <= turn.free(id, pool.kept) && line.limit.allows(line.used + wanted);
    };
    while (const auto job = next(pool, may)) start(*job, turn);
  }

  /// In turn, whose grace is over gets machines of those who have borrowed them.
  void reclaim(Pool& pool, PoolId id, const std::vector<JobId>& claims, Turn& turn) {
    for (const JobId job : claims) {
      Row& row = rows_[job.index];
      if (row.round + 1 != pool.round) row.claims = now_;
      row.round = pool.round;
    }
    Duration wait = Duration::max();
    std::int64_t there = turn.free_of_own(id, pool.kept, pool.own) + pool.leaving;
    pool.claimed = 0;
    for (const JobId job : claims) {
      const Instant due = later(rows_[job.index].claims, model_.grace);
      if (due > now_) {  // those behind it may have waited longer
        if (due != never) wait = std::min(wait, due - now_);
        continue;
      }
      const std::int64_t instances = rows_[job.index].instances;
      there -= instances;
      pool.claimed += instances;
      if (there >= 0) continue;
      const std::vector<JobId> victims = victims_for(pool, -there);
      promise(pool, job, !victims.empty());
      if (victims.empty()) {
        // A job that got its instances at this very instant may lose them an instant later.
        if (any_fresh(pool)) wait = Duration{1};
        there += instances;  // those behind it may want less
        pool.claimed -= instances;
        continue;
      }
      for (const JobId victim : victims) {
        take_away(pool, victim);
        there += rows_[victim.index].instances;
        turn.preempt(victim, PreemptCause::reclaim, job);
      }
    }
    if (wait != Duration::max()) turn.look_after(id, wait);
  }

  void promise(Pool& pool, JobId job, bool is_so) {
    if (!std::exchange(rows_[job.index].promised, is_so) && is_so) pool.promised.push_back(job);
  }
  static bool any_fresh(const Pool& pool) {
    return std::any_of(pool.lines.begin(), pool.lines.end(),
                       [](const Line& line) { return line.over() && line.fresh > 0; });
  }
  /// What all lose together, each share until it is no longer above its capacity.
  static std::int64_t to_be_had(const Pool& pool) {
    std::int64_t sum = 0;
    for (const Line& line : pool.lines) {
      if (!line.over()) continue;
      const std::int64_t above = line.used - line.quota;
      const Holder* const last = line.holders.first_with_all_before(
          [above](const Sum& given) { return given.instances >= above; });
      sum += last == nullptr ? line.holders.summary().instances
                             : line.holders.before(*last).instances + last->instances;
    }
    return sum;
  }
  /// The last of the share that is farthest above its capacity.
  static std::optional<JobId> next_victim(const Pool& pool) {
    const Line* most = nullptr;
    for (const Line& line : pool.lines) {
      if (!line.over() || line.holders.empty()) continue;
      if (most == nullptr || !(line < *most)) most = &line;
    }
    return most == nullptr ? std::nullopt : std::optional{most->holders.front()->place.job};
  }
  /// Drops superfluous victims, the last chosen first; none if all victims are too few.
  std::vector<JobId> victims_for(Pool& pool, std::int64_t lacks) {
    if (to_be_had(pool) < lacks) return {};
    std::vector<JobId> chosen;
    for (auto victim = next_victim(pool); lacks > 0 && victim; victim = next_victim(pool)) {
      use(rows_[victim->index], -1);
      lacks -= rows_[victim->index].instances;
      chosen.push_back(*victim);
    }
    std::vector<JobId> victims;
    for (auto job = chosen.rbegin(); job != chosen.rend(); ++job) {
      Row& row = rows_[job->index];
      use(row, 1);
      list(row);
      const bool spared = lacks + row.instances <= 0;
      if (spared) lacks += row.instances;
      if (!spared) victims.push_back(*job);
    }
    std::reverse(victims.begin(), victims.end());
    return victims;
  }
  void take_away(Pool& pool, JobId job) {
    Row& row = rows_[job.index];
    use(row, -1);
    row.state = State::leaves;
    pool.leaving += row.instances;
  }

  CapacityModel model_;
  std::vector<Row> rows_;
  std::vector<Pool> pools_;
  std::map<std::string, std::uint32_t> users_;
  Instant now_;
};

}  // namespace

std::unique_ptr<Algorithm> capacity_queues(const CapacityModel& model) {
  return std::make_unique<CapacityQueues>(model);
}

}  // namespace reeve::policies
