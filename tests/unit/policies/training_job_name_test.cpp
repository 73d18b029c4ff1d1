// Which names SageMaker takes, and what further attempts are called.
#include <gtest/gtest.h>

#include <reeve/policy/training_job_name.hpp>

namespace reeve::policy {
namespace training_job_name_test {

TEST(TrainingJobName, HasLettersDigitsAndHyphensBetweenThem) {
  for (const char* name : {"a", "A-1", "a--b", "0"})
    EXPECT_TRUE(is_training_job_name(name)) << name;
  for (const char* name : {"", "-a", "a-", "a_b", "a b", "ä"}) {
    EXPECT_FALSE(is_training_job_name(name)) << name;
  }
  EXPECT_TRUE(is_training_job_name(std::string(63, 'a')));
  EXPECT_FALSE(is_training_job_name(std::string(64, 'a')));
}

TEST(TrainingJobName, OfACloneIsThatOfTheFirstAttemptWithANumber) {
  EXPECT_EQ(clone_name("train", 2), "train-r2");
  EXPECT_EQ(clone_name("train-r2", 2), "train-r2-r2") << "it is no attempt at train";
  EXPECT_EQ(clone_name("train-rx", 2), "train-rx-r2");
  EXPECT_EQ(clone_name("17", 2), "17-r2");
}

TEST(TrainingJobName, OfACloneIsAlwaysOne) {
  for (std::size_t size = 1; size <= 63; ++size) {
    std::string name(size, 'a');
    if (size > 20) name.replace(size - 10, 8, "--------");
    for (const AttemptNumber attempt :
         {AttemptNumber{2}, AttemptNumber{100}, AttemptNumber{65535}}) {
      EXPECT_TRUE(is_training_job_name(clone_name(name, attempt))) << clone_name(name, attempt);
    }
  }
  EXPECT_EQ(clone_name(std::string(60, 'a'), 2), std::string(60, 'a') + "-r2") << "it fits";
}

/// F52: two sweeps of which only the end of the name differs.
TEST(TrainingJobName, ClonesOfNamesThatBeginAlikeDoNotMeet) {
  const std::string base(60, 'a');
  const std::string one = clone_name(base + "-01", 2);
  const std::string other = clone_name(base + "-02", 2);
  EXPECT_NE(one, other);
  EXPECT_TRUE(one.starts_with(std::string(47, 'a') + "-")) << one;
  EXPECT_EQ(one.size(), 47u + 1 + 8 + 3);
}

/// F52: a base of 50 characters has room for two.
TEST(TrainingJobName, AppendedOverrunsAfterTwoClones) {
  const std::string base(50, 'a');
  EXPECT_EQ(appended_name(base, 2).size(), 55u);
  EXPECT_TRUE(is_training_job_name(appended_name(base, 3)));
  EXPECT_EQ(appended_name(base, 4).size(), 65u);
  EXPECT_FALSE(is_training_job_name(appended_name(base, 4)));
}

TEST(TrainingJobName, IsNotFoundInTheNameOfAnAlarmIfItHoldsTheSuffix) {
  EXPECT_EQ(job_in_alarm_name("train"), "train");
  EXPECT_EQ(job_in_alarm_name("x-GPUUtil-y"), "x--y");
}

}  // namespace training_job_name_test
}  // namespace reeve::policy
