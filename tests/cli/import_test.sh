#!/usr/bin/env bash
# reeve import: each kind of log on a few rows, what is inferred, what is refused, and round trips.
source "$(dirname "$0")/expect.bash"

header=job_id,submit_s,user,queue,nodes,gpus_per_node,gpus_total,gpu_milli,gpu_type,duration_s
header+=,end_status,failure_reason,gpu_util_mean,priority,preemptible,observed_wait_s,attempts

# becomes KIND FILE: the rows on stdin are what is imported, and they import into themselves.
becomes() {
  { echo "$header"; cat; } >wanted.csv
  rm -f got.csv again.csv
  run 0 import "$1" "$2" -o got.csv
  diff wanted.csv got.csv >stdout || fail "$1 $2 became another trace"
  run 0 import csv got.csv -o again.csv
  cmp -s got.csv again.csv || fail "$1: the trace does not import into itself"
  checks=$((checks + 2))
}

run 0 import --help
has stdout 'date-availability'
printf 'date,availability\n2026-04-01 0%s:00:00,2\n' 0 >zone.csv
printf '2026-04-01 0%s:00:00,1\n' 1 2 >>zone.csv
run 0 import spot-traces zone.csv --format date-availability
has stderr 'next: reeve import spot-traces zone.csv --format date-availability -o OUT.csv'

cat >cluster3.csv <<'LOG'
job_id,submission_time,duration,num_gpu
b,20,3600,20
a,10,60,1
c,10,0.5,8
LOG
becomes ms-itp cluster3.csv <<'ROWS'
a,10,,cluster3,1,1,1,1000,,60,unknown,,,,,,
c,10,,cluster3,1,8,8,1000,,0.5,unknown,,,,,,
b,20,,cluster3,3,7,20,1000,,3600,unknown,,,,,,
ROWS

cat >jobs.csv <<'LOG'
timestamp,duration,num_gpus,gpu_time,cluster
2017-10-09 06:13:03,2951.0,1,2951.0,vc1
2017-10-09 06:12:03,60,2,120,vc2
LOG
becomes philly-jobs jobs.csv <<'ROWS'
1,0,,vc2,1,2,2,1000,,60,unknown,,,,,,
0,60,,vc1,1,1,1,1000,,2951,unknown,,,,,,
ROWS

cat >attempts.csv <<'LOG'
job_id,submitted_time,num_gpus,runtime_min,attempt,start_time,end_time
app_2,2017-10-07 01:11:39,8,3221.05,0,2017-10-07 01:12:09,2017-10-07 01:13:23
app_2,2017-10-07 01:11:39,8,3221.05,1,2017-10-07 01:13:30,2017-10-07 02:13:30
app_1,2017-10-07 01:11:40,4,1,0,,
LOG
becomes philly-attempts attempts.csv <<'ROWS'
app_2,0,,,1,8,8,1000,,3674,unknown,,,,,30,2
app_1,1,,,1,4,4,1000,,0,unknown,,,,,,1
ROWS

cat >cluster_job_log <<'LOG'
[{"status": "Pass", "vc": "ee9e8c", "jobid": "application_7", "user": "ce2f44",
  "submitted_time": "2017-10-07 01:11:39",
  "attempts": [
    {"start_time": "2017-10-07 01:12:09", "end_time": "2017-10-07 01:13:23",
     "detail": [{"ip": "m27", "gpus": ["gpu0"]}]},
    {"start_time": "2017-10-07 01:13:30", "end_time": "2017-10-07 02:13:30",
     "detail": [{"ip": "m27", "gpus": ["gpu0", "gpu1"]},
                {"ip": "m28", "gpus": ["gpu2", "gpu3"]}]}]},
 {"status": "Killed", "vc": "ee9e8c", "jobid": "application_8", "user": null,
  "submitted_time": "2017-10-07 01:11:40", "attempts": [{"start_time": "None", "end_time": null}]}]
LOG
becomes philly cluster_job_log <<'ROWS'
application_7,0,ce2f44,ee9e8c,2,2,4,,,3674,completed,,,,,30,2
application_8,1,,ee9e8c,,,,,,,killed,,,,,,1
ROWS

cat >cluster_log.csv <<'LOG'
job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
1425511,uXB,vcJ,16,1,2,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:01,2020-06-10 04:55:09,36848,0
1425512,uVM,vch,4,16,1,NODE_FAIL,2020-06-09 18:41:27,2020-06-09 18:42:27,2020-06-09 18:45:36,189,60
LOG
becomes helios cluster_log.csv <<'ROWS'
1425511,0,uXB,vcJ,2,8,16,,,36848,completed,,,,,0,
1425512,26,uVM,vch,1,4,4,,,189,node_fail,,,,,60,
ROWS

cat >trace_seren.csv <<'LOG'
job_id,user,node_num,gpu_num,type,state,submit_time,fail_time,duration,queue,gpu_time
s1,u1,1,8,Pretrain,FAILED,2023-03-01 00:00:00+08:00,,540,60,4320
LOG
becomes acme trace_seren.csv <<'ROWS'
s1,0,u1,Pretrain,1,,8,,,540,failed,,,,,60,
ROWS

cat >pods.csv <<'LOG'
name,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
pod-1,1,460,V100M16|V100M32,LS,Running,5,100,15
pod-2,0,0,,BE,Pending,7,90,
pod-3,2,1000,,Burstable,Succeeded,6,16,6
LOG
becomes openb pods.csv <<'ROWS'
pod-1,5,,LS,1,1,1,460,V100M16|V100M32,85,killed_or_running,,,2,0,10,
pod-3,6,,Burstable,1,2,2,1000,,10,completed,,,1,0,0,
pod-2,7,,BE,1,0,0,0,,0,never_started,,,0,1,,
ROWS

cat >log.swf <<'LOG'
; Version: 2
    1        0     -1   1451  128     -1    -1   -1     -1    -1  1   3   1  -1  2 -1 -1 -1
    2     1460     12   3726   -1     -1    -1   64     -1    -1 -1  -1   1  -1 -1 -1 -1 -1
LOG
becomes swf log.swf <<'ROWS'
1,0,3,2,128,,,,,1451,completed,,,,,,
2,1460,,,64,,,,,3726,unknown,,,,,12,
ROWS

# Rows that no workload runs are counted, and left out where that is asked for; what is left runs.
printf '%s\n' 'job_id,submit_s,gpus_total,duration_s,end_status' \
  a,0,8,60, b,5,0,60, c,6,4,, d,7,2,30, e,9,1,0,never_started >mixed.csv
run 0 import csv mixed.csv
has stdout '3 of 5 rows cannot run: 1 has no GPUs (E0240), 1 has no duration (E0241), 1 did not'
run 0 import csv mixed.csv --runnable -o runs.csv
has stdout '1 did not start; they are dropped'
[ "$(tail -n +2 runs.csv | cut -d, -f1 | tr '\n' ' ')" = 'a d ' ] || fail "others were left out"
scenario='"reeve": 1, "prices": { "instances": { "m": { "usd_per_hour": 3, "gpus": 1 } } },
  "fleet": [ { "instance_type": "m", "capacity": 128 } ], "platform": { "model": "ideal" },
  "policies": { "none": [] }'
echo "{ $scenario, \"workload\": { \"trace\": \"runs.csv\" } }" >runs.jsonc
run 0 check runs.jsonc
echo "{ $scenario, \"workload\": { \"trace\": \"mixed.csv\" } }" >mixed.jsonc
run 3 check mixed.jsonc
has stdout 'E0240'
has stdout 'E0241'
has stdout '--runnable -o OUT.csv` to drop such rows'
# A log of nodes is read by nodes.
run 0 import swf log.swf -o nodes-of-swf.csv
has stderr '"instances_from": "nodes"'
run 0 import swf log.swf --runnable -o nodes-of-swf.csv
echo "{ $scenario, \"workload\": { \"trace\": \"nodes-of-swf.csv\",
  \"instances_from\": \"nodes\" } }" >swf.jsonc
run 0 check swf.jsonc
run 64 import spot-traces mixed.csv --runnable
has stderr '--columns, --since, --runnable and --anonymize apply only to jobs'

# Totals are told, for people and for programs; nothing is written unasked.
run 0 import openb pods.csv
has stdout 'priority by QoS class'
has stderr 'nothing was written'
has stderr 'next: reeve import openb pods.csv -o OUT.csv'
run 0 import ms-itp cluster3.csv --json
python3 - <<'PYTHON' || fail "the totals are not those of the log"
import json
totals = json.load(open("stdout"))["rows"][0]
assert totals["jobs"] == 3 and totals["with_gpus"] == 3, totals
assert abs(totals["gpu_hours"] - (20 + 1 / 60 + 8 * 0.5 / 3600)) < 1e-9, totals
assert totals["median_s"] == 60 and totals["span_s"] == 10, totals
PYTHON

# What was submitted earlier is left out, and the rest begins at zero.
run 0 import philly-jobs jobs.csv --since 30s -o since.csv
printf '%s\n0,30,,vc1,1,1,1,1000,,2951,unknown,,,,,,\n' "$header" | cmp -s - since.csv ||
  fail "--since left another trace"
run 0 import philly-jobs jobs.csv --since 2017-10-09T06:12:33Z -o since2.csv
cmp -s since.csv since2.csv || fail "a date is not the duration that leads to it"
run 64 import philly-jobs jobs.csv --since 2018-01-01
has stderr 'no job was submitted since 2018-01-01'
run 64 import ms-itp cluster3.csv --since 2018-01-01
has stderr 'the log has no dates'
run 64 import ms-itp cluster3.csv --since soon
has stderr 'neither a duration nor a date'

# No name is left, yet equal names stay equal.
run 0 import helios cluster_log.csv --anonymize -o anonymous.csv
has anonymous.csv 'job-1,0,user-1,queue-1,'
lacks anonymous.csv uXB
lacks anonymous.csv 1425511

# A market in the canonical form is the market itself.
ticks='"metadata": {"gap_seconds": 600}'
echo "{$ticks, \"data\": [2, 2, 0, 1], \"prices\": [1, 1, 1.5, 1.5]}" >zone.json
run 0 import spot-traces zone.json -o market.csv
{
  echo t_s,instances,usd_per_hour
  printf '%s\n' 0,2,1.000000000 1200,0,1.500000000 1800,1,1.500000000 2400,1,1.500000000
} | cmp -s - market.csv || fail "another market"
run 0 import spot-traces market.csv --format csv -o market2.csv
run 0 import spot-traces zone.json --json
has stdout '"changes": 2'
cmp -s market.csv market2.csv || fail "the market does not import into itself"
printf 'time_s,count\n0,8\n3600,7\n' >off.csv
for stated in '' '--format spot-traces' '--format preempted-bits'; do
  # shellcheck disable=SC2086
  run 3 import spot-traces off.csv $stated
  has stderr 'error[E0101]: the file is not JSON'
  has stderr 'one of "spot-traces"'
done
echo "{$ticks, \"data\": [1, 0]}" >bits.json
run 3 import spot-traces bits.json
has stderr 'E0333'
run 0 import spot-traces bits.json --convention preempted --json
is_json stdout
has stdout '"available_pct": 50'

printf 'sn,cpu_milli,memory_mib,gpu,model\nn1,1,1,8,G2\nn2,1,1,8,G2\nn3,1,1,0,\n' >nodes.csv
run 0 import openb-nodes nodes.csv -o counted.csv
printf 'gpu_type,gpus_per_node,nodes,gpus\n,0,1,0\nG2,8,2,16\n' | cmp -s - counted.csv ||
  fail "other nodes were counted"

# Every refusal has its place.
refused() {  # refused CODE KIND TEXT...: a log of these lines is refused so
  local code=$1 kind=$2
  shift 2
  printf '%s\n' "$@" >bad.csv
  run 3 import "$kind" bad.csv
  has stderr "error[$code]"
  has stderr '--> bad.csv:'
}
refused E0321 ms-itp 'job_id,submission_time,duration' 'a,1,1'
refused E0313 ms-itp 'job_id,submission_time,duration,num_gpu' 'a,soon,1,1'
refused E0314 ms-itp 'job_id,submission_time,duration,num_gpu' 'a,-5,1,1'
refused E0316 ms-itp 'job_id,submission_time,duration,num_gpu' 'a,5,1,1.5'
refused E0317 ms-itp 'job_id,submission_time,duration,num_gpu' ',5,1,1'
refused E0317 ms-itp 'job_id,submission_time,duration,num_gpu' 'a,,1,1'
refused E0312 swf '1 0 -1'
refused E0313 swf '1 x -1 1 1 -1 -1 -1 -1 -1 1 1 1 -1 1 -1 -1 -1'
refused E0137 philly-jobs 'timestamp,duration,num_gpus,cluster' 'Monday,1,1,a'
pods=name,num_gpu,gpu_milli,creation_time,deletion_time,scheduled_time,qos,pod_phase
refused E0330 openb "$pods" 'p,1,1000,10,5,10,LS,Failed'
refused E0321 philly '[{"jobid": "a", "attempts": []}]'
refused E0330 philly '[{"jobid": "a", "submitted_time": "2017-10-07 01:11:40", "attempts":
  [{"start_time": "2017-10-07 01:11:40", "end_time": "2017-10-07 01:11:39"}]}]'
printf 'job_id,submission_time,duration,num_gpu\na,1,1,1\na,2,1,1\n' >twice.csv
run 3 import ms-itp twice.csv
has stderr 'duplicate job "a"'
printf 'job_id,submission_time,duration,num_gpu\n' >none.csv
run 3 import ms-itp none.csv
has stderr 'E0320'
run 3 import helios absent.csv
has stderr 'E0001'

# An unknown end state is an error with its place, not a guess.
sed 's/NODE_FAIL/EVICTED/' cluster_log.csv >strange.csv
run 3 import helios strange.csv
has stderr 'error[E0325]: unknown end status "EVICTED"'
has stderr '--> strange.csv:'
swf_row='1 0 10 100 4 -1 -1 4 200 -1 1 1 1 -1 1 -1 -1 -1'
refused E0325 swf "${swf_row/ -1 1 1 1 / -1 7 1 1 }"
refused E0325 philly '[{"jobid": "a", "submitted_time": "2017-10-07 01:11:40", "attempts": [],
  "status": "Lost"}]'

# Of a job that stands twice, both lines are named.
printf '%s\n' '; Version: 2.2' "$swf_row" '; Version: 2.2' "$swf_row" >swf-twice.swf
run 3 import swf swf-twice.swf
has stderr 'duplicate job "1"'
has stderr 'swf-twice.swf:4'
has stderr 'lines 2 and 4'

# What users requested is kept: schedulers plan by it.
printf '%s\n' '; UnixStartTime: 1735689600' '1 0 0 3600 3 -1 -1 3 36000 -1 1 1 1 -1 1 1 -1 -1' \
  '2 60 0 3600 4 -1 -1 4 3600 -1 1 2 1 -1 1 1 -1 -1' \
  '3 120 0 7200 1 -1 -1 1 7200 -1 1 3 1 -1 1 1 -1 -1' >requested.swf
run 0 import swf requested.swf -o requested.csv
has requested.csv ',attempts,estimate_s'
has requested.csv '1,0,1,1,3,,,,,3600,completed,,,,,0,,36000'
echo '{ "reeve": 1, "prices": { "instances": { "ml.n": { "usd_per_hour": 1, "gpus": 1 } } },
  "fleet": [ { "instance_type": "ml.n", "capacity": 4, "market": "reserved" } ],
  "platform": { "model": "ideal" },
  "workload": { "trace": "requested.csv", "instances_from": "nodes" },
  "policies": { "easy": [ { "rule": "schedule", "backfill": "easy" } ] },
  "expect": [ { "that": "job.3.wait == 0s" } ] }' >requested.jsonc
run 0 test requested.jsonc
run 0 check requested.jsonc
lacks stdout W0318
sed 's/"nodes" }/"nodes", "estimates_from": "estimate_s" }/' requested.jsonc >stated.jsonc
run 0 test stated.jsonc
# Only a price per hour gained makes `alternatives` plan by it.
cut -d, -f1-12 requested.csv >unstated.csv
echo '{ "reeve": 1, "prices": { "instances": { "ml.n": { "usd_per_hour": 1, "gpus": 1 } } },
  "fleet": [ { "name": "own", "instance_type": "ml.n", "capacity": 4 },
             { "name": "more", "instance_type": "ml.n", "capacity": 4 } ],
  "workload": { "trace": "unstated.csv", "instances_from": "nodes", "fleet": "own" },
  "policies": { "moves": [ { "rule": "schedule" },
                           { "rule": "alternatives", "fleets": ["more"] } ] } }' >moves.jsonc
run 0 check moves.jsonc
lacks stdout W0318
sed 's/"fleets": \["more"\]/&, "usd_per_hour_gained": 5/' moves.jsonc >priced.jsonc
run 0 check priced.jsonc
has stdout 'the rule alternatives plans with the true run times'
run 0 import csv requested.csv -o requested2.csv
cmp -s requested.csv requested2.csv || fail "the requested times do not import into themselves"

# The output of sacct: steps belong to their job, time limits and GPUs are kept.
d=2025-01 g=gres/gpu
cat >sacct.txt <<LOG
JobID|JobName|User|Partition|Start|Submit|AllocTRES|NNodes|Elapsed|Timelimit|State|
9001|a|u1|gpu|$d-05T12:03:00|$d-05T12:02:55|cpu=8,$g=2|1|3-15:54:02|4-03:50:00|COMPLETED|
9001.batch|b||gpu|$d-05T12:03:00|$d-05T12:03:00|cpu=8,$g=2|1|3-15:54:02||COMPLETED|
9002_3|s|u2|gpu|$d-07T02:07:26|$d-07T02:07:26|$g:a100=1,$g=1|1|2-02:00:06|2-02:00:00|TIMEOUT|
9003|d|u3|gpu|$d-07T23:21:16|$d-07T23:21:15|$g:a100=4|2|12:11:43|UNLIMITED|CANCELLED by 4594|
9004|p|u3|cpu|$d-08T01:00:00|$d-08T00:30:00|cpu=16|1|01:00:00|02:00:00|COMPLETED|
9005|q|u4|gpu|Unknown|$d-08T05:00:00||0|00:00:00|1-00:00:00|PENDING|
9006|q|u4|gpu|None|$d-08T06:00:00|$g=8|1|00:00:00|04:00:00|CANCELLED by 4594|
9007|q|u4|gpu|$d-08T06:20:00|$d-08T06:00:00|$g=8|1|00:00:00|04:00:00|CANCELLED by 0|
LOG
run 0 import slurm sacct.txt -o sacct.csv
lacks stderr W0301
has sacct.csv '9001,0,u1,gpu,1,2,2,,,316442,completed,,,,,5,,359400'
has sacct.csv '9002_3,137071,u2,gpu,1,1,1,,a100,180006,timeout,,,,,0,,180000,1,limit'
has sacct.csv '9003,213500,u3,gpu,2,2,4,,a100,43903,killed,,,,,1,,'
has sacct.csv '9005,233825,u4,gpu,0,,0,,,0,pending,,,,,,,86400'
has sacct.csv '9006,237425,u4,gpu,1,8,8,,,0,never_started,,,,,,,14400'
has sacct.csv '9007,237425,u4,gpu,1,8,8,,,0,never_started,,,,,1200,,14400'
lacks sacct.csv '9001.batch'
has stderr '"workload"'
run 0 import slurm sacct.txt
has stdout '4 of 7 rows cannot run'
run 0 import slurm sacct.txt --runnable --since 2025-01-06 -o later.csv
[ "$(wc -l <later.csv)" = 3 ] || fail "not the two jobs that ran since then"
run 64 import slurm sacct.txt --since 30d --anonymize
has stderr 'reeve import csv JOBS.csv --anonymize'
refused E0321 slurm 'JobID|Submit|State|' '1|2025-01-05T12:02:55|COMPLETED|'

# Columns of any log, by their names there.
printf 'JobID;Submit;Elapsed;Limit\n1;2025-01-05T12:02:55;1-00:00:01;2-00:00:00\n' >ours.csv
names=job_id=JobID,submit_s=Submit,duration_s=Elapsed
run 0 import csv ours.csv --columns "$names,time_limit_s=Limit" -o mapped.csv
has mapped.csv '1,0,,,,,,,,86401,unknown,,,,,,,172800'
run 3 import csv ours.csv
has stderr 'the columns "job_id", "submit_s" and "duration_s" are missing'
has stderr "--columns '$names'"
run 64 import csv sacct.txt --columns job_id
has stderr '--columns takes OURS=THEIRS'
run 64 import csv sacct.txt --columns jobid=JobID
has stderr 'did you mean "job_id"?'
run 64 import csv sacct.txt --columns JobID=job_id
has stderr "write reeve's name first: job_id=JobID"
run 64 import helios sacct.txt --columns job_id=JobID
has stderr '--columns does not apply to helios'
run 64 import openb-nodes sacct.txt --columns job_id=JobID

# A file of another program is named, with the command that reads it or what to record instead.
foreign() {  # foreign KIND WHAT HELP: what was written to foreign.txt is named so
  run 3 import "$1" foreign.txt
  has stderr "]: this is $2"
  has stderr "help: $3"
}
cp sacct.txt foreign.txt
foreign helios 'the output of sacct, not a log of helios' 'reeve import slurm foreign.txt'
printf '%s\n' 'JobID|Submit|State|Elapsed' '1|0|COMPLETED|01:00:00' '2|0|COMPLETED|1:00x' >named.txt
run 3 import csv named.txt --columns job_id=JobID,submit_s=Submit,duration_s=Elapsed
has stderr 'error[E0313]: duration_s is not a duration: "1:00x"'
has stderr 'named.txt:3:15'
cp requested.swf foreign.txt
foreign csv 'a log in the Standard Workload Format' 'reeve import swf FILE'
printf '[{"jobid": "a", "submitted_time": "", "attempts": []}]' >foreign.txt
foreign csv 'the job log of Microsoft Philly' 'reeve import philly FILE'
printf '#Entity   GPUTL\nID\nGPU 0     90\n' >foreign.txt
foreign csv 'a log of dcgmi, not a trace of jobs' 'reeve import dcgmi foreign.txt'
printf '{"TrainingJobName": "t", "TrainingJobStatus": "Completed"}' >foreign.txt
foreign csv 'a description of a SageMaker training job' 'reeve import sagemaker FILE'
printf '{"TrainingJobName": "t", "TrainingJobArn": "arn", "ResourceConfig": {}}' >foreign.txt
foreign batch 'a description of SageMaker training jobs' 'reeve import sagemaker foreign.txt'
foreign slurm 'a description of SageMaker training jobs' 'reeve import sagemaker foreign.txt'
printf 'AWSTemplateFormatVersion: "2010-09-09"\nResources: {}\n' >foreign.txt
foreign batch 'a CloudFormation template in YAML' 'reeve reads JSON'
printf 'ServiceName,ChargePeriodStart,BilledCost\nAmazonEC2,2026-05-01T00:00:00Z,1\n' >foreign.txt
foreign csv 'a bill in FOCUS, not a trace of jobs' 'reeve import focus foreign.txt'
foreign spot-traces 'a bill in FOCUS, not a recorded market' 'reeve import focus foreign.txt'
foreign openb-nodes 'a bill in FOCUS, not a list of nodes' 'reeve import focus foreign.txt'
foreign slurm 'a bill in FOCUS, not the output of sacct' 'reeve import focus foreign.txt'
printf 'PAR1' >foreign.txt
foreign csv 'a Parquet file' 'export it as CSV'

# Nor is the wait of a job that began before it was submitted.
printf '%s\n' 'job_id,submitted_time,num_gpus,start_time,end_time' \
  'j,2017-10-07 02:00:00,8,2017-10-07 01:00:00,2017-10-07 03:00:00' >early.csv
run 0 import philly-attempts early.csv -o early-out.csv
has stderr 'W0303'
has stderr 'early.csv:2:25'
has early-out.csv 'j,0,,,1,8,8,1000,,7200,unknown,,,,,,1'
printf '%s' '[{"status":"Pass","vc":"v","jobid":"j","user":"u",' \
  '"submitted_time":"2017-10-07 02:00:00","attempts":[{"start_time":"2017-10-07 01:00:00",' \
  '"end_time":"2017-10-07 03:00:00","detail":[]}]}]' >early.json
run 0 import philly early.json -o early-out2.csv
has stderr 'W0303'

# Seconds since 1970 are told, and counted from the first with --since.
printf 'job_id,submit_s,duration_s,gpus_total\na,1775001600,3600,1\nb,1775005200,60,1\n' >epoch.csv
run 0 import csv epoch.csv -o epoch-out.csv
has stderr 'warning[W0483]: the first job is submitted 493056h after the start'
has epoch-out.csv 'a,1775001600,'
run 0 import csv epoch.csv --since 493056h -o since-out.csv
has since-out.csv 'a,0,'
has since-out.csv 'b,3600,'
printf 'job_id,submit_s,duration_s,gpus_total\na,86400,3600,1\n' >late.csv
run 0 import csv late.csv -o late-out.csv
lacks stderr W0483

# An import is read again: its names stay as they are.
printf 'job_id,submit_s,duration_s,gpus_total,user\n@a,0,60,1,=x\n-b,0,60,1,@c\n' >names.csv
run 0 import csv names.csv -o names-out.csv
has names-out.csv '@a,0,=x,'
has names-out.csv '-b,0,@c,'
lacks names-out.csv "'"

run 64 import nonsense pods.csv
run 64 import openb pods.csv --format csv
has stderr 'apply only to spot-traces'
run 64 import openb-nodes nodes.csv --anonymize
run 64 import openb pods.csv -o nodes.csv
has stderr 'nodes.csv'

done_checking
