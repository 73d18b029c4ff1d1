// What is said of jobs, workloads and queues.
#include <array>

#include "scenarios/load/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array job_rows = std::to_array<ErrorCode>({
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
    {"E0225", "too far in the future",
     "More than 100 years after the start, or beyond the year 2199.",
     "\"submit_every\": \"1w\", \"count\": 100000", "\"submit_every\": \"1m\""},
    {"E0226", "too many jobs", "Written jobs are all kept in memory; drawn ones are not written.",
     "\"count\": 100000000", "\"workload\": { \"jobs\": 1000000 }"},
    {"E0228", "a key without meaning here", "It goes with another choice than the one made.",
     "{ \"kind\": \"stall\", \"class\": \"code\" }",
     "{ \"kind\": \"failure\", \"class\": \"code\" }"},
    {"E0230", "weights that sum to 0", "Something must be able to be drawn.", "{ \"1\": 0 }",
     "{ \"1\": 0.8, \"8\": 0.2 }"},
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
    {"E0240", "a traced job without a size",
     "`instances_from` names the column with its size; a row that has none there, or 0, cannot "
     "be run. `reeve import csv TRACE --runnable -o OUT.csv` leaves out rows without GPUs "
     "(without nodes, where no row has GPUs).",
     "an empty cell of that column, or 0",
     "\"instances_from\": \"gpus_total\" or \"nodes\", whichever has the sizes"},
    {"E0241", "a traced job without a duration", "How much work it was must be known.",
     "an empty duration_s", "a row with a duration"},
    {"E0242", "no such trace", "Traces are looked for relative to the scenario file.",
     "\"trace\": \"/jobs.csv\"", "\"trace\": \"data/jobs.csv\""},
    {"E0250", "a warm pool of Spot", "SageMaker keeps no machines of managed Spot.",
     "\"market\": \"spot\", \"keep_alive\": \"10m\"",
     "\"market\": \"on_demand\", \"keep_alive\": \"10m\""},
    {"E0252", "a queue, share or environment that there is none of",
     "Jobs name a queue and a share, queues their shares and their environment. Each must stand "
     "in `queues`, `shares` or `environments`.",
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
     "A share whose name ends in * stands for each share that a job names and that begins so. "
     "Each uses machines for itself, at the prefix's weight. As in AWS Batch a share is of one "
     "of them alone: prefixes and names that overlap are refused, in all queues, as names of "
     "shares are unique. Quotas, and what goes with them, are of shares by their whole names.",
     "\"shares\": [ { \"name\": \"team*\" }, { \"name\": \"team-a\" } ]",
     "\"shares\": [ { \"name\": \"team*\" }, { \"name\": \"search\" } ]"},
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
     "SageMaker gives a training job all of its machines or none, and managed Spot restarts it "
     "as a whole: what is left of it cannot go on.",
     "\"model\": \"sagemaker-training\" and \"elastic\": { \"min\": 4, \"resize\": \"5m\" }",
     "\"model\": \"ec2\""},
    {"E0264", "kept work that nothing saves",
     "What an elastic gang keeps is saved while all meet anew; with \"sync\": \"none\" nothing "
     "is.",
     "\"sync\": \"none\" and \"keeps_work\": true", "\"sync\": \"during\""},
    {"E0266", "a report without its signal",
     "A loss is written with a step, and what chatters is a log: both need their signal.",
     "\"signals\": [\"power\"] and \"loss\"", "\"signals\": [\"steps\", \"power\"]"},
    {"W0315", "a utilization trace of other hosts",
     "It has not one series for each host of the job; the message says what is assumed.",
     "one log of nvidia-smi and \"instances\": 8", "\"host\": \"all\", or a log for each host"},
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
    {"W0409", "a name AWS would refuse", "Letters, digits and hyphens, 63 at most.", "\"my job\"",
     "\"my-job\""},
    {"W0414", "longer than AWS allows", "max_runtime is 28 days at most there.",
     "\"max_runtime\": \"60d\"", "\"max_runtime\": \"28d\""},
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
    {"W0460", "a save that never is over in time",
     "What a job saves when Spot warns it must be over before the machines go. EC2 warns 120 s "
     "ahead, GCP 30 s, managed Spot not at all.",
     "\"on_notice\": { \"save\": \"150s\" } on ec2", "\"on_notice\": { \"save\": \"90s\" }"},
    {"W0461", "leftovers that cost too little",
     "Machines whose script failed to shut them down run until somebody ends them; without a "
     "horizon the run ends with its last job.",
     "\"self_destruct_fails\": 0.1, \"horizon\": \"until_done\"", "\"horizon\": \"30d\""},
    {"W0463", "machines that cannot shut themselves down",
     "Scripts end by terminating their own machine, which needs a right: ec2:TerminateInstances "
     "in the role of the instance, on GCP the scope compute-rw. Without it every job leaves its "
     "machines behind.",
     "\"self_destruct_right\": false", "\"self_destruct_right\": true"},
    {"W0464", "checkpoints faster than their uploads",
     "While one uploads no other is written: it is put off, and what a fault destroys grows.",
     "{ \"every\": \"1m\", \"size\": 80, \"upload\": 0.5 }", "\"every\": \"5m\""},
    {"W0465", "a speed that is missing",
     "`throughput` has the speed of other types, but not of the job's own fleet: 1 is assumed.",
     "\"instance_type\": \"gpu.8\", \"throughput\": { \"gpu.4\": 0.4 }",
     "\"throughput\": { \"gpu.8\": 1, \"gpu.4\": 0.4 }"},
    {"W0478", "a trace of GPUs shorter than the training",
     "After its end its last value is assumed, unless `beyond_end` is written.",
     "a trace of 3 h and \"work\": \"10h\"", "\"beyond_end\": \"repeat\""},
    {"W0483", "times of another unit",
     "A record of more than ten years, or a first job after ten years, is of another unit or "
     "counts from 1970. So may be changes of Spot that last more than a hundred times as long as "
     "the clock and have all times in thousands of seconds, or any that last a thousand times as "
     "long.",
     "submit_s 1775001600, or milliseconds", "submit_s 0, or seconds"},
    {"W0484", "work that the clock never gets to",
     "Jobs that are submitted when the clock is over never run; work that is longer than the "
     "clock has no result.",
     "\"horizon\": \"3d\", \"submit\": \"4d\"", "\"horizon\": \"5d\""},
    {"W0493", "GPU utilization in milliseconds?",
     "Its samples are 1,000 seconds apart or more, by thousands of seconds or by no whole "
     "minutes, and it lasts more than a hundred times as long as the job trains: probably each "
     "second was written as 1,000 milliseconds. It is read as seconds.",
     "t_s 0, 60000, 120000 of a job of an hour", "0, 60, 120"},
    {"W0571", "a weight of more than four decimals",
     "Weights of shares are from 0.0001 to 999.9999, in steps of 0.0001.", "\"weight\": 0.00015",
     "\"weight\": 0.0002, or all weights ten times as large"},
});

}  // namespace

std::span<const ErrorCode> job_errors() {
  return job_rows;
}

}  // namespace reeve::scenarios
