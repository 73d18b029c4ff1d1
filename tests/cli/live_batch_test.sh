# reeve live batch: the queues of AWS Batch as those of a scenario, each change once.
source "$(dirname "$0")/expect.bash"
source "$source_root/tests/cli/mock_account.bash"
export XDG_STATE_HOME=$PWD/state

# Two teams of 60 and 40 instances, as in figure 1 of the article on Amazon Search.
scenario() {
  cat >"$1" <<JSON
{ "reeve": 1, "name": "search", "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "24h" },
  "prices": { "instances": { "ml.p4d.24xlarge": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training" },
  "fleet": [ { "name": "p4", "instance_type": "ml.p4d.24xlarge", "capacity": ${capacity:-100} } ],
  "shares": [
    { "name": "one", "quota": { "p4": ${one:-60} }, "sharing": "lend_and_borrow",
      "weight": ${weight:-1} },
    { "name": "two", "quota": { "p4": ${two:-40} }, "sharing": "lend_and_borrow",
      "borrow_limit_pct": 50, "in_share_preemption": ${preemption:-true} } ],
  "queues": [ { "name": "main", "fleet": "p4", "shares": ["one", "two"],
                "priority": ${priority:-1}${more:-} } ],
  "jobs": [ { "name": "j", "queue": "main", "share": "one", "instance_type": "ml.p4d.24xlarge",
              "work": "1h", "tags": { "tier": "production", "kind": "sweep" } } ],
  "policies": { "quota": [ { "rule": "schedule", "algorithm": "quota" } ],
                "fair": [ { "rule": "schedule", "algorithm": "fair_share" } ] } }
JSON
}
cat >world.jsonc <<'JSON'
{ "reeve": 1, "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "24h" },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 4 } ],
  "jobs": [ { "name": "a", "work": "1h" } ],
  "policies": { "watch": [ { "rule": "required_tags", "keys": ["team"] } ] } }
JSON
configure() { scenario queues.jsonc; }

# batch OPERATION <INPUT: a call of AWS Batch, as the CLI names it.
batch() {
  python3 "$source_root/tests/cli/mock_call.py" batch "${1//-/}" - ||
    fail "the mock account refuses $1"
}
# ended: the account ends; its calls are kept.
ended() {
  closed
  cat calls.jsonl >>all_calls.jsonl
}
# operation_of FILE: of a call that export batch wrote.
operation_of() {
  basename "$1" | sed -E 's/^[0-9]+-(create-[a-z]+-(environment|policy|queue|share))-.*/\1/'
}
# exported: the account gets the queues of the scenario by the calls of export batch.
exported() {
  rm -rf calls
  run 0 export batch queues.jsonc -p "${1:-quota}" --format cli --region us-east-1 \
    --account 123456789012 -o calls
  for file in calls/*.json; do
    batch "$(operation_of "$file")" <"$file" >reply.json
  done
}
# submit NAME SHARE INSTANCES PRIORITY TAGS
submit() {
  python3 -c 'import json, sys
name, share, instances, priority, tags = sys.argv[1:]
print(json.dumps({"jobName": name, "jobQueue": "main", "quotaShareName": share,
  "serviceJobType": "SAGEMAKER_TRAINING", "schedulingPriority": int(priority),
  "serviceRequestPayload": json.dumps({"TrainingJobName": name, "ResourceConfig":
    {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": int(instances)}}),
  "tags": json.loads(tags), "clientToken": name}))' "$@" | batch submit-service-job >reply.json
}
# told FIELD...: of each change, its fields; counted ACTION: calls that had an effect.
told() {
  python3 -c 'import json, sys
for row in json.load(open("stdout"))[0]["rows"]:
    print(" ".join(str(row[key]) for key in sys.argv[1:]))' "$@"
}
counted() {
  python3 -c 'import json, sys
print(sum(call["action"] == sys.argv[1] and "error" not in call
    for call in map(json.loads, open("calls.jsonl"))))' "$1"
}
is() {
  [ "$1" = "$2" ] || fail "expected: $2
found: $1"
  checks=$((checks + 1))
}

# --- Without queues in the account, what is missing is told, and nothing is created.
serve
run 0 live batch queues.jsonc -p quota
has stdout "create it: reeve export batch"
run 2 live batch queues.jsonc -p quota --detailed-exitcode
run 5 live batch queues.jsonc -p quota --apply

# --- What export batch creates is what live batch compares with.
exported
run 0 live batch queues.jsonc -p quota --detailed-exitcode
has stdout "the queues of the account are those of the scenario"
run 0 --json live batch queues.jsonc -p quota
is_json stdout
is "$(told name)" ""

# --- A lowered quota: the change, the job that it preempts, one call.
for job in A B C D; do submit $job one 15 50 '{"tier": "research"}'; done
submit F two 40 50 '{}'
submit E one 15 10 '{}'  # waits
one=45 scenario queues.jsonc
run 0 --json live batch queues.jsonc -p quota
is "$(told name setting account scenario outcome)" \
  "main/one capacityLimits[ml.p4d.24xlarge] 60 45 UpdateQuotaShare"
is "$(python3 -c 'import json
print([(row["job"], row["instances"]) for row in json.load(open("stdout"))[1]["rows"]])')" \
  "[('D', 15)]"
run 0 live batch queues.jsonc -p quota
has stderr "nothing was changed"
has stderr "reeve live batch queues.jsonc -p quota --apply"
is "$(counted batch:UpdateQuotaShare)" 0
run 0 live batch queues.jsonc -p quota --apply
has stdout "done"
is "$(counted batch:UpdateQuotaShare)" 1
run 0 live batch queues.jsonc -p quota --apply
has stdout "the queues of the account are those of the scenario"
is "$(counted batch:UpdateQuotaShare)" 1
run 0 live log state/reeve/123456789012-us-east-1-batch.db
has stdout "update_quota_share"
run 0 live log state/reeve/123456789012-us-east-1-batch.db --verify
has stdout "whole: 3 entries"
# Killed before the reply: the next run asks what came of it.
python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as base: base.execute("delete from entries where number = 3")' \
  state/reeve/123456789012-us-east-1-batch.db
run 0 live batch queues.jsonc -p quota --apply
is "$(counted batch:UpdateQuotaShare)" 1
is "$(python3 -c 'import json, sqlite3, sys
print([json.loads(body)["detail"] for kind, body in sqlite3.connect(sys.argv[1]).execute(
    "select kind, body from entries where number > 2")])' \
  state/reeve/123456789012-us-east-1-batch.db)" "['found after a restart']"

# --- Other settings of shares and queues; one call for each resource.
one=45 two=55 preemption=false priority=3 more=', "runnable_limit": "2h"' scenario queues.jsonc
run 0 --json live batch queues.jsonc -p quota --apply
is "$(told setting account scenario outcome | sort)" \
  "capacityLimits[ml.p4d.24xlarge] 40 55 done
jobStateTimeLimitActions[CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY].action  TERMINATE done
jobStateTimeLimitActions[CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY].maxTimeSeconds  7200 done
jobStateTimeLimitActions[CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY].state  RUNNABLE done
preemptionConfiguration.inSharePreemption ENABLED DISABLED done
priority 1 3 done"
is "$(counted batch:UpdateQuotaShare) $(counted batch:UpdateJobQueue)" "2 1"
run 0 live batch queues.jsonc -p quota --detailed-exitcode
# The kind of a policy cannot change.
run 2 live batch queues.jsonc -p fair --detailed-exitcode
has stdout "AWS Batch cannot change the kind"

# --- Priorities by tag: of waiting and running jobs, in a simulation too.
one=45 two=55 preemption=false priority=3 more=', "runnable_limit": "2h", "priorities": [
  { "tags": ["tier=production"], "priority": 900 }, { "tags": ["tier", "kind=sweep"],
    "priority": 70 } ]' scenario queues.jsonc
run 0 --json live batch queues.jsonc -p quota --apply
is "$(told name setting account scenario outcome | sort)" \
  "main/A schedulingPriority 50 70 done
main/B schedulingPriority 50 70 done
main/C schedulingPriority 50 70 done
main/D schedulingPriority 50 70 done"
is "$(counted batch:UpdateServiceJob)" 4
run 0 live batch queues.jsonc -p quota --apply
is "$(counted batch:UpdateServiceJob)" 4
sed 's/900/10000/' queues.jsonc >wrong.jsonc
run 64 live batch wrong.jsonc -p quota
has stderr "AWS Batch allows 0 to 9999"

# --- 150 jobs wait: AWS Batch shows the first 100.
for job in $(seq 149); do submit "w$job" one 15 0 '{}'; done
run 0 --json live batch queues.jsonc -p quota
is "$(python3 -c 'import json
shares, waiting = json.load(open("stdout"))[2:]
print([row["waiting"] for row in shares["rows"]], len(waiting["rows"]), waiting["notes"])')" \
  "[150, 0] 100 ['AWS Batch shows the first 100 of 150 waiting jobs']"
ended

# --- Throttling, failures and lost replies: each update settles once, and the account ends right.
serve --throttled 0.2 --failed 0.2 --cut 0.2
for file in calls/*.json; do
  operation=$(operation_of "$file")
  until python3 "$source_root/tests/cli/mock_call.py" batch "${operation//-/}" - <"$file" \
    >reply 2>&1 || grep -q "already exists" reply; do
    sleep 0.01
  done
done
# applied: again until no call fails; then the account has the settings.
applied() {
  local code=4
  for _ in $(seq 20); do
    code=0
    "$REEVE" live batch queues.jsonc -p quota --apply --journal faults.db >stdout 2>stderr ||
      code=$?
    [ "$code" -eq 4 ] || break
  done
  is "$code" 0
}
for quota in 50 45 60 40; do
  one=$quota two=$((100 - quota)) scenario queues.jsonc
  applied
done
for nth in $(seq 8); do  # killed at any point
  one=$((40 + nth)) two=$((60 - nth)) priority=$nth scenario queues.jsonc
  "$REEVE" live batch queues.jsonc -p quota --apply --journal faults.db >stdout 2>stderr &
  sleep "0.$((RANDOM % 6))$((RANDOM % 10))"
  kill -9 $! 2>/dev/null || true
  wait $! 2>/dev/null || true
done
applied
run 0 live log faults.db --verify
python3 - <<'PYTHON' || fail "an update is not settled exactly once"
import collections, sqlite3
kinds = collections.defaultdict(collections.Counter)
with sqlite3.connect("faults.db") as base:
    columns = [row[1] for row in base.execute("pragma table_info(entries)")]
    for row in base.execute("select * from entries"):
        row = dict(zip(columns, row))
        kinds[row["action"]][row["kind"]] += 1
assert kinds, "no updates"
for action, count in kinds.items():
    assert count["planned"] == 1 and count["settled"] == 1 and count["sent"] <= 5, (action, count)
PYTHON
ended

# --- A permission that is missing: the other updates go on.
serve --deny batch:UpdateJobQueue
scenario queues.jsonc
exported
priority=7 two=41 scenario queues.jsonc
run 4 --json live batch queues.jsonc -p quota --apply
is "$(told setting outcome | sort)" "capacityLimits[ml.p4d.24xlarge] done
priority refused: AccessDeniedException no policy allows the action batch:UpdateJobQueue"
touch stop
two=42 scenario queues.jsonc
run 5 live batch queues.jsonc -p quota --apply --kill-file stop
has stdout "not sent"
is "$(counted batch:UpdateQuotaShare)" 1
ended

# --- A live configuration: its account is checked, and its kill switch holds.
serve
scenario queues.jsonc
exported
live() {
  python3 - "$@" >live.jsonc <<'PYTHON'
import json, sys
scenario = json.load(open("queues.jsonc"))
del scenario["clock"], scenario["jobs"]
scenario["live"] = {"account": sys.argv[1], "region": "us-east-1", "kill_parameter": "/stop"}
print(json.dumps(scenario))
PYTHON
}
two=43 scenario queues.jsonc
live 123456789012
run 5 live batch live.jsonc -p quota --apply
has stderr "ssm:GetParameter failed: ParameterNotFound"
python3 "$source_root/tests/cli/mock_call.py" ssm AmazonSSM.PutParameter \
  '{"Name": "/stop", "Value": "run", "Type": "String"}' >reply.json
live 999999999999
run 4 live batch live.jsonc -p quota --apply
is "$(counted batch:UpdateQuotaShare)" 0
live 123456789012
run 0 live batch live.jsonc -p quota --apply
is "$(counted batch:UpdateQuotaShare)" 1
for file in queues.jsonc live.jsonc; do
  run 0 live iam $file --batch -p quota
  has stdout "batch:UpdateQuotaShare"
done
has stdout "ssm:GetParameter"
ended

# --- Fair share: weights and the environment's limit.
serve
scenario queues.jsonc
exported fair
run 0 live batch queues.jsonc -p fair --detailed-exitcode
# A share that only the account has stays.
python3 - <<'PYTHON' | batch update-scheduling-policy >reply.json
import json
print(json.dumps({"arn": "arn:aws:batch:us-east-1:123456789012:scheduling-policy/main-policy",
  "fairsharePolicy": {"shareDistribution": [{"shareIdentifier": name, "weightFactor": weight}
      for name, weight in (("one", 1), ("two", 1), ("other", 0.1))]}}))
PYTHON
weight=2.5 capacity=120 scenario queues.jsonc
run 0 --json live batch queues.jsonc -p fair --apply
echo '{"arns": ["arn:aws:batch:us-east-1:123456789012:scheduling-policy/main-policy"]}' |
  batch describe-scheduling-policies >reply.json
has reply.json '"shareIdentifier":"other"'
run 0 --json live batch queues.jsonc -p fair
is "$(told setting)" ""
weight=1 capacity=100 scenario queues.jsonc
run 0 live batch queues.jsonc -p fair --apply
weight=2.5 capacity=120 scenario queues.jsonc
run 0 --json live batch queues.jsonc -p fair --apply
is "$(told resource setting account scenario outcome | sort)" \
  "scheduling policy fairsharePolicy.shareDistribution[one] 1 2.5 done
service environment capacityLimits[NUM_INSTANCES] 100 120 done"
run 0 live batch queues.jsonc -p fair --detailed-exitcode
ended

# --- botocore accepts each call, with the service model of a version that knows quota shares.
python3 "$source_root/tests/cli/botocore_judge.py" all_calls.jsonl batch:UpdateQuotaShare \
  batch:UpdateJobQueue batch:UpdateServiceJob || fail "botocore does not accept a call"

# --- In a simulation, priorities by tag are those that the jobs would state.
jobs() {
  python3 - "$@" <<'PYTHON'
import json, sys
by_tag, named = sys.argv[1] == "by_tag", {"production": 900, "sweep": 7}
tiers = ["sweep", "other", "production", "sweep", "production"]
def job(number, tier):
    own = 50 if by_tag else named.get(tier, 50)
    return {"name": f"j{number}", "queue": "main", "work": f"{number + 1}h", "priority": own,
            "tags": {"tier": tier}}
queue = {"name": "main", "fleet": "pool"}
if by_tag:
    queue["priorities"] = [{"tags": ["tier=" + tier], "priority": priority}
                           for tier, priority in named.items()]
print(json.dumps({"reeve": 1, "name": "order",
  "clock": {"start": "2026-03-02T00:00:00Z", "horizon": "48h"},
  "prices": {"instances": {"ml.x": {"usd_per_hour": 30, "gpus": 8}}},
  "platform": {"model": "sagemaker-training"},
  "fleet": [{"name": "pool", "instance_type": "ml.x", "capacity": 1}], "queues": [queue],
  "jobs": [job(number, tier) for number, tier in enumerate(tiers)],
  "policies": {"first": [{"rule": "schedule", "algorithm": "priority"}]}}))
PYTHON
}
for way in by_tag stated; do
  jobs $way >order.jsonc
  run 0 run order.jsonc --out $way
done
cmp by_tag/jobs.csv stated/jobs.csv || fail "priorities by tag are not those that are stated"
[ "$(awk -F, 'NR > 1' by_tag/jobs.csv | wc -l)" -ge 5 ] || fail "no jobs"
done_checking
