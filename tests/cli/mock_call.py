"""Calls an operation of a mock account: mock_call.py SERVICE TARGET PARAMETERS, a JSON object."""
import datetime
import hashlib
import hmac
import json
import os
import sys
import urllib.parse
import urllib.request

service, target, parameters = sys.argv[1:4]
body = json.dumps(json.loads(parameters)).encode()
url = os.environ["AWS_ENDPOINT_URL"]
region = os.environ["AWS_REGION"]
clock = int(urllib.request.urlopen(os.environ["REEVE_CLOCK_URL"]).read())
now = datetime.datetime.fromtimestamp(clock // 10**9, datetime.timezone.utc)
at = now.strftime("%Y%m%dT%H%M%SZ")
headers = {
    "content-type": "application/x-amz-json-1.1",
    "host": urllib.parse.urlsplit(url).netloc,
    "x-amz-date": at,
    "x-amz-target": target,
}
names = ";".join(sorted(headers))
canonical = "\n".join(
    ["POST", "/", ""]
    + [f"{name}:{headers[name]}" for name in sorted(headers)]
    + ["", names, hashlib.sha256(body).hexdigest()]
)
scope = f"{at[:8]}/{region}/{service}/aws4_request"
text = f"AWS4-HMAC-SHA256\n{at}\n{scope}\n{hashlib.sha256(canonical.encode()).hexdigest()}"
key = b"AWS4" + os.environ["AWS_SECRET_ACCESS_KEY"].encode()
for part in scope.split("/"):
    key = hmac.digest(key, part.encode(), "sha256")
signature = hmac.new(key, text.encode(), "sha256").hexdigest()
headers["authorization"] = (
    f"AWS4-HMAC-SHA256 Credential={os.environ['AWS_ACCESS_KEY_ID']}/{scope}, "
    f"SignedHeaders={names}, Signature={signature}"
)
try:
    with urllib.request.urlopen(urllib.request.Request(url + "/", body, headers)) as reply:
        print(reply.read().decode())
except urllib.error.HTTPError as error:
    print(error.read().decode())
    sys.exit(1)
