// No two attempts of a world are called the same.
#include "models/attempt_names.hpp"

#include <gtest/gtest.h>

#include <reeve/policy/training_job_name.hpp>
#include <set>
#include <string>

#include "fleet_rig.hpp"

namespace reeve::models {
namespace attempt_names_test {

Jobs jobs_called(std::initializer_list<std::string> names, std::uint32_t drawn = 0) {
  Jobs jobs;
  jobs.names = names;
  jobs.specs.resize(names.size() + drawn);
  return jobs;
}

TEST(AttemptNames, AreNumberedBehindTheFirst) {
  const Jobs jobs = jobs_called({"train", "eval"});
  const AttemptNames names{jobs};
  EXPECT_EQ(names.numbered({0}, 1), "train");
  EXPECT_EQ(names.numbered({0}, 2), "train-r2");
  EXPECT_EQ(names.numbered({1}, 3), "eval-r3");
}

TEST(AttemptNames, ANumberThatIsAnotherJobsIsLeftOut) {
  const Jobs jobs = jobs_called({"train", "train-r2", "train-r4"});
  const AttemptNames names{jobs};
  EXPECT_EQ(names.numbered({0}, 2), "train-r3");
  EXPECT_EQ(names.numbered({0}, 3), "train-r5");
  EXPECT_EQ(names.numbered({0}, 4), "train-r6");
  EXPECT_EQ(names.numbered({1}, 1), "train-r2") << "a job is called as it is";
  EXPECT_EQ(names.numbered({1}, 2), "train-r2-r2") << "it is no attempt at train";
}

TEST(AttemptNames, DrawnJobsHaveNamesToo) {
  Jobs jobs = jobs_called({"train"}, 3);  // and train-r1, train-r2, train-r3
  jobs.drawn_prefix = "train-r";
  const AttemptNames names{jobs};
  EXPECT_EQ(names.job("train-r3"), policy::JobId{3});
  for (const char* nobody : {"train-r", "train-r0", "train-r4", "train-r03", "train-r3x"}) {
    EXPECT_FALSE(names.job(nobody)) << nobody;
  }
  EXPECT_EQ(names.numbered({0}, 2), "train-r4");
  EXPECT_EQ(names.numbered({1}, 2), "train-r1-r2");
}

TEST(AttemptNames, NoTwoAreTheSame) {
  Jobs jobs = jobs_called({"a", "a-r2", "a-r2-r2", "a-r3", "b-", "b", "b-r10", std::string(60, 'x'),
                           std::string(59, 'x'), std::string(62, 'x')},
                          30);
  jobs.drawn_prefix = "b-r1";
  const AttemptNames names{jobs};
  std::set<std::string> seen;
  for (std::uint32_t job = 0; job < jobs.specs.size(); ++job) {
    for (policy::AttemptNumber attempt = 1; attempt <= 40; ++attempt) {
      EXPECT_TRUE(seen.insert(names.numbered({job}, attempt)).second)
          << names.numbered({job}, attempt);
    }
  }
}

TEST(AttemptNames, OfTwoJobsWithOneNameForTheirAttemptsOneIsCalledByAHash) {
  const Jobs jobs = jobs_called({"train-", "train", "eval--", "eval-", "lone-", "---", "--"});
  const AttemptNames names{jobs};
  EXPECT_EQ(names.numbered({1}, 2), "train-r2") << "it has nothing that it could lose";
  EXPECT_EQ(names.numbered({0}, 2), "train-" + policy::short_hash("train-") + "-r2");
  EXPECT_EQ(names.numbered({0}, 3), "train-" + policy::short_hash("train-") + "-r3");
  EXPECT_EQ(names.numbered({2}, 2), "eval-r2") << "it was first";
  EXPECT_EQ(names.numbered({3}, 2), "eval-" + policy::short_hash("eval-") + "-r2");
  EXPECT_EQ(names.numbered({4}, 2), "lone-r2") << "no other job has this name";
  EXPECT_NE(names.numbered({5}, 2), names.numbered({6}, 2));
}

TEST(AttemptNames, AHashThatIsAnotherJobsNameIsNotTaken) {
  const std::string hashed = "train-" + policy::short_hash("train-");
  const Jobs jobs = jobs_called({"train", "train-", hashed});
  const AttemptNames names{jobs};
  EXPECT_EQ(names.numbered({2}, 2), hashed + "-r2");
  EXPECT_EQ(names.numbered({1}, 2), "train-" + policy::short_hash("train--") + "-r2");
}

TEST(AttemptNames, AShortenedNameMayBeAnotherJobs) {
  const std::string whole(63, 'x');
  const std::string shortened = std::string(47, 'x') + "-" + policy::short_hash(whole);
  const Jobs jobs = jobs_called({whole, shortened});
  const AttemptNames names{jobs};
  EXPECT_EQ(names.numbered({1}, 2), shortened + "-r2");
  EXPECT_NE(names.numbered({0}, 2), shortened + "-r2");
  EXPECT_LE(names.numbered({0}, 65535).size(), policy::training_job_name_max);
}

TEST(AttemptNames, OfManyNumbersThatAreTakenEachIsLeftOutOnce) {
  Jobs jobs = jobs_called({"train"}, 60'000);  // and train-r1, ... train-r60000
  jobs.drawn_prefix = "train-r";
  const AttemptNames names{jobs};
  for (policy::AttemptNumber attempt = 2; attempt <= 5000; ++attempt) {
    ASSERT_EQ(names.numbered({0}, attempt), "train-r" + std::to_string(59'999 + attempt));
  }
}

/// Behind a name of 59 characters there is room for numbers of two digits, and a hash for more.
TEST(AttemptNames, NumbersThatNeedAShorterNameAreLeftOutToo) {
  const std::string name(59, 'x');
  const std::string shortened = std::string(47, 'x') + "-" + policy::short_hash(name);
  const Jobs jobs = jobs_called({name, name + "-r2", name + "-r99", shortened + "-r100"});
  const AttemptNames names{jobs};
  EXPECT_EQ(names.numbered({0}, 2), name + "-r3");
  EXPECT_EQ(names.numbered({0}, 97), name + "-r98");
  EXPECT_EQ(names.numbered({0}, 98), shortened + "-r101");
}

/// F52: of two that would be called the same SageMaker takes one, whoever asks first.
TEST(AttemptNames, AClonesNameIsTakenOnce) {
  FleetRig rig;
  rig.fault(FaultKind::failure, 60s);
  const auto train = rig.job(1h);
  const auto clone = rig.job(1h);
  rig.world.jobs.names = {"train", "trainclone"};
  policy::CloneJob again{.job = train, .attempt = 2};
  again.naming = policy::CloneNaming::appended;
  rig.call(10min, again);
  policy::CloneJob other{.job = clone, .attempt = 2};
  other.naming = policy::CloneNaming::appended;
  rig.call(11min, other);  // "traincloneclone"
  const Record& record = rig.run(3h);
  EXPECT_EQ(record.job_rows[train.index].attempts, 1U) << "trainclone is a job's";
  EXPECT_EQ(record.job_rows[clone.index].attempts, 2U);
}

/// The third attempt at one job would be called as the second at the other is.
TEST(AttemptNames, ACloneIsNotCalledAsAnotherClone) {
  FleetRig rig;
  rig.fault(FaultKind::failure, 60s);
  rig.profile().faults.front().recovers_on_restart = false;
  const auto train = rig.job(1h);
  const auto clone = rig.job(1h);
  rig.world.jobs.names = {"train", "trainclone"};
  policy::CloneJob numbered{.job = train, .attempt = 2};
  rig.call(10min, numbered);
  policy::CloneJob other{.job = clone, .attempt = 2};
  other.naming = policy::CloneNaming::appended;
  rig.call(11min, other);
  policy::CloneJob third{.job = train, .attempt = 3};
  third.naming = policy::CloneNaming::appended;
  rig.call(1h, third);  // "traincloneclone" as well
  const Record& record = rig.run(3h);
  EXPECT_EQ(record.job_rows[clone.index].attempts, 2U);
  EXPECT_EQ(record.job_rows[train.index].attempts, 2U);
}

}  // namespace attempt_names_test
}  // namespace reeve::models
