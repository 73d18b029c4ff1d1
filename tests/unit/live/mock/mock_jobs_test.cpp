// Training jobs of the mock account: which further attempts it creates, and from which checkpoint.
#include "live/mock/mock_jobs.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/unit/live/clean_up/removal_account.hpp"

namespace reeve::live {
namespace mock_jobs_test {

using nlohmann::json;

/// Notes the further attempts that it is asked for.
struct NotingFleet final : public EmptyFleet {
  struct Asked {
    std::string name;
    bool from_scratch = false;
  };

  Reply create(const TrainingJobState& request, bool from_scratch, std::uint16_t) override {
    asked.push_back({request.name, from_scratch});
    return host::ReplyKind::done;
  }

  std::vector<Asked> asked;
};

struct Account {
  NotingFleet fleet;
  MockJobs jobs{"123456789012", "us-east-1"};

  void submit(const std::string& name, std::vector<policy::Tag> tags = {}) {
    FleetEvent state;
    TrainingJobState job;
    job.name = name;
    job.instance_type = "ml.p4d.24xlarge";
    job.instances = 1;
    job.secondary = policy::Secondary::starting;
    job.tags = std::move(tags);
    state.detail = std::move(job);
    jobs.take(std::move(state));
  }
  /// The parameters of a clone of `from`.
  json clone(const std::string& from, const std::string& name, const std::string& first,
             int attempt) {
    json request =
        std::get<json>(jobs.answer("DescribeTrainingJob", {{"TrainingJobName", from}}, fleet));
    request["TrainingJobName"] = name;
    request["Tags"] = {{{"Key", "reeve:retry-of"}, {"Value", first}},
                       {{"Key", "reeve:attempt"}, {"Value", std::to_string(attempt)}}};
    return request;
  }
  MockAnswer create(const json& request) {
    return jobs.answer("CreateTrainingJob", request, fleet);
  }
  std::string error_of(const json& request) {
    const MockAnswer answer = create(request);
    const auto* error = std::get_if<MockError>(&answer);
    return error == nullptr ? std::string{} : error->code;
  }
};

std::vector<policy::Tag> further(const std::string& attempt) {
  return {{"reeve:retry-of", "train"}, {"reeve:attempt", attempt}};
}

TEST(MockJobs, ACloneOfAFurtherAttemptResumesFromItsCheckpoint) {
  Account account;
  account.submit("train");
  account.submit("train-r2", further("2"));  // by a person
  EXPECT_EQ(account.error_of(account.clone("train-r2", "train-r3", "train", 3)), "");
  json request = account.clone("train-r2", "train-r3", "train", 3);
  request["CheckpointConfig"]["S3Uri"] = "s3://reeve-mock/train/checkpoints/train-r3";
  EXPECT_EQ(account.error_of(request), "");
  account.submit("train-r3", further("3"));
  EXPECT_EQ(account.error_of(account.clone("train-r3", "train-r4", "train", 4)), "");
  ASSERT_EQ(account.fleet.asked.size(), 3U);
  EXPECT_FALSE(account.fleet.asked[0].from_scratch);
  EXPECT_TRUE(account.fleet.asked[1].from_scratch);
  EXPECT_FALSE(account.fleet.asked[2].from_scratch) << "the attempt before had that address";
}

TEST(MockJobs, AnAttemptThatIsThereKeepsItsName) {
  Account account;
  account.submit("train");
  account.submit("train-r2", further("2"));
  EXPECT_EQ(account.error_of(account.clone("train", "trainclone", "train", 2)), "ResourceInUse");
  ASSERT_EQ(account.fleet.asked.size(), 1U);
  EXPECT_EQ(account.fleet.asked[0].name, "train-r2");
}

TEST(MockJobs, AFurtherAttemptNamesTheFirstOneAndTakesNoOtherName) {
  Account account;
  account.submit("train");
  account.submit("trainclone", further("2"));
  account.submit("other");
  const json of_second = account.clone("trainclone", "traincloneclone", "trainclone", 2);
  EXPECT_EQ(account.error_of(of_second), "ValidationException");
  EXPECT_EQ(account.error_of(account.clone("trainclone", "other", "train", 3)), "ResourceInUse");
  EXPECT_EQ(account.error_of(account.clone("trainclone", "x", "train", 5)), "ValidationException");
  EXPECT_TRUE(account.fleet.asked.empty());
}

}  // namespace mock_jobs_test
}  // namespace reeve::live
