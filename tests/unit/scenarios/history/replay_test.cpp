// What the replay of a history costs and holds: prices by market, capacity, wild values.
#include <fmt/format.h>

#include <utility>

#include "cases.hpp"
#include "scenarios/history/anonymize.hpp"
#include "scenarios/history/history_scenario.hpp"
#include "scenarios/history/runnable.hpp"

namespace reeve::scenarios::replay_test {

using namespace history_cases;

/// A job that held its instances for an hour; `billable` seconds of it count.
std::string training(const std::string& name, int billable, const std::string& more = {}) {
  return fmt::format(
      R"({{"TrainingJobName": "{0}", "TrainingJobArn": "arn:aws:sagemaker:r:1:training-job/{0}",
       "TrainingJobStatus": "Completed", "SecondaryStatus": "Completed",
       "CreationTime": 1785000000, "TrainingStartTime": 1785000000, "TrainingEndTime": 1785003600,
       "BillableTimeInSeconds": {1},
       "ResourceConfig": {{"InstanceType": "ml.g5.xlarge", "InstanceCount": 1}}{2}}})",
      name, billable, more);
}

void bill(History& history, const std::string& job, double hours, std::int64_t dollars) {
  BilledUse use;
  use.job = job;
  use.resource = "arn:aws:sagemaker:r:1:training-job/" + job;
  use.instance_type = "ml.g5.xlarge";
  use.use = "train";
  use.instance_hours = hours;
  use.cost = {dollars * 1'000'000'000};
  use.list = use.cost;
  history.bill.uses.push_back(use);
}

JoinedHistory joined_of(History history) {
  JoinedHistory joined = join_history(history, {});
  keep_runnable(joined, history.bill);
  return joined;
}

constexpr std::string_view spot = R"(, "EnableManagedSpotTraining": true)";
constexpr std::string_view reserved =
    R"(, "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1,
        "TrainingPlanArn": "arn:aws:sagemaker:r:1:training-plan/p"})";

TEST(HistoryReplay, AnHourOfSpotCostsWhatTheBillSaysOfTheHoursHeld) {
  History history = read_text(training("a", 1200, std::string{spot}));
  bill(history, "a", 1.0 / 3, 10);
  const auto prices = prices_of(joined_of(std::move(history)), HistoryPrices::bill);
  ASSERT_EQ(prices.size(), 1U);
  EXPECT_EQ(prices[0].spot->nanos, 10'000'000'000);
}

std::string scenario_of(const std::vector<std::string>& jobs, const std::string& billed,
                        std::int64_t dollars, std::int64_t list_dollars) {
  std::string text;
  for (const std::string& job : jobs) text += training(job, 3600);
  History history = read_text(text);
  bill(history, billed, 1, dollars);
  history.bill.uses.back().list = {list_dollars * 1'000'000'000};
  return scenario_text(joined_of(std::move(history)), {});
}

TEST(HistoryReplay, ListPricesAreOfTheBillIfItHasThem) {
  EXPECT_NE(scenario_of({"a"}, "a", 10, 20).find("\"list_usd_per_hour\": 20.00"),
            std::string::npos);
  // Rows without one: the price book's.
  const std::string without = scenario_of({"a"}, "a", 10, 0);
  const auto at = without.find("\"list_usd_per_hour\": 1.");
  EXPECT_NE(at, without.npos) << without;
}

TEST(HistoryReplay, LimitsAreThoseThatMostJobsKeep) {
  std::string text;
  for (int job = 0; job < 40; ++job) text += training(fmt::format("j{}", job), 3600);
  EXPECT_EQ(scenario_text(joined_of(read_text(text)), {}).find("max-instances"), text.npos);
  text += training("large", 3600, R"(, "ResourceConfig": {"InstanceType": "ml.g5.xlarge",
                                                          "InstanceCount": 8})");
  const std::string scenario = scenario_text(joined_of(read_text(text)), {});
  EXPECT_NE(scenario.find(R"({ "rule": "max_instances", "limit": 1 })"), text.npos);
  EXPECT_NE(scenario.find(R"({ "rule": "uptime_cap", "limit": "1h" })"), text.npos);
}

TEST(HistoryReplay, InstancesOfOnesOwnEndAtOnce) {
  const std::string own = training(
      "own", 3600, R"(, "ResourceConfig": {"InstanceType": "p4d.24xlarge", "InstanceCount": 1})");
  const std::string scenario = scenario_text(joined_of(read_text(own)), {});
  EXPECT_NE(scenario.find(R"({ "rule": "uptime_cap", "limit": "1h", "ahead": "0s" })"),
            scenario.npos)
      << scenario;
}

TEST(HistoryReplay, JobsOnNoBillAreAPartOfTheHours) {
  EXPECT_NE(scenario_of({"a", "b"}, "a", 10, 20)
                .find("\"bill_matched_pct\": 100.00, \"bill_covers_pct\": 50.00"),
            std::string::npos);
  EXPECT_NE(scenario_of({"a"}, "a", 0, 20).find("\"bill_matched_pct\": 100.00"), std::string::npos);
}

TEST(HistoryReplay, ANegativeBillIsNoPrice) {
  const std::string text = scenario_of({"a"}, "a", -10, 20);
  EXPECT_EQ(text.find("0.000000001"), text.npos) << text;
  EXPECT_NE(text.find("\"usd_per_hour\": 20.00"), text.npos) << text;
}

TEST(HistoryReplay, WithoutABillSpotCostsTheBillableShareOfTheListPrice) {
  History history = read_text(training("a", 1200, std::string{spot}));
  const auto prices = prices_of(joined_of(std::move(history)), HistoryPrices::bill);
  ASSERT_EQ(prices.size(), 1U);
  EXPECT_NEAR(static_cast<double>(prices[0].spot->nanos),
              static_cast<double>(prices[0].on_demand.nanos) / 3, 1);
}

TEST(HistoryReplay, ReservedAndOnDemandHoursOfATypeShareTheirMeanPrice) {
  History history = read_text(training("a", 3600) + training("b", 3600, std::string{reserved}));
  bill(history, "a", 1, 30);
  bill(history, "b", 1, 10);
  const auto prices = prices_of(joined_of(std::move(history)), HistoryPrices::bill);
  ASSERT_EQ(prices.size(), 1U);
  EXPECT_EQ(prices[0].on_demand.nanos, 20'000'000'000);
}

TEST(HistoryReplay, ABillOfNothingIsNoListPrice) {
  const HistoryPrice without =
      prices_of(joined_of(read_text(training("a", 3600))), HistoryPrices::bill).at(0);
  EXPECT_EQ(without.source, "list");
  History history = read_text(training("a", 3600));
  bill(history, "a", 1, 0);
  const JoinedHistory joined = joined_of(std::move(history));
  const HistoryPrice free = prices_of(joined, HistoryPrices::bill).at(0);
  EXPECT_EQ(free.source, "bill");
  EXPECT_EQ(free.on_demand.nanos, 1);
  EXPECT_EQ(prices_of(joined, HistoryPrices::list).at(0).on_demand.nanos, without.on_demand.nanos);
  const std::string text = scenario_text(joined, {});
  EXPECT_NE(text.find("; a bill of $0\""), text.npos);
  EXPECT_NE(text.find("\"usd_per_hour\": 0.000000001"), text.npos);
}

std::string warning_in(const JoinedHistory& joined, std::string_view code) {
  for (const Diagnostic& warning : joined.warnings) {
    if (warning.code == code) return warning.message + "; " + warning.help;
  }
  return "none";
}

TEST(HistoryReplay, OfAJobTheBillCoversTheHoursThatItHas) {
  History history = read_text(training("a", 3600) + training("b", 3600));
  bill(history, "a", 0.25, 5);
  bill(history, "b", 1, 20);
  const JoinedHistory joined = joined_of(std::move(history));
  EXPECT_NE(scenario_text(joined, {}).find("\"bill_covers_pct\": 62.50"), std::string::npos);
  EXPECT_EQ(prices_of(joined, HistoryPrices::bill).at(0).on_demand.nanos, 20'000'000'000);
}

// An hour held on Spot that counts as 1200 s, of which the bill has half.
TEST(HistoryReplay, OfSpotTheBillCoversItsPartOfTheHoursHeld) {
  History history = read_text(training("a", 1200, std::string{spot}));
  bill(history, "a", 1.0 / 6, 5);
  const JoinedHistory joined = joined_of(std::move(history));
  EXPECT_NE(scenario_text(joined, {}).find("\"bill_covers_pct\": 50.00"), std::string::npos);
  EXPECT_EQ(prices_of(joined, HistoryPrices::bill).at(0).spot->nanos, 10'000'000'000);
}

// What a replay costs, and what it does not have, are the bill.
TEST(HistoryReplay, InstancesOfFurtherTypesAreInNoPrice) {
  const std::string groups = R"(, "ResourceConfig": {"InstanceGroups": [
      {"InstanceType": "ml.g5.xlarge", "InstanceCount": 1},
      {"InstanceType": "ml.c5.xlarge", "InstanceCount": 4}]})";
  History history = read_text(training("a", 3600, groups) + training("b", 3600));
  bill(history, "a", 1, 30);
  bill(history, "b", 1, 30);
  bill(history, "a", 4, 2);
  history.bill.uses.back().instance_type = "ml.c5.xlarge";
  const JoinedHistory joined = joined_of(std::move(history));
  const auto prices = prices_of(joined, HistoryPrices::bill);
  ASSERT_EQ(prices.size(), 1U);
  EXPECT_EQ(prices[0].on_demand.nanos, 30'000'000'000);
  ASSERT_EQ(joined.not_replayed.size(), 1U);
  const auto& [type, other] = *joined.not_replayed.begin();
  EXPECT_EQ(type, "ml.c5.xlarge");
  EXPECT_EQ(other.hours, 4);
  EXPECT_EQ(joined.machines[0].cost.nanos + other.cost.nanos, joined.reconciliation.jobs.nanos);
}

TEST(HistoryReplay, RegionsWithOtherPricesHaveTypesOfTheirOwn) {
  const auto prices = [](std::int64_t second, bool is_anonymous) {
    History history = read_text(training("a", 3600) + training("b", 3600) + training("c", 3600));
    for (const std::string job : {"a", "b", "c"}) {
      bill(history, job, 1, job == "b" ? second : 30);
      history.bill.uses.back().region = job == "b" ? "eu-west-1" : "us-east-1";
    }
    JoinedHistory joined = joined_of(std::move(history));
    NameKey key;
    if (is_anonymous) anonymize(joined, key, {});
    std::string text;
    for (const HistoryPrice& price : prices_of(joined, HistoryPrices::bill)) {
      text += fmt::format("{} {} ", price.instance_type, price.on_demand.nanos / 1'000'000'000);
    }
    return text;
  };
  EXPECT_EQ(prices(60, false), "ml.g5.xlarge@eu-west-1 60 ml.g5.xlarge@us-east-1 30 ");
  EXPECT_EQ(prices(60, true), "ml.g5.xlarge@region-1 30 ml.g5.xlarge@region-2 60 ");
  EXPECT_EQ(prices(30, false), "ml.g5.xlarge 30 ");
}

// The job of a third region is on no bill: "the cost is that of others".
TEST(HistoryReplay, RegionsWithoutABillCostTheMeanOfTheOthers) {
  std::string third = training("c", 3600);
  const std::size_t region = third.find(":r:");
  third.replace(region, 3, ":ap-south-1:");
  History history = read_text(training("a", 3600) + training("b", 3600) + third);
  for (const std::string job : {"a", "b"}) {
    bill(history, job, 1, job == "b" ? 60 : 30);
    history.bill.uses.back().region = job == "b" ? "eu-west-1" : "us-east-1";
  }
  const auto prices = prices_of(joined_of(std::move(history)), HistoryPrices::bill);
  ASSERT_EQ(prices.size(), 3U);
  EXPECT_EQ(prices[0].instance_type, "ml.g5.xlarge@ap-south-1");
  EXPECT_EQ(prices[0].on_demand.nanos, 45'000'000'000);
}

TEST(HistoryReplay, CreditsOfOneRegionSplitNothing) {
  History history = read_text(training("a", 3600) + training("b", 3600));
  bill(history, "a", 1, 30);
  bill(history, "a", 1, -40);
  for (BilledUse& use : history.bill.uses) use.region = "us-east-1";
  history.bill.uses.front().instance_type = "ml.c5.xlarge";
  history.bill.uses.front().cost = {50'000'000'000};
  for (const HeldMachines& held : joined_of(std::move(history)).machines) {
    EXPECT_EQ(held.instance_type, "ml.g5.xlarge");
  }
}

TEST(HistoryReplay, RoundedPartsOfABillAddUpToIt) {
  History history = read_text(training("a", 3600));
  bill(history, "a", 1, 0);
  history.bill.uses.back().cost = {1'005'500'000'000};
  history.bill.apart["Tax"] = {490'000'000'000};
  history.bill.ignored = {123'456'000'000};
  JoinedHistory joined = joined_of(std::move(history));
  NameKey key;
  anonymize(joined, key, {});
  const Reconciliation& sums = joined.reconciliation;
  EXPECT_EQ(sums.bill.nanos, sums.jobs.nanos + sums.ignored.nanos + 490'000'000'000);
  EXPECT_EQ(sums.ignored.nanos, 123'500'000'000);
}

/// The first warning about the hours of the bill.
std::string difference_in(History history) {
  return warning_in(join_history(history, {}), "W0628");
}

TEST(HistoryReplay, ABillOfMoreHoursThanARunningJobHadIsTold) {
  const auto running_with = [](double hours) {
    History history = read_text(
        training("b", 0, R"(, "TrainingJobStatus": "InProgress", "SecondaryStatus": "Training",
            "BillableTimeInSeconds": null, "TrainingEndTime": null,
            "LastModifiedTime": 1785003600)"));
    bill(history, "b", hours, 5);
    return difference_in(std::move(history));
  };
  EXPECT_EQ(running_with(3),
            "b: the bill has 3.000 instance-hours, its description 1.000; the job ran on after its "
            "description; describe it again");
  EXPECT_EQ(running_with(0.25), "none") << "a bill is late";
}

TEST(HistoryReplay, AJobOfNoTimeFitsIntoTheFleet) {
  const JoinedHistory joined =
      joined_of(read_text(training("a", 3600) + training("b", 0, R"(, "TrainingEndTime": 1785000000,
          "ResourceConfig": {"InstanceType": "ml.g5.xlarge", "InstanceCount": 16})")));
  ASSERT_EQ(joined.machines.size(), 1U);
  EXPECT_EQ(joined.machines[0].most, 16);
}

TEST(HistoryReplay, TimesThatNoJobCanHaveAreDropped) {
  const JoinedHistory joined = joined_of(
      read_text(training("a", 3600) + training("b", -3500, R"(, "TrainingEndTime": 1784990000)")));
  for (const HistoryJob& job : joined.jobs) {
    EXPECT_GE(job.record.billed.value_or(policy::Duration{0}), policy::Duration{0});
    EXPECT_GE(job.record.duration.value_or(policy::Duration{0}), policy::Duration{0});
  }
}

TEST(HistoryReplay, NoPseudonymIsANameOfTheInput) {
  JoinedHistory joined = joined_of(read_text(training("job-2", 3600) + training("job-1", 3600)));
  NameKey key;
  anonymize(joined, key, {});
  for (const HistoryJob& job : joined.jobs) {
    EXPECT_NE(job.record.job_id, "job-1");
    EXPECT_NE(job.record.job_id, "job-2");
  }
}

}  // namespace reeve::scenarios::replay_test
