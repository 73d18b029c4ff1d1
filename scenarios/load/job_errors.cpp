// What is said of jobs, workloads and queues.
#include <array>

#include "scenarios/load/errors.hpp"

namespace reeve::scenarios {
namespace {

constexpr std::array job_rows = std::to_array<ErrorCode>({
    {"E0208", "a duplicate name",
     "Names of jobs, fleets and owners must be unique. A list holds each name once.",
     "two jobs called \"train\"", "\"train-1\" and \"train-2\""},
    {"E0209", "a job that can never start",
     "The job requests more instances than its fleet has. For a job of a trace, `instances_from` "
     "names the column of its size: `nodes`, or `gpus_total` divided by the `gpus` of the instance "
     "type and rounded up. `columns` maps other names of these columns.",
     "\"instances\": 9 of \"capacity\": 8", "\"instances\": 8"},
    {"E0210", "no fleet of this instance type",
     "The type has a price, but no fleet has instances of it.",
     "\"fleet\": [ { \"instance_type\": \"a\" } ], a job of type \"b\"",
     "an additional fleet of type \"b\""},
    {"E0211", "an ambiguous fleet", "Several fleets can run the job.",
     "{ \"instance_type\": \"gpu\" }", "{ \"instance_type\": \"gpu\", \"fleet\": \"night\" }"},
    {"E0212", "an unknown fleet", "No fleet has this name, or the fleet has another instance type.",
     "\"fleet\": \"nihgt\"", "\"fleet\": \"night\""},
    {"E0225", "too far in the future",
     "The time is more than 100 years after the start, or after 2199.",
     "\"submit_every\": \"1w\", \"count\": 100000", "\"submit_every\": \"1m\""},
    {"E0226", "too many jobs", "reeve keeps listed jobs in memory. Drawn jobs need no list.",
     "\"count\": 100000000", "\"workload\": { \"jobs\": 1000000 }"},
    {"E0228", "a key that does not apply here", "The key applies only to another choice.",
     "{ \"kind\": \"stall\", \"class\": \"code\" }",
     "{ \"kind\": \"failure\", \"class\": \"code\" }"},
    {"E0230", "weights that sum to 0", "At least one weight must be above 0.", "{ \"1\": 0 }",
     "{ \"1\": 0.8, \"8\": 0.2 }"},
    {"E0233", "max_wait without Spot",
     "MaxWaitTimeInSeconds applies only to managed Spot. CreateTrainingJob refuses it elsewhere.",
     "\"market\": \"on_demand\", \"max_wait\": \"3d\"",
     "\"market\": \"spot\", \"max_wait\": \"3d\""},
    {"E0234", "max_wait shorter than max_runtime",
     "max_wait includes the run time, so CreateTrainingJob refuses less.",
     "\"max_runtime\": \"24h\", \"max_wait\": \"12h\"",
     "\"max_runtime\": \"24h\", \"max_wait\": \"36h\""},
    {"E0235", "an endless stall in a run without a horizon",
     "A permanent stall is billed until something ends it, so the run needs a horizon. The same "
     "applies to nodes that wait for a lost node (node_lost). An `elastic` gang does not wait "
     "while at least `min` of its instances are left.",
     "\"horizon\": \"until_done\", a stall that never \"lasts\"", "\"horizon\": \"7d\""},
    {"E0240", "a trace row without a job size",
     "`instances_from` names the column with the size. A row where it is empty or 0 cannot run. "
     "`reeve import csv TRACE --runnable -o OUT.csv` drops rows without GPUs (without nodes, if no "
     "row has GPUs).",
     "an empty cell of that column, or 0",
     "\"instances_from\": \"gpus_total\" or \"nodes\", whichever has the sizes"},
    {"E0241", "a traced job without a duration",
     "reeve needs the duration to know the work of the job.", "an empty duration_s",
     "a row with a duration"},
    {"E0242", "no such trace", "Paths of traces are relative to the scenario file.",
     "\"trace\": \"/jobs.csv\"", "\"trace\": \"data/jobs.csv\""},
    {"E0327", "trace columns that disagree with the fleet",
     "reeve divides `gpus_total` by the `gpus` of the instance type. `nodes` of the row says "
     "another number of instances, or the GPUs of the row do not fit that many. A fleet whose "
     "instances have one GPU counts GPUs, so `nodes` does not matter there.",
     "nodes 2 and gpus_total 8 on instances with 8 GPUs",
     "\"instances_from\": \"nodes\" or \"gpus_total\", whichever counts"},
    {"E0328", "a traced job before the start of the clock",
     "Dates of a trace are placed on the clock of the scenario.",
     "submit_s 2025-01-05T12:02:55Z and no \"clock\"",
     "\"clock\": { \"start\": \"2025-01-05T12:00:00Z\" }"},
    {"W0317", "jobs that use part of an instance",
     "The platform rents whole instances, so reeve rounds up and bills all of their GPUs.",
     "gpus_total 4 on instances with 8 GPUs",
     "a smaller type, or \"gpus\": 1 and the price of one GPU to share nodes"},
    {"W0603", "trace columns that contradict each other",
     "`nodes` times `gpus_per_node` should be `gpus_total`. The size of a job comes from one of "
     "them, see `instances_from`; the others only check it.",
     "nodes 2, gpus_per_node 8 and gpus_total 8", "gpus_total 16"},
    {"W0604", "jobs that may have been running when the log ended",
     "The log has no end of such a job, only how long it ran until then. reeve replays that time, "
     "and the job completes.",
     "end_status killed_or_running", "a log that ends later, or no row for the job"},
    {"W0605", "jobs that never started",
     "In the log, such a job ended before it had instances, so it has no work to replay. reeve "
     "leaves its row out: the job neither waits nor runs, and no metric counts it.",
     "end_status never_started",
     "\"workload\": { \"trace\": \"jobs.csv\", \"end_status\": \"ignore\" }"},
    {"W0610", "jobs that were running when the log ended",
     "The log has no end of such a job, only how long it ran until then. reeve replays that time, "
     "stops the job there, and submits it no more. What the job needed beyond is not in the data.",
     "end_status running", "a log that ends later, or no row for the job"},
    {"W0611", "jobs that were pending when the log ended",
     "Such a job had no instances yet, so it has no work to replay. reeve leaves its row out: the "
     "job neither waits nor runs, and no metric counts it.",
     "end_status pending", "\"workload\": { \"trace\": \"jobs.csv\", \"end_status\": \"ignore\" }"},
    {"E0383", "no fleet of the type of a job",
     "With several fleets, a job of a trace runs in one of its `instance_type`. The names are "
     "those "
     "of the fleets' types.",
     "ml.p4d.24xl", "ml.p4d.24xlarge"},
    {"W0612", "no fleet of the market of a job",
     "With several fleets, a job of a trace runs in one of its `instance_type` and `market`. If "
     "none is in that market, it runs in another one of the type, at the price there.",
     "market spot, and only on_demand fleets of the type", "a fleet of the type on Spot"},
    {"W0613", "times of a log that the tick model does not have",
     "In the tick model a start takes `restart_overhead`, and no work is lost.",
     "\"model\": \"ticks\" and a trace with startup_s", "another model"},
    {"E0250", "a warm pool on Spot", "SageMaker keeps no warm pool of managed Spot instances.",
     "\"market\": \"spot\", \"keep_alive\": \"10m\"",
     "\"market\": \"on_demand\", \"keep_alive\": \"10m\""},
    {"E0252", "an unknown queue, share or environment",
     "Jobs name a queue and a share. Queues name their shares and their environment. Each must be "
     "defined in `queues`, `shares` or `environments`.",
     "\"queue\": \"p4-que\"", "\"queue\": \"p4-queue\""},
    {"E0253", "a share that is not in exactly one queue",
     "AWS Batch creates a quota share in one job queue, so each share belongs to exactly one "
     "queue.",
     "\"queues\": [ { \"name\": \"a\", \"shares\": [\"x\"] }, { \"name\": \"b\", \"shares\": "
     "[\"x\"] } ]",
     "use one share per queue"},
    {"E0254", "a share that does not match the job's queue",
     "SubmitServiceJob: if a queue has shares, a job must name one of them. Otherwise it must name "
     "none.",
     "\"queue\": \"p4-queue\" without a \"share\"",
     "\"queue\": \"p4-queue\", \"share\": \"search\""},
    {"E0255", "too many combinations of queue, share and preemptible",
     "Each combination of queue, share and `preemptible` that jobs use counts. The limit is "
     "65,535.",
     "jobs of 70,000 shares", "fewer shares"},
    {"E0256", "an invalid prefix of shares",
     "A share whose name ends in * stands for each share name with this prefix that jobs use. Each "
     "of these shares has its own usage and the weight of the prefix. As in AWS Batch, prefixes "
     "and names must not overlap, across all queues. Quotas, and the keys that go with them, need "
     "full share names.",
     "\"shares\": [ { \"name\": \"team*\" }, { \"name\": \"team-a\" } ]",
     "\"shares\": [ { \"name\": \"team*\" }, { \"name\": \"search\" } ]"},
    {"E0260", "a checkpoint with both `cost` and `size`",
     "State `cost`, or `size` and `write`, from which reeve computes the pause: "
     "docs/explanation/training.md.",
     "{ \"cost\": \"1m\", \"size\": 80, \"write\": 2 }", "{ \"size\": 80, \"write\": 2 }"},
    {"E0261", "a size without a bandwidth, or the reverse",
     "The duration of a checkpoint is its size divided by a bandwidth, so both are required.",
     "{ \"upload\": 0.5 }", "{ \"size\": 80, \"upload\": 0.5 }"},
    {"E0262", "a floor above the start", "The loss falls from `start` toward `floor`.",
     "{ \"start\": 2, \"floor\": 8 }", "{ \"start\": 8, \"floor\": 2 }"},
    {"E0263", "an elastic SageMaker training job",
     "A SageMaker training job gets all of its instances or none, and managed Spot restarts it as "
     "a whole.",
     "\"model\": \"sagemaker-training\" and \"elastic\": { \"min\": 4, \"resize\": \"5m\" }",
     "\"model\": \"ec2\""},
    {"E0264", "keeps_work without a save",
     "An elastic gang saves the kept work during its re-rendezvous. With \"sync\": \"none\" it "
     "saves nothing.",
     "\"sync\": \"none\" and \"keeps_work\": true", "\"sync\": \"during\""},
    {"E0266", "a report without its signal",
     "Each loss is written with a step, and `chatters` concerns log lines, so both need their "
     "signal.",
     "\"signals\": [\"power\"] and \"loss\"", "\"signals\": [\"steps\", \"power\"]"},
    {"W0315", "a utilization trace that does not match the job's hosts",
     "It does not have one series for each host of the job; the message states the assumption.",
     "one log of nvidia-smi and \"instances\": 8", "\"host\": \"all\", or a log for each host"},
    {"W0402", "a fault that never happens",
     "It comes after the work is done, and nothing delays the work. There is no earlier fault that "
     "the attempt survives, no retry, no repair, and no lost or slow instance.",
     "\"work\": \"1h\", a fault at \"2h\"", "a fault at \"30m\""},
    {"W0403", "work longer than max_runtime",
     "An attempt that starts without saved work ends before the work is done.",
     "\"work\": \"72h\", \"max_runtime\": \"24h\"", "\"max_runtime\": \"72h\""},
    {"W0404", "a first checkpoint that never comes",
     "The first checkpoint would come after the work is done.",
     "\"work\": \"1h\", \"every\": \"2h\"", "\"every\": \"10m\""},
    {"W0405", "a host that the job does not have", "Hosts count from 1 to the number of instances.",
     "\"instances\": 2, \"hosts\": [3]", "\"hosts\": [2]"},
    {"W0409", "a name that AWS refuses", "Names have letters, digits and hyphens, 63 at most.",
     "\"my job\"", "\"my-job\""},
    {"W0414", "a max_runtime longer than AWS allows", "AWS allows at most 28 days.",
     "\"max_runtime\": \"60d\"", "\"max_runtime\": \"28d\""},
    {"W0440", "a max_pending that AWS refuses", "MaxPendingTimeInSeconds is 2 hours to 28 days.",
     "\"max_pending\": \"30m\"", "\"max_pending\": \"2h\""},
    {"W0441", "a keep_alive longer than AWS allows",
     "KeepAlivePeriodInSeconds is documented up to one hour; the API model allows six.",
     "\"keep_alive\": \"2h\"", "\"keep_alive\": \"1h\""},
    {"W0442", "a job larger than its quota",
     "Spot and other training have separate quotas. AWS sets accelerator quotas to 0 at first.",
     "\"instances\": 8 and \"quotas\": { \"gpu.8\": { \"training\": 4 } }", "\"training\": 8"},
    {"W0443", "a key without effect on this platform", "Only SageMaker training jobs have it.",
     "\"model\": \"ideal\", \"quotas\": {}", "\"model\": \"sagemaker-training\""},
    {"W0460", "a save that does not finish before the interruption",
     "A save on a Spot notice must finish before the instances go. EC2 gives 120 s of notice, GCP "
     "30 s, managed Spot none.",
     "\"on_notice\": { \"save\": \"150s\" } on ec2", "\"on_notice\": { \"save\": \"90s\" }"},
    {"W0461", "orphaned instances that end with the last job",
     "Instances whose script fails to terminate them run until something else ends them. Without a "
     "horizon the run ends with its last job, which understates their cost.",
     "\"self_destruct_fails\": 0.1, \"horizon\": \"until_done\"", "\"horizon\": \"30d\""},
    {"W0463", "instances that cannot terminate themselves",
     "Scripts end by terminating their own instance. They need a permission: "
     "ec2:TerminateInstances in the role of the instance, on GCP the scope compute-rw. Without it "
     "every job leaves orphaned instances.",
     "\"self_destruct_right\": false", "\"self_destruct_right\": true"},
    {"W0464", "checkpoints faster than their uploads",
     "During an upload the job writes no other checkpoint. The next one is delayed, and a fault "
     "destroys more work.",
     "{ \"every\": \"1m\", \"size\": 80, \"upload\": 0.5 }", "\"every\": \"5m\""},
    {"W0465", "a missing speed",
     "`throughput` has the speed of other types, but not of the job's own fleet. reeve assumes 1.",
     "\"instance_type\": \"gpu.8\", \"throughput\": { \"gpu.4\": 0.4 }",
     "\"throughput\": { \"gpu.8\": 1, \"gpu.4\": 0.4 }"},
    {"W0478", "a GPU trace shorter than the training",
     "After its end reeve assumes its last value, unless `beyond_end` says otherwise.",
     "a trace of 3 h and \"work\": \"10h\"", "\"beyond_end\": \"repeat\""},
    {"W0483", "times in another unit",
     "A record of more than ten years, or a first job after ten years, has another unit or counts "
     "from 1970. Spot changes that last a thousand times as long as the clock may be in "
     "milliseconds. If all times are in thousands of seconds, more than a hundred times suffices.",
     "submit_s 1775001600, or milliseconds", "submit_s 0, or seconds"},
    {"W0484", "work beyond the end of the clock",
     "Jobs that are submitted after the clock ends never run. Work that is longer than the clock "
     "has no result.",
     "\"horizon\": \"3d\", \"submit\": \"4d\"", "\"horizon\": \"5d\""},
    {"W0493", "GPU utilization in milliseconds?",
     "The samples are 1,000 seconds apart or more, by thousands of seconds or by no whole minutes, "
     "and last over a hundred times the training. The times are probably milliseconds. reeve reads "
     "them as seconds.",
     "t_s 0, 60000, 120000 of a job of an hour", "0, 60, 120"},
    {"E0405", "weeks that cannot be drawn again",
     "`resample` draws whole weeks of a trace. The trace must have two at least, and the scenario "
     "no jobs of its own.",
     "\"resample\": \"user_weeks\" and a trace of 5 days", "a trace of 3 weeks"},
    {"E0387", "a forecast without weeks to draw from",
     "`forecast` draws weeks to come from those of the trace, by users.",
     "\"forecast\": { \"weeks\": 4 }",
     "\"resample\": \"user_weeks\", \"forecast\": { \"weeks\": 4 }"},
    {"E0388", "work that a forecast cannot draw",
     "`forecast.running` draws the work of jobs that ran when the trace ended, each by one law. Of "
     "other jobs the trace shows all of it.",
     "\"jobs\": [ \"ended-in-may\" ]", "\"jobs\": [ \"still-running\" ]"},
    {"E0389", "ends that are more than all",
     "`failed` and `stopped` are the shares of running jobs that end so. The others complete.",
     "\"failed\": 0.7, \"stopped\": 0.6", "\"failed\": 0.3, \"stopped\": 0.2"},
    {"W0616", "a forecast without intervals",
     "Fewer than five whole weeks say little about how weeks differ. The intervals that commands "
     "print of such a forecast may be far too narrow or too wide.",
     "a trace of three weeks", "a trace of three months"},
    {"E0386", "a history without recorded jobs",
     "`history` says how far to trust the trace of the workload.",
     "\"history\": {} beside \"workload\": { \"jobs\": 100, ... }",
     "\"history\": {} beside \"workload\": { \"trace\": \"jobs.csv\", ... }"},
    {"W0594", "weights that do not sum to 1",
     "Weights are relative: reeve divides each by their sum. Fractions that sum to about 1 are "
     "shares, so another sum may be a mistake.",
     "{ \"1\": 0.8, \"8\": 0.3 }", "{ \"1\": 0.8, \"8\": 0.2 }"},
    {"W0571", "a weight with more than four decimals",
     "Weights of shares are 0.0001 to 999.9999, in steps of 0.0001.", "\"weight\": 0.00015",
     "\"weight\": 0.0002, or all weights ten times as large"},
});

}  // namespace

std::span<const ErrorCode> job_errors() {
  return job_rows;
}

}  // namespace reeve::scenarios
