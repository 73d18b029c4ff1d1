#!/usr/bin/env bash
# A stop of a training job that AWS Batch runs terminates its service job: the queue does not start
# the job again.
source "$(dirname "$0")/expect.bash"
source "$source_root/tests/cli/mock_account.bash"
export XDG_STATE_HOME=$PWD/state
trap 'kill ${server:-} 2>/dev/null || true' EXIT

# world [FAULTS]: three jobs without a team, two of which their queue would start again, and one
# with a team.
world() {
  cat >world.jsonc <<JSON
{ "reeve": 1, "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "24h" },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training", "api": { "faults": [ ${1:-} ] } },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 40 } ],
  "queues": [ { "name": "research" }, { "name": "idle" } ],
  "jobs": [
    { "name": "one", "work": "10h", "queue": "research", "queue_retry": { "attempts": 3 } },
    { "name": "two", "work": "10h", "queue": "research", "queue_retry": { "attempts": 3 } },
    { "name": "kept", "work": "10h", "queue": "research", "tags": { "team": "vision" } },
    { "name": "direct", "work": "10h" } ],
  "policies": { "watch": [ { "rule": "required_tags", "keys": ["team"] } ] } }
JSON
}
configure() {
  cat >guardrails.jsonc <<JSON
{ "reeve": 1,
  "live": { "account": "123456789012", "region": "us-east-1", "queue": "$queue"
    ${every:+", \"reconcile_every\": \"$every\""} },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 40 } ],
  ${guards:+"\"guards\": { $guards },"}
  "policies": { "guardrails": [ { "rule": "required_tags", "keys": ["team"] } ] } }
JSON
}
# count ACTION: calls of it that AWS took, whether or not the reply arrived.
count() {
  grep -c "\"action\":\"$1\"" <(grep -v '"error":"[A-Z]' calls.jsonl) || true
}
expect_counts() {  # terminated, stopped
  local counts
  counts="$(count batch:TerminateServiceJob) $(count sagemaker:StopTrainingJob)"
  [ "$counts" = "$1 $2" ] || fail "terminated and stopped: $counts, not $1 $2"
  checks=$((checks + 1))
}
# names_in STATUS: the training jobs in that status, in order, without the digits of AWS Batch.
names_in() {
  python3 "$source_root/tests/cli/mock_call.py" sagemaker SageMaker.ListTrainingJobs \
    "{\"StatusEquals\": \"$1\", \"MaxResults\": 100}" | python3 -c 'import json, re, sys
names = [job["TrainingJobName"] for job in json.load(sys.stdin)["TrainingJobSummaries"]]
print(*sorted(re.sub("^AWSBatch|[0-9a-f]{32}$", "", name) for name in names))'
}
expect_jobs() {  # STATUS NAMES
  local names
  names=$(names_in "$1")
  [ "$names" = "$2" ] || fail "$1: $names, not $2"
  checks=$((checks + 1))
}
journal=state/reeve/123456789012-us-east-1.db

# --- Each stop is one call of the service that started the job, and the queue starts none again.
world
serve
run 0 live run guardrails.jsonc --for 3h
expect_counts 2 1
[ "$(count batch:ListServiceJobs)" = 0 ] || fail "a service job is listed"
expect_jobs InProgress "kept"
expect_jobs Stopped "direct one two"
python3 "$source_root/tests/cli/botocore_judge.py" calls.jsonl batch:TerminateServiceJob ||
  fail "botocore does not accept a call"
grep -q '"reason":"reeve: required_tags: ' calls.jsonl || fail "AWS Batch is not told why"
run 0 live run guardrails.jsonc --for 1h
expect_counts 2 1
run 0 live log "$journal"
has stdout "service job 00000000-0000-4000-9000-000000000001"
run 0 live log "$journal" --verify
closed

# --- With StopTrainingJob alone, the queue of the mock account starts the job again.
rm -rf state
serve
python3 - "$source_root/tests/cli/mock_call.py" <<'PYTHON'
import json, subprocess, sys
def call(operation, asked):
    done = subprocess.run([sys.executable, sys.argv[1], "sagemaker", "SageMaker." + operation,
                           json.dumps(asked)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)
running = call("ListTrainingJobs", {"StatusEquals": "InProgress", "MaxResults": 100})
(one,) = [job["TrainingJobName"] for job in running["TrainingJobSummaries"]
          if job["TrainingJobName"].startswith("AWSBatchone")]
call("StopTrainingJob", {"TrainingJobName": one})
PYTHON
# What the queue started is stopped for good.
run 0 live run guardrails.jsonc --for 3h
expect_jobs InProgress "kept"
expect_jobs Stopped "direct one one two"
closed

# --- A plan, and one pass: the same calls.
rm -rf state
serve
run 0 live plan guardrails.jsonc --out plan.json
run 0 live enforce plan.json
expect_counts 2 1
closed
rm -rf state
serve
run 0 live tick guardrails.jsonc
expect_counts 2 1
closed

# --- Guards count them as stops.
rm -rf state
guards='"stops_per_hour": 1'
serve
run 0 live run guardrails.jsonc --for 30m
[ "$(($(count batch:TerminateServiceJob) + $(count sagemaker:StopTrainingJob)))" = 1 ] ||
  fail "the guard does not count stops by AWS Batch"
closed
guards=

# --- Replies that are lost after the effect (libcurl sends a call again on a connection that
# closes): each stop is done, and no later run sends it again.
world '{ "call": "StopTrainingJob", "kind": "lost_reply", "times": 2 }'
for command in "run guardrails.jsonc --for 1h" "tick guardrails.jsonc" "enforce plan.json"; do
  rm -rf state
  serve
  run 0 live plan guardrails.jsonc --out plan.json
  # shellcheck disable=SC2086 # a command and its options
  run 0 live $command
  grep -q '"action":"batch:TerminateServiceJob","error":"(lost)"' calls.jsonl ||
    fail "$command: no reply is lost"
  before=$(count batch:TerminateServiceJob)
  run 0 live run guardrails.jsonc --for 1h
  [ "$(count batch:TerminateServiceJob)" = "$before" ] || fail "$command: a job is ended again"
  expect_jobs InProgress "kept"
  closed
done
world

# --- Killed after the call: the next run asks AWS Batch.
rm -rf state
serve
run 0 live plan guardrails.jsonc --out plan.json
run 0 live enforce plan.json --journal cut.db
python3 -c 'import sqlite3
with sqlite3.connect("cut.db") as base:
    (last,) = base.execute("SELECT max(number) FROM entries WHERE body LIKE ?",
                           ("%TerminateServiceJob%",)).fetchone()
    base.execute("DELETE FROM entries WHERE number > ?", (last,))'
run 0 live run guardrails.jsonc --journal cut.db --for 1h
has stderr "an earlier run did not settle stop_job of AWSBatch"
has stderr ": done"
[ "$(count batch:TerminateServiceJob)" = 2 ] || fail "a job is terminated again after a restart"
closed

# --- Events of SageMaker are late: those of AWS Batch lead to the jobs long before a listing does,
# which is the first to tell the job without a queue.
rm -rf state
world
python3 - <<'PYTHON'
text = open("world.jsonc").read()
text = text.replace('"api"', '"events": { "delay": "5h" }, "api"')
text = text.replace('"work"', '"submit": "10m", "work"')
open("world.jsonc", "w").write(text)
PYTHON
every=2h serve
run 0 live run guardrails.jsonc --for 1h
expect_counts 2 0
expect_jobs InProgress "direct kept"
run 0 live run guardrails.jsonc --for 4h
expect_counts 2 1
closed
world

# --- Without a permission such a stop is refused, once, and the others are carried out.  No event
# has told the service jobs, so they are listed.
for action in TerminateServiceJob ListServiceJobs DescribeJobQueues; do
  rm -rf state
  serve --lost 1 --deny batch:$action
  run 4 live run guardrails.jsonc --for 1m
  has stderr "batch:$action failed: AccessDeniedException"
  has stderr "allow the credentials the action batch:$action"
  expect_counts 0 1
  [ "$(grep -c "batch:$action" calls.jsonl)" = 1 ] || fail "batch:$action is called again"
  expect_jobs InProgress "kept one two"
  closed
done
done_checking
