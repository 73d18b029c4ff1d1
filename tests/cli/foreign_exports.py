"""Writes the tables of a simulated run as the exports that a team would have.

usage: foreign_exports.py RESULTS START DIRECTORY

RESULTS is a directory of `reeve run -o` with one run of one policy, START the clock of its
scenario. DIRECTORY gets jobs.json (SageMaker search), sacct.psv, focus.csv, cur2.csv, gpu.json
(CloudWatch) and stops.json (CloudTrail).
"""
import collections
import csv
import datetime
import json
import os
import sys

results, start_text, directory = sys.argv[1:4]
START = datetime.datetime.fromisoformat(start_text.replace("Z", "+00:00"))
REGION, ACCOUNT = "us-east-1", "111122223333"


def table(name):
    with open(os.path.join(results, name + ".csv"), newline="") as file:
        return list(csv.DictReader(file))


def epoch(seconds):
    return round(START.timestamp() + seconds, 6)


def at(seconds):
    return START + datetime.timedelta(seconds=seconds)


def arn(job):
    return f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:training-job/{job}"


jobs = {row["job"]: row for row in table("jobs")}
attempts = {row["job"]: row for row in table("attempts")}
events = collections.defaultdict(list)
for row in table("events"):
    if row["source"] == "sagemaker-training":
        events[row["job"]].append((float(row["t_s"]), row["primary"], row["secondary"]))
ledger = collections.defaultdict(list)
for row in table("ledger"):
    if row["x_job"]:
        ledger[row["x_job"]].append(row)
assert len(attempts) == len(table("attempts")), "one attempt per job"


def seconds_of(text):
    text, fraction = text.rstrip("Z").split(".") if "." in text else (text.rstrip("Z"), "0")
    whole = datetime.datetime.fromisoformat(text + "+00:00")
    return (whole - START).total_seconds() + float("0." + fraction)


def sagemaker():
    found = []
    for name, job in jobs.items():
        seen = events[name]
        attempt = attempts[name]
        transitions = []
        for index, (time, _, secondary) in enumerate(seen):
            each = {"Status": secondary, "StartTime": epoch(time)}
            if index + 1 < len(seen):
                each["EndTime"] = epoch(seen[index + 1][0])
            transitions.append(each)
        begun = [t for t, _, secondary in seen if secondary == "Downloading"]
        entry = {
            "TrainingJobName": name,
            "TrainingJobArn": arn(name),
            "TrainingJobStatus": seen[-1][1],
            "SecondaryStatus": seen[-1][2],
            "ResourceConfig": {"InstanceType": job["instance_type"],
                               "InstanceCount": int(job["instances"]), "VolumeSizeInGB": 100},
            "StoppingCondition": {"MaxRuntimeInSeconds": 43200},
            "EnableManagedSpotTraining": False,
            "HyperParameters": {"secret": "hyperparameter-of-" + name},
            "CreationTime": epoch(float(job["submit_s"])),
            "LastModifiedTime": epoch(seen[-1][0]),
            "SecondaryStatusTransitions": transitions,
            "Tags": [{"Key": key, "Value": value}
                     for key, value in json.loads(job["tags_json"] or "{}").items()],
        }
        if begun:
            entry["TrainingStartTime"] = epoch(begun[0])
            entry["TrainingEndTime"] = epoch(float(attempt["end_s"]))
            held = float(attempt["billed_s"])
            entry["BillableTimeInSeconds"] = round(held)
        found.append({"TrainingJob": entry})
    with open("jobs.json", "w") as file:
        json.dump({"Results": found}, file, indent=2)


def sacct():
    states = {"Completed": "COMPLETED", "Stopped": "CANCELLED by 1001", "Failed": "FAILED"}
    form = "%Y-%m-%dT%H:%M:%S"
    with open("sacct.psv", "w") as file:
        file.write("JobIDRaw|User|Partition|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|NNodes|"
                   "AllocTRES\n")
        for index, (name, job) in enumerate(jobs.items()):
            attempt = attempts[name]
            begin, end = float(attempt["start_s"]), float(attempt["end_s"])
            limited = events[name][-1][2] == "MaxRuntimeExceeded"
            state = "TIMEOUT" if limited else states[events[name][-1][1]]
            nodes = int(job["instances"])
            file.write("|".join([
                str(5000 + index), "user1", "gpu", state, at(float(job["submit_s"])).strftime(form),
                at(begin).strftime(form), at(end).strftime(form), str(int(end - begin)), "720",
                str(nodes), f"billing=96,gres/gpu={8 * nodes},node={nodes}"]) + "\n")
    with open("sacct.names", "w") as file:
        for index, name in enumerate(jobs):
            file.write(f"{5000 + index} {name}\n")


def hours():
    """Per job and hour: machine-hours and dollars, exact as the ledger has them."""
    for name, rows in ledger.items():
        by_hour = collections.OrderedDict()
        for row in rows:
            begin, end = seconds_of(row["ChargePeriodStart"]), seconds_of(row["ChargePeriodEnd"])
            machines, cost = int(row["x_instances"]), float(row["BilledCost"])
            hour = int(begin // 3600)
            while hour * 3600 < end:
                part = min(end, (hour + 1) * 3600) - max(begin, hour * 3600)
                share = part / (end - begin) if end > begin else 1
                used, paid = by_hour.get(hour, (0, 0))
                by_hour[hour] = (used + machines * part / 3600, paid + cost * share)
                hour += 1
        for hour, (used, paid) in by_hour.items():
            yield name, hour, used, paid


def bills():
    with open("focus.csv", "w", newline="") as one, open("cur2.csv", "w", newline="") as two:
        focus, cur = csv.writer(one), csv.writer(two)
        focus.writerow(["BilledCost", "BillingCurrency", "ChargeCategory", "ChargeClass",
                        "ChargePeriodStart", "ChargePeriodEnd", "ConsumedQuantity", "ConsumedUnit",
                        "EffectiveCost", "ListCost", "PricingCategory", "ProviderName", "RegionId",
                        "ResourceId", "ServiceName", "SkuMeter", "Tags"])
        cur.writerow(["identity_line_item_id", "identity_time_interval", "bill_invoice_id",
                      "line_item_line_item_type", "line_item_usage_start_date",
                      "line_item_usage_end_date", "line_item_product_code", "line_item_usage_type",
                      "line_item_operation", "line_item_resource_id", "line_item_usage_amount",
                      "line_item_unblended_cost", "line_item_currency_code",
                      "pricing_public_on_demand_cost", "product_instance_type", "resource_tags"])
        for index, (name, hour, used, paid) in enumerate(hours()):
            begin = at(hour * 3600).strftime("%Y-%m-%dT%H:%M:%SZ")
            end = at(hour * 3600 + 3600).strftime("%Y-%m-%dT%H:%M:%SZ")
            meter = "USE1-Train:" + jobs[name]["instance_type"]
            cost, amount = f"{paid:.10f}", f"{used:.10f}"
            focus.writerow([cost, "USD", "Usage", "", begin, end, amount, "Hours", cost, cost,
                            "Standard", "AWS", REGION, arn(name), "Amazon SageMaker", meter,
                            '{"user:team":"vision"}'])
            cur.writerow([f"li{index}", f"{begin}/{end}", "INV-1", "Usage", begin, end,
                          "AmazonSageMaker", meter, "RunInstance", arn(name), amount, cost, "USD",
                          cost, jobs[name]["instance_type"], '{"user_team":"vision"}'])


def cloudwatch():
    found = []
    for name, job in jobs.items():
        rows = [(seconds_of(r["ChargePeriodStart"]), seconds_of(r["ChargePeriodEnd"]), r["x_class"])
                for r in ledger[name]]
        training = [t for t, _, secondary in events[name] if secondary == "Training"]
        if not training:
            continue
        begin = training[0]
        end = max(r[1] for r in rows if r[2] not in ("startup", "drain", "checkpoint"))
        minute = int((START.timestamp() + begin) // 60) * 60 + 60
        times, values = [], []
        while minute + 60 <= START.timestamp() + end:
            middle = minute + 30 - START.timestamp()
            stalled = any(a <= middle < b and what == "stalled" for a, b, what in rows)
            times.append(datetime.datetime.fromtimestamp(minute, datetime.timezone.utc)
                         .strftime("%Y-%m-%dT%H:%M:%S+00:00"))
            values.append(0.0 if stalled else 760.0)
            minute += 60
        for host in range(int(job["instances"])):
            found.append({"Id": f"q{len(found)}", "Label": f"{name}/algo-{host + 1}",
                          "Timestamps": times, "Values": values, "StatusCode": "Complete"})
    with open("gpu.json", "w") as file:
        json.dump({"MetricDataResults": found}, file)


def cloudtrail():
    found = []
    for name in list(jobs)[:3]:
        time = at(float(jobs[name]["submit_s"])).strftime("%Y-%m-%dT%H:%M:%SZ")
        record = {"eventVersion": "1.11", "eventTime": time, "eventName": "CreateTrainingJob",
                  "eventSource": "sagemaker.amazonaws.com", "awsRegion": REGION,
                  "userIdentity": {"type": "AssumedRole",
                                   "arn": f"arn:aws:sts::{ACCOUNT}:assumed-role/ml/pat@example.com"},
                  "requestParameters": {"trainingJobName": name}, "responseElements": None}
        found.append({"EventId": "Create" + name, "EventName": "CreateTrainingJob",
                      "EventTime": time, "Username": "pat@example.com",
                      "CloudTrailEvent": json.dumps(record)})
    with open("stops.json", "w") as file:
        json.dump({"Events": found}, file)


os.makedirs(directory, exist_ok=True)
os.chdir(directory)
sagemaker()
sacct()
bills()
cloudwatch()
cloudtrail()
