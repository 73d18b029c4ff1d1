"""An account with training jobs, for live_plan_test.sh: it answers the calls that read them.

    training_account.py JOBS.json CALLS.log

JOBS.json: {"jobs": [DescribeTrainingJob answers with Tags], "per_page": 2, "faults": {OPERATION:
[[STATUS, ERROR], ...]}, "slow": {OPERATION: [SECONDS, ...]}}.  A fault answers one call, and SECONDS
delay one; "gone" lists names that cannot be described.
It prints its port, writes each operation to CALLS.log, and refuses what changes an account."""
import http.server
import json
import sys
import time
import urllib.parse

with open(sys.argv[1], encoding="utf-8") as text:
    ACCOUNT = json.load(text)
JOBS = {job["TrainingJobName"]: job for job in ACCOUNT["jobs"]}
FAULTS = ACCOUNT.get("faults", {})
SLOW = ACCOUNT.get("slow", {})
IDENTITY = ("<GetCallerIdentityResponse><GetCallerIdentityResult><Account>111122223333</Account>"
            "</GetCallerIdentityResult></GetCallerIdentityResponse>")


def listed(asked):
    names = [job["TrainingJobName"] for job in JOBS.values()
             if job["TrainingJobStatus"] == asked["StatusEquals"]]
    at = int(asked.get("NextToken", 0))
    end = at + ACCOUNT.get("per_page", 100)
    answer = {"TrainingJobSummaries": [{"TrainingJobName": name} for name in names[at:end]]}
    if end < len(names):
        answer["NextToken"] = str(end)
    return 200, answer


def described(asked):
    name = asked["TrainingJobName"]
    if name in ACCOUNT.get("gone", []):
        return 400, {"__type": "ValidationException", "message": "Requested resource not found."}
    return 200, {key: value for key, value in JOBS[name].items() if key != "Tags"}


def tags(asked):
    job = JOBS[asked["ResourceArn"].rsplit("/", 1)[1]]
    return 200, {"Tags": [{"Key": key, "Value": value} for key, value in job["Tags"].items()]}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits 40 ms

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        target = self.headers.get("X-Amz-Target")
        operation = (target.split(".")[1] if target
                     else dict(urllib.parse.parse_qsl(body)).get("Action", ""))
        with open(sys.argv[2], "a", encoding="utf-8") as calls:
            calls.write(operation + "\n")
        if SLOW.get(operation):
            time.sleep(SLOW[operation].pop(0))
        status, answer = self.answer(operation, body)
        data = (answer if isinstance(answer, str) else json.dumps(answer)).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def answer(self, operation, body):
        signed = self.headers.get("Authorization", "")
        if not signed.startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"):
            return 403, {"__type": "MissingAuthenticationToken", "message": "not signed"}
        if FAULTS.get(operation):
            status, error = FAULTS[operation].pop(0)
            return status, {"__type": error, "message": "as the test asked"}
        if operation == "GetCallerIdentity":
            return 200, IDENTITY
        answers = {"ListTrainingJobs": listed, "DescribeTrainingJob": described, "ListTags": tags}
        if operation not in answers:
            return 400, {"__type": "AccessDeniedException", "message": "this account only reads"}
        return answers[operation](json.loads(body))

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
