// What is said of policies, their rules, guards, alerts and expectations.
#include <array>

#include "scenarios/load/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array rule_rows = std::to_array<ErrorCode>({
    {"E0213", "an unknown rule", "`reeve policies` lists all rules.", "{ \"rule\": \"stalled\" }",
     "{ \"rule\": \"stalled_gpu\" }"},
    {"E0214", "an unknown preset", "`use` names an entry of `rules` in the same file.",
     "\"use\": \"blogg\"", "\"use\": \"blog\""},
    {"E0215", "two schedulers, or two rules that move jobs",
     "A policy may have one rule that orders the queue and one that moves running jobs.",
     "[ { \"rule\": \"schedule\" }, { \"rule\": \"schedule\" } ]",
     "[ { \"rule\": \"schedule\" } ]"},
    {"E0216", "a duplicate rule name", "Reports identify the rules of a policy by name.",
     "two rules of one kind", "a \"name\" for one of them"},
    {"E0217", "options that contradict each other",
     "Each value is in range, but the combination is not valid.", "\"datapoints\": [4, 3]",
     "\"datapoints\": [3, 4]"},
    {"E0218", "metric samples that fit no alarm",
     "Windows of alarms begin and end at minutes. platform.metrics.period must divide a minute, or "
     "be whole minutes.",
     "\"metrics\": { \"period\": \"90s\" }", "\"metrics\": { \"period\": \"60s\" }"},
    {"E0220", "an unknown policy", "An expectation names a policy of the file, or \"*\" for all.",
     "\"policy\": \"gpu-alram\"", "\"policy\": \"gpu-alarm\""},
    {"E0221", "an unknown metric",
     "reeve refuses unknown metrics, because a misspelled metric would never fail.",
     "\"that\": \"waste_usd == 0\"", "\"that\": \"wasted_usd == 0\""},
    {"E0222", "a value of the wrong kind",
     "Compare dollars with dollars, and durations with durations.",
     "\"that\": \"detected_after == 16\"", "\"that\": \"detected_after == 16m\""},
    {"E0223", "not a regular expression",
     "Patterns use RE2 syntax, without back references and look-ahead, so that matching time is "
     "bounded.",
     "\"matching\": { \"user\": [\"(a\"] }", "\"matching\": { \"user\": [\"(a)\"] }"},
    {"E0224", "an unknown job", "No job has this name, or the metric needs a job name.",
     "\"that\": \"job.trian.wait == 0s\"", "\"that\": \"job.train.wait == 0s\""},
    {"E0245", "an empty list of values",
     "A key with an empty list of allowed values would have no effect.",
     "\"allowed\": { \"phase\": [] }", "\"allowed\": { \"phase\": [\"pretrain\"] }"},
    {"E0248", "an exemption from an unknown rule",
     "`rules` of an exemption lists rules by their names in reports: `name`, or else the kind of "
     "rule.",
     "\"rules\": [\"stall\"]", "\"rules\": [\"stalled_gpu\"]"},
    {"E0249", "a scope on a rule that must see all jobs",
     "A rule that orders the queue or places jobs must see every job. Jobs outside its scope would "
     "wait forever, or count as holding no instances.",
     "{ \"rule\": \"schedule\", \"scope\": { \"tags\": [\"team=a\"] } }",
     "{ \"rule\": \"schedule\" }"},
    {"E0259", "a missing `at`, or one that does not apply",
     "What a fleet holds changes over time, so a line about it needs `at`. It applies after all "
     "events at that instant. Metrics of a whole run take no `at`.",
     "{ \"that\": \"pool.p4.allocated == 75\" }",
     "{ \"at\": \"4h15m\", \"that\": \"pool.p4.allocated == 75\" }"},
    {"E0273", "alert keys that do not go together",
     "`watch` decides which keys apply. job_wait: `above`. allocated_pct: `below`, `for` and "
     "`fleet`, but not `tags`, because it covers all jobs of the fleet. failures: `failures` and "
     "`last`.",
     "{ \"watch\": \"job_wait\", \"below\": 50 }",
     "{ \"watch\": \"job_wait\", \"above\": \"30m\" }"},
    {"E0283", "a canary without exactly one of `first` and `pct`",
     "`first` is the number of jobs to try first, `pct` the percentage of running jobs.",
     "\"canary\": { \"watch\": \"6h\" }", "\"canary\": { \"first\": 1, \"watch\": \"6h\" }"},
    {"E0284", "too many rules in a policy",
     "A policy has at most 255 rules. Alerts count, because they are rules of every policy.",
     "\"policies\": { \"p\": [ 256 rules ] }", "\"policies\": { \"p\": [ 255 rules ] }"},
    {"E0290", "an unknown field of a condition",
     "A rule can test only known fields of a job. See docs/reference/rules/rule.md and `reeve "
     "explain rules.rule.when.field`.",
     "{ \"field\": \"traning_time\", \"op\": \">\", \"value\": \"2h\" }",
     "{ \"field\": \"training_time\", \"op\": \">\", \"value\": \"2h\" }"},
    {"E0291", "an operator that the field does not support",
     "Texts support equality, lists and patterns. Numbers and durations support order. Only fields "
     "that may have no value support `exists`.",
     "{ \"field\": \"instances\", \"op\": \"matches\", \"value\": \"8\" }",
     "{ \"field\": \"instances\", \"op\": \"==\", \"value\": 8 }"},
    {"E0292", "conditions nested too deeply", "The limit is 16 levels.",
     "{ \"not\": { \"not\": ... } }", "the condition inside"},
    {"E0293", "a comparison with missing or extra keys",
     "`op` and `value` need `field` beside them. `exists` takes no `value`.",
     "{ \"field\": \"tag:team\", \"op\": \"exists\", \"value\": true }",
     "{ \"field\": \"tag:team\", \"op\": \"exists\" }"},
    {"W0401", "a preset that no rule uses", "A `use` may be misspelled or missing.",
     "\"rules\": { \"blog\": {} }", "{ \"rule\": \"stalled_gpu\", \"use\": \"blog\" }"},
    {"W0406", "a person who owns no job",
     "The owner of a job is its `owner`, or else its tag username.", "\"owner\": \"jondoe\"",
     "\"owner\": \"johndoe\""},
    {"W0407", "a preset that hides a built-in one",
     "Presets of the file override built-in ones of the same name, for every kind of rule, "
     "including kinds that they do not mention.",
     "\"rules\": { \"blog-naive\": {} }", "\"rules\": { \"my-blog\": {} }"},
    {"W0408", "an end that no rule of the policy causes",
     "The policy does not have the rule that is named.", "\"when\": [\"stopped_by:stalled_gpu\"]",
     "the same, beside { \"rule\": \"stalled_gpu\" }"},
    {"W0495", "a tag that no job has",
     "No job is submitted with this value, so the expectation only tests $0. The value may be "
     "misspelled.",
     "\"tags\": { \"team\": \"vision\" }, \"tag.team.Vision.billed_usd < 100\"",
     "\"tag.team.vision.billed_usd < 100\""},
    {"W0520", "a tag that no job has",
     "A guard or a scope by this tag matches no job. The key and the value must be those of a job.",
     "\"protected_tags\": [\"reeve:protected\"]", "\"protected_tags\": [\"reeve:protect\"]"},
    {"W0521", "an expired exemption",
     "Its `until` is not after the start of the clock, so it exempts nothing.",
     "\"until\": \"2025-01-01T00:00:00Z\" and a clock that starts in 2026",
     "\"until\": \"2026-06-01T00:00:00Z\""},
    {"W0530", "a condition on an unknown name",
     "No fleet of the scenario has this name or instance type, or no rule of the policy is of this "
     "kind. The comparison never matches. The name may be misspelled.",
     "{ \"field\": \"fleet\", \"op\": \"==\", \"value\": \"nihgt\" }",
     "{ \"field\": \"fleet\", \"op\": \"==\", \"value\": \"night\" }"},
    {"W0540", "an office_hours rule that stops jobs when its guard is closed",
     "The rule stops jobs when its hours end; the guard refuses changes outside its own hours. "
     "With the same hours, no stop takes effect before the next morning.",
     "\"guards\": { \"office_hours\": { \"to\": \"18h\" } } with a rule that closes at 18h",
     "\"guards\": { \"office_hours\": { \"to\": \"20h\" } }"},
    {"W0558", "a canary watch that outlasts the run",
     "Rules act on no further job until `watch` has passed, and the run ends before.",
     "\"horizon\": \"1d\", \"canary\": { \"first\": 1, \"watch\": \"2d\" }",
     "\"canary\": { \"first\": 1, \"watch\": \"6h\" }"},
    {"W0574", "a dry start that outlasts the run",
     "No rule changes a job before the dry start ends, and the run ends first.",
     "\"horizon\": \"4d\", \"guards\": { \"dry_start\": \"100d\" }", "\"dry_start\": \"1d\""},
});

}  // namespace

std::span<const ErrorCode> rule_errors() {
  return rule_rows;
}

}  // namespace reeve::scenarios
