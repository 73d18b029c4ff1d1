#!/usr/bin/env bash
# reeve live orphans and reeve live down on a mock account: what outlives its training job is
# removed once, whatever is killed, lost or refused; what is in use, or unclear, is left alone.
source "$(dirname "$0")/expect.bash"
source "$source_root/tests/cli/mock_account.bash"
export XDG_STATE_HOME=$PWD/state
kills=${REEVE_KILLS:-12}
journal=state/reeve/123456789012-us-east-1-clean-up.db
trap 'kill -9 ${server:-} ${daemon:-} 2>/dev/null || true' EXIT

# Ten jobs that take an hour, and one that runs for a week.
python3 - >world.jsonc <<'PYTHON'
import json
jobs = [{"name": f"job-{nth}", "work": "1h"} for nth in range(10)]
jobs.append({"name": "busy", "work": "160h", "max_runtime": "200h"})
jobs.append({"name": "retried", "work": "2h", "tags": {"reeve:created-by": "resume"}})
print(json.dumps({
    "reeve": 1, "clock": {"start": "2026-03-02T00:00:00Z", "horizon": "170h"},
    "prices": {"instances": {"ml.x": {"usd_per_hour": 30, "gpus": 8}}},
    "platform": {"model": "sagemaker-training", "startup": "2m"},
    "fleet": [{"name": "pool", "instance_type": "ml.x", "capacity": 100}], "jobs": jobs,
    "policies": {"guardrails": [{"rule": "required_tags", "keys": ["team"]}]}}))
PYTHON
configure() {
  cat >guardrails.jsonc <<JSON
{ "reeve": 1, "live": { "account": "123456789012", "region": "us-east-1", "queue": "$queue",
    "kill_file": "$PWD/stop-all",
    "notify": { "sns": "arn:aws:sns:us-east-1:123456789012:alerts" } },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training", "startup": "2m" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 100 } ],
  "guards": { "protected_tags": ["keep"] },
  "policies": { "guardrails": [ { "rule": "required_tags", "keys": ["team"] } ] } }
JSON
}
hours() {
  python3 - "$1" <<'PYTHON'
import os, sys, urllib.request
url = os.environ["REEVE_CLOCK_URL"]
start = now = int(urllib.request.urlopen(url).read())
end = start + float(sys.argv[1]) * 3600e9
while now < end:
    now = int(urllib.request.urlopen(url + f"?sleep={int(end - now)}", data=b"").read())
PYTHON
}
# Until it has its effect: the account may lose replies.
calling() {
  for _ in $(seq 20); do
    python3 "$source_root/tests/cli/mock_call.py" "$@" >reply 2>&1 && return
  done
  return 1
}
# alarm NAME HOST [PERIOD] [TAGS]
alarm() {
  calling monitoring PutMetricAlarm "{\"AlarmName\": \"$1\", \"MetricName\": \"GPUUtilization\",
    \"Namespace\": \"/aws/sagemaker/TrainingJobs\", \"Statistic\": \"Average\",
    \"Dimensions\": [{\"Name\": \"Host\", \"Value\": \"$2\"}], \"Period\": ${3:-60},
    \"EvaluationPeriods\": 3, \"Threshold\": 1, \"Tags\": [${4:-}],
    \"ComparisonOperator\": \"LessThanOrEqualToThreshold\"}" || fail "no alarm $1: $(cat reply)"
}
# instance TAGS [MORE]: its id is in $instance. A lost reply does not launch a second one.
launches=0
instance() {
  launches=$((launches + 1))
  calling ec2 RunInstances "{\"ImageId\": \"ami-1\", \"InstanceType\": \"p5.48xlarge\",
    \"MinCount\": 1, \"MaxCount\": 1, \"ClientToken\": \"launch-$launches\",
    \"TagSpecification\": [{\"ResourceType\": \"instance\", \"Tag\": [$1]}] ${2:-}}" ||
    fail "no instance: $(cat reply)"
  instance=$(grep -o '<instanceId>[^<]*' reply | cut -d'>' -f2)
}
tag() { echo "{\"Key\": \"$1\", \"Value\": \"$2\"}"; }
job_tags() { echo "$(tag JOB_ID "$1"), $(tag NAME "$1")"; }
# The alarms and instances that there are.
there() {
  calling monitoring DescribeAlarms '{}'
  grep -o '<AlarmName>[^<]*' reply | cut -d'>' -f2
  calling ec2 DescribeInstances '{"Filter": [{"Name": "instance-state-name",
    "Value": ["pending", "running", "stopping", "stopped"]}]}'
  grep -o '<instanceId>[^<]*' reply | cut -d'>' -f2
}
# count ACTION: calls that AWS took.
count() {
  grep -c "\"action\":\"$1\"" <(grep -v '"error":"[A-Z]' calls.jsonl) || true
}
# once: what the server deleted, it deleted once.
once() {
  python3 - <<'PYTHON' || fail "something is deleted twice"
import collections, json
seen = collections.Counter()
for line in open("calls.jsonl"):
    call = json.loads(line)
    if "error" not in call and call["action"] in ("cloudwatch:DeleteAlarms",
                                                  "ec2:TerminateInstances"):
        for key in ("AlarmNames", "InstanceId"):
            seen.update(call["parameters"].get(key, []))
assert seen and all(number == 1 for number in seen.values()), seen
PYTHON
  checks=$((checks + 1))
}
rows() {
  python3 -c 'import json
for row in json.load(open("stdout"))["rows"]:
    print(row["name"], row["outcome"])' | sort
}
is_there() {
  there >there.txt
  grep -qxF -- "$1" there.txt || fail "$1 is gone"
}
expect_text() {
  [ "$1" = "$2" ] || fail "expected: $2
got: $1"
  checks=$((checks + 1))
}
# ten: ten alarms and three instances of ended jobs.
ten() {
  for nth in 0 1 2 3 4 5 6 7 8 9; do alarm "watch-$nth" "job-$nth/algo-1"; done
  for nth in 0 1 2; do instance "$(job_tags "job-$nth")"; done
}

# --- What is an orphan, what it costs, and that a listing changes nothing.
serve
alarm ended job-1/algo-1
alarm fast job-2/algo-1 10
alarm running busy/algo-1
alarm never never-there/algo-2
alarm elsewhere no-host
alarm job-3GPUUtil no-host
alarm otherGPUUtil no-host
# Of another account, which has a job of that name.
calling monitoring PutMetricAlarm '{"AlarmName": "foreign", "EvaluationPeriods": 1,
  "Threshold": 1, "ComparisonOperator": "LessThanOrEqualToThreshold", "Metrics": [{"Id": "m1",
  "AccountId": "999988887777", "ReturnData": true, "MetricStat": {"Period": 300,
  "Stat": "Average", "Metric": {"Namespace": "/aws/sagemaker/TrainingJobs",
  "MetricName": "GPUUtilization", "Dimensions": [{"Name": "Host", "Value": "job-1/algo-1"}]}}}]}'
instance "$(job_tags job-1)"
gone=$instance
instance "$(job_tags busy)"
busy=$instance
instance "$(tag NAME job-1)"
named=$instance
instance "$(tag team a)"
untagged=$instance
instance "$(tag JOB_ID ci-4711)"
unclear=$instance
instance "$(job_tags job-1), $(tag keep 1)"
kept=$instance
instance "$(job_tags job-1)" ', "InstanceMarketOptions": {"MarketType": "spot"}'
spot=$instance
hours 1
run 0 live orphans --json --older-than 0s # the jobs still run
expect_text "$(rows)" "$(sort <<<"never would remove
otherGPUUtil reported only
$named reported only
$unclear reported only")"
hours 0.5
run 0 live orphans --json # half an hour after the end of the jobs
expect_text "$(rows | grep -c 'would remove')" 1
alarm kept-alarm job-4/algo-1 60 "$(tag keep 1)"
hours 2
before=$(there)
run 0 live orphans guardrails.jsonc --json
expect_text "$(rows)" "$(sort <<<"ended would remove
fast would remove
job-3GPUUtil would remove
kept-alarm reported only
never would remove
otherGPUUtil reported only
$gone would remove
$spot would remove
$named reported only
$unclear reported only
$kept reported only")"
python3 - "$gone" "$spot" <<'PYTHON' || fail "the costs are wrong"
import json, sys
table = json.load(open("stdout"))
cost = {row["name"]: row["usd_per_month"] for row in table["rows"]}
assert cost["ended"] == 0.1 and cost["fast"] == 0.3, cost
assert cost[sys.argv[1]] > 20000 and cost[sys.argv[2]] is None, cost
since = {row["name"]: row["since"] for row in table["rows"]}
assert since["ended"].startswith("2026-03-02T01:0"), since
PYTHON
run 0 live orphans guardrails.jsonc
has stdout 'no such job'
has stdout 'job Completed'
has stdout '6 to remove'
has stdout '5 reported only'
has stdout 'reeve live orphans guardrails.jsonc --delete'
[ "$(there)" = "$before" ] || fail "a listing changes the account"
[ "$(count cloudwatch:DeleteAlarms)$(count ec2:TerminateInstances)" = 00 ] || fail "it deletes"
[ ! -e $journal ] || fail "a listing writes a journal"

# --- The kill file holds everything back; --limit leaves some; the rest goes, once.
touch stop-all
run 5 live orphans guardrails.jsonc --delete --json
[ "$(rows | grep -c done)" = 0 ] || fail "the kill file does not hold"
rm stop-all
run 0 live orphans guardrails.jsonc --delete --limit 3
has stdout '3 left by --limit'
run 0 live orphans guardrails.jsonc --delete
has stdout '0 to remove'
has stdout 'reported only'
run 0 live orphans guardrails.jsonc --json
expect_text "$(rows)" "$(sort <<<"otherGPUUtil reported only
kept-alarm reported only
$named reported only
$unclear reported only
$kept reported only")"
for name in "$busy" "$named" "$untagged" "$unclear" "$kept" kept-alarm running elsewhere foreign \
  otherGPUUtil; do
  is_there "$name"
done
once
run 0 live log $journal --verify
run 0 live log $journal
has stdout "$gone"
has stdout terminate_instances
# An alarm that is put again is another one.
alarm ended job-1/algo-1
hours 2
run 0 live orphans guardrails.jsonc --delete
[ "$(there | grep -cx ended)" = 0 ] || fail "an alarm that was put again stays"
closed

# --- An instance that AWS protects is refused by itself; the rest is removed.
rm -rf state
serve
alarm one job-1/algo-1
instance "$(job_tags job-1)" ', "DisableApiTermination": true'
kept=$instance
instance "$(job_tags job-2)"
hours 4
run 4 live orphans --delete --json
expect_text "$(rows)" "$(sort <<<"one done
$kept refused
$instance done")"
has stdout 'OperationNotPermitted'
closed

# --- Without a permission the refusal names it, and everything else goes on.
denied() {
  serve --deny "$1"
  alarm one job-1/algo-1
  instance "$(job_tags job-1)"
  hours 4
  rm -rf state
  run 4 live "$2" --json "${@:3}"
  has stderr "allow the credentials the action $1"
  closed
}
denied cloudwatch:DescribeAlarms orphans --delete
expect_text "$(rows)" "$instance done"
denied ec2:DescribeInstances orphans --delete
expect_text "$(rows)" "one done"
denied sagemaker:DescribeTrainingJob orphans --delete
expect_text "$(rows)" "$instance unknown
one unknown"
denied cloudwatch:DeleteAlarms orphans --delete
expect_text "$(rows)" "$instance done
one refused"
denied ec2:TerminateInstances orphans --delete
expect_text "$(rows)" "$instance refused
one done"
denied cloudwatch:ListTagsForResource down --yes
denied sagemaker:ListTrainingJobs down --yes
denied sagemaker:ListTags down --yes

# --- Throttling, errors and lost replies: all are removed, each once.
rm -rf state
serve --throttled 0.2 --failed 0.1 --cut 0.1
ten
hours 4
for attempt in $(seq 20); do
  "$REEVE" live orphans --delete --json >stdout 2>stderr || [ $? -eq 4 ] || fail "orphans fails"
  [ "$(rows | wc -l)" = 0 ] && break
done
[ "$(rows | wc -l)" = 0 ] || fail "orphans are left"
once
run 0 live log $journal --verify
closed

# --- Killed again and again: nothing is left, and nothing is deleted twice.
rm -rf state
serve --speed 1800
ten
hours 4
for nth in $(seq "$kills"); do
  "$REEVE" live orphans --delete --limit 4 >run.out 2>run.err &
  daemon=$!
  sleep "0.0$((RANDOM % 9 + 1))"
  kill -9 "$daemon" 2>/dev/null || true
  wait "$daemon" 2>/dev/null || true
done
daemon=
run 0 live orphans --delete
run 0 live orphans --json
expect_text "$(rows)" ""
once
run 0 live log $journal --verify
python3 - $journal <<'PYTHON' || fail "an action is not settled"
import sqlite3, sys
state = {}
for action, kind in sqlite3.connect(sys.argv[1]).execute(
        "select action, kind from entries order by number"):
    state[action] = kind
assert len(state) == 13 and set(state.values()) == {"settled"}, state
PYTHON
checks=$((checks + 1))
closed

# --- live down: not while a training job of reeve runs; then it removes what reeve created.
rm -rf state
serve
own=$(tag reeve:created-by resume)
alarm own busy/algo-1 60 "$own"
alarm foreign job-1/algo-1 60 "$(tag team a)"
instance "$own"
mine=$instance
instance "$(job_tags job-1)"
other=$instance
instance "$own, $(tag aws:autoscaling:groupName web)"
grouped=$instance
hours 1
run 5 live down guardrails.jsonc --yes
has stderr 'refused: training jobs that reeve created are in progress: retried'
alarm kept-alarm job-4/algo-1 60 "$(tag keep 1)"
hours 2
before=$(there)
run 0 live down guardrails.jsonc
has stdout 'reeve live down guardrails.jsonc --yes'
has stdout 'aws sns delete-topic --topic-arn arn:aws:sns:us-east-1:123456789012:alerts'
has stdout 'aws sqs delete-queue --queue-url'
[ "$(there)" = "$before" ] || fail "down without --yes removes something"
run 0 live down guardrails.jsonc --yes --json
expect_text "$(rows)" "$(sort <<<"own done
$mine done
$grouped reported only")"
has stdout "rm $PWD/$journal"
for name in foreign "$other" "$grouped"; do is_there "$name"; done
once

# --- botocore's model knows every request that changes something.
if python3 -c 'import botocore' 2>/dev/null; then
  python3 - <<'PYTHON' || fail "botocore does not accept a request"
import json
import botocore.session
from botocore.validate import ParamValidator
session = botocore.session.get_session()
judged = set()
for line in open("calls.jsonl"):
    call = json.loads(line)
    service, operation = call["action"].split(":")
    if operation not in ("DeleteAlarms", "TerminateInstances"):
        continue
    shape = session.get_service_model(service).operation_model(operation).input_shape
    members = {member.serialization.get("queryName") or member.serialization.get("name", name): name
               for name, member in shape.members.items()}
    asked = {members[key]: value for key, value in call["parameters"].items()}
    report = ParamValidator().validate(asked, shape)
    assert not report.has_errors(), report.generate_report()
    judged.add(operation)
assert judged == {"DeleteAlarms", "TerminateInstances"}, judged
PYTHON
  checks=$((checks + 1))
else
  echo "skipped: botocore is not installed"
fi
closed

# --- What does not fit.
for words in 'orphans --yes' 'down --delete' 'down --older-than 1h' 'plan x --limit 3' \
  'iam x --delete' 'orphans --out x' 'orphans --older-than soon' 'plan'; do
  # shellcheck disable=SC2086 # a command and its options
  run 64 live $words
done
run 64 live orphans world.jsonc
has stderr 'is a scenario, not a live configuration'
done_checking
