#!/usr/bin/env bash
# reeve live iam and reeve live template: the least permissions that the rules of a live
# configuration need, and a queue that gets the events of an account.
source "$(dirname "$0")/expect.bash"

# configuration LIVE RULES: a live configuration with these keys and rules, on stdout.
configuration() {
  cat <<JSON
{ "reeve": 1, "live": { $1 },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 8 } ],
  "policies": { "guardrails": [ $2 ] } }
JSON
}
place='"account": "111122223333", "region": "us-east-1"'
sqs=https://sqs.us-east-1.amazonaws.com/111122223333/reeve
stops='{ "rule": "required_tags", "keys": ["team"] }'
tells='{ "rule": "startup_limit", "limit": "1h", "action": "notify" }'
resumes='{ "rule": "resume" }'
watches='{ "rule": "stalled_gpu" }'
sweeps='{ "rule": "orphan_sweep", "instances": false, "gangs": false }'
mode() { sed "s/{ \"rule\"/{ \"mode\": \"$1\", \"rule\"/" <<<"$2"; }

sns=arn:aws:sns:us-east-1:111122223333:alerts
to_sns="\"notify\": { \"sns\": \"$sns\" }"
configuration "$place, \"queue\": \"$sqs\", $to_sns" "$stops, $tells" >queue.jsonc
configuration "" "$resumes, $watches" >any.jsonc
configuration "$place, \"notify\": { \"slack\": \"env:REEVE_SLACK\" }" "$tells" >tells.jsonc
configuration "$place" "$sweeps" >sweeps.jsonc
configuration "$place" "$(mode shadow "$stops"), $(mode off "$resumes")" >shadow.jsonc
configuration "$place, $to_sns" "$(mode warn "$watches")" >warn.jsonc
configuration "$place, $to_sns" "$(mode shadow "$tells")" >quiet.jsonc
configuration '"region": "cn-north-1", "queue":
  "https://sqs.cn-north-1.amazonaws.com.cn/111122223333/reeve"' "$stops" >china.jsonc
configuration '"region": "us-gov-west-1", "queue": "http://localhost:4566/a/444455556666/reeve/"' \
  "$stops" >gov.jsonc
configuration "\"queue\": \"$sqs\"" "$stops" >queue_only.jsonc

for file in queue any tells sweeps shadow warn quiet china gov queue_only; do
  run 0 live iam $file.jsonc
  mv stdout $file.iam
  run 0 live iam $file.jsonc --enforce
  mv stdout $file.enforce
  run 0 live template $file.jsonc
  mv stdout $file.template
  is_json $file.template
done
run 0 live iam queue.jsonc -p guardrails
cmp stdout queue.iam || fail "the same configuration gives another policy"
run 0 live template queue.jsonc
cmp stdout queue.template || fail "the same configuration gives another template"

python3 - <<'PYTHON'
import json

READ = {"sagemaker:ListTrainingJobs", "sagemaker:DescribeTrainingJob", "sagemaker:ListTags"}
RECEIVE = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes",
           "events:ListRuleNamesByTarget", "events:DescribeRule"}
METRICS = {"cloudwatch:GetMetricData"}
STOP = {"sagemaker:StopTrainingJob", "batch:TerminateServiceJob", "batch:DescribeServiceJob",
        "batch:ListServiceJobs", "batch:DescribeJobQueues"}
CLONE = {"sagemaker:CreateTrainingJob", "sagemaker:AddTags", "iam:PassRole"}
TELL = {"sns:Publish"}


def policy(name):
    with open(name, encoding="utf-8") as file:
        text = file.read()
    document = json.loads(text)
    assert text == json.dumps(document, indent=2) + "\n", f"{name} is not indented by 2"
    check(document, name)
    return document


def check(document, name):
    assert list(document) == ["Version", "Statement"], name
    assert document["Version"] == "2012-10-17", name
    sids = [row["Sid"] for row in document["Statement"]]
    assert len(set(sids)) == len(sids) and all(sid.isalnum() for sid in sids), sids
    for row in document["Statement"]:
        assert row["Effect"] == "Allow" and row["Action"], row
        assert not any("*" in action for action in row["Action"]), row
        may_be_any = {"sagemaker:ListTrainingJobs", "events:ListRuleNamesByTarget",
                      "events:DescribeRule",  # of these only this one could name its resource
                      "cloudwatch:GetMetricData", "batch:DescribeServiceJob",
                      "batch:ListServiceJobs", "batch:DescribeJobQueues"}
        assert row["Resource"] != "*" or set(row["Action"]) <= may_be_any, row


def actions(document):
    every = [action for row in document["Statement"] for action in row["Action"]]
    assert len(set(every)) == len(every), every
    return set(every)


def resource(document, action):
    return next(row["Resource"] for row in document["Statement"] if action in row["Action"])


# --- What reads. SQS needs DeleteMessage to take a message; nothing else changes anything.
for name in ["tells", "sweeps", "shadow", "quiet"]:
    assert actions(policy(name + ".iam")) == READ, name
for name in ["any", "warn"]:  # their rules act on alarms
    assert actions(policy(name + ".iam")) == READ | METRICS, name
for name in ["queue", "china", "gov", "queue_only"]:
    assert actions(policy(name + ".iam")) == READ | RECEIVE, name
ARNS = {
    "queue": ("arn:aws:sagemaker:us-east-1:111122223333:training-job/*",
              "arn:aws:sqs:us-east-1:111122223333:reeve"),
    "china": ("arn:aws-cn:sagemaker:cn-north-1:*:training-job/*",
              "arn:aws-cn:sqs:cn-north-1:111122223333:reeve"),
    "gov": ("arn:aws-us-gov:sagemaker:us-gov-west-1:*:training-job/*",
            "arn:aws-us-gov:sqs:us-gov-west-1:444455556666:reeve"),
    "queue_only": ("arn:aws:sagemaker:*:*:training-job/*",
                   "arn:aws:sqs:us-east-1:111122223333:reeve")}
for name, (jobs, queue) in ARNS.items():
    document = policy(name + ".iam")
    assert resource(document, "sagemaker:DescribeTrainingJob") == jobs, document
    assert resource(document, "sagemaker:ListTags") == jobs, document
    assert resource(document, "sqs:ReceiveMessage") == queue, document
assert resource(policy("any.iam"), "sagemaker:ListTags") == "arn:aws:sagemaker:*:*:training-job/*"

# --- What acts: only what the rules do in their modes.
ACTS = {"queue": RECEIVE | STOP | TELL, "any": METRICS | CLONE | STOP, "tells": set(),
        "sweeps": set(), "shadow": set(), "quiet": set(),
        "warn": METRICS | TELL, "china": RECEIVE | STOP, "gov": RECEIVE | STOP,
        "queue_only": RECEIVE | STOP}
every = set()
for name, more in ACTS.items():
    document = policy(name + ".enforce")
    assert actions(document) == READ | more, (name, actions(document))
    begin = policy(name + ".iam")["Statement"]
    assert document["Statement"][:len(begin)] == begin, name
    every |= actions(document)
assert every == READ | METRICS | RECEIVE | STOP | CLONE | TELL, every
document = policy("any.enforce")
roles = next(row for row in document["Statement"] if "iam:PassRole" in row["Action"])
assert roles["Resource"] == "arn:aws:iam::*:role/*", roles
assert roles["Condition"] == {
    "StringEquals": {"iam:PassedToService": "sagemaker.amazonaws.com"}}, roles
for name, place in [("queue", "aws:batch:us-east-1:111122223333"),
                    ("china", "aws-cn:batch:cn-north-1:*")]:
    ended = resource(policy(name + ".enforce"), "batch:TerminateServiceJob")
    assert ended == f"arn:{place}:service-job/*", ended
# A message needs a permission only if it goes to a topic, and only for that one.
for name in ["queue", "warn"]:
    assert resource(policy(name + ".enforce"), "sns:Publish") == \
        "arn:aws:sns:us-east-1:111122223333:alerts"

# --- Actions are operations of the services. PassRole alone is none: CreateTrainingJob asks for it.
try:
    import botocore.session
except ImportError:
    print("python3 has no botocore: names of actions were not checked")
else:
    session = botocore.session.get_session()
    for action in every - {"iam:PassRole"}:
        service, operation = action.split(":")
        known = session.get_service_model(service).operation_names
        assert operation in known, action
    # SageMaker cannot lower the limit of a job: a rule that does needs no permission.
    update = session.get_service_model("sagemaker").operation_model("UpdateTrainingJob")
    assert "StoppingCondition" not in update.input_shape.members, "limit_runtime has a call now"


# --- The template.
def template(name):
    with open(name + ".template", encoding="utf-8") as file:
        made = json.load(file)
    of = {}
    for key, row in made["Resources"].items():
        of.setdefault(row["Type"], {})[key] = row["Properties"]
    return made, of


made, of = template("queue")
assert sorted(of) == ["AWS::Events::Rule", "AWS::IAM::ManagedPolicy", "AWS::SQS::Queue",
                      "AWS::SQS::QueuePolicy"], sorted(of)
queues = of["AWS::SQS::Queue"]
main = made["Outputs"]["QueueUrl"]["Value"]["Ref"]
dead = made["Outputs"]["DeadLetterQueueUrl"]["Value"]["Ref"]
assert {main, dead} == set(queues) and main != dead
arn = {"Fn::GetAtt": [main, "Arn"]}
assert queues[main] == {
    "QueueName": "reeve", "MessageRetentionPeriod": 14 * 86400, "VisibilityTimeout": 30,
    "SqsManagedSseEnabled": True,
    "RedrivePolicy": {"deadLetterTargetArn": {"Fn::GetAtt": [dead, "Arn"]}, "maxReceiveCount": 5}}
assert queues[dead] == {"MessageRetentionPeriod": 14 * 86400, "SqsManagedSseEnabled": True}
rules = of["AWS::Events::Rule"]
patterns = [rule["EventPattern"] for rule in rules.values()]
assert patterns == [
    {"source": ["aws.sagemaker"], "detail-type": ["SageMaker Training Job State Change"]},
    {"source": ["aws.sagemaker"], "detail-type": ["AWS API Call via CloudTrail"],
     "detail": {"eventSource": ["sagemaker.amazonaws.com"], "eventName": ["CreateTrainingJob"]}},
    {"source": ["aws.batch"], "detail-type": ["Batch Service Job State Change"]},
    {"source": ["reeve.training"], "detail-type": ["Training Report"]}], patterns
assert all([target["Arn"] for target in rule["Targets"]] == [arn] for rule in rules.values())
(access,) = of["AWS::SQS::QueuePolicy"].values()
assert access["Queues"] == [{"Ref": main}]
(send,) = access["PolicyDocument"]["Statement"]
assert send["Principal"] == {"Service": "events.amazonaws.com"}, send
assert send["Action"] == "sqs:SendMessage" and send["Resource"] == arn, send
assert send["Condition"] == {"ArnEquals": {
    "aws:SourceArn": [{"Fn::GetAtt": [rule, "Arn"]} for rule in rules]}}, send
(reader,) = of["AWS::IAM::ManagedPolicy"].values()
check(reader["PolicyDocument"], "template")
assert actions(reader["PolicyDocument"]) == READ | RECEIVE
assert resource(reader["PolicyDocument"], "sqs:ReceiveMessage") == arn
assert resource(reader["PolicyDocument"], "sagemaker:ListTags") == ARNS["queue"][0]
assert made["Outputs"]["PolicyArn"]["Value"]["Ref"] in of["AWS::IAM::ManagedPolicy"]

# Without a queue in the configuration AWS names it, and the stack knows account and region.
_, of = template("any")
assert all("QueueName" not in queue for queue in of["AWS::SQS::Queue"].values())
(reader,) = of["AWS::IAM::ManagedPolicy"].values()
assert resource(reader["PolicyDocument"], "sagemaker:ListTags") == {"Fn::Sub":
    "arn:${AWS::Partition}:sagemaker:${AWS::Region}:${AWS::AccountId}:training-job/*"}, reader
PYTHON
checks=$((checks + 1))

# --- What orphans and down need: an instance without a tag cannot be terminated.
run 0 live iam queue.jsonc --clean-up
python3 - <<'PYTHON' || fail "the permissions of a clean-up are others"
import json
base = json.load(open("queue.iam"))["Statement"]
rows = json.load(open("stdout"))["Statement"]
assert rows[:len(base)] == base, rows
more = {row["Sid"]: row for row in rows[len(base):]}
arn = "arn:aws:ec2:us-east-1:111122223333:instance/*"
assert more["ListAlarmsAndInstances"]["Resource"] == "*", more
assert more["DeleteAlarms"]["Resource"] == "arn:aws:cloudwatch:us-east-1:111122223333:alarm:*"
ends = {row["Resource"]: row["Action"] for row in more.values() if "Condition" in row}
assert ends == {arn: ["ec2:TerminateInstances"]}, more
tags = [row["Condition"] for row in more.values() if "Condition" in row]
assert tags == [{"Null": {"aws:ResourceTag/" + tag: "false"}}
                for tag in ["JOB_ID", "reeve:created-by"]], tags
PYTHON
checks=$((checks + 1))

# --- What a rule does without a call of AWS is told.
configuration "$place" '{ "rule": "max_runtime", "limit": "9h" }' >limit.jsonc
run 0 live iam limit.jsonc --enforce
has stderr 'SageMaker has no call for limit_runtime'
lacks stdout UpdateTrainingJob

# --- What does not fit.
run 0 init stalled-weekend -o scenario.jsonc
for word in iam template; do
  run 64 live $word scenario.jsonc
  has stderr 'is a scenario, not a live configuration'
  for option in '--from -' '--out x' '--journal x' --detailed-exitcode; do
    # shellcheck disable=SC2086 # an option and its value
    run 64 live $word queue.jsonc $option
    has stderr "are no options of live $word"
  done
  run 64 live $word queue.jsonc -p other
  has stderr '"other"'
  for url in http://localhost/reeve https://sqs.us-east-1.amazonaws.com/me/reeve \
    'https://sqs.us-east-1.amazonaws.com/111122223333/*'; do
    configuration "\"queue\": \"$url\"" "$stops" >bad.jsonc
    run 64 live $word bad.jsonc
    has stderr 'is not the URL of an SQS queue'
    is_empty stdout
  done
done
for word in template plan 'shadow --from -'; do
  # shellcheck disable=SC2086 # a word and an option
  run 64 live $word queue.jsonc --enforce
  has stderr '--enforce is an option of live iam'
done
configuration "\"queue\": \"$sqs.fifo\"" "$stops" >fifo.jsonc
run 64 live template fifo.jsonc
has stderr 'is a FIFO queue'
run 0 live iam fifo.jsonc
has stdout ':111122223333:reeve.fifo"'
done_checking
