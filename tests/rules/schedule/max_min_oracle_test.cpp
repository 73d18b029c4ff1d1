// The solver's answer in random worlds against all corners of what is possible, one by one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <random>

#include "max_min_lp.hpp"
#include "tests/property/seeds.hpp"

namespace reeve::policies {
namespace max_min_oracle_test {

using Row = std::vector<double>;

struct World {
  std::vector<TimeClaim> claims;
  Row capacity;
};

World drawn_world(std::uint32_t seed, std::size_t jobs_at_most, std::size_t kinds_at_most) {
  std::mt19937 engine{seed};
  const auto draw = [&](std::size_t from, std::size_t to) {
    return from + engine() % (to - from + 1);
  };
  World world;
  const std::size_t kinds = draw(1, kinds_at_most);
  const std::size_t jobs = draw(1, jobs_at_most);
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    world.capacity.push_back(static_cast<double>(draw(1, 5)));
  }
  for (std::size_t job = 0; job < jobs; ++job) {
    TimeClaim claim{.weight = static_cast<double>(draw(1, 4)),
                    .instances = static_cast<double>(draw(1, 3))};
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      claim.speeds.push_back(static_cast<double>(draw(0, 6)) / 2);
    }
    world.claims.push_back(std::move(claim));
  }
  return world;
}

bool fits(const World& world, std::size_t job, std::size_t kind) {
  const TimeClaim& claim = world.claims[job];
  return claim.speeds[kind] > 0 && claim.instances <= world.capacity[kind];
}

/// How well all of its time there serves a job, as the paper has it.
double serves(const World& world, std::size_t job, std::size_t kind) {
  if (!fits(world, job, kind)) return 0;
  const TimeClaim& claim = world.claims[job];
  double usual = 0;
  for (std::size_t each = 0; each < world.capacity.size(); ++each) {
    if (fits(world, job, each)) usual += claim.speeds[each] * world.capacity[each];
  }
  usual /= std::accumulate(world.capacity.begin(), world.capacity.end(), 0.0);
  return claim.instances / claim.weight * claim.speeds[kind] / usual;
}

bool counts(const World& world, std::size_t job) {
  for (std::size_t kind = 0; kind < world.capacity.size(); ++kind) {
    if (fits(world, job, kind)) return true;
  }
  return false;
}

/// factors · x <= bound, of x = (least, fractions job by job).
struct Limits {
  std::vector<Row> factors;
  Row bounds;
};

Limits limits_of(const World& world) {
  const std::size_t kinds = world.capacity.size();
  const std::size_t size = 1 + world.claims.size() * kinds;
  Limits all;
  const auto add = [&](Row row, double bound) {
    all.factors.push_back(std::move(row));
    all.bounds.push_back(bound);
  };
  for (std::size_t job = 0; job < world.claims.size(); ++job) {
    Row served(size, 0);
    Row time(size, 0);
    served[0] = 1;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const std::size_t at = 1 + job * kinds + kind;
      served[at] = -serves(world, job, kind);
      time[at] = 1;
      Row positive(size, 0);
      positive[at] = -1;
      add(positive, 0);
      if (fits(world, job, kind)) continue;
      positive[at] = 1;
      add(positive, 0);
    }
    if (counts(world, job)) add(served, 0);
    add(time, 1);
  }
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    Row used(size, 0);
    for (std::size_t job = 0; job < world.claims.size(); ++job) {
      used[1 + job * kinds + kind] = world.claims[job].instances;
    }
    add(used, world.capacity[kind]);
  }
  return all;
}

/// Where those limits meet, if in one point: elimination with pivoting.
std::optional<Row> meeting_point(const Limits& of, const std::vector<std::size_t>& chosen) {
  const std::size_t size = chosen.size();
  std::vector<Row> rows;
  for (const std::size_t each : chosen) {
    rows.push_back(of.factors[each]);
    rows.back().push_back(of.bounds[each]);
  }
  for (std::size_t step = 0; step < size; ++step) {
    std::size_t pivot = step;
    for (std::size_t row = step; row < size; ++row) {
      if (std::abs(rows[row][step]) > std::abs(rows[pivot][step])) pivot = row;
    }
    if (std::abs(rows[pivot][step]) < 1e-9) return std::nullopt;
    std::swap(rows[pivot], rows[step]);
    for (std::size_t row = 0; row < size; ++row) {
      const double factor = row == step ? 0 : rows[row][step] / rows[step][step];
      if (factor == 0) continue;
      for (std::size_t at = step; at <= size; ++at) rows[row][at] -= factor * rows[step][at];
    }
  }
  Row point;
  for (std::size_t at = 0; at < size; ++at) point.push_back(rows[at][size] / rows[at][at]);
  return point;
}

bool keeps(const Limits& limits, const Row& point) {
  for (std::size_t row = 0; row < limits.factors.size(); ++row) {
    const double value =
        std::inner_product(point.begin(), point.end(), limits.factors[row].begin(), 0.0);
    if (value > limits.bounds[row] + 1e-7) return false;
  }
  return true;
}

double total(const World& world, const Row& point) {
  double all = 0;
  const std::size_t kinds = world.capacity.size();
  for (std::size_t at = 1; at < point.size(); ++at) {
    all += point[at] * serves(world, (at - 1) / kinds, (at - 1) % kinds);
  }
  return all;
}

/// Every corner: each choice of as many limits as there are unknowns.
std::vector<Row> corners(const Limits& limits) {
  const std::size_t size = limits.factors.front().size();
  std::vector<Row> all;
  std::vector<char> is_chosen(limits.factors.size(), 0);
  std::fill(is_chosen.begin(), is_chosen.begin() + static_cast<std::ptrdiff_t>(size), 1);
  do {
    std::vector<std::size_t> chosen;
    for (std::size_t row = 0; row < is_chosen.size(); ++row) {
      if (is_chosen[row] != 0) chosen.push_back(row);
    }
    const auto point = meeting_point(limits, chosen);
    if (point && keeps(limits, *point)) all.push_back(*point);
  } while (std::prev_permutation(is_chosen.begin(), is_chosen.end()));
  return all;
}

Row point_of(const TimeShares& shares) {
  Row point{shares.least};
  for (const Row& job : shares.fractions) point.insert(point.end(), job.begin(), job.end());
  return point;
}

TEST(MaxMinOracle, NoCornerIsBetterForTheWorstServedNorThenForAllTogether) {
  const std::vector<std::uint32_t> seeds = tests::seeds(150);
  std::size_t compared = 0;
  for (const std::uint32_t seed : seeds) {
    SCOPED_TRACE(seed);
    const World world = drawn_world(seed, 3, 2);
    bool all_count = true;
    for (std::size_t job = 0; job < world.claims.size(); ++job) {
      all_count = all_count && counts(world, job);
    }
    if (!all_count) continue;  // `least` has no bound if no user counts
    ++compared;
    const Limits limits = limits_of(world);
    const std::vector<Row> all = corners(limits);
    double least = 0;
    for (const Row& corner : all) least = std::max(least, corner[0]);
    double most = 0;
    for (const Row& corner : all) {
      if (corner[0] > least - 1e-7) most = std::max(most, total(world, corner));
    }
    const Row answer = point_of(max_min_time(world.claims, world.capacity));
    EXPECT_TRUE(keeps(limits, answer));
    EXPECT_NEAR(answer[0], least, 1e-6);
    EXPECT_NEAR(total(world, answer), most, 1e-5);
  }
  EXPECT_GT(compared, seeds.size() / 2);
}

TEST(MaxMinOracle, LargeAnswersArePossibleAndServeEverybodyAtLeastAsWellAsTheySay) {
  const std::vector<std::uint32_t> seeds = tests::seeds(60);
  for (const std::uint32_t seed : seeds) {
    SCOPED_TRACE(seed);
    const World world = drawn_world(seed, 150, 8);
    EXPECT_TRUE(keeps(limits_of(world), point_of(max_min_time(world.claims, world.capacity))));
  }
}

}  // namespace max_min_oracle_test
}  // namespace reeve::policies
