"""Calls an operation of the mock account in its environment, with a form: for tests, without botocore.

    mock_call.py SERVICE OPERATION PARAMETERS.json...    prints the reply; status 1 for a refusal

SERVICE: monitoring or ec2.  Each further argument is the JSON of one call."""
import datetime
import hashlib
import hmac
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

VERSIONS = {"monitoring": "2010-08-01", "ec2": "2016-11-15"}


def fields(value, name, service):
    """Nested parameters as the flat ones of a form."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from fields(part, f"{name}.{key}" if name else key, service)
    elif isinstance(value, list):
        between = "." if service == "ec2" else ".member."
        for nth, part in enumerate(value, 1):
            yield from fields(part, f"{name}{between}{nth}", service)
    else:
        yield name, str(value).lower() if isinstance(value, bool) else str(value)


def now():
    nanoseconds = int(urllib.request.urlopen(os.environ["REEVE_CLOCK_URL"]).read())
    return datetime.datetime.fromtimestamp(nanoseconds / 1e9, datetime.timezone.utc)


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def call(service, operation, parameters):
    """The status and the text of the reply."""
    base = os.environ["AWS_ENDPOINT_URL"]
    host = base.split("//")[1]
    date = now().strftime("%Y%m%dT%H%M%SZ")
    body = urllib.parse.urlencode([("Action", operation), ("Version", VERSIONS[service]),
                                   *fields(parameters, "", service)])
    asked = "\n".join(["POST", "/", "", f"host:{host}", f"x-amz-date:{date}", "",
                       "host;x-amz-date", sha(body)])
    scope = f"{date[:8]}/{os.environ['AWS_REGION']}/{service}/aws4_request"
    key = b"AWS4" + os.environ["AWS_SECRET_ACCESS_KEY"].encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    text = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{sha(asked)}"
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    request = urllib.request.Request(base + "/", data=body.encode(), headers={
        "X-Amz-Date": date, "Content-Type": "application/x-www-form-urlencoded",
        "Authorization": f"AWS4-HMAC-SHA256 Credential={os.environ['AWS_ACCESS_KEY_ID']}/{scope}, "
                         f"SignedHeaders=host;x-amz-date, Signature={signature}"})
    try:
        return 200, urllib.request.urlopen(request).read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


if __name__ == "__main__":
    replies = [call(sys.argv[1], sys.argv[2], json.loads(text)) for text in sys.argv[3:]]
    print("\n".join(text for _, text in replies))
    sys.exit(0 if all(status == 200 for status, _ in replies) else 1)
