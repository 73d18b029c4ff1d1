#include "static_order.hpp"

#include <optional>
#include <vector>

#include "desk.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// By the instant at which the attempt was asked for.
struct SubmissionOrder {
  using Lane = ArrivalLane;
  static Waiting place(const Candidate& candidate, const FleetView&) {
    return {.first = candidate.since.time_since_epoch().count(),
            .second = 0,
            .job = candidate.job,
            .attempt = candidate.attempt};
  }
};

/// By the user's own estimate of the whole job.
struct ShortestFirst {
  using Lane = HeapLane;
  static Waiting place(const Candidate& candidate, const FleetView& fleet) {
    const JobDescription& description = fleet.description(candidate.job);
    return {.first = description.expected_work.count(),
            .second = description.submitted_at.time_since_epoch().count(),
            .job = candidate.job,
            .attempt = candidate.attempt};
  }
};

/// One line for each pool in the order of `Order`: O(log sizes) per entry and per start (SJF: and
/// O(log queue)).  In strict order only the first of a pool is held after a refusal: all others are
/// behind it.
template <class Order>
class StaticOrder final : public Algorithm {
 public:
  explicit StaticOrder(bool strict) : strict_{strict} {}

  Waiting place(const Candidate& candidate, const FleetView& fleet) const override {
    return Order::place(candidate, fleet);
  }

  void entered(const Candidate& candidate, const FleetView& fleet) override {
    // Strict order is one lane: whoever is first waits until there is room.
    const std::uint32_t lane = strict_ ? 0 : candidate.instances;
    line_of(candidate.pool).waiting.push(lane, Order::place(candidate, fleet));
  }

  bool hold(const Candidate& refused, Desk& desk) override {
    if (!strict_) return true;
    Line& line = line_of(refused.pool);
    line.one_by_one = true;
    const Waiting place = Order::place(refused, desk.fleet());
    if (line.held && *line.held < place) return false;
    if (line.held) desk.release(line.held->job);
    line.held = place;
    return true;
  }

  void let_go(const Candidate& held, const FleetView& fleet) override {
    Line& line = line_of(held.pool);
    if (line.held == Order::place(held, fleet)) line.held.reset();
  }

  void choose(std::span<const PoolId> changed, Desk& desk) override {
    if (desk.is_closed()) return;
    for (const PoolId pool : changed) fill(pool, desk);
  }

 private:
  struct Line {
    WaitingJobs<typename Order::Lane> waiting;
    std::optional<Waiting> held;  ///< in strict order: who nobody behind may pass
    bool one_by_one = false;      ///< in strict order, from a refusal on
  };

  void fill(PoolId pool, Desk& desk) {
    Line& line = line_of(pool);
    for (std::int64_t free = desk.free(pool); free > 0; free = desk.free(pool)) {
      if (line.one_by_one && desk.asked(pool) > 0) return;
      const Waiting* const next = line.waiting.best(free);
      if (next == nullptr) {
        line.one_by_one = line.held.has_value();
        return;
      }
      const JobId job = next->job;
      if (!desk.waits(job, next->attempt, pool)) {
        line.waiting.pop_best();
        continue;
      }
      if (line.held && *line.held < *next) return;
      const std::int64_t wanted = desk.instances(job);
      const bool too_large = wanted > desk.capacity(pool);  // it would block the pool for ever
      if (wanted > free && !too_large) return;
      line.waiting.pop_best();
      too_large ? desk.set_aside(job) : desk.start(job);
    }
  }

  Line& line_of(PoolId pool) {
    if (pool.index >= lines_.size()) lines_.resize(std::size_t{pool.index} + 1);
    return lines_[pool.index];
  }

  bool strict_;
  std::vector<Line> lines_;
};

}  // namespace

std::unique_ptr<Algorithm> first_in_first_out(bool strict) {
  return std::make_unique<StaticOrder<SubmissionOrder>>(strict);
}
std::unique_ptr<Algorithm> shortest_job_first(bool strict) {
  return std::make_unique<StaticOrder<ShortestFirst>>(strict);
}

}  // namespace reeve::policies
