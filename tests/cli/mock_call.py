"""Calls operations of the mock account in its environment: for tests, without botocore.

    mock_call.py SERVICE OPERATION PARAMETERS...    prints the replies; status 1 for a refusal

Each further argument is the JSON of one call; - reads standard input.  OPERATION: with its prefix
(AmazonSSM.PutParameter) for services that take JSON."""
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


def encoded(service, operation, parameters):
    """Path, headers and body of the wire format that the service has."""
    if service in VERSIONS:
        form = [("Action", operation), ("Version", VERSIONS[service]),
                *fields(parameters, "", service)]
        kind = {"content-type": "application/x-www-form-urlencoded"}
        return "/", kind, urllib.parse.urlencode(form)
    body = json.dumps(parameters)
    if service == "batch":
        return "/v1/" + operation.lower(), {"content-type": "application/json"}, body
    kind = {"content-type": "application/x-amz-json-1.1", "x-amz-target": operation}
    return "/", kind, body


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def call(service, operation, parameters):
    """The status and the text of the reply."""
    base = os.environ["AWS_ENDPOINT_URL"]
    clock = int(urllib.request.urlopen(os.environ["REEVE_CLOCK_URL"]).read())
    now = datetime.datetime.fromtimestamp(clock // 10**9, datetime.timezone.utc)
    date = now.strftime("%Y%m%dT%H%M%SZ")
    path, headers, body = encoded(service, operation, parameters)
    headers |= {"host": urllib.parse.urlsplit(base).netloc, "x-amz-date": date}
    names = ";".join(sorted(headers))
    asked = "\n".join(["POST", path, "", *(f"{name}:{headers[name]}" for name in sorted(headers)),
                       "", names, sha(body)])
    scope = f"{date[:8]}/{os.environ['AWS_REGION']}/{service}/aws4_request"
    key = b"AWS4" + os.environ["AWS_SECRET_ACCESS_KEY"].encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    text = f"AWS4-HMAC-SHA256\n{date}\n{scope}\n{sha(asked)}"
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={os.environ['AWS_ACCESS_KEY_ID']}/{scope}, "
        f"SignedHeaders={names}, Signature={signature}")
    request = urllib.request.Request(base + path, data=body.encode(), headers=headers)
    try:
        return 200, urllib.request.urlopen(request).read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


if __name__ == "__main__":
    texts = [sys.stdin.read() if text == "-" else text for text in sys.argv[3:]]
    replies = [call(sys.argv[1], sys.argv[2], json.loads(text)) for text in texts]
    print("\n".join(text for _, text in replies))
    sys.exit(0 if all(status == 200 for status, _ in replies) else 1)
