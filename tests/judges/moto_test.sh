#!/usr/bin/env bash
# reeve live on an account of moto, which others wrote: botocore checks the signatures, and what
# boto3 puts into the account comes out of the rules. `./setup judges` runs it.
#
# What moto cannot judge:
# * It checks neither the age of a signature nor the policy of the queue, and resources of a
#   permission for SQS only.
# * Refusals of JSON calls are XML without a code, so reeve can only say Http403. AWS answers JSON.
# * An unknown training job is "Could not find training job" (AWS: "Requested resource not found"),
#   and its tags are error 500. So `live doctor` runs when there is a job.
# * It throttles nothing, and gives all metrics on one page.
source "$(dirname "$0")/../cli/expect.bash"
: "${JUDGES:?the Python that has moto}"
JUDGES=$(cd "$source_root" && cd "$(dirname "$JUDGES")" && pwd)/$(basename "$JUDGES")

unset AWS_PROFILE AWS_SESSION_TOKEN AWS_MAX_ATTEMPTS AWS_REGION AWS_DEFAULT_REGION REEVE_CLOCK_URL
export AWS_EC2_METADATA_DISABLED=true AWS_CONFIG_FILE=none AWS_SHARED_CREDENTIALS_FILE=none
server=
trap 'kill ${server:-} 2>/dev/null || true' EXIT

# as USER COMMAND...: with the keys of this user.
as() {
  local id=$1_id secret=$1_secret
  shift
  AWS_ACCESS_KEY_ID=${!id} AWS_SECRET_ACCESS_KEY=${!secret} "$@"
}
account() {
  as admin "$JUDGES" "$source_root/tests/judges/moto_account.py" "$@" 2>account.err ||
    fail "the account does not do $1: $(tail -n 3 account.err)"
}
# Until the account has users, any key does.
admin_id=none admin_secret=none
serve() {
  mkfifo port
  "$JUDGES" "$source_root/tests/judges/moto_account.py" serve calls.jsonl >port 2>server.err &
  server=$!
  read -r number <port || fail "moto does not start: $(tail -n 3 server.err)"
  export AWS_ENDPOINT_URL=http://127.0.0.1:$number
}
# configure QUEUE: `live.jsonc` reads from this queue.
configure() {
  cat >live.jsonc <<JSON
{ "reeve": 1, "live": { "account": "123456789012", "region": "us-east-1", "queue": "$1" },
  "prices": { "instances": { "ml.p5.48xlarge": { "usd_per_hour": 60, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training", "metrics": { "publish_delay": "2m" } },
  "fleet": [ { "name": "pool", "instance_type": "ml.p5.48xlarge", "capacity": 16 } ],
  "policies": { "guardrails": [ { "rule": "required_tags", "keys": ["team"] },
    { "rule": "startup_limit", "limit": "1h" }, { "rule": "stalled_gpu" } ] } }
JSON
}
# shadows FACT PROPOSALS: a shadow run that read this, and proposed these in any order.
shadows() {
  as reeve run 0 --json live shadow live.jsonc --for 3s
  proposes "$@"
}
proposes() {
  python3 - "$@" <<'PYTHON' || fail "the rules decide otherwise"
import json, sys
rules, *proposals = json.load(open("stdout"))
facts = " ".join(sum(rules["facts"], []))
assert sys.argv[1] in facts, facts
rows = [row for table in proposals for row in table["rows"]]
found = sorted(" ".join(row[key] for key in ["training_job", "rule", "action"]) for row in rows)
assert found == sorted(sys.argv[2:]), found
PYTHON
  checks=$((checks + 1))
}
# holds_messages WAITING RECEIVED: as many are in the queue.
holds_messages() {
  [ "$(account count "$queue")" = "$*" ] ||
    fail "the queue has $(account count "$queue") messages, not $*"
  checks=$((checks + 1))
}

# --- The stack of the template, its queue and its policy. From here on, moto checks all requests.
serve
configure https://sqs.us-east-1.amazonaws.com/123456789012/reeve
run 0 live template live.jsonc
mv stdout template.json
account stack template.json >stack.bash
source ./stack.bash
account users >users.bash
source ./users.bash
configure "$queue"
account auth on

# --- A wrong key is refused; a user without permissions is told the action.
AWS_SECRET_ACCESS_KEY=wrong AWS_ACCESS_KEY_ID=$reeve_id run 4 live plan live.jsonc
has stderr 'sts:GetCallerIdentity failed: SignatureDoesNotMatch'
AWS_SECRET_ACCESS_KEY=wrong AWS_ACCESS_KEY_ID=$reeve_id run 4 live doctor live.jsonc
has stdout 'check the secret key'
AWS_SECRET_ACCESS_KEY=$reeve_secret AWS_ACCESS_KEY_ID=AKIAUNKNOWN run 4 live plan live.jsonc
has stderr 'InvalidClientTokenId'
as guest run 4 live plan live.jsonc
has stderr 'sagemaker:ListTrainingJobs failed: Http403'
as guest run 4 live doctor live.jsonc
has stdout 'allow the credentials the action cloudwatch:GetMetricData'

# --- EventBridge to SQS: one event of each kind that the template sends on, and no other.
account events
holds_messages 5 0
shadows '5 messages' 'untagged required_tags stop_job' 'slow startup_limit stop_job'
python3 -c 'import json
facts = " ".join(sum(json.load(open("stdout"))[0]["facts"], []))
assert "4 training jobs" in facts, facts' || fail "a request of a job is not read"
holds_messages 0 0

# --- SNS to SQS: the event is in an envelope.
account topic "$queue"
holds_messages 1 0
shadows '1 message' 'by-topic required_tags stop_job'
holds_messages 0 0

# --- What is no event is reported, and stays.
account send "$queue" 'no event'
shadows '1 unreadable'
has stderr 'it is not JSON'
holds_messages 0 1
account purge "$queue"

# --- SageMaker and CloudWatch: pages of jobs, descriptions, tags, and an alarm on metrics.
account jobs
account metrics
as reeve run 2 live plan live.jsonc --json --detailed-exitcode
lacks stdout partial
proposes '4 training jobs' 'no-team required_tags stop_job' 'starts startup_limit stop_job' \
  'stuck stalled_gpu stop_job'

# --- Every check of the doctor, with keys and with a role, whose requests have a token.
doctor_agrees() {
  python3 - <<'PYTHON' || fail "the doctor finds otherwise"
import json
table = json.load(open("stdout"))
found = {row["check"]: row["result"] for row in table["rows"]}
assert found == dict.fromkeys([
    "account", "clock", "sagemaker:ListTrainingJobs", "sagemaker:DescribeTrainingJob",
    "sagemaker:ListTags", "cloudwatch:GetMetricData", "queue", "dead-letter queue",
    "sqs:ReceiveMessage", "sqs:DeleteMessage", "event rules"], "ok") | {
        "messages": "unknown"}, found
PYTHON
  has stdout '3 rules to the queue'
}
as reeve run 0 --json live doctor live.jsonc
doctor_agrees
cat >profiles <<TEXT
[profile guest]
aws_access_key_id = $guest_id
aws_secret_access_key = $guest_secret
[profile reader]
role_arn = $role
source_profile = guest
TEXT
AWS_CONFIG_FILE=profiles AWS_PROFILE=reader run 0 --json live doctor live.jsonc
doctor_agrees

# --- CloudWatch and EC2: what outlives its job is removed, in pages and in parts; the rest stays.
export XDG_STATE_HOME=$PWD/state
outcomes_are() {
  python3 - "$@" <<'PYTHON' || fail "other outcomes"
import collections, json, sys
rows = json.load(open("stdout"))["rows"]
found = collections.Counter(row["resource"] + " " + row["outcome"] for row in rows)
assert [f"{number} {what}" for what, number in sorted(found.items())] == sys.argv[1:], found
PYTHON
  checks=$((checks + 1))
}
account leftovers >kept.bash
source ./kept.bash
AWS_REGION=us-east-1 as guest run 4 live orphans
has stderr 'allow the credentials the action cloudwatch:DescribeAlarms'
has stderr 'allow the credentials the action ec2:DescribeInstances'
as cleaner run 0 --json live orphans live.jsonc --older-than 0s
outcomes_are '121 alarm would remove' '1 instance reported only' '3 instance would remove'
python3 -c 'import json
cost = {row["name"]: row["usd_per_month"] for row in json.load(open("stdout"))["rows"]}
assert (cost["alarm-000"], cost["alarm-001"], cost["by-query"]) == (0.3, 0.1, 0.2), cost' ||
  fail "the costs are wrong"
as cleaner run 0 --json live orphans live.jsonc --older-than 0s --delete --limit 110
outcomes_are '107 alarm done' '14 alarm left' '3 instance done' '1 instance reported only'
as cleaner run 0 --json live orphans live.jsonc --older-than 0s --delete
outcomes_are '14 alarm done' '1 instance reported only'
stays() {
  [ "$(account left)" = "in-use
$(printf '%s\n' "${kept[@]}" | sort | xargs)" ] || fail "left is: $(account left)"
  checks=$((checks + 1))
}
stays
account own
as cleaner run 0 --json live down live.jsonc
outcomes_are '1 alarm would remove' '1 instance would remove'
as cleaner run 0 --json live down live.jsonc --yes
outcomes_are '1 alarm done' '1 instance done'
stays

# --- reeve made these calls and no other; the rest came from boto3.
python3 - <<'PYTHON' || fail "other calls were made"
import json
calls = [json.loads(line) for line in open("calls.jsonl")]
made = {call["action"] for call in calls if call["agent"] == "reeve"}
assert made == {
    "sts:GetCallerIdentity", "sts:AssumeRole", "sagemaker:ListTrainingJobs",
    "sagemaker:DescribeTrainingJob", "sagemaker:ListTags", "monitoring:GetMetricData",
    "sqs:GetQueueAttributes", "sqs:ReceiveMessage", "sqs:DeleteMessageBatch",
    "events:ListRuleNamesByTarget", "events:DescribeRule", "monitoring:DescribeAlarms",
    "monitoring:DeleteAlarms", "monitoring:ListTagsForResource", "ec2:DescribeInstances",
    "ec2:TerminateInstances"}, made
others = {call["agent"] for call in calls} - {"reeve"}
assert all(name.startswith(("Boto3/", "Python-urllib/")) for name in others), others
broken = [call for call in calls if call["status"] >= 500]
assert not broken, broken
PYTHON
checks=$((checks + 1))
done_checking
