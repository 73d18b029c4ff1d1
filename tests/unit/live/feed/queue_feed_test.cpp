// The queue as a feed: messages between the pages of a listing, and times without any.
#include "live/feed/queue_feed.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "live/aws/credentials.hpp"
#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace queue_feed_test {

using namespace std::chrono_literals;
using nlohmann::json;
using policy::Instant;

policy::InstanceType unpriced(std::string_view name) {
  return {std::string{name}, 0, {}};
}

std::string event_of(const std::string& job, Instant at) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(at.time_since_epoch()).count();
  return json{{"id", job},
              {"source", "aws.sagemaker"},
              {"detail-type", "SageMaker Training Job State Change"},
              {"account", "111122223333"},
              {"region", "us-east-1"},
              {"detail",
               {{"TrainingJobName", job},
                {"TrainingJobStatus", "InProgress"},
                {"SecondaryStatus", "Starting"},
                {"LastModifiedTime", ms},
                {"CreationTime", ms},
                {"ResourceConfig", {{"InstanceType", "ml.x"}, {"InstanceCount", 1}}},
                {"Tags", json::object()}}}}
      .dump();
}

/// An account with one message per second and a listing of many pages.
struct QueueFeedTest : testing::Test {
  Scripted script;
  FixedCredentials key{{{"KEY", Secret{std::string{"s"}}, {}}, {}, "test"}};
  Client client{script.surroundings(), key, {"us-east-1", 1}};
  policy::Directory directory;
  Roster roster{directory, "", "", unpriced};
  Instant begin = script.clock.time;
  Instant refused_from = policy::never;
  Instant refused_until = policy::never;
  bool queue_fails = false;
  Instant untrusted_until = Instant::min();  ///< of descriptions
  int unknown = 0;                           // jobs of the first page
  int looked_up = 0;
  int pages = 0;
  int messages = 0;
  std::vector<int> pages_at_message;
  std::vector<int> look_ups_at_message;

  json answer(const std::string& operation, const json& asked) {
    if (operation == "ListTrainingJobs") {
      ++pages;
      json page{{"TrainingJobSummaries", json::array()}};
      for (int job = 0; pages == 1 && job < unknown; ++job) {
        page["TrainingJobSummaries"].push_back({{"TrainingJobName", "old-" + std::to_string(job)},
                                                {"TrainingJobStatus", "InProgress"}});
      }
      if (asked.value("StatusEquals", "") == "InProgress" && pages < 40) {
        page["NextToken"] = std::to_string(pages);
      }
      return page;
    }
    if (operation == "DescribeTrainingJob") {
      ++looked_up;
      script.clock.time += 250ms;
      const std::string name = asked["TrainingJobName"];
      return {{"TrainingJobName", name},
              {"TrainingJobArn", "arn:aws:sagemaker:us-east-1:111122223333:training-job/" + name},
              {"TrainingJobStatus", "InProgress"},
              {"CreationTime", 1785747600.5}};
    }
    if (operation == "ListTags") return {{"Tags", json::array()}};
    if (operation != "ReceiveMessage") return json::object();
    const Instant due = begin + std::chrono::seconds{messages};
    if (due > script.clock.time) {
      script.clock.time = std::min(
          due, script.clock.time + std::chrono::seconds{asked.value("WaitTimeSeconds", 0)});
    }
    if (due > script.clock.time) return json::object();
    pages_at_message.push_back(pages);
    look_ups_at_message.push_back(looked_up);
    const std::string id = std::to_string(messages++);
    return {{"Messages",
             {{{"MessageId", id},
               {"ReceiptHandle", id},
               {"Body", event_of("job-" + id, script.clock.time)}}}}};
  }
  Outcome respond(const Request& request) {
    const std::string target = header_of(request, "x-amz-target");
    const Instant now = script.clock.time;
    if (now >= refused_from && now < refused_until) {
      return Response{400, {}, R"({"__type":"ExpiredTokenException","message":"old"})"};
    }
    if (queue_fails && target.ends_with("ReceiveMessage")) return Response{503, {}, "{}"};
    const auto operation = target.substr(target.find('.') + 1);
    if (operation == "DescribeTrainingJob" && now < untrusted_until) {
      return TransportFailure{TransportFault::untrusted, "expired"};
    }
    return Response{200, {}, answer(operation, json::parse(request.body)).dump()};
  }
  QueueFeed feed(policy::Duration reconcile_every) {
    for (int call = 0; call < 100'000; ++call) {
      script.transport.answers.emplace_back([this](const Request& r) { return respond(r); });
    }
    return {client,
            script.clock,
            roster,
            {"http://queue/1/q", reconcile_every},
            {[] { return false; }, [](const FailedCall&) {},
             [](const std::string&, const std::string& why) { ADD_FAILURE() << why; }}};
  }
  void run(QueueFeed& feed, Instant until) const {
    host::Intake intake;
    while (feed.advance(until, intake) < until) intake.clear();
  }
};

TEST_F(QueueFeedTest, ReadsMessagesBetweenThePagesOfAListing) {
  QueueFeed feed = this->feed(5min);
  run(feed, begin + 30s);
  EXPECT_GE(pages, 40);
  // 40 pages at 2 per second take 20 s, in which 20 messages arrive.
  ASSERT_GE(messages, 29);
  EXPECT_LT(pages_at_message.at(5), 20);
  EXPECT_LT(pages_at_message.at(15), 40);
}

TEST_F(QueueFeedTest, ReadsMessagesBetweenLookUps) {
  unknown = 100;  // each takes longer than the pace of the look-ups
  QueueFeed feed = this->feed(5min);
  run(feed, begin + 30s);
  EXPECT_GE(looked_up, 20);
  ASSERT_GE(messages, 29);
  // One message per second, four look-ups per second: not all 100 come first.
  EXPECT_LT(look_ups_at_message.at(5), 40);
  EXPECT_LT(look_ups_at_message.at(15), 80);
}

TEST_F(QueueFeedTest, ListsTheAccountWhileTheQueueFails) {
  queue_fails = true;
  unknown = 3;
  QueueFeed feed = this->feed(5min);
  run(feed, begin + 2min);
  EXPECT_GE(pages, 6);  // one for each try
  EXPECT_EQ(looked_up, 3);
  EXPECT_FALSE(feed.has_received());
  EXPECT_TRUE(feed.cut_off_since());
}

// A listing tells a job that does not change once.
TEST_F(QueueFeedTest, LooksUpAJobAfterACertificateThatExpired) {
  unknown = 3;
  untrusted_until = begin + 2min;
  QueueFeed feed = this->feed(5min);
  run(feed, begin + 10min);
  EXPECT_EQ(looked_up, 3);
}

TEST_F(QueueFeedTest, KnowsSinceWhenItIsCutOff) {
  QueueFeed feed = this->feed({});
  run(feed, begin + 10s);
  EXPECT_FALSE(feed.cut_off_since());
  refused_from = begin + 20s;
  run(feed, begin + 10min);
  ASSERT_TRUE(feed.cut_off_since());
  EXPECT_GE(*feed.cut_off_since(), begin + 20s);
  EXPECT_LT(*feed.cut_off_since(), begin + 40s);
  refused_until = begin + 11min;
  run(feed, begin + 15min);
  EXPECT_FALSE(feed.cut_off_since());
}

}  // namespace queue_feed_test
}  // namespace reeve::live
