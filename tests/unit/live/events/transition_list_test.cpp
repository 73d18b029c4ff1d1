#include "live/events/transition_list.hpp"

#include <gtest/gtest.h>

#include <string>

namespace reeve::live {
namespace {

StatusTransition entered(const std::string& word) {
  StatusTransition transition;
  transition.word = word;
  return transition;
}

std::string words(const TransitionList& list) {
  std::string all;
  for (const StatusTransition& transition : list) all += transition.word + ' ';
  return all;
}

TEST(TransitionList, ACopyKeepsWhatItHasWhenTheOtherGrows) {
  TransitionList list;
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(words(list), "");
  list.push_back(entered("Starting"));
  const TransitionList before = list;
  list.push_back(entered("Training"));
  EXPECT_EQ(words(before), "Starting ");
  EXPECT_EQ(words(list), "Starting Training ");
  EXPECT_EQ(words(list.first(1)), "Starting ");
  EXPECT_EQ(words(list.first(0)), "");
  EXPECT_EQ(list.back().word, "Training");
}

TEST(TransitionList, CopiesThatGrowApartStayApart) {
  TransitionList list{entered("Starting")};
  TransitionList other = list;
  list.push_back(entered("Training"));
  other.push_back(entered("Stopping"));
  TransitionList earlier = list.first(1);
  earlier.push_back(entered("Failed"));
  EXPECT_EQ(words(list), "Starting Training ");
  EXPECT_EQ(words(other), "Starting Stopping ");
  EXPECT_EQ(words(earlier), "Starting Failed ");
}

TEST(TransitionList, StatesOfOneJobShareTheirElements) {
  TransitionList list{entered("Starting")};
  const TransitionList before = list;
  EXPECT_EQ(&before[0], &list[0]);
}

}  // namespace
}  // namespace reeve::live
