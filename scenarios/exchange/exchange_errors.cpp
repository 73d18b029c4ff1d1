// What is said of other formats, which are imported and exported.
#include <array>

#include "scenarios/exchange/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array exchange_rows = std::to_array<ErrorCode>({
    {"E0350", "a job order that AWS Batch does not support",
     "AWS Batch supports first in, first out, fair share and quota shares, without backfill. Other "
     "algorithms of `schedule` cannot be exported.",
     "\"algorithm\": \"drf\"", "\"algorithm\": \"fair_share\""},
    {"E0351", "a name that AWS Batch refuses",
     "Names have letters, digits, hyphens and underscores, 128 at most. A share identifier of fair "
     "share has only letters and digits.",
     "\"name\": \"team a\"", "\"name\": \"team-a\""},
    {"E0352", "a value outside the limits of AWS Batch",
     "A queue has at most 20 quota shares, each with 1 to 5 capacity limits, and its own "
     "environment. Priorities are 0 or more, and usage decays within 604800 s.",
     "two queues with quota shares and \"environment\": \"gpus\"", "an environment for each"},
    {"E0353", "capacity that AWS Batch cannot count",
     "Quota shares count instances per SageMaker type (ml.p4d.24xlarge). Other queues count all "
     "types together (NUM_INSTANCES). AWS Batch has no fleets.",
     "two fleets of one type, and a quota of each", "one fleet"},
    {"E0354", "a scenario without queues", "The scenario has nothing to export to AWS Batch.",
     "no \"queues\"", "\"queues\": [ { \"name\": \"main\", \"fleet\": \"p4\" } ]"},
    {"E0355", "no AWS Batch queue in the input",
     "reeve reads JSON: the answers of aws batch describe-service-environments, "
     "describe-job-queues, describe-scheduling-policies, list-quota-shares and "
     "describe-quota-share, the inputs of aws batch create-..., and CloudFormation templates. "
     "Container queues do not count as training queues.",
     "{ \"jobQueues\": [] }", "{ \"jobQueues\": [ { \"jobQueueName\": \"main\", ... } ] }"},
    {"E0356", "a reference to something that no file describes",
     "A queue refers to its service environment and scheduling policy, and a quota share to its "
     "queue. A policy of quota shares needs at least one share. The message names the call that "
     "prints the missing part.",
     "describe-job-queues alone", "describe-service-environments as well"},
    {"E0357", "a value that CloudFormation computes at deployment",
     "reeve cannot evaluate parameters and functions of a template. It resolves references to "
     "resources of the template.",
     "\"MaxCapacity\": { \"Ref\": \"Machines\" }", "\"MaxCapacity\": 100"},
    {"E0358", "two different descriptions of one resource",
     "Identical repetitions are allowed. Different ones come from two regions, accounts or times.",
     "queues.json of Monday and of Friday", "one of them"},
    {"E0359", "queues with different scheduling settings",
     "A policy of a scenario has one rule `schedule` for all queues: one algorithm, one decay, one "
     "reservation.",
     "a queue with quota shares and one of fair share", "a scenario for each, by --queue NAME"},
    {"W0303", "a job that began before it was submitted",
     "Two clocks disagree, or the row is wrong. reeve treats the wait as unknown.",
     "submitted at 01:00:00, started at 00:59:58", "started at 01:00:00 or later"},
    {"W0324", "a GPU model that no node has",
     "Tasks that request only this model are not placed. The name may be misspelled.",
     "V100M61 in gpu_spec", "V100M16, or a node of that model"},
    {"W0580", "a part of the scenario that AWS Batch does not get",
     "AWS Batch has no setting for it, or this kind of queue has none; it has no rules beside its "
     "queues, and no guards. The export is correct, but does not contain all of the scenario.",
     "\"victims\": \"latest_start\"", "the default, which is a model of what AWS Batch does"},
    {"W0581", "a part of AWS Batch that scenarios do not have",
     "reeve omits it or gives it another meaning, and the message states the assumption. The rest "
     "is correct.",
     "\"jobStateTimeLimitActions\": [ ... ]", "accepting that such jobs keep waiting here"},
});

}  // namespace

std::span<const ErrorCode> exchange_errors() {
  return exchange_rows;
}

}  // namespace reeve::scenarios
