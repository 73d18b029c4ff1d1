// Free machines ahead: against a plain list of instants, in random orders of calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "policies/scheduling/orders/timeline.hpp"
#include "tests/property/seeds.hpp"
#include "tests/rules/schedule/seeded_numbers.hpp"

namespace reeve::policies {
namespace timeline_oracle_test {

using namespace policy;

/// One instant after the other.
class PlainTimeline {
 public:
  PlainTimeline(Instant now, std::int64_t free) : free_from_{{now, free}} {}

  void advance(Instant now) {
    const std::int64_t free = std::prev(free_from_.upper_bound(now))->second;
    free_from_.erase(free_from_.begin(), free_from_.upper_bound(now));
    free_from_[now] = free;
  }
  void change(Instant from, Instant until, std::int64_t instances) {
    for (const Instant cut : {from, until}) {
      if (cut != never) free_from_.emplace(cut, std::prev(free_from_.upper_bound(cut))->second);
    }
    for (auto& [at, free] : free_from_) {
      if (at >= from && at < until) free += instances;
    }
  }
  Instant earliest(std::int64_t instances, Duration lasts) const {
    for (const auto& [begin, unused] : free_from_) {
      bool fits = true;
      for (auto part = free_from_.find(begin); part != free_from_.end(); ++part) {
        if (part->first >= later(begin, lasts) && part->first != begin) break;
        fits = fits && part->second >= instances;
      }
      if (fits) return begin;
    }
    return never;
  }

 private:
  std::map<Instant, std::int64_t> free_from_;
};

struct Taken {
  std::int64_t instances = 0;
  Instant at;
  Duration lasts{0};
};

TEST(Timeline, SaysWhatAPlainListSays) {
  const std::vector<std::uint32_t> seeds = tests::seeds(200);
  std::size_t later_than_now = 0;
  for (const std::uint32_t seed : seeds) {
    SeededNumbers number{seed};
    const std::int64_t machines = number(1, 20);
    Instant now{std::chrono::seconds{1000}};
    PlainTimeline plain{now, machines};
    std::vector<Timeline::Gain> gains;
    for (std::int64_t left = number(0, 30); left > 0; --left) {
      const bool is_lost = number(0, 20) == 0;
      gains.push_back({is_lost ? never : now + std::chrono::seconds{number(0, 200)}, number(1, 3)});
      plain.change(gains.back().from, never, gains.back().instances);
    }
    std::sort(gains.begin(), gains.end());
    Timeline mine{now, machines, gains};
    std::optional<Taken> newest;
    for (int call = 0; call < 200; ++call) {
      switch (number(0, 5)) {
        case 0:
          now += std::chrono::seconds{number(0, 20)};
          mine.advance(now);
          plain.advance(now);
          newest.reset();
          break;
        case 1:
          if (!newest) break;
          mine.give_back(newest->instances, newest->at, newest->lasts);
          plain.change(newest->at, later(newest->at, newest->lasts), newest->instances);
          newest.reset();
          break;
        default: {
          const std::int64_t instances = number(1, machines);
          const Duration lasts =
              number(0, 30) == 0 ? Duration::max() : Duration{std::chrono::seconds{number(0, 40)}};
          const Instant at = mine.earliest(instances, lasts);
          ASSERT_EQ(at, plain.earliest(instances, lasts)) << "seed " << seed << " call " << call;
          if (at == never || lasts == Duration::max()) break;
          later_than_now += at > now ? 1U : 0U;
          mine.take(instances, at, lasts);
          plain.change(at, later(at, lasts), -instances);
          newest = {instances, at, lasts};
          break;
        }
      }
    }
  }
  EXPECT_GT(later_than_now, 25 * seeds.size());
}

}  // namespace timeline_oracle_test
}  // namespace reeve::policies
