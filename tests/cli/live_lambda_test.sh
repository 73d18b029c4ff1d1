# The program for AWS Lambda on a mock account: passes, batches, kills between writes, starts.
source "$(dirname "$0")/expect.bash"
source "$source_root/tests/cli/mock_account.bash"
bootstrap=$(dirname "$REEVE")/lambda/bootstrap
if [ ! -x "$bootstrap" ]; then
  echo "skipped: this build has no program for AWS Lambda"
  exit 77
fi
export REEVE_TABLE=reeve XDG_STATE_HOME=$PWD/state
trap 'kill -9 ${server:-} ${first:-} 2>/dev/null || true' EXIT

# world JOBS KIND: jobs that stall, or fail, after 20 minutes.
world() {
  python3 - "$@" >world.jsonc <<'PYTHON'
import json, sys
jobs = [{"name": f"job-{nth}", "work": "40h", "tags": {"owner": "ann"},
         "faults": [{"at": "20m", "kind": sys.argv[2]}]} for nth in range(int(sys.argv[1]))]
print(json.dumps({
    "reeve": 1, "clock": {"start": "2026-03-02T00:00:00Z", "horizon": "48h"},
    "prices": {"instances": {"ml.x": {"usd_per_hour": 30, "gpus": 8}}},
    "platform": {"model": "sagemaker-training", "startup": "2m"},
    "fleet": [{"name": "pool", "instance_type": "ml.x", "capacity": 100}], "jobs": jobs,
    "policies": {"guardrails": [{"rule": "stalled_gpu", "hosts": ["all"]}]}}))
PYTHON
}
configure() {
  cat >reeve.jsonc <<JSON
{ "reeve": 1,
  "live": { "account": "123456789012", "region": "us-east-1",
            "notify": { "sns": "arn:aws:sns:us-east-1:123456789012:alerts" } },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training", "startup": "2m" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 100 } ],
  "guards": { "stops_per_hour": 50${guards:-} },
  "policies": { "guardrails": [
    { "rule": "stalled_gpu", "hosts": ["all"] },
    { "rule": "required_tags", "keys": ["team"], "mode": "warn" },
    { "rule": "resume", "when": ["stopped_by:stalled_gpu", "failed"], "min_runtime": "0s",
      "max_resumes": 1 } ] } }
JSON
}
# minutes N: the clock of the account moves on.
minutes() {
  python3 - "$1" <<'PYTHON'
import os, sys, urllib.request
url = os.environ["REEVE_CLOCK_URL"]
now = int(urllib.request.urlopen(url).read())
end = now + int(sys.argv[1]) * 60 * 10**9
while now < end:
    now = int(urllib.request.urlopen(url + f"?sleep={end - now}", data=b"").read())
PYTHON
}
# lambda OPTION... PAYLOAD...: `stdout` has what the runtime saw, `stderr` the log.
lambda() {
  python3 "$source_root/tests/cli/lambda_runtime.py" "$bootstrap" "$@" >stdout 2>stderr ||
    fail "the program does not answer"
}
# told EXPRESSION: of Python, about what the runtime saw.
told() {
  python3 -c "import json
seen = json.load(open('stdout'))
answers = seen['answers']
assert $1, seen" || fail "untrue: $1"
  checks=$((checks + 1))
}
# count ACTION: calls of it that had an effect.
count() {
  grep "\"action\":\"$1\"" calls.jsonl | grep -vc '"error":"[A-Z]' || true
}
expect_count() {
  [ "$(count "$1")" = "$2" ] || fail "$1: $(count "$1") calls instead of $2"
  checks=$((checks + 1))
}
# batch FILE ID=JOB:STATUS...: messages of SQS with events; ID alone is none.
batch() {
  python3 - "$@" <<'PYTHON'
import json, sys
records = []
for word in sys.argv[2:]:
    name, _, event = word.partition("=")
    job, _, status = event.partition(":")
    arn = f"arn:aws:sagemaker:us-east-1:123456789012:training-job/{job}"
    body = json.dumps({
        "version": "0", "id": name, "detail-type": "SageMaker Training Job State Change",
        "source": "aws.sagemaker", "account": "123456789012", "time": "2026-03-02T00:30:00Z",
        "region": "us-east-1", "resources": [arn],
        "detail": {"TrainingJobName": job, "TrainingJobArn": arn, "TrainingJobStatus": status,
                   "SecondaryStatus": status}}) if event else "no event"
    records.append({"messageId": name, "receiptHandle": "r", "body": body,
                    "eventSource": "aws:sqs", "awsRegion": "us-east-1"})
json.dump({"Records": records}, open(sys.argv[1], "w"))
PYTHON
}
echo '{"detail-type":"Scheduled Event","source":"aws.events"}' >tick.json

# --- One file that needs nothing.
file "$bootstrap" 2>/dev/null | grep -q 'dynamically linked' && fail "it is not static"
! ldd "$bootstrap" >/dev/null 2>&1 || fail "it needs shared libraries"
size=$(stat -c %s "$bootstrap")
[ "$size" -lt 8000000 ] || fail "it has $size bytes"
echo "size: $size bytes, as gzip: $(gzip -9 -c "$bootstrap" | wc -c)"

# --- A schedule: stops what stalls, tells owners, and makes further attempts in a later pass.
world 3 stall
serve
minutes 60
lambda tick.json tick.json
told "answers[0]['response'] == {'training_jobs': 3, 'actions': 6, 'not_done': 0, 'partial': ''}"
told "answers[1]['response']['actions'] == 0"
expect_count sagemaker:StopTrainingJob 3
expect_count sns:Publish 3
has stderr '"event":"action"'
minutes 5
lambda tick.json
expect_count sagemaker:StopTrainingJob 3
expect_count sagemaker:CreateTrainingJob 3
run 0 live log dynamodb:reeve --verify
has stdout 'whole: '
run 0 live log dynamodb:reeve --job job-1
has stdout 'job-1-r2'
# The same journal for a pass from a command line.
run 0 live tick reeve.jsonc --journal dynamodb:reeve
expect_count sagemaker:CreateTrainingJob 3
closed

# --- Messages: a job that has failed gets a further attempt; what is no event comes back.
world 2 failure
serve
minutes 30
batch batch.json one=job-0:Failed two three=no-such-job:Failed
lambda batch.json
told "answers == [{'response': {'batchItemFailures': [{'itemIdentifier': 'two'}]}}]"
expect_count sagemaker:CreateTrainingJob 1
grep -q '"TrainingJobName":"job-0-r2"' calls.jsonl || fail "another job got the further attempt"
has stderr 'message two: '
# The same message again changes nothing.
lambda batch.json
expect_count sagemaker:CreateTrainingJob 1
# The payload is no batch of SQS.
echo '{"Records":[{"Sns":{}}]}' >other.json
lambda other.json tick.json
told "'has no messageId' in answers[0]['error']['errorMessage'] and 'response' in answers[1]"
closed

# --- Without the journal or the account nothing is sent, and all messages come back.
for action in dynamodb:PutItem dynamodb:Query sagemaker:ListTrainingJobs sts:GetCallerIdentity; do
  serve --deny $action
  minutes 30
  batch batch.json one=job-0:Failed two=job-1:Failed
  lambda batch.json tick.json
  told "len(answers[0]['response']['batchItemFailures']) == 2"
  # A pass that has nothing to write does not fail.
  told "'$action' == 'dynamodb:PutItem' or 'AccessDenied' in answers[1]['error']['errorMessage']"
  expect_count sagemaker:CreateTrainingJob 0
  closed
done

# --- Killed after each of its writes, before it knows of it: no action is lost, none is carried out
# twice.  Of the 16 writes the first pass makes eight.
world 1 stall
for nth in $(seq 0 16); do
  serve
  minutes 60
  left=$nth
  for _ in 1 2 3; do
    how=after
    [ "$left" -gt 0 ] || how=before left=1
    lambda --kill "$left:$how" tick.json
    left=$(python3 -c "import json
seen = json.load(open('stdout'))
print(99 if seen['killed'] else max($left - len(seen['writes']), 1))")
    minutes 5
  done
  expect_count sagemaker:StopTrainingJob 1
  expect_count sagemaker:CreateTrainingJob 1
  python3 - <<'PYTHON' || fail "a message is sent twice"
import json
calls = [json.loads(line) for line in open("calls.jsonl") if "sns:Publish" in line]
assert len({json.dumps(call["parameters"]) for call in calls}) == len(calls), calls
PYTHON
  run 0 live log dynamodb:reeve --verify
  closed
done

# --- Two at once: the second writer fails, and the account is called once.
serve
minutes 60
python3 "$source_root/tests/cli/lambda_runtime.py" "$bootstrap" --wait 2:held tick.json \
  >first.out 2>first.err &
first=$!
for _ in $(seq 100); do
  [ -e held ] && break
  sleep 0.05
done
[ -e held ] || fail "the first one does not write"
lambda tick.json
told "'response' in answers[0]"
rm held
wait "$first" || fail "the first one does not answer: $(cat first.err)"
mv first.out stdout
told "'another process writes the journal' in answers[0]['error']['errorMessage']"
expect_count sagemaker:StopTrainingJob 1
run 0 live log dynamodb:reeve --verify
closed

# --- Lost replies, throttling and errors.
world 4 stall
serve --cut 0.1 --throttled 0.2 --failed 0.1
export AWS_MAX_ATTEMPTS=9
minutes 60
lambda tick.json
for _ in 1 2 3; do
  minutes 5
  lambda tick.json
done
python3 - <<'PYTHON' || fail "an action is lost, or carried out twice"
import collections, json
seen = collections.Counter()
for line in open("calls.jsonl"):
    call = json.loads(line)
    if call["action"] in ("sagemaker:StopTrainingJob", "sagemaker:CreateTrainingJob") and \
            call.get("error", "(lost)") == "(lost)":
        seen[call["action"], call["parameters"]["TrainingJobName"]] += 1
assert len(seen) == 8, seen
PYTHON
unset AWS_MAX_ATTEMPTS
run 0 live log dynamodb:reeve --verify
closed

# --- What cannot start says so.
serve
guards=', "canary": { "first": 2, "watch": "1d" }' configure
lambda tick.json
told "seen['exit'] == 1 and 'cannot keep the guard canary' in seen['init_error']['errorMessage']"
echo '{ "reeve": 1, "live": 3 }' >reeve.jsonc
lambda tick.json
told "'reeve.jsonc:1' in seen['init_error']['errorMessage'] and answers == []"
configure
REEVE_TABLE='' lambda tick.json
told "'REEVE_TABLE is not set' in seen['init_error']['errorMessage']"
REEVE_CONFIG=none.jsonc lambda tick.json
told "seen['exit'] == 1 and 'none.jsonc' in seen['init_error']['errorMessage']"
closed

# --- Its memory is flat.  bench/check_bounds.py --only=bootstrap tells how fast it starts.
world 1 stall
serve
lambda --direct '1000*tick.json'
told "seen['rss_kb'][2] < 1.2 * seen['rss_kb'][1] + 1000"
python3 -c 'import json
print("resident, start, 100th, 1000th pass: %s KiB" % json.load(open("stdout"))["rss_kb"])'

# --- An empty root, names from a name server, and TLS.
if [ "$(id -u)" != 0 ] || ! command -v openssl >/dev/null; then
  echo "skipped: the empty root needs root and openssl"
else
  mkdir -p root/etc/ssl/certs
  cp "$bootstrap" reeve.jsonc root
  echo "nameserver 127.0.0.2" >root/etc/resolv.conf
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=account.test \
    -addext subjectAltName=DNS:account.test -keyout key.pem -out certificate.pem 2>/dev/null
  cat certificate.pem key.pem >account.pem
  cp certificate.pem root/etc/ssl/certs/ca-certificates.crt
  minutes 60
  bootstrap=/bootstrap lambda --chroot root --tls account.test:account.pem tick.json
  told "answers[0]['response']['partial'] == '' and answers[0]['response']['actions'] > 0"
  # A certificate of somebody else.
  bootstrap=/bootstrap lambda --chroot root --tls other.test:account.pem tick.json
  told "'certificate: ' in answers[0]['error']['errorMessage']"
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=account.test \
    -keyout other.pem -out root/etc/ssl/certs/ca-certificates.crt 2>/dev/null
  bootstrap=/bootstrap lambda --chroot root --tls account.test:account.pem tick.json
  told "'certificate: ' in answers[0]['error']['errorMessage']"
fi
closed

# --- The template: each name in it is known, and the role may do what the rules do.
run 0 live template reeve.jsonc --lambda
python3 - <<'PYTHON' || fail "the template is wrong"
import json
template = json.load(open("stdout"))
resources = template["Resources"]
names = set(resources) | set(template["Parameters"])
def walk(value):
    if isinstance(value, dict):
        if set(value) == {"Ref"}: assert value["Ref"] in names, value
        if set(value) == {"Fn::GetAtt"}: assert value["Fn::GetAtt"][0] in resources, value
        for key, inner in value.items():
            assert key == "Fn::Sub" or not (isinstance(inner, str) and "${" in inner), inner
            walk(inner)
    if isinstance(value, list):
        for inner in value: walk(inner)
walk(template)
function = resources["Function"]["Properties"]
assert function["ReservedConcurrentExecutions"] == 1 and function["Handler"] == "bootstrap"
mapping = resources["Messages"]["Properties"]
assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"], mapping
queue = resources["Events"]["Properties"]
assert queue["VisibilityTimeout"] >= 6 * function["Timeout"], "Lambda refuses it"
keys = [key["AttributeName"] for key in resources["Journal"]["Properties"]["KeySchema"]]
assert keys == ["journal", "number"], keys
allowed = {action for statement in
           resources["Role"]["Properties"]["Policies"][0]["PolicyDocument"]["Statement"]
           for action in statement["Action"]}
called = {json.loads(line)["action"] for line in open("calls.jsonl")} - {"sts:GetCallerIdentity"}
assert called <= allowed, called - allowed
assert "dynamodb:GetItem" in allowed and "sagemaker:CreateTrainingJob" in allowed, allowed
PYTHON
if command -v cfn-lint >/dev/null; then
  cp stdout template.json
  cfn-lint template.json || fail "cfn-lint refuses the template"
fi
run 64 live template reeve.jsonc --lambda --unit
done_checking
