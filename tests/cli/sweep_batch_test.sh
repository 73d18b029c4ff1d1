#!/usr/bin/env bash
# reeve sweep batch on a mock account, with containers that the test plays: lost ones and lost
# replies do not change a byte of the tables, refusals are shown, and an interruption terminates.
source "$(dirname "$0")/expect.bash"
source "$source_root/tests/cli/mock_account.bash"
unset SLURM_ARRAY_TASK_ID AWS_BATCH_JOB_ARRAY_INDEX PARALLEL_SEQ REEVE_SHARDS
worker=
trap 'kill ${server:-} ${worker:-} 2>/dev/null || true' EXIT
configure() { :; }
# The mock account begins now: botocore signs with its own clock. With this seed, the reply to the
# first submission is lost where replies are.
cat >world.jsonc <<JSON
{ "reeve": 1, "clock": { "start": "$(date -u +%FT%TZ)", "horizon": "1h" }, "random": { "seed": 2 },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 1 } ],
  "jobs": [ { "name": "well", "instance_type": "ml.x", "work": "10m" } ] }
JSON

run 0 init drawn-stalls
sweep=(drawn-stalls.jsonc --set policies.alarm.stalled_gpu.period=1m,5m,10m
  --set workload.jobs=20,60 -p none,alarm --runs 10)
run 0 -q sweep "${sweep[@]}" -o whole
cp stdout whole.txt

# play DROPPED: runs the containers of each job, but not this one of the first job.
play() {
  python3 - "$1" <<'PYTHON' >played.txt 2>played.err &
import json, os, subprocess, sys, time
dropped = int(sys.argv[1])
seen = jobs = 0
while True:
    lines = open("calls.jsonl").read().split("\n")[:-1]
    for call in map(json.loads, lines[seen:]):
        if call["action"] != "batch:SubmitJob" or "error" in call:
            continue
        asked = call["parameters"]
        assert asked["retryStrategy"] == {"attempts": 3}, asked
        told = {each["name"]: each["value"] for each in asked["containerOverrides"]["environment"]}
        size = asked.get("arrayProperties", {}).get("size")
        print(asked["jobName"], size, told["REEVE_SHARDS"], flush=True)
        for child in range(size or 1):
            index = {"AWS_BATCH_JOB_ARRAY_INDEX": str(child)} if size else {}
            if jobs > 0 or child != dropped:
                subprocess.run(asked["containerOverrides"]["command"], check=True,
                               env={**os.environ, **told, **index})
        jobs += 1
    seen = len(lines)
    time.sleep(0.1)
PYTHON
  worker=$!
}
stop_playing() {
  kill "$worker"
  wait "$worker" 2>/dev/null || true
  is_empty played.err
}
same_as_whole() {
  cmp -s stdout whole.txt || fail "the tables are not those of one machine"
  local table
  for table in cells.csv sweep.csv effects.csv datapackage.json; do
    cmp -s "whole/$table" "$1/$table" || fail "$1/$table differs"
  done
}
batch=(--queue reeve --definition reeve:1 --program "$REEVE")

# --- The shards that are missing, by their place in the array; a lost container runs again.
serve --speed 20
run 0 -q sweep plan "${sweep[@]}" -o parts --shards 5
run 0 sweep shard parts 1
play 1
run 0 sweep batch parts "${batch[@]}"
same_as_whole parts
has stderr 'shards 0,2-3'
has stderr 'shards 2'
stop_playing
[ "$(cut -d' ' -f2- played.txt)" = $'3 0,2-3\nNone 2' ] || fail "submitted: $(cat played.txt)"
[ "$(cut -d' ' -f1 played.txt | sort -u | wc -l)" -eq 2 ] || fail "names: $(cat played.txt)"
# Nothing is missing: no job.
run 0 -q sweep batch parts "${batch[@]}"
same_as_whole parts
[ "$(grep -c SubmitJob calls.jsonl)" -eq 2 ] || fail "a job is submitted for nothing"
closed

# --- Throttled calls and lost replies: a job that was submitted twice is only wasted work.
serve --speed 20 --throttled 0.2 --failed 0.1 --cut 0.4
run 0 -q sweep plan "${sweep[@]}" -o faulty --shards 3
play -1
AWS_MAX_ATTEMPTS=8 run 0 -q sweep batch faulty "${batch[@]}"
same_as_whole faulty
stop_playing
[ "$(sort played.txt | uniq -d | wc -l)" -gt 0 ] || fail "no reply is lost: $(cat played.txt)"
closed

# --- A refusal is shown with its code, at once.
serve --speed 1
run 0 -q sweep plan "${sweep[@]}" -o empty --shards 3
run 4 sweep batch empty --queue none --definition reeve
has stderr 'batch:SubmitJob failed: ClientException: JobQueue none not found.'
run 4 sweep batch empty --queue reeve --definition none:7
has stderr 'JobDefinition none:7 not found.'
AWS_SECRET_ACCESS_KEY=other run 4 sweep batch empty "${batch[@]}"
has stderr 'InvalidSignatureException'
run 64 sweep batch empty --queue reeve
has stderr 'needs a queue and a definition'
run 64 sweep batch nowhere "${batch[@]}"

# --- Ctrl-C terminates the job.
status=0
timeout -k 9 -s INT 3 "$REEVE" sweep batch empty "${batch[@]}" >stdout 2>stderr || status=$?
[ "$status" -eq 124 ] || fail "sweep batch: exit status $status"
has stderr 'interrupted: the same command goes on'
python3 - <<'PYTHON' || fail "the job is not terminated: $(cat calls.jsonl)"
import json
calls = [json.loads(line) for line in open("calls.jsonl")]
last = calls[-1]
assert last["action"] == "batch:TerminateJob" and "error" not in last, last
described = [call for call in calls if call["action"] == "batch:DescribeJobs"]
assert described[-1]["parameters"]["jobs"] == [last["parameters"]["jobId"]], calls
PYTHON

# --- A container whose shards or index are wrong says so.
REEVE_SHARDS=0,2 AWS_BATCH_JOB_ARRAY_INDEX=2 run 64 sweep shard empty
has stderr 'number 2 of "0,2" is not a shard from 0 to 2'
REEVE_SHARDS=0,9 AWS_BATCH_JOB_ARRAY_INDEX=1 run 64 sweep shard empty
has stderr '9 is not a shard'
REEVE_SHARDS=all run 64 sweep shard empty
REEVE_SHARDS=0,2 run 0 sweep shard empty 1
has stderr 'shard 1 of 3 is done'

# --- botocore reads what the mock account answers.
python3 -c 'import botocore' 2>/dev/null || {
  echo "skipped: botocore is not installed"
  closed
  done_checking
  exit
}
python3 - <<'PYTHON' || fail "botocore does not agree with the mock account"
import json, os
import botocore.session
from botocore.config import Config
from botocore.exceptions import ClientError
from botocore.validate import ParamValidator

session = botocore.session.Session()
model = session.get_service_model("batch")
judged = 0
for line in open("calls.jsonl"):
    call = json.loads(line)
    service, operation = call["action"].split(":")
    if service == "batch":
        shape = model.operation_model(operation).input_shape
        report = ParamValidator().validate(call["parameters"], shape)
        assert not report.has_errors(), report.generate_report()
        judged += 1
assert judged > 3, judged
batch = session.create_client("batch", endpoint_url=os.environ["AWS_ENDPOINT_URL"],
                              config=Config(retries={"max_attempts": 1, "mode": "standard"}))
one = {"jobName": "a", "jobQueue": "reeve", "jobDefinition": "reeve"}
alone = batch.submit_job(**one)["jobId"]
array = batch.submit_job(**one, arrayProperties={"size": 2})["jobId"]
def states():
    jobs = batch.describe_jobs(jobs=[alone, array, "none"])["jobs"]
    return {job["jobId"]: job["status"] for job in jobs}
assert states() == {alone: "RUNNING", array: "PENDING"}, states()
batch.terminate_job(jobId=array, reason="no need")
assert states() == {alone: "RUNNING", array: "FAILED"}, states()
for wrong in [{"jobName": "-a"}, {"arrayProperties": {"size": 1}}, {"jobQueue": "none"},
              {"retryStrategy": {"attempts": 11}},
              {"containerOverrides": {"command": ["x" * 8192]}},
              {"containerOverrides": {"environment": [{"name": "AWS_BATCH_X", "value": "1"}]}}]:
    try:
        batch.submit_job(**{**one, **wrong})
        raise SystemExit(f"{wrong} is accepted")
    except ClientError as error:
        assert error.response["Error"]["Code"] == "ClientException", error
PYTHON
checks=$((checks + 1))
closed
done_checking
