// What is said of the clock, the platform and the tick world.
#include <array>

#include "scenarios/load/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array platform_rows = std::to_array<ErrorCode>({
    {"E0360", "a key of a scenario in a live configuration",
     "A file with the key `live` describes rules that observe an AWS account. It has no clock, no "
     "jobs and no expected results.",
     "\"live\": {}, \"jobs\": [ ... ]", "\"live\": {}"},
    {"E0361", "an invalid AWS account", "The number of an AWS account has 12 digits.",
     "\"account\": \"prod\"", "\"account\": \"111122223333\""},
    {"E0363", "an invalid AWS region", "A region is named as AWS names it.",
     "\"region\": \"us east\"", "\"region\": \"us-east-1\""},
    {"E0362", "an invalid SQS queue", "`reeve live` reads a queue by its URL.",
     "\"queue\": \"arn:aws:sqs:us-east-1:111122223333:reeve\"",
     "\"queue\": \"https://sqs.us-east-1.amazonaws.com/111122223333/reeve\""},
    {"E0364", "an invalid SNS topic",
     "Messages go to a topic by its ARN. The topic is in the region of the configuration.",
     "\"sns\": \"reeve\"", "\"sns\": \"arn:aws:sns:us-east-1:111122223333:reeve\""},
    {"E0365", "an invalid address for messages",
     "A webhook is named by its URL, or by the environment variable that has the URL. The URL "
     "begins with `https://`; `http://` is only for this machine. It is a secret, so no message "
     "shows it.",
     "\"webhook\": \"hooks.example.com/reeve\"", "\"webhook\": \"env:REEVE_WEBHOOK\""},
    {"E0366", "no address for messages", "`notify` names at least one address.", "\"notify\": {}",
     "\"notify\": { \"sns\": \"arn:aws:sns:us-east-1:111122223333:reeve\" }"},
    {"E0375", "the tag of no queue",
     "`kill_tag` is the key of a tag of the SQS queue that `queue` names.",
     "\"kill_tag\": \"reeve:stop\" without `queue`",
     "\"queue\": \"https://sqs.us-east-1.amazonaws.com/111122223333/reeve\", \"kill_tag\": "
     "\"reeve:stop\""},
    {"E0376", "an invalid parameter of SSM",
     "The name of a parameter has letters, digits and `_.-/`.", "\"kill_parameter\": \"stop all\"",
     "\"kill_parameter\": \"/reeve/switch\""},
    {"E0377", "an invalid key of a tag",
     "The key of a tag has up to 128 letters, digits, spaces and `_.:/=+-@`. It does not begin "
     "with "
     "`aws:`.",
     "\"kill_tag\": \"\"", "\"kill_tag\": \"reeve:stop\""},
    {"E0200", "an unsupported format version",
     "This version of reeve reads format 1. It did not check the rest of the file.", "\"reeve\": 2",
     "\"reeve\": 1"},
    {"E0219", "a time that does not match the ticks",
     "In the tick world, recorded markets and rules must use platform.tick and "
     "platform.restart_overhead. Steps and the horizon must be multiples of the tick.",
     "\"tick\": \"10m\" of the platform and \"tick\": \"5m\" of `strawman`", "\"tick\": \"10m\""},
    {"E0239", "a key that does not apply in the tick world",
     "The tick world has Spot and on-demand instances, jobs with work and deadlines, and rules "
     "that move jobs each tick. reeve refuses keys of other models, because they would have no "
     "effect.",
     "\"model\": \"ticks\" and \"startup\": \"5m\"", "\"restart_overhead\": \"5m\""},
    {"E0243", "a rule that moves running jobs on a platform that cannot",
     "A SageMaker training job keeps the instances that it was submitted for. `spot_fallback` "
     "stops it and clones it elsewhere.",
     "{ \"rule\": \"uniform_progress\" } with \"model\": \"sagemaker-training\"",
     "{ \"rule\": \"spot_fallback\" }, or \"model\": \"ticks\""},
    {"E0251", "an outage that affects no fleet", "No fleet is in this zone.",
     "\"outages\": [ { \"zone\": \"us-east-1b\" } ] and fleets of us-east-1a",
     "\"zone\": \"us-east-1a\""},
    {"W0432", "a deadline that cannot be met",
     "The work and one restart take longer, even on-demand from the first tick.",
     "\"work\": \"48h\", \"deadline\": \"48h\"", "\"deadline\": \"52h\""},
    {"W0556", "a look_up without effect",
     "`look_up` is the time to request what the events of a job lack. Either no event lacks "
     "anything, or the answer takes no time and never fails, so that rules see no difference.",
     "\"events\": { \"look_up\": \"2s\" }",
     "\"events\": { \"lack_tags\": 1, \"look_up\": \"2s\" }"},
    {"W0557", "look-ups that are never answered",
     "Each call fails with certainty, also in brownouts from start to end, or its answer comes "
     "after the run. No rule ever learns what these jobs requested.",
     "\"lack_tags\": 1 and \"api\": { \"throttled\": 1 }",
     "\"lack_tags\": 1 and \"api\": { \"throttled\": 0.2 }"},
});

}  // namespace

std::span<const ErrorCode> platform_errors() {
  return platform_rows;
}

}  // namespace reeve::scenarios
