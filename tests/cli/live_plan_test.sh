# reeve live plan: what rules would do now about the running jobs of an account, from calls that
# only read.
source "$(dirname "$0")/expect.bash"

cat >live.jsonc <<'JSON'
{ "reeve": 1, "live": { "account": "111122223333", "region": "us-east-1" },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 8 } ],
  "guards": { "protected_tags": ["keep"] },
  "policies": { "guardrails": [ { "rule": "required_tags", "keys": ["team"] },
    { "rule": "startup_limit", "limit": "1h" } ] } }
JSON

# account FAULTS [GONE [SLOW]]: jobs of the test, and faults of calls.
account() {
  python3 - "$1" "${2:-[]}" "${3:-{\}}" >account.json <<'PYTHON'
import json, sys, time
now = time.time()
def job(name, age_h, secondary, tags, instances=1, status="InProgress"):
    began = now - age_h * 3600
    later = [] if secondary == "Starting" else [{"Status": secondary, "StartTime": began + 60}]
    return {"TrainingJobName": name, "TrainingJobStatus": status, "SecondaryStatus": secondary,
            "TrainingJobArn": "arn:aws:sagemaker:us-east-1:111122223333:training-job/" + name,
            "ResourceConfig": {"InstanceType": "ml.x", "InstanceCount": instances},
            "StoppingCondition": {"MaxRuntimeInSeconds": 172800}, "CreationTime": began,
            "LastModifiedTime": began, "Tags": tags,
            "SecondaryStatusTransitions": [{"Status": "Starting", "StartTime": began}] + later}
print(json.dumps({"per_page": 2, "faults": json.loads(sys.argv[1]), "gone": json.loads(sys.argv[2]),
  "slow": json.loads(sys.argv[3]),
  "jobs": [job("good", 20, "Training", {"team": "a"}),
           job("untagged", 24, "Training", {"owner": "bob"}, instances=2),
           job("slow", 3, "Starting", {"team": "b"}),
           job("young", 0.5, "Starting", {"team": "b"}),
           job("kept", 3, "Training", {"keep": "1"}),
           job("stopping", 5, "Stopping", {"team": "c"}, status="Stopping"),
           job("done", 9, "Completed", {}, status="Completed")]}))
PYTHON
  : >calls.log
  rm -f port
  mkfifo port
  python3 "$source_root/tests/cli/training_account.py" account.json calls.log >port &
  server=$!
  read -r number <port
  export AWS_ENDPOINT_URL=http://127.0.0.1:$number
}
closed() {
  kill "$server"
  wait "$server" 2>/dev/null || true
}
trap 'kill "${server:-0}" 2>/dev/null || true' EXIT
export AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=secret AWS_EC2_METADATA_DISABLED=true
unset AWS_PROFILE AWS_REGION AWS_DEFAULT_REGION AWS_SESSION_TOKEN AWS_MAX_ATTEMPTS

# --- Throttled and failed calls are repeated; a job that was deleted meanwhile is left out.
faults='{"ListTrainingJobs": [[400, "ThrottlingException"]], "DescribeTrainingJob": [[500, "Oh"]]}'
account "$faults" '["good"]'
run 2 live plan live.jsonc --out plan.json --detailed-exitcode --journal plan.journal
closed
has stdout 'plan: nothing was changed'
has stdout 'account 111122223333'
lacks stdout partial
python3 - <<'PYTHON'
import json
plan = json.load(open("plan.json"))
rows = {(row["training_job"], row["rule"]): row for row in plan["proposals"]["rows"]}
assert set(rows) == {("untagged", "required_tags"), ("kept", "required_tags"),
                     ("slow", "startup_limit")}, rows
assert rows["kept", "required_tags"]["refused_by"] == "protected_tags"
# Two instances, $30.00 per hour, 24 of 48 hours left.
worth = rows["untagged", "required_tags"]["saves_up_to_usd"]
assert 1438 < float(worth) <= 1441, worth
assert plan["reeve_plan"] == 1 and not plan["partial"], plan
assert plan["actions"] == 2 and plan["region"] == "us-east-1", plan
PYTHON
checks=$((checks + 1))

# --- No call but those that read, and no more of them than needed.
sort calls.log | uniq -c | awk '{ print $2, $1 }' >counts.txt
cat >expected.txt <<'TEXT'
DescribeTrainingJob 7
GetCallerIdentity 1
ListTags 5
ListTrainingJobs 5
TEXT
diff -u expected.txt counts.txt || fail "other calls were sent"

# --- All is printed as JSON too, and without the option the exit code is 0.
account '{}'
run 0 live plan live.jsonc --json
python3 - <<'PYTHON'
import json
rules, proposals = json.load(open("stdout"))
assert [row["would_stop"] for row in rules["rows"]] == [1, 1], rules
assert len(proposals["rows"]) == 3, proposals
PYTHON
closed

# --- A job that cannot be read makes the plan partial, and the exit code says so.
account '{"ListTags": [[400, "ValidationException"]]}'
run 4 live plan live.jsonc --out partial.json
has partial.json '"partial":true'
has stderr 'cannot be read: ListTags: ValidationException as the test asked'
has stdout 'partial: 1 training job could not be read'
closed

# --- An interrupted plan is partial, and says no wrong time.
account '{}'
status=0
cp partial.json earlier.json
timeout --preserve-status -s INT 0.7 "$REEVE" live plan live.jsonc --out partial.json \
  >stdout 2>stderr || status=$?
[ "$status" -eq 130 ] || fail "an interrupted plan ends with $status"
[ ! -s stdout ] || has stdout 'partial: interrupted'
lacks stdout ' to '
[ ! -s stdout ] || has stderr 'partial.json is not written'
cmp partial.json earlier.json || fail "an interrupted plan replaces an earlier one"
closed

# interrupted_after CALL COUNT SIGNAL [WORD...]: once the account has so many calls, reeve gets the
# signal.
interrupted_after() {
  local status=0 began command=("${@:4}")
  [ $# -gt 3 ] || command=(live plan live.jsonc --out partial.json)
  "$REEVE" "${command[@]}" >stdout 2>stderr </dev/null &
  local plan=$!
  for _ in $(seq 300); do
    [ "$(grep -c "^$1\$" calls.log)" -ge "$2" ] && break
    sleep 0.1
  done
  began=$(date +%s%N)
  kill "-$3" "$plan"
  wait "$plan" || status=$?
  [ "$status" -eq 130 ] || fail "an interrupted plan ends with $status"
  [ $(($(date +%s%N) - began)) -lt 2500000000 ] || fail "an interrupted plan goes on"
  closed
}
# --- What was read before is judged and shown: during a call without an answer, and while it waits
# before it calls again.
account '{}' '[]' '{"DescribeTrainingJob": [0, 0, 60]}'
interrupted_after DescribeTrainingJob 3 INT
has stdout 'partial: interrupted'
has stdout '2 training jobs'
has stdout ' kept '
has stderr 'partial.json is not written'
throttled='[400, "ThrottlingException"]'
account "{\"ListTags\": [$throttled$(printf ", $throttled%.0s" {1..60})]}"
AWS_MAX_ATTEMPTS=100 interrupted_after ListTags 7 TERM
has stdout 'partial: interrupted'
has stdout '0 training jobs'
# Nothing was read yet.
account '{}' '[]' '{"GetCallerIdentity": [60]}'
interrupted_after GetCallerIdentity 1 INT
has stderr 'interrupted: nothing was read'
is_empty stdout
cmp partial.json earlier.json || fail "an interrupted plan replaces an earlier one"
# Neither did other commands, whose first call is under way.
for command in orphans tick down; do
  account '{}' '[]' '{"GetCallerIdentity": [60]}'
  interrupted_after GetCallerIdentity 1 INT live "$command" live.jsonc
  has stderr 'interrupted during a call of AWS'
done

# --- What is missing is named.
# A policy may exclude one job by its tags; without any permission nothing can be planned.
account '{"DescribeTrainingJob": [[400, "AccessDeniedException"]]}'
run 4 live plan live.jsonc
has stderr 'cannot be read: sagemaker:DescribeTrainingJob: AccessDeniedException'
has stdout 'partial: 1 training job could not be read'
closed
denied='[400, "AccessDeniedException"]'
account "{\"DescribeTrainingJob\": [$denied$(printf ", $denied%.0s" {1..9})]}"
run 4 live plan live.jsonc
has stderr 'sagemaker:DescribeTrainingJob failed: AccessDeniedException'
has stderr 'allow the credentials the action sagemaker:DescribeTrainingJob'
sed 's/111122223333/999999999999/' live.jsonc >other.jsonc
run 4 live plan other.jsonc
has stderr 'the credentials are of account 111122223333, the configuration of 999999999999'
sed 's/, "region": "us-east-1"//' live.jsonc >anywhere.jsonc
run 4 live plan anywhere.jsonc
has stderr 'set AWS_REGION'
closed
AWS_MAX_ATTEMPTS=1 run 4 live plan live.jsonc
has stderr 'sts:GetCallerIdentity failed'
AWS_ACCESS_KEY_ID='' AWS_SECRET_ACCESS_KEY='' HOME=/nonexistent run 4 live plan live.jsonc
has stderr 'NoCredentials'
run 64 live plan live.jsonc --from events.jsonl
mkfifo pipe
run 64 live plan live.jsonc --out pipe
[ -p pipe ] || fail "a pipe is replaced by a file"
run 64 live plan live.jsonc --out same.json --journal same.json
run 64 live shadow live.jsonc
has stderr 'names no queue'

done_checking
