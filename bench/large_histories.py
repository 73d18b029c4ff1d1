#!/usr/bin/env python3
"""Imports large files of each kind of history: MB per CPU second, and peak memory per job.

usage: python3 bench/large_histories.py build/release/reeve [--mb 1000] [--kinds slurm,cur] [--keep]

The files are written to build/large_histories and deleted afterwards, unless --keep. Times include
the output of the import. Budgets: JSON 80 MB/s, bills 150 MB/s, sacct 100 MB/s; 64 MiB and 200
bytes per job.
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys

START = datetime.datetime(2026, 8, 1, tzinfo=datetime.timezone.utc)
EPOCH = START.timestamp()


def iso(seconds):
    at = datetime.datetime.fromtimestamp(EPOCH + seconds, datetime.timezone.utc)
    return at.strftime("%Y-%m-%dT%H:%M:%S.%f+00:00")


def whole(seconds):
    return iso(seconds)[:19] + "Z"


def sagemaker_job(index):
    begin, lasts = index * 30, 600 + index * 7919 % 90000
    name = f"train-{index:07d}-{index * 2654435761 % 2**32:08x}"
    moments = [("Starting", 0, 60), ("Downloading", 60, 90), ("Training", 90, lasts),
               ("Uploading", lasts, lasts + 20), ("Completed", lasts + 20, lasts + 20)]
    return {"TrainingJob": {
        "TrainingJobName": name,
        "TrainingJobArn": f"arn:aws:sagemaker:us-east-1:111122223333:training-job/{name}",
        "ModelArtifacts": {"S3ModelArtifacts": f"s3://models/{name}/output/model.tar.gz"},
        "TrainingJobStatus": "Completed", "SecondaryStatus": "Completed",
        "HyperParameters": {f"parameter_{i}": str(index * i) for i in range(12)},
        "AlgorithmSpecification": {
            "TrainingImage": "111122223333.dkr.ecr.us-east-1.amazonaws.com/train:2.1",
            "TrainingInputMode": "File", "EnableSageMakerMetricsTimeSeries": True},
        "RoleArn": "arn:aws:iam::111122223333:role/train",
        "InputDataConfig": [{"ChannelName": channel, "DataSource": {"S3DataSource": {
            "S3DataType": "S3Prefix", "S3Uri": f"s3://data/{channel}/{index % 50}"}}}
            for channel in ("train", "validation")],
        "OutputDataConfig": {"S3OutputPath": "s3://models"},
        "ResourceConfig": {"InstanceType": "ml.p4d.24xlarge", "InstanceCount": 1 + index % 4,
                           "VolumeSizeInGB": 500},
        "StoppingCondition": {"MaxRuntimeInSeconds": 432000},
        "CreationTime": iso(begin), "TrainingStartTime": iso(begin + 30),
        "TrainingEndTime": iso(begin + 30 + lasts + 20), "LastModifiedTime": iso(begin + lasts + 60),
        "SecondaryStatusTransitions": [
            {"Status": status, "StartTime": iso(begin + 30 + start),
             "EndTime": iso(begin + 30 + end), "StatusMessage": f"{status} the training job"}
            for status, start, end in moments],
        "EnableNetworkIsolation": False, "TrainingTimeInSeconds": lasts + 20,
        "BillableTimeInSeconds": lasts + 20,
        "Tags": [{"Key": "team", "Value": f"team-{index % 9}"},
                 {"Key": "project", "Value": f"project-{index % 40}"}]}}


def sagemaker(out, size):
    out.write('{"Results": [')
    index = 0
    while out.tell() < size:
        out.write(("," if index else "") + json.dumps(sagemaker_job(index)))
        index += 1
    out.write("]}")
    return index


SACCT = ("JobID|JobIDRaw|User|Account|Partition|QOS|State|ExitCode|Submit|Eligible|Start|End|"
         "ElapsedRaw|TimelimitRaw|NNodes|ReqTRES|AllocTRES|Restarts|Priority|Flags|Reason|"
         "AdminComment\n")


def slurm(out, size):
    out.write(SACCT)
    index = 0
    while out.tell() < size:
        begin, lasts, nodes = int(EPOCH) + index, 300 + index * 7919 % 90000, 1 + index % 4
        tres = f"billing={128 * nodes},cpu={128 * nodes},gres/gpu={8 * nodes},mem=2000G,node={nodes}"
        out.write(f"{1000000 + index}|{1000000 + index}|user{index % 300}|lab{index % 30}|gpu|normal|"
                  f"COMPLETED|0:0|{begin}|{begin}|{begin + 60}|{begin + 60 + lasts}|{lasts}|2880|"
                  f"{nodes}|{tres}|{tres}|0|{index % 9999}|SchedMain|None|\n")
        index += 1
    return index


def slurm_json(out, size):
    out.write('{"meta": {"plugin": {"type": "openapi/dbv0.0.39"}}, "errors": [], "jobs": [')
    index = 0
    while out.tell() < size:
        begin, lasts, nodes = int(EPOCH) + index * 30, 300 + index * 7919 % 90000, 1 + index % 4
        tres = [{"type": "cpu", "name": "", "id": 1, "count": 128 * nodes},
                {"type": "node", "name": "", "id": 4, "count": nodes},
                {"type": "gres", "name": "gpu", "id": 1001, "count": 8 * nodes}]
        out.write(("," if index else "") + json.dumps({
            "account": f"lab{index % 30}", "allocation_nodes": nodes,
            "array": {"job_id": 0, "task_id": None, "task": ""},
            "association": {"account": f"lab{index % 30}", "cluster": "main",
                            "user": f"user{index % 300}"}, "cluster": "main",
            "derived_exit_code": {"status": "SUCCESS", "return_code": 0},
            "exit_code": {"status": "SUCCESS", "return_code": 0}, "flags": ["STARTED_ON_BACKFILL"],
            "group": "users", "het": {"job_id": 0, "job_offset": None}, "job_id": 1000000 + index,
            "name": f"train_{index}", "nodes": f"gpu[{index % 100:03d}-{index % 100 + nodes:03d}]",
            "partition": "gpu", "priority": 1000, "qos": "normal",
            "required": {"CPUs": 128, "memory": 2048000}, "kill_request_user": None,
            "state": {"current": "COMPLETED", "reason": "None"},
            "steps": [{"time": {"elapsed": lasts, "start": begin + 60, "end": begin + 60 + lasts},
                       "step": {"id": f"{1000000 + index}.{step}", "name": "python"},
                       "tres": {"allocated": tres}} for step in range(2)],
            "time": {"elapsed": lasts, "eligible": begin, "end": begin + 60 + lasts,
                     "start": begin + 60, "submission": begin, "suspended": 0, "limit": 2880},
            "tres": {"allocated": tres, "requested": tres}, "user": f"user{index % 300}",
            "working_directory": "/data"}))
        index += 1
    out.write("]}")
    return index


def beside(columns, values):
    """A row of a bill as wide as real ones."""
    return ",".join(values + ["" if i % 3 else f"value-{i}" for i in range(columns - len(values))])


FOCUS = ["BilledCost", "BillingCurrency", "ChargeCategory", "ChargePeriodStart", "ChargePeriodEnd",
         "ConsumedQuantity", "ConsumedUnit", "EffectiveCost", "ListCost", "ProviderName", "RegionId",
         "ResourceId", "ServiceName", "SkuMeter"]
CUR = ["identity_line_item_id", "identity_time_interval", "line_item_line_item_type",
       "line_item_usage_start_date", "line_item_usage_end_date", "line_item_product_code",
       "line_item_usage_type", "line_item_operation", "line_item_resource_id",
       "line_item_usage_amount", "line_item_unblended_cost", "line_item_currency_code",
       "pricing_public_on_demand_cost", "product_instance_type"]


def bill(out, size, header, row):
    out.write(beside(120, header).replace("value-", "column_") + "\n")
    jobs = 0
    index = 0
    while out.tell() < size:
        job, hour = divmod(index, 24)
        out.write(beside(120, row(job, hour)) + "\n")
        jobs = job + 1
        index += 1
    return jobs


def arn_of(job):
    return f"arn:aws:sagemaker:us-east-1:111122223333:training-job/train-{job:07d}"


def focus(out, size):
    return bill(out, size, FOCUS, lambda job, hour: [
        "37.6880000000", "USD", "Usage", whole((job % 2000 + hour) * 3600),
        whole((job % 2000 + hour + 1) * 3600), "1.0000000000", "Hours", "30.1504000000",
        "37.6880000000", "AWS", "us-east-1", arn_of(job), "Amazon SageMaker",
        "USE1-Train:ml.p4d.24xlarge"])


def cur(out, size):
    return bill(out, size, CUR, lambda job, hour: [
        f"id{job}x{hour}", f"{whole(hour * 3600)}/{whole(hour * 3600 + 3600)}", "Usage",
        whole((job % 2000 + hour) * 3600), whole((job % 2000 + hour + 1) * 3600),
        "AmazonSageMaker", "USE1-Train:ml.p4d.24xlarge", "RunInstance", arn_of(job), "1.0",
        "30.1504", "USD", "37.688", "ml.p4d.24xlarge"])


def cloudwatch(out, size):
    out.write('{"MetricDataResults": [')
    index = 0
    while out.tell() < size:
        begin = index % 2000 * 3600
        out.write(("," if index else "") + json.dumps({
            "Id": f"m{index}", "Label": f"train-{index:07d}/algo-1", "StatusCode": "Complete",
            "Timestamps": [iso(begin + 60 * i) for i in range(1440)],
            "Values": [0.0 if i > 1200 else 780.125 for i in range(1440)]}))
        index += 1
    out.write('], "Messages": []}')
    return index


def prometheus(out, size):
    out.write('{"status": "success", "data": {"resultType": "matrix", "result": [')
    index = 0
    while out.tell() < size:
        begin = EPOCH + index % 2000 * 3600
        out.write(("," if index else "") + json.dumps({
            "metric": {"__name__": "DCGM_FI_DEV_GPU_UTIL", "gpu": str(index % 8), "UUID": f"GPU-{index}",
                       "Hostname": f"node-{index // 8 % 500}", "namespace": "team",
                       "pod": f"train-{index // 8:06d}-0", "container": "train"},
            "values": [[begin + 60 * i, "0" if i > 1200 else str(90 + i % 10)]
                       for i in range(1440)]}))
        index += 1
    out.write("]}}")
    return index


def cloudtrail(out, size):
    out.write('{"Events": [')
    index = 0
    while out.tell() < size:
        name = f"train-{index:07d}"
        event = {"eventVersion": "1.09", "userIdentity": {
            "type": "AssumedRole", "principalId": "AROAEXAMPLE:pipeline",
            "arn": "arn:aws:sts::111122223333:assumed-role/train/pipeline",
            "accountId": "111122223333", "sessionContext": {"sessionIssuer": {"type": "Role"}}},
            "eventTime": whole(index * 30), "eventSource": "sagemaker.amazonaws.com",
            "eventName": "StopTrainingJob", "awsRegion": "us-east-1", "sourceIPAddress": "10.0.0.1",
            "userAgent": "Boto3/1.34", "requestParameters": {"trainingJobName": name},
            "responseElements": None, "requestID": f"r-{index}", "eventID": f"e-{index}",
            "readOnly": False, "eventType": "AwsApiCall", "recipientAccountId": "111122223333"}
        out.write(("," if index else "") + json.dumps({
            "EventId": f"e-{index}", "EventName": "StopTrainingJob", "ReadOnly": "false",
            "EventTime": iso(index * 30), "EventSource": "sagemaker.amazonaws.com",
            "Username": "pipeline", "Resources": [
                {"ResourceType": "AWS::SageMaker::TrainingJob", "ResourceName": name}],
            "CloudTrailEvent": json.dumps(event)}))
        index += 1
    out.write("]}")
    return index


KINDS = {"sagemaker": (sagemaker, 80), "slurm": (slurm, 100), "slurm-json": (slurm_json, 80),
         "focus": (focus, 150), "cur": (cur, 150), "cloudwatch": (cloudwatch, 80),
         "prometheus": (prometheus, 80), "cloudtrail": (cloudtrail, 80)}
JOBS = ("sagemaker", "slurm", "slurm-json")  # kinds that `import history` takes alone


def measured(command):
    """CPU seconds and the peak in MiB of a command that must succeed."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)}: {errors.decode()[-2000:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reeve")
    parser.add_argument("--mb", type=int, default=1000)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    folder = pathlib.Path("build/large_histories")
    folder.mkdir(parents=True, exist_ok=True)
    print("command                 MB  records   CPU s  MB/CPU s  goal  peak MiB  bytes/record")
    for kind in arguments.kinds.split(","):
        write, goal = KINDS[kind]
        file = folder / kind
        with open(file, "w", encoding="utf-8") as out:
            records = write(out, arguments.mb * 1_000_000)
        size = file.stat().st_size / 1e6
        commands = {f"import {kind}": ["import", kind, str(file), "-o", str(folder / "out.csv")]}
        if kind in JOBS:
            commands["import history"] = ["import", "history", str(file), "-o", str(folder / "out")]
        for name, command in commands.items():
            cpu, peak = measured([arguments.reeve, *command])
            beyond = max(0.0, peak - 64) * 2**20 / records
            print(f"{name:18s} {size:8.0f} {records:8d} {cpu:7.1f} {size / cpu:9.0f} {goal:5d} "
                  f"{peak:9.0f} {beyond:13.0f}", flush=True)
            subprocess.run(["rm", "-rf", folder / "out.csv", folder / "out"], check=True)
        if not arguments.keep:
            file.unlink()


main()
