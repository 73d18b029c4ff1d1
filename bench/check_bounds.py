#!/usr/bin/env python3
"""Runs the benchmarks and compares what they measure with bench/bounds.json.

    bench/check_bounds.py [--build=build/release] [--only=PROGRAM]...

Ends with 1 if a figure breaks its bound or a bound has no figure.  Seconds are CPU seconds where the
key says cpu_s: the least of several tries, user and system time together, because a machine that
others use makes wall time say little.  A program whose figures break a bound is run again, twice at
most, and the best of each figure counts: whatever disturbs a measurement makes it worse.
"""

import argparse
import fnmatch
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROUNDS = 3
LIVE_SCENARIO = """{ "reeve": 1,
  "live": { "account": "123456789012", "region": "us-east-1" },
  "prices": { "instances": { "ml.x": { "usd_per_hour": 30, "gpus": 8 } } },
  "platform": { "model": "sagemaker-training", "startup": "2m" },
  "fleet": [ { "name": "pool", "instance_type": "ml.x", "capacity": 100 } ],
  "guards": { "stops_per_hour": 50 },
  "policies": { "guardrails": [
    { "rule": "stalled_gpu", "hosts": ["all"] },
    { "rule": "required_tags", "keys": ["team"], "mode": "warn" },
    { "rule": "resume", "when": ["stopped_by:stalled_gpu", "failed"], "max_resumes": 1 } ] } }
"""


def first_output_s(program):
    """From the start of a process to its first byte, the least of 25."""
    least = float("inf")
    for _ in range(25):
        begin = time.monotonic()
        with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              stdin=subprocess.DEVNULL) as child:
            first = child.stdout.read(1)
            took = time.monotonic() - begin
            child.stdout.read()
        if not first or child.returncode != 0:
            sys.exit(f"{' '.join(map(str, program))}: no output, or it failed")
        least = min(least, took)
    return least


def first_get_ms(program):
    """From the start of the Lambda function to its first GET of the runtime, median of 25."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as runtime:
        place = f"127.0.0.1:{runtime.getsockname()[1]}"
        environment = {"AWS_LAMBDA_RUNTIME_API": place, "REEVE_TABLE": "reeve",
                       "LAMBDA_TASK_ROOT": folder}
        (pathlib.Path(folder) / "reeve.jsonc").write_text(LIVE_SCENARIO)
        runtime.settimeout(10)
        took = []
        for _ in range(25):
            begin = time.monotonic()
            child = subprocess.Popen([program], env=environment, stderr=subprocess.DEVNULL)
            try:
                caller, _ = runtime.accept()
                caller.settimeout(10)
                asked = caller.recv(3)
                took.append(1000 * (time.monotonic() - begin))
                caller.close()
            except TimeoutError:
                sys.exit(f"{program}: it did not ask for an event within 10 s")
            finally:
                child.kill()
                child.wait()
            if asked != b"GET":
                sys.exit(f"{program}: asked {asked!r} in place of its first event")
    return sorted(took)[len(took) // 2]


def measure(build, program, arguments):
    """The figures of one program, as {key: number}."""
    if program == "bootstrap":
        bootstrap = build / "lambda" / "bootstrap"
        if not bootstrap.is_file():
            sys.exit(f"{bootstrap}: not there; "
                     "cmake --preset release && cmake --build --preset release")
        return {"lambda/first_get_ms": first_get_ms(bootstrap),
                "lambda/mb": bootstrap.stat().st_size / 1e6}
    if program == "reeve demo":
        return {"demo/first_output_s": first_output_s([build / "reeve", "demo"])}
    script = ROOT / "bench" / f"{program}.py"
    path = script if script.is_file() else build / "bench" / program
    if not path.is_file():
        sys.exit(f"{path}: not there; cmake --build --preset release")
    with tempfile.TemporaryDirectory() as folder:
        figures = pathlib.Path(folder) / "figures.json"
        done = subprocess.run([path, *arguments, f"--json={figures}"], cwd=ROOT, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0 or not figures.is_file():
            sys.exit(f"{path} failed:\n{done.stdout}")
        return json.loads(figures.read_text())


def broken(bound, value):
    return (value > bound["at_most"]) if "at_most" in bound else (value < bound["at_least"])


def better(bound, a, b):
    return min(a, b) if "at_most" in bound else max(a, b)


def judge(build, program, arguments, bounds):
    """Measures until nothing is broken or the rounds are over; rows of (bound, key, value)."""
    best = {}
    figures = {}
    for round_number in range(1, ROUNDS + 1):
        print(f"{program}: measuring" + (f" again ({round_number})" if round_number > 1 else ""),
              file=sys.stderr)
        figures = measure(build, program, arguments)
        for index, bound in enumerate(bounds):
            for key in fnmatch.filter(figures, bound["key"]):
                value = figures[key]
                if (index, key) in best:
                    value = better(bound, value, best[index, key])
                best[index, key] = value
        if not any(broken(bounds[index], value) for (index, _), value in best.items()):
            break
    rows = [(bounds[index], key, value) for (index, key), value in best.items()]
    for index, bound in enumerate(bounds):
        if not any(known == index for known, _ in best):
            rows.append((bound, bound["key"], None))
    unbounded = {key: value for key, value in figures.items()
                 if not any(fnmatch.fnmatchcase(key, bound["key"]) for bound in bounds)}
    return rows, unbounded


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--only", action="append", metavar="PROGRAM")
    arguments = parser.parse_args()
    wanted = json.loads((ROOT / "bench" / "bounds.json").read_text())
    unknown = set(arguments.only or []) - set(wanted["programs"])
    if unknown:
        sys.exit(f"{', '.join(sorted(unknown))}: not in bench/bounds.json")
    failures = 0
    for program, call in wanted["programs"].items():
        if arguments.only and program not in arguments.only:
            continue
        rows, unbounded = judge(arguments.build.resolve(), program, call["arguments"],
                                call["bounds"])
        for bound, key, value in rows:
            limit = f"<= {bound['at_most']:g}" if "at_most" in bound else f">= {bound['at_least']:g}"
            wrong = value is None or broken(bound, value)
            failures += wrong
            shown = "no figure" if value is None else f"{value:.4g}"
            print(f"{key:<34}{shown:>12}  {limit:<12}{'BROKEN' if wrong else 'ok'}")
        for key, value in unbounded.items():
            print(f"{key:<34}{value:>12.4g}  {'':<12}no bound")
        sys.stdout.flush()
    print("cpu_s: user and system time, the least of several tries; wall_s is shown, not judged. "
          "demo/first_output_s: wall time, the least of 25.")
    if failures:
        print(f"{failures} broken")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
