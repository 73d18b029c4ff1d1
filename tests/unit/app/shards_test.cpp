// The shards of a sweep as a text, as schedulers take it and as containers read it.
#include "app/sweep/shards.hpp"

#include <gtest/gtest.h>

namespace reeve::app {
namespace shards_test {

TEST(Shards, ATextHasRunsOfThem) {
  SweepPlan plan;
  plan.cells.resize(20);
  plan.cells_per_shard = 2;
  const std::vector<std::size_t> shards = shards_of(plan, {0, 6, 7, 9, 10, 19});
  EXPECT_EQ(shards, (std::vector<std::size_t>{0, 3, 4, 5, 9}));
  EXPECT_EQ(shards_text(shards), "0,3-5,9");
  EXPECT_EQ(shards_text({}), "");
}

TEST(Shards, EachIsAtItsPlaceInTheText) {
  const std::vector<std::size_t> shards{0, 3, 4, 5, 9, 11, 12, 100};
  const std::string text = shards_text(shards);
  for (std::size_t place = 0; place < shards.size(); ++place) {
    EXPECT_EQ(shard_at(text, place), shards[place]);
  }
  EXPECT_EQ(shard_at(text, shards.size()), std::nullopt);
  EXPECT_EQ(shard_at("7", 0), 7U);
}

TEST(Shards, AnotherTextHasNone) {
  for (const char* text : {"", ",", "x", "1-", "-1", "3-2", "1,,2", "1;2", " 1"}) {
    EXPECT_EQ(shard_at(text, 1), std::nullopt) << text;
  }
  EXPECT_EQ(shard_at("18446744073709551616", 0), std::nullopt);
}

}  // namespace shards_test
}  // namespace reeve::app
