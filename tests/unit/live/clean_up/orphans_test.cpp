// What is an orphan: alarms and instances, and the jobs that they name.
#include "live/clean_up/orphans.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "tests/unit/live/scripted.hpp"

namespace reeve::live {
namespace orphans_test {

using namespace std::chrono_literals;
using nlohmann::json;

/// Answers DescribeTrainingJob by a table of statuses, and DescribeAlarms and DescribeInstances by
/// a text.
struct Answers final : Transport {
  std::map<std::string, std::string> statuses;
  std::string xml;
  std::vector<std::string> described;

  std::variant<Response, TransportFailure> send(const Request& request) override {
    if (request.body.starts_with("Action=")) return Response{200, {}, xml};
    const std::string name = json::parse(request.body).at("TrainingJobName");
    described.push_back(name);
    const auto found = statuses.find(name);
    if (found == statuses.end()) {
      return Response{400, {}, R"({"__type": "ValidationException",
                                   "message": "Requested resource not found."})"};
    }
    const json reply{{"TrainingJobName", name},
                     {"TrainingJobArn", "arn:aws:sagemaker:us-east-1:1:training-job/" + name},
                     {"TrainingJobStatus", found->second},
                     {"CreationTime", 1767225600},
                     {"TrainingEndTime", 1767229200}};  // 2026-01-01T01:00:00Z
    return Response{200, {}, reply.dump()};
  }
};

class OrphansTest : public testing::Test {
 protected:
  OrphansTest() {
    answers.statuses = {{"ended", "Completed"}, {"failed", "Failed"},  {"stopped", "Stopped"},
                        {"runs", "InProgress"}, {"stops", "Stopping"}, {"goes", "Deleting"},
                        {"odd", "Hibernating"}};
  }
  static Credentials key() {
    Credentials made;
    made.key = {"KEY", Secret{std::string_view{"s"}}, {}};
    return made;
  }
  Judgement judge(const Resource& resource) {
    return judge_orphan(resource, ends, terms, made + 5h);
  }
  Resource alarm_of(std::vector<std::string> jobs) const {
    Resource alarm{ResourceKind::alarm, "alarm", made};
    alarm.subject.jobs = std::move(jobs);
    return alarm;
  }
  Resource instance_of(std::vector<policy::Tag> tags) const {
    Resource instance{ResourceKind::instance, "i-1", made};
    instance.tags = std::move(tags);
    return instance;
  }
  Verdict verdict(const Resource& resource) { return judge(resource).verdict; }

  const policy::Instant made = *parse_iso_date("2026-01-01T00:00:00Z");
  Answers answers;
  Scripted script;
  FixedCredentials credentials{key()};
  Client client{Surroundings{script.environment, answers, script.clock, [] { return 0.5; }},
                credentials,
                {"us-east-1", 1}};
  AccountResources resources{client, script.clock};
  TrainingJobReader reader{client, script.clock};
  JobEnds ends{reader};
  OrphanTerms terms{1h, {"keep", "team=a"}};
};

TEST_F(OrphansTest, AnAlarmOutlivesAllJobsOfItsMetrics) {
  for (const char* job : {"ended", "failed", "stopped", "never-there"}) {
    EXPECT_EQ(verdict(alarm_of({job})), Verdict::remove) << job;
  }
  for (const char* job : {"runs", "stops", "goes"}) {
    EXPECT_EQ(verdict(alarm_of({job})), Verdict::keep) << job;
  }
  EXPECT_EQ(verdict(alarm_of({"odd"})), Verdict::unread);
  EXPECT_EQ(verdict(alarm_of({"ended", "runs"})), Verdict::keep);
  EXPECT_EQ(verdict(alarm_of({"ended", "never-there"})), Verdict::remove);
  EXPECT_EQ(verdict(alarm_of({})), Verdict::keep);
}

TEST_F(OrphansTest, ItIsAnOrphanSinceTheEndOfTheJob) {
  EXPECT_EQ(judge(alarm_of({"ended"})).since, made + 1h);
  EXPECT_EQ(judge(alarm_of({"ended"})).finding, "job Completed");
  terms.older_than = 4h + 1s;
  EXPECT_EQ(verdict(alarm_of({"ended"})), Verdict::keep);
  EXPECT_EQ(verdict(alarm_of({"never-there"})), Verdict::remove);  // since it was made
}

TEST_F(OrphansTest, AnAlarmWithOtherMetricsIsReported) {
  Resource alarm = alarm_of({"ended"});
  alarm.subject.has_other_metrics = true;
  EXPECT_EQ(verdict(alarm), Verdict::report);
}

TEST_F(OrphansTest, ANameAloneIsEnoughForAJobThatHasEnded) {
  Resource alarm = alarm_of({});
  alarm.subject.job_in_name = "ended";
  EXPECT_EQ(verdict(alarm), Verdict::remove);
  alarm.subject.job_in_name = "never-there";
  EXPECT_EQ(verdict(alarm), Verdict::report);
}

TEST_F(OrphansTest, AnInstanceOutlivesTheJobOfItsTag) {
  EXPECT_EQ(verdict(instance_of({{"JOB_ID", "ended"}})), Verdict::remove);
  EXPECT_EQ(verdict(instance_of({{"JOB_ID", "runs"}})), Verdict::keep);
  EXPECT_EQ(verdict(instance_of({{"JOB_ID", "x"}, {"NAME", "y"}})), Verdict::remove);
  EXPECT_EQ(verdict(instance_of({{"JOB_ID", "x"}})), Verdict::report);
  EXPECT_EQ(verdict(instance_of({{"JOB_ID", "no_name"}, {"NAME", "y"}})), Verdict::report);
  EXPECT_EQ(verdict(instance_of({{"NAME", "ended"}})), Verdict::report);
  EXPECT_EQ(verdict(instance_of({{"Name", "ended"}, {"job_id", "ended"}})), Verdict::keep);
  EXPECT_EQ(verdict(instance_of({})), Verdict::keep);
}

TEST_F(OrphansTest, ProtectedAndReplacedInstancesAreReported) {
  const policy::Tag job{"JOB_ID", "ended"};
  EXPECT_EQ(verdict(instance_of({job, {"keep", ""}})), Verdict::report);
  EXPECT_EQ(verdict(instance_of({job, {"team", "a"}})), Verdict::report);
  EXPECT_EQ(verdict(instance_of({job, {"team", "b"}})), Verdict::remove);
  EXPECT_EQ(verdict(instance_of({job, {"aws:autoscaling:groupName", "g"}})), Verdict::report);
}

TEST_F(OrphansTest, EachJobIsAskedForOnceUntilItIsForgotten) {
  judge(alarm_of({"ended"}));
  judge(instance_of({{"JOB_ID", "ended"}}));
  EXPECT_EQ(answers.described.size(), 1U);
  ends.forget();
  judge(alarm_of({"ended"}));
  EXPECT_EQ(answers.described.size(), 2U);
}

TEST_F(OrphansTest, AlarmsAreReadAsAwsWritesThem) {
  answers.xml = R"(<DescribeAlarmsResponse xmlns="http://monitoring.amazonaws.com/doc/2010-08-01/">
  <DescribeAlarmsResult><MetricAlarms>
    <member><AlarmName>one</AlarmName><AlarmArn>arn:1</AlarmArn>
      <AlarmConfigurationUpdatedTimestamp
        >2026-01-01T00:00:00.123Z</AlarmConfigurationUpdatedTimestamp>
      <MetricName>GPUUtilization</MetricName><Namespace>/aws/sagemaker/TrainingJobs</Namespace>
      <Dimensions><member><Name>Host</Name><Value>a-job/algo-2</Value></member></Dimensions>
      <Period>10</Period></member>
    <member><AlarmName>two</AlarmName>
      <AlarmConfigurationUpdatedTimestamp>2026-01-01T00:00:00Z</AlarmConfigurationUpdatedTimestamp>
      <Metrics>
        <member><Id>e</Id><Expression>a/b</Expression></member>
        <member><Id>a</Id><MetricStat><Period>60</Period><Metric><MetricName>G</MetricName>
          <Namespace>/aws/sagemaker/TrainingJobs</Namespace><Dimensions><member><Name>Host</Name>
          <Value>b/algo-1</Value></member></Dimensions></Metric></MetricStat></member>
        <member><Id>b</Id><MetricStat><Period>60</Period><Metric><MetricName>C</MetricName>
          <Namespace>AWS/EC2</Namespace><Dimensions/></Metric></MetricStat></member>
      </Metrics></member>
    <member><AlarmName>c-jobGPUUtil</AlarmName>
      <AlarmConfigurationUpdatedTimestamp>2026-01-01T00:00:00Z</AlarmConfigurationUpdatedTimestamp>
      <MetricName>GPUUtilization</MetricName><Namespace>Own</Namespace>
      <Dimensions/><Period>60</Period></member>
  </MetricAlarms><CompositeAlarms/></DescribeAlarmsResult></DescribeAlarmsResponse>)";
  const auto read = resources.alarms();
  const auto& alarms = std::get<std::vector<Resource>>(read);
  ASSERT_EQ(alarms.size(), 3U);
  EXPECT_EQ(alarms[0].subject.jobs, std::vector<std::string>{"a-job"});
  EXPECT_TRUE(alarms[0].subject.is_high_resolution);
  EXPECT_EQ(alarms[1].subject.jobs, std::vector<std::string>{"b"});
  EXPECT_TRUE(alarms[1].subject.has_other_metrics);
  EXPECT_EQ(alarms[1].subject.metrics, 2U);
  EXPECT_EQ(alarms[2].subject.job_in_name, "c-job");
  answers.xml =
      "<DescribeAlarmsResponse><DescribeAlarmsResult><MetricAlarms>\n </MetricAlarms>"
      "</DescribeAlarmsResult></DescribeAlarmsResponse>";
  EXPECT_TRUE(std::get<std::vector<Resource>>(resources.alarms()).empty());
}

TEST_F(OrphansTest, InstancesAreReadAsAwsWritesThem) {
  answers.xml = R"(<DescribeInstancesResponse xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">
  <requestId>1</requestId><reservationSet><item><reservationId>r-1</reservationId><instancesSet>
    <item><instanceId>i-1</instanceId><instanceState><code>80</code><name>stopped</name>
      </instanceState><instanceType>p5.48xlarge</instanceType>
      <launchTime>2026-01-01T00:00:00.000Z</launchTime><instanceLifecycle>spot</instanceLifecycle>
      <tagSet><item><key>JOB_ID</key><value>a</value></item></tagSet></item>
    </instancesSet></item></reservationSet></DescribeInstancesResponse>)";
  const std::vector<std::string_view> keys{job_tag};
  const auto read = resources.instances(keys);
  const auto& instances = std::get<std::vector<Resource>>(read);
  ASSERT_EQ(instances.size(), 1U);
  EXPECT_EQ(instances[0].id, "i-1");
  EXPECT_EQ(instances[0].state, "stopped");
  EXPECT_TRUE(instances[0].is_spot);
  EXPECT_EQ(*instances[0].tag("JOB_ID"), "a");
}

}  // namespace orphans_test
}  // namespace reeve::live
