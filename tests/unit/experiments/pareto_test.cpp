#include "experiments/pareto.hpp"

#include <gtest/gtest.h>

#include <array>

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

}  // namespace pareto_test
}  // namespace reeve::experiments
