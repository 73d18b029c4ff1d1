#!/usr/bin/env bash
# compare --github: one comment of a pull request, written once and edited on each push, against a
# server that plays the API of GitHub.
source "$(dirname "$0")/expect.bash"

cat >github.py <<'PYTHON'
"""Comments of issue 7 of team/jobs, kept in comments.json. The file `fault`: the next reply."""
import json, os, socket
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qs, urlparse

comments = [{"id": n, "body": f"comment {n}", "user": {"login": "ann", "type": "User"}}
            for n in range(149)]
# Anyone can copy the mark.
comments.append({"id": 149, "body": "<!-- reeve compare week.jsonc -->\nI approve",
                 "user": {"login": "mallory", "type": "User"}})
ISSUES = "/api/repos/team/jobs/issues"

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else a body waits 40 ms

    def log_message(self, *rest):
        pass

    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with open("calls", "a") as calls:
            calls.write(f"{self.command} {self.path}\n")
        if self.headers["Authorization"] != "Bearer s3cret" or not self.headers["User-Agent"]:
            return self.reply(401, {"message": "Bad credentials"})
        url = urlparse(self.path)
        if url.path == "/api/user":  # a workflow has no user
            return self.reply(403, {"message": "Resource not accessible by integration"})
        fault = open("fault").read().strip() if os.path.exists("fault") else ""
        if fault and (fault != "lost" or self.command != "GET"):
            os.remove("fault")
        if fault in ("500", "403"):
            return self.reply(int(fault), {"message": "no"})
        if self.command == "GET" and url.path == ISSUES + "/7/comments":
            query = {key: int(value[0]) for key, value in parse_qs(url.query).items()}
            first = (query["page"] - 1) * query["per_page"]
            return self.reply(200, comments[first:first + query["per_page"]])
        text = json.loads(body)["body"] if body else ""
        if self.command == "POST" and url.path == ISSUES + "/7/comments":
            comments.append({"id": 1000 + len(comments), "body": text,
                             "user": {"login": "github-actions[bot]", "type": "Bot"}})
            comment = comments[-1]
        else:
            number = int(url.path.removeprefix(ISSUES + "/comments/"))
            comment = next(of for of in comments if of["id"] == number)
            comment["body"] = text
        json.dump(comments[150:], open("comments.json", "w"))
        if fault == "lost":  # after its effect
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        self.reply(201, {"id": comment["id"], "html_url": f"https://example.test/{comment['id']}"})

    do_GET = do_POST = do_PATCH = answer

server = HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
PYTHON
python3 github.py >port 2>server.log &
server=$!
trap 'kill "$server" 2>/dev/null' EXIT
for _ in $(seq 100); do [ -s port ] && break; sleep 0.1; done
[ -s port ] || fail "the server does not start"

cp "$source_root/scenarios/gallery/drawn-stalls.jsonc" week.jsonc
export GITHUB_API_URL=http://127.0.0.1:$(cat port)/api GITHUB_REPOSITORY=team/jobs
export GITHUB_REF=refs/pull/7/merge GITHUB_TOKEN=s3cret no_proxy=127.0.0.1

# The first push writes the comment.
run 0 compare week.jsonc --github
has stderr 'comment: https://example.test/1150'
lacks stdout s3cret
lacks stderr s3cret
sed 's/[ ?].*//' calls | tr '\n' ' ' >methods
[ "$(cat methods)" = 'GET GET GET POST ' ] || fail "other calls: $(cat calls)"
python3 - <<'PYTHON' || fail "the comment is wrong"
import csv, json
(comment,) = json.load(open("comments.json"))
lines = comment["body"].splitlines()
assert lines[0] == "<!-- reeve compare week.jsonc -->", lines[0]
assert "| policy | cost | verdict | false stops | time to result |" in lines, lines
watchdog = next(line for line in lines if line.startswith("| `` watchdog ``"))
assert "−$24,120.42 (−$28,306.11 to −$19,934.73) | better" in watchdog, watchdog
assert any(line.startswith("`` watchdog saves $24,120.42") for line in lines), lines
assert "✓ 6 of 6 expectations" in lines
PYTHON

# The next push edits it, also after an error of the server.
sed -i 's/"runs": 20/"runs": 10/; s/"that": "jobs_done >= 49"/"that": "jobs_done >= 51"/' week.jsonc
: >calls
echo 500 >fault
run 99 compare week.jsonc --github
has stderr 'comment: https://example.test/1150'
grep -q '^PATCH /api/repos/team/jobs/issues/comments/1150$' calls || fail "no edit: $(cat calls)"
! grep -q POST calls || fail "a second comment"
python3 - <<'PYTHON' || fail "the edited comment is wrong"
import json
(comment,) = json.load(open("comments.json"))
assert "10 runs" in comment["body"] and "✗" in comment["body"], comment["body"]
PYTHON

# Another scenario has its own comment, written once although the reply is lost.
cp "$source_root/scenarios/gallery/stalled-weekend.jsonc" weekend.jsonc
echo lost >fault
run 0 compare weekend.jsonc --github -q
python3 - <<'PYTHON' || fail "not one comment for each scenario"
import json
first, second = json.load(open("comments.json"))
assert second["body"].startswith("<!-- reeve compare weekend.jsonc -->\n"), second
assert "| `` gpu-alarm ``" in second["body"], second
PYTHON

# Names are no Markdown.
sed 's/"gpu-alarm"/"@octo-org"/g; s/"alarm+resume"/"a|b"/g; /"expect"/,/\]/d' \
  weekend.jsonc >names.jsonc
run 0 compare names.jsonc --github -q
python3 - <<'PYTHON' || fail "a name is read as Markdown"
import json
body = json.load(open("comments.json"))[-1]["body"]
assert "| `` @octo-org `` |" in body and "| `` a\\|b `` |" in body, body
assert "@" not in body.replace("`` @octo-org ``", "").split("Against")[1], body
PYTHON

# What GitHub refuses is said, after the comparison.
echo 403 >fault
run 1 compare weekend.jsonc --github
has stdout 'alarm+resume saves'
has stderr 'status 403: no; the job needs the permission pull-requests: write'
GITHUB_TOKEN=other run 1 compare weekend.jsonc --github
has stderr 'status 401: Bad credentials'

# Half a result replaces no comment.
: >calls
status=0
timeout --preserve-status -s INT 1 "$REEVE" compare week.jsonc --runs 1000000 --github \
  >stdout 2>stderr || status=$?
[ "$status" -eq 130 ] || fail "an interrupted comparison ends with $status"
has stderr 'no comment: the runs were interrupted'
is_empty calls

# A push to a branch has no pull request; outside of a workflow there is nothing to write to.
GITHUB_REF=refs/heads/main run 0 compare weekend.jsonc --github
has stderr 'no comment: the workflow runs for no pull request'
GITHUB_REF='' run 64 compare weekend.jsonc --github
has stderr 'GITHUB_REPOSITORY and GITHUB_REF are not set'
GITHUB_TOKEN='' run 64 compare weekend.jsonc --github
has stderr 'GITHUB_TOKEN is not set'
GITHUB_REPOSITORY=../x run 64 compare weekend.jsonc --github
has stderr 'not OWNER/NAME'
GITHUB_API_URL=http://example.test run 64 compare weekend.jsonc --github
has stderr 'not an address of https'
done_checking
