// The AWS services that reeve calls: names, hosts and wire protocols.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reeve::live {

enum class Protocol : std::uint8_t {
  json_1_0,  ///< JSON with X-Amz-Target
  json_1_1,
  query,     ///< a form, answered with XML
  ec2,       ///< the same with other lists
  rest_json  ///< JSON with a path per operation
};

/// One service.  Source: the service models that botocore ships.
struct Service {
  std::string_view id;           ///< as in AWS_ENDPOINT_URL_<ID>
  std::string_view host_prefix;  ///< of the default host
  std::string_view signing_name;
  Protocol protocol = Protocol::json_1_1;
  std::string_view target_prefix;  ///< of X-Amz-Target
  std::string_view api_version;    ///< of forms
};

namespace services {

inline constexpr Service sagemaker{"SAGEMAKER",        "api.sagemaker", "sagemaker",
                                   Protocol::json_1_1, "SageMaker",     {}};
inline constexpr Service batch{"BATCH", "batch", "batch", Protocol::rest_json, {}, {}};
inline constexpr Service ec2{"EC2", "ec2", "ec2", Protocol::ec2, {}, "2016-11-15"};
inline constexpr Service cloudwatch{"CLOUDWATCH",    "monitoring", "monitoring",
                                    Protocol::query, {},           "2010-08-01"};
inline constexpr Service cloudtrail{"CLOUDTRAIL",
                                    "cloudtrail",
                                    "cloudtrail",
                                    Protocol::json_1_1,
                                    "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101",
                                    {}};
inline constexpr Service eventbridge{"EVENTBRIDGE",      "events",    "events",
                                     Protocol::json_1_1, "AWSEvents", {}};
inline constexpr Service sqs{"SQS", "sqs", "sqs", Protocol::json_1_0, "AmazonSQS", {}};
inline constexpr Service sns{"SNS", "sns", "sns", Protocol::query, {}, "2010-03-31"};
inline constexpr Service ssm{"SSM", "ssm", "ssm", Protocol::json_1_1, "AmazonSSM", {}};
inline constexpr Service sts{"STS", "sts", "sts", Protocol::query, {}, "2011-06-15"};
inline constexpr Service dynamodb{"DYNAMODB",         "dynamodb",          "dynamodb",
                                  Protocol::json_1_0, "DynamoDB_20120810", {}};

}  // namespace services

}  // namespace reeve::live
