// What is said of the clock, the platform and the tick world.
#include <array>

#include "scenarios/load/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array platform_rows = std::to_array<ErrorCode>({
    {"E0200", "another format version",
     "This reeve reads version 1; nothing else of the file was looked at.", "\"reeve\": 2",
     "\"reeve\": 1"},
    {"E0219", "not in step with the ticks",
     "In the tick world everything goes by platform.tick and platform.restart_overhead: rules "
     "that count with them, recorded markets, steps and the horizon.",
     "\"tick\": \"10m\" of the platform and \"tick\": \"5m\" of `strawman`", "\"tick\": \"10m\""},
    {"E0239", "without meaning in the tick world",
     "There are machines on Spot and on demand, jobs with work and deadlines, and rules that "
     "move jobs from tick to tick. What belongs to other models would be ignored, so it is "
     "refused.",
     "\"model\": \"ticks\" and \"startup\": \"5m\"", "\"restart_overhead\": \"5m\""},
    {"E0243", "a rule that moves running jobs, where none can move",
     "A training job of SageMaker keeps the machines that it was submitted for. `spot_fallback` "
     "stops it and clones it elsewhere.",
     "{ \"rule\": \"uniform_progress\" } with \"model\": \"sagemaker-training\"",
     "{ \"rule\": \"spot_fallback\" }, or \"model\": \"ticks\""},
    {"E0251", "an outage of nothing", "No fleet says that it is in this zone.",
     "\"outages\": [ { \"zone\": \"us-east-1b\" } ] and fleets of us-east-1a",
     "\"zone\": \"us-east-1a\""},
    {"W0432", "a deadline that cannot be met",
     "The work and one restart, on demand from the first tick on, take longer.",
     "\"work\": \"48h\", \"deadline\": \"48h\"", "\"deadline\": \"52h\""},
    {"W0556", "a look-up of nothing",
     "`look_up` is how long it takes to ask for what the events of a job lack. Either none lacks "
     "anything, or the answer takes no time and never fails, so that rules notice nothing of it.",
     "\"events\": { \"look_up\": \"2s\" }",
     "\"events\": { \"lack_tags\": 1, \"look_up\": \"2s\" }"},
    {"W0557", "look-ups that are never answered",
     "Each call fails for certain, in brown-outs from the start to the end as well, or its "
     "answer comes when the run is over, so that no rule is ever told what these jobs asked for.",
     "\"lack_tags\": 1 and \"api\": { \"throttled\": 1 }",
     "\"lack_tags\": 1 and \"api\": { \"throttled\": 0.2 }"},
});

}  // namespace

std::span<const ErrorCode> platform_errors() {
  return platform_rows;
}

}  // namespace reeve::scenarios
