#!/usr/bin/env bash
# Rules that act on alarms, in shadow mode on a mock account: reeve evaluates the alarms by the
# metrics of the account, and the rules decide as in the simulation.
source "$(dirname "$0")/expect.bash"
source "$source_root/tests/cli/mock_account.bash"

# A job on two instances stalls after an hour of training, the other one is well.
common='"reeve": 1, "name": "rehearsal",
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 3 } ],
  "platform": { "model": "sagemaker-training", "startup": "5m",
    "metrics": { "publish_delay": "90s" } },
  "policies": { "guardrails": [ { "rule": "stalled_gpu", "hosts": ["all"], "mode": "shadow",
    "action": { "notify": ["sns:Topic"] } } ] }'
cat >world.jsonc <<JSON
{ $common, "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "12h" },
  "jobs": [
    { "name": "well", "instance_type": "ml.x", "work": "4h", "tags": { "team": "a" } },
    { "name": "stuck", "instance_type": "ml.x", "instances": 2, "work": "3h",
      "max_runtime": "10h", "faults": [ { "at": "1h", "kind": "stall" } ] } ] }
JSON

# `live.jsonc` observes the mock account.
configure() {
  cat >live.jsonc <<JSON
{ $common, "live": { "account": "123456789012", "region": "us-east-1", "queue": "$queue" } }
JSON
}
trap 'kill $server 2>/dev/null || true' EXIT
# Time to the minute, training job, action.
proposals() {
  python3 -c 'import json
for row in json.load(open("stdout"))[1]["rows"]:
    print(row["time"][:16], row["training_job"], row["action"])' | sort
}

# --- The simulation in shadow mode: an alarm on each host, a message and a stop.
run 0 run world.jsonc -o out
python3 - >simulated.txt <<'PYTHON'
import csv, datetime
start = datetime.datetime(2026, 3, 2)
lines = []
for row in csv.DictReader(open("out/decisions.csv")):
    assert row["verdict"] == "shadow", row
    if row["action"].endswith("_alarm"):  # no proposal: reeve evaluates the alarm itself
        continue
    at = start + datetime.timedelta(seconds=float(row["t_s"]))
    lines.append(f"{at:%Y-%m-%dT%H:%M} {row['job']} {row['action']}")
print(*sorted(lines), sep="\n")
PYTHON
grep -q 'stuck stop_job' simulated.txt || fail "the simulation stops nothing: $(cat simulated.txt)"
! grep -q 'well stop_job' simulated.txt || fail "the simulation stops what is well"

# --- The same by the queue and the metrics of the account.
serve
run 0 --json live shadow live.jsonc --for 11h --out night
proposals | diff simulated.txt - || fail "the account gives other decisions"
grep -q 'cloudwatch:GetMetricData' calls.jsonl || fail "no metric is read"
! grep -q 'Alarm"' calls.jsonl || fail "the account has got an alarm"
# The simulator predicts the stop by the recorded utilization, at the same time.
run 0 --json live drift night
python3 - <<'PYTHON' || fail "the stop is not predicted"
import json
rows = {row["action"]: row for row in json.load(open("stdout"))[1]["rows"]}
for action in ["stop_job", "notify"]:
    row = rows[action]
    assert row["jobs"] == 1 and row["only_observed"] == row["only_predicted"] == 0, row
    assert abs(row["difference_s"]) <= 60, row
PYTHON
[ -z "$(ls -d "${TMPDIR:-/tmp}"/reeve-drift-* 2>/dev/null)" ] || fail "drift leaves files behind"
printf 'soon,x,1\n' >>night/metrics.csv
run 1 live drift night
has stdout 'partial: 1 line of the record'
closed

# --- Throttled and failed calls delay the alarm at most.
serve --throttled 0.3 --failed 0.1 --cut 0.1
run 0 --json live shadow live.jsonc --for 11h
proposals | cut -d' ' -f2- | sort >faulty.txt
cut -d' ' -f2- simulated.txt | sort | diff - faulty.txt || fail "faults change the decisions"
closed

# --- A plan judges the metrics of the last minutes: the stall is 30 minutes old.
serve
run 0 live shadow live.jsonc --for 95m
run 0 live plan live.jsonc --detailed-exitcode
has stdout 'in these modes a rule changes no job: stalled_gpu (shadow)'
sed 's/"mode": "shadow",//' live.jsonc >enforced.jsonc
run 2 live plan enforced.jsonc --detailed-exitcode
lacks stdout 'in these modes'
# Two instances at $30 until 10 h of training: it began at 00:05, and it is 01:35.
has stdout '$509.9'
has stdout 'stuck'
has stdout 'stop_job'
run 0 live doctor live.jsonc
has stdout 'cloudwatch:GetMetricData'
run 0 live iam live.jsonc
has stdout 'cloudwatch:GetMetricData'
lacks stdout 'PutMetricAlarm'

# --- Events alone do not carry metrics.
run 0 export events world.jsonc -o events.jsonl
run 0 live shadow live.jsonc --from events.jsonl
has stdout 'needs metrics'

# --- botocore reads the metrics.
if python3 -c 'import botocore' 2>/dev/null; then
  python3 - <<'PYTHON' || fail "botocore does not agree with the mock account"
import datetime, os, urllib.request
import botocore.auth, botocore.session
from botocore.exceptions import ClientError

def now():
    reply = urllib.request.urlopen(os.environ["REEVE_CLOCK_URL"])
    return datetime.datetime.fromtimestamp(int(reply.read()) / 1e9, datetime.timezone.utc)

# The mock account lives in March: botocore signs with its own clock, so that clock is moved.
class Moved(datetime.datetime):
    @classmethod
    def utcnow(cls):
        return now().replace(tzinfo=None)
    @classmethod
    def now(cls, tz=None):
        return now() if tz else now().replace(tzinfo=None)

botocore.auth.datetime = type("Module", (), {"datetime": Moved, "timezone": datetime.timezone})
if hasattr(botocore.auth, "get_current_datetime"):
    botocore.auth.get_current_datetime = lambda remove_tzinfo=True: (
        now().replace(tzinfo=None) if remove_tzinfo else now())
# The botocore of Debian 12 does not read AWS_ENDPOINT_URL.
watch = botocore.session.Session().create_client(
    "cloudwatch", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
query = lambda host: [{"Id": "use", "MetricStat": {
    "Metric": {"Namespace": "/aws/sagemaker/TrainingJobs", "MetricName": "GPUUtilization",
               "Dimensions": [{"Name": "Host", "Value": host}]},
    "Period": 60, "Stat": "Average"}}]
hour = {"StartTime": datetime.datetime(2026, 3, 2, 0), "EndTime": datetime.datetime(2026, 3, 2, 4)}
got = watch.get_metric_data(MetricDataQueries=query("stuck/algo-2"), **hour)
result, = got["MetricDataResults"]
assert result["StatusCode"] == "Complete" and result["Values"][-1] > 0, result
assert result["Values"][0] == 0 and result["Timestamps"][0] > result["Timestamps"][-1], result
empty, = watch.get_metric_data(MetricDataQueries=query("none/algo-1"), **hour)["MetricDataResults"]
assert empty["Values"] == [], empty
try:
    watch.put_metric_alarm(AlarmName="a", ComparisonOperator="LessThanThreshold",
                           EvaluationPeriods=1)
    raise SystemExit("an alarm without a metric is put")
except ClientError as error:
    assert error.response["Error"]["Code"] == "ValidationError", error
metric = {"Namespace": "/aws/sagemaker/TrainingJobs", "MetricName": "GPUUtilization",
          "Statistic": "Average", "Period": 60, "EvaluationPeriods": 3, "Threshold": 1,
          "ComparisonOperator": "LessThanThreshold",
          "Dimensions": [{"Name": "Host", "Value": "stuck/algo-1"}]}
for name in ["a", "b", "c"]:
    watch.put_metric_alarm(AlarmName=name, **metric)
pages = list(watch.get_paginator("describe_alarms").paginate(PaginationConfig={"PageSize": 2}))
assert [alarm["AlarmName"] for page in pages for alarm in page["MetricAlarms"]] == list("abc")
assert pages[0]["MetricAlarms"][0]["AlarmConfigurationUpdatedTimestamp"].year == 2026, pages
try:
    watch.delete_alarms(AlarmNames=["a", "none"])
    raise SystemExit("an unknown alarm is deleted")
except ClientError as error:
    assert error.response["Error"]["Code"] == "ResourceNotFound", error
watch.delete_alarms(AlarmNames=["a", "b"])
assert len(watch.describe_alarms()["MetricAlarms"]) == 1

# --- botocore launches, finds and terminates instances.
ec2 = botocore.session.Session().create_client("ec2", endpoint_url=os.environ["AWS_ENDPOINT_URL"])
asked = {"ImageId": "ami-1", "InstanceType": "p5.48xlarge", "MinCount": 1, "MaxCount": 1,
         "ClientToken": "one", "TagSpecifications": [
             {"ResourceType": "instance", "Tags": [{"Key": "JOB_ID", "Value": "stuck"}]}]}
first, again = (ec2.run_instances(**asked)["Instances"][0]["InstanceId"] for _ in range(2))
assert first == again, "a client token launches twice"
try:
    ec2.run_instances(**{**asked, "InstanceType": "p4d.24xlarge"})
    raise SystemExit("a token is used twice")
except ClientError as error:
    assert error.response["Error"]["Code"] == "IdempotentParameterMismatch", error
ec2.create_tags(Resources=[first], Tags=[{"Key": "NAME", "Value": "x y"}])
found, = ec2.describe_instances(Filters=[{"Name": "tag-key", "Values": ["NAME"]}])["Reservations"]
assert {"Key": "NAME", "Value": "x y"} in found["Instances"][0]["Tags"], found
changed, = ec2.terminate_instances(InstanceIds=[first])["TerminatingInstances"]
assert changed["CurrentState"]["Name"] == "shutting-down", changed
try:
    ec2.terminate_instances(InstanceIds=["i-0123"])
    raise SystemExit("an unknown instance is terminated")
except ClientError as error:
    assert error.response["Error"]["Code"] == "InvalidInstanceID.NotFound", error
PYTHON
else
  echo "skipped: botocore is not installed"
fi
closed
done_checking
