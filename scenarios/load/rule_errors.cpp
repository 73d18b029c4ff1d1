// What is said of policies, their rules, guards, alerts and expectations.
#include <array>

#include "scenarios/load/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array rule_rows = std::to_array<ErrorCode>({
    {"E0213", "an unknown rule", "`reeve policies` lists the rules there are.",
     "{ \"rule\": \"stalled\" }", "{ \"rule\": \"stalled_gpu\" }"},
    {"E0214", "an unknown preset", "`use` names an entry of `rules` in the same file.",
     "\"use\": \"blogg\"", "\"use\": \"blog\""},
    {"E0215", "two schedulers, or two rules that move jobs",
     "Only one rule of a policy can order the queue, or say where running jobs go.",
     "[ { \"rule\": \"schedule\" }, { \"rule\": \"schedule\" } ]",
     "[ { \"rule\": \"schedule\" } ]"},
    {"E0216", "a rule's name stands twice", "Reports tell rules of a policy apart by name.",
     "two rules of one kind", "a \"name\" for one of them"},
    {"E0217", "options that contradict each other", "Each is in range, together they are not.",
     "\"datapoints\": [4, 3]", "\"datapoints\": [3, 4]"},
    {"E0218", "a period that cuts samples apart",
     "An alarm's datapoints must hold equal numbers of samples of platform.metrics.period.",
     "\"period\": \"3m\" with metrics every 2m", "\"period\": \"4m\""},
    {"E0220", "an unknown policy", "An expectation names a policy of the file, or \"*\" for each.",
     "\"policy\": \"gpu-alram\"", "\"policy\": \"gpu-alarm\""},
    {"E0221", "an unknown metric", "A misspelt metric would pass silently, so it is refused.",
     "\"that\": \"waste_usd == 0\"", "\"that\": \"wasted_usd == 0\""},
    {"E0222", "a value of another kind", "Dollars with dollars, durations with durations.",
     "\"that\": \"detected_after == 16\"", "\"that\": \"detected_after == 16m\""},
    {"E0223", "not a regular expression",
     "Patterns are RE2's, without back references and look-ahead: no text can make them take "
     "long.",
     "\"matching\": { \"user\": [\"(a\"] }", "\"matching\": { \"user\": [\"(a)\"] }"},
    {"E0224", "an unknown job", "No job has this name, or the metric needs one.",
     "\"that\": \"job.trian.wait == 0s\"", "\"that\": \"job.train.wait == 0s\""},
    {"E0245", "an empty list of values",
     "A key with no value that it may have would be as if it were not there at all.",
     "\"allowed\": { \"phase\": [] }", "\"allowed\": { \"phase\": [\"pretrain\"] }"},
    {"E0248", "an exemption from a rule that is none",
     "`rules` of an exemption are the names of rules in reports: `name`, or else the kind of "
     "rule.",
     "\"rules\": [\"stall\"]", "\"rules\": [\"stalled_gpu\"]"},
    {"E0249", "a scope of a rule that is for all jobs",
     "A rule that orders the queue or chooses machines must know every job: those outside of its "
     "scope would wait for ever, or be counted as if they held nothing.",
     "{ \"rule\": \"schedule\", \"scope\": { \"tags\": [\"team=a\"] } }",
     "{ \"rule\": \"schedule\" }"},
    {"E0259", "an instant where none is meant, or none where one is",
     "What a fleet holds changes: a line about it says when it is meant, after all that happens "
     "at that instant. Other metrics are of a run as a whole.",
     "{ \"that\": \"pool.p4.allocated == 75\" }",
     "{ \"at\": \"4h15m\", \"that\": \"pool.p4.allocated == 75\" }"},
    {"E0273", "keys of an alert that do not go together",
     "What an alert watches decides what else it can say: `above` of job_wait; `below`, `for` "
     "and `fleet` of allocated_pct; `failures` and `last` of failures. A fleet's use is of all "
     "its jobs, so that it has no `tags`.",
     "{ \"watch\": \"job_wait\", \"below\": 50 }",
     "{ \"watch\": \"job_wait\", \"above\": \"30m\" }"},
    {"E0283", "a canary of how many jobs",
     "`first` says how many jobs are tried first, `pct` how many of those that run: one of them.",
     "\"canary\": { \"watch\": \"6h\" }", "\"canary\": { \"first\": 1, \"watch\": \"6h\" }"},
    {"E0290", "an unknown field of a condition",
     "A rule may only ask what is known of a job; docs/reference/rules/rule.md has the list, and "
     "`reeve explain rules.rule.when.field`.",
     "{ \"field\": \"traning_time\", \"op\": \">\", \"value\": \"2h\" }",
     "{ \"field\": \"training_time\", \"op\": \">\", \"value\": \"2h\" }"},
    {"E0291", "a comparison that the field does not have",
     "Texts are equal, in a list or match; numbers and durations are more or less; only what may "
     "have no value can be asked for whether it exists.",
     "{ \"field\": \"instances\", \"op\": \"matches\", \"value\": \"8\" }",
     "{ \"field\": \"instances\", \"op\": \"==\", \"value\": 8 }"},
    {"E0292", "conditions nested too deep", "At most 16, one in the other.",
     "{ \"not\": { \"not\": ... } }", "the condition inside"},
    {"E0293", "a comparison without its other side",
     "`op` and `value` stand beside `field`, and `exists` compares with nothing.",
     "{ \"field\": \"tag:team\", \"op\": \"exists\", \"value\": true }",
     "{ \"field\": \"tag:team\", \"op\": \"exists\" }"},
    {"W0401", "a preset that no rule uses", "A `use` may be misspelt or forgotten.",
     "\"rules\": { \"blog\": {} }", "{ \"rule\": \"stalled_gpu\", \"use\": \"blog\" }"},
    {"W0406", "a human who owns no job", "The owner is the job's `owner`, else its tag username.",
     "\"owner\": \"jondoe\"", "\"owner\": \"johndoe\""},
    {"W0407", "a preset that hides a built-in one",
     "Presets of the file win over built-in ones of the same name: a `use` of that name means "
     "the file's, for every kind of rule, also for those that it says nothing of.",
     "\"rules\": { \"blog-naive\": {} }", "\"rules\": { \"my-blog\": {} }"},
    {"W0408", "an end that can never come", "The rule named is not in the same policy.",
     "\"when\": [\"stopped_by:stalled_gpu\"]", "the same, beside { \"rule\": \"stalled_gpu\" }"},
    {"W0495", "a tag that no job has",
     "No job is submitted with this value, so what is expected of it is true of $0: a typo?",
     "\"tags\": { \"team\": \"vision\" }, \"tag.team.Vision.billed_usd < 100\"",
     "\"tag.team.vision.billed_usd < 100\""},
    {"W0520", "a tag that no job has",
     "A guard or a scope by this tag means no job. The key and the value must be those of a job.",
     "\"protected_tags\": [\"reeve:protected\"]", "\"protected_tags\": [\"reeve:protect\"]"},
    {"W0521", "an exemption that is over",
     "Its `until` is not after the start of the clock: nothing is exempt by it.",
     "\"until\": \"2025-01-01T00:00:00Z\" and a clock that starts in 2026",
     "\"until\": \"2026-06-01T00:00:00Z\""},
    {"W0530", "a condition about a name that nothing has",
     "No fleet of the scenario has this name, or machines of this type, or no rule of the policy "
     "is of this kind: the comparison never finds it. A typo?",
     "{ \"field\": \"fleet\", \"op\": \"==\", \"value\": \"nihgt\" }",
     "{ \"field\": \"fleet\", \"op\": \"==\", \"value\": \"night\" }"},
    {"W0540", "an office_hours rule that stops jobs when its guard is closed",
     "The rule stops jobs when its hours end; the guard refuses whatever changes a job outside "
     "of its own. With the same hours no stop ever comes through before the next morning.",
     "\"guards\": { \"office_hours\": { \"to\": \"18h\" } } with a rule that closes at 18h",
     "\"guards\": { \"office_hours\": { \"to\": \"20h\" } }"},
    {"W0558", "a canary that is watched until the run is over",
     "After the first jobs the others wait for `watch`, and the run ends before.",
     "\"horizon\": \"1d\", \"canary\": { \"first\": 1, \"watch\": \"2d\" }",
     "\"canary\": { \"first\": 1, \"watch\": \"6h\" }"},
    {"W0574", "a dry start that lasts until the run is over",
     "Until it is over no rule changes a job, and the run ends before.",
     "\"horizon\": \"4d\", \"guards\": { \"dry_start\": \"100d\" }", "\"dry_start\": \"1d\""},
});

}  // namespace

std::span<const ErrorCode> rule_errors() {
  return rule_rows;
}

}  // namespace reeve::scenarios
