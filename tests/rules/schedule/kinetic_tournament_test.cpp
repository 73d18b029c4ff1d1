// The greatest of many values that grow, against a sort of all of them.
#include "policies/scheduling/queues/kinetic_tournament.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

#include "tests/rules/schedule/seeded_numbers.hpp"

namespace reeve::policies {
namespace kinetic_tournament_test {

struct Growing {
  std::int64_t offset = 0;
  std::int64_t pace = 1;
  std::uint32_t number = 0;
  friend bool operator<(const Growing& a, const Growing& b) { return a.number < b.number; }
};

using Tournament = KineticTournament<Growing>;

std::vector<std::uint32_t> sorted(const std::map<Tournament::Slot, Growing>& all,
                                  std::int64_t now) {
  std::vector<Growing> members;
  for (const auto& each : all) members.push_back(each.second);
  std::sort(members.begin(), members.end(), [&](const Growing& a, const Growing& b) {
    const std::int64_t of_a = (now + a.offset) * b.pace;
    const std::int64_t of_b = (now + b.offset) * a.pace;
    return of_a != of_b ? of_a > of_b : a < b;
  });
  std::vector<std::uint32_t> numbers;
  for (const Growing& each : members) numbers.push_back(each.number);
  return numbers;
}

std::vector<std::uint32_t> walked(const Tournament& tournament) {
  std::vector<std::uint32_t> numbers;
  for (Tournament::Walk walk{tournament}; walk.front() != nullptr; walk.pop()) {
    numbers.push_back(walk.front()->number);
  }
  return numbers;
}

TEST(KineticTournament, WalksInTheOrderOfTheTime) {
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    SeededNumbers number{seed};
    Tournament tournament;
    std::map<Tournament::Slot, Growing> all;
    std::int64_t now = 0;
    tournament.advance(now);
    const std::int64_t range = number(1, 60);  // a small one has many ties
    for (std::uint32_t step = 0; step < 120; ++step) {
      const std::int64_t kind = number(0, 4);
      if (kind <= 1) {
        const Growing member{number(-range, range) - now, number(1, range), step};
        all.emplace(tournament.insert(member), member);
      } else if (kind == 2 && !all.empty()) {
        auto member = all.begin();
        std::advance(member, number(0, static_cast<std::int64_t>(all.size()) - 1));
        tournament.erase(member->first);
        all.erase(member);
      } else {
        now += number(0, range);
        tournament.advance(now);
      }
      ASSERT_EQ(tournament.size(), all.size());
      ASSERT_EQ(walked(tournament), sorted(all, now)) << "seed " << seed << ", step " << step;
    }
  }
}

TEST(KineticTournament, TimeMayGoBack) {
  Tournament tournament;
  tournament.insert({100, 10, 2});
  tournament.insert({0, 1, 3});
  tournament.advance(1000);
  EXPECT_EQ(walked(tournament), (std::vector<std::uint32_t>{3, 2}));
  tournament.advance(5);
  EXPECT_EQ(walked(tournament), (std::vector<std::uint32_t>{2, 3}));
  tournament.advance(1000);
  EXPECT_EQ(walked(tournament), (std::vector<std::uint32_t>{3, 2}));
}

TEST(KineticTournament, IsExactForLargeNumbers) {
  Tournament tournament;
  const std::int64_t year = std::int64_t{365} * 86400 * 1'000'000'000;
  tournament.insert({-50 * year, 3'000'000'001, 1});
  tournament.insert({-50 * year + 1, 3'000'000'002, 2});
  tournament.advance(50 * year);
  EXPECT_EQ(walked(tournament), (std::vector<std::uint32_t>{2, 1}));
  tournament.advance(50 * year + 3'000'000'000);
  EXPECT_EQ(walked(tournament), (std::vector<std::uint32_t>{2, 1}));
  tournament.advance(50 * year + 3'000'000'001);
  EXPECT_EQ(walked(tournament), (std::vector<std::uint32_t>{1, 2})) << "a tie";
}

}  // namespace kinetic_tournament_test
}  // namespace reeve::policies
