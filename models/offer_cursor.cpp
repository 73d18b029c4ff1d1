#include "models/offer_cursor.hpp"

#include <algorithm>

#include "host/check.hpp"
#include "sim/draws.hpp"

namespace reeve::models {
namespace {

/// No market turns more often: a law that is nearly always near 0 would fill a run with its turns.
constexpr Duration shortest_period = std::chrono::seconds{1};
constexpr std::uint32_t start_draw = ~std::uint32_t{0};
constexpr std::uint32_t regions_apart = 256;  ///< of the addresses of their shocks

/// The share of the time that a drawn market is up.
double up_share(const Synthesis& drawn) {
  const auto up = static_cast<double>(mean(drawn.up).count());
  const auto down = static_cast<double>(mean(drawn.down).count());
  return up / (up + down);
}

bool all_alike(const std::vector<Offer>& steps, std::uint32_t capacity) {
  return std::all_of(steps.begin(), steps.end(), [&](const Offer& step) {
    return std::min(step.instances, capacity) == std::min(steps.front().instances, capacity);
  });
}

}  // namespace

bool offers_change(const Pool& pool) {
  return pool.replay || pool.synthesis || !pool.windows.empty();
}

OfferCursor::OfferCursor(const World& world, std::uint32_t replication, policy::PoolId pool)
    : world_{&world}, replication_{replication}, id_{pool} {
  const Pool& machines = this->pool();
  source_.offered = machines.capacity;
  if (machines.replay) {
    begin_replay();
  } else if (machines.synthesis) {
    begin_drawn();
  }
  offered_ = in_window() ? source_.offered : 0;
  find_next();
}

void OfferCursor::advance() {
  REEVE_CHECK(next_at_ != Duration::max(), "an offer that never changes was asked for its next",
              id_.index, 0);
  now_ = next_at_;
  offered_ = next_offered_;
  find_next();
}

/// Walks over changes that the windows hide, or that lead back to what is offered.
void OfferCursor::find_next() {
  for (;;) {
    const Duration at = std::min(source_.next_at, window_edge());
    next_at_ = at;
    if (at == Duration::max()) return;
    if (source_.next_at == at) step_source();
    while (window_ < pool().windows.size() && closing(pool().windows[window_]) <= at) ++window_;
    now_ = at;
    next_offered_ = in_window() ? source_.offered : 0;
    if (next_offered_ != offered_) return;
    if (offered_ == 0 && !pool().windows.empty() && window_ == pool().windows.size()) {
      next_at_ = Duration::max();  // closed for good
      return;
    }
  }
}

bool OfferCursor::in_window() const {
  const std::vector<TimeSpan>& windows = pool().windows;
  if (windows.empty()) return true;
  return window_ < windows.size() && windows[window_].first <= now_;
}

/// When the pool next opens or closes.  After the last window there is nothing more to wait for.
Duration OfferCursor::window_edge() const {
  const std::vector<TimeSpan>& windows = pool().windows;
  if (window_ >= windows.size()) return Duration::max();
  const TimeSpan& window = windows[window_];
  return now_ < window.first ? window.first : closing(window);
}

/// Machines of a window that is shorter than that go as soon as they come.
Duration OfferCursor::closing(const TimeSpan& window) const {
  return std::max(window.first, window.second - pool().ends_early);
}

void OfferCursor::step_source() {
  source_.offered = source_.next_offered;
  if (pool().replay) {
    step_replay();
  } else {
    step_drawn();
  }
}

void OfferCursor::begin_replay() {
  const Replay& record = *pool().replay;
  if (record.steps.empty()) return;
  source_.offered = std::min(record.steps.front().instances, pool().capacity);
  look_ahead_in_replay();
}

void OfferCursor::step_replay() {
  const Replay& record = *pool().replay;
  ++step_;
  if (step_ == record.steps.size() && record.after_end == AfterEnd::repeat) {
    step_ = 0;
    record_from_ += record.length;
  }
  look_ahead_in_replay();
}

void OfferCursor::look_ahead_in_replay() {
  const Replay& record = *pool().replay;
  source_.next_at = Duration::max();
  if (step_ >= record.steps.size()) return;
  if (step_ + 1 < record.steps.size()) {
    source_.next_at = later(record_from_, record.steps[step_ + 1].at);
    source_.next_offered = std::min(record.steps[step_ + 1].instances, pool().capacity);
    return;
  }
  if (record.after_end == AfterEnd::hold || record.length == Duration::max()) return;
  const bool repeats = record.after_end == AfterEnd::repeat;
  if (repeats && all_alike(record.steps, pool().capacity)) return;
  source_.next_at = later(record_from_, record.length);
  source_.next_offered = repeats ? std::min(record.steps.front().instances, pool().capacity) : 0;
}

void OfferCursor::begin_drawn() {
  for (std::uint32_t region = 0; region < world_->shocks.size(); ++region) {
    const Shocks& shocks = world_->shocks[region];
    const auto place = std::find(shocks.pools.begin(), shocks.pools.end(), id_);
    if (place == shocks.pools.end() || shocks.hit <= 0 || shocks.per_hour <= 0) continue;
    shocks_ = &shocks;
    region_ = region;
    place_ = static_cast<std::size_t>(place - shocks.pools.begin());
    hit_below_ = shocks.hit < 1 ? sim::normal_quantile(shocks.hit) : 0;
    next_shock();
  }
  const double start = uniform_draw(sim::Cause::market_up, id_.index, start_draw);
  up_ = start <= up_share(*pool().synthesis);
  source_.offered = up_ ? pool().capacity : drawn_offer();
  look_ahead_drawn();
}

void OfferCursor::step_drawn() {
  now_ = source_.next_at;
  up_ ? ++ups_ : ++downs_;
  up_ = !up_;
  look_ahead_drawn();
}

/// The present period begins now.
void OfferCursor::look_ahead_drawn() {
  const Synthesis& drawn = *pool().synthesis;
  const sim::Cause cause = up_ ? sim::Cause::market_up : sim::Cause::market_down;
  const double uniform = uniform_draw(cause, id_.index, up_ ? ups_ : downs_);
  const Duration lasts = std::max(draw(up_ ? drawn.up : drawn.down, uniform), shortest_period);
  source_.next_at = later(now_, lasts);
  if (up_) source_.next_at = first_hit(now_, source_.next_at);
  source_.next_offered = up_ ? drawn_offer() : pool().capacity;
}

/// What the next period that is down (or the present one, if none was yet) offers.
std::uint32_t OfferCursor::drawn_offer() const {
  const std::uint32_t capacity = pool().capacity;
  const double all_lost = pool().synthesis->all_lost;
  if (capacity <= 1) return 0;
  const double uniform = uniform_draw(sim::Cause::market_lost, id_.index, downs_);
  if (uniform <= all_lost) return 0;
  const double rest = (uniform - all_lost) / (1 - all_lost);  // uniform again
  const auto left = static_cast<std::uint32_t>(rest * (capacity - 1));
  return std::min(left, capacity - 2) + 1;
}

/// Later times are not requested: losses are announced only shortly before they happen.
Duration OfferCursor::last_asked() const {
  if (world_->end == policy::never) return Duration::max();
  const Platform& platform = world_->platform;
  return later(later(world_->end - world_->start, platform.notice.lead),
               platform.unmanaged.rebalance.lead);
}

/// The first shock in between that hits the pool, else `before`.
Duration OfferCursor::first_hit(Duration after, Duration before) {
  if (shocks_ == nullptr) return before;
  const Duration end = last_asked();
  if (after > end) return before;
  while (shock_at_ <= after) next_shock();
  for (std::uint32_t missed = 0; missed < most_misses; ++missed) {
    if (shock_at_ >= before || shock_at_ > end) break;
    if (shock_hits()) return shock_at_;
    next_shock();
  }
  return before;
}

void OfferCursor::next_shock() {
  const double mean_gap = 3.6e12 / shocks_->per_hour;
  const double uniform = uniform_draw(sim::Cause::market_shock, region_ * regions_apart, ++shock_);
  shock_at_ =
      later(shock_at_, std::max(sim::nearest(sim::exponential(mean_gap, uniform)), Duration{1}));
}

bool OfferCursor::shock_hits() const {
  if (shocks_->hit >= 1) return true;
  const double* row = shocks_->factor.data() + place_ * (place_ + 1) / 2;
  double sum = 0;
  for (std::size_t zone = 0; zone <= place_; ++zone) {
    const auto entity = region_ * regions_apart + static_cast<std::uint32_t>(zone) + 1;
    const double uniform = uniform_draw(sim::Cause::market_shock, entity, shock_);
    sum += row[zone] * sim::normal_quantile(std::min(uniform, 1 - 0x1p-53));
  }
  return sum <= hit_below_;
}

double OfferCursor::uniform_draw(sim::Cause cause, std::uint32_t entity, std::uint32_t nth) const {
  return sim::uniform({world_->seed, replication_, cause, entity, nth});
}

}  // namespace reeve::models
