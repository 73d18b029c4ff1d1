#include "live/feed/roster.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <reeve/policy/training_job_name.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "live/feed/event_lines.hpp"

namespace reeve::live {
namespace {

using policy::Instant;
using policy::JobChanged;
using policy::JobSubmitted;
using policy::Secondary;
using std::chrono::seconds;

constexpr Instant noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1} +
                       std::chrono::hours{12}};

/// An account with one configured fleet, and the observations of what it is told.
struct Account {
  policy::Directory directory{
      .types = {{"ml.big", 8, {30'000'000'000}}},
      .pools = {{.name = "pool", .type = {0}, .market = policy::Market::reserved, .size = 4}}};
  Roster roster{directory, "1", "us-east-1", [](std::string_view name) {
                  return policy::InstanceType{std::string{name}, 1, {2'000'000'000}};
                }};
  std::vector<policy::Observation> told;

  void tell(EventDetail detail, Instant at = noon, std::string account = "1") {
    told.clear();
    FleetEvent event;
    event.account = std::move(account);
    event.time = at;
    event.detail = std::move(detail);
    roster.take(event, at, told);
  }
  template <class Fact>
  const Fact* only() const {
    const Fact* found = nullptr;
    for (const policy::Observation& seen : told) {
      const auto* fact = std::get_if<Fact>(&seen.fact);
      if (fact == nullptr) continue;
      EXPECT_EQ(found, nullptr) << "more than one";
      found = fact;
    }
    return found;
  }
};

TrainingJobState job(const std::string& name, Secondary status = Secondary::starting) {
  TrainingJobState state;
  state.name = name;
  state.secondary = status;
  state.instance_type = "ml.big";
  state.instances = 2;
  state.tags = std::vector<policy::Tag>{{"team", "search"}};
  return state;
}

TEST(Roster, KnowsTheServiceJobsThatEventsTell) {
  Account account;
  const std::string name = "AWSBatchtrain88b610a69aa8380ca5b0a7aba3f81cb8";
  BatchJobState queued;
  queued.arn = "arn:aws:batch:us-east-1:1:service-job/c-1";
  account.tell(queued);  // no attempt has begun
  EXPECT_EQ(account.roster.service_job(""), "");
  queued.training_job = "arn:aws:sagemaker:us-east-1:1:training-job/" + name;
  account.tell(queued, noon, "2");
  EXPECT_EQ(account.roster.service_job(name), "") << "it is of another account";
  account.tell(queued);
  EXPECT_EQ(account.roster.service_job(name), "c-1");
  EXPECT_EQ(account.roster.service_job("train"), "");
}

TEST(Roster, SubmitsAJobOnceItsTagsAndInstancesAreKnown) {
  Account account;
  TrainingJobState state = job("train");
  state.tags.reset();
  account.tell(state);
  EXPECT_EQ(account.only<JobSubmitted>(), nullptr);
  EXPECT_NE(account.only<JobChanged>(), nullptr);
  EXPECT_EQ(account.roster.undescribed(), std::vector<std::string>{"train"});
  account.tell(job("train", Secondary::training));
  const JobSubmitted* submitted = account.only<JobSubmitted>();
  ASSERT_NE(submitted, nullptr);
  EXPECT_EQ(submitted->description.instances, 2u);
  EXPECT_EQ(submitted->description.pool.index, 0u);  // reserved instances run jobs without Spot
  EXPECT_EQ(account.directory.tag(submitted->description.tags, "team"), "search");
  account.tell(job("train", Secondary::training));
  EXPECT_EQ(account.only<JobSubmitted>(), nullptr);  // once
  EXPECT_TRUE(account.roster.undescribed().empty());
}

TEST(Roster, OrdersStatusesByTheListOfTransitionsOrByArrival) {
  Account account;
  account.tell(job("train"));
  EXPECT_EQ(account.only<JobChanged>()->revision, 1u);
  account.tell(job("train"));
  EXPECT_EQ(account.only<JobChanged>()->revision, 1u);  // the same again
  account.tell(job("train", Secondary::training));
  EXPECT_EQ(account.only<JobChanged>()->revision, 2u);
  TrainingJobState late = job("train");
  late.transitions = {
      {Secondary::starting, "Starting", noon - seconds{60}, {}, "Insufficient capacity error"}};
  account.tell(late);
  EXPECT_EQ(account.only<JobChanged>()->revision, 1u);  // older than what is known
  EXPECT_TRUE(account.only<JobChanged>()->lacks_capacity);
}

TEST(Roster, CountsInterruptionsAndReadsTheCauseOfAFailure) {
  Account account;
  TrainingJobState state = job("train", Secondary::failed);
  state.primary = policy::Primary::failed;
  state.failure_reason = "InternalServerError: We encountered an internal error.";
  for (const Secondary status : {Secondary::starting, Secondary::interrupted, Secondary::starting,
                                 Secondary::interrupted, Secondary::failed}) {
    state.transitions.push_back({status, "", noon, {}, ""});
  }
  account.tell(state);
  EXPECT_EQ(account.only<JobChanged>()->interruptions, 2u);
  EXPECT_EQ(account.only<JobChanged>()->failure, policy::FailureClass::infrastructure);
  FleetEvent event;
  event.detail = state;
  event.from_logs = LogVerdict{policy::FailureClass::hardware, 20};
  account.told.clear();
  account.roster.take(event, noon, account.told);
  EXPECT_EQ(account.only<JobChanged>()->failure, policy::FailureClass::hardware);
  EXPECT_EQ(account.only<JobChanged>()->doubt_pct, 20u);
}

TEST(Roster, ADeletedJobLeavesItsNameToAnother) {
  Account account;
  TrainingJobState first = job("train");
  first.created = noon - std::chrono::hours{1};
  account.tell(first);
  TrainingJobState second = job("train");
  second.created = noon;
  account.tell(second);
  EXPECT_EQ(account.only<JobChanged>()->job.index, 1u);
  EXPECT_EQ(account.roster.jobs(), 2u);
}

TEST(Roster, FurtherAttemptsAreToldByTagsOrWithoutTagsByTheirNames) {
  Account account;
  account.tell(job("train"));
  TrainingJobState named = job("train-r2");
  account.tell(named);  // a user's own name: its tags say nothing of an earlier attempt
  EXPECT_EQ(account.only<JobChanged>()->job.index, 1u);
  TrainingJobState tagged = job("again");
  tagged.tags = std::vector<policy::Tag>{{std::string{retry_of_tag}, "train"},
                                         {std::string{attempt_tag}, "2"}};
  account.tell(tagged);
  EXPECT_EQ(account.only<JobChanged>()->job.index, 0u);
  EXPECT_EQ(account.only<JobChanged>()->attempt, 2u);
  EXPECT_TRUE(
      account.directory.tag_sets[account.only<JobSubmitted>()->description.tags.index].empty());
  TrainingJobState untagged = job("train-r3");
  untagged.tags.reset();
  account.tell(untagged);
  EXPECT_EQ(account.only<JobChanged>()->attempt, 3u);
  EXPECT_EQ(account.roster.name({0}, 2), "again");
  EXPECT_EQ(account.roster.name({0}, 4), "train-r4");  // what reeve would name it
  EXPECT_EQ(account.roster.name({1}, 2), "train-r2-r2");
}

TEST(Roster, WithoutTagsEachNameThatReeveGivesIsOfTheNextAttempt) {
  Account account;
  const std::string longest(policy::training_job_name_max, 'l');
  account.tell(job("train"));
  account.tell(job(longest));
  TrainingJobState ended = job("train", Secondary::stopped);
  ended.primary = policy::Primary::stopped;
  account.tell(ended, noon + seconds{1});
  const auto untagged = [&](const std::string& name) {
    TrainingJobState state = job(name);
    state.tags.reset();
    account.tell(state);
    const auto* changed = account.only<JobChanged>();
    return std::pair{changed->job.index, int{changed->attempt}};
  };
  EXPECT_EQ(untagged("traincloneclone"), (std::pair{2U, 1})) << "the next is the second";
  EXPECT_EQ(untagged("trainclone"), (std::pair{0U, 2}));
  EXPECT_EQ(untagged("train-r3"), (std::pair{0U, 3}));
  EXPECT_EQ(untagged(policy::clone_name(longest, 2)), (std::pair{1U, 2})) << "it is cut";
  EXPECT_EQ(untagged("train-r3-r2"), (std::pair{3U, 1})) << "train-r3 is no first attempt";
}

// Its tags may come later, and name no attempt.
TEST(Roster, AJobOfAPersonIsNoCloneOfAJobThatRuns) {
  Account account;
  account.tell(job("train"));
  TrainingJobState other = job("trainclone");
  other.tags.reset();
  account.tell(other);
  EXPECT_EQ(account.only<JobChanged>()->job.index, 1u);
}

TEST(Roster, WithoutTransitionsTimesOrderEventsAndAnEndIsTheLast) {
  Account account;
  TrainingJobState training = job("train", Secondary::training);
  training.modified = noon;
  account.tell(training);
  TrainingJobState starting = job("train");
  starting.modified = noon - seconds{60};
  account.tell(starting, noon + seconds{1});
  EXPECT_TRUE(account.told.empty());
  TrainingJobState completed = job("train", Secondary::completed);
  completed.primary = policy::Primary::completed;
  account.tell(completed, noon + seconds{2});
  EXPECT_EQ(account.only<JobChanged>()->revision, 2u);
  account.tell(training, noon + seconds{3});
  EXPECT_TRUE(account.told.empty());
}

TEST(Roster, ACallOfCloudTrailIsOfTheJobWhoseCreationItNearlyNames) {
  Account account;
  TrainingJobState request = job("train");
  account.tell(TrainingJobCreated{request}, noon);
  EXPECT_NE(account.only<JobSubmitted>(), nullptr);
  TrainingJobState state = job("train");
  state.created = noon + seconds{3};
  account.tell(state, noon + seconds{4});
  account.tell(TrainingJobCreated{request}, noon);  // again
  EXPECT_TRUE(account.told.empty());
  EXPECT_EQ(account.roster.jobs(), 1u);
  TrainingJobState failed = job("train", Secondary::failed);
  failed.primary = policy::Primary::failed;
  failed.created = noon + seconds{3};
  account.tell(failed, noon + seconds{60});
  account.tell(TrainingJobCreated{request}, noon + seconds{90});  // the name was free again
  EXPECT_EQ(account.only<JobSubmitted>()->job.index, 1u);
}

TEST(Roster, ALateEventOfADeletedJobIsNotOfTheJobThatHasItsName) {
  Account account;
  TrainingJobState first = job("train");
  first.created = noon - std::chrono::hours{1};
  account.tell(first);
  TrainingJobState second = job("train", Secondary::training);
  second.created = noon;
  account.tell(second);
  account.tell(first, noon + seconds{1});
  EXPECT_TRUE(account.told.empty());
  EXPECT_EQ(account.roster.jobs(), 2u);
}

TEST(Roster, CopiedTagsOfAnAttemptMakeNoSecondOne) {
  Account account;
  account.tell(job("train"));
  TrainingJobState second = job("train-r2");
  second.tags = std::vector<policy::Tag>{{std::string{attempt_tag}, "2"},
                                         {std::string{retry_of_tag}, "train"}};
  account.tell(second);
  TrainingJobState copy = second;
  copy.name = "copy";
  account.tell(copy);
  EXPECT_EQ(account.only<JobChanged>()->job.index, 1u);
  EXPECT_EQ(account.only<JobChanged>()->attempt, 1u);
  TrainingJobState far = job("far");  // its earlier attempts are not known
  far.tags = std::vector<policy::Tag>{{std::string{attempt_tag}, "65535"},
                                      {std::string{retry_of_tag}, "gone"}};
  account.tell(far);
  EXPECT_EQ(account.only<JobChanged>()->attempt, 65'535u);
  EXPECT_EQ(account.roster.name({2}, 1), "gone");
  EXPECT_TRUE(account.roster.undescribed().empty());
}

TEST(Roster, AnUnknownTypeBecomesAFleetWithItsCapacity) {
  Account account;
  TrainingJobState state = job("spot");
  state.instance_type = "ml.small";
  state.max_wait = seconds{7200};  // only Spot has one
  account.tell(state);
  const auto* capacity = account.only<policy::CapacityChanged>();
  ASSERT_NE(capacity, nullptr);
  const policy::PoolFacts& pool = account.directory.pools[capacity->pool.index];
  EXPECT_EQ(pool.market, policy::Market::spot);
  EXPECT_EQ(account.directory.types[pool.type.index].price.nanos, 2'000'000'000);
}

TEST(Roster, IgnoresOtherAccountsAndNeverLooksAhead) {
  Account account;
  account.tell(job("theirs"), noon, "2");
  EXPECT_TRUE(account.told.empty());
  EXPECT_EQ(account.roster.counts().foreign, 1u);
  TrainingJobState ahead = job("train");
  ahead.modified = noon + std::chrono::hours{1};
  account.tell(ahead);
  for (const policy::Observation& seen : account.told) EXPECT_LE(seen.happened_at, noon);
}

std::vector<policy::Observation> changes_in(const std::vector<policy::Observation>& told) {
  std::vector<policy::Observation> changes;
  std::copy_if(told.begin(), told.end(), std::back_inserter(changes), [](const auto& seen) {
    return std::holds_alternative<policy::JobChanged>(seen.fact);
  });
  return changes;
}

TEST(Roster, ADescriptionTellsEachStatusThatNoEventHasTold) {
  Account account;
  TrainingJobState train = job("train");
  train.secondary = Secondary::uploading;
  train.transitions = {{Secondary::starting, "Starting", noon - seconds{900}, {}, ""},
                       {Secondary::training, "Training", noon - seconds{600}, {}, ""},
                       {Secondary::uploading, "Uploading", noon - seconds{5}, {}, ""}};
  account.tell(train);  // an event says what is now
  EXPECT_EQ(changes_in(account.told).size(), 1u);

  Account described;
  FleetEvent event;
  event.is_description = true;
  event.detail = train;
  described.roster.take(event, noon, described.told);
  const std::vector<policy::Observation> changes = changes_in(described.told);
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[1].happened_at, noon - seconds{600});
  EXPECT_EQ(std::get<policy::JobChanged>(changes[1].fact).secondary, Secondary::training);
  EXPECT_EQ(std::get<policy::JobChanged>(changes[1].fact).revision, 2u);
  EXPECT_EQ(std::get<policy::JobChanged>(changes[2].fact).revision, 3u);
  described.roster.take(event, noon, described.told);
  EXPECT_EQ(changes_in(described.told).size(), 4u) << "only the newest again";
}

TEST(Roster, KnowsAJobInItsStatusAndAsOfItsLastChange) {
  Account account;
  TrainingJobState train = job("train");
  train.modified = noon;
  account.tell(train);
  EXPECT_TRUE(account.roster.knows("train", "InProgress", noon));
  EXPECT_FALSE(account.roster.knows("train", "Completed", noon)) << "two changes at one time";
  EXPECT_FALSE(account.roster.knows("train", "InProgress", noon + seconds{1}));
  EXPECT_FALSE(account.roster.knows("other", "InProgress", noon));
}

TEST(EventLines, DeliverAtTheTimeOfEventsAndSkipWhatIsNone) {
  Account account;
  const auto event = [](const std::string& time) {
    return "{\"source\":\"x\",\"detail-type\":\"y\",\"time\":\"" + time + "\"}\n";
  };
  std::istringstream lines{"{\"source\":\"x\",\"detail-type\":\"y\"}\nnot json\n\n" +
                           event("1970-01-01T12:00:00Z") + event("2026-01-01T12:00:00Z") +
                           event("2026-01-01T11:00:00Z") + "{\"detail-type\":\"y\"}\n" +
                           event("2026-01-01T13:00:00Z") + std::string(2 << 20, 'x') + "\n" +
                           event("2026-01-01T14:00:00Z")};
  EventLines feed{lines, account.roster};
  EXPECT_EQ(feed.start(), noon);
  host::Intake intake;
  EXPECT_EQ(feed.advance(policy::never, intake), noon);
  EXPECT_EQ(intake.observations.size(), 1u);  // the capacity of the fleet
  EXPECT_EQ(feed.advance(noon + seconds{5}, intake), noon + seconds{5});
  EXPECT_EQ(feed.advance(policy::never, intake), noon + std::chrono::hours{1});
  EXPECT_EQ(feed.advance(policy::never, intake), noon + std::chrono::hours{2});
  EXPECT_EQ(feed.advance(policy::never, intake), policy::never);
  EXPECT_EQ(feed.unreadable(), 4u);  // with the one before SageMaker began
  ASSERT_EQ(feed.first_unreadable().size(), 4u);
  EXPECT_EQ(feed.first_unreadable()[0].line, 1u);  // no time, and none before
  EXPECT_EQ(feed.first_unreadable()[1].line, 2u);
  EXPECT_EQ(account.roster.counts().unused, 5u);
}

}  // namespace
}  // namespace reeve::live
