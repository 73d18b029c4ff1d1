"""Exports the mock account of the environment as the script of `reeve export-plan` does with the
AWS CLI: for tests, without reeve's client.

    account_export.py FOLDER SINCE     SINCE: 2026-03-01T00:00:00Z"""
import calendar
import json
import os
import sys
import time
import urllib.request
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from mock_call import call  # noqa: E402

TRAIL = "com.amazonaws.cloudtrail.v20131101.CloudTrail_20131101.LookupEvents"


def wait(seconds):
    """By the clock of the account, which ends a wait early if a message comes."""
    url = os.environ["REEVE_CLOCK_URL"]
    now = int(urllib.request.urlopen(url).read())
    until = now + int(seconds * 1e9)
    while now < until:
        now = int(urllib.request.urlopen(f"{url}?sleep={until - now}", data=b"").read())


def pages(operation, asked, key):
    """All elements of a listing in JSON."""
    found = []
    while True:
        status, text = call("cloudtrail" if operation == TRAIL else "sagemaker", operation, asked)
        assert status == 200, text
        page = json.loads(text)
        found += page[key]
        if not page.get("NextToken"):
            return {key: found}
        asked = asked | {"NextToken": page["NextToken"]}
        wait(1)


def metrics(job, now):
    """One call per job, as jq writes it."""
    name, ended = job["TrainingJobName"], job.get("TrainingEndTime", now)
    hosts = [f"{name}/algo-{n + 1}" for n in range(job["ResourceConfig"]["InstanceCount"])]
    queries = [{"Id": f"h{n + 1}", "Label": host, "MetricStat": {
        "Period": 60, "Stat": "Average", "Metric": {
            "Namespace": "/aws/sagemaker/TrainingJobs", "MetricName": "GPUUtilization",
            "Dimensions": [{"Name": "Host", "Value": host}]}}}
        for n, host in enumerate(hosts)]
    times = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
             for at in (job["TrainingStartTime"], ended)]
    asked = {"StartTime": times[0], "EndTime": times[1], "MetricDataQueries": queries}
    status, text = call("monitoring", "GetMetricData", asked)
    assert status == 200, text
    results = []
    for member in ElementTree.fromstring(text).find("GetMetricDataResult/MetricDataResults"):
        results.append({
            "Id": member.findtext("Id"), "Label": member.findtext("Label"),
            "StatusCode": member.findtext("StatusCode"),
            "Timestamps": [at.text for at in member.find("Timestamps")],
            "Values": [float(value.text) for value in member.find("Values")]})
    return {"MetricDataResults": results}


def spot_prices(kind, since):
    status, text = call("ec2", "DescribeSpotPriceHistory", {
        "StartTime": since, "InstanceType": [kind], "ProductDescription": ["Linux/UNIX"]})
    assert status == 200, text
    items = ElementTree.fromstring(text).find("spotPriceHistorySet")
    return {"SpotPriceHistory": [{child.tag[0].upper() + child.tag[1:]: child.text
                                  for child in item} for item in items]}


def main(folder, since):
    os.makedirs(folder)

    def write(name, value):
        with open(os.path.join(folder, name), "w") as out:
            json.dump(value, out, indent=4)

    now = int(urllib.request.urlopen(os.environ["REEVE_CLOCK_URL"]).read()) / 1e9
    jobs = pages("SageMaker.Search", {
        "Resource": "TrainingJob", "SearchExpression": {"Filters": [
            {"Name": "CreationTime", "Operator": "GreaterThanOrEqualTo", "Value": since}]}},
        "Results")
    write("jobs.json", jobs)
    described = [result["TrainingJob"] for result in jobs["Results"]]
    for job in described:
        if "TrainingStartTime" in job:
            write(f"gpu-{job['TrainingJobName']}.json", metrics(job, now))
    start = calendar.timegm(time.strptime(since, "%Y-%m-%dT%H:%M:%SZ"))
    for event in ("CreateTrainingJob", "StopTrainingJob", "BidEvictedEvent"):
        wait(1)
        write(f"cloudtrail-{event}.json", pages(TRAIL, {
            "StartTime": start, "LookupAttributes": [
                {"AttributeKey": "EventName", "AttributeValue": event}]}, "Events"))
    for kind in sorted({job["ResourceConfig"]["InstanceType"] for job in described}):
        kind = kind.removeprefix("ml.")
        write(f"spot-{kind}.json", spot_prices(kind, since))


main(*sys.argv[1:])
