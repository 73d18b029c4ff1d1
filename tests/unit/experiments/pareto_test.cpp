#include "experiments/pareto.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sim/draws.hpp"

namespace reeve::experiments {
namespace pareto_test {

// F62: on demand, with a fallback, on Spot: each is cheaper than the one before and later.
TEST(Pareto, CheaperAndLaterIsAChoice) {
  const std::array choices{CostAndTime{302.50, 605}, CostAndTime{236.50, 755},
                           CostAndTime{131.25, 965}};
  EXPECT_EQ(on_front(choices), (std::vector{true, true, true}));
}

// F61: a fallback that forgets its checkpoints is dearer and later than on demand.
TEST(Pareto, DearerAndLaterIsNone) {
  const std::array choices{CostAndTime{302.50, 605}, CostAndTime{356.50, 995},
                           CostAndTime{131.25, 965}};
  EXPECT_EQ(on_front(choices), (std::vector{true, false, true}));
}

TEST(Pareto, EqualsStandTogetherAndOneBetterValueIsEnoughToBeat) {
  const std::array equal{CostAndTime{1, 2}, CostAndTime{1, 2}};
  EXPECT_EQ(on_front(equal), (std::vector{true, true}));
  const std::array beaten{CostAndTime{1, 2}, CostAndTime{1, 3}, CostAndTime{2, 2}};
  EXPECT_EQ(on_front(beaten), (std::vector{true, false, false}));
}

TEST(Pareto, ItIsThoseThatNoOtherBeatsWhateverTies) {
  for (std::uint64_t world = 0; world < 300; ++world) {
    std::vector<CostAndTime> choices;
    for (std::uint32_t i = 0; i < 1 + world % 12; ++i) {
      const auto draw = [&](std::uint32_t of) {  // few values: many are equal
        return std::floor(5 * sim::uniform({world, 0, sim::Cause::scenario_fuzz, of, i}));
      };
      choices.push_back({draw(0), draw(1)});
    }
    const std::vector<bool> front = on_front(choices);
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const bool beaten = std::any_of(choices.begin(), choices.end(), [&](const CostAndTime& of) {
        return of.cost <= choices[i].cost && of.time <= choices[i].time &&
               (of.cost < choices[i].cost || of.time < choices[i].time);
      });
      EXPECT_EQ(front[i], !beaten) << "world " << world << ", choice " << i;
    }
  }
}

}  // namespace pareto_test
}  // namespace reeve::experiments
