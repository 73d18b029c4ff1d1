#include <array>

#include "live/mock/parameter_table.hpp"

namespace reeve::live::parameter_table {
namespace {

constexpr std::array submit_job = std::to_array<Parameter>({
    {"jobName", Kind::text, true},
    {"jobQueue", Kind::text, true},
    {"jobDefinition", Kind::text, true},
    {"shareIdentifier"},
    {"schedulingPriorityOverride", Kind::whole},
    {"arrayProperties", Kind::object},
    {"dependsOn", Kind::list},
    {"parameters", Kind::object},
    {"containerOverrides", Kind::object},
    {"nodeOverrides", Kind::object},
    {"eksPropertiesOverride", Kind::object},
    {"retryStrategy", Kind::object},
    {"propagateTags", Kind::truth},
    {"timeout", Kind::object},
    {"tags", Kind::object},
});
constexpr std::array list_jobs = std::to_array<Parameter>({
    {"jobQueue"},
    {"arrayJobId"},
    {"multiNodeJobId"},
    {"jobStatus"},
    {"maxResults", Kind::whole, false, 1, 100},
    {"nextToken"},
    {"filters", Kind::list},
});
constexpr std::array describe_jobs = std::to_array<Parameter>({{"jobs", Kind::list, true, 1, 100}});
constexpr std::array terminate_job = std::to_array<Parameter>({
    {"jobId", Kind::text, true},
    {"reason", Kind::text, true},
});

constexpr std::array create_environment = std::to_array<Parameter>({
    {"serviceEnvironmentName", Kind::text, true},
    {"serviceEnvironmentType", Kind::text, true},
    {"state"},
    {"capacityLimits", Kind::list, true},
    {"tags", Kind::object},
});
constexpr std::array update_environment = std::to_array<Parameter>({
    {"serviceEnvironment", Kind::text, true},
    {"state"},
    {"capacityLimits", Kind::list},
});
constexpr std::array describe_environments = std::to_array<Parameter>({
    {"serviceEnvironments", Kind::list},
    {"maxResults", Kind::whole, false, 1, 100},
    {"nextToken"},
});
constexpr std::array create_policy = std::to_array<Parameter>({
    {"name", Kind::text, true},
    {"quotaSharePolicy", Kind::object},
    {"fairsharePolicy", Kind::object},
    {"tags", Kind::object},
});
constexpr std::array update_policy = std::to_array<Parameter>({
    {"arn", Kind::text, true},
    {"quotaSharePolicy", Kind::object},
    {"fairsharePolicy", Kind::object},
});
constexpr std::array describe_policies = std::to_array<Parameter>({
    {"arns", Kind::list, true, 1, 100},
});
constexpr std::array create_queue = std::to_array<Parameter>({
    {"jobQueueName", Kind::text, true},
    {"state"},
    {"schedulingPolicyArn"},
    {"priority", Kind::whole, true},
    {"computeEnvironmentOrder", Kind::list},
    {"serviceEnvironmentOrder", Kind::list},
    {"jobQueueType"},
    {"tags", Kind::object},
    {"jobStateTimeLimitActions", Kind::list},
});
constexpr std::array update_queue = std::to_array<Parameter>({
    {"jobQueue", Kind::text, true},
    {"state"},
    {"schedulingPolicyArn"},
    {"priority", Kind::whole},
    {"computeEnvironmentOrder", Kind::list},
    {"serviceEnvironmentOrder", Kind::list},
    {"jobStateTimeLimitActions", Kind::list},
});
constexpr std::array describe_queues = std::to_array<Parameter>({
    {"jobQueues", Kind::list},
    {"maxResults", Kind::whole, false, 1, 100},
    {"nextToken"},
});
constexpr std::array create_share = std::to_array<Parameter>({
    {"quotaShareName", Kind::text, true},
    {"jobQueue", Kind::text, true},
    {"capacityLimits", Kind::list, true, 1, 5},
    {"resourceSharingConfiguration", Kind::object, true},
    {"preemptionConfiguration", Kind::object, true},
    {"state"},
    {"tags", Kind::object},
});
constexpr std::array update_share = std::to_array<Parameter>({
    {"quotaShareArn", Kind::text, true},
    {"capacityLimits", Kind::list, false, 1, 5},
    {"resourceSharingConfiguration", Kind::object},
    {"preemptionConfiguration", Kind::object},
    {"state"},
});
constexpr std::array describe_share =
    std::to_array<Parameter>({{"quotaShareArn", Kind::text, true}});
constexpr std::array list_shares = std::to_array<Parameter>({
    {"jobQueue", Kind::text, true},
    {"maxResults", Kind::whole, false, 1, 100},
    {"nextToken"},
});
constexpr std::array submit_service_job = std::to_array<Parameter>({
    {"jobName", Kind::text, true},
    {"jobQueue", Kind::text, true},
    {"retryStrategy", Kind::object},
    {"schedulingPriority", Kind::whole, false, 0, 9999},
    {"serviceRequestPayload", Kind::text, true},
    {"serviceJobType", Kind::text, true},
    {"shareIdentifier"},
    {"quotaShareName"},
    {"preemptionConfiguration", Kind::object},
    {"timeoutConfig", Kind::object},
    {"tags", Kind::object},
    {"clientToken"},
});
constexpr std::array one_service_job = std::to_array<Parameter>({{"jobId", Kind::text, true}});
constexpr std::array update_service_job = std::to_array<Parameter>({
    {"jobId", Kind::text, true},
    {"schedulingPriority", Kind::whole, true, 0, 9999},
});
constexpr std::array list_service_jobs = std::to_array<Parameter>({
    {"jobQueue", Kind::text, true},
    {"jobStatus"},
    {"maxResults", Kind::whole, false, 1, 100},
    {"nextToken"},
    {"filters", Kind::list},
});
constexpr std::array queue_snapshot = std::to_array<Parameter>({{"jobQueue", Kind::text, true}});

constexpr std::array of_batch = std::to_array<Operation>({
    {"batch", "SubmitJob", submit_job},
    {"batch", "ListJobs", list_jobs},
    {"batch", "DescribeJobs", describe_jobs},
    {"batch", "TerminateJob", terminate_job},
    {"batch", "CreateServiceEnvironment", create_environment},
    {"batch", "UpdateServiceEnvironment", update_environment},
    {"batch", "DescribeServiceEnvironments", describe_environments},
    {"batch", "CreateSchedulingPolicy", create_policy},
    {"batch", "UpdateSchedulingPolicy", update_policy},
    {"batch", "DescribeSchedulingPolicies", describe_policies},
    {"batch", "CreateJobQueue", create_queue},
    {"batch", "UpdateJobQueue", update_queue},
    {"batch", "DescribeJobQueues", describe_queues},
    {"batch", "CreateQuotaShare", create_share},
    {"batch", "UpdateQuotaShare", update_share},
    {"batch", "DescribeQuotaShare", describe_share},
    {"batch", "ListQuotaShares", list_shares},
    {"batch", "SubmitServiceJob", submit_service_job},
    {"batch", "DescribeServiceJob", one_service_job},
    {"batch", "ListServiceJobs", list_service_jobs},
    {"batch", "UpdateServiceJob", update_service_job},
    {"batch", "TerminateServiceJob", terminate_job},
    {"batch", "GetJobQueueSnapshot", queue_snapshot},
});

}  // namespace

std::span<const Operation> batch_operations() {
  return of_batch;
}

}  // namespace reeve::live::parameter_table
