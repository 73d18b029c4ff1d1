"""An AWS account of moto, for moto_test.sh.

    moto_account.py serve CALLS.jsonl    serves it, prints its port, and logs each request
    moto_account.py COMMAND ...          changes the account at AWS_ENDPOINT_URL, with boto3

moto checks signatures with botocore, and permissions by the names of actions.  Of resources it
knows queues only, and the policy of a queue binds nobody."""
import datetime
import io
import json
import logging
import os
import signal
import sys
import time
import urllib.parse
import urllib.request

REGION = "us-east-1"
INSTANCES = {"InstanceType": "ml.p5.48xlarge", "InstanceCount": 2, "VolumeSizeInGB": 1}
STATE_CHANGE = "SageMaker Training Job State Change"


# --- The server.

def action_of(environ, body):
    """As "sqs:ReceiveMessage", with the name of the service that the signature has."""
    scope = environ.get("HTTP_AUTHORIZATION", "").partition("Credential=")[2].split(",")[0]
    service = scope.split("/")[3] if scope.count("/") == 4 else "unsigned"
    target = environ.get("HTTP_X_AMZ_TARGET", "")
    form = dict(urllib.parse.parse_qsl(body.decode("utf-8", "replace")))
    return service + ":" + (target.rpartition(".")[2] or form.get("Action", "none"))


def logged(application, path):
    """The WSGI application, which writes each request and its status to a file."""
    class Logged(application):
        def __call__(self, environ, start_response):
            body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            environ["wsgi.input"] = io.BytesIO(body)
            entry = {"agent": environ.get("HTTP_USER_AGENT", ""),
                     "action": action_of(environ, body), "status": 500}

            def start(status, *more):
                entry["status"] = int(status.split()[0])
                return start_response(status, *more)
            try:
                return super().__call__(environ, start)
            finally:
                with open(path, "a", encoding="utf-8") as calls:
                    calls.write(json.dumps(entry) + "\n")
    return Logged


def set_status(job):
    """Jobs of moto are complete at once.  Its hyperparameters say how a job of this test is."""
    asked = job.hyper_parameters or {}
    if "secondary" not in asked:
        return
    created = job.creation_time - datetime.timedelta(seconds=int(asked["age-s"]))
    trained = created + datetime.timedelta(minutes=1)
    job.training_job_status, job.secondary_status = "InProgress", asked["secondary"]
    job.creation_time, job.training_end_time = created, None
    job.secondary_status_transitions = [{"Status": "Starting", "StartTime": created}]
    if asked["secondary"] == "Starting":
        job.training_start_time = None
        return
    job.training_start_time = trained
    job.secondary_status_transitions[0]["EndTime"] = trained
    job.secondary_status_transitions.append({"Status": "Training", "StartTime": trained})


def serve(path):
    from moto.moto_server import threaded_moto_server as server_module
    from moto.sagemaker.models import FakeTrainingJob
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    make = FakeTrainingJob.__init__

    def make_as_asked(job, *positional, **named):
        make(job, *positional, **named)
        set_status(job)
    FakeTrainingJob.__init__ = make_as_asked
    server_module.DomainDispatcherApplication = logged(
        server_module.DomainDispatcherApplication, path)
    server = server_module.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    print(server.get_host_and_port()[1], flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})


# --- The commands.

def client(service):
    import boto3
    return boto3.client(service, region_name=REGION, endpoint_url=os.environ["AWS_ENDPOINT_URL"])


def auth(word):
    """`on` refuses requests that are signed wrongly or not permitted."""
    count = {"on": "0", "off": "inf"}[word]
    urllib.request.urlopen(urllib.request.Request(
        os.environ["AWS_ENDPOINT_URL"] + "/moto-api/reset-auth", data=count.encode(),
        headers={"Content-Type": "text/plain"})).read()


def allow(actions, trusted=None):
    about = {"Principal": {"AWS": trusted}} if trusted else {"Resource": "*"}
    statement = {"Effect": "Allow", "Action": actions, **about}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


# Permissions that moto wants beyond the policy of the template.  AWS wants sqs:DeleteMessage for a
# batch, names CloudWatch otherwise than its signatures do, and knows the resources of SageMaker.
WANTED_BY_MOTO = ["sqs:DeleteMessageBatch", "monitoring:GetMetricData",
                  "sagemaker:DescribeTrainingJob", "sagemaker:ListTags"]
# Those of `reeve live iam --clean-up`, by the names that moto knows.
CLEANS_UP = ["monitoring:DescribeAlarms", "monitoring:DeleteAlarms",
             "monitoring:ListTagsForResource", "ec2:DescribeInstances", "ec2:TerminateInstances",
             "sagemaker:ListTrainingJobs", "sagemaker:DescribeTrainingJob", "sagemaker:ListTags"]


def stack(path):
    """Creates the stack of `reeve live template`, and prints its queue for bash."""
    cloud = client("cloudformation")
    with open(path, encoding="utf-8") as text:
        cloud.create_stack(StackName="reeve", TemplateBody=text.read(),
                           Capabilities=["CAPABILITY_IAM"])
    print("queue=" + outputs_of_stack()["QueueUrl"])


def outputs_of_stack():
    made, = client("cloudformation").describe_stacks(StackName="reeve")["Stacks"]
    return {each["OutputKey"]: each["OutputValue"] for each in made["Outputs"]}


def users():
    """Prints keys and a role for bash: `reeve` and the role have the policy of the template,
    `guest` may only take the role."""
    iam = client("iam")
    policy = outputs_of_stack()["PolicyArn"]
    arns = {}
    for name in ["admin", "reeve", "guest", "cleaner"]:
        arns[name] = iam.create_user(UserName=name)["User"]["Arn"]
        key = iam.create_access_key(UserName=name)["AccessKey"]
        print(f"{name}_id={key['AccessKeyId']} {name}_secret={key['SecretAccessKey']}")
    iam.put_user_policy(UserName="admin", PolicyName="all", PolicyDocument=allow("*"))
    iam.put_user_policy(UserName="guest", PolicyName="role", PolicyDocument=allow("sts:AssumeRole"))
    iam.put_user_policy(UserName="cleaner", PolicyName="moto", PolicyDocument=allow(CLEANS_UP))
    iam.put_user_policy(UserName="reeve", PolicyName="moto", PolicyDocument=allow(WANTED_BY_MOTO))
    iam.attach_user_policy(UserName="reeve", PolicyArn=policy)
    trusts = allow("sts:AssumeRole", arns["guest"])
    role = iam.create_role(RoleName="reader", AssumeRolePolicyDocument=trusts)["Role"]["Arn"]
    iam.put_role_policy(RoleName="reader", PolicyName="moto", PolicyDocument=allow(WANTED_BY_MOTO))
    iam.attach_role_policy(RoleName="reader", PolicyArn=policy)
    print("role=" + role)


def ago(seconds):
    return time.time() - seconds


def state_change(name, secondary, age_s, tags):
    began = int(ago(age_s) * 1000)
    later = [] if secondary == "Starting" else [{"Status": secondary, "StartTime": began + 60000}]
    return {"TrainingJobName": name, "TrainingJobStatus": "InProgress",
            "SecondaryStatus": secondary, "ResourceConfig": INSTANCES,
            "StoppingCondition": {"MaxRuntimeInSeconds": 172800}, "CreationTime": began,
            "SecondaryStatusTransitions": [{"Status": "Starting", "StartTime": began}] + later,
            "Tags": tags}


def requested(name):
    return {"eventSource": "sagemaker.amazonaws.com", "eventName": "CreateTrainingJob",
            "requestParameters": {
                "trainingJobName": name, "tags": [{"key": "owner", "value": "bob"}],
                "resourceConfig": {"instanceType": "ml.p5.48xlarge", "instanceCount": 1},
                "stoppingCondition": {"maxRuntimeInSeconds": 3600}}}


def events():
    """One event of each kind that reeve uses, and two that no rule of the stack sends on."""
    by_trail = "AWS API Call via CloudTrail"
    entries = [("aws.sagemaker", STATE_CHANGE,
                state_change("well", "Training", 7200, {"team": "a"})),
               ("aws.sagemaker", STATE_CHANGE,
                state_change("untagged", "Training", 7200, {"owner": "bob"})),
               ("aws.sagemaker", STATE_CHANGE,
                state_change("slow", "Starting", 10800, {"team": "b"})),
               ("aws.sagemaker", by_trail, requested("asked-for")),
               ("reeve.training", "Training Report",
                {"TrainingJobName": "well", "done_s": 60, "log_lines": True}),
               ("aws.sagemaker", by_trail,
                {"eventSource": "sagemaker.amazonaws.com", "eventName": "StopTrainingJob"}),
               ("aws.sagemaker", "SageMaker Endpoint State Change", {"EndpointName": "other"})]
    reply = client("events").put_events(Entries=[
        {"Source": source, "DetailType": kind, "Detail": json.dumps(detail)}
        for source, kind, detail in entries])
    assert reply["FailedEntryCount"] == 0, reply


def topic(url):
    """Subscribes the queue to a topic, which gets an event and wraps it."""
    queue = client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])
    sns = client("sns")
    arn = sns.create_topic(Name="events")["TopicArn"]
    sns.subscribe(TopicArn=arn, Protocol="sqs", Endpoint=queue["Attributes"]["QueueArn"])
    event = {"version": "0", "id": "by-topic", "source": "aws.sagemaker",
             "detail-type": STATE_CHANGE, "account": arn.split(":")[4], "region": REGION,
             "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
             "detail": state_change("by-topic", "Training", 7200, {"owner": "bob"})}
    sns.publish(TopicArn=arn, Message=json.dumps(event))


def send(url, text):
    client("sqs").send_message(QueueUrl=url, MessageBody=text)


def count(url):
    """Messages that wait, and messages that were received and not deleted."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    got = client("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
    print(*(got[name] for name in names))


def purge(url):
    client("sqs").purge_queue(QueueUrl=url)


def create(sagemaker, name, tags, **how):
    sagemaker.create_training_job(
        TrainingJobName=name, HyperParameters={key.replace("_", "-"): str(value)
                                               for key, value in how.items()},
        AlgorithmSpecification={"TrainingImage": "image", "TrainingInputMode": "File"},
        RoleArn="arn:aws:iam::123456789012:role/training", ResourceConfig=INSTANCES,
        OutputDataConfig={"S3OutputPath": "s3://bucket/out"},
        StoppingCondition={"MaxRuntimeInSeconds": 172800},
        Tags=[{"Key": key, "Value": value} for key, value in tags.items()])


def jobs():
    """Two pages of 100.  moto filters each page, so it answers empty pages with a token, as AWS
    may."""
    sagemaker = client("sagemaker")
    day = 86400
    create(sagemaker, "trains", {"team": "a"}, secondary="Training", age_s=day)
    for index in range(100):
        create(sagemaker, f"done-{index}", {})
    create(sagemaker, "stuck", {"team": "a"}, secondary="Training", age_s=day)
    create(sagemaker, "no-team", {"owner": "bob é"}, secondary="Training", age_s=day)
    create(sagemaker, "starts", {"team": "b"}, secondary="Starting", age_s=10800)


def metrics():
    """GPU utilization of the last 40 minutes: `trains` works, `stuck` does not."""
    watch = client("cloudwatch")
    for job, used in [("trains", 720.5), ("stuck", 0.0)]:
        watch.put_metric_data(Namespace="/aws/sagemaker/TrainingJobs", MetricData=[
            {"MetricName": "GPUUtilization", "Value": used, "Unit": "Percent",
             "Timestamp": ago(60 * minute),
             "Dimensions": [{"Name": "Host", "Value": job + "/algo-1"}]}
            for minute in range(1, 41)])


def leftovers():
    """120 alarms and 3 instances of jobs that have ended, and some that are no orphans.  Prints the
    instances that have to stay, for bash."""
    watch, machines = client("cloudwatch"), client("ec2")
    for index in range(120):
        put_alarm(watch, f"alarm-{index:03}", f"done-{index % 100}/algo-1",
                  Period=10 if index == 0 else 300)
    put_alarm(watch, "in-use", "trains/algo-1", Period=60)
    watch.put_metric_alarm(
        AlarmName="by-query", EvaluationPeriods=1, Threshold=1,
        ComparisonOperator="LessThanThreshold", Metrics=[
            {"Id": "sum", "Expression": "a+b", "ReturnData": True}] + [
            {"Id": name, "ReturnData": False, "MetricStat": {
                "Metric": gpu(f"done-{number}/algo-1"), "Period": 60, "Stat": "Average"}}
            for name, number in [("a", 1), ("b", 2)]])
    image = machines.describe_images()["Images"][0]["ImageId"]
    kept = [launch(machines, image, {"JOB_ID": "trains", "NAME": "trains"}),
            launch(machines, image, {"NAME": "done-1"}), launch(machines, image, {"team": "a"}),
            launch(machines, image, {})]
    for name in ["done-1", "done-2"]:
        launch(machines, image, {"JOB_ID": name, "NAME": name})
    launch(machines, image, {"JOB_ID": "done-3"}, InstanceMarketOptions={"MarketType": "spot"})
    print("kept=(" + " ".join(kept) + ")")


def own():
    """An alarm and an instance with the tag of what reeve creates."""
    watch, machines = client("cloudwatch"), client("ec2")
    put_alarm(watch, "own", "none/algo-1", Period=60,
              Tags=[{"Key": "reeve:created-by", "Value": "stalled_gpu"}])
    image = machines.describe_images()["Images"][0]["ImageId"]
    launch(machines, image, {"reeve:created-by": "stalled_gpu"})


def gpu(host):
    return {"Namespace": "/aws/sagemaker/TrainingJobs", "MetricName": "GPUUtilization",
            "Dimensions": [{"Name": "Host", "Value": host}]}


def put_alarm(watch, name, host, **more):
    watch.put_metric_alarm(AlarmName=name, **gpu(host), Statistic="Average", EvaluationPeriods=3,
                           Threshold=1, ComparisonOperator="LessThanOrEqualToThreshold", **more)


def launch(machines, image, tags, **more):
    if tags:
        more["TagSpecifications"] = [{"ResourceType": "instance", "Tags": [
            {"Key": key, "Value": value} for key, value in tags.items()]}]
    made, = machines.run_instances(ImageId=image, InstanceType="p3.16xlarge", MinCount=1,
                                   MaxCount=1, **more)["Instances"]
    return made["InstanceId"]


def left():
    """The alarms, and the instances that are not terminated."""
    pages = client("cloudwatch").get_paginator("describe_alarms").paginate()
    print(*sorted(alarm["AlarmName"] for page in pages for alarm in page["MetricAlarms"]))
    print(*sorted(instance["InstanceId"]
                  for page in client("ec2").get_paginator("describe_instances").paginate()
                  for reservation in page["Reservations"]
                  for instance in reservation["Instances"]
                  if instance["State"]["Name"] not in ("shutting-down", "terminated")))


COMMANDS = [serve, auth, stack, users, events, topic, send, count, purge, jobs, metrics, leftovers,
            own, left]

if __name__ == "__main__":
    {each.__name__: each for each in COMMANDS}[sys.argv[1]](*sys.argv[2:])
