#!/usr/bin/env bash
# reeve import history --from-aws: the same as an import of files that were exported by hand, by
# calls that read.
source "$(dirname "$0")/expect.bash"
source "$source_root/tests/cli/mock_account.bash"
configure() { :; }
trap 'kill ${server:-} 2>/dev/null || true' EXIT

# world JOBS: more jobs than a page has, one of several instances, one that a call stops, one that
# meets its limit, one that waits for instances.
world() {
  python3 - "$1" >world.jsonc <<'PYTHON'
import json, sys
jobs = [{"name": f"job-{n:03}", "work": f"{5 + n % 7}m", "submit": f"{3 * n}m",
         "tags": {"team": "ab"[n % 2], "owner": f"user{n % 5}"}} for n in range(int(sys.argv[1]))]
jobs += [{"name": "wide", "work": "2h", "instances": 6, "submit": "1h", "tags": {"team": "a"}},
         {"name": "halted", "work": "20h", "submit": "30m", "tags": {"team": "b"}},
         {"name": "limited", "work": "20h", "max_runtime": "2h", "submit": "45m",
          "tags": {"team": "b"}}]
print(json.dumps({
    "reeve": 1, "clock": {"start": "2026-03-02T00:00:00Z", "horizon": "48h"},
    "prices": {"instances": {"ml.p4d.24xlarge": {"usd_per_hour": 30, "gpus": 8}}},
    "platform": {"model": "sagemaker-training", "startup": "2m"},
    "fleet": [{"name": "pool", "instance_type": "ml.p4d.24xlarge", "capacity": 8}],
    "jobs": jobs, "policies": {"none": [{"rule": "required_tags", "keys": ["team"]}]}}))
PYTHON
}
later() {
  python3 - "$1" <<'PYTHON'
import os, sys, urllib.request
url = os.environ["REEVE_CLOCK_URL"]
now = int(urllib.request.urlopen(url).read())
until = now + int(float(sys.argv[1]) * 3600e9)
while now < until:
    now = int(urllib.request.urlopen(f"{url}?sleep={until - now}", data=b"").read())
PYTHON
}
ask() { timeout -k 5 60 python3 "$source_root/tests/cli/mock_call.py" "$@" >reply || fail "$*"; }
# A day of the account, with the stop of a job.
lived() {
  later 3
  ask sagemaker SageMaker.StopTrainingJob '{"TrainingJobName": "halted"}'
  later 21
}
only_reads() {
  python3 - <<'PYTHON' || fail "another call than those that read"
import json, sys
reads = {"sts:GetCallerIdentity", "sagemaker:Search", "sagemaker:ListTrainingJobs",
         "sagemaker:DescribeTrainingJob", "sagemaker:ListTags", "cloudtrail:LookupEvents",
         "cloudwatch:GetMetricData", "ec2:DescribeSpotPriceHistory", "batch:DescribeJobQueues",
         "batch:ListJobs", "batch:DescribeJobs", "batch:ListServiceJobs",
         "batch:DescribeServiceJob"}
made = {json.loads(line)["action"] for line in open("calls.jsonl")}
sys.exit(0 if made and made <= reads | set(sys.argv[1:]) else str(made - reads))
PYTHON
}
same() {
  for file in jobs.csv.gz events.csv; do cmp "$1/$file" "$2/$file" || fail "$file differs"; done
  diff -r "$1/util" "$2/util" >differences || fail "util differs: $(head differences)"
  checks=$((checks + 1))
}

# --- An import of what was exported by hand has the same bytes.
world 120
serve
lived
timeout -k 5 200 python3 "$source_root/tests/cli/account_export.py" dump 2026-02-01T00:00:00Z
run 0 import history dump -o by-hand
before=$(wc -l <calls.jsonl)
later 0.001  # so that the calls by hand do not count
run 0 import history --from-aws 30d -o ours
grep -qE 'sagemaker +123 +123 ' stdout || fail "jobs are missing"
has stderr 'The bill: give its CSV file as well'
lacks stderr warning
same by-hand ours
closed
python3 - "$before" <<'PYTHON'
import json, sys
calls = [json.loads(line) for line in open("calls.jsonl")][int(sys.argv[1]):]
assert not [call for call in calls if call.get("error")], "the rates of AWS were exceeded"
assert sum(call["action"] == "sagemaker:Search" for call in calls) == 2, calls
PYTHON

# --- The jobs, their dollars and the stop are those of the simulation.
run 0 run world.jsonc -p none -o simulated
python3 - <<'PYTHON' || fail "another history than that of the simulation"
import csv, gzip, json
simulated = {row["job"]: row for row in csv.DictReader(open("simulated/attempts.csv"))}
jobs = {row["job_id"]: row for row in csv.DictReader(gzip.open("ours/jobs.csv.gz", "rt"))}
assert jobs.keys() == simulated.keys() and len(jobs) == 123, jobs.keys() ^ simulated.keys()
status = {"completed": "completed", "max_runtime": "timeout"}
for name, job in jobs.items():
    if name == "halted":
        assert job["end_status"] == "killed" and job["censored"] == "1", job
        continue
    expected = simulated[name]
    assert abs(float(job["billed_s"]) - float(expected["billed_s"])) < 1, (job, expected)
    assert job["end_status"] == status[expected["end_reason"]], (job, expected)
# Each host of an instance-hour costs the same.
hours = sum(float(row["billed_s"]) * int(jobs[name]["nodes"]) / 3600
            for name, row in simulated.items() if name != "halted")
hours += float(jobs["halted"]["billed_s"]) / 3600
imported = json.load(open("ours/import.json"))["instances"]
assert len(imported) == 1 and abs(imported[0]["instance_hours"] - hours) < 1e-6, imported
stops = [row for row in csv.DictReader(open("ours/events.csv")) if row["event"] != "created"]
assert [(row["job_id"], row["event"], row["t_s"]) for row in stops] == [
    ("halted", "stop_requested", "10800")], stops
PYTHON
checks=$((checks + 1))

# --- The replies are files: a later import needs no credentials.
AWS_ACCESS_KEY_ID='' AWS_SECRET_ACCESS_KEY='' AWS_ENDPOINT_URL=http://127.0.0.1:9 \
  run 0 import history ours/aws -o again
same ours again
run 0 --json compare ours/scenario.jsonc --baseline as-it-was
python3 - <<'PYTHON' || fail "the replay costs something else than the jobs"
import json
of = json.load(open("ours/import.json"))["instances"][0]
measures = json.load(open("stdout"))["policies"]["as-it-was"]["measures"]
cost, expected = measures["billed_usd"]["value"], of["instance_hours"] * of["usd_per_hour"]
assert abs(cost / expected - 1) < 0.01, (cost, expected)
PYTHON

# --- Calls that only read; throttling is waited for; --anonymize leaves no reply behind.
serve --throttled 0.2
later 24
run 0 import history --from-aws 90d --anonymize -o anonymous
only_reads
lacks stderr warning
closed
[ ! -e anonymous/aws ] || fail "replies with names are left"
rm anonymous/names.key
! grep -rqE 'job-00|wide|halted|user1' anonymous || fail "a name is left"
zcat anonymous/jobs.csv.gz | grep -qE 'job-00|wide|user1' && fail "a name of a job is left"
run 64 import history ours/aws --anonymize -o ours
has stderr 'ours/aws has replies of AWS with names'

# --- What is refused is a warning with the action that is missing; only jobs are required.
serve --deny cloudtrail:LookupEvents --deny sagemaker:Search --deny cloudwatch:GetMetricData \
  --deny ec2:DescribeSpotPriceHistory --deny batch:DescribeJobQueues
lived
run 0 import history --from-aws 120d -o refused
for action in cloudtrail:LookupEvents sagemaker:Search cloudwatch:GetMetricData \
  ec2:DescribeSpotPriceHistory batch:DescribeJobQueues; do
  has stderr "warning[W0614]: $action is not allowed"
  has refused/import.md "allow the credentials the action $action"
done
has stderr 'keep 90 days'
python3 - <<'PYTHON' || fail "jobs that are described one by one differ"
import csv, gzip
def jobs(folder):  # without what CloudTrail and CloudWatch alone tell
    rows = list(csv.DictReader(gzip.open(folder + "/jobs.csv.gz", "rt")))
    return [row | {"user": "", "end_cause": "", "stalled_s": ""} for row in rows]
assert jobs("refused") == jobs("ours")
PYTHON
# A fetch has a folder of its own, and takes nothing of an earlier one.
before=$(find ours/aws -type f -exec md5sum {} + | sort)
run 0 import history --from-aws 90d -o ours
missing=$(comm -23 <(echo "$before") <(find ours/aws -type f -exec md5sum {} + | sort))
[ -z "$missing" ] || fail "a reply of an earlier fetch is gone: $missing"
[ "$(find ours/aws -mindepth 1 -type d | wc -l)" -eq 2 ] || fail "not two folders of fetches"
[ "$(find ours/aws -name cloudtrail.json.gz | wc -l)" -eq 1 ] ||
  fail "a part that was refused is there"
closed
serve --deny sagemaker:Search --deny sagemaker:ListTrainingJobs
run 4 import history --from-aws 90d -o nothing
has stderr 'allow the credentials the action sagemaker:ListTrainingJobs'
closed
world 0  # its first job comes half an hour later
serve
run 3 import history --from-aws 1d -o nothing
has stderr 'error[E0427]: no job since 2026-03-01T00:00:00Z in account 123456789012 and region'
[ ! -e nothing ] || fail "a directory of an account without jobs"
run 0 import history --from-aws 1d dump/jobs.json -o beside
closed

# --- A job that runs, runs until the fetch; the next fetch adds to the first.
world 5
serve
later 12
run 0 import history --from-aws 30d -o twice
durations() {
  python3 - "$@" <<'PYTHON' || fail "wrong durations: $*"
import csv, gzip, sys
jobs = {row["job_id"]: row for row in csv.DictReader(gzip.open(sys.argv[1] + "/jobs.csv.gz", "rt"))}
assert len(jobs) == 8, jobs.keys()
job = jobs["halted"]
assert abs(float(job["duration_s"]) / 3600 - float(sys.argv[2])) < 0.1, job
assert job["end_status"] == sys.argv[3], job
PYTHON
}
grep -qE 'reeve import history twice/aws/2026-03-02T1200[0-9]*Z bill.csv -o twice$' stderr ||
  fail "another hint"
durations twice 11.5 running
run 0 import history twice/aws -o again
same twice again
[ "$(find twice/aws -type d -perm 700 | wc -l)" -eq 2 ] || fail "others may read the folders"
[ -z "$(find twice/aws -type f ! -perm 600)" ] || fail "others may read the replies"
cp -r twice/aws first
later 24
run 0 import history --from-aws 1d twice/aws -o twice
has stderr "reeve import history twice/aws bill.csv -o twice"
durations twice 20 completed
run 0 import history twice/aws -o again
same twice again
diff -r first "twice/aws" | grep -v '^Only in twice/aws:' && fail "the first fetch has changed"
mkdir -p aws
cp first/*/jobs.json.gz aws
run 0 import history aws --from-aws 1d --anonymize --key names --tags team -o hidden
has stderr 'history --from-aws 1d aws bill.csv --anonymize --key names --tags team -o hidden'
[ "$(zcat hidden/jobs.csv.gz | wc -l)" -eq 9 ] || fail "a file is taken for a reply"

# --- What is wrong with files and places is found before the calls.
calls=$(wc -l <calls.jsonl)
echo '{"Results": [' >cut.json
run 3 import history no-bill.csv --from-aws 30d -o new
run 3 import history cut.json --from-aws 30d -o new
run 3 import history --from-aws 30d --anonymize --key cut.json -o new
run 1 import history --from-aws 30d -o /proc/reeve/new
has stderr 'cannot write /proc/reeve/new'
[ ! -e new ] || fail "a directory of a refused command"
[ "$(wc -l <calls.jsonl)" -eq "$calls" ] || fail "calls for nothing"
closed

# --- The queues of AWS Batch.
world 40
serve
ask batch CreateServiceEnvironment '{"serviceEnvironmentName": "env",
  "serviceEnvironmentType": "SAGEMAKER_TRAINING",
  "capacityLimits": [{"maxCapacity": 8, "capacityUnit": "NUM_INSTANCES"}]}'
ask batch CreateJobQueue '{"jobQueueName": "training", "priority": 1,
  "jobQueueType": "SAGEMAKER_TRAINING",
  "serviceEnvironmentOrder": [{"order": 1, "serviceEnvironment": "env"}]}'
ask batch CreateJobQueue '{"jobQueueName": "reeve", "priority": 1, "jobQueueType": "ECS"}'
ask batch SubmitServiceJob '{"jobName": "of-service", "jobQueue": "training",
  "serviceJobType": "SAGEMAKER_TRAINING",
  "serviceRequestPayload": "{\"ResourceConfig\": {\"InstanceCount\": 2}}"}'
submitted='{"jobName": "of-batch", "jobQueue": "reeve", "jobDefinition": "reeve"}'
mapfile -t more < <(yes "$submitted" | head -151)
ask batch SubmitJob "${more[@]}"
later 2
run 0 import history --from-aws 7d -o with-batch
grep -qE 'aws-batch +152 +152 ' stdout || fail "jobs of AWS Batch are missing"
closed

# --- Ctrl-C: nothing is written.
world 60
sed -i 's/"submit": "[0-9]*m"/"submit": "0m"/g; s/"capacity": 8/"capacity": 80/' world.jsonc
serve --speed 1 --deny sagemaker:Search
status=0
timeout --preserve-status -k 5 -s INT 1.5 "$REEVE" import history --from-aws 1d -o cut \
  >stdout 2>stderr || status=$?
[ "$status" -eq 130 ] || fail "an interrupted import ends with $status"
has stderr interrupted
[ ! -e cut ] || fail "an interrupted import wrote a directory"
closed

# --- Words that make no sense.
run 64 import history --from-aws 90d
has stderr '--from-aws needs a directory'
for span in 90 0d 12h ten -5d 10000d; do run 64 import history --from-aws="$span" -o new; done
run 64 import philly --from-aws 90d -o new
has stderr '--from-aws applies only to history'
run 64 import history -o new
has stderr 'FILE is required'
[ ! -e new ] || fail "a directory of a refused command"
unset REEVE_CLOCK_URL
AWS_REGION='' AWS_DEFAULT_REGION='' HOME=/nonexistent run 4 import history --from-aws 90d -o new
has stderr 'set AWS_REGION'

done_checking
