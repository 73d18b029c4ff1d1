#include "app/error_codes.hpp"

#include <algorithm>
#include <array>

namespace reeve::app {
namespace {

// Files, then JSON, then quantities.
constexpr std::array text_errors = std::to_array<ErrorCode>({
    {"E0001", "there is no such file", "The path is looked for from the folder you are in.",
     "reeve check weekend.json", "reeve check weekend.jsonc"},
    {"E0002", "a folder, not a file", "Only `reeve test` takes folders.", "reeve check scenarios",
     "reeve test scenarios"},
    {"E0003", "the file cannot be read", "Reading was refused or failed; see the reason given.",
     "a file without read permission", "chmod u+r FILE"},
    {"E0004", "the file is too large",
     "Scenarios may have 64 MiB. Many jobs belong into a CSV trace, which is streamed.",
     "a million jobs in \"jobs\"", "\"workload\": { \"trace\": \"jobs.csv.gz\" }"},
    {"E0005", "a NUL byte", "The file is not text; often it is UTF-16 or was cut off.",
     "a binary file", "a text file in UTF-8"},
    {"E0006", "not UTF-8", "Scenarios are UTF-8.", "a file saved as Latin-1 or UTF-16",
     "the same saved as UTF-8"},
    {"E0101", "an unexpected character", "This cannot stand here in JSON.", "\"runs\": 1;",
     "\"runs\": 1,"},
    {"E0102", "a text is never closed", "Texts end on the line on which they begin.",
     "\"name\": \"weekend,", "\"name\": \"weekend\","},
    {"E0103", "a comment is never closed", "/* needs its */. Comments of one line begin with //.",
     "/* the job", "/* the job */"},
    {"E0104", "a comma is missing", "Members and elements are separated by commas.",
     "\"runs\": 1 \"seed\": 2", "\"runs\": 1, \"seed\": 2"},
    {"E0105", "the file ends too early", "A bracket that was opened is not closed.",
     "{ \"runs\": 1", "{ \"runs\": 1 }"},
    {"E0106", "single quotes", "JSON has double quotes only.", "'weekend'", "\"weekend\""},
    {"E0107", "a key without quotes", "Keys stand in double quotes.", "runs: 1", "\"runs\": 1"},
    {"E0108", "a number out of range", "It does not fit in a double.", "1e999", "1e9"},
    {"E0109", "not a JSON number", "No leading zero, plus sign, bare point, NaN or Infinity.",
     "\"gpus\": 08", "\"gpus\": 8"},
    {"E0110", "nested too deep", "No scenario needs so many brackets inside each other.",
     "[[[[[...", "fewer levels"},
    {"E0111", "a key stands twice", "In one object each key stands once; which is meant?",
     "{ \"runs\": 1, \"runs\": 2 }", "{ \"runs\": 2 }"},
    {"E0112", "a bad escape in a text", "JSON knows \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX.",
     R"("C:\jobs")", R"("C:\\jobs")"},
    {"E0113", "text after the end", "Nothing may follow the last bracket.", "{ } }", "{ }"},
    {"E0114", "the wrong bracket", "What opens with { closes with }, what opens with [ with ].",
     "[ 1, 2 }", "[ 1, 2 ]"},
    {"E0115", "a colon is missing", "A key and its value are separated by a colon.", "\"runs\" = 1",
     "\"runs\": 1"},
    {"E0116", "a value is missing", "Every key has a value.", "\"runs\": ,", "\"runs\": 1,"},
    {"E0117", "the file is empty", "A scenario is a JSON object.", "(nothing)",
     "reeve init writes one to start from"},
    {"E0118", "too many values", "The document is larger than reeve reads.",
     "millions of jobs in \"jobs\"", "\"workload\": { \"trace\": \"jobs.csv.gz\" }"},
    {"E0120", "another kind of value is expected", "A text, a number, an object or a list.",
     "\"instances\": \"8\"", "\"instances\": 8"},
    {"E0121", "a number out of range", "It is negative, too large or not whole.", "\"seed\": -1",
     "\"seed\": 1"},
    {"E0131", "a duration without a unit", "Units are w d h m s ms us ns.", "\"work\": 72",
     "\"work\": \"72h\""},
    {"E0132", "an unknown unit", "Units are w d h m s ms us ns; m is a minute.",
     "\"work\": \"72hrs\"", "\"work\": \"72h\""},
    {"E0133", "not a duration", "Units from large to small, each once: 72h23m02s.",
     "\"work\": \"23m72h\"", "\"work\": \"72h23m\""},
    {"E0134", "a negative duration", "Time goes forward only.", "\"submit\": \"-1h\"",
     "\"submit\": \"0s\""},
    {"E0135", "too long a duration",
     "More than 292 years of nanoseconds do not fit; every key allows 100 years or less.",
     "\"horizon\": \"300000d\"", "\"horizon\": \"until_done\""},
    {"E0136", "not an amount of dollars", "Money is exact: six decimals, of prices nine.",
     "\"usd_per_hour\": \"30 EUR\"", "\"usd_per_hour\": 30.00"},
    {"E0137", "not an instant", "ISO 8601 with an offset from UTC.",
     "\"start\": \"2026-05-22 18:00\"", "\"start\": \"2026-05-22T18:00:00-04:00\""},
    {"E0138", "not a percentage", "0 to 100, as a number or with a % sign.", "\"150%\"", "65"},
    {"E0139", "not a comparison", "An expectation reads METRIC OP VALUE [+- TOLERANCE].",
     "\"that\": \"wasted_usd = 72\"", "\"that\": \"wasted_usd == 72.13 +- 0.01\""},
});

constexpr std::array scenario_errors = std::to_array<ErrorCode>({
    {"E0200", "another format version",
     "This reeve reads version 1; nothing else of the file was looked at.", "\"reeve\": 2",
     "\"reeve\": 1"},
    {"E0201", "an unknown key", "A misspelt key would be ignored silently, so it is refused.",
     "\"instancs\": 8", "\"instances\": 8"},
    {"E0202", "a key is missing", "This key has no default.", "{ \"name\": \"train\" }",
     "{ \"name\": \"train\", \"work\": \"10h\" }"},
    {"E0203", "an unknown instance type",
     "Every instance type needs a price: `prices.instances` lists them by name.",
     "\"instance_type\": \"ml.demo.8gpuu\"", "\"instance_type\": \"ml.demo.8gpu\""},
    {"E0204", "not one of the choices", "Only certain words can stand here.",
     "\"market\": \"ondemand\"", "\"market\": \"on_demand\""},
    {"E0205", "out of range", "The value lies outside the limits of its key.",
     "\"probability\": 1.5", "\"probability\": 0.5"},
    {"E0206", "exactly one of several keys", "None of them stands here, or more than one.",
     "{ \"exponential\": \"4h\", \"pareto\": {} }", "{ \"exponential\": \"4h\" }"},
    {"E0207", "a type that is not offered managed",
     "SageMaker training does not have this type, or has it by a name that begins with \"ml.\".",
     "\"instance_type\": \"dl1.24xlarge\"", "\"instance_type\": \"ml.p4d.24xlarge\""},
    {"E0208", "a name stands twice",
     "Jobs, fleets and owners are told apart by their names; a list of names says each once.",
     "two jobs called \"train\"", "\"train-1\" and \"train-2\""},
    {"E0209", "a job that can never start", "It asks for more instances than its fleet has.",
     "\"instances\": 9 of \"capacity\": 8", "\"instances\": 8"},
    {"E0210", "no fleet of this type", "The type has a price, but no machines.",
     "\"fleet\": [ { \"instance_type\": \"a\" } ], a job of type \"b\"",
     "one more fleet, of type \"b\""},
    {"E0211", "which fleet?", "Several fleets could run the job.", "{ \"instance_type\": \"gpu\" }",
     "{ \"instance_type\": \"gpu\", \"fleet\": \"night\" }"},
    {"E0212", "an unknown fleet", "No fleet has this name, or it has machines of another type.",
     "\"fleet\": \"nihgt\"", "\"fleet\": \"night\""},
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
    {"E0219", "not in step with the ticks",
     "In the tick world everything goes by platform.tick and platform.restart_overhead: rules that "
     "count with them, recorded markets, steps and the horizon.",
     "\"tick\": \"10m\" of the platform and \"tick\": \"5m\" of `strawman`", "\"tick\": \"10m\""},
    {"E0220", "an unknown policy", "An expectation names a policy of the file, or \"*\" for each.",
     "\"policy\": \"gpu-alram\"", "\"policy\": \"gpu-alarm\""},
    {"E0221", "an unknown metric", "A misspelt metric would pass silently, so it is refused.",
     "\"that\": \"waste_usd == 0\"", "\"that\": \"wasted_usd == 0\""},
    {"E0222", "a value of another kind", "Dollars with dollars, durations with durations.",
     "\"that\": \"detected_after == 16\"", "\"that\": \"detected_after == 16m\""},
    {"E0223", "not a regular expression",
     "Patterns are RE2's, without back references and look-ahead: no text can make them take long.",
     "\"matching\": { \"user\": [\"(a\"] }", "\"matching\": { \"user\": [\"(a)\"] }"},
    {"E0224", "an unknown job", "No job has this name, or the metric needs one.",
     "\"that\": \"job.trian.wait == 0s\"", "\"that\": \"job.train.wait == 0s\""},
    {"E0225", "too far in the future",
     "More than 100 years after the start, or beyond the year 2199.",
     "\"submit_every\": \"1w\", \"count\": 100000", "\"submit_every\": \"1m\""},
    {"E0226", "too many jobs", "Written jobs are all kept in memory; drawn ones are not written.",
     "\"count\": 100000000", "\"workload\": { \"jobs\": 1000000 }"},
    {"E0227", "intervals out of order",
     "They stand in order, do not overlap and end after they "
     "begin.",
     "[[\"5h\", \"2h\"]]", "[[\"2h\", \"5h\"]]"},
    {"E0228", "a key without meaning here", "It goes with another choice than the one made.",
     "{ \"kind\": \"stall\", \"class\": \"code\" }",
     "{ \"kind\": \"failure\", \"class\": \"code\" }"},
    {"E0229", "not a name", "Empty, or a name that means something else.",
     "\"policies\": { \"*\": [] }", "\"policies\": { \"none\": [] }"},
    {"E0230", "weights that sum to 0", "Something must be able to be drawn.", "{ \"1\": 0 }",
     "{ \"1\": 0.8, \"8\": 0.2 }"},
    {"E0231", "a bill too large to be counted",
     "Money is exact to the micro-dollar, which ends at 9.2 million million dollars.",
     "\"capacity\": 100000000, \"horizon\": \"36500d\"", "\"capacity\": 1000"},
    {"E0232", "a fleet of Spot without a Spot price",
     "What Spot costs is never guessed from the on-demand price.", "\"market\": \"spot\"",
     "\"spot_usd_per_hour\": 9.00 beside \"usd_per_hour\""},
    {"E0233", "max_wait away from Spot",
     "MaxWaitTimeInSeconds belongs to managed Spot; CreateTrainingJob refuses it elsewhere.",
     "\"market\": \"on_demand\", \"max_wait\": \"3d\"",
     "\"market\": \"spot\", \"max_wait\": \"3d\""},
    {"E0234", "max_wait shorter than max_runtime",
     "The time to wait holds the run time; CreateTrainingJob refuses less.",
     "\"max_runtime\": \"24h\", \"max_wait\": \"12h\"",
     "\"max_runtime\": \"24h\", \"max_wait\": \"36h\""},
    {"E0235", "a stall without an end in a run without an end",
     "What stands still for good is paid for until somebody ends it: the run needs an end. So do "
     "hosts that wait for a machine that is gone (node_lost); a gang that is `elastic` waits for "
     "none as long as its `min` is left.",
     "\"horizon\": \"until_done\", a stall that never \"lasts\"", "\"horizon\": \"7d\""},
    {"E0236", "a correlation that cannot be",
     "Two of three always agree in part, so all three cannot be opposites. The matrix "
     "of correlations is symmetric and positive definite.",
     "\"correlation\": -0.9 of three fleets", "\"correlation\": 0.5"},
    {"E0237", "more shocks than losses",
     "An exponential \"up\" is the mean time to a loss of any kind, shocks included.",
     "\"up\": { \"exponential\": \"10h\" } and one shock an hour that hits every second time",
     "\"per_hour\": 0.1"},
    {"E0238", "zones that are not the fleet",
     "Every instance of a fleet stands in one of its zones.",
     "\"capacity\": 4, \"zones\": { \"us-east-1a\": 2 }",
     "\"zones\": { \"us-east-1a\": 2, \"us-east-1b\": 2 }"},
    {"E0239", "without meaning in the tick world",
     "There are machines on Spot and on demand, jobs with work and deadlines, and rules that move "
     "jobs from tick to tick. What belongs to other models would be ignored, so it is refused.",
     "\"model\": \"ticks\" and \"startup\": \"5m\"", "\"restart_overhead\": \"5m\""},
    {"E0240", "a traced job without a size",
     "`instances_from` names the column with its size; a row that has none there, or 0, cannot be "
     "run. `reeve import csv TRACE --runnable -o OUT.csv` leaves out rows without GPUs (without "
     "nodes, where no row has GPUs).",
     "an empty cell of that column, or 0",
     "\"instances_from\": \"gpus_total\" or \"nodes\", whichever has the sizes"},
    {"E0241", "a traced job without a duration", "How much work it was must be known.",
     "an empty duration_s", "a row with a duration"},
    {"E0242", "no such trace", "Traces are looked for relative to the scenario file.",
     "\"trace\": \"/jobs.csv\"", "\"trace\": \"data/jobs.csv\""},
    {"E0243", "a rule that moves running jobs, where none can move",
     "A training job of SageMaker keeps the machines that it was submitted for. `spot_fallback` "
     "stops it and clones it elsewhere.",
     "{ \"rule\": \"uniform_progress\" } with \"model\": \"sagemaker-training\"",
     "{ \"rule\": \"spot_fallback\" }, or \"model\": \"ticks\""},
    {"E0244", "shocks of nobody",
     "Shocks hit fleets of their region whose availability is drawn; recorded ones have theirs in "
     "the record.",
     "\"region\": \"us-east-2\" and fleets of us-east-1", "\"region\": \"us-east-1\""},
    {"E0245", "an empty list of values",
     "A key with no value that it may have would be as if it were not there at all.",
     "\"allowed\": { \"phase\": [] }", "\"allowed\": { \"phase\": [\"pretrain\"] }"},
    {"E0248", "an exemption from a rule that is none",
     "`rules` of an exemption are the names of rules in reports: `name`, or else the kind of rule.",
     "\"rules\": [\"stall\"]", "\"rules\": [\"stalled_gpu\"]"},
    {"E0249", "a scope of a rule that is for all jobs",
     "A rule that orders the queue or chooses machines must know every job: those outside of its "
     "scope would wait for ever, or be counted as if they held nothing.",
     "{ \"rule\": \"schedule\", \"scope\": { \"tags\": [\"team=a\"] } }",
     "{ \"rule\": \"schedule\" }"},
    {"E0250", "a warm pool of Spot", "SageMaker keeps no machines of managed Spot.",
     "\"market\": \"spot\", \"keep_alive\": \"10m\"",
     "\"market\": \"on_demand\", \"keep_alive\": \"10m\""},
    {"E0251", "an outage of nothing", "No fleet says that it is in this zone.",
     "\"outages\": [ { \"zone\": \"us-east-1b\" } ] and fleets of us-east-1a",
     "\"zone\": \"us-east-1a\""},
    {"E0252", "a queue, share or environment that there is none of",
     "Jobs name a queue and a share, queues their shares and their environment. Each must stand in "
     "`queues`, `shares` or `environments`.",
     "\"queue\": \"p4-que\"", "\"queue\": \"p4-queue\""},
    {"E0253", "a share that does not stand in exactly one queue",
     "AWS Batch creates a quota share in a job queue: it cannot stand in two, nor in none.",
     "\"queues\": [ { \"name\": \"a\", \"shares\": [\"x\"] }, { \"name\": \"b\", \"shares\": "
     "[\"x\"] } ]",
     "a share for each queue"},
    {"E0254", "a share that does not go with the job's queue",
     "SubmitServiceJob: where a queue has shares a job must name one of them, and none where it "
     "has none.",
     "\"queue\": \"p4-queue\" without a \"share\"",
     "\"queue\": \"p4-queue\", \"share\": \"search\""},
    {"E0255", "too many kinds of places in lines",
     "Each combination of queue, share and `preemptible` that jobs have is one; there may be "
     "65,535.",
     "jobs of 70,000 shares", "fewer shares"},
    {"E0256", "a prefix of shares that cannot be one",
     "A share whose name ends in * stands for each share that a job names and that begins so. Each "
     "uses machines for itself, at the prefix's weight. As in AWS Batch a share is of one of them "
     "alone: prefixes and names that overlap are refused, in all queues, as names of shares are "
     "unique. Quotas, and what goes with them, are of shares by their whole names.",
     "\"shares\": [ { \"name\": \"team*\" }, { \"name\": \"team-a\" } ]",
     "\"shares\": [ { \"name\": \"team*\" }, { \"name\": \"search\" } ]"},
    {"E0259", "an instant where none is meant, or none where one is",
     "What a fleet holds changes: a line about it says when it is meant, after all that happens at "
     "that instant. Other metrics are of a run as a whole.",
     "{ \"that\": \"pool.p4.allocated == 75\" }",
     "{ \"at\": \"4h15m\", \"that\": \"pool.p4.allocated == 75\" }"},
    {"E0260", "a pause that is stated twice",
     "A checkpoint has a `cost`, or a `size` of which `write` makes one: "
     "docs/explanation/training.md.",
     "{ \"cost\": \"1m\", \"size\": 80, \"write\": 2 }", "{ \"size\": 80, \"write\": 2 }"},
    {"E0261", "half of a size",
     "How long a checkpoint takes is its size divided by a bandwidth; one alone says nothing.",
     "{ \"upload\": 0.5 }", "{ \"size\": 80, \"upload\": 0.5 }"},
    {"E0262", "a floor above the start", "A loss falls from `start` towards `floor`.",
     "{ \"start\": 2, \"floor\": 8 }", "{ \"start\": 8, \"floor\": 2 }"},
    {"E0263", "an elastic training job of SageMaker",
     "SageMaker gives a training job all of its machines or none, and managed Spot restarts it as "
     "a "
     "whole: what is left of it cannot go on.",
     "\"model\": \"sagemaker-training\" and \"elastic\": { \"min\": 4, \"resize\": \"5m\" }",
     "\"model\": \"ec2\""},
    {"E0264", "kept work that nothing saves",
     "What an elastic gang keeps is saved while all meet anew; with \"sync\": \"none\" nothing is.",
     "\"sync\": \"none\" and \"keeps_work\": true", "\"sync\": \"during\""},
    {"E0265", "a record too short to be repeated",
     "Spot does not turn more often than once a second; a record that is repeated would do so for "
     "as long as the clock runs.",
     "\"trace\": \"two-microseconds.csv\", \"after_end\": \"repeat\"", "\"after_end\": \"hold\""},
    {"E0266", "a report without its signal",
     "A loss is written with a step, and what chatters is a log: both need their signal.",
     "\"signals\": [\"power\"] and \"loss\"", "\"signals\": [\"steps\", \"power\"]"},
    {"E0270", "a fault of a machine that does not exist", "Machines count from 1 to the capacity.",
     "\"capacity\": 8, \"node_faults\": { \"down\": [ { \"machine\": 9, ... } ] }",
     "\"machine\": 8"},
    {"E0271", "too many machines that break", "Each has a clock of its own: at most 1,000,000.",
     "\"capacity\": 100000000, \"node_faults\": {}", "\"capacity\": 1000"},
    {"E0272", "jobs that wait for a broken machine for ever",
     "A hang that nobody sees, or a gang of one's own that lacks a machine, ends by a limit, a "
     "watchdog or the horizon. Without any of them the bill would have no end.",
     "\"horizon\": \"until_done\", \"node_faults\": {}, no \"max_runtime\"",
     "\"max_runtime\": \"3d\"; where only hangs are endless, \"node_faults\": { \"hangs\": 0 }"},
    {"E0273", "keys of an alert that do not go together",
     "What an alert watches decides what else it can say: `above` of job_wait; `below`, `for` and "
     "`fleet` of allocated_pct; `failures` and `last` of failures. A fleet's use is of all its "
     "jobs, "
     "so that it has no `tags`.",
     "{ \"watch\": \"job_wait\", \"below\": 50 }",
     "{ \"watch\": \"job_wait\", \"above\": \"30m\" }"},
    {"E0280", "a price beyond any machine's",
     "No instance costs $10,000 an hour: it is the price of a month, or in cents.", "3000000",
     "3000.00"},
    {"E0281", "a price seen before it was in force",
     "`retrieved` is the last day on which the price is known to have stood on its page.",
     "valid_from 2026-01-01, retrieved 2025-12-01", "retrieved 2026-01-05"},
    {"E0282", "a type of two machines",
     "All rows of one instance type, of whatever market and day, have as many accelerators.",
     "p4d.24xlarge with 8 and with 16", "p4d.24xlarge with 8"},
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
});

constexpr std::array trace_errors = std::to_array<ErrorCode>({
    {"E0295", "a plug-in that cannot be loaded",
     "The file is no shared object, lacks something that it needs, or exports no "
     "reeve_policy_plugin.",
     "--plugin notes.txt",
     "--plugin build/my_rule.so, built as docs/how-to/write-a-plugin.md says"},
    {"E0296", "a plug-in for another contract",
     "A plug-in and the program must share the headers of the contract, the size of pointers and "
     "the standard library: what differs would be read as something else.",
     "a plug-in that was built against an older package", "the same, built again"},
    {"E0297", "a plug-in with a rule that is none",
     "A rule of a plug-in has no name, the name of another rule, or a default that is not of its "
     "option's type.",
     ".name = \"resume\"", ".name = \"my_resume\""},
    {"E0302", "a trace cannot be read", "The file ended badly or memory ran out.", "a broken disk",
     "another copy of the file"},
    {"E0303", "damaged gzip data", "The check sums do not match.", "a bad download",
     "another copy of the file"},
    {"E0304", "gzip data that ends too early", "The file was cut off.", "half a download",
     "the whole file"},
    {"E0305", "not gzip although named .gz", "The name says how it is read.", "plain.csv.gz",
     "plain.csv"},
    {"E0306", "too long when unpacked", "A small file can unpack to a huge one.", "a gzip bomb",
     "a trace of less than 8 GiB"},
    {"E0307", "too long a line", "A record of a trace has at most 1 MiB; a quote may be open.",
     "\"unclosed", "\"closed\""},
    {"E0308", "a NUL byte in a trace", "The file is not text.", "a binary file", "a CSV file"},
    {"E0309", "a trace that is not UTF-8", "Traces are UTF-8.", "Latin-1", "UTF-8"},
    {"E0310", "text behind a closing quote", "A quote inside a quoted field is written twice.",
     "\"a\"b\",", "\"a\"\"b\","},
    {"E0311", "a quote that is never closed", "It would swallow the rest of the file.", "\"alice",
     "\"alice\""},
    {"E0312", "a row of another length", "Each row has as many fields as the header.", "a,b,c",
     "\"a,b\",c"},
    {"E0313", "not a number", "An unknown value is an empty cell.", "n/a", ""},
    {"E0314", "a negative number", "Times, sizes and counts are 0 or more.", "-1", "0"},
    {"E0315", "a number out of range", "Too large, or a percentage above 100.", "800", "100"},
    {"E0316", "not a whole number", "Counts have no decimals.", "1.5", "2"},
    {"E0317", "an empty id or submit time", "Both are needed of every job.", ",0,alice",
     "job-1,0,alice"},
    {"E0318", "a job stands twice", "Ids are unique in a trace.", "two rows of job-1",
     "job-1 and job-2"},
    {"E0319", "neither yes nor no", "0 or 1, false or true.", "maybe", "1"},
    {"E0320", "a trace that holds nothing", "A run that examined nothing proves nothing.",
     "a header only", "a header and rows"},
    {"E0321", "a column is missing",
     "The header lacks a column that the format needs, or there is no header: the message names "
     "it. A "
     "canonical trace of jobs has all of its columns, even empty ones.",
     "id,submit_s", "job_id,submit_s,..."},
    {"E0322", "a column stands twice", "Which one is meant?", "job_id,job_id", "job_id,submit_s"},
    {"E0323", "more runs than windows", "Each run meets a window of its own.",
     "\"runs\": 2000 and a file of 1,000 windows", "\"runs\": 1000"},
    {"E0324", "a window that is no part of the record",
     "It has at least one tick, and all of its ticks are recorded.",
     "start_index 3800, len 200 of 3,895 ticks", "len 95"},
    {"E0329", "a market without a price", "No price is made up where none is known.",
     "a skynomad trace without price_info", "a trace with prices"},
});

constexpr std::array book_errors = std::to_array<ErrorCode>({
    {"E0330", "time runs backwards", "The rows of a log are in the order of time.",
     "60,4 and in the next line 5,3", "5,3 and then 60,4"},
    {"E0331", "two values at one instant", "Which of them holds from then on?",
     "60,4 and in the next line 60,3", "60,3"},
    {"E0332", "a wrong unit",
     "A tick of more than a day, a time of more than a century, a price above $10,000 per hour or "
     "20 times on-demand: milliseconds or cents were written, or dates. More than 100 % of one "
     "GPU: "
     "a sum over GPUs was written.",
     "\"gap_seconds\": 600000", "\"gap_seconds\": 600"},
    {"E0333", "0 and 1 that are not explained",
     "In half of the published traces 1 is an instance that could be had, in the others one that "
     "was lost. The file does not tell, or tells the opposite of `convention`.",
     "\"format\": \"spot-traces\"", "\"format\": \"spot-traces\", \"convention\": \"up\""},
    {"E0334", "a count among lost and not lost", "Under \"preempted\" there are only 0 and 1.",
     "[0, 1, 4] with \"convention\": \"preempted\"", "\"convention\": \"up\""},
    {"E0335", "a page is missing", "AWS answers in pages; this one names a token of the next.",
     "\"NextToken\": \"AbC\"", "\"NextToken\": \"\""},
    {"E0336", "an unknown series",
     "The file has no prices or offers of this name, or has several and none is named.",
     "\"zone\": \"us-east-1\"", "\"zone\": \"us-east-1a\""},
    {"E0337", "a price that is none", "Prices are above 0; what is not known is left out.", "0",
     "0.918"},
    {"E0338", "fewer prices than ticks", "Where prices go by ticks, each tick has one.",
     "\"data\": [1, 1], \"prices\": [0.9]", "\"prices\": [0.9, 0.9]"},
    {"E0339", "a node that cannot go", "A node is removed that is not there.",
     "0,add,node1 and then 5,remove,nod1", "5,remove,node1"},
    {"E0340", "no such price book",
     "`reeve prices list` shows the books there are; a file ends in .csv and is looked for "
     "relative "
     "to the scenario.",
     "\"book\": \"aws-us-east1\"", "\"book\": \"aws-us-east-1\""},
    {"E0341", "not a day, count, percentage or column of a price book",
     "Days are YYYY-MM-DD, savings 67%, bands 10-15, accelerators a whole number.", "1 June 2025",
     "2025-06-01"},
    {"E0342", "a word that a price book does not know",
     "Service, market, managed and confidence have few values, a book has one region.", "ondemand",
     "on_demand"},
    {"E0343", "a price stands twice", "Of one service, market and type there is one price a day.",
     "two rows of p4d.24xlarge from 2025-06-23", "one of them"},
    {"E0344", "prices out of order",
     "Rows of one service, market and type stand in the order of their days.",
     "2025-06-23 before 2020-11-02", "2020-11-02 before 2025-06-23"},
    {"E0345", "an empty cell of a price",
     "A price without its source or its day proves nothing; only managed, retrieved and confidence "
     "may be empty.",
     "a row without source", "the public page it is from"},
    {"E0346", "prices of the future",
     "The book is read as of a day on which the scenario has not begun.",
     "\"book\": \"aws-us-east-1@2026-11-01\" with a clock that starts on 2026-05-22",
     "\"book\": \"aws-us-east-1@2026-05-22\""},
    {"E0347", "a day before the first price",
     "The book knows the type, but not what it cost then; no price is guessed.",
     "p5.48xlarge in 2022", "a clock that starts later, or the price in prices.instances"},
    {"E0348", "a price of nothing", "Prices are more than $0 an hour.", "0", "3.06"},
    {"E0349", "a price book without prices", "It would find no type at all.", "a header only",
     "a header and rows"},
    {"E0350", "an order of jobs that AWS Batch has not",
     "AWS Batch has queues that are first in, first out, fair share and quota shares, without "
     "backfill. Other algorithms of schedule cannot be exported to it.",
     "\"algorithm\": \"drf\"", "\"algorithm\": \"fair_share\""},
    {"E0351", "a name that AWS Batch refuses",
     "Names have letters, digits, hyphens and underscores, 128 at most; a share identifier of fair "
     "share has letters and digits alone.",
     "\"name\": \"team a\"", "\"name\": \"team-a\""},
    {"E0352", "more, or less, than AWS Batch takes",
     "A queue has at most 20 quota shares, of 1 to 5 capacity limits each, and an environment of "
     "its "
     "own; priorities are 0 and more, and usage decays within 604800 s.",
     "two queues with quota shares and \"environment\": \"gpus\"", "an environment for each"},
    {"E0353", "capacity that AWS Batch cannot count",
     "Quota shares count instances by types of SageMaker (ml.p4d.24xlarge), everything else all "
     "types together (NUM_INSTANCES). AWS Batch knows no fleets.",
     "two fleets of one type, and a quota of each", "one fleet"},
    {"E0354", "a scenario without queues", "There is nothing that AWS Batch could have of it.",
     "no \"queues\"", "\"queues\": [ { \"name\": \"main\", \"fleet\": \"p4\" } ]"},
    {"E0355", "no queue of AWS Batch",
     "Read are the answers of aws batch describe-service-environments, describe-job-queues, "
     "describe-scheduling-policies, list-quota-shares and describe-quota-share, the inputs of aws "
     "batch create-..., and CloudFormation templates, all in JSON. Queues of containers are no "
     "queues for training.",
     "{ \"jobQueues\": [] }", "{ \"jobQueues\": [ { \"jobQueueName\": \"main\", ... } ] }"},
    {"E0356", "something that no file describes",
     "A queue refers to its service environment and its scheduling policy, a quota share to its "
     "queue, and a policy of quota shares needs some. The message names the call that prints what "
     "is "
     "missing.",
     "describe-job-queues alone", "describe-service-environments as well"},
    {"E0357", "a value that CloudFormation works out",
     "What parameters and functions of a template come to is known when it is deployed. References "
     "to resources of the template are read.",
     "\"MaxCapacity\": { \"Ref\": \"Machines\" }", "\"MaxCapacity\": 100"},
    {"E0358", "described twice, differently",
     "The same twice does no harm; two that differ are of two regions, accounts or times.",
     "queues.json of Monday and of Friday", "one of them"},
    {"E0359", "queues that go by different rules",
     "A policy of a scenario has one rule schedule, for all queues: one algorithm, one decay, one "
     "reservation.",
     "a queue with quota shares and one of fair share", "a scenario for each, by --queue NAME"},
});

constexpr std::array warnings = std::to_array<ErrorCode>({
    {"W0301", "an unknown column", "It is read past.", "jobid", "job_id"},
    {"W0302", "an unknown end status", "It is read as unknown.", "DONE", "completed"},
    {"W0303", "a job that began before it was submitted",
     "Clocks of two machines, or a wrong row. Its wait is taken as unknown.",
     "submitted at 01:00:00, started at 00:59:58", "started at 01:00:00 or later"},
    {"W0310", "gaps in a trace",
     "Some samples are more than 2.5 times the usual distance apart. What was on offer between is "
     "not known; the message says what is assumed.",
     "no sample from 02:00 to 07:00", "a trace without gaps, or knowing the assumption"},
    {"W0311", "rows given twice", "They say the same, so the repetitions are dropped.",
     "60,4 twice", "60,4 once"},
    {"W0312", "a trace that tells a part",
     "It begins late, lacks some prices, or has prices without a use; the message says what is "
     "assumed.",
     "a first row at 60 seconds", "a row at 0"},
    {"W0313", "a log that begins late",
     "A log of nodes says who comes and goes, not who was there: before it nobody is assumed.",
     "480000,add,node1 first", "0,add,node1 for those that were there"},
    {"W0314", "prices out of order", "Neither oldest nor newest first; they are sorted by time.",
     "06:00, 12:00, 09:00", "06:00, 09:00, 12:00"},
    {"W0315", "a utilization trace of other hosts",
     "It has not one series for each host of the job; the message says what is assumed.",
     "one log of nvidia-smi and \"instances\": 8", "\"host\": \"all\", or a log for each host"},
    {"W0316", "shares where percent are meant?",
     "No value is above 1, and some are fractions. They are read as percent of one GPU.", "0.97",
     "97"},
    {"W0321", "a trace that ends before the clock", "Its last value is assumed from then on.",
     "a trace of 13 days, a clock of 30", "a longer trace or an earlier end"},
    {"W0322", "a trace of another length than stated",
     "Its samples and their distance give another length than its authors do.",
     "\"13d\" of 3,895 samples every 600 s", "27.05 days"},
    {"W0323", "a trace with dates that the clock starts among",
     "A trace is read from its first value, whatever its dates, unless `from` says a date. Here "
     "that "
     "may not be what is meant.",
     "a trace of 2026-03-31 to 2026-05-01, a clock from 2026-04-01",
     "\"from\": \"2026-04-01T00:00:00Z\""},
    {"W0324", "a GPU that no node has",
     "Tasks that ask for this model and no other are placed nowhere; it may be misspelt.",
     "V100M61 in gpu_spec", "V100M16, or a node of that model"},
    {"W0401", "a preset that no rule uses", "A `use` may be misspelt or forgotten.",
     "\"rules\": { \"blog\": {} }", "{ \"rule\": \"stalled_gpu\", \"use\": \"blog\" }"},
    {"W0402", "a fault that never happens",
     "It lies behind the end of the work, which nothing holds up: no trouble before it that the "
     "attempt survives, no retry, no repair, no loss of machines, none that are slow.",
     "\"work\": \"1h\", a fault at \"2h\"", "a fault at \"30m\""},
    {"W0403", "work longer than max_runtime", "An attempt that begins from nothing ends there.",
     "\"work\": \"72h\", \"max_runtime\": \"24h\"", "\"max_runtime\": \"72h\""},
    {"W0404", "a first checkpoint that never comes", "It would come after the work is done.",
     "\"work\": \"1h\", \"every\": \"2h\"", "\"every\": \"10m\""},
    {"W0405", "a host the job does not have", "Hosts count from 1 to the number of instances.",
     "\"instances\": 2, \"hosts\": [3]", "\"hosts\": [2]"},
    {"W0406", "a human who owns no job", "The owner is the job's `owner`, else its tag username.",
     "\"owner\": \"jondoe\"", "\"owner\": \"johndoe\""},
    {"W0407", "a preset that hides a built-in one",
     "Presets of the file win over built-in ones of the same name: a `use` of that name means the "
     "file's, for every kind of rule, also for those that it says nothing of.",
     "\"rules\": { \"blog-naive\": {} }", "\"rules\": { \"my-blog\": {} }"},
    {"W0408", "an end that can never come", "The rule named is not in the same policy.",
     "\"when\": [\"stopped_by:stalled_gpu\"]", "the same, beside { \"rule\": \"stalled_gpu\" }"},
    {"W0409", "a name AWS would refuse", "Letters, digits and hyphens, 63 at most.", "\"my job\"",
     "\"my-job\""},
    {"W0410", "a price that nothing uses", "No fleet has instances of this type.",
     "a type in \"instances\" and no fleet of it", "a fleet of the type, or no such type"},
    {"W0411", "a threshold outside the metric's range",
     "Every datapoint is on the same side of it, so the alarm always or never goes off.",
     "\"threshold\": 900", "\"threshold\": 640"},
    {"W0412", "a threshold compared with a sum over GPUs",
     "SageMaker's GPUUtilization is the sum over the GPUs of an instance: 0..800 for eight. A "
     "threshold of 80 is then 10 % of each. Less than 5 % of each is taken for meant so.",
     "\"threshold\": 80", "\"threshold\": 640, or \"threshold\": 80, \"scale\": \"per_gpu\""},
    {"W0413", "an alarm that is left behind",
     "`disarm_on` lacks a status in which jobs end, so each such job leaves its alarm behind: "
     "$0.10 a month and one of the account's 5,000 alarms.",
     "\"disarm_on\": [\"Completed\", \"Failed\"]",
     "\"disarm_on\": [\"Completed\", \"Failed\", \"Stopped\", \"MaxRuntimeExceeded\", "
     "\"MaxWaitTimeExceeded\"]"},
    {"W0414", "longer than AWS allows", "max_runtime is 28 days at most there.",
     "\"max_runtime\": \"60d\"", "\"max_runtime\": \"28d\""},
    {"W0416", "several runs of nothing random", "One run is exact, more are its copies.",
     "\"runs\": 20", "\"runs\": 1"},
    {"W0417", "a priority that nothing looks at",
     "`schedule` orders the queue by submission (fifo) or by length (sjf); the priority of a job "
     "changes nothing there. The highest priority goes first with `priority`, and in each share "
     "with `quota`.",
     "\"priority\": 5 and { \"rule\": \"schedule\", \"algorithm\": \"fifo\" }",
     "no \"priority\", or earlier \"submit\" times for what matters"},
    {"W0418", "a watched host that no job has",
     "Hosts count from algo-1 to the number of instances; nothing would be watched there.",
     "\"instances\": 2, \"hosts\": [\"algo-9\"]", "\"hosts\": [\"algo-1\"]"},
    {"W0419", "an alarm where nobody measures",
     "The ideal platform publishes no metrics: the alarm sees no data and never goes off.",
     "\"model\": \"ideal\" and { \"rule\": \"stalled_gpu\" }", "\"model\": \"sagemaker-training\""},
    {"W0420", "a stale price",
     "For more than 180 days before the clock starts nobody is known to have looked at the price; "
     "lists change.",
     "\"book\": \"aws-us-east-1@2024-01-01\" with a clock that starts in 2026",
     "\"book\": \"aws-us-east-1\""},
    {"W0424", "a price stated here and in the book",
     "Inline prices win; each is named so that none wins unseen.",
     "\"book\": \"aws-us-east-1\", \"instances\": { \"p5.48xlarge\": {} }", "one of the two"},
    {"W0426", "a trace smaller than its fleet",
     "It never offers as many instances as the fleet has. Most traces count to one: whether the "
     "machines that were asked for could be had.",
     "\"capacity\": 16 and a trace of 0 and 1", "\"instances\": 16"},
    {"W0427", "an estimate", "A preset stands for numbers that nobody recorded for this fleet.",
     "\"preset\": \"scarce\"", "\"trace\": \"us-east-1a.json.gz\""},
    {"W0428", "a fleet too small to go on in",
     "A rule moves a job to another fleet, named or found by market or type, only if it fits "
     "there; else it goes on where it ran.",
     "\"instances\": 4, \"override\": { \"fleet\": \"small\" } with \"capacity\": 1",
     "\"capacity\": 4"},
    {"W0430", "a clone that loses its checkpoint",
     "It is created without the job's CheckpointConfig, or told to begin anew, and does all of the "
     "work again: dearer and slower than on demand alone, if Spot takes machines often.",
     "{ \"rule\": \"spot_fallback\", \"clone_keeps_checkpoint\": false }",
     "{ \"rule\": \"spot_fallback\" }"},
    {"W0432", "a deadline that cannot be met",
     "The work and one restart, on demand from the first tick on, take longer.",
     "\"work\": \"48h\", \"deadline\": \"48h\"", "\"deadline\": \"52h\""},
    {"W0433", "an alarm that CloudWatch refuses (defect D1)",
     "AlarmActions must be a list. With a text in its place PutMetricAlarm fails, and no alarm is "
     "ever put.",
     "\"handler\": \"actions_not_a_list\"", "\"handler\": \"works\", once the call has a list"},
    {"W0434", "a handler that ends in an error (defect D2)",
     "create_topic answers with a dictionary: its ARN is ['TopicArn'], not .arn.",
     "\"handler\": \"topic_of_a_dict\"", "\"handler\": \"works\", once the key is read"},
    {"W0435", "a level at the threshold itself (defect D3)",
     "The text of the article says below 1 %, its code at most 1 %. Where a job uses exactly as "
     "much, the two differ: work at the threshold is counted by at most alone, and a standstill at "
     "it is not seen by below. Phases that are over before they have a part in as many datapoints "
     "as the alarm needs are not meant.",
     "\"threshold\": 1, \"compare\": \"<\" and a \"stalled\" use of 1 %",
     "a threshold above it; \"<\" where it is work that uses so much"},
    {"W0436", "a host that nobody watches (defect D5)",
     "The metric is that of one instance. Trouble that strikes another one alone is not seen; nor "
     "are "
     "machines that hang, which may be any.",
     "\"hosts\": [\"algo-1\"] and a stall of host 5", "\"hosts\": [\"all\"]"},
    {"W0437", "lost metrics that look healthy (defect D6)",
     "With notBreaching a period without samples counts as one of good use: where the metrics die "
     "with the job, the alarm never goes off. The lowest of all hosts is of those that have "
     "metrics: one without them is left out, whatever missing says.",
     "\"missing\": \"notBreaching\"",
     "\"missing\": \"breaching\" and an \"arm_delay\" of N + 2 periods; a healthy job whose "
     "metrics "
     "are late is stopped then, too"},
    {"W0438", "a job that its own alarm does not find (defect D8)",
     "The handler takes each \"GPUUtil\" out of the alarm's name. A job that has it in its own "
     "name is looked for under another one, and is not stopped.",
     "\"found_by\": \"alarm_name\" and a job \"x-GPUUtil-y\"", "\"found_by\": \"job_name\""},
    {"W0439", "run time without its days (defect D9)",
     "timedelta.seconds leaves out whole days: 25 hours count as one.",
     "\"measure\": \"seconds_field\"", "\"measure\": \"total\""},
    {"W0440", "a max_pending that AWS refuses", "MaxPendingTimeInSeconds is 2 hours to 28 days.",
     "\"max_pending\": \"30m\"", "\"max_pending\": \"2h\""},
    {"W0441", "longer warm than AWS allows",
     "KeepAlivePeriodInSeconds is documented up to an hour; the API's model takes six.",
     "\"keep_alive\": \"2h\"", "\"keep_alive\": \"1h\""},
    {"W0442", "a job larger than its quota",
     "Quotas of Spot and of other training are two; on AWS those of accelerators begin at 0.",
     "\"instances\": 8 and \"quotas\": { \"gpu.8\": { \"training\": 4 } }", "\"training\": 8"},
    {"W0443", "a key without effect on this platform", "Only SageMaker's training jobs have it.",
     "\"model\": \"ideal\", \"quotas\": {}", "\"model\": \"sagemaker-training\""},
    {"W0444", "run time with its queue (defect D10)",
     "CreationTime is when the job was asked for, not when it began: hours in the queue count as "
     "hours of training.",
     "\"since\": \"creation\"", "\"since\": \"training\""},
    {"W0445", "a clone that SageMaker refuses (defect D11)",
     "Tags must be the list in list_tags' answer, not the answer.",
     "\"handler\": \"tags_of_an_answer\"", "\"handler\": \"works\", once ['Tags'] is passed"},
    {"W0446", "names that grow (defect D13)",
     "Each clone is called as the one before with \"clone\" behind it; SageMaker refuses names "
     "beyond 63 characters.",
     "\"naming\": \"appended\"", "\"naming\": \"numbered\""},
    {"W0447", "resumed for ever (defect D14)",
     "What fails each time is started, and paid for, each time.", "\"max_resumes\": -1",
     "\"max_resumes\": 2"},
    {"W0448", "a handler that acts on each copy of an event (defect D15)",
     "EventBridge delivers at least once, and the article's handler asks for a clone with each "
     "copy. "
     "Both clones are called the same, so that SageMaker refuses one (ResourceInUse): "
     "`duplicate_creates` counts those.",
     "\"handler\": \"not_idempotent\" where \"duplicate_events\" is above 0",
     "\"handler\": \"works\": fixed names of clones and client tokens"},
    {"W0449", "a stop that nobody resumes (defect D16)",
     "What a rule stops is Stopped, not Failed: a rule that resumes failed jobs leaves it until a "
     "person comes. So it does where `when` has such stops, and the attempt ran for less than its "
     "`min_runtime` before.",
     "{ \"rule\": \"stalled_gpu\" }, { \"rule\": \"resume\", \"when\": [\"failed\"] }",
     "\"when\": [\"failed\", \"stopped_by:stalled_gpu\"]"},
    {"W0450", "a time-out that nobody handles (defect D17)",
     "An attempt on Spot that got no machines within its MaxWaitTime is over, and has not failed: "
     "a rule that resumes failed jobs leaves it. It is not said where nobody can wait for so long: "
     "Spot has room for all and takes nothing away, and \"max_runtime\" ends sooner. Likewise who "
     "waits as long as its queue lets it (\"runnable_limit\"): it fails for capacity, and has not "
     "run.",
     "\"max_wait\": \"2h\" and { \"rule\": \"resume\", \"when\": [\"failed\"] }",
     "\"when\": [\"failed\", \"max_wait_time_exceeded\"] and \"min_runtime\": \"0s\", for who "
     "never got "
     "machines has not run"},
    {"W0451", "a handler that cannot be deployed (defect D18)",
     "NAME = value: ends in a colon, which is no Python.", "\"handler\": \"syntax_error\"",
     "\"handler\": \"works\", once the colon is gone"},
    {"W0452", "machines that never shut themselves down (defect D19)",
     "--zone=zone=us-east1-d names no zone: the command fails, and the machines run on.",
     "\"self_destruct_fails\": 1", "0, once the command is right"},
    {"W0453", "success that is told as failure (defect D20)",
     "status==0 compares a text with a number, and they are never equal: the table of experiments "
     "tells each job that ended well as FAILED.",
     "\"handler\": \"exit_code_as_text\"", "\"handler\": \"works\", once numbers are compared"},
    {"W0454", "a list that nobody writes (defect D21)",
     "The list of preempted jobs is read under the prefix users/preempted-jobs/, and one name is "
     "written into the code: no job, or the wrong one, is started again.",
     "\"handler\": \"list_of_nothing\"",
     "\"handler\": \"works\", once the prefix is that of the list"},
    {"W0455", "nodes that never meet (defect D22)",
     "The number of nodes is read without tags/instance/ before it, and never found.",
     "\"tags_after\": \"never\"",
     "\"tags_after\": \"12s\"; `startup_limit` ends what hangs all the same"},
    {"W0456", "Spot that nobody looks after (defect D23)",
     "The first of the losses ends the job: no rule of a policy starts it again, or those that "
     "would "
     "are told of other tags or fleets only. A script that listens for the notice saves its work, "
     "which nobody goes on with.",
     "a job on Spot, \"spot_request\": \"one-time\", and no rule that starts it again",
     "\"on_notice\" of \"checkpoint\", and { \"rule\": \"relaunch\" }"},
    {"W0457", "a clone that cannot run (defect D12)",
     "A clone has what is copied into it. Without its data, or its network, it fails when its "
     "start-up is over; without its tags it is stopped by a rule that asks for them.",
     "\"loses\": [\"InputDataConfig\"]", "no such field in \"loses\""},
    {"W0458", "a clone without its settings (defect D12)",
     "A clone has what is copied into it. It runs without its environment, and its debugger and "
     "profiler see nothing; without ExperimentConfig it stands in no experiment, without "
     "RetryStrategy nothing begins it again after an infrastructure failure.",
     "\"loses\": [\"ExperimentConfig\"]", "no such field in \"loses\""},
    {"W0459", "a shadow that can see nothing",
     "A rule in shadow sends nothing, so one that acts on alarms puts none: it never decides "
     "anything, and what it would have stopped is not to be seen. In `warn` its alarm is put, and "
     "people are told in place of the stop.",
     "{ \"rule\": \"stalled_gpu\", \"mode\": \"shadow\" }",
     "{ \"rule\": \"stalled_gpu\", \"mode\": \"warn\" }"},
    {"W0460", "a save that never is over in time",
     "What a job saves when Spot warns it must be over before the machines go. EC2 warns 120 s "
     "ahead, GCP 30 s, managed Spot not at all.",
     "\"on_notice\": { \"save\": \"150s\" } on ec2", "\"on_notice\": { \"save\": \"90s\" }"},
    {"W0461", "leftovers that cost too little",
     "Machines whose script failed to shut them down run until somebody ends them; without a "
     "horizon the run ends with its last job.",
     "\"self_destruct_fails\": 0.1, \"horizon\": \"until_done\"", "\"horizon\": \"30d\""},
    {"W0462", "a limit that nobody keeps",
     "Machines of one's own have no StoppingCondition: the rule's request is refused.",
     "\"model\": \"ec2\" and { \"rule\": \"max_runtime\" }", "\"enforce_by\": \"clock\""},
    {"W0463", "machines that cannot shut themselves down",
     "Scripts end by terminating their own machine, which needs a right: ec2:TerminateInstances in "
     "the role of the instance, on GCP the scope compute-rw. Without it every job leaves its "
     "machines behind.",
     "\"self_destruct_right\": false", "\"self_destruct_right\": true"},
    {"W0464", "checkpoints faster than their uploads",
     "While one uploads no other is written: it is put off, and what a fault destroys grows.",
     "{ \"every\": \"1m\", \"size\": 80, \"upload\": 0.5 }", "\"every\": \"5m\""},
    {"W0465", "a speed that is missing",
     "`throughput` has the speed of other types, but not of the job's own fleet: 1 is assumed.",
     "\"instance_type\": \"gpu.8\", \"throughput\": { \"gpu.4\": 0.4 }",
     "\"throughput\": { \"gpu.8\": 1, \"gpu.4\": 0.4 }"},
    {"W0466", "reports that nobody reads",
     "What a script reports of its training is told to rules that ask for it, `heartbeat`, "
     "`early_stop` and `spot_fallback`: where no policy has one, nothing is simulated.",
     "\"reports\": { \"every\": \"1m\" } and no such rule", "{ \"rule\": \"heartbeat\" }"},
    {"W0467", "progress that nobody reports",
     "How much of the work on Spot lasts is only told by jobs with `reports`: without any the test "
     "`min_progress` never acts.",
     "{ \"rule\": \"spot_fallback\", \"min_progress\": 0.5 } and no job with \"reports\"",
     "\"reports\": { \"every\": \"1m\" }"},
    {"W0468", "a request to save that nobody makes, or nobody heeds",
     "`save_on_notice` acts when a loss is told: managed Spot tells none, EC2 120 s and GCP 30 s "
     "ahead, a capacity block before its end. And it asks scripts that listen.",
     "{ \"rule\": \"save_on_notice\" } and no job with \"on_request\"",
     "\"checkpoint\": { \"on_request\": { \"save\": \"90s\" } }"},
    {"W0469", "a last save that never is over in time",
     "Between SIGTERM and the end lies `stop_grace`: 120 s of a training job, nothing on machines "
     "of one's own.",
     "\"on_stop\": { \"save\": \"150s\" }", "\"on_stop\": { \"save\": \"90s\" }"},
    {"W0470", "a warning after the loss",
     "Machines of a capacity block go `ends_early` before its end; what is told later helps "
     "nobody.",
     "\"ends_early\": \"30m\", \"end_warning\": \"10m\"", "\"end_warning\": \"40m\""},
    {"W0476", "a key without effect",
     "It is read and changes nothing: another key says the same, what it is about is not there, or "
     "it begins after the clock ends. The message says which.",
     "\"spot_usd_per_hour\": 9, \"savings_pct\": 70", "\"spot_usd_per_hour\": 9"},
    {"W0477", "a notice that SageMaker does not give",
     "Jobs on managed Spot are not told that their machines go (EC2 tells its own). What is stated "
     "is simulated all the same.",
     "\"model\": \"sagemaker-training\", \"notice\": \"120s\"",
     "\"model\": \"ec2\", \"notice\": \"120s\""},
    {"W0478", "a trace of GPUs shorter than the training",
     "After its end its last value is assumed, unless `beyond_end` is written.",
     "a trace of 3 h and \"work\": \"10h\"", "\"beyond_end\": \"repeat\""},
    {"W0479", "Spot dearer than on demand",
     "AWS's Spot prices do not exceed those on demand; the two may be exchanged. Of a record it is "
     "said where most of its prices are above: they may be in cents, or of another type.",
     "\"usd_per_hour\": 9, \"spot_usd_per_hour\": 30",
     "\"usd_per_hour\": 30, \"spot_usd_per_hour\": 9"},
    {"W0480", "prices of another region",
     "A price book is of one region, and the fleet says that it stands in another.",
     "\"book\": \"aws-us-east-1\", \"zone\": \"eu-west-1a\"", "\"zone\": \"us-east-1a\""},
    {"W0481", "a zone of no region",
     "Zones are called after their region and a letter; shocks and prices go by regions. AWS has "
     "regions of its own list only, and wants names (us-east-1a) where ids of zones (use1-az1) "
     "stand.",
     "\"zone\": \"us-east-1z9\", \"us-esat-1a\"", "\"zone\": \"us-east-1a\""},
    {"W0482", "two records of one price",
     "The record of `availability` has prices, and `price_trace` is another record; it counts.",
     "\"availability\" with prices, and \"price_trace\"", "one of the two"},
    {"W0483", "times of another unit",
     "A record of more than ten years, or a first job after ten years, is of another unit or "
     "counts "
     "from 1970. So may be changes of Spot that last more than a hundred times as long as the "
     "clock "
     "and have all times in thousands of seconds, or any that last a thousand times as long.",
     "submit_s 1775001600, or milliseconds", "submit_s 0, or seconds"},
    {"W0484", "work that the clock never gets to",
     "Jobs that are submitted when the clock is over never run; work that is longer than the clock "
     "has no result.",
     "\"horizon\": \"3d\", \"submit\": \"4d\"", "\"horizon\": \"5d\""},
    {"W0485", "dates with an offset and without one",
     "In one file some dates say how far they are from UTC, others do not; those are read as UTC.",
     "2026-04-01T00:00:00 and 2026-04-02T00:00:00-04:00", "2026-04-01T00:00:00-04:00 and so on"},
    {"W0486", "work that is kept at the end only",
     "With `at_end` nothing is durable before the job ends in order. Ten hours of work on Spot "
     "that "
     "goes every 90 minutes never end; a crash after 9h50m at $30 loses $295.00, with a checkpoint "
     "each 15 minutes $2.50.",
     "\"checkpoint\": { \"every\": \"15m\", \"sync\": \"at_end\" }",
     "\"checkpoint\": { \"every\": \"15m\" }"},
    {"W0487", "Spot machines that nobody takes away",
     "Nothing in the file says when the market has machines, or how long they stay: the fleet is "
     "as good as on demand, at the price of Spot.",
     "\"market\": \"spot\" and no more",
     "\"availability\": { \"preset\": \"scarce\" }, or a trace, or \"reclaim\""},
    {"W0488", "work on Spot that nothing keeps",
     "Without a checkpoint each interruption begins all of the work again: W hours under L "
     "interruptions an hour take (e^(L W) - 1) / L on average, 10 hours under 0.15 are 23.2. On "
     "demand is then often cheaper. It is said once for each fleet.",
     "\"market\": \"spot\" and no \"checkpoint\"",
     "\"checkpoint\": { \"every\": \"30m\" }, or \"market\": \"on_demand\""},
    {"W0489", "a price that changes while the clock runs",
     "A fleet pays the price of the book's day all along; the book has a newer row before the "
     "horizon, or without one before jobs may all be done (the last submission, the longest job, "
     "and all work shared among the machines).",
     "\"book\": \"aws-us-east-1\", \"start\": \"2025-06-20T00:00:00Z\", \"horizon\": \"60d\"",
     "\"horizon\": \"3d\""},
    {"W0490", "one record under both conventions",
     "Two fleets read one file, and what is an instance for the one is none for the other. A file "
     "has one convention: one of the two is wrong.",
     "\"convention\": \"up\", then \"convention\": \"preempted\"", "the same for both fleets"},
    {"W0491", "dates of another time",
     "The record's dates all lie more than 180 days before the clock starts, or after it. It is "
     "read from its first value as if of the clock's time.",
     "a record of 2020, \"start\": \"2026-04-01T00:00:00Z\"",
     "\"from\": \"2020-04-01T00:00:00Z\", if that is meant"},
    {"W0492", "times without a unit",
     "A log of nodes or counts without a first line that names its columns is read as "
     "milliseconds, "
     "as those that were published.",
     "3600,7", "time_s,count"},
    {"W0493", "GPU utilization in milliseconds?",
     "Its samples are 1,000 seconds apart or more, by thousands of seconds or by no whole minutes, "
     "and it lasts more than a hundred times as long as the job trains: probably each second was "
     "written as 1,000 milliseconds. It is read as seconds.",
     "t_s 0, 60000, 120000 of a job of an hour", "0, 60, 120"},
    {"W0494", "a window without machines",
     "The machines of a capacity block go `ends_early` before its window ends: in one that is no "
     "longer no job ever runs, and it is paid for.",
     "\"windows\": [[\"10h\", \"10h20m\"]]", "\"windows\": [[\"10h\", \"34h\"]]"},
    {"W0495", "a tag that no job has",
     "No job is submitted with this value, so what is expected of it is true of $0: a typo?",
     "\"tags\": { \"team\": \"vision\" }, \"tag.team.Vision.billed_usd < 100\"",
     "\"tag.team.vision.billed_usd < 100\""},
    {"W0496", "a price above any list",
     "No machine on a public list costs more than $10,000 an hour; price books refuse it (E0280).",
     "\"usd_per_hour\": 32770 for $32.77", "\"usd_per_hour\": 32.77"},
    {"W0497", "a record of more machines than the fleet has",
     "A fleet never gets more than its `capacity`: what the record has above is cut off.",
     "12 in the record, \"capacity\": 8", "\"capacity\": 12"},
    {"W0498", "a sign of life that nobody gives",
     "`heartbeat` watches who has given a sign of life once. Where no job gives the one that it "
     "listens for, it watches nobody.",
     "{ \"rule\": \"heartbeat\", \"signal\": \"power\" } and \"reports\" without it",
     "\"reports\": { \"every\": \"1m\", \"signals\": [\"power\"] }"},
    {"W0499", "a gang that may be spread over zones",
     "Where a fleet stands in several zones and a gang that is spread is slower, a job with "
     "\"placement\": \"any\" takes what is free, and pays for the slower work.",
     "\"zones\" and \"spread_speed\": 0.8, and a job of several instances with \"placement\": "
     "\"any\"",
     "\"placement\": \"single_zone\""},
    {"W0500", "a rule that cannot be meant so here",
     "Its options are fine by themselves, but not with one another or with the fleets and jobs of "
     "this scenario: as they are it stops everything, never acts, or an option of it changes "
     "nothing. The message says which, and why.",
     "\"allow\": [\"ml.g5*\"] and fleets of ml.p4d.24xlarge",
     "\"allow\": [\"ml.g5*\", \"ml.p4d*\"]"},
    {"W0510", "machines that are found too late",
     "`capacity_wait` of the fleet is never shorter than what its jobs wait for (`max_pending`, "
     "`max_wait`), or than the clock runs: nobody has machines there. It is not said where rules "
     "may send jobs elsewhere, or a warm pool may match.",
     "\"capacity_wait\": \"2h\", \"max_pending\": \"30m\"", "\"max_pending\": \"3h\""},
    {"W0511", "shocks that are not looked at",
     "A fleet that is up looks at 2,000,000 shocks in a row, and if all of them miss it at no more "
     "until it was down: with so many of which so few hit, some losses do not come.",
     "\"per_hour\": 1000, \"hit\": 1e-7, a year", "\"per_hour\": 0.0001, \"hit\": 1"},
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
    {"W0531", "an alarm that nothing asks for",
     "A stated rule puts its alarm only if its condition has a test of the field `alarm`.",
     "{ \"rule\": \"rule\", \"alarm\": { \"period\": \"1m\" }, \"when\": { \"field\": \"age\", ... "
     "} }",
     "\"when\": { \"field\": \"alarm\", \"op\": \"==\", \"value\": \"alarm\" }"},
    {"W0540", "an office_hours rule that stops jobs when its guard is closed",
     "The rule stops jobs when its hours end; the guard refuses whatever changes a job outside of "
     "its own. With the same hours no stop ever comes through before the next morning.",
     "\"guards\": { \"office_hours\": { \"to\": \"18h\" } } with a rule that closes at 18h",
     "\"guards\": { \"office_hours\": { \"to\": \"20h\" } }"},
    {"W0541", "clones that would be called as other jobs are (defect D13)",
     "The article calls a clone as the job, with \"clone\" behind it. Where another job is called "
     "so "
     "SageMaker refuses the clone: the job is not resumed.",
     "jobs \"train\" and \"trainclone\", and \"naming\": \"appended\"", "\"naming\": \"numbered\""},
    {"W0542", "the lowest of more hosts than an alarm takes",
     "With \"match\": \"min\" one alarm is on the lowest of all hosts, an expression over as many "
     "metrics. CloudWatch takes ten at most (a hard limit), and refuses the alarm of a larger job: "
     "reeve puts it all the same.",
     "\"match\": \"min\" and a job of 12 instances", "\"match\": \"any\""},
    {"W0543", "a heartbeat between two reports",
     "Jobs report every so often, and that is known some time later. Where this is longer than all "
     "the periods that may pass without one, a job that works is stopped for being silent.",
     "\"period\": \"5m\", \"misses\": 1 and \"reports\": { \"every\": \"10m\" }",
     "\"period\": \"15m\""},
    {"W0544", "a job that is larger than its share can ever have",
     "A share has its own quota and, where it borrows, at most its limit and what other shares of "
     "its environment and priority lend (under \"capacity\" and \"kai\" all of them do, and what "
     "is "
     "nobody's is there as well). Of policies that keep no share to a quota nothing is said. AWS "
     "Batch says MISCONFIGURATION:QUOTA_MANAGEMENT_LIMIT_EXCEEDED; the job stays at the head of "
     "its "
     "share. With \"algorithm\": \"kai\" a job that is not preemptible has no more than its "
     "share's "
     "own quota. A job in no share has what no quota covers. A rule `alternatives` sends jobs "
     "where their share can have nothing. With \"compute_reservation\" a job needs more than that "
     "leaves although all shares that have jobs are active.",
     "\"instances\": 20 and \"quota\": { \"p4\": 10 }, \"sharing\": \"reserve\"",
     "\"instances\": 10"},
    {"W0545", "quotas that promise more than there is",
     "The shares of all queues have more of a fleet as their own than it has machines, or those of "
     "the queues of an environment more than that may have: who comes last waits although it is "
     "within its quota.",
     "quotas of 60 and 50, \"capacity\": 100", "quotas of 60 and 40"},
    {"W0546", "more shares or limits than AWS allows",
     "A job queue of AWS Batch has 20 quota shares at most, and a share limits of 5 instance "
     "types; so do environments under quota management. reeve has no such limit.",
     "\"shares\" with 21 names", "20 names"},
    {"W0547", "priorities that are never compared",
     "A priority orders the jobs of one share, but under `multifactor` and Kueue. Where all jobs "
     "of each share have the same, it "
     "changes nothing: between shares quotas decide. Under `quota` that is not said where several "
     "shares may be beyond their quotas: there `lowest_priority` of `victims` decides who gives "
     "machines back.",
     "priority 5 for all of one team, 1 for all of another",
     "one share for both, or a larger quota for the first"},
    {"W0548", "two queues on one environment",
     "They share its limits, and the queue of the larger priority is served first. Where there are "
     "quota shares AWS Batch has one queue for each service environment.",
     "two queues with \"environment\": \"se\"", "an environment for each"},
    {"W0549", "a priority that AWS refuses", "schedulingPriority of SubmitServiceJob is 0 to 9999.",
     "\"priority\": 10000", "\"priority\": 9999"},
    {"W0550", "shares that no rule looks at",
     "Quotas, lending and preemption are what `schedule` does with \"algorithm\": \"quota\", "
     "\"capacity\", \"kueue\", \"kueue_fair\" and \"kai\", and weights count with \"fair_share\", "
     "\"max_min\", \"drf\", \"multifactor\", \"kueue_fair\" and \"kai\"; others start jobs as if "
     "there were no shares.",
     "\"shares\" and only \"algorithm\": \"fifo\"",
     "{ \"rule\": \"schedule\", \"algorithm\": \"quota\" }"},
    {"W0551", "limits of an environment that nobody looks at",
     "The rule `schedule` keeps to the limits of environments. A policy without it starts each job "
     "as soon as its fleet has room.",
     "\"environments\": [ { \"name\": \"se\", \"instances\": 50 } ] and a policy without "
     "schedule",
     "{ \"rule\": \"schedule\" }"},
    {"W0552", "a job that its environment has no room for",
     "The environment of its queue never has as many instances as the job wants, so that it never "
     "starts. AWS Batch: MISCONFIGURATION:SERVICE_ENVIRONMENT_MAX_RESOURCE.",
     "\"instances\": 8 of the job and \"instances\": 4 of the environment",
     "a larger environment, or another queue"},
    {"W0553", "a runnable_limit that AWS Batch refuses",
     "`maxTimeSeconds` of `jobStateTimeLimitActions` is 600 to 86,400.",
     "\"runnable_limit\": \"2d\"", "\"runnable_limit\": \"24h\""},
    {"W0554", "an entry of evaluate_on_exit that decides nothing",
     "The first entry that fits the reason decides, and what none fits is tried again: a RETRY "
     "that "
     "no EXIT follows changes nothing. Reasons begin with `Received status from SageMaker: `, a * "
     "stands only at the end, and who lacked capacity is tried again in any case. AWS Batch takes "
     "5.",
     "[ { \"on_status_reason\": \"InternalServerError*\", \"action\": \"RETRY\" } ]",
     "[ { \"on_status_reason\": \"Received status from SageMaker: InternalServerError*\", "
     "\"action\": \"RETRY\" }, { \"on_status_reason\": \"*\", \"action\": \"EXIT\" } ]"},
    {"W0555", "a job that saves nothing in a turn on its machines",
     "`gavel` decides at each round anew who has which machines, `themis` at each lease; by `las` "
     "with `las_promote` a turn lasts for the first of `las_limits` at least, unless others begin "
     "anew. "
     "Who loses its machines goes on from its last checkpoint: two jobs that have none may take "
     "turns for "
     "ever. Start-up, what is read of the last checkpoint, `every` and the pause of the next one "
     "fit into a turn, or the rest of the work does; one that is over just then counts. With a "
     "`stop_grace` that is long enough `on_stop` saves in each turn.",
     "\"checkpoint\": { \"every\": \"30m\" } beside { \"algorithm\": \"gavel\" }",
     "\"checkpoint\": { \"every\": \"2m\" }, or \"round\": \"1h\""},
    {"W0556", "a look-up of nothing",
     "`look_up` is how long it takes to ask for what the events of a job lack. Either none lacks "
     "anything, or the answer takes no time and never fails, so that rules notice nothing of it.",
     "\"events\": { \"look_up\": \"2s\" }",
     "\"events\": { \"lack_tags\": 1, \"look_up\": \"2s\" }"},
    {"W0557", "look-ups that are never answered",
     "Each call fails for certain, in brown-outs from the start to the end as well, or its answer "
     "comes when the run is over, so that no rule is ever told what these jobs asked for.",
     "\"lack_tags\": 1 and \"api\": { \"throttled\": 1 }",
     "\"lack_tags\": 1 and \"api\": { \"throttled\": 0.2 }"},
    {"W0558", "a canary that is watched until the run is over",
     "After the first jobs the others wait for `watch`, and the run ends before.",
     "\"horizon\": \"1d\", \"canary\": { \"first\": 1, \"watch\": \"2d\" }",
     "\"canary\": { \"first\": 1, \"watch\": \"6h\" }"},
    {"W0559", "machines that no share may use",
     "Under `quota` and Kueue a share has its own quota and what others lend of theirs. What no "
     "quota covers is there for jobs in no share alone: where there are none, it is paid for and "
     "idle.",
     "quotas of 40 and 20, \"capacity\": 100, \"market\": \"reserved\"", "quotas of 60 and 40"},
    {"W0560", "a gang that might begin small, and does not",
     "With `min_instances` a job begins with fewer machines than it asks for, where no more are "
     "free. The rule `schedule` starts it when all are: one that is larger than its fleet never "
     "starts.",
     "\"instances\": 8, \"min_instances\": 2 and { \"rule\": \"schedule\" }",
     "\"instances\": 2, or a policy without the rule"},
    {"W0565", "a rule that never does anything",
     "Each of its options may be meant, but as they stand there is nothing that the rule could "
     "ever "
     "act on in this scenario, or nothing that it does when it acts. \"mode\": \"off\" says that "
     "more plainly.",
     "{ \"rule\": \"min_gpu\", \"min_pct\": 0 }", "{ \"rule\": \"min_gpu\", \"min_pct\": 5 }"},
    {"W0566", "a budget that is spent before its jobs begin",
     "`ahead` is how long before the budget is spent the rule acts. Where one job alone spends all "
     "of it in that time, the job is stopped as it begins.",
     "\"limit_usd\": 5040, \"ahead\": \"7d\" and a machine at $30/h", "\"ahead\": \"2m\""},
    {"W0567", "an end that its rule never brings about",
     "The rule is there, and stops no job: it is off, in shadow or warn, it only tells people or "
     "starts jobs again, or the platform keeps its limit (such an end is MaxRuntimeExceeded). "
     "What waits for its stop waits in vain.",
     "{ \"rule\": \"max_runtime\", \"limit\": \"30m\" }, { \"rule\": \"resume\", \"when\": "
     "[\"stopped_by:max_runtime\"] }",
     "\"when\": [\"max_runtime_exceeded\"]"},
    {"W0568", "a rule that no job waits for",
     "Jobs wait to be started, or placed, only where a rule in enforce is there to do it. In "
     "shadow or warn, alone, such a rule finds nobody in the queue and decides nothing.",
     "[{ \"rule\": \"schedule\", \"mode\": \"shadow\" }]",
     "[{ \"rule\": \"schedule\" }], compared with a policy without it"},
    {"W0569", "an option that nothing looks at",
     "It means something only beside another option, which is as it is by default or says that it "
     "is not wanted: a time to warn for where nobody is warned, quiet hours without days.",
     "{ \"rule\": \"max_instances\", \"limit\": 3, \"warn_for\": \"2h\" }",
     "the same with \"action\": \"warn_then_stop\", or without \"warn_for\""},
    {"W0570", "an owner whom no rule sees",
     "The algorithms \"multifactor\" and \"capacity\" tell users apart by the tags `username` and "
     "`owner`, as a live account shows them. The key `owner` of a job is who looks after it in the "
     "simulation; jobs that have it alone are nobody's to rules.",
     "\"owner\": \"ann\"", "\"tags\": { \"owner\": \"ann\" }, which makes her the owner as well"},
    {"W0571", "a weight of more than four decimals",
     "Weights of shares are from 0.0001 to 999.9999, in steps of 0.0001.", "\"weight\": 0.00015",
     "\"weight\": 0.0002, or all weights ten times as large"},
    {"W0572", "an alarm that goes off as soon as it is put",
     "Before training there are no datapoints. Where those that are missing count as breaching, an "
     "alarm that is put when training begins goes off at once, and a healthy job is stopped. A "
     "stated rule may wait by its \"after\", or by a test of \"training_time\", instead.",
     "\"missing\": \"breaching\", and no \"arm_delay\"",
     "an \"arm_delay\" of as many periods as the alarm looks at, and two more"},
    {"W0573", "a job that is done is started again",
     "A stated rule clones whatever has ended and meets its condition. One that asks only for what "
     "is "
     "not so may hold of Completed, too: the work is done and paid for again.",
     "\"do\": \"clone\", \"when\": { \"not\": { \"field\": \"failure\", \"op\": \"==\", \"value\": "
     "\"code\" } }",
     "beside it { \"field\": \"status\", \"op\": \"==\", \"value\": \"Failed\" }"},
    {"W0574", "a dry start that lasts until the run is over",
     "Until it is over no rule changes a job, and the run ends before.",
     "\"horizon\": \"4d\", \"guards\": { \"dry_start\": \"100d\" }", "\"dry_start\": \"1d\""},
    {"W0580", "something of a scenario that AWS Batch does not get",
     "It has no setting for it, or this kind of queue has none; it has no rules beside its queues, "
     "and no guards. The export is right without it, but it is not all that the scenario says.",
     "\"victims\": \"latest_start\"", "the default, which is a model of what AWS Batch does"},
    {"W0581", "something of AWS Batch that a scenario has not",
     "It is left out, or means something else, and the message says what is assumed. The rest is "
     "right without it.",
     "\"jobStateTimeLimitActions\": [ ... ]", "knowing that such jobs wait on here"},
});

template <std::size_t... Sizes>
constexpr auto joined(const std::array<ErrorCode, Sizes>&... parts) {
  std::array<ErrorCode, (Sizes + ...)> all{};
  auto next = all.begin();
  ((next = std::copy(parts.begin(), parts.end(), next)), ...);
  return all;
}

constexpr auto all_codes =
    joined(text_errors, scenario_errors, trace_errors, book_errors, warnings);
static_assert(std::is_sorted(all_codes.begin(), all_codes.end(),
                             [](const auto& a, const auto& b) { return a.code < b.code; }));

}  // namespace

std::span<const ErrorCode> error_codes() {
  return all_codes;
}

const ErrorCode* find_error_code(std::string_view code) {
  const auto found = std::find_if(all_codes.begin(), all_codes.end(),
                                  [&](const ErrorCode& of) { return of.code == code; });
  return found == all_codes.end() ? nullptr : &*found;
}

}  // namespace reeve::app
