#include "static_order.hpp"

#include <map>
#include <optional>
#include <vector>

#include "turn.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// One line for each pool in an order, with the lane that suits how places in it come: O(log sizes)
/// per entry and per start (but for FIFO: and O(log queue)).  In strict order only the first of a
/// pool is held after a refusal: all others are behind it.
template <class Lane>
class StaticOrder final : public Algorithm {
 public:
  StaticOrder(const JobOrder& order, bool strict) : order_{order}, strict_{strict} {}

  Waiting place(const Candidate& candidate, const FleetView& fleet) const override {
    return place_in(order_, candidate, fleet);
  }

  void entered(const Candidate& candidate, const FleetView& fleet) override {
    // Strict order is one lane: its first job waits until there is room.
    const std::uint32_t lane = strict_ ? 0 : candidate.instances;
    const Waiting at = place(candidate, fleet);
    line_of(candidate.pool).waiting.push(lane, at);
    const auto moved = moved_.find(candidate.job);
    if (moved != moved_.end()) moved->second = at;
  }

  bool hold(const Candidate& refused, Turn& turn) override {
    if (!strict_) return true;
    Line& line = line_of(refused.pool);
    line.one_by_one = true;
    const Waiting at = place(refused, turn.fleet);
    if (line.held && *line.held < at) return false;
    if (line.held) turn.release(line.held->job);
    line.held = at;
    return true;
  }

  void let_go(const Candidate& held, const FleetView&) override {
    Line& line = line_of(held.pool);
    if (line.held && line.held->job == held.job) line.held.reset();
  }

  /// Its old place is found stale.
  void reprioritized(const Candidate& candidate, const FleetView& fleet) override {
    if (order_.by != OrderBy::priority) return;
    Line& line = line_of(candidate.pool);
    if (line.held && line.held->job == candidate.job) line.held = place(candidate, fleet);
    moved_.try_emplace(candidate.job);
    entered(candidate, fleet);
  }

  void choose(std::span<const PoolId> changed, Turn& turn) override {
    if (turn.is_closed()) return;
    for (const PoolId pool : changed) fill(pool, turn);
  }

 private:
  struct Line {
    WaitingJobs<Lane> waiting;
    std::optional<Waiting> held;  ///< in strict order: the job that blocks all behind it
    bool one_by_one = false;      ///< in strict order, from a refusal on
  };

  void fill(PoolId pool, Turn& turn) {
    Line& line = line_of(pool);
    for (std::int64_t free = turn.free(pool); free > 0; free = turn.free(pool)) {
      if (line.one_by_one && turn.asked(pool) > 0) return;
      const Waiting* const next = line.waiting.best(free);
      if (next == nullptr) {
        line.one_by_one = line.held.has_value();
        return;
      }
      const JobId job = next->job;
      if (!turn.waits(job, next->attempt, pool) || is_stale(*next)) {
        line.waiting.pop_best();
        continue;
      }
      if (line.held && *line.held < *next) return;
      const std::int64_t wanted = turn.instances(job);
      const bool too_large = wanted > turn.capacity(pool);  // it would block the pool for ever
      if (wanted > free && !too_large) return;
      line.waiting.pop_best();
      too_large ? turn.set_aside(job) : turn.start(job);
    }
  }

  bool is_stale(const Waiting& place) const {
    const auto moved = moved_.find(place.job);
    return moved != moved_.end() && moved->second != place;
  }

  Line& line_of(PoolId pool) {
    if (pool.index >= lines_.size()) lines_.resize(std::size_t{pool.index} + 1);
    return lines_[pool.index];
  }

  JobOrder order_;
  bool strict_;
  std::vector<Line> lines_;
  std::map<JobId, Waiting> moved_;  ///< present places of jobs whose priority was changed
};

}  // namespace

std::unique_ptr<Algorithm> static_order(const JobOrder& order, bool strict) {
  if (order.by == OrderBy::submission) {
    return std::make_unique<StaticOrder<ArrivalLane>>(order, strict);
  }
  return std::make_unique<StaticOrder<HeapLane>>(order, strict);
}

}  // namespace reeve::policies
