// Slots are used again, so that what has been told takes no room.
#include "models/slab.hpp"

#include <gtest/gtest.h>

#include <string>

namespace reeve::models {
namespace slab_test {

TEST(Slab, GivesBackWhatWasPutAndUsesItsSlotsAgain) {
  Slab<std::string> slab;
  const auto one = slab.put("one");
  const auto two = slab.put("two");
  EXPECT_EQ(slab.take(one), "one");
  const auto three = slab.put("three");
  EXPECT_EQ(slab.take(two), "two");
  EXPECT_EQ(slab.take(three), "three");
  for (int round = 0; round < 1000; ++round) slab.take(slab.put("again"));
  EXPECT_EQ(slab.slots(), 2u);
}

}  // namespace slab_test
}  // namespace reeve::models
