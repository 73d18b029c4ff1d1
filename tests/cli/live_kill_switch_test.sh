#!/usr/bin/env bash
# The kill switch of reeve live run, tick and enforce: a parameter of SSM, and a tag of the queue.
source "$(dirname "$0")/expect.bash"
source "$source_root/tests/cli/mock_account.bash"
export XDG_STATE_HOME=$PWD/state
trap 'kill -9 ${server:-} 2>/dev/null || true' EXIT

# Jobs run for a day; the rule wants a tag that none has.
cat >world.jsonc <<'JSON'
{ "reeve": 1, "clock": { "start": "2026-03-02T00:00:00Z", "horizon": "48h" },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 40 } ],
  "jobs": [ { "name": "a", "work": "24h" }, { "name": "b", "work": "24h" },
            { "name": "c", "work": "24h", "submit": "9h" } ],
  "policies": { "watch": [ { "rule": "required_tags", "keys": ["team"] } ] } }
JSON
configure() {
  cat >guardrails.jsonc <<JSON
{ "reeve": 1,
  "live": { "account": "123456789012", "region": "us-east-1", "queue": "$queue"${live:-} },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 40 } ],
  "policies": { "guardrails": [ { "rule": "required_tags", "keys": ["team"] } ] } }
JSON
}
# put VALUE, tag, untag: the two switches of the account.
put() {
  python3 "$source_root/tests/cli/mock_call.py" ssm AmazonSSM.PutParameter \
    "{\"Name\": \"/reeve/switch\", \"Value\": \"$1\", \"Overwrite\": true}" >put
}
tag() {
  python3 "$source_root/tests/cli/mock_call.py" sqs AmazonSQS.TagQueue \
    "{\"QueueUrl\": \"$queue\", \"Tags\": {\"reeve:stop\": \"ann\"}}" >tagged
}
untag() {
  python3 "$source_root/tests/cli/mock_call.py" sqs AmazonSQS.UntagQueue \
    "{\"QueueUrl\": \"$queue\", \"TagKeys\": [\"reeve:stop\"]}" >untagged
}
stops() {
  grep -c '"action":"sagemaker:StopTrainingJob"' calls.jsonl || true
}
looks() {
  grep -c "\"action\":\"$1\"" calls.jsonl || true
}
expect_stops() {
  [ "$(stops)" = "$1" ] || fail "$2: $(stops) stops, not $1"
  checks=$((checks + 1))
}

# A parameter that is missing, or has another value than run, holds everything; so does a tag.
live=', "kill_parameter": "/reeve/switch", "kill_tag": "reeve:stop"'
serve
run 0 live run guardrails.jsonc --for 30m
expect_stops 0 "a missing parameter"
[ "$(grep -c 'ssm:GetParameter failed: ParameterNotFound' stderr)" = 1 ] || fail "not one complaint"
has stderr 'nothing is sent until the kill switch can be read'
run 4 live doctor guardrails.jsonc
has stdout 'ParameterNotFound'
put halt
before=$(looks ssm:GetParameter)
run 0 live run guardrails.jsonc --for 10m
expect_stops 0 "the value halt"
lacks stderr 'failed'
# Each switch is looked at once per ten seconds at most.
looked=$(($(looks ssm:GetParameter) - before))
[ "$looked" -ge 20 ] && [ "$looked" -le 61 ] || fail "the parameter was looked at $looked times"
run 0 live tick guardrails.jsonc
expect_stops 0 "a tick with the value halt"
run 0 live plan guardrails.jsonc --out plan.json
run 5 live enforce plan.json
has stderr 'refused: the parameter /reeve/switch is not run'
expect_stops 0 "a plan with the value halt"
put run
tag
run 0 live tick guardrails.jsonc
expect_stops 0 "a tick with the tag"
run 5 live enforce plan.json
has stderr 'refused: the queue has the tag reeve:stop'
run 0 live run guardrails.jsonc --for 10m
expect_stops 0 "the tag"
untag

# Without either the rules act.
run 0 live run guardrails.jsonc --for 10m
expect_stops 2 "no switch"
closed

# Without the permission to look nothing is sent; a daemon acts once the switch is released.
rm -rf state
serve --deny sqs:ListQueueTags
put run
run 0 live run guardrails.jsonc --for 10m
expect_stops 0 "a tag that may not be read"
has stderr 'allow the credentials the action sqs:ListQueueTags'
closed
rm -rf state
live=', "kill_parameter": "/reeve/switch"' serve --speed 600
put halt
"$REEVE" live run guardrails.jsonc --for 3h >run.out 2>run.err &
daemon=$!
sleep 3
expect_stops 0 "the value halt"
put run
wait "$daemon" || fail "the daemon ends with an error: $(cat run.err)"
[ "$(stops)" -ge 2 ] || fail "the rules do not act after the release"
closed

# The permissions; a name that is none.
queue=https://sqs.us-east-1.amazonaws.com/123456789012/reeve
live=
configure
run 0 live iam guardrails.jsonc
lacks stdout 'ssm:GetParameter'
live=', "kill_parameter": "/reeve/switch", "kill_tag": "reeve:stop"'
configure
run 0 live iam guardrails.jsonc
has stdout 'ssm:GetParameter'
has stdout 'arn:aws:ssm:us-east-1:123456789012:parameter/reeve/switch'
has stdout 'sqs:ListQueueTags'
run 0 live template guardrails.jsonc
has stdout 'ssm:GetParameter'
live=', "kill_parameter": "stop all"'
configure
run 3 check guardrails.jsonc
has stdout 'E0376'
done_checking
