// Queues of AWS Batch are read as the service states them, whoever prints them, and what a scenario
// has not is told or refused where it stands.
#include "scenarios/exchange/batch_import.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "scenarios/load.hpp"

namespace reeve::scenarios {
namespace batch_import_test {

using policy::Sharing;

BatchImport read(const std::vector<std::string>& texts,
                 const std::vector<std::string>& queues = {}) {
  std::vector<std::shared_ptr<const SourceFile>> files;
  for (const std::string& text : texts) {
    files.push_back(SourceFile::from_text("f" + std::to_string(files.size() + 1), text));
  }
  return read_batch(files, queues);
}

/// "W0581 f1 3:7 message" of each.
std::vector<std::string> told(const std::vector<Diagnostic>& found) {
  std::vector<std::string> all;
  for (const Diagnostic& each : found) {
    all.push_back(each.code + " " + each.file + " " + std::to_string(each.position.line) + ":" +
                  std::to_string(each.position.column) + " " + each.message);
  }
  return all;
}

std::vector<std::string> refused(const std::vector<std::string>& texts,
                                 const std::vector<std::string>& queues = {}) {
  try {
    read(texts, queues);
  } catch (const InputError& error) {
    return told(error.diagnostics());
  }
  return {};
}

using Told = std::vector<std::string>;

const char* const environments = R"({
  "serviceEnvironments": [
    { "serviceEnvironmentName": "training",
      "serviceEnvironmentArn": "arn:aws:batch:us-east-1:123456789012:service-environment/training",
      "serviceEnvironmentType": "SAGEMAKER_TRAINING", "state": "ENABLED", "status": "VALID",
      "capacityLimits": [ { "maxCapacity": 100, "capacityUnit": "ml.p4d.24xlarge" },
                          { "maxCapacity": 8, "capacityUnit": "ml.p5.48xlarge" } ], "tags": {} } ]
})";
const char* const queues = R"({
  "jobQueues": [
    { "jobQueueName": "main",
      "jobQueueArn": "arn:aws:batch:us-east-1:123456789012:job-queue/main",
      "state": "ENABLED", "status": "VALID", "statusReason": "JobQueue Healthy", "priority": 7,
      "schedulingPolicyArn": "arn:aws:batch:us-east-1:123456789012:scheduling-policy/by-team",
      "computeEnvironmentOrder": [],
      "serviceEnvironmentOrder": [ { "order": 1, "serviceEnvironment":
        "arn:aws:batch:us-east-1:123456789012:service-environment/training" } ],
      "jobQueueType": "SAGEMAKER_TRAINING", "tags": {}, "jobStateTimeLimitActions": [] } ]
})";
const char* const policies = R"({
  "schedulingPolicies": [
    { "name": "by-team", "arn": "arn:aws:batch:us-east-1:123456789012:scheduling-policy/by-team",
      "quotaSharePolicy": { "idleResourceAssignmentStrategy": "FIFO" }, "tags": {} } ]
})";
const char* const shares = R"({
  "quotaShares": [
    { "quotaShareName": "search",
      "quotaShareArn": "arn:aws:batch:us-east-1:123456789012:job-queue/main/quota-share/search",
      "jobQueueArn": "arn:aws:batch:us-east-1:123456789012:job-queue/main",
      "capacityLimits": [ { "maxCapacity": 60, "capacityUnit": "ml.p4d.24xlarge" } ],
      "resourceSharingConfiguration": { "strategy": "LEND_AND_BORROW", "borrowLimit": 50 },
      "preemptionConfiguration": { "inSharePreemption": "ENABLED" },
      "state": "ENABLED", "status": "VALID" } ],
  "nextToken": null
})";
const char* const share = R"({
  "quotaShareName": "ads",
  "quotaShareArn": "arn:aws:batch:us-east-1:123456789012:job-queue/main/quota-share/ads",
  "jobQueueArn": "arn:aws:batch:us-east-1:123456789012:job-queue/main",
  "capacityLimits": [ { "maxCapacity": 8, "capacityUnit": "ml.p5.48xlarge" },
                      { "maxCapacity": 40, "capacityUnit": "ml.p4d.24xlarge" } ],
  "resourceSharingConfiguration": { "strategy": "LEND" },
  "preemptionConfiguration": { "inSharePreemption": "DISABLED" },
  "state": "ENABLED", "status": "VALID", "tags": {}
})";

/// What they say, worked out by hand.
BatchSet described_set() {
  BatchShare search;
  search.name = "search";
  search.limits = {{"ml.p4d.24xlarge", 60}};
  search.sharing = Sharing::lend_and_borrow;
  search.borrow_limit_pct = 50;
  search.in_share_preemption = true;
  BatchShare ads;
  ads.name = "ads";
  ads.limits = {{"ml.p5.48xlarge", 8}, {"ml.p4d.24xlarge", 40}};
  ads.sharing = Sharing::lend;
  BatchQueue queue;
  queue.name = "main";
  queue.environment = "training";
  queue.priority = 7;
  queue.order = BatchOrder::quota;
  queue.shares = {search, ads};
  return {{{"training", {{"ml.p4d.24xlarge", 100}, {"ml.p5.48xlarge", 8}}}}, {queue}};
}

TEST(BatchImport, ReadsWhatTheServiceAnswersInFilesOfAnyOrder) {
  const BatchImport imported = read({environments, queues, policies, shares, share});
  EXPECT_EQ(imported.set, described_set());
  EXPECT_EQ(told(imported.warnings), Told{});
  EXPECT_EQ(read({shares, share, policies, queues, environments}).set, described_set());
  // Answers overlap: a share that is listed and described is one.
  EXPECT_EQ(read({shares, shares, share, policies, queues, environments}).set, described_set());
}

TEST(BatchImport, ReadsOneFileOfAllAnswers) {
  const std::string list = std::string{"["} + environments + ", " + queues + ", " + policies +
                           ", " + shares + ", " + share + "]";
  EXPECT_EQ(read({list}).set, described_set());
  const std::string named = std::string{"{ \"environments\": "} + environments +
                            ", \"queues\": " + queues + ", \"rest\": [" + policies + "," + shares +
                            "," + share + "] }";
  EXPECT_EQ(read({named}).set, described_set());
  EXPECT_EQ(told(read({named}).warnings), Told{});
}

TEST(BatchImport, ReadsWhatIsExported) {
  const BatchSet set = described_set();
  const BatchImport of_template =
      read({cloudformation_text(set, "AWS Batch queues of the scenario ours")});
  EXPECT_EQ(of_template.set, set);
  EXPECT_EQ(of_template.scenario, "ours");
  std::vector<std::string> inputs;
  for (const BatchCall& call : batch_calls(set, {"us-east-1", "123456789012"})) {
    inputs.push_back(call.text);
  }
  EXPECT_EQ(read(inputs).set, set);
}

TEST(BatchImport, MakesAScenarioThatSaysTheSame) {
  const BatchSet set = described_set();
  const std::string text = scenario_text(set, {"ours", "ml.p4d.24xlarge", ""});
  const Loaded loaded = load(SourceFile::from_text("ours.jsonc", text), ".");
  EXPECT_EQ(told(loaded.warnings), Told{});
  const models::World& world = loaded.scenario.world;
  ASSERT_EQ(world.directory.pools.size(), 2U);
  EXPECT_EQ(world.directory.pools[0].name, "p4d-24xlarge");
  EXPECT_EQ(world.directory.pools[0].size, 100U);
  EXPECT_EQ(world.directory.pools[1].size, 8U);
  EXPECT_EQ(world.directory.shares[0].borrow_limit_pct, 50);
  EXPECT_TRUE(world.directory.shares[0].in_share_preemption);
  EXPECT_EQ(world.directory.queues[0].priority, 7);
  EXPECT_EQ(world.jobs.specs.size(), 2U);  // one for each share
}

const char* const fair = R"([
{ "serviceEnvironmentName": "all", "serviceEnvironmentType": "SAGEMAKER_TRAINING",
  "capacityLimits": [ { "maxCapacity": 12, "capacityUnit": "NUM_INSTANCES" } ] },
{ "name": "weights", "fairsharePolicy": { "shareDecaySeconds": 5400, "computeReservation": 30,
    "shareDistribution": [ { "shareIdentifier": "gold", "weightFactor": 0.125 },
                           { "shareIdentifier": "iron*" } ] } },
{ "jobQueueName": "fair", "jobQueueType": "SAGEMAKER_TRAINING", "priority": 1,
  "schedulingPolicyArn": "weights",
  "serviceEnvironmentOrder": [ { "order": 1, "serviceEnvironment": "all" } ] }
])";

TEST(BatchImport, ReadsFairShare) {
  const BatchImport imported = read({fair});
  BatchShare gold;
  gold.name = "gold";
  gold.weight = 1250;
  BatchShare iron;
  iron.name = "iron*";
  BatchQueue queue;
  queue.name = "fair";
  queue.environment = "all";
  queue.priority = 1;
  queue.order = BatchOrder::fair_share;
  queue.share_decay_s = 5400;
  queue.compute_reservation_pct = 30;
  queue.shares = {gold, iron};
  EXPECT_EQ(imported.set, (BatchSet{{{"all", {{"NUM_INSTANCES", 12}}}}, {queue}}));
  EXPECT_EQ(told(imported.warnings), Told{});
  EXPECT_TRUE(counts_all_types(imported.set));
}

TEST(BatchImport, TellsWhatIsLeftOut) {
  const BatchImport imported = read({R"([
{ "serviceEnvironmentName": "all", "state": "DISABLED", "tags": { "team": "x" },
  "capacityLimits": [ { "maxCapacity": 12, "capacityUnit": "NUM_INSTANCES" } ] },
{ "serviceEnvironmentName": "nobodys",
  "capacityLimits": [ { "maxCapacity": 1, "capacityUnit": "NUM_INSTANCES" } ] },
{ "jobQueueName": "batch", "jobQueueType": "ECS", "priority": 1,
  "computeEnvironmentOrder": [ { "order": 1, "computeEnvironment": "c" } ] },
{ "jobQueueName": "line", "jobQueueType": "SAGEMAKER_TRAINING", "priority": 1, "sate": "ENABLED",
  "jobStateTimeLimitActions": [
    { "state": "RUNNABLE", "maxTimeSeconds": 700,
      "reason": "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY" },
    { "state": "RUNNABLE", "action": "TERMINATE", "maxTimeSeconds": 600,
      "reason": "MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE" } ],
  "serviceEnvironmentOrder": [ { "order": 1, "serviceEnvironment": "all" } ] }
])"});
  EXPECT_EQ(imported.set.queues.size(), 1U);
  EXPECT_EQ(imported.set.environments.size(), 1U);
  EXPECT_EQ(
      told(imported.warnings),
      (Told{"W0581 f1 2:45 a service environment is DISABLED", "W0581 f1 2:57 \"tags\" is omitted",
            "W0581 f1 4:1 a service environment \"nobodys\" is omitted",
            "W0581 f1 6:44 queue \"batch\" is omitted", "W0581 f1 8:80 \"sate\" is omitted",
            "W0581 f1 12:5 a limit of \"jobStateTimeLimitActions\" is omitted"}));
  EXPECT_EQ(imported.set.queues[0].runnable_limit_s, 700);
  const auto misspelt =
      std::find_if(imported.warnings.begin(), imported.warnings.end(),
                   [](const Diagnostic& each) { return each.message == "\"sate\" is omitted"; });
  EXPECT_EQ(misspelt->help, "did you mean \"state\"?");
}

TEST(BatchImport, SharesOfOneNameInTwoQueuesGetNamesOfTheirOwn) {
  std::string two = fair;
  two.replace(two.rfind(']'), 1, R"(, { "jobQueueName": "more-of-it",
  "jobQueueType": "SAGEMAKER_TRAINING", "priority": 2, "schedulingPolicyArn": "weights",
  "serviceEnvironmentOrder": [ { "order": 1, "serviceEnvironment": "all" } ] } ])");
  const BatchImport imported = read({two});
  ASSERT_EQ(imported.set.queues.size(), 2U);
  EXPECT_EQ(imported.set.queues[1].shares[0].name, "moreofitgold");
  EXPECT_EQ(imported.set.queues[1].shares[1].name, "moreofitiron*");
  EXPECT_EQ(imported.warnings.size(), 2U);
}

TEST(BatchImport, QueuesWithoutALetterNameTheirSharesAsWell) {
  std::string many = fair;
  for (const std::string& queue :
       std::vector<std::string>{"_", "--", "a", "a_", std::string(128, 'q')}) {
    many.replace(many.rfind(']'), 1, ", { \"jobQueueName\": \"" + queue + R"(",
  "jobQueueType": "SAGEMAKER_TRAINING", "priority": 2, "schedulingPolicyArn": "weights",
  "serviceEnvironmentOrder": [ { "order": 1, "serviceEnvironment": "all" } ] } ])");
  }
  const BatchImport imported = read({many});
  std::vector<std::string> names;
  for (const BatchQueue& queue : imported.set.queues) names.push_back(queue.shares[0].name);
  EXPECT_EQ(names, (std::vector<std::string>{"gold", "queuegold", "queue2gold", "agold", "a2gold",
                                             std::string(60, 'q') + "gold"}));
}

TEST(BatchImport, APrefixComesToAShareThatSaysTheSame) {
  const BatchSet set = read({fair}).set;
  const std::string text = scenario_text(set, {"ours", "ml.p4d.24xlarge", ""});
  const auto file = SourceFile::from_text("ours.jsonc", text);
  const Loaded loaded = load(file, ".");
  const auto& made = loaded.scenario.world.directory.shares;
  ASSERT_EQ(made.size(), 2U);  // the second is that of the example of a job
  EXPECT_EQ(made[1].name, "iron1");
  const BatchReading again = batch_of(loaded.scenario, loaded.scenario.policies.front(), file);
  EXPECT_EQ(again.set, set);
}

/// Of 255 characters in AWS Batch, of which a name here has room for 199 and the star of a prefix.
TEST(BatchImport, IdentifiersAreLongerThanNames) {
  const auto called = [](const std::string& name) {
    std::string text = fair;
    return text.replace(text.find("\"gold\""), 6, '"' + name + '"');
  };
  const BatchSet set = read({called(std::string(199, 'g'))}).set;
  EXPECT_EQ(set.queues[0].shares[0].name, std::string(199, 'g'));
  const auto file =
      SourceFile::from_text("ours.jsonc", scenario_text(set, {"ours", "ml.p4d.24xlarge", ""}));
  const Loaded loaded = load(file, ".");
  EXPECT_EQ(batch_of(loaded.scenario, loaded.scenario.policies.front(), file).set, set);
  const Told long_one = refused({called(std::string(200, 'g'))});
  ASSERT_EQ(long_one.size(), 1U);
  EXPECT_NE(long_one[0].find("is too long for a share name"), std::string::npos) << long_one[0];
  EXPECT_EQ(refused({called("*")}), Told{"E0351 f1 5:49 AWS Batch rejects the name \"*\""});
  EXPECT_EQ(refused({called("a-b")}), Told{"E0351 f1 5:49 AWS Batch rejects the name \"a-b\""});
}

TEST(BatchImport, AShareIsOfOnePrefix) {
  std::string twice = fair;
  twice.replace(twice.find("\"gold\""), 6, "\"iron7\"");
  EXPECT_EQ(refused({twice}), Told{"E0358 f1 6:28 shares \"iron7\" and \"iron*\" overlap"});
  // Of two policies it may be: the scenario has names of their own.
  const BatchImport imported = read({fair, R"([
{ "name": "more", "fairsharePolicy": { "shareDecaySeconds": 5400, "computeReservation": 30,
    "shareDistribution": [ { "shareIdentifier": "iron7" }, { "shareIdentifier": "go*" } ] } },
{ "jobQueueName": "other", "jobQueueType": "SAGEMAKER_TRAINING", "priority": 1,
  "schedulingPolicyArn": "more",
  "serviceEnvironmentOrder": [ { "order": 1, "serviceEnvironment": "all" } ] } ])"});
  EXPECT_EQ(imported.set.queues[1].shares[0].name, "otheriron7");
  EXPECT_EQ(imported.set.queues[1].shares[1].name, "othergo*");
}

TEST(BatchImport, TellsNothingOfWhatIsNotAskedFor) {
  const auto disabled = [](std::string text) {
    text.replace(text.find("ENABLED\", \"status"), 7, "DISABLED");
    return text;
  };
  const std::string other = R"([
{ "serviceEnvironmentName": "spare", "state": "ENABLED",
  "capacityLimits": [ { "maxCapacity": 12, "capacityUnit": "NUM_INSTANCES" } ] },
{ "jobQueueName": "line", "jobQueueType": "SAGEMAKER_TRAINING", "priority": 1,
  "serviceEnvironmentOrder": [ { "order": 1, "serviceEnvironment": "spare" } ] }
])";
  const std::vector<std::string> files{disabled(environments), queues, policies, disabled(shares),
                                       other};
  EXPECT_EQ(told(read(files, {"main"}).warnings),
            (Told{"W0581 f1 5:64 a service environment is DISABLED",
                  "W0581 f4 9:16 a quota share is DISABLED"}));
  EXPECT_EQ(told(read(files, {"line"}).warnings), Told{});
}

TEST(BatchImport, ReadsTheQueuesThatAreAskedFor) {
  const std::string other = R"({ "jobQueueName": "other", "jobQueueType": "SAGEMAKER_TRAINING",
    "serviceEnvironmentOrder": [ { "order": 1, "serviceEnvironment": "elsewhere" } ] })";
  const std::vector<std::string> files{environments, queues, policies, shares, share, other};
  EXPECT_EQ(read(files, {"main"}).set, described_set());
  EXPECT_EQ(refused(files, {"mian"}), Told{"E0356  0:0 no file describes a job queue \"mian\""});
}

// ---- templates -------------------------------------------------------------------------------

TEST(BatchImport, FollowsReferencesOfATemplate) {
  const BatchImport imported = read({R"({ "Resources": {
  "Gpus": { "Type": "AWS::Batch::ServiceEnvironment", "Properties": {
    "ServiceEnvironmentType": "SAGEMAKER_TRAINING",
    "CapacityLimits": [ { "MaxCapacity": "4", "CapacityUnit": "NUM_INSTANCES" } ] } },
  "Role": { "Type": "AWS::IAM::Role", "Properties": {} },
  "Line": { "Type": "AWS::Batch::JobQueue", "DependsOn": "Gpus", "Properties": {
    "JobQueueName": "line", "JobQueueType": "SAGEMAKER_TRAINING", "Priority": 3,
    "ServiceEnvironmentOrder": [ { "Order": 1, "ServiceEnvironment":
      { "Fn::GetAtt": [ "Gpus", "ServiceEnvironmentArn" ] } } ] } } } })"});
  BatchQueue queue;
  queue.name = "line";
  queue.environment = "Gpus";
  queue.priority = 3;
  EXPECT_EQ(imported.set, (BatchSet{{{"Gpus", {{"NUM_INSTANCES", 4}}}}, {queue}}));
  EXPECT_EQ(told(imported.warnings), (Told{"W0581 f1 2:69 a service environment without a name",
                                           "W0581 f1 5:21 \"AWS::IAM::Role\" is omitted"}));
}

TEST(BatchImport, TakesTheResourcesOfATemplateInTheOrderOfTheirNames) {
  const auto template_of = [](const std::vector<std::string>& resources) {
    std::string text;
    for (const std::string& each : resources) text += (text.empty() ? "" : ",\n") + each;
    return "{ \"Resources\": {\n" + text + " } }";
  };
  const auto environment = [](const std::string& name) {
    return "\"Of" + name + "\": { \"Type\": \"AWS::Batch::ServiceEnvironment\", \"Properties\": {" +
           "\"ServiceEnvironmentName\": \"" + name + "\", " +
           "\"ServiceEnvironmentType\": \"SAGEMAKER_TRAINING\", \"CapacityLimits\": " +
           "[ { \"MaxCapacity\": 4, \"CapacityUnit\": \"NUM_INSTANCES\" } ] } }";
  };
  const auto queue = [](const std::string& name, const std::string& on) {
    return "\"Of" + name + "\": { \"Type\": \"AWS::Batch::JobQueue\", \"Properties\": {" +
           "\"JobQueueName\": \"" + name + "\", \"JobQueueType\": \"SAGEMAKER_TRAINING\", " +
           "\"ServiceEnvironmentOrder\": [ { \"Order\": 1, \"ServiceEnvironment\": \"" + on +
           "\" } ] } }";
  };
  const std::vector<std::string> resources{queue("b", "x"), environment("y"), queue("a", "y"),
                                           environment("x")};
  const BatchFrame frame{"s", "ml.p4d.24xlarge"};
  const std::string text = scenario_text(read({template_of(resources)}).set, frame);
  EXPECT_LT(text.find("\"a\""), text.find("\"b\""));
  const std::vector<std::string> reversed{resources.rbegin(), resources.rend()};
  EXPECT_EQ(scenario_text(read({template_of(reversed)}).set, frame), text);
}

TEST(BatchImport, RefusesWhatCloudFormationWorksOut) {
  EXPECT_EQ(refused({R"({ "Resources": {
  "Gpus": { "Type": "AWS::Batch::ServiceEnvironment", "Properties": {
    "ServiceEnvironmentName": "gpus",
    "CapacityLimits": [ { "CapacityUnit": "NUM_INSTANCES",
      "MaxCapacity": { "Ref": "Most" } } ] } },
  "Line": { "Type": "AWS::Batch::JobQueue", "Properties": {
    "JobQueueName": "line", "JobQueueType": "SAGEMAKER_TRAINING", "Priority": 3,
    "SchedulingPolicyArn": { "Fn::ImportValue": "policy" },
    "ServiceEnvironmentOrder": [ { "Order": 1,
      "ServiceEnvironment": { "Ref": "Gpu" } } ] } } } })"}),
            (Told{"E0357 f1 5:22 a value that CloudFormation computes at deployment",
                  "E0357 f1 8:28 a value that CloudFormation computes at deployment",
                  "E0356 f1 10:38 the template has no ServiceEnvironment \"Gpu\""}));
}

// ---- what is refused -------------------------------------------------------------------------

TEST(BatchImport, RefusesWhatNoFileDescribes) {
  EXPECT_EQ(refused({queues}),
            (Told{"E0356 f1 6:30 no file describes a scheduling policy \"by-team\"",
                  "E0356 f1 9:9 no file describes a service environment \"training\""}));
  EXPECT_EQ(refused({environments, queues, policies}),
            Told{"E0356 f2 3:5 no file describes a quota share of queue \"main\""});
  EXPECT_EQ(refused({environments}),
            Told{"E0355 f1 1:1 no AWS Batch queue for training in the input"});
  EXPECT_EQ(refused({R"({ "schedulingPolicies": [ { "arn": "x/y" } ] })"}),
            Told{"E0202 f1 1:27 a scheduling policy has neither \"fairsharePolicy\" nor "
                 "\"quotaSharePolicy\""});
}

TEST(BatchImport, RefusesPagesThatAreMissing) {
  std::string page = shares;
  page.replace(page.find("null"), 4, "\"abc\"");
  EXPECT_EQ(refused({environments, queues, policies, page}),
            Told{"E0335 f4 10:16 the answer continues on another page"});
}

TEST(BatchImport, RefusesTwoDescriptionsThatDiffer) {
  std::string later = share;
  later.replace(later.find("40"), 2, "45");
  EXPECT_EQ(refused({environments, queues, policies, shares, share, later}),
            Told{"E0358 f6 1:1 quota share \"ads\" has two different descriptions"});
}

TEST(BatchImport, RefusesWordsNumbersAndTypesWhereTheyStand) {
  std::string wrong = share;
  wrong.replace(wrong.find("\"LEND\""), 6, "\"LEND_AND_BOROW\"");
  wrong.replace(wrong.find("\"maxCapacity\": 40"), 17, "\"maxCapacity\": -4");
  wrong.replace(wrong.find("ml.p5.48xlarge"), 14, "p5.48xlarge");
  EXPECT_EQ(refused({environments, queues, policies, wrong}),
            (Told{"E0353 f4 5:59 \"p5.48xlarge\" is not a SageMaker instance type",
                  "E0205 f4 6:40 \"maxCapacity\": -4 is too small",
                  "E0204 f4 7:49 \"strategy\": unknown value \"LEND_AND_BOROW\""}));
}

TEST(BatchImport, TellsNothingThatFollowsFromAnError) {
  std::string long_decay = fair;
  long_decay.replace(long_decay.find("5400"), 4, "700000");
  EXPECT_EQ(refused({long_decay}),
            Told{"E0205 f1 4:64 \"shareDecaySeconds\": 700000 is too large"});
  EXPECT_EQ(refused({environments, queues, shares, share}),
            Told{"E0356 f2 6:30 no file describes a scheduling policy \"by-team\""});
}

TEST(BatchImport, RefusesQueuesThatOnePolicyCannotServe) {
  EXPECT_EQ(refused({environments, queues, policies, shares, share, fair}),
            (Told{"E0359 f6 7:1 queue \"fair\" uses fair share, but \"main\" uses quota shares"}));
  EXPECT_EQ(read({environments, queues, policies, shares, share, fair}, {"main"}).set,
            described_set());
}

TEST(BatchImport, RefusesWhatIsNoJson) {
  EXPECT_EQ(refused({"{ \"jobQueues\": [ { \"jobQueueName\" \"main\" } ] }"}).front().substr(0, 13),
            "E0115 f1 1:34");
  EXPECT_EQ(refused({"7"}), Told{"E0120 f1 1:1 expected an object"});
}

}  // namespace batch_import_test
}  // namespace reeve::scenarios
