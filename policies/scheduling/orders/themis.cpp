#include "themis.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "for_whom.hpp"
#include "job_order.hpp"
#include "kinetic_tournament.hpp"
#include "turn.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

__extension__ using Wide = __int128;

constexpr std::size_t kBiddersAtMost = 64;

std::int64_t ms(Duration of) {
  return of / std::chrono::milliseconds{1};
}

/// The worse off of two has the larger one.
struct Lateness {
  std::int64_t shared_ns = 0;
  Wide independent = 1;  ///< times the machines of the pool
  Instant submitted;
  JobId job;

  /// Worse off; then who was submitted first.
  friend bool operator<(const Lateness& a, const Lateness& b) {
    const Wide of_a = a.shared_ns * b.independent;
    const Wide of_b = b.shared_ns * a.independent;
    if (of_a != of_b) return of_a > of_b;
    if (a.submitted != b.submitted) return a.submitted < b.submitted;
    return a.job < b.job;
  }
};

/// One that waits: its ρ, among jobs of its size, is (now + offset) / pace times what is the same
/// for all of them.
struct WaitingGang {
  std::int64_t offset = 0;  ///< what is left of its work, less when it was submitted: ns
  std::int64_t pace = 1;    ///< its work: ms
  Instant submitted;
  JobId job;

  friend bool operator<(const WaitingGang& a, const WaitingGang& b) {
    if (a.submitted != b.submitted) return a.submitted < b.submitted;
    return a.job < b.job;
  }
};
using WaitingGangs = KineticTournament<WaitingGang>;

class Themis final : public Algorithm {
 public:
  explicit Themis(const ThemisModel& model) : model_{model} {}

  Waiting place(const Candidate& candidate, const FleetView& fleet) const override {
    return place_by_submission(candidate, fleet);
  }
  void step_begins(Instant now) override { now_ = now; }
  void entered(const Candidate& candidate, const FleetView& fleet) override {
    left(candidate.job);
    described(candidate, fleet);
    lines_up(candidate.job);
  }
  /// Other jobs run ahead of a refused one.
  bool hold(const Candidate&, Turn&) override { return true; }
  void let_go(const Candidate&, const FleetView&) override {}
  void left(JobId job) override;
  void has_machines(const Candidate& candidate, bool is_running, Instant,
                    const FleetView& fleet) override {
    if (row_of(candidate.job).state != State::has) {
      left(candidate.job);
      has(described(candidate, fleet), candidate.job);
    }
    row_of(candidate.job).starts = !is_running;
  }
  void kept(JobId job) override {
    Row& row = row_of(job);
    if (std::exchange(row.leaves, false)) pool_of(row.pool).leaving -= row.instances;
    stays(row, true);
  }
  void may_lose(JobId job) override { stays(row_of(job), false); }
  void choose(std::span<const PoolId> changed, Turn& turn) override {
    if (turn.is_closed()) return;
    for (const PoolId pool : changed) fill(pool, turn);
  }

 private:
  enum class State : std::uint8_t { nowhere, waits, promised, has };

  /// Of a job, over all of its attempts.
  struct Row {
    Duration attained{0};  ///< on machines, in spans that are over
    Duration estimate{0};
    Instant submitted;
    Instant since;            ///< when it got the machines that it has
    Instant renewed = never;  ///< when it last won them again
    std::uint32_t instances = 0;
    WaitingGangs::Slot slot = 0;  ///< while it waits
    PoolId pool;
    State state = State::nowhere;
    bool may_stop = false;
    bool starts = false;  ///< its start is asked for
    bool leaves = false;  ///< its machines are asked back
    bool stays = false;   ///< they could not be had
  };
  struct Pool {
    std::map<std::uint32_t, WaitingGangs> waiting;  ///< by size; none is empty
    std::size_t waits = 0;                          ///< so many
    std::set<JobId> holding;
    std::vector<JobId> promised;  ///< won what others still hold; the first first
    std::int64_t leaving = 0;
    std::size_t leased = 0;  ///< of those who hold machines: may lose them when leases end
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
    row.pool = candidate.pool;
    row.may_stop = terms.queue && !terms.keeps_machines;
    row.leaves = row.stays = false;
    return row;
  }
  void lines_up(JobId job) {
    Row& row = row_of(job);
    row.state = State::waits;
    Pool& pool = pool_of(row.pool);
    const Duration offset = left_of(row) - row.submitted.time_since_epoch();
    row.slot =
        pool.waiting[row.instances].insert({offset.count(), pace_of(row), row.submitted, job});
    ++pool.waits;
  }
  void steps_out(JobId job) {
    const Row& row = rows_[job.index];
    Pool& pool = pool_of(row.pool);
    const auto size = pool.waiting.find(row.instances);
    size->second.erase(row.slot);
    if (size->second.empty()) pool.waiting.erase(size);
    --pool.waits;
  }
  void has(Row& row, JobId job) {
    row.state = State::has;
    row.starts = true;
    row.since = now_;
    pool_of(row.pool).holding.insert(job);
    if (is_leased(row)) ++pool_of(row.pool).leased;
  }
  static bool is_leased(const Row& row) { return row.may_stop && !row.stays; }
  void stays(Row& row, bool does) {
    Pool& pool = pool_of(row.pool);
    if (row.state == State::has && is_leased(row)) --pool.leased;
    row.stays = does;
    if (row.state == State::has && is_leased(row)) ++pool.leased;
  }
  void start(JobId job, Turn& turn) {
    has(rows_[job.index], job);
    turn.start(job);
  }

  /// How long ago all leases ended the last time.  They end together, or those of single machines
  /// would never add up to the machines of a gang.
  Duration since_round() const { return now_.time_since_epoch() % model_.lease; }
  /// Its lease ends now, where leases do.
  bool is_on_offer(const Row& row) const {
    const bool may_lose = is_leased(row) && !row.starts && !row.leaves;
    return may_lose && row.renewed != now_ && row.since < now_;
  }
  Duration left_of(const Row& row) const {
    const Duration now = row.state == State::has ? now_ - row.since : Duration{0};
    return std::max(row.estimate - row.attained - now, Duration{0});
  }
  Duration shared(const Row& row) const { return now_ - row.submitted + left_of(row); }
  static std::int64_t pace_of(const Row& row) {
    return std::max<std::int64_t>(ms(row.estimate), 1);
  }
  /// What the ρ of jobs are compared by.
  struct Crowd {
    std::size_t wanting = 0;  ///< all who want machines, or have some
    std::int64_t machines = 0;
  };
  Lateness lateness(JobId job, Crowd crowd) const;
  std::int64_t gain(const Row& row) const;
  class Wanting;

  void fill(PoolId id, Turn& turn);
  void deliver(Pool& pool, PoolId id, Turn& turn);
  std::vector<Lateness> on_offer(const Pool& pool, Crowd crowd) const;
  std::vector<JobId> winners(Wanting wanting, std::size_t all, std::int64_t machines) const;
  void hand_over(Pool& pool, PoolId id, const std::vector<Lateness>& offered,
                 const std::vector<JobId>& won, ForWhom gains, Turn& turn);
  void look_at_next_lease(const Pool& pool, PoolId id, Turn& turn) const;

  ThemisModel model_;
  std::vector<Row> rows_;
  std::vector<Pool> pools_;
  Instant now_;
};

void Themis::left(JobId job) {
  Row& row = row_of(job);
  const State before = std::exchange(row.state, State::nowhere);
  if (before == State::nowhere) return;
  Pool& pool = pool_of(row.pool);
  if (before == State::waits) steps_out(job);
  if (before == State::promised) std::erase(pool.promised, job);
  if (before != State::has) return;
  row.attained += std::max(now_ - row.since, Duration{0});
  pool.holding.erase(job);
  if (is_leased(row)) --pool.leased;
  if (std::exchange(row.leaves, false)) pool.leaving -= row.instances;
}

/// T_independent: on 1/`wanting` of the machines, where its gang is larger than that as much
/// longer.
Lateness Themis::lateness(JobId job, Crowd crowd) const {
  const Row& row = rows_[job.index];
  const std::int64_t share = std::max(
      std::int64_t{row.instances} * static_cast<std::int64_t>(crowd.wanting), crowd.machines);
  return {shared(row).count(), Wide{pace_of(row)} * share, row.submitted, job};
}

/// ln(ρ without / ρ with), in 1e-9: without machines it waits for a lease longer.
std::int64_t Themis::gain(const Row& row) const {
  const auto with = static_cast<double>(std::max<std::int64_t>(ms(shared(row)), 1));
  return std::llround(1e9 * std::log1p(static_cast<double>(ms(model_.lease)) / with));
}

/// All who want machines, the worst off first: those who wait, and those whose lease ends now.
class Themis::Wanting {
 public:
  Wanting(const Themis& themis, const Pool& pool, const std::vector<Lateness>& offered, Crowd crowd)
      : themis_{themis}, offered_{offered}, crowd_{crowd} {
    sizes_.reserve(pool.waiting.size());
    for (const auto& [instances, gangs] : pool.waiting) {
      sizes_.push_back({instances, WaitingGangs::Walk{gangs}, {}});
      learn(sizes_.back());
    }
  }

  /// The next that wants no more machines than that; at each call as many, or fewer.
  std::optional<JobId> next(std::int64_t most) {
    while (!sizes_.empty() && sizes_.back().instances > most) sizes_.pop_back();
    while (at_ < offered_.size() && wants(offered_[at_].job) > most) ++at_;
    Size* best = nullptr;
    for (Size& size : sizes_) {
      if (size.walk.front() == nullptr) continue;
      if (best == nullptr || size.first < best->first) best = &size;
    }
    const bool is_offered =
        at_ < offered_.size() && (best == nullptr || offered_[at_] < best->first);
    if (is_offered) return offered_[at_++].job;
    if (best == nullptr) return std::nullopt;
    const JobId job = best->first.job;
    best->walk.pop();
    learn(*best);
    return job;
  }

 private:
  struct Size {
    std::int64_t instances = 0;
    WaitingGangs::Walk walk;
    Lateness first;  ///< of its next, if there is one
  };

  std::int64_t wants(JobId job) const { return themis_.rows_[job.index].instances; }
  void learn(Size& size) const {
    const WaitingGang* const first = size.walk.front();
    if (first != nullptr) size.first = themis_.lateness(first->job, crowd_);
  }

  const Themis& themis_;
  const std::vector<Lateness>& offered_;  ///< sorted
  Crowd crowd_;
  std::vector<Size> sizes_;  ///< in their order
  std::size_t at_ = 0;       ///< in what is offered
};

void Themis::fill(PoolId id, Turn& turn) {
  Pool& pool = pool_of(id);
  deliver(pool, id, turn);
  if (pool.waiting.empty()) return;
  std::int64_t machines = turn.free(id) + pool.leaving;
  for (const JobId job : pool.promised) machines -= rows_[job.index].instances;
  const ForWhom gains{machines};
  const Crowd crowd{pool.waits + pool.holding.size() + pool.promised.size(),
                    std::max<std::int64_t>(turn.own_and_free(id), 1)};
  const std::vector<Lateness> offered = on_offer(pool, crowd);
  for (const Lateness& each : offered) machines += rows_[each.job.index].instances;
  if (machines >= pool.waiting.begin()->first) {
    for (auto& [size, gangs] : pool.waiting) gangs.advance(now_.time_since_epoch().count());
    const std::vector<JobId> won =
        winners({*this, pool, offered, crowd}, pool.waits + offered.size(), machines);
    hand_over(pool, id, offered, won, gains, turn);
  }
  look_at_next_lease(pool, id, turn);
}

/// Machines for those who won them, when they are there; who cannot have them any more waits.
void Themis::deliver(Pool& pool, PoolId id, Turn& turn) {
  std::int64_t coming = turn.free(id) + pool.leaving;
  for (const JobId job : pool.promised) coming -= rows_[job.index].instances;
  for (; coming < 0 && !pool.promised.empty(); pool.promised.pop_back()) {
    const JobId job = pool.promised.back();
    coming += rows_[job.index].instances;
    lines_up(job);
  }
  while (!pool.promised.empty()) {
    const JobId job = pool.promised.front();
    if (turn.free(id) < rows_[job.index].instances) return;
    pool.promised.erase(pool.promised.begin());
    start(job, turn);
  }
}

/// The worst off first.
std::vector<Lateness> Themis::on_offer(const Pool& pool, Crowd crowd) const {
  std::vector<Lateness> offered;
  if (since_round() != Duration{0} || pool.leased == 0) return offered;
  for (const JobId job : pool.holding) {
    if (is_on_offer(rows_[job.index])) offered.push_back(lateness(job, crowd));
  }
  std::sort(offered.begin(), offered.end());
  return offered;
}

/// Of `all` the worst off bid.  What the bids leave over goes to the others, the worst off first.
std::vector<JobId> Themis::winners(Wanting wanting, std::size_t all, std::int64_t machines) const {
  const auto part = static_cast<std::size_t>(100 - model_.fairness_pct);
  const std::size_t count =
      std::min({std::max<std::size_t>((all * part + 99) / 100, 1), all, kBiddersAtMost});
  std::vector<JobId> bidders;
  std::vector<Bid> bids;
  while (bidders.size() < count) {
    bidders.push_back(*wanting.next(std::numeric_limits<std::int64_t>::max()));
    const Row& row = rows_[bidders.back().index];
    bids.push_back({row.instances, gain(row)});
  }
  std::vector<JobId> won;
  std::vector<bool> wins(count);
  for (const std::size_t place : best_bids(bids, machines)) {
    wins[place] = true;
    won.push_back(bidders[place]);
    machines -= bids[place].instances;
  }
  for (std::size_t place = 0; place < count; ++place) {
    if (wins[place] || bids[place].instances > machines) continue;
    won.push_back(bidders[place]);
    machines -= bids[place].instances;
  }
  while (machines > 0) {
    const std::optional<JobId> next = wanting.next(machines);
    if (!next) break;
    won.push_back(*next);
    machines -= rows_[next->index].instances;
  }
  return won;
}

void Themis::hand_over(Pool& pool, PoolId id, const std::vector<Lateness>& offered,
                       const std::vector<JobId>& won, ForWhom gains, Turn& turn) {
  const std::set<JobId> winning{won.begin(), won.end()};
  std::vector<JobId> gets;
  for (const JobId job : won) {
    if (rows_[job.index].state != State::waits) continue;
    gets.push_back(job);
    gains.comes(job, rows_[job.index].instances);
  }
  for (const Lateness& each : offered) {
    Row& row = rows_[each.job.index];
    if (gets.empty()) break;
    if (winning.contains(each.job)) {
      row.renewed = now_;
      continue;
    }
    row.leaves = true;
    pool.leaving += row.instances;
    turn.preempt(each.job, PreemptCause::in_share, gains.leaves(row.instances, gets.front()));
  }
  for (const JobId job : gets) {
    steps_out(job);
    rows_[job.index].state = State::promised;
    pool.promised.push_back(job);
  }
  deliver(pool, id, turn);
}

void Themis::look_at_next_lease(const Pool& pool, PoolId id, Turn& turn) const {
  if (pool.waiting.empty() || pool.leased == 0) return;
  turn.look_after(id, model_.lease - since_round());
}

}  // namespace

std::vector<std::size_t> best_bids(const std::vector<Bid>& bids, std::int64_t machines) {
  std::int64_t wanted = 0;
  for (const Bid& bid : bids) wanted += bid.instances;
  const auto room = static_cast<std::size_t>(std::clamp<std::int64_t>(machines, 0, wanted));
  // best[b][m]: the largest gain of bids b and later with m machines.
  std::vector<std::vector<std::int64_t>> best(bids.size() + 1, std::vector<std::int64_t>(room + 1));
  for (std::size_t of = bids.size(); of-- > 0;) {
    const auto wants = static_cast<std::size_t>(bids[of].instances);
    for (std::size_t left = 0; left <= room; ++left) {
      best[of][left] = best[of + 1][left];
      if (wants > left) continue;
      best[of][left] = std::max(best[of][left], best[of + 1][left - wants] + bids[of].gain);
    }
  }
  std::vector<std::size_t> chosen;
  std::size_t left = room;
  for (std::size_t of = 0; of < bids.size(); ++of) {
    const auto wants = static_cast<std::size_t>(bids[of].instances);
    if (wants > left || best[of + 1][left - wants] + bids[of].gain < best[of][left]) continue;
    chosen.push_back(of);
    left -= wants;
  }
  return chosen;
}

std::unique_ptr<Algorithm> themis(const ThemisModel& model) {
  return std::make_unique<Themis>(model);
}

}  // namespace reeve::policies
