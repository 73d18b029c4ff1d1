#include "share_order.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "job_order.hpp"
#include "part.hpp"
#include "turn.hpp"
#include "usage.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

class ShareOrder final : public Algorithm {
 public:
  explicit ShareOrder(ShareModel model) : model_{model} {}

  Waiting place(const Candidate& candidate, const FleetView& fleet) const override {
    return place_by_priority(candidate, fleet);
  }
  void entered(const Candidate& candidate, const FleetView& fleet) override {
    leave(candidate.job);
    Row& row = described(candidate, fleet);
    row.state = State::waits;
    count(row.share, 1);
    shares_[row.share].in(row.pool).waiting.insert(row.place);
  }
  /// Other jobs run ahead of a refused one.
  bool hold(const Candidate& refused, Turn&) override {
    set_aside(refused.job);
    return true;
  }
  void let_go(const Candidate&, const FleetView&) override {}
  void step_begins(Instant now) override {
    now_ = now;
    while (!lingering_.empty() && lingering_.begin()->first <= now_) {
      lingering_.erase(lingering_.begin());
      --active_;
    }
  }
  void left(JobId job) override { leave(job); }
  void has_machines(const Candidate& candidate, bool, Instant, const FleetView& fleet) override {
    if (row_of(candidate.job).state == State::runs) return;
    leave(candidate.job);
    Row& row = described(candidate, fleet);
    count(row.share, 1);
    runs(row);
  }
  void reprioritized(const Candidate& candidate, const FleetView& fleet) override {
    if (row_of(candidate.job).state == State::waits) entered(candidate, fleet);
  }
  void choose(std::span<const PoolId> changed, Turn& turn) override {
    if (turn.is_closed() || changed.empty()) return;
    know(turn.fleet);
    if (is_of_one_pool()) {
      for (const PoolId pool : changed) fill(lines_in(pool), turn);
      return;
    }
    const auto pools = static_cast<std::uint32_t>(turn.fleet.directory().pools.size());
    std::vector<Line> all;
    for (std::uint32_t pool = 0; pool < pools; ++pool) {
      const std::vector<Line> here = lines_in({pool});
      all.insert(all.end(), here.begin(), here.end());
    }
    fill(std::move(all), turn);
    if (!model_.strict || !goes_by_time()) return;
    for (std::uint32_t pool = 0; pool < pools; ++pool) look_again({pool}, turn);
  }

 private:
  enum class State : std::uint8_t { nowhere, waits, aside, runs };

  /// Usages that differ by less than a billionth are equal: the same time in other pieces sums to
  /// other last digits.
  static constexpr double kEqual = 1 + 1e-9;

  struct Row {
    Waiting place;
    std::uint32_t instances = 0;
    std::uint32_t share = 0;
    PoolId pool;
    State state = State::nowhere;
  };

  struct InPool {
    std::set<Waiting> waiting;
    std::int64_t held = 0;
  };

  struct Share {
    std::vector<InPool> pools = {};
    Usage usage = {};
    double has = 0;  ///< what it was last compared by
    std::int64_t weight = weight_one;
    std::int64_t jobs = 0;         ///< that wait or run
    Instant active_until = never;  ///< it has none, and was active until now
    InPool& in(PoolId pool) {
      if (pool.index >= pools.size()) pools.resize(std::size_t{pool.index} + 1);
      return pools[pool.index];
    }
  };

  /// What is kept of a pool of so many instances while so many shares are active.
  struct Kept {
    std::int64_t capacity = -1;
    std::int64_t active = -1;
    double instances = 0;
  };

  /// Those of one share who wait for one pool.
  struct Line {
    std::uint32_t share = 0;
    PoolId pool;
  };

  /// Whose turn it is in a pool depends on what happens there alone.
  bool is_of_one_pool() const {
    return model_.measure == ShareMeasure::held && model_.reservation_pct == 0;
  }

  bool goes_by_time() const {
    return model_.measure == ShareMeasure::usage && model_.decay > Duration{0};
  }

  /// The last is of those who stand in none.
  void know(const FleetView& fleet) {
    if (!shares_.empty()) return;
    for (const ShareFacts& facts : fleet.directory().shares) {
      shares_.push_back({.weight = facts.weight});
    }
    shares_.emplace_back();
  }

  Row& row_of(JobId job) {
    if (job.index >= rows_.size()) rows_.resize(std::size_t{job.index} + 1);
    return rows_[job.index];
  }
  Row& described(const Candidate& candidate, const FleetView& fleet) {
    know(fleet);
    const JobTerms& terms = fleet.terms(candidate.job);
    const std::size_t nobodys = shares_.size() - 1;
    const bool in_share = terms.share && terms.share->index < nobodys;
    Row& row = row_of(candidate.job);
    row.place = place(candidate, fleet);
    row.instances = candidate.instances;
    row.pool = candidate.pool;
    row.share = in_share ? terms.share->index : static_cast<std::uint32_t>(nobodys);
    return row;
  }
  /// Where use decays, a share is active for as long after its last job has left.
  void count(std::uint32_t index, std::int64_t more) {
    Share& share = shares_[index];
    const bool had_some = std::exchange(share.jobs, share.jobs + more) > 0;
    if (had_some == (share.jobs > 0)) return;
    if (!had_some) {
      if (lingering_.erase({share.active_until, index}) == 0) ++active_;
    } else if (!goes_by_time()) {
      --active_;
    } else {
      share.active_until = later(now_, model_.decay);
      lingering_.emplace(share.active_until, index);
    }
  }
  void runs(Row& row) {
    Share& share = shares_[row.share];
    row.state = State::runs;
    share.in(row.pool).held += row.instances;
    share.usage.change(now_, row.instances, model_.decay);
  }
  void leave(JobId job) {
    Row& row = row_of(job);
    const State before = std::exchange(row.state, State::nowhere);
    if (before == State::nowhere) return;
    Share& share = shares_[row.share];
    count(row.share, -1);
    InPool& there = share.in(row.pool);
    if (before == State::waits) {
      there.waiting.erase(row.place);
    } else if (before == State::runs) {
      there.held -= row.instances;
      share.usage.change(now_, -std::int64_t{row.instances}, model_.decay);
    }
  }
  /// It waits, but for no turn.
  void set_aside(JobId job) {
    leave(job);
    Row& row = row_of(job);
    row.state = State::aside;
    count(row.share, 1);
  }
  std::vector<Line> lines_in(PoolId pool) {
    std::vector<Line> lines;
    for (std::uint32_t share = 0; share < shares_.size(); ++share) {
      if (!shares_[share].in(pool).waiting.empty()) lines.push_back({share, pool});
    }
    return lines;
  }
  std::set<Waiting>& waiting_in(const Line& line) {
    return shares_[line.share].in(line.pool).waiting;
  }
  Row& first_in(const Line& line) { return rows_[waiting_in(line).begin()->job.index]; }

  /// Where what a share has in one pool counts in all, the lines of all take turns.
  void fill(std::vector<Line> lines, Turn& turn) {
    while (true) {
      if (!model_.strict) leave_out(lines, turn);
      if (lines.empty()) return;
      const auto next = poorest(lines, turn);
      const Line line = *next;
      Row& row = first_in(line);
      if (is_too_large(row, turn)) {
        const JobId job = row.place.job;
        set_aside(job);
        turn.set_aside(job);
      } else if (may_start(row, turn)) {
        waiting_in(line).erase(row.place);
        runs(row);
        turn.start(row.place.job);
      } else {
        std::erase_if(lines, [&](const Line& other) { return other.pool == line.pool; });
        continue;
      }
      if (waiting_in(line).empty()) lines.erase(next);
    }
  }

  /// Those whose first cannot start: at this instant there will only be less for it.  Where
  /// machines are short that is nearly all of them, and few are left to be compared for each that
  /// starts.
  void leave_out(std::vector<Line>& lines, const Turn& turn) {
    std::erase_if(lines, [&](const Line& line) {
      const Row& row = first_in(line);
      return !is_too_large(row, turn) && !may_start(row, turn);
    });
  }

  /// The one whose turn it is does not fit: as time goes by it may be the turn of one that does.
  void look_again(PoolId pool, Turn& turn) {
    std::vector<Line> lines = lines_in(pool);
    if (lines.size() < 2 || turn.free(pool) <= 0) return;
    const std::uint32_t next = poorest(lines, turn)->share;
    double wait = std::numeric_limits<double>::infinity();
    for (const auto& [index, here] : lines) {
      Share& share = shares_[index];
      if (!may_start(first_in({index, pool}), turn)) continue;
      // Among equals it is first, or has to have less than they.
      const double ours = static_cast<double>(share.weight) * (is_before(index, next) ? 1 : kEqual);
      const double its =
          static_cast<double>(shares_[next].weight) * (is_before(index, next) ? kEqual : 1);
      wait = std::min(wait,
                      share.usage.falls_below(shares_[next].usage, ours, its, now_, model_.decay));
    }
    constexpr double kNever = 1e9;  // 31 years
    if (wait > kNever) return;
    const auto whole = static_cast<std::int64_t>(std::ceil(wait));
    turn.look_after(pool, std::chrono::seconds{std::max<std::int64_t>(whole, 1)});
  }

  static bool is_too_large(const Row& row, const Turn& turn) {
    return row.instances > turn.capacity(row.pool);
  }
  bool may_start(const Row& row, const Turn& turn) {
    return row.instances <= turn.free(row.pool) && is_left_over(row, turn);
  }

  /// Whether enough is kept for the shares that are not active.
  bool is_left_over(const Row& row, const Turn& turn) {
    if (model_.reservation_pct == 0) return true;
    return static_cast<double>(turn.free(row.pool) - row.instances) >= kept_in(row.pool, turn);
  }

  double kept_in(PoolId pool, const Turn& turn) {
    if (pool.index >= kept_.size()) kept_.resize(std::size_t{pool.index} + 1);
    Kept& kept = kept_[pool.index];
    const std::int64_t capacity = turn.capacity(pool);
    if (kept.capacity == capacity && kept.active == active_) return kept.instances;
    kept = {capacity, active_, static_cast<double>(capacity)};
    for (std::int64_t each = 0; each < active_; ++each) {
      kept.instances = kept.instances * static_cast<double>(model_.reservation_pct) / 100;
    }
    return kept.instances;
  }

  std::vector<Line>::iterator poorest(std::vector<Line>& of, const Turn& turn) {
    if (goes_by_time()) return least_used(of);
    auto best = of.begin();
    for (auto line = best + 1; line != of.end(); ++line) {
      const Part has = part_of(shares_[line->share], line->pool, turn);
      const Part least = part_of(shares_[best->share], best->pool, turn);
      if (has < least || (!(least < has) && is_before(*line, *best))) best = line;
    }
    return best;
  }

  /// Usage is looked at ahead, as it does not change while an instant's machines are given out.
  std::vector<Line>::iterator least_used(std::vector<Line>& of) {
    double least = std::numeric_limits<double>::infinity();
    for (const Line& line : of) {
      Share& share = shares_[line.share];
      share.has = share.usage.ahead(now_, model_.decay) * static_cast<double>(share.weight);
      least = std::min(least, share.has);
    }
    auto best = of.end();
    for (auto line = of.begin(); line != of.end(); ++line) {
      if (shares_[line->share].has > least * kEqual) continue;
      if (best == of.end() || is_before(*line, *best)) best = line;
    }
    return best;
  }

  /// Orders equal jobs; within one share the first of it.
  bool is_before(const Line& a, const Line& b) {
    if (a.share != b.share) return is_before(a.share, b.share);
    return *waiting_in(a).begin() < *waiting_in(b).begin();
  }
  bool is_before(std::uint32_t a, std::uint32_t b) const {
    return std::pair{shares_[a].weight, a} < std::pair{shares_[b].weight, b};
  }

  Part part_of(Share& share, PoolId pool, const Turn& turn) const {
    if (model_.measure == ShareMeasure::usage) return {share.usage.held() * share.weight};
    if (model_.measure == ShareMeasure::held) return {share.in(pool).held * share.weight, 1};
    Part most;
    for (std::uint32_t index = 0; index < share.pools.size(); ++index) {
      const std::int64_t whole = turn.capacity({index});
      const Part part{share.pools[index].held * share.weight, std::max<std::int64_t>(whole, 1)};
      if (most < part) most = part;
    }
    return most;
  }

  ShareModel model_;
  std::vector<Share> shares_;
  std::int64_t active_ = 0;  ///< shares with jobs, and those that have had some of late
  std::set<std::pair<Instant, std::uint32_t>> lingering_;  ///< the latter: until when, and which
  std::vector<Kept> kept_;                                 ///< by pool
  std::vector<Row> rows_;
  Instant now_;
};

}  // namespace

std::unique_ptr<Algorithm> share_order(ShareModel model) {
  return std::make_unique<ShareOrder>(model);
}

}  // namespace reeve::policies
