#!/usr/bin/env bash
# reeve mock-aws and reeve live shadow on its queue: the decisions of the simulation, whatever is
# lost, repeated or refused, and no call that changes a job.
source "$(dirname "$0")/expect.bash"
source "$source_root/tests/cli/mock_account.bash"

# A job without a tag that runs for long, one that waits for it, one that is well; the same rules in
# both files.
common='"reeve": 1, "name": "rehearsal",
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 2 } ],
  "policies": { "guardrails": [ { "rule": "required_tags", "keys": ["team"] },
    { "rule": "uptime_cap", "limit": "150m" } ] }'
cat >world.jsonc <<JSON
{ $common, "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "12h" },
  "platform": { "model": "sagemaker-training", "startup": "5m" },
  "jobs": [
    { "name": "well", "instance_type": "ml.x", "work": "2h", "tags": { "team": "a" } },
    { "name": "untagged", "instance_type": "ml.x", "work": "3h", "max_runtime": "24h" },
    { "name": "slow", "instance_type": "ml.x", "work": "1h", "submit": "10m",
      "tags": { "team": "b" } } ] }
JSON

# `live.jsonc` observes the mock account.
configure() {
  cat >live.jsonc <<JSON
{ $common, "live": { "account": "123456789012", "region": "us-east-1", "queue": "$queue" },
  "platform": { "model": "sagemaker-training", "startup": "5m" } }
JSON
}
trap 'kill ${server:-} ${observer:-} 2>/dev/null || true' EXIT
proposals() {
  python3 - "$1" <<'PYTHON'
import json, sys
for row in json.load(open("stdout"))[1]["rows"]:
    at = row["time"] if sys.argv[1] == "exact" else row["time"][:15]
    print(at, row["training_job"], row["rule"], row["action"])
PYTHON
}
only_reads() {
  python3 - <<'PYTHON' || fail "a call changes the account: $(head calls.jsonl)"
import json, sys
reads = {"sts:GetCallerIdentity", "sagemaker:ListTrainingJobs", "sagemaker:DescribeTrainingJob",
         "sagemaker:ListTags", "sqs:ReceiveMessage", "sqs:DeleteMessageBatch",
         "sqs:GetQueueAttributes", "events:ListRuleNamesByTarget", "events:DescribeRule"}
made = {json.loads(line)["action"] for line in open("calls.jsonl")}
sys.exit(0 if made and made <= reads else str(made - reads))
PYTHON
}

# --- The decisions of the simulation.
run 0 export events world.jsonc -o events.jsonl
serve
run 0 --json live shadow live.jsonc --from events.jsonl
proposals exact >simulated.txt
[ "$(wc -l <simulated.txt)" -eq 2 ] || fail "the simulation decides otherwise: $(cat simulated.txt)"
run 0 --json live shadow live.jsonc --for 11h --out night
proposals exact >night.txt
proposals short | sort >by_queue.txt
python3 -c 'import sys
for line in open("simulated.txt"):
    at, rest = line.split(" ", 1)
    print(at[:15], rest, end="")' | sort | diff - by_queue.txt ||
  fail "the queue gives other decisions"
only_reads
# --- The record of the run: its events give the same decisions, and its log has them.
run 0 --json live shadow live.jsonc --from night/events.jsonl
proposals exact | diff night.txt - || fail "the events of the record give other decisions"
run 0 --json live log night
python3 -c 'import json
for row in json.load(open("stdout"))["rows"]:
    print(row["time"], row["training_job"], row["rule"], row["action"])' | diff night.txt - ||
  fail "the log lacks a proposal"
run 0 live log night --rule required_tags --job untagged
has stdout 'untagged'
run 0 live log night --job well
has stderr 'no proposals'
run 64 live log night --rule none
has stderr '--rule required_tags'
run 0 live status night
has stdout 'shadow: ended'
# The world itself is what the simulator predicts; another startup is a drift.
run 0 --json live drift night
python3 - <<'PYTHON' || fail "the prediction differs from the world"
import json
times, proposals = json.load(open("stdout"))
spent = {row["time"]: row for row in times["rows"]}
assert {"downloading", "training", "billed"} <= set(spent), spent
assert all(abs(row["difference_s"]) < 5 for row in spent.values()), spent
assert spent["training"]["jobs"] == 3 and spent["billed"]["observed_s"] > 7000, spent
rows = {(row["rule"], row["action"]): row for row in proposals["rows"]}
assert len(rows) == 2, rows
for row in rows.values():
    assert row["jobs"] == 1 and row["only_predicted"] == row["only_observed"] == 0, row
    assert abs(row["difference_s"]) < 60, row
PYTHON
sed -i 's/"startup": "5m"/"startup": "7m"/' night/configuration.jsonc
run 0 live drift night
has stdout '-2m00s'
# With a smaller fleet the simulator predicts a wait that did not happen.
sed -i 's/"capacity": 2/"capacity": 1/; s/"7m"/"5m"/' night/configuration.jsonc
run 0 --json live drift night
python3 - <<'PYTHON' || fail "the predicted wait is not shown"
import json
spent = {row["time"]: row for row in json.load(open("stdout"))[0]["rows"]}
assert abs(spent["training"]["difference_s"]) < 1, spent
assert any(row["difference_s"] < -1000 for row in spent.values()), spent
PYTHON
# Files beside the configuration are found again, and a piped configuration is kept.
mkdir conf
header=valid_from,region,service,market,instance_type,usd_per_hour,accelerators,managed
cat >conf/ours.csv <<CSV
$header,source,retrieved,confidence
2026-01-01,us-east-1,sagemaker,on_demand,ml.x,30,8,,ours,2026-02-20,list
CSV
sed 's/"prices": {.*/"prices": { "book": "ours.csv" },/' live.jsonc >conf/live.jsonc
run 0 live shadow conf/live.jsonc --from night/events.jsonl --out booked
run 0 live drift booked
has stdout 'rehearsal'
run 0 live shadow <(cat live.jsonc) --from night/events.jsonl --out piped
cmp live.jsonc piped/configuration.jsonc || fail "the configuration is lost"
# What was damaged is told, and nothing crashes.
cp -r night damaged
printf 'no event\n' >>damaged/events.jsonl
run 1 live drift damaged
has stdout 'partial: 1 line of the record could not be read'
for change in 's/"policy": "guardrails"/"policy": 0/' 's/"to": "2026/"to": "9999/' \
  's/"folder": ".*",/"folder": null,/' 's/"from": ".*",/"from": [],/'; do
  sed "$change" night/status.json >damaged/status.json
  run 64 live drift damaged
  has stderr 'status.json'
done
sed 's/"process": [0-9]*/"process": -1/; s/"ended"/"running"/' night/status.json \
  >damaged/status.json
run 1 live status damaged
has stdout 'shadow: killed'
for amount in 9.3e12 1e308 -1e308; do
  sed "s/\"saves_up_to_usd\":[0-9.]*/\"saves_up_to_usd\":$amount/" night/proposals.jsonl \
    >damaged/proposals.jsonl
  run 64 live log damaged
done
sed 's/"attempt":1/"attempt":-1/' night/proposals.jsonl >damaged/proposals.jsonl
run 64 live status damaged
rm damaged/proposals.jsonl
run 64 live log damaged
has stderr 'is missing'
run 64 live drift world.jsonc
run 64 live status world.jsonc
run 64 live shadow live.jsonc --for 1h --out night
has stderr 'no record is overwritten'
run 64 live shadow live.jsonc --for 1h --out other --journal x.journal
grep -q DeleteMessageBatch calls.jsonl || fail "no message is deleted"

# --- What was decided about is not received again: the queue is empty.
run 0 --json live shadow live.jsonc --for 30m
python3 -c 'import json
facts = " ".join(sum(json.load(open("stdout"))[0]["facts"], []))
assert "0 messages" in facts, facts'
closed

# --- Half of the events are lost, others come twice, and calls are throttled, fail or lose their
# reply: the same proposals, later by minutes at most.
serve --lost 0.5 --duplicated 0.5 --throttled 0.2 --failed 0.1 --cut 0.1
run 0 --json live shadow live.jsonc --for 11h
has stderr 'ThrottlingException'
proposals exact | cut -d' ' -f2- | sort >faulty.txt
cut -d' ' -f2- simulated.txt | sort | diff - faulty.txt || fail "faults change the decisions"
only_reads
closed

# --- The doctor finds nothing wrong, and what is wrong by name.
serve
run 0 live doctor live.jsonc
has stdout '123456789012, us-east-1'
has stdout '1 rule to the queue'
has stdout 'the configuration names no address'
lacks stdout '✗'
run 0 --json live doctor live.jsonc
is_json stdout
only_reads
AWS_SECRET_ACCESS_KEY=other run 4 live doctor live.jsonc
has stdout '✗'
has stdout 'InvalidSignatureException'
sed 's#/reeve"#/other"#' live.jsonc >other.jsonc
run 4 live doctor other.jsonc
has stdout 'QueueDoesNotExist'
has stdout 'check "queue"'
sed 's#, "queue": "[^"]*"##' live.jsonc >no-queue.jsonc
run 0 live doctor no-queue.jsonc
has stdout 'live shadow needs --from'
# Where messages go: it sends none, and shows no URL.
address='"slack": "https:\/\/hooks.example.com\/s3cr3t", "webhook": "env:REEVE_TEST_HOOK"'
sed "s/, \"queue\"/, \"notify\": { $address }&/" live.jsonc >told.jsonc
REEVE_TEST_HOOK=https://example.org/s3cr3t run 0 --json live doctor told.jsonc
has stdout 'the webhook at example.org, Slack at hooks.example.com'
lacks stdout s3cr3t
REEVE_TEST_HOOK=example.org/s3cr3t run 4 live doctor told.jsonc
lacks stdout s3cr3t
run 4 live doctor told.jsonc
has stdout 'REEVE_TEST_HOOK is not set'
only_reads
run 64 live doctor live.jsonc --for 1h
closed

# --- A plan of the mock account, at its time; a journal that does not fit costs no result.
serve
run 64 live plan live.jsonc --journal /dev/null
has stderr 'not a regular file'
status=0
(ulimit -f 0; "$REEVE" live shadow live.jsonc --for 1h --journal full.journal 2>&1) |
  cat >full.out || status=$?
[ $status -eq 1 ] || fail "a full disk: exit status $status: $(cat full.out)"
grep -q 'partial: the journal cannot be written' full.out || fail "no table: $(cat full.out)"
grep -q untagged full.out || fail "the proposals are lost: $(cat full.out)"
# What could not be recorded stays in the queue, and the record says that it failed.
(ulimit -f 4; "$REEVE" live shadow live.jsonc --for 11h --out small 2>&1) | cat >small.out || true
grep -q 'partial: cannot write' small.out || fail "a full disk: $(cat small.out)"
grep -q '"state": "failed"' small/status.json || fail "the record says: $(cat small/status.json)"
tail -n 1 calls.jsonl | grep -qv DeleteMessage || fail "messages are lost: $(tail -n 3 calls.jsonl)"
closed
serve
run 2 live plan live.jsonc --detailed-exitcode
has stdout 'untagged'
closed

# --- What is wrong has a message, and exit code 4.
serve
AWS_SECRET_ACCESS_KEY=other run 4 live shadow live.jsonc --for 1h
has stderr 'InvalidSignatureException'
sed 's#/reeve"#/other"#' live.jsonc >other.jsonc
run 4 live shadow other.jsonc --for 1h
has stderr 'check "queue"'
sed 's/123456789012", "region/111111111111", "region/' live.jsonc >account.jsonc
run 4 live shadow account.jsonc --for 1h
has stderr 'the credentials are of account 123456789012'
REEVE_CLOCK_URL=http://127.0.0.1:1/clock run 4 live shadow live.jsonc --for 1h
has stderr 'no clock at'
run 64 live shadow live.jsonc --for never
has stderr '--for 12h'

# --- In real time, Ctrl-C ends a poll that waits, with the table.
closed
serve --speed 1
status=0
# A poll waits for 20 s: without an end at the signal, the program is killed before its table.
timeout -k 5 -s INT 3 "$REEVE" live shadow live.jsonc >stdout 2>stderr || status=$?
[ $status -eq 124 ] || fail "Ctrl-C: exit status $status"
has stdout 'partial: interrupted'

# --- A record outlives a kill: what was proposed is in it.
"$REEVE" live shadow live.jsonc --out killed --status-port 0 >/dev/null 2>page.txt &
observer=$!
for _ in $(seq 100); do
  grep -qs untagged killed/proposals.jsonl && break
  sleep 0.1
done
run 0 live status killed
has stdout 'shadow: running'
python3 - "$(sed -n 's/^status page: //p' page.txt)" <<'PYTHON' || fail "the status page is wrong"
import json, sys, time, urllib.error, urllib.request
page = sys.argv[1]
def get(path, **more):
    return urllib.request.urlopen(urllib.request.Request(page + path, **more)).read().decode()
for _ in range(30):  # a step may be a poll away
    if "untagged" in get(""):
        break
    time.sleep(1)
assert "untagged" in get("") and "<pre>" in get(""), get("")
rules, proposals = json.loads(get("status.json"))
assert proposals["rows"][0]["training_job"] == "untagged", proposals
for refused in [{"headers": {"Host": "attacker.example"}}, {"method": "POST", "data": b""}]:
    try:
        get("", **refused)
        raise SystemExit("the request is answered")
    except urllib.error.HTTPError as error:
        assert error.code in (403, 405), error
PYTHON
kill -9 "$observer"
wait "$observer" 2>/dev/null || true
observer=
printf '{"time":"2026-0' >>killed/proposals.jsonl # half a line
run 1 live status killed
has stdout 'shadow: killed'
run 0 live log killed
has stdout 'untagged'

# --- botocore reads what the mock account answers, and its signatures are accepted.
python3 -c 'import botocore' 2>/dev/null || {
  echo "skipped: botocore is not installed"
  closed
  done_checking
  exit
}
closed
serve
python3 - "$queue" <<'PYTHON' || fail "botocore does not agree with the mock account"
import sys
import urllib.request
import os
import botocore.session
from botocore.config import Config
from botocore.exceptions import ClientError
import botocore.auth
import datetime

# The mock account lives in March: botocore signs with its own clock, so that clock is moved.
def now():
    reply = urllib.request.urlopen(os.environ["REEVE_CLOCK_URL"])
    return datetime.datetime.fromtimestamp(int(reply.read()) / 1e9, datetime.timezone.utc)

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
session = botocore.session.Session()
config = Config(retries={"max_attempts": 1, "mode": "standard"})
# The botocore of Debian 12 does not read AWS_ENDPOINT_URL.
client = lambda name: session.create_client(
    name, config=config, endpoint_url=os.environ["AWS_ENDPOINT_URL"])
assert client("sts").get_caller_identity()["Account"] == "123456789012"
sagemaker = client("sagemaker")
sqs = client("sqs")
if sqs.meta.service_model.metadata["protocol"] == "query":
    print("skipped: this botocore speaks the Query protocol to SQS")
else:
    got = []
    while len(got) < 30:
        some = sqs.receive_message(QueueUrl=sys.argv[1], MaxNumberOfMessages=10,
                                   WaitTimeSeconds=20).get("Messages", [])
        got += some
        if some:
            done = sqs.delete_message_batch(QueueUrl=sys.argv[1], Entries=[
                {"Id": str(at), "ReceiptHandle": each["ReceiptHandle"]}
                for at, each in enumerate(some)])
            assert len(done["Successful"]) == len(some), done
        elif got:
            break
    assert got and all(each["Body"].startswith("{") for each in got)
    assert sqs.get_queue_attributes(
        QueueUrl=sys.argv[1], AttributeNames=["All"])["Attributes"]["QueueArn"]
    try:
        sqs.receive_message(QueueUrl=sys.argv[1] + "-other")
        raise SystemExit("another queue is accepted")
    except sqs.exceptions.QueueDoesNotExist:
        pass
listed = sagemaker.list_training_jobs(MaxResults=2)
names = [job["TrainingJobName"] for page in
         sagemaker.get_paginator("list_training_jobs").paginate(PaginationConfig={"PageSize": 1})
         for job in page["TrainingJobSummaries"]]
assert sorted(names)[:1] and len(set(names)) == len(names), names
job = sagemaker.describe_training_job(TrainingJobName=names[0])
assert job["CreationTime"].year == 2026 and job["ResourceConfig"]["InstanceType"] == "ml.x", job
tags = sagemaker.list_tags(ResourceArn=job["TrainingJobArn"])["Tags"]
assert all(set(tag) == {"Key", "Value"} for tag in tags)
running = [name for name in names
           if sagemaker.describe_training_job(TrainingJobName=name)["TrainingJobStatus"]
           == "InProgress"]
for name in running[:1]:
    sagemaker.stop_training_job(TrainingJobName=name)
    stopped = sagemaker.describe_training_job(TrainingJobName=name)
    assert stopped["TrainingJobStatus"] == "Stopping", stopped
for call, code in [(lambda: sagemaker.describe_training_job(TrainingJobName="none"),
                    "ValidationException"),
                   (lambda: sagemaker.stop_training_job(TrainingJobName="none"),
                    "ValidationException"),
                   (lambda: sagemaker.stop_training_job(TrainingJobName=(running or names)[0]),
                    "ValidationException"),
                   (lambda: sagemaker.delete_model(ModelName="model"), "AccessDeniedException")]:
    try:
        call()
        raise SystemExit("the call is accepted")
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
PYTHON
closed
done_checking
