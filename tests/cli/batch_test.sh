#!/usr/bin/env bash
# reeve export batch: queues of scenarios as CloudFormation and as calls, and what is refused; reeve
# import batch: back again.
source "$(dirname "$0")/expect.bash"

schedule=$source_root/tests/rules/schedule
run 0 export --help
has stdout 'reeve export batch'

# Quota shares: types for fleets, the borrow limit only where something is borrowed.
run 0 export batch "$schedule/aws-notebook.jsonc"
lacks stderr W0580
python3 -c '
import json
made = json.load(open("stdout"))["Resources"]
def of(kind):
    return [each["Properties"] for each in made.values() if each["Type"] == "AWS::Batch::" + kind]
limit = lambda count: [{"MaxCapacity": count, "CapacityUnit": "ml.p4d.24xlarge"}]
(environment,), (queue,) = of("ServiceEnvironment"), of("JobQueue")
(policy,) = of("SchedulingPolicy")
assert environment["CapacityLimits"] == limit(3), environment
assert environment["ServiceEnvironmentType"] == "SAGEMAKER_TRAINING", environment
assert policy["QuotaSharePolicy"] == {"IdleResourceAssignmentStrategy": "FIFO"}, policy
assert queue["SchedulingPolicyArn"] == {"Ref": "SchedulingPolicy1"}, queue
assert queue["ServiceEnvironmentOrder"] == [
    {"Order": 1, "ServiceEnvironment": {"Ref": "ServiceEnvironment1"}}], queue
first, second, third = of("QuotaShare")
assert first["ResourceSharingConfiguration"] == {"Strategy": "LEND_AND_BORROW", "BorrowLimit": 200}
assert second["ResourceSharingConfiguration"] == {"Strategy": "LEND"}, second
assert third["ResourceSharingConfiguration"] == {"Strategy": "RESERVE"}, third
assert first["PreemptionConfiguration"] == {"InSharePreemption": "ENABLED"}, first
assert second["PreemptionConfiguration"] == {"InSharePreemption": "DISABLED"}, second
assert all(share["CapacityLimits"] == limit(1) for share in (first, second, third))
assert all(share["JobQueue"] == {"Ref": "JobQueue1"} for share in (first, second, third))
' || fail "the notebook's queue"

# How long a queue lets jobs wait.
run 0 export batch "$schedule/runnable-limit.jsonc" -p fifo
[ "$(grep -c JobStateTimeLimitActions stdout)" -eq 1 ] || fail "one of two queues has a limit"
python3 -c '
import json
made = json.load(open("stdout"))["Resources"].values()
queues = {each["Properties"]["JobQueueName"]: each["Properties"] for each in made
          if each["Type"] == "AWS::Batch::JobQueue"}
assert queues["impatient"]["JobStateTimeLimitActions"] == [{
    "Reason": "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY", "State": "RUNNABLE",
    "MaxTimeSeconds": 3600, "Action": "TERMINATE"}], queues
' || fail "the limit"
sed 's/"runnable_limit": "1h"/"runnable_limit": "5m"/' "$schedule/runnable-limit.jsonc" >short.jsonc
run 3 export batch short.jsonc -p fifo
has stderr 'E0352'
has stderr 'allowed: 10 minutes to 24 hours, in whole seconds'

# What AWS Batch would refuse: six limits of an environment, be it stated or that of the fleets, and
# a queue whose policy would be called by more than 128 characters.
python3 - <<'PYTHON'
import json
types = ["p4d.24xlarge", "p5.48xlarge", "g5.48xlarge", "g6.48xlarge", "trn1.32xlarge",
         "g4dn.xlarge"]
names = [f"f{place}" for place in range(6)]
scenario = {
    "reeve": 1, "name": "six",
    "prices": {"instances": {f"ml.{each}": {"usd_per_hour": 30, "gpus": 8} for each in types}},
    "fleet": [{"name": name, "instance_type": f"ml.{each}", "capacity": 4}
              for name, each in zip(names, types)],
    "environments": [{"name": "e", "limits": {name: 4 for name in names}}],
    "shares": [{"name": "a", "quota": {name: 2 for name in names[:3]}},
               {"name": "b", "quota": {name: 2 for name in names[3:]}}],
    "queues": [{"name": "q" * 122, "fleet": "f0", "shares": ["a", "b"], "environment": "e"}],
    "jobs": [{"name": "j", "queue": "q" * 122, "share": "a", "work": "1h"}],
    "policies": {"quota": [{"rule": "schedule", "algorithm": "quota"}]}}
json.dump(scenario, open("six.jsonc", "w"), indent=1)
scenario["queues"][0].pop("environment")
scenario.pop("environments")
json.dump(scenario, open("six-fleets.jsonc", "w"), indent=1)
PYTHON
run 3 export batch six.jsonc
has stderr 'E0352'
has stderr 'environment "e" has 6 capacity limits'
has stderr 'is too long'
run 3 export batch six-fleets.jsonc
has stderr 'environment "six" has 6 capacity limits'

# Which policy decides what becomes of the shares, and what is lost is said.
run 64 export batch "$schedule/lowered-quota.jsonc"
has stderr 'the scenario has several policies: choose one'
has stderr '-p quota, -p when-wanted'
run 64 export batch "$schedule/lowered-quota.jsonc" -p quota -p when-wanted
has stderr 'this command takes one policy'
run 0 -v export batch "$schedule/lowered-quota.jsonc" -p when-wanted
has stderr 'W0580'
has stderr 'a quota change is omitted'
has stderr '"lowered_quota" is omitted'

# So is whatever governs the jobs beside their queues, where it stands; what is off does nothing.
cat >governed.jsonc <<'JSON'
{ "reeve": 1, "name": "governed",
  "prices": { "instances": { "ml.p4d.24xlarge": { "usd_per_hour": 30, "gpus": 8 } } },
  "fleet": [ { "name": "p", "instance_type": "ml.p4d.24xlarge", "capacity": 10 } ],
  "platform": { "model": "ideal" }, "queues": [ { "name": "main", "fleet": "p" } ],
  "jobs": [ { "name": "a", "work": "1h", "queue": "main" } ],
  "guards": { "actions_per_hour": 9 },
  "alerts": [ { "name": "slow", "watch": "job_wait", "above": "1h" } ],
  "policies": {
    "watched": [ { "rule": "schedule", "mode": "warn" } ],
    "plain": [ { "rule": "schedule", "retry_after": "1m" } ],
    "capped": [ { "rule": "schedule", "retry_after": "5m" },
                { "rule": "max_runtime", "name": "cap", "limit": "1h" },
                { "rule": "min_gpu", "min_pct": 5, "mode": "off" } ] } }
JSON
run 0 export batch governed.jsonc -p capped
has stderr 'warning[W0580]: "retry_after" is omitted'
has stderr '--> governed.jsonc:11:54'
has stderr 'warning[W0580]: the rule "cap" is omitted'
has stderr '--> governed.jsonc:12:27'
has stderr 'warning[W0580]: the rule "slow" is omitted'
has stderr '--> governed.jsonc:7:15'
has stderr 'warning[W0580]: guards are omitted'
lacks stderr 'min_gpu'
run 0 export batch governed.jsonc -p watched
has stderr 'warning[W0580]: "mode" is omitted'
sed -e '/"guards"/d' -e '/"alerts"/d' -e '/"watched"/d' governed.jsonc >plain.jsonc
run 0 export batch plain.jsonc -p plain
is_empty stderr

# As calls: names for references, but an ARN where the API takes nothing else.
run 64 export batch "$schedule/aws-notebook.jsonc" --format cli
has stderr '--region us-east-1 --account 123456789012'
for region in 'us east' us-east us--east-1 US-east-1 us-east-1a 1; do
  run 64 export batch "$schedule/aws-notebook.jsonc" --format cli --region "$region" \
    --account 123456789012
  has stderr 'is not an AWS region'
done
for account in abc 12345678901 1234567890123 12345678901x; do
  run 64 export batch "$schedule/aws-notebook.jsonc" --format cli --region us-gov-west-1 \
    --account "$account"
  has stderr '12 digits'
done
run 0 export batch "$schedule/aws-notebook.jsonc" --format cli --region us-gov-west-1 \
  --account 123456789012
has stdout 'arn:aws-us-gov:batch:us-gov-west-1:123456789012:'
run 0 export batch "$schedule/aws-notebook.jsonc" --format cli \
  --region us-east-1 --account 123456789012 -o calls
has stderr 'aws batch create-service-environment --cli-input-json'
python3 -c '
import json, os
names = sorted(os.listdir("calls"))
assert [name[3:].rsplit("-", 1)[0] for name in names][0] == "create-service-environment-aws", names
queue = json.load(open("calls/03-create-job-queue-main.json"))
assert queue["schedulingPolicyArn"] == (
    "arn:aws:batch:us-east-1:123456789012:scheduling-policy/main-policy"), queue
share = json.load(open("calls/04-create-quota-share-QS1.json"))
assert share["jobQueue"] == "main" and share["quotaShareName"] == "QS1", share
' || fail "the calls"

# Fair share has weights alone, and counts all types together.
sed -e 's/"algorithm": "quota"/"algorithm": "fair_share", "share_decay": "1h"/' \
  -e 's/"name": "QS3"/"weight": 0.125, "name": "QS3"/' "$schedule/aws-notebook.jsonc" >fair.jsonc
run 0 export batch fair.jsonc -o fair.json
python3 -c '
import json
made = json.load(open("fair.json"))["Resources"]
policy = made["SchedulingPolicy1"]["Properties"]["FairsharePolicy"]
assert policy["ShareDecaySeconds"] == 3600 and policy["ComputeReservation"] == 0, policy
assert policy["ShareDistribution"][2] == {"ShareIdentifier": "QS3", "WeightFactor": 0.125}, policy
limits = made["ServiceEnvironment1"]["Properties"]["CapacityLimits"]
assert limits == [{"MaxCapacity": 3, "CapacityUnit": "NUM_INSTANCES"}], limits
assert "QuotaShare1" not in made
' || fail "fair share"
# A file that a user wrote is not overwritten.
echo mine >mine.json
run 64 export batch fair.jsonc -o mine.json
run 0 export batch fair.jsonc -o fair.json

# What AWS Batch has not is refused where it stands.
sed 's/"algorithm": "quota"/"algorithm": "drf"/' "$schedule/aws-notebook.jsonc" >drf.jsonc
run 3 export batch drf.jsonc
has stderr 'error[E0350]: AWS Batch has no algorithm "drf"'
has stderr '--> drf.jsonc:'
sed -e 's/"QS2"/"QS.2"/g' -e '/share.QS2/d' "$schedule/aws-notebook.jsonc" >named.jsonc
run 3 export batch named.jsonc
has stderr 'error[E0351]: AWS Batch rejects the name "QS.2"'
sed 's/ml.p4d.24xlarge/p4d.24xlarge/g' "$schedule/aws-notebook.jsonc" >typed.jsonc
run 3 export batch typed.jsonc
has stderr 'error[E0353]: "p4d.24xlarge" is not a SageMaker instance type'
run 0 init stalled-weekend
run 3 export batch stalled-weekend.jsonc -p none
has stderr 'E0354'

# Back again: what is imported is checked without a word, and exports to the same bytes.
run 0 import --help
has stdout 'queues of AWS Batch, as a scenario'
run 0 export batch "$schedule/aws-notebook.jsonc" -o notebook.json
run 0 import batch notebook.json
has stdout 'aws-notebook'
has stderr 'nothing was written'
has stderr 'next: reeve import batch notebook.json -o OUT.jsonc'
run 0 import batch notebook.json -o notebook.jsonc
has stderr 'FILL IN and CHECK mark what AWS Batch does not state'
has stderr 'next: reeve check notebook.jsonc'
has notebook.jsonc '"name": "aws-notebook",'
has notebook.jsonc '// FILL IN: one example job per queue or share.'
run 0 check notebook.jsonc
has stdout '0 errors, 0 warnings'
run 0 run notebook.jsonc
run 0 export batch notebook.jsonc -o again.json
cmp notebook.json again.json || fail "another template"
place='--region us-east-1 --account 123456789012'
run 0 import batch calls/*.json --name back -o back.jsonc
has back.jsonc '"name": "back",'
run 0 export batch back.jsonc --format cli $place -o calls-again
diff -r calls calls-again || fail "other calls"
# The list of calls on stdout is one file.
run 0 export batch back.jsonc --format cli $place
mv stdout calls.json
run 0 import batch calls.json --name back -o back.jsonc
# A share of a queue that is not asked for needs none that is described.
cat >elsewhere.json <<'JSON'
{ "quotaShares": [ { "quotaShareName": "there", "state": "ENABLED",
    "jobQueueArn": "arn:aws:batch:us-east-1:123456789012:job-queue/elsewhere" } ] }
JSON
run 3 import batch notebook.json elsewhere.json --name back
has stderr 'no file describes a job queue "elsewhere"'
run 0 import batch notebook.json elsewhere.json --name back --queue main

# The type that NUM_INSTANCES counts is requested, a trace is queued, and no file is overwritten.
run 0 import batch fair.json -o fair-back.jsonc
has fair-back.jsonc '// FILL IN: NUM_INSTANCES counts all types: list the types.'
has fair-back.jsonc '"share_decay": "3600s"'
run 64 import batch fair.json --instance-type ml.p5.48xlarge -o fair-back.jsonc
printf 'job_id,submit_s,nodes,duration_s\n1,0,2,60\n' >log.csv
mkdir -p made
run 0 import batch fair.json --instance-type ml.p5.48xlarge --jobs log.csv -o made/fair.jsonc
has made/fair.jsonc '"instance_type": "ml.p5.48xlarge"'
has made/fair.jsonc '"trace": "../log.csv"'
has made/fair.jsonc '"instances_from": "nodes"'
run 0 check made/fair.jsonc
# A trace of GPUs alone, as docs/how-to/replay-trace.md has one: the help names the size column.
printf 'job_id,submit_s,gpus_total,duration_s\n1,0,2,60\n' >log.csv
run 0 import batch fair.json --jobs log.csv -o gpus.jsonc
has gpus.jsonc '"instances_from": "gpus_total"'
run 0 check gpus.jsonc
sed -e 's/"gpus_total"/"nodes"/' gpus.jsonc >other.jsonc
run 3 check other.jsonc
has stdout '= help: use "instances_from": "gpus_total"'
run 0 import batch fair.json --instance-type ml.p9.96xlarge -o unpriced.jsonc
has unpriced.jsonc '// FILL IN: not in the price book'
run 0 check unpriced.jsonc
run 64 import batch notebook.json --instance-type ml.p5.48xlarge
has stderr 'no limit counts that'
run 64 import ms-itp a.csv b.csv
has stderr 'only batch takes several'
run 64 import ms-itp a.csv --queue main
has stderr 'apply only to batch'
run 64 import batch notebook.json --since 3d
run 64 import batch notebook.json --name 'a b'
has stderr '--name a-b'

# What is lost is told with its place, what cannot be read is refused with it.
sed -e 's/"State": "ENABLED"/"State": "DISABLED"/' -e 's/"Strategy": "LEND"/"Strategy": "LENT"/' \
  notebook.json >wrong.json
run 3 import batch wrong.json -o wrong.jsonc
has stderr 'warning[W0581]: a service environment is DISABLED'
has stderr 'error[E0204]: "Strategy": unknown value "LENT"'
has stderr '--> wrong.json:'
has stderr 'did you mean "LEND"?'
[ ! -e wrong.jsonc ] || fail "written all the same"
run 3 import batch calls/03-create-job-queue-main.json
has stderr 'error[E0356]: no file describes a service environment "aws-notebook"'
has stderr 'aws batch describe-service-environments'
run 3 import batch notebook.json --queue mian
has stderr 'did you mean "main"?'
run 3 import batch nowhere.json
has stderr 'E0001'
done_checking
