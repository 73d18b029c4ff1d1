// The job that gets the instances of each preempted job.
#include "for_whom.hpp"

#include <gtest/gtest.h>

namespace reeve::policies {
namespace for_whom_test {

constexpr policy::JobId kNobody{99};

TEST(ForWhom, WhomTheFreeOnesAreEnoughForNeedsNobody) {
  ForWhom gains{1};
  gains.comes({0}, 1);
  gains.comes({1}, 4);
  EXPECT_EQ(gains.leaves(4, kNobody), policy::JobId{1});
}

TEST(ForWhom, EachLeavesForTheFirstWhoIsShort) {
  ForWhom gains{1};
  gains.comes({0}, 3);
  gains.comes({1}, 2);
  EXPECT_EQ(gains.leaves(1, kNobody), policy::JobId{0});
  EXPECT_EQ(gains.leaves(2, kNobody), policy::JobId{0}) << "1 that is free and 1 are not 3";
  EXPECT_EQ(gains.leaves(1, kNobody), policy::JobId{1}) << "which has 1 that the first leaves over";
  EXPECT_EQ(gains.leaves(1, kNobody), policy::JobId{1}) << "the last of those who are short";
}

TEST(ForWhom, WhatComesAnywayIsForTheFirst) {
  ForWhom gains{0, 4};
  gains.comes({0}, 4);
  gains.comes({1}, 2);
  EXPECT_EQ(gains.leaves(2, kNobody), policy::JobId{1});
}

TEST(ForWhom, WhereNobodyIsShortItIsWhomTheCallerSays) {
  ForWhom gains{2};
  gains.comes({0}, 2);
  EXPECT_EQ(gains.leaves(2, kNobody), kNobody);
}

}  // namespace for_whom_test
}  // namespace reeve::policies
