#include "backfill.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "forecast.hpp"
#include "timeline.hpp"
#include "turn.hpp"

namespace reeve::policies {
namespace {

using namespace policy;

/// Knows who waits and who runs, and until when.
class Forecasting : public Algorithm {
 public:
  explicit Forecasting(const JobOrder& order) : order_{order} {}

  Waiting place(const Candidate& candidate, const FleetView& fleet) const final {
    return place_in(order_, candidate, fleet);
  }
  void entered(const Candidate& candidate, const FleetView& fleet) final {
    left(candidate.job);
    Row& row = described(candidate, fleet);
    row.state = State::waits;
    lines_up(row);
  }
  /// Other jobs run ahead of a refused one, and no instances are reserved for it.
  bool hold(const Candidate&, Turn&) final { return true; }
  void let_go(const Candidate&, const FleetView&) final {}
  void left(JobId job) final {
    Row& row = row_of(job);
    const State before = std::exchange(row.state, State::nowhere);
    if (before == State::waits) {
      steps_out(row);
      surprised(row.pool);
    } else if (before == State::runs) {
      ends_.remove(row.pool, end_of(row), row.ours);
      ended(row);
    }
  }
  void has_machines(const Candidate& candidate, bool, Instant now, const FleetView& fleet) final {
    learn_of(candidate, true, now, fleet);
  }
  void others_have(const Candidate& candidate, bool one_environment, Instant now,
                   const FleetView& fleet) final {
    learn_of(candidate, one_environment, now, fleet);
  }
  void others_left(JobId job) final { left(job); }
  void reprioritized(const Candidate& candidate, const FleetView& fleet) final {
    if (order_.by != OrderBy::priority || row_of(candidate.job).state != State::waits) return;
    entered(candidate, fleet);
  }
  void terms_changed(PoolId pool) final {
    if (pool.index < pools_) surprised(pool);
  }
  void choose(std::span<const PoolId> changed, Turn& turn) final {
    if (turn.is_closed()) return;
    for (const PoolId pool : changed) {
      know(pool, turn.fleet);
      fill(pool, turn);
    }
  }

 protected:
  enum class State : std::uint8_t { nowhere, waits, runs };

  /// The newest attempt of a job.
  struct Row {
    Waiting place;
    Duration lasts{0};  ///< as was said
    Instant ends;       ///< of who runs, likewise
    std::uint32_t instances = 0;
    PoolId pool;
    State state = State::nowhere;
    bool ours = true;  ///< of the environment of those who wait here
  };

  virtual void has_pools(std::size_t count) = 0;
  virtual void lines_up(const Row& row) = 0;
  virtual void steps_out(const Row& row) = 0;
  virtual void ended(const Row&) {}
  /// What happened there was not to be foreseen.
  virtual void surprised(PoolId) {}
  virtual void fill(PoolId pool, Turn& turn) = 0;

  const Row& row(JobId job) const { return rows_[job.index]; }
  const EndsOfFleet& ends() const { return ends_; }

  void start(JobId job, Turn& turn) {
    Row& row = rows_[job.index];
    steps_out(row);
    runs(row, turn.now);
    turn.start(job);
  }
  /// It is larger than its pool and would block all others for ever.
  void set_aside(JobId job, Turn& turn) {
    Row& row = rows_[job.index];
    steps_out(row);
    row.state = State::nowhere;
    turn.set_aside(job);
  }

 private:
  Row& row_of(JobId job) {
    if (job.index >= rows_.size()) rows_.resize(std::size_t{job.index} + 1);
    return rows_[job.index];
  }
  void know(PoolId pool, const FleetView& fleet) {
    if (pool.index < pools_) return;
    pools_ = std::size_t{pool.index} + 1;
    ends_.know(pool, fleet);
    has_pools(pools_);
  }
  Row& described(const Candidate& candidate, const FleetView& fleet) {
    know(candidate.pool, fleet);
    Row& row = row_of(candidate.job);
    row.place = place(candidate, fleet);
    row.lasts = fleet.description(candidate.job).expected_work;
    row.instances = candidate.instances;
    row.pool = candidate.pool;
    return row;
  }
  void learn_of(const Candidate& candidate, bool ours, Instant now, const FleetView& fleet) {
    if (row_of(candidate.job).state == State::runs) return;
    left(candidate.job);
    Row& row = described(candidate, fleet);
    row.ours = ours;
    runs(row, now);
    surprised(row.pool);
  }
  static ExpectedEnds::End end_of(const Row& row) {
    return {row.ends, row.place.job, row.instances};
  }
  void runs(Row& row, Instant now) {
    row.state = State::runs;
    row.ends = later(now, row.lasts);
    ends_.add(row.pool, end_of(row), row.ours);
  }

  JobOrder order_;
  std::vector<Row> rows_;
  std::size_t pools_ = 0;  ///< that are known
  EndsOfFleet ends_;
};

/// The first in line has a promise.  O(sizes x log queue) for each that starts.
class Easy final : public Forecasting {
 public:
  using Forecasting::Forecasting;

 private:
  struct Member {
    Waiting place;
    Duration lasts{0};
    friend bool operator<(const Member& a, const Member& b) { return a.place < b.place; }
  };
  struct Shortest {
    Duration lasts = Duration::max();
    static Shortest of(const Member& member) { return {member.lasts}; }
    friend Shortest operator+(Shortest a, Shortest b) { return {std::min(a.lasts, b.lasts)}; }
  };
  struct Line {
    std::set<Waiting> all;
    std::map<std::uint32_t, SummaryTree<Member, Shortest>> by_size;
  };
  void has_pools(std::size_t count) override { lines_.resize(count); }
  void lines_up(const Row& row) override {
    Line& line = lines_[row.pool.index];
    line.all.insert(row.place);
    line.by_size[row.instances].insert({row.place, row.lasts});
  }
  void steps_out(const Row& row) override {
    Line& line = lines_[row.pool.index];
    line.all.erase(row.place);
    line.by_size[row.instances].erase({row.place, row.lasts});
  }

  void fill(PoolId pool, Turn& turn) override {
    Line& line = lines_[pool.index];
    while (!line.all.empty()) {
      const JobId first = line.all.begin()->job;
      const std::int64_t wanted = row(first).instances;
      if (wanted > turn.capacity(pool)) {
        set_aside(first, turn);
      } else if (wanted <= turn.free(pool)) {
        start(first, turn);
      } else {
        return pass(pool, first, turn);
      }
    }
  }

  void pass(PoolId pool, JobId first, Turn& turn) {
    if (turn.free(pool) <= 0) return;
    Promise promise =
        promise_of(row(first).instances, ends().bounds(pool, turn.headroom(pool)), turn.now);
    while (const auto next = next_to_pass(pool, promise, turn)) {
      const bool stays = turn.now + row(*next).lasts > promise.at;
      if (stays) promise.spare -= row(*next).instances;
      start(*next, turn);
    }
  }

  std::optional<JobId> next_to_pass(PoolId pool, const Promise& promise, const Turn& turn) const {
    const Duration left = promise.at - turn.now;
    const Waiting* best = nullptr;
    for (const auto& [size, lane] : lines_[pool.index].by_size) {
      if (size > turn.free(pool)) break;
      const Member* const next =
          size <= promise.spare
              ? lane.front()
              : lane.first([left](const Shortest& shortest) { return shortest.lasts <= left; });
      if (next != nullptr && (best == nullptr || next->place < *best)) best = &next->place;
    }
    return best == nullptr ? std::nullopt : std::optional{best->job};
  }

  std::vector<Line> lines_;  ///< by pool
};

/// When more may be had than before: of what has several bounds the least counts.
std::vector<Timeline::Gain> gains_of(const EndsOfFleet::Bounds& bounds, Instant now) {
  struct End {
    Instant at;
    std::int64_t instances = 0;
    std::int64_t* free = nullptr;  ///< of its bound
  };
  std::vector<End> ends;
  std::array<std::int64_t, std::tuple_size_v<EndsOfFleet::Bounds>> free{};
  for (std::size_t each = 0; each < bounds.size(); ++each) {
    free[each] = bounds[each].free;
    const auto middle = static_cast<std::ptrdiff_t>(ends.size());
    bounds[each].ends->for_each([&](const ExpectedEnds::End& end) {
      ends.push_back({not_past(end.at, now), end.instances, &free[each]});
    });
    std::inplace_merge(ends.begin(), ends.begin() + middle, ends.end(),
                       [](const End& a, const End& b) { return a.at < b.at; });
  }
  std::vector<Timeline::Gain> gains;
  std::int64_t least = *std::min_element(free.begin(), free.end());
  for (const End& end : ends) {
    *end.free += end.instances;
    const std::int64_t before = std::exchange(least, *std::min_element(free.begin(), free.end()));
    if (least > before) gains.push_back({end.at, least - before});
  }
  return gains;
}

/// Each pending job has a reservation.  A new job delays no job that has one.  When the forecast
/// changes all reservations are made again in order.  A reservation is made when it is needed: not
/// while no job without one could start now, because reservations only restrict each other.  Each
/// costs a search of the timeline.
class Conservative final : public Forecasting {
 public:
  using Forecasting::Forecasting;

 private:
  struct Line {
    /// Of those who have no promise, by size: how long they last.
    std::map<std::uint32_t, std::multiset<Duration>> lengths;
    std::map<Waiting, Instant> promised;
    std::set<std::pair<Instant, Waiting>> due;
    std::set<Waiting> next;                ///< are promised something next, in order
    std::deque<std::set<Waiting>> behind;  ///< then these, those who came together in order
    std::set<Waiting> newcomers;           ///< of this instant
    std::vector<Instant> ended;            ///< when those who ended had said they would
    Timeline timeline;
    std::int64_t capacity = -1;
    bool outdated = false;
    bool has_timeline = false;  ///< else no job has a reservation for later
  };

  void has_pools(std::size_t count) override { lines_.resize(count); }
  void lines_up(const Row& row) override {
    Line& line = lines_[row.pool.index];
    line.newcomers.insert(row.place);
    line.lengths[row.instances].insert(row.lasts);
  }
  void steps_out(const Row& row) override {
    Line& line = lines_[row.pool.index];
    const auto promise = line.promised.find(row.place);
    if (promise != line.promised.end()) {
      line.due.erase({promise->second, row.place});
      line.promised.erase(promise);
      return;
    }
    forget_length(line, row);
    if (line.newcomers.erase(row.place) > 0 || line.next.erase(row.place) > 0) return;
    for (auto& group : line.behind) {
      if (group.erase(row.place) > 0) return;
    }
  }
  static void forget_length(Line& line, const Row& row) {
    const auto size = line.lengths.find(row.instances);
    size->second.erase(size->second.find(row.lasts));
    if (size->second.empty()) line.lengths.erase(size);
  }
  void ended(const Row& row) override { lines_[row.pool.index].ended.push_back(row.ends); }
  void surprised(PoolId pool) override { lines_[pool.index].outdated = true; }

  void fill(PoolId pool, Turn& turn) override {
    Line& line = lines_[pool.index];
    const bool outdated = is_outdated(line, pool, turn);
    if (!line.newcomers.empty()) line.behind.push_back(std::exchange(line.newcomers, {}));
    if (outdated) line_up_anew(line);
    if (smallest(line) <= turn.free(pool)) promise_some(line, pool, turn);
    while (!line.due.empty() && line.due.begin()->first <= turn.now) {
      start(line.due.begin()->second.job, turn);  // it has what the timeline says
    }
  }

  bool is_outdated(Line& line, PoolId pool, const Turn& turn) const {
    const Instant now = turn.now;
    bool outdated = std::exchange(line.outdated, false) ||
                    std::exchange(line.capacity, turn.capacity(pool)) != turn.capacity(pool);
    for (const Instant said : std::exchange(line.ended, {})) outdated |= said != now;
    outdated |= ends().any_before(pool, now + Duration{1});
    outdated |= !line.due.empty() && line.due.begin()->first < now;
    return outdated;
  }

  void line_up_anew(Line& line) const {
    for (const auto& promise : line.promised) {
      const Row& who = row(promise.first.job);
      line.lengths[who.instances].insert(who.lasts);
      line.next.insert(promise.first);
    }
    line.promised.clear();
    line.due.clear();
    for (auto& group : std::exchange(line.behind, {})) line.next.merge(group);
    line.has_timeline = false;
  }

  /// Of those who have no promise.
  static std::int64_t smallest(const Line& line) {
    return line.lengths.empty() ? std::numeric_limits<std::int64_t>::max()
                                : line.lengths.begin()->first;
  }

  void promise_some(Line& line, PoolId pool, Turn& turn) {
    if (line.has_timeline) {
      line.timeline.advance(turn.now);
    } else if (!serve_in_turn(line, pool, turn)) {
      return;
    } else {
      look_ahead(line, pool, turn);
    }
    while (any_fits_now(line, turn)) promise_next(line, pool, turn);
  }

  /// While no job has a reservation for later, free instances never decrease: the next job that
  /// fits starts without a search.  Returns whether a job is left that might fit.
  bool serve_in_turn(Line& line, PoolId pool, Turn& turn) {
    std::int64_t free = turn.free(pool);
    while (smallest(line) <= free) {
      const Row& who = row(next(line));
      if (who.instances > turn.capacity(pool)) {
        set_aside(who.place.job, turn);
      } else if (who.instances <= free) {
        if (who.lasts > Duration{0}) free -= who.instances;
        promise(line, who, turn.now);
      } else {
        return true;
      }
    }
    return false;
  }

  void look_ahead(Line& line, PoolId pool, const Turn& turn) const {
    const std::vector<Timeline::Gain> gains =
        gains_of(ends().bounds(pool, turn.headroom(pool)), turn.now);
    line.timeline = Timeline{turn.now, turn.free(pool), gains};
    for (const auto& promise : line.promised) {
      const Row& who = row(promise.first.job);
      line.timeline.take(who.instances, promise.second, who.lasts);
    }
    line.has_timeline = true;
  }

  /// Among jobs without a reservation: one that does not fit now will not fit either when others
  /// have their instances.
  static bool any_fits_now(const Line& line, const Turn& turn) {
    for (const auto& [size, lengths] : line.lengths) {
      const Instant until = line.timeline.free_until(size);
      if (until <= turn.now) return false;  // nor so many more
      if (until >= later(turn.now, *lengths.begin())) return true;
    }
    return false;
  }

  static JobId next(Line& line) {
    while (line.next.empty()) {
      line.next = std::move(line.behind.front());
      line.behind.pop_front();
    }
    return line.next.begin()->job;
  }

  void promise_next(Line& line, PoolId pool, Turn& turn) {
    const Row& who = row(next(line));
    if (who.instances > turn.capacity(pool)) return set_aside(who.place.job, turn);
    const Instant at = line.timeline.earliest(who.instances, who.lasts);
    line.timeline.take(who.instances, at, who.lasts);
    promise(line, who, at);
  }

  static void promise(Line& line, const Row& who, Instant at) {
    line.next.erase(who.place);
    forget_length(line, who);
    line.promised.emplace(who.place, at);
    line.due.emplace(at, who.place);
  }

  std::vector<Line> lines_;  ///< by pool
};

}  // namespace

std::unique_ptr<Algorithm> backfill(const JobOrder& order, Promised promised) {
  if (promised == Promised::first) return std::make_unique<Easy>(order);
  return std::make_unique<Conservative>(order);
}

}  // namespace reeve::policies
