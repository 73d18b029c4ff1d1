#include "live/mock/parameters.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "live/aws/query_form.hpp"
#include "live/mock/query_reply.hpp"

namespace reeve::live {
namespace parameters_test {

using nlohmann::json;

std::string refusal(const char* service, const char* operation, const json& asked) {
  const auto error = wrong_parameters(service, operation, asked);
  return error ? error->message : "(accepted)";
}

/// As the account receives it of a form.
json in_form(const json& asked) {
  return form_value(form_fields(asked, Protocol::query), Protocol::query).value();
}

json with(json asked, const char* name, const json& value) {
  asked[name] = value;
  return asked;
}

const json job = {{"TrainingJobName", "a"},
                  {"RoleArn", "arn:aws:iam::111122223333:role/train"},
                  {"OutputDataConfig", {{"S3OutputPath", "s3://bucket/out"}}}};

TEST(WrongParameters, OfATrainingJob) {
  const auto refused = [](const json& asked) {
    return refusal("sagemaker", "CreateTrainingJob", asked);
  };
  EXPECT_EQ(refused(job), "(accepted)");
  EXPECT_EQ(refused(with(job, "EnableManagedSpotTraining", true)), "(accepted)");
  EXPECT_EQ(refused(with(job, "Tags", json::array())), "(accepted)");
  for (const char* name : {"TrainingJobName", "RoleArn", "OutputDataConfig"}) {
    json without = job;
    without.erase(name);
    EXPECT_NE(refused(without).find(std::string{name} + " is required"), std::string::npos);
  }
  for (const json& wrong :
       {with(job, "TrainingJobArn", "arn"), with(job, "WarmPoolStatus", json::object()),
        with(job, "EnableManagedSpotTraining", "true"), with(job, "InputDataConfig", json::array()),
        with(job, "Tags", json(51, json::object())), with(job, "Environment", json::array())}) {
    EXPECT_NE(refused(wrong), "(accepted)") << wrong;
  }
}

TEST(WrongParameters, OfTagsThatAreAdded) {
  const json asked = {{"ResourceArn", "arn"}, {"Tags", {{{"Key", "k"}, {"Value", "v"}}}}};
  EXPECT_EQ(refusal("sagemaker", "AddTags", asked), "(accepted)");
  EXPECT_NE(refusal("sagemaker", "AddTags", {{"ResourceArn", "arn"}}), "(accepted)");
}

TEST(WrongParameters, OfAnAlarmInAFormAndInJson) {
  const json alarm = {{"AlarmName", "a"},
                      {"ActionsEnabled", true},
                      {"AlarmActions", {"arn:aws:sns:us-east-1:111122223333:topic"}},
                      {"OKActions", json::array()},
                      {"Dimensions", {{{"Name", "Host"}, {"Value", "a/algo-1"}}}},
                      {"Period", 300},
                      {"Threshold", 0.5}};
  for (const json& asked : {alarm, in_form(alarm)}) {
    EXPECT_EQ(refusal("monitoring", "PutMetricAlarm", asked), "(accepted)") << asked;
    EXPECT_NE(refusal("monitoring", "PutMetricAlarm", with(asked, "AlarmArn", "a")), "(accepted)");
    const json six = json(6, "arn");
    EXPECT_NE(refusal("monitoring", "PutMetricAlarm", with(asked, "OKActions", six)), "(accepted)");
    EXPECT_NE(refusal("monitoring", "PutMetricAlarm", with(asked, "ActionsEnabled", "yes")),
              "(accepted)");
  }
  EXPECT_NE(refusal("monitoring", "PutMetricAlarm", json::object()), "(accepted)");
}

TEST(WrongParameters, OfTheNamesOfAlarms) {
  const json names = {{"AlarmNames", {"a", "b"}}};
  for (const char* operation : {"DeleteAlarms", "DescribeAlarms"}) {
    EXPECT_EQ(refusal("monitoring", operation, names), "(accepted)");
    EXPECT_EQ(refusal("monitoring", operation, in_form(names)), "(accepted)");
    const json many = {{"AlarmNames", json(101, "a")}};
    EXPECT_NE(refusal("monitoring", operation, many), "(accepted)");
  }
  EXPECT_NE(refusal("monitoring", "DeleteAlarms", json::object()), "(accepted)");
  EXPECT_EQ(refusal("monitoring", "DescribeAlarms", json::object()), "(accepted)");
}

TEST(WrongParameters, OfAMessage) {
  const json message = {{"TopicArn", "arn"}, {"Subject", "s"}, {"Message", "m"}};
  EXPECT_EQ(refusal("sns", "Publish", message), "(accepted)");
  EXPECT_EQ(refusal("sns", "Publish", in_form(message)), "(accepted)");
  EXPECT_NE(refusal("sns", "Publish", {{"TopicArn", "arn"}}), "(accepted)");
  EXPECT_NE(refusal("sns", "Publish", with(message, "Topic", "t")), "(accepted)");
}

}  // namespace parameters_test
}  // namespace reeve::live
