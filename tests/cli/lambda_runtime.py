#!/usr/bin/env python3
"""The runtime interface of AWS Lambda on loopback, for one process of the program `bootstrap`.

lambda_runtime.py PROGRAM PAYLOAD...: starts the program, gives it each payload (a file with JSON; N*FILE
gives it N times), and kills it when all are answered. It prints JSON: the answers, the exit status of a
program that ends by itself, and what was measured. The account is that of AWS_ENDPOINT_URL.

--kill N:before  kills the program when its Nth write arrives, which is then lost
--kill N:after   kills it when the account has answered that write
--wait N:FILE    holds its Nth write back: creates FILE, and waits until FILE is gone
--direct         calls go to the account itself: no write is counted
--chroot FOLDER  starts the program in it
--tls NAME:FILE  the account has this host name in a name server of its own, and the certificate and key in
                 FILE; needs root"""
import argparse
import http.client
import http.server
import json
import os
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

WRITES = ("DynamoDB_20120810.PutItem", "SageMaker.StopTrainingJob", "SageMaker.CreateTrainingJob")


class Lambda:
    """What the handlers share."""

    def __init__(self, arguments):
        self.lock = threading.Condition()
        self.payloads = []
        for text in arguments.payloads:
            times, _, name = text.rpartition("*")
            with open(name, encoding="utf-8") as file:
                self.payloads += [file.read()] * int(times or 1)
        self.given = 0
        self.answers = []
        self.rss = []
        self.init_error = None
        self.writes = []
        self.kill_at, self.kill_when = 0, ""
        if arguments.kill:
            number, self.kill_when = arguments.kill.split(":")
            self.kill_at = int(number)
        self.wait_at, self.wait_file = 0, ""
        if arguments.wait:
            number, self.wait_file = arguments.wait.split(":")
            self.wait_at = int(number)
        self.account = ""
        self.process = None
        self.is_killed = False

    def kill(self):
        self.is_killed = True
        self.process.send_signal(signal.SIGKILL)

    def resident(self):
        try:
            with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
                return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))
        except (OSError, AttributeError):
            return 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # the body would wait 40 ms for the client to acknowledge the head
    shared: Lambda

    def reply(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def log_message(self, *_):
        pass


class Runtime(Handler):
    def do_GET(self):
        shared = self.shared
        assert self.path == "/2018-06-01/runtime/invocation/next", self.path
        with shared.lock:
            shared.rss.append(shared.resident())
            if shared.given == len(shared.payloads):
                shared.lock.notify_all()
                shared.lock.wait()  # as Lambda does, until the process ends
                return
            payload = shared.payloads[shared.given].encode()
            shared.given += 1
        self.reply(200, payload, [
            ("Content-Type", "application/json"),
            ("Lambda-Runtime-Aws-Request-Id", f"request-{shared.given}"),
            ("Lambda-Runtime-Deadline-Ms", str(int(time.time() * 1000) + 60_000)),
            ("Lambda-Runtime-Invoked-Function-Arn",
             "arn:aws:lambda:us-east-1:123456789012:function:reeve")])

    def do_POST(self):
        shared, body = self.shared, json.loads(self.body())
        end = self.path.removeprefix("/2018-06-01/runtime/").split("/")
        with shared.lock:
            if end == ["init", "error"]:
                shared.init_error = body
            else:
                assert end[0] == "invocation" and end[1] == f"request-{shared.given}", self.path
                shared.answers.append({end[2]: body})
        self.reply(202, b'{"status":"OK"}')


class Account(Handler):
    """Passes calls on to the account, and counts those that write."""

    def do_any(self):
        shared, body = self.shared, self.body()
        target = self.headers.get("X-Amz-Target") or ""
        is_write = target in WRITES or body.startswith(b"Action=Publish")
        with shared.lock:
            if is_write:
                shared.writes.append(target.split(".")[-1] or "Publish")
            is_last = is_write and len(shared.writes) == shared.kill_at
            if is_last and shared.kill_when == "before":
                shared.kill()
                return
            if shared.is_killed:
                return
            must_wait = is_write and len(shared.writes) == shared.wait_at
        if must_wait:
            open(shared.wait_file, "w", encoding="utf-8").close()
            while os.path.exists(shared.wait_file):
                time.sleep(0.01)
        account = http.client.HTTPConnection(self.shared.account, timeout=60)
        account.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            account.putheader(name, value)
        account.endheaders(body)
        answer = account.getresponse()
        content = answer.read()
        account.close()
        if is_last:
            shared.kill()
            return
        self.reply(answer.status, content, [
            (name, value) for name, value in answer.getheaders()
            if name.lower() not in ("content-length", "connection")])

    do_GET = do_POST = do_any


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass  # the program was killed


def answer_names(address):
    """A name server: each name is 127.0.0.1, and has no other address."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((address, 53))
    while True:
        query, client = server.recvfrom(512)
        end = query.index(b"\0", 12) + 5
        is_ipv4 = query[end - 4:end - 2] == b"\0\1"
        answer = query[:2] + b"\x81\x80\0\1" + (b"\0\1" if is_ipv4 else b"\0\0") + b"\0\0\0\0"
        answer += query[12:end]
        if is_ipv4:
            answer += b"\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\x7f\0\0\1"
        server.sendto(answer, client)


def serve(kind, shared, certificate=""):
    handler = type(kind.__name__, (kind,), {"shared": shared})
    server = Server(("127.0.0.1", 0), handler)
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"127.0.0.1:{server.server_address[1]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("payloads", nargs="*")
    parser.add_argument("--kill", default="")
    parser.add_argument("--wait", default="")
    parser.add_argument("--direct", action="store_true")
    parser.add_argument("--chroot", default="")
    parser.add_argument("--tls", default="")
    parser.add_argument("--limit", type=float, default=120)
    arguments = parser.parse_intermixed_args()
    shared = Lambda(arguments)
    folder = "/" if arguments.chroot else os.getcwd()
    environment = dict(os.environ, AWS_LAMBDA_RUNTIME_API=serve(Runtime, shared),
                       LAMBDA_TASK_ROOT=folder)
    endpoint = environment.get("AWS_ENDPOINT_URL")
    if endpoint and not arguments.direct:
        shared.account = urllib.parse.urlsplit(endpoint).netloc
        name, _, certificate = arguments.tls.partition(":")
        place = serve(Account, shared, certificate)
        environment["AWS_ENDPOINT_URL"] = "http://" + place
        if name:
            threading.Thread(target=answer_names, args=("127.0.0.2",), daemon=True).start()
            environment["AWS_ENDPOINT_URL"] = f"https://{name}:" + place.split(":")[1]
    enter = (lambda: (os.chroot(arguments.chroot), os.chdir("/"))) if arguments.chroot else None
    started = time.monotonic()
    shared.process = subprocess.Popen([arguments.program], env=environment, preexec_fn=enter)
    end = started + arguments.limit
    with shared.lock:
        while time.monotonic() < end and len(shared.rss) <= len(shared.payloads):
            shared.lock.wait(0.02)
            if shared.process.poll() is not None:
                break
    code = shared.process.poll()
    if code is None:
        shared.process.kill()
        shared.process.wait()
    print(json.dumps({
        "answers": shared.answers, "init_error": shared.init_error, "exit": code,
        "killed": shared.is_killed, "writes": shared.writes,
        "rss_kb": shared.rss[:1] + shared.rss[len(shared.rss) // 10:][:1] + shared.rss[-1:]}))
    sys.exit(0 if code is not None or len(shared.answers) == len(shared.payloads) else 1)


if __name__ == "__main__":
    main()
