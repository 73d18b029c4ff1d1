// Joining: what several files say about one job, and which rows of a bill it has.
#include "scenarios/history/join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cases.hpp"
#include "scenarios/history/metrics/utilization_files.hpp"
#include "scenarios/history/readers.hpp"
#include "scenarios/history/sum_up.hpp"

namespace reeve::scenarios {
namespace {

using namespace history_cases;
using Names = std::vector<std::string>;

/// A training job of account 1 that ended, with `more` keys.
std::string training_job(const std::string& name, const std::string& region,
                         const std::string& more = {}) {
  return fmt::format(
      R"({{"TrainingJobName": "{0}",
           "TrainingJobArn": "arn:aws:sagemaker:{1}:1:training-job/{0}",
           "TrainingJobStatus": "Completed", "SecondaryStatus": "Completed",
           "ResourceConfig": {{"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}},
           "CreationTime": 1000000, "TrainingStartTime": 1000100, "TrainingEndTime": 1000400{2}}})",
      name, region, more);
}

std::string running_job(const std::string& modified) {
  return training_job("a", "r",
                      R"(, "TrainingJobStatus": "InProgress", "TrainingEndTime": null,
      "SecondaryStatus": "Training", "LastModifiedTime": )" +
                          modified);
}

std::string queued_job(const std::string& id, const std::string& runs_as) {
  return fmt::format(
      R"({{"jobId": "{0}", "jobQueue": "arn:aws:batch:r:1:job-queue/sm",
           "serviceJobType": "SAGEMAKER_TRAINING", "status": "SUCCEEDED",
           "createdAt": 999000000, "startedAt": 1000100000, "stoppedAt": 1000400000,
           "latestAttempt": {{"serviceResourceId":
               {{"value": "arn:aws:sagemaker:r:1:training-job/{1}"}}}}}})",
      id, runs_as);
}

History read_files(const std::vector<std::string>& texts, const HistoryOptions& options = {}) {
  History history;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    read_history_stream(fmt::format("file{}", i), std::make_unique<std::istringstream>(texts[i]),
                        options, history);
  }
  sum_up_work(history, options.as_of);
  return history;
}

Names names_in(const JoinedHistory& joined) {
  Names names;
  for (const HistoryJob& job : joined.jobs) names.push_back(job.record.job_id);
  std::sort(names.begin(), names.end());
  return names;
}

TEST(JoinedHistory, AJobOfAQueueGivesItsWaitToTheJobThatRunsForIt) {
  History history = read_files({training_job("a", "r"), queued_job("q", "a")});
  const JoinedHistory joined = join_history(history, {});
  ASSERT_EQ(names_in(joined), Names{"a"});
  EXPECT_EQ(seconds(*joined.jobs[0].record.observed_wait), 1100);
}

TEST(JoinedHistory, JobsThatNameEachOtherAreKept) {
  History history = read_files({queued_job("x", "y") + queued_job("y", "x")});
  EXPECT_EQ(names_in(join_history(history, {})), (Names{"x", "y"}));
}

TEST(JoinedHistory, WithoutJobsIsAnError) {
  EXPECT_EQ(error_of([] {
              History none;
              join_history(none, {});
            }),
            "E0403");
}

TEST(JoinedHistory, TheNewestDescriptionCountsInAnyOrderOfFiles) {
  std::vector<std::string> files = {
      running_job("1000200"),
      training_job("a", "r", R"(, "TrainingJobStatus": "Failed", "LastModifiedTime": 1000500)"),
      training_job("a", "r", R"(, "LastModifiedTime": 1000600)"),
  };
  std::sort(files.begin(), files.end());
  do {
    History history = read_files(files);
    const JoinedHistory joined = join_history(history, {});
    ASSERT_EQ(names_in(joined), Names{"a"});
    EXPECT_EQ(joined.jobs[0].record.end_status, EndStatus::completed);
  } while (std::next_permutation(files.begin(), files.end()));
}

TEST(JoinedHistory, OneNameInTwoRegionsIsTwoJobs) {
  History history =
      read_files({training_job("a", "r"), training_job("a", "s", R"(, "CreationTime": 1000001)")});
  const JoinedHistory joined = join_history(history, {});
  EXPECT_EQ(names_in(joined), (Names{"a", "a@s"}));
  ASSERT_EQ(joined.warnings.size(), 1U);
  EXPECT_EQ(joined.warnings[0].code, "W0620");
}

TEST(JoinedHistory, ABillPaysForTheJobOfItsArn) {
  History history = read_files({training_job("a", "r"), training_job("a", "s")});
  for (const auto& [region, dollars] : {std::pair{"s", 3}, {"r", 2}, {"t", 1}}) {
    BilledUse use;
    use.job = "a";
    use.resource = fmt::format("arn:aws:sagemaker:{}:1:training-job/a", region);
    use.use = "train";
    use.cost.nanos = std::int64_t{dollars} * 1'000'000'000;
    history.bill.uses.push_back(std::move(use));
  }
  const JoinedHistory joined = join_history(history, {});
  for (const HistoryJob& job : joined.jobs) {
    EXPECT_EQ(job.record.billed_usd->micros(), job.record.job_id == "a" ? 2'000'000 : 3'000'000);
  }
  EXPECT_EQ(joined.reconciliation.not_matched.nanos, 1'000'000'000);
}

TEST(JoinedHistory, EachPartOfTheBillThatNoJobHasTellsWhy) {
  History history = read_files({training_job("a", "r")});
  const auto add = [&](const std::string& job, const std::string& resource, int dollars) {
    BilledUse use;
    use.job = job;
    use.resource = resource;
    use.use = "train";
    use.cost.nanos = std::int64_t{dollars} * 1'000'000'000;
    use.first = use.last = policy::Instant{std::chrono::seconds{job == "old" ? 0 : 2'000'000}};
    history.bill.uses.push_back(std::move(use));
  };
  add("", "", 1);
  add("", "i-1", 2);
  add("a", "arn:aws:sagemaker:s:1:training-job/a", 3);
  add("a", "arn:aws:sagemaker:r:2:training-job/a", 4);
  add("old", "arn:aws:sagemaker:r:1:training-job/old", 5);
  add("b", "arn:aws:sagemaker:r:1:training-job/b", 6);
  add("a", "arn:aws:sagemaker:r:1:training-job/a", 7);
  const Reconciliation sums = join_history(history, {}).reconciliation;
  std::string text;
  for (const auto& [reason, money] : sums.unmatched) {
    text += fmt::format("{} {}, ", text_of(reason), money.nanos / 1'000'000'000);
  }
  EXPECT_EQ(text,
            "rows without a resource 1, not of a training job 2, the job is in another region 3, "
            "the job is in another account 4, before the first job 5, no job of this name 6, ");
  EXPECT_EQ(sums.not_matched.nanos, 21'000'000'000);
  EXPECT_EQ(
      sums.why_unmatched,
      (Names{"no job of this name", "before the first job", "the job is in another account (1)",
             "the job is in another region (r)", "not of a training job"}));
}

/// Dollars of the parts of a bill, and of the jobs in the trace.
struct Split {
  std::int64_t bill = 0, parts = 0, jobs = 0, trace = 0;
};

Split split_of(const JoinedHistory& joined) {
  const Reconciliation& sums = joined.reconciliation;
  Split split{.bill = sums.bill.nanos, .jobs = sums.jobs.nanos};
  split.parts = sums.jobs.nanos + sums.warm_pools.nanos + sums.storage.nanos +
                sums.unused_commitment.nanos + sums.ignored.nanos;
  for (const auto& [what, money] : sums.apart) split.parts += money.nanos;
  for (const auto& [reason, money] : sums.unmatched) split.parts += money.nanos;
  for (const HistoryJob& job : joined.jobs) {
    split.trace += job.record.billed_usd ? job.record.billed_usd->micros() * 1000 : 0;
  }
  return split;
}

TEST(JoinedHistory, CreditsAreInNoJobAndThePartsAddUpToTheBill) {
  std::uint64_t credits = 0;
  for (std::uint32_t seed = 1; seed <= 200; ++seed) {
    History history = read_files({training_job("a", "r"), training_job("b", "r")});
    std::uint32_t random = seed * 2'654'435'761U;
    const auto draw = [&](std::uint32_t below) {
      return (random = random * 1'664'525U + 1'013'904'223U) / 65'536U % below;
    };
    for (std::uint32_t i = draw(6) + 1; i > 0; --i) {
      BilledUse use;
      use.job = std::array{"a", "b", "gone"}[draw(3)];
      use.resource = "arn:aws:sagemaker:r:1:training-job/" + use.job;
      use.use = std::array{"train", "train", "storage", "warm_pool"}[draw(4)];
      use.cost.nanos = (std::int64_t{draw(21)} - 10) * 1'000'000'000;
      history.bill.uses.push_back(std::move(use));
    }
    history.bill.apart["Credit"] = {-std::int64_t{draw(9)} * 1'000'000'000};
    const JoinedHistory joined = join_history(history, {});
    const Split split = split_of(joined);
    EXPECT_EQ(split.bill, split.parts) << seed;
    EXPECT_EQ(split.jobs, split.trace) << seed;
    const auto& unmatched = joined.reconciliation.unmatched;
    const auto credit = unmatched.find(Unmatched::credit);
    if (credit != unmatched.end()) {
      ++credits;
      EXPECT_LT(credit->second.nanos, 0) << seed;
      EXPECT_FALSE(joined.reconciliation.why_unmatched.empty()) << seed;
    }
    for (const auto& [reason, money] : unmatched) {
      EXPECT_TRUE(reason == Unmatched::credit || money.nanos >= 0) << seed;
    }
    const auto percent = joined.reconciliation.matched_percent();
    EXPECT_TRUE(!percent || (*percent >= 0 && *percent <= 100)) << seed;
  }
  EXPECT_GT(credits, 50U);
}

std::string stop(const std::string& id, const std::string& more) {
  return fmt::format(
      R"({{ "Records": [ {{ "eventID": "{0}", "eventName": "StopTrainingJob",
            "eventTime": "1970-01-12T13:50:00Z",
            "requestParameters": {{ "trainingJobName": "a" }},
            "userIdentity": {{ "userName": "{0}" }}{1} }} ] }})",
      id, more);
}

std::string stopped_job(const std::string& region) {
  return training_job("a", region,
                      R"(, "TrainingJobStatus": "Stopped", "SecondaryStatus": "Stopped")");
}

/// Who stopped each job, and the warnings.
std::string stops_of(const std::vector<std::string>& files) {
  History history = read_files(files);
  const JoinedHistory joined = join_history(history, {});
  std::string text;
  for (const HistoryJob& job : joined.jobs) text += job.record.job_id + ":" + job.stopped_by + " ";
  for (const Diagnostic& warning : joined.warnings) {
    if (warning.code == "W0634") text += warning.message + " ";
  }
  return text;
}

TEST(JoinedHistory, TheTagsOfAJobNameItsUser) {
  const auto user = [](const std::string& tags, const std::string& trail = {},
                       std::map<std::string, std::string> of_bill = {}) {
    std::vector<std::string> files = {
        training_job("a", "r", fmt::format(R"(, "Tags": [ {} ])", tags))};
    if (!trail.empty()) files.push_back(trail);
    History history = read_files(files);
    BilledUse use;
    use.job = "a";
    use.resource = "arn:aws:sagemaker:r:1:training-job/a";
    use.use = "train";
    use.tags = std::move(of_bill);
    history.bill.uses.push_back(std::move(use));
    return join_history(history, {}).jobs[0].record.user;
  };
  const std::string team = R"({"Key": "team", "Value": "t"})";
  const std::string user_tag = R"({"Key": "user", "Value": "u"}, )" + team;
  const std::string owner = R"({"Key": "Owner", "Value": "o"}, )" + user_tag;
  const std::string creator = R"({"Key": "aws:createdBy", "Value": "AssumedRole:AROA1:ana"}, )";
  EXPECT_EQ(user(team), "");
  EXPECT_EQ(user(user_tag), "u");
  EXPECT_EQ(user(owner), "o");
  EXPECT_EQ(user(creator + team), "ana");
  EXPECT_EQ(user(creator + owner), "o");
  const std::string created = R"({"Records": [ {"eventID": "1", "eventName": "CreateTrainingJob",
      "eventTime": "1970-01-12T13:50:00Z", "requestParameters": {"trainingJobName": "a"},
      "userIdentity": {"userName": "c"}} ]})";
  EXPECT_EQ(user(team, created), "c");
  EXPECT_EQ(user(owner, created), "o");
  EXPECT_EQ(user(team, created, {{"owner", "b"}}), "c");
  EXPECT_EQ(user(team, "", {{"owner", "b"}}), "b");
  EXPECT_EQ(user(team, "", {{"aws_created_by", "IAMUser:AIDA1:eva"}}), "eva");
}

TEST(JoinedHistory, AnEventHasTheNameOfItsJobInTheTrace) {
  const auto named = [](const std::string& more) {
    History history = read_files({stopped_job("r"), stopped_job("s"), stop("x", more)});
    const JoinedHistory joined = join_history(history, {});
    EXPECT_EQ(names_in(joined), (Names{"a", "a@s"}));
    return history.events.at(0).job;
  };
  EXPECT_EQ(named(R"(, "awsRegion": "r")"), "a");
  EXPECT_EQ(named(R"(, "awsRegion": "s")"), "a@s");
  EXPECT_EQ(named(R"(, "awsRegion": "t")"), "a@t");
  EXPECT_EQ(named(R"(, "awsRegion": "s", "recipientAccountId": "2")"), "a@s@2");
  EXPECT_EQ(named(""), "a@?");
}

TEST(JoinedHistory, AStopIsOfTheJobInItsRegionAndAccount) {
  const std::string in_s = stop("kim", R"(, "awsRegion": "s", "recipientAccountId": "1")");
  EXPECT_EQ(stops_of({stopped_job("r"), stopped_job("s"), in_s}), "a: a@s:kim ");
  EXPECT_EQ(stops_of({stopped_job("r"), in_s}),
            "a: 1 event of other regions or accounts, with names of jobs here ");
  const std::string account_2 = stop("kim", R"(, "awsRegion": "r", "recipientAccountId": "2")");
  EXPECT_EQ(stops_of({stopped_job("r"), account_2}),
            "a: 1 event of other regions or accounts, with names of jobs here ");
}

TEST(JoinedHistory, AStopThatTellsNoRegionIsOfTheOnlyJobOrOfNone) {
  const std::string somewhere = stop("kim", "");
  EXPECT_EQ(stops_of({stopped_job("r"), somewhere}), "a:kim ");
  EXPECT_EQ(stops_of({stopped_job("r"), stopped_job("s"), somewhere}),
            "a: a@s: 1 event with a name of several jobs, and no region and account ");
}

TEST(JoinedHistory, AForwardedStopIsInTheRegionOfItsEvent) {
  std::string call = stop("kim", "");
  call = call.substr(call.find('[') + 1);
  call.resize(call.rfind(']'));
  const std::string event =
      R"({ "id": "e", "detail-type": "AWS API Call via CloudTrail", "region": "s",
           "account": "1", "detail": )" +
      call + "}";
  EXPECT_EQ(stops_of({stopped_job("r"), stopped_job("s"), event}), "a: a@s:kim ");
}

/// GPUs of hosts that were idle up to the end of the jobs.
std::string idle_hosts(const std::vector<std::string>& labels) {
  std::string results;
  for (const std::string& label : labels) {
    results += fmt::format(R"({}{{ "Id": "q{}", "Label": "{}", "StatusCode": "Complete",
        "Timestamps": [1000160, 1000220, 1000280, 1000340], "Values": [0, 0, 0, 0] }})",
                           results.empty() ? "" : ",", results.size(), label);
  }
  return R"({ "MetricDataResults": [)" + results + "] }";
}

TEST(JoinedHistory, MetricsOfANameOfTwoJobsAreOfNeither) {
  History alone = read_files({stopped_job("r"), idle_hosts({"a/algo-1"})});
  EXPECT_GT(seconds(*join_history(alone, {}).jobs[0].record.stalled), 0);
  History history = read_files({stopped_job("r"), stopped_job("s"), idle_hosts({"a/algo-1"})});
  const JoinedHistory joined = join_history(history, {});
  for (const HistoryJob& job : joined.jobs) EXPECT_FALSE(job.record.stalled) << job.record.job_id;
  EXPECT_TRUE(series_by_job(history, joined.jobs).empty());
  EXPECT_EQ(joined.warnings.back().message, "metrics with 1 name of several jobs");
}

TEST(JoinedHistory, JobsWithMetricsOfPartOfTheirHostsAreCounted) {
  const std::string two = R"(, "ResourceConfig": {"InstanceType": "ml.g5.xlarge",
                                                  "InstanceCount": 2})";
  const std::vector<std::string> jobs = {training_job("a", "r", two), training_job("b", "r", two),
                                         training_job("c", "r")};
  const auto warnings_with = [&](const std::vector<std::string>& labels) {
    std::vector<std::string> files = jobs;
    files.push_back(idle_hosts(labels));
    History history = read_files(files);
    return join_history(history, {}).warnings;
  };
  EXPECT_TRUE(warnings_with({"a/algo-1", "a/algo-2", "c/algo-1"}).empty());
  const auto found = warnings_with({"a/algo-1", "a/algo-2", "b/algo-2", "c/algo-1"});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].code, "W0635");
  EXPECT_EQ(found[0].message, "1 of 3 jobs with metrics lacks those of some hosts");
}

TEST(JoinedHistory, ARunningJobLastsUntilItsOwnFileWasWritten) {
  const std::vector<std::string> files = {
      running_job("1000200"),
      training_job("b", "r", R"(, "TrainingEndTime": 9000000)"),
  };
  EXPECT_EQ(seconds(*job_named(read_files(files), "a")->record.duration), 100);
  const HistoryOptions later{.as_of = policy::Instant{std::chrono::seconds{1'000'500}}};
  EXPECT_EQ(seconds(*job_named(read_files(files, later), "a")->record.duration), 400);
}

}  // namespace
}  // namespace reeve::scenarios
