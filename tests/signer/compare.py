#!/usr/bin/env python3
"""Compares our signatures with botocore's on random requests.

usage: compare.py SIGNER [NUMBER]    exit status 77: botocore is not installed
"""
import datetime
import json
import random
import subprocess
import sys
import urllib.parse

try:
    import botocore
    import botocore.auth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials
except ImportError as error:
    print(f"skipped: python3 has no botocore ({error}); the package is python3-botocore")
    sys.exit(77)

ODD = "ab9-_.~ /:%+&=?#@!$'()*,;[]{}|\\^`\"<>\té\u1234\U0001f600"
SERVICES = ["sagemaker", "sqs", "monitoring", "ec2", "sts", "batch", "events", "s3", "lambda"]


class FixedTime(datetime.datetime):
    """Stands for datetime.datetime in botocore.auth."""

    instant = datetime.datetime(2026, 1, 1)

    @classmethod
    def utcnow(cls):
        return cls.instant


class FixedModule:
    datetime = FixedTime


def odd_text(draw, most, alphabet=ODD):
    return "".join(draw.choice(alphabet) for _ in range(draw.randint(0, most)))


def path_of(draw, service):
    if draw.random() < 0.3:
        return "/"
    segments = []
    for _ in range(draw.randint(1, 4)):
        kind = draw.random()
        if kind < 0.1:
            segments.append(draw.choice(["", ".", ".."]))
        elif kind < 0.3:
            segments.append(urllib.parse.quote("arn:aws:batch:us-east-1:1:job/a%b", safe=""))
        else:
            segments.append(urllib.parse.quote(odd_text(draw, 8), safe="-_.~:"))
    return "/" + "/".join(segments) + draw.choice(["", "/"])


def query_of(draw):
    """Keys may be repeated, unsorted, or have no value. botocore reads what is encoded as it is."""
    pairs = []
    for _ in range(draw.choice([0, 0, 1, 2, 5])):
        key = urllib.parse.quote(draw.choice(["a", "A", "tagKeys", odd_text(draw, 5)]), safe="-_.~")
        value = urllib.parse.quote(odd_text(draw, 6), safe="-_.~")
        if key:
            pairs.append(key if not value and draw.random() < 0.5 else f"{key}={value}")
    return "&".join(pairs)


def headers_of(draw, service, form):
    headers = []
    if form:
        kind = "application/x-www-form-urlencoded; charset=utf-8"
    else:
        kind = draw.choice(["application/x-amz-json-1.0", "application/x-amz-json-1.1",
                            "application/json"])
    headers.append(("Content-Type", kind))
    if draw.random() < 0.5:
        headers.append(("X-Amz-Target", "SageMaker.StopTrainingJob"))
    for _ in range(draw.choice([0, 0, 1, 2])):
        value = odd_text(draw, 12, "ab,;= \"'  ")
        headers.append(("X-Amz-Meta-" + draw.choice(["One", "TWO", "x"]), value))
    if draw.random() < 0.3:
        headers.append(("User-Agent", "reeve"))
    return headers


def body_of(draw, form):
    if form:
        return urllib.parse.urlencode({"Action": "Publish", odd_text(draw, 6): odd_text(draw, 30)})
    return json.dumps({"key": odd_text(draw, 40)}, ensure_ascii=draw.random() < 0.5)


def request_of(draw):
    service = draw.choice(SERVICES)
    form = draw.random() < 0.4
    query = query_of(draw)
    host = draw.choice(["https://x.us-east-1.amazonaws.com", "http://localhost:4566",
                        "https://h.example:443", "http://[::1]:80", "https://h.example:8443"])
    at = datetime.datetime(2000, 1, 1) + datetime.timedelta(seconds=draw.randrange(3 * 10**9))
    method = draw.choice(["POST", "POST", "GET", "DELETE", "PUT"])
    return {
        "service": service,
        "region": draw.choice(["us-east-1", "cn-north-1", "us-gov-west-1"]),
        "method": method,
        "url": host + path_of(draw, service) + ("?" + query if query else ""),
        "headers": headers_of(draw, service, form),
        "body": "" if method in ("GET", "DELETE") else body_of(draw, form),
        "date": at.strftime("%Y%m%dT%H%M%SZ"),
        "id": "AKID" + str(draw.randrange(10**6)),
        "secret": odd_text(draw, 40, "abcXYZ019/+") + "s",
        "token": draw.choice(["", odd_text(draw, 200, "abcXYZ019/+=")]),
    }


def authorization_of(made):
    FixedTime.instant = datetime.datetime.strptime(made["date"], "%Y%m%dT%H%M%SZ")
    request = AWSRequest(method=made["method"], url=made["url"], data=made["body"].encode())
    for name, value in made["headers"]:
        request.headers.add_header(name, value)
    keys = Credentials(made["id"], made["secret"], made["token"] or None)
    kind = botocore.auth.S3SigV4Auth if made["service"] == "s3" else botocore.auth.SigV4Auth
    # A payload over plain http is signed as well, as our signer does.
    request.context["client_config"] = None
    request.context["payload_signing_enabled"] = True
    kind(keys, made["service"], made["region"]).add_auth(request)
    made["authorization"] = request.headers["Authorization"]
    made["headers"] = [list(header) for header in request.headers.items()
                       if header[0].lower() not in ("authorization", "x-amz-date")]
    return made


def main():
    signer = sys.argv[1]
    number = int(sys.argv[2]) if len(sys.argv) > 2 else 600
    botocore.auth.datetime = FixedModule
    # Later releases ask a function of theirs.
    botocore.auth.get_current_datetime = lambda *_, **__: FixedTime.instant
    draw = random.Random(7)
    requests = [authorization_of(request_of(draw)) for _ in range(number)]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    run = subprocess.run([signer], input=lines, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{signer}: {run.stderr}")
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if len(answers) != number or number == 0:
        sys.exit(f"{len(answers)} answers to {number} requests")
    wrong = 0
    for request, answer in zip(requests, answers):
        same = answer["authorization"] == request["authorization"]
        if same and answer["accepted"] and not answer["accepted_changed"]:
            continue
        wrong += 1
        if wrong <= 3:
            print(json.dumps(request, indent=1))
            print(answer["canonical"], answer, sep="\n")
    if wrong:
        sys.exit(f"{wrong} of {number} requests are signed or verified otherwise")
    print(f"{number} requests are signed as by botocore {botocore.__version__}")


main()
