#include "preempting_order.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "for_whom.hpp"
#include "preempting_ranks.hpp"
#include "summary_tree.hpp"
#include "turn.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// All pending and running jobs are ranked as if none ran.  Those that fit in turn are to have
/// instances; others are preempted.  A job whose instances are still held waits for them; because
/// the chosen jobs fit together, no other job takes them.  A running job keeps its rank while it
/// runs until its order changes (`changes`), so running jobs ahead of all pending ones are not
/// examined again: O(k + log jobs) for each change, with k running jobs behind the first pending.
template <class Order>
class PreemptingOrder final : public Algorithm {
 public:
  explicit PreemptingOrder(Order order) : order_{std::move(order)} {}

  Waiting place(const Candidate& candidate, const FleetView&) const override {
    return {.first = candidate.since.time_since_epoch().count(),
            .second = 0,
            .job = candidate.job,
            .attempt = candidate.attempt};
  }
  void entered(const Candidate& candidate, const FleetView& fleet) override {
    left(candidate.job);
    Row& row = described(candidate, fleet);
    row.state = State::waits;
    row.rank = rank_of(row, candidate.job);
    pool_of(row.pool).waiting.insert({row.rank, row.instances});
    if (const auto wait = order_.rises_after(course(row))) {
      row.rises_at = later(row.waits_since, *wait);
      pool_of(row.pool).rising.insert({row.rises_at, candidate.job});
    }
  }
  /// Other jobs run ahead of a refused one.
  bool hold(const Candidate&, Turn&) override { return true; }
  void let_go(const Candidate&, const FleetView&) override {}
  void left(JobId job) override {
    Row& row = row_of(job);
    const State before = std::exchange(row.state, State::nowhere);
    if (before == State::nowhere) return;
    if (before == State::waits) {
      pool_of(row.pool).waiting.erase({row.rank, row.instances});
      return rises_no_more(row, job);
    }
    if (!row.starts) row.waits_since = now_;
    row.attained += std::max(counts_until(row) - row.since, Duration{0});
    strike(row, job);
    stays_or_left(row);
  }
  void has_machines(const Candidate& candidate, bool is_running, Instant,
                    const FleetView& fleet) override {
    if (row_of(candidate.job).state != State::runs) {
      left(candidate.job);
      runs(described(candidate, fleet), candidate.job);
    }
    change(candidate.job, [is_running](Row& row) { row.starts = !is_running; });
  }
  void kept(JobId job) override {
    change(job, [this](Row& row) {
      stays_or_left(row);
      row.stays = true;
    });
  }
  std::int64_t promised(PoolId id) const override {
    if (id.index >= pools_.size()) return 0;
    const Pool& pool = pools_[id.index];
    return std::max<std::int64_t>(pool.awaited - pool.leaving, 0);
  }
  void may_lose(JobId job) override {
    change(job, [](Row& row) { row.stays = false; });
  }
  void step_begins(Instant now) override { now_ = now; }
  void choose(std::span<const PoolId> changed, Turn& turn) override {
    if (turn.is_closed()) return;
    for (const PoolId pool : changed) fill(pool, turn);
  }

 private:
  enum class State : std::uint8_t { nowhere, waits, runs };

  /// Of a job, over all of its attempts.
  struct Row {
    PreemptingRank rank;   ///< of one that runs: when it was last looked at
    Duration attained{0};  ///< of spans that are over
    Duration forgiven{0};  ///< of that, when it last began anew
    Duration estimate{0};
    Instant first_start = never;
    Instant submitted;
    Instant since;             ///< when it got the machines that it has
    Instant asked;             ///< when it was asked to leave them, if it was
    Instant waits_since;       ///< when it lost those that it had
    Instant rises_at = never;  ///< when it begins anew, if it waits until then
    Instant falls_at = never;  ///< when it may come later, though it runs
    std::int64_t gpus = 1;
    std::int64_t comes = 0;  ///< instances of those who leave for it
    std::uint32_t instances = 0;
    JobId leaves_for;
    PoolId pool;
    State state = State::nowhere;
    bool may_stop = false;
    bool starts = false;  ///< its start is asked for
    bool leaves = false;  ///< its machines are asked back
    bool stays = false;   ///< they could not be had
    bool listed = false;  ///< in Pool::holders
  };
  struct Member {
    PreemptingRank rank;
    std::int64_t instances = 0;
    friend bool operator<(const Member& a, const Member& b) { return a.rank < b.rank; }
  };
  struct Smallest {
    std::int64_t instances = std::numeric_limits<std::int64_t>::max();
    static Smallest of(const Member& member) { return {member.instances}; }
    friend Smallest operator+(Smallest a, Smallest b) {
      return {std::min(a.instances, b.instances)};
    }
  };
  struct All {
    std::int64_t instances = 0;
    static All of(const Member& member) { return {member.instances}; }
    friend All operator+(All a, All b) { return {a.instances + b.instances}; }
  };
  struct Pool {
    SummaryTree<Member, Smallest> waiting;
    std::set<std::pair<Instant, JobId>> rising;   ///< of those who wait
    SummaryTree<Member, All> holders;             ///< who run, and may lose their machines
    std::set<std::pair<Instant, JobId>> falling;  ///< of those who run
    std::int64_t kept = 0;                        ///< by others who run
    std::int64_t leaving = 0;                     ///< asked back
    std::int64_t awaited = 0;  ///< by those who were to have machines when this was last looked at
  };

  Row& row_of(JobId job) {
    if (job.index >= rows_.size()) rows_.resize(std::size_t{job.index} + 1);
    return rows_[job.index];
  }
  Pool& pool_of(PoolId pool) {
    if (pool.index >= pools_.size()) pools_.resize(std::size_t{pool.index} + 1);
    return pools_[pool.index];
  }
  Row& described(const Candidate& candidate, const FleetView& fleet) {
    const JobDescription& description = fleet.description(candidate.job);
    const JobTerms& terms = fleet.terms(candidate.job);
    Row& row = row_of(candidate.job);
    row.estimate = description.expected_work;
    row.submitted = description.submitted_at;
    row.instances = candidate.instances;
    row.gpus = std::max<std::int64_t>(std::int64_t{fleet.gpus(candidate.job)} * row.instances, 1);
    row.pool = candidate.pool;
    row.may_stop = terms.queue && !terms.keeps_machines;
    row.stays = false;
    return row;
  }
  /// Its machines are asked back no longer.
  void stays_or_left(Row& row) {
    if (!std::exchange(row.leaves, false)) return;
    pool_of(row.pool).leaving -= row.instances;
    rows_[row.leaves_for.index].comes -= row.instances;
  }
  void rises_no_more(Row& row, JobId job) {
    pool_of(row.pool).rising.erase({std::exchange(row.rises_at, never), job});
  }
  void runs(Row& row, JobId job) {
    rises_no_more(row, job);
    row.state = State::runs;
    row.starts = true;
    row.since = now_;
    row.first_start = std::min(row.first_start, now_);
    look_at(row, job);
    enlist(row, job);
  }
  void enlist(Row& row, JobId job) {
    Pool& pool = pool_of(row.pool);
    row.listed = !keeps(row);
    if (row.listed) {
      pool.holders.insert({row.rank, row.instances});
    } else {
      pool.kept += row.instances;
    }
    if (row.falls_at != never) pool.falling.insert({row.falls_at, job});
  }
  void strike(Row& row, JobId job) {
    Pool& pool = pool_of(row.pool);
    if (row.listed) {
      pool.holders.erase({row.rank, row.instances});
    } else {
      pool.kept -= row.instances;
    }
    if (row.falls_at != never) pool.falling.erase({row.falls_at, job});
  }
  /// Changes something of a job by which it may be that it stands elsewhere, or keeps its machines.
  template <class How>
  void change(JobId job, const How& how) {
    Row& row = row_of(job);
    if (row.state != State::runs) return how(row);
    strike(row, job);
    how(row);
    look_at(row, job);
    enlist(row, job);
  }
  /// Where it stands now, and until when it comes no later.
  void look_at(Row& row, JobId job) const {
    row.rank = rank_of(row, job);
    row.falls_at = row.leaves ? never : order_.changes(course(row), now_);
  }
  void look_again_at(JobId job) {
    change(job, [](const Row&) {});
  }
  /// A job that is asked to leave keeps the rank that it had then: what it attains until it has
  /// left might otherwise put it ahead of the job that it leaves for.
  Instant counts_until(const Row& row) const { return row.leaves ? row.asked : now_; }
  RunCourse course(const Row& row) const {
    const Duration more = row.state == State::runs ? counts_until(row) - row.since : Duration{0};
    return {row.attained + more, row.forgiven,  row.estimate,
            row.first_start,     row.submitted, row.gpus};
  }
  PreemptingRank rank_of(const Row& row, JobId job) const {
    PreemptingRank rank = order_.rank(course(row));
    rank.job = job;
    return rank;
  }

  static bool keeps(const Row& row) { return !row.may_stop || row.stays || row.starts; }

  void fill(PoolId id, Turn& turn) {
    Pool& pool = pool_of(id);
    pool.awaited = 0;
    if (pool.waiting.empty()) return;
    raise(pool);
    while (!pool.falling.empty() && pool.falling.begin()->first <= now_) {
      look_again_at(pool.falling.begin()->second);
    }
    std::int64_t room = turn.own_and_free(id) - pool.kept;
    if (!any_may_fit(pool, room)) return look_again(pool, id, turn);
    const std::vector<Member> contested = behind_the_first(pool, room);
    std::vector<Member> in;
    std::vector<Member> out;
    ForWhom gains{turn.free(id), pool.leaving};
    std::optional<Member> next = next_that_fits(pool, room);
    const auto take_before = [&](const PreemptingRank* rank) {
      for (; next && (rank == nullptr || next->rank < *rank); next = next_that_fits(pool, room)) {
        in.push_back(*next);
        gains.comes(next->rank.job, next->instances);
        room -= next->instances;
        pool.waiting.erase(*next);
      }
    };
    for (const Member& holder : contested) {
      take_before(&holder.rank);
      if (holder.instances > room) {
        out.push_back(holder);
        continue;
      }
      room -= holder.instances;
      if (leaves(holder)) gains.comes(holder.rank.job, holder.instances);  // it will come back
      if (next && next->instances > room) next = next_that_fits(pool, room);
    }
    take_before(nullptr);
    if (in.empty()) return look_again(pool, id, turn);
    for (const Member& loser : out) {
      if (leaves(loser)) continue;
      take_away(loser.rank.job, gains.leaves(loser.instances, in.front().rank.job), turn);
    }
    std::int64_t there = turn.free(id);
    for (const Member& winner : in) give(winner, id, there, turn);
    look_again(pool, id, turn);
  }

  /// False: no pending job fits in turn.  Running jobs are no later than their ranks say: no job
  /// has more room than this.  Each job that does not fit leaves less for all behind it.
  static bool any_may_fit(const Pool& pool, std::int64_t room) {
    if (pool.holders.summary().instances > room) return true;  // some of those go, not said who
    for (std::int64_t most = room; most > 0;) {
      const Member* const next = pool.waiting.first(
          [most](const Smallest& smallest) { return smallest.instances <= most; });
      if (next == nullptr) return false;
      most = room - pool.holders.before({next->rank, 0}).instances;
      if (next->instances <= most) return true;
    }
    return false;
  }

  /// Of those who may lose their machines who is behind the first who waits, in turn; takes from
  /// the room what the others have.  All of them, if there is less room than that.
  std::vector<Member> behind_the_first(Pool& pool, std::int64_t& room) {
    const PreemptingRank first = pool.waiting.front()->rank;
    std::vector<Member> behind = from(pool, first);
    std::int64_t before = pool.holders.summary().instances;
    for (const Member& holder : behind) before -= holder.instances;
    if (before > room) {
      behind = from(pool, {std::numeric_limits<std::int64_t>::min(), {}, {}, {}});
      before = 0;
    }
    room -= before;
    return behind;
  }

  /// Those from that rank on, as they stand now.  Only who is before it by now is filed anew: the
  /// others' ranks are late, but not too early.
  std::vector<Member> from(Pool& pool, const PreemptingRank& rank) {
    std::vector<Member> all;
    std::vector<JobId> came_before;
    pool.holders.for_each_from({rank, 0}, [&](const Member& holder) {
      const JobId job = holder.rank.job;
      const Member now{rank_of(rows_[job.index], job), holder.instances};
      if (now.rank < rank) {
        came_before.push_back(job);
      } else {
        all.push_back(now);
      }
    });
    for (const JobId job : came_before) look_again_at(job);
    if (!std::is_sorted(all.begin(), all.end())) std::sort(all.begin(), all.end());
    return all;
  }

  /// Whose wait is over begins anew: what it had counts no more.
  void raise(Pool& pool) {
    while (!pool.rising.empty() && pool.rising.begin()->first <= now_) {
      const JobId job = pool.rising.begin()->second;
      Row& row = rows_[job.index];
      pool.waiting.erase({row.rank, row.instances});
      rises_no_more(row, job);
      row.forgiven = row.attained;
      row.rank = rank_of(row, job);
      pool.waiting.insert({row.rank, row.instances});
    }
  }

  /// The first of those who wait and want no more.
  static std::optional<Member> next_that_fits(const Pool& pool, std::int64_t room) {
    if (room <= 0) return std::nullopt;
    const Member* const next =
        pool.waiting.first([room](const Smallest& smallest) { return smallest.instances <= room; });
    return next == nullptr ? std::nullopt : std::optional{*next};
  }

  bool leaves(const Member& holder) const { return rows_[holder.rank.job.index].leaves; }
  void take_away(JobId job, JobId to, Turn& turn) {
    change(job, [this, to](Row& row) {
      row.leaves = true;
      row.asked = now_;
      row.leaves_for = to;
      pool_of(row.pool).leaving += row.instances;
      rows_[to.index].comes += row.instances;
    });
    turn.preempt(job, PreemptCause::in_share, to);
  }

  /// Its instances, if they are `there`; or a place from which it gets them, and those of them that
  /// no job has to leave for any more are not for jobs behind it.
  void give(const Member& member, PoolId id, std::int64_t& there, Turn& turn) {
    const JobId job = member.rank.job;
    Row& row = rows_[job.index];
    if (there < member.instances) {
      pool_of(id).waiting.insert(member);
      pool_of(id).awaited += member.instances;
      there -= std::max<std::int64_t>(member.instances - row.comes, 0);
      return;
    }
    there -= member.instances;
    runs(row, job);
    turn.start(job);
  }

  /// Time alone changes an order if a job waits for it.
  void look_again(const Pool& pool, PoolId id, Turn& turn) const {
    if (pool.waiting.empty()) return;
    Instant next = pool.rising.empty() ? never : pool.rising.begin()->first;
    if (!pool.falling.empty()) next = std::min(next, pool.falling.begin()->first);
    if (next != never) turn.look_after(id, next - now_);
  }

  Order order_;
  std::vector<Row> rows_;
  std::vector<Pool> pools_;
  Instant now_;
};

}  // namespace

std::unique_ptr<Algorithm> shortest_remaining_first(Remaining of) {
  return std::make_unique<PreemptingOrder<RemainingFirst>>(RemainingFirst{of});
}
std::unique_ptr<Algorithm> least_attained_service(LeastAttained model) {
  return std::make_unique<PreemptingOrder<AttainedFirst>>(AttainedFirst{std::move(model)});
}
std::unique_ptr<Algorithm> highest_gittins_first(std::vector<std::int64_t> lengths) {
  return std::make_unique<PreemptingOrder<GittinsFirst>>(GittinsFirst{std::move(lengths)});
}

}  // namespace reeve::policies
