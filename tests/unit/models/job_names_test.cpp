#include "models/job_names.hpp"

#include <gmock/gmock.h>

namespace reeve::models {
namespace job_names_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(JobNames, AreAListInTheOrderOfTheJobs) {
  JobNames names;
  EXPECT_THAT(names, IsEmpty());
  names.push_back("first");
  names.push_back("second");
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(names[1], "second");
  EXPECT_THAT(names, ElementsAre("first", "second"));
}

TEST(JobNames, OfACopyCostNoStringsUntilItIsChanged) {
  const JobNames written{"a", "b"};
  JobNames copy = written;
  EXPECT_EQ(&copy[0], &written[0]);
  copy.push_back("c");
  EXPECT_NE(&copy[0], &written[0]);
  EXPECT_THAT(copy, ElementsAre("a", "b", "c"));
  EXPECT_THAT(written, ElementsAre("a", "b"));
}

TEST(JobNames, OfACopyStayWhenTheOriginalIsChanged) {
  JobNames original{"a"};
  const JobNames copy = original;
  original.push_back("b");
  EXPECT_THAT(copy, ElementsAre("a"));
  EXPECT_THAT(original, ElementsAre("a", "b"));
}

}  // namespace job_names_test
}  // namespace reeve::models
