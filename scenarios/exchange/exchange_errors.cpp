// What is said of other formats, which are imported and exported.
#include <array>

#include "scenarios/exchange/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array exchange_rows = std::to_array<ErrorCode>({
    {"E0350", "an order of jobs that AWS Batch has not",
     "AWS Batch has queues that are first in, first out, fair share and quota shares, without "
     "backfill. Other algorithms of schedule cannot be exported to it.",
     "\"algorithm\": \"drf\"", "\"algorithm\": \"fair_share\""},
    {"E0351", "a name that AWS Batch refuses",
     "Names have letters, digits, hyphens and underscores, 128 at most; a share identifier of "
     "fair share has letters and digits alone.",
     "\"name\": \"team a\"", "\"name\": \"team-a\""},
    {"E0352", "more, or less, than AWS Batch takes",
     "A queue has at most 20 quota shares, of 1 to 5 capacity limits each, and an environment of "
     "its own; priorities are 0 and more, and usage decays within 604800 s.",
     "two queues with quota shares and \"environment\": \"gpus\"", "an environment for each"},
    {"E0353", "capacity that AWS Batch cannot count",
     "Quota shares count instances by types of SageMaker (ml.p4d.24xlarge), everything else all "
     "types together (NUM_INSTANCES). AWS Batch knows no fleets.",
     "two fleets of one type, and a quota of each", "one fleet"},
    {"E0354", "a scenario without queues", "There is nothing that AWS Batch could have of it.",
     "no \"queues\"", "\"queues\": [ { \"name\": \"main\", \"fleet\": \"p4\" } ]"},
    {"E0355", "no queue of AWS Batch",
     "Read are the answers of aws batch describe-service-environments, describe-job-queues, "
     "describe-scheduling-policies, list-quota-shares and describe-quota-share, the inputs of "
     "aws batch create-..., and CloudFormation templates, all in JSON. Queues of containers are "
     "no queues for training.",
     "{ \"jobQueues\": [] }", "{ \"jobQueues\": [ { \"jobQueueName\": \"main\", ... } ] }"},
    {"E0356", "something that no file describes",
     "A queue refers to its service environment and its scheduling policy, a quota share to its "
     "queue, and a policy of quota shares needs some. The message names the call that prints "
     "what is missing.",
     "describe-job-queues alone", "describe-service-environments as well"},
    {"E0357", "a value that CloudFormation works out",
     "What parameters and functions of a template come to is known when it is deployed. "
     "References to resources of the template are read.",
     "\"MaxCapacity\": { \"Ref\": \"Machines\" }", "\"MaxCapacity\": 100"},
    {"E0358", "described twice, differently",
     "The same twice does no harm; two that differ are of two regions, accounts or times.",
     "queues.json of Monday and of Friday", "one of them"},
    {"E0359", "queues that go by different rules",
     "A policy of a scenario has one rule schedule, for all queues: one algorithm, one decay, "
     "one reservation.",
     "a queue with quota shares and one of fair share", "a scenario for each, by --queue NAME"},
    {"W0303", "a job that began before it was submitted",
     "Clocks of two machines, or a wrong row. Its wait is taken as unknown.",
     "submitted at 01:00:00, started at 00:59:58", "started at 01:00:00 or later"},
    {"W0324", "a GPU that no node has",
     "Tasks that ask for this model and no other are placed nowhere; it may be misspelt.",
     "V100M61 in gpu_spec", "V100M16, or a node of that model"},
    {"W0580", "something of a scenario that AWS Batch does not get",
     "It has no setting for it, or this kind of queue has none; it has no rules beside its "
     "queues, and no guards. The export is right without it, but it is not all that the scenario "
     "says.",
     "\"victims\": \"latest_start\"", "the default, which is a model of what AWS Batch does"},
    {"W0581", "something of AWS Batch that a scenario has not",
     "It is left out, or means something else, and the message says what is assumed. The rest is "
     "right without it.",
     "\"jobStateTimeLimitActions\": [ ... ]", "knowing that such jobs wait on here"},
});

}  // namespace

std::span<const ErrorCode> exchange_errors() {
  return exchange_rows;
}

}  // namespace reeve::scenarios
