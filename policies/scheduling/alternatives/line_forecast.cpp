#include "line_forecast.hpp"

#include <algorithm>
#include <cstddef>

#include "job_events.hpp"

namespace reeve::policies {

using policy::Duration;
using policy::FleetView;
using policy::Instant;
using policy::JobId;
using policy::JobStatus;
using policy::never;
using policy::PoolId;
using policy::Primary;
using policy::Step;

namespace {

/// In millionths; 0: it is not for those machines.
std::uint32_t speed_of(JobId job, PoolId pool, const FleetView& fleet) {
  constexpr std::uint32_t full = 1'000'000;
  if (fleet.directory().speeds[fleet.terms(job).speeds].empty()) return full;
  const std::uint32_t speed = fleet.speed(job, pool);
  // Where it stands already it can run: types without a speed have the stated pace.
  return speed == 0 && pool == fleet.description(job).pool ? full : speed;
}

Duration time_held(JobId job, PoolId pool, const FleetView& fleet) {
  return std::min(time_of_work(job, pool, fleet), fleet.description(job).max_runtime);
}

/// When it gives its machines back.
Instant end_of(JobId job, PoolId pool, const Step& step) {
  const JobStatus& status = step.fleet.status(job);
  const bool trains = status.training_since != never;
  const Instant begin = trains ? status.training_since : status.since;
  const bool leaves = status.primary == Primary::stopping;
  const Duration lasts = leaves ? Duration{0} : time_held(job, pool, step.fleet);
  const Instant said = leaves ? status.since : policy::later(begin, lasts);
  if (said > step.now) return said;
  return policy::later(step.now, std::max<Duration>(step.now - said, kAskAgainAfter));
}

}  // namespace

Duration time_of_work(JobId job, PoolId pool, const FleetView& fleet) {
  const auto said = static_cast<double>(fleet.description(job).expected_work.count());
  const double lasts = said > 0 ? said * 1e6 / speed_of(job, pool, fleet) : 0;
  constexpr double longest = 9e18;  // of what a Duration holds; no speed at all: longer than that
  return lasts < longest ? Duration{static_cast<std::int64_t>(lasts)} : Duration::max();
}

bool LineForecast::note(JobId job, PoolId pool, Stand stand, const FleetView& fleet) {
  Place& place = places_[job];
  const bool was_there = place.stand != Stand::nowhere;
  if (!was_there && stand == Stand::nowhere) return false;
  const bool goes = was_there && place.pool != pool;
  const bool changed = was_there && (goes || place.stand != stand);
  if (was_there) {
    Line& left = line_of(place.pool);
    const bool waited = left.waiting.erase({place.since, job}) > 0;
    left.holding.erase(job);
    left.changes = std::max(left.changes, goes ? Changes::urgent : Changes::some);
    left.is_only_left = left.is_only_left && goes && waited;
    if (left.is_only_left) left.left.emplace_back(place.since, job);
  }
  const policy::JobStatus& status = fleet.status(job);
  const bool again = status.origin == policy::Origin::queue && place.since != Instant{};
  place = {.pool = pool, .stand = stand, .since = again ? place.since : status.requested_at};
  Line& line = line_of(pool);
  if (stand == Stand::waits) line.waiting.emplace(place.since, job);
  if (stand == Stand::holds) line.holding.insert(job);
  if (stand == Stand::holds) line.changes = std::max(line.changes, Changes::some);
  line.is_only_left = false;
  return changed;
}

std::uint32_t LineForecast::version(PoolId pool, const Step& step) {
  Line& line = line_of(pool);
  const bool is_urgent =
      line.changes == Changes::urgent || step.fleet.capacity(pool) != line.capacity;
  if (!is_urgent && next_version(pool) > step.now) return line.version;
  const bool is_same_but_for_them =
      line.is_only_left && line.made_at == step.now && step.fleet.capacity(pool) == line.capacity;
  is_same_but_for_them ? take_out(line) : make_anew(line, pool, step);
  return ++line.version;
}

std::optional<LineForecast::Waiter> LineForecast::same_before(PoolId pool,
                                                              std::uint32_t version) const {
  const Line& line = lines_[pool.index];
  if (version < line.made || version == line.version) return std::nullopt;
  const auto since = static_cast<std::ptrdiff_t>(version - line.made);
  return *std::min_element(line.taken.begin() + since, line.taken.end());
}

Instant LineForecast::next_version(PoolId pool) const {
  const Line& line = lines_[pool.index];
  const Instant soon = policy::later(line.made_at, every_);
  return line.changes == Changes::none ? std::max(line.good_until, soon) : soon;
}

Instant LineForecast::turn(JobId job, PoolId pool, const Step& step) {
  version(pool, step);
  Line& line = lines_[pool.index];
  const Seat* const seat = line.seats.find(job);
  const bool was_there = seat != nullptr && seat->forecast == line.made;
  const bool is_of_now = line.made_at == step.now;
  promise(line, was_there && is_of_now ? seat->index + std::size_t{1} : line.turns.size());
  if (was_there) return std::max(line.turns[seat->index].at, step.now);
  const auto known = line.came_since.find(job);
  if (known != line.came_since.end()) return std::max(known->second, step.now);
  line.timeline.advance(step.now);
  const std::int64_t instances = step.fleet.description(job).instances;
  const Duration lasts = time_held(job, pool, step.fleet);
  const Instant at = line.timeline.earliest(instances, lasts);
  const Place* const place = places_.find(job);
  if (place == nullptr || place->stand != Stand::waits || place->pool != pool) return at;
  line.timeline.take(instances, at, lasts);  // the last of the line from now on
  line.came_since.emplace(job, at);
  line.is_only_left = false;
  return at;
}

LineForecast::Line& LineForecast::line_of(PoolId pool) {
  if (pool.index >= lines_.size()) lines_.resize(std::size_t{pool.index} + 1);
  return lines_[pool.index];
}

void LineForecast::make_anew(Line& line, PoolId pool, const Step& step) {
  line.capacity = step.fleet.capacity(pool);
  line.made_at = step.now;
  line.good_until = never;
  line.changes = Changes::none;
  line.made = line.version + 1;
  line.is_only_left = true;
  line.left.clear();
  line.taken.clear();
  line.came_since.clear();
  std::int64_t free = line.capacity;
  for (const JobId job : line.holding) free -= step.fleet.description(job).instances;
  std::vector<Timeline::Gain> ends;
  for (const JobId job : line.holding) {
    ends.push_back({end_of(job, pool, step), step.fleet.description(job).instances});
  }
  std::sort(ends.begin(), ends.end());
  if (!ends.empty()) line.good_until = ends.front().from;
  line.timeline = Timeline{step.now, free, ends};
  line.turns.clear();
  line.promised = 0;
  for (const Waiter& who : line.waiting) {
    const JobId job = who.second;
    line.seats[job] = {line.made, static_cast<std::uint32_t>(line.turns.size())};
    line.turns.push_back({who, step.fleet.description(job).instances,
                          time_held(job, pool, step.fleet), policy::never});
  }
}

/// As if the forecast were made anew without those who left.
void LineForecast::take_out(Line& line) {
  for (const Waiter& who : line.left) {
    Seat& seat = line.seats[who.second];
    while (line.promised > seat.index) {
      const Turn& last = line.turns[--line.promised];
      if (!last.has_left) line.timeline.give_back(last.instances, last.at, last.lasts);
    }
    line.turns[seat.index].has_left = true;
    seat = {};
  }
  line.taken.push_back(*std::min_element(line.left.begin(), line.left.end()));
  line.left.clear();
  line.changes = Changes::none;
}

/// The first so many, of those who are there still.
void LineForecast::promise(Line& line, std::size_t count) {
  for (; line.promised < count; ++line.promised) {
    Turn& next = line.turns[line.promised];
    if (next.has_left) continue;
    next.at = line.timeline.earliest(next.instances, next.lasts);
    line.timeline.take(next.instances, next.at, next.lasts);
  }
}

}  // namespace reeve::policies
