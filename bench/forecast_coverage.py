#!/usr/bin/env python3
"""How often the forecast holds the GPU-hours of the jobs of the weeks that came.

usage: python3 bench/forecast_coverage.py build/release/reeve [--histories 80] [--effect 0.5]
                                          [--weeks 4] [--runs 100] [--traces FILE...]

Synthetic histories have twelve weeks of eight users; further weeks of the same law are the truth.
--effect is the standard deviation of a week effect that all users share, on the logarithm of their
jobs; 0: users are independent. --traces takes job traces instead (CSV, also .gz, with submit_s,
duration_s, gpus_total and maybe user): from the first job on, each four whole weeks or more are a
history, the weeks after them the truth. Prints the share of histories whose truth is between the
5th and the 95th percentile of the runs. The table of docs/explanation/statistics.md has these
figures.
"""
import argparse
import csv
import gzip
import json
import math
import pathlib
import random
import subprocess
import tempfile

WEEK = 7 * 86400
RECORDED = 12  # weeks
LEAST = 4      # weeks of a trace
GPUS = 8       # of an instance, which each job takes whole


def poisson(draw, mean):
    """Knuth's method in parts, since exp(-mean) must not be 0."""
    count = 0
    while mean > 0:
        part = min(mean, 30)
        mean -= part
        limit, product = math.exp(-part), draw.random()
        while product > limit:
            count += 1
            product *= draw.random()
    return count


def jobs_of(draw, weeks, effect):
    """(submission, user, duration, GPUs) by submission, in seconds."""
    users = {f"u{user}": (draw.lognormvariate(math.log(12), 0.6),
                          draw.lognormvariate(math.log(5400), 0.5)) for user in range(8)}
    jobs = []
    for week in range(weeks):
        level = draw.lognormvariate(-effect * effect / 2, effect)
        for user, (rate, median) in users.items():
            for _ in range(poisson(draw, rate * level)):
                lasts = min(draw.lognormvariate(math.log(median), 1), 2 * 86400)
                begin = week * WEEK + draw.randrange(WEEK)
                jobs.append((begin, user, max(1, round(lasts)), GPUS))
    return sorted(jobs)


def synthetic(histories, effect, weeks):
    """(name, jobs, weeks of the record) of each history."""
    for seed in range(histories):
        yield seed, jobs_of(random.Random(seed), RECORDED + weeks, effect), RECORDED


def recorded(traces, weeks):
    """The same of traces: as many as they have weeks to come."""
    for trace in traces:
        opened = gzip.open if trace.endswith(".gz") else open
        with opened(trace, "rt", encoding="utf-8", newline="") as table:
            rows = [(float(row["submit_s"]), row.get("user", ""), float(row["duration_s"]),
                     int(row["gpus_total"])) for row in csv.DictReader(table)]
        first = min(rows)[0]
        jobs = sorted((begin - first, *others) for begin, *others in rows)
        whole = int(jobs[-1][0] // WEEK)
        for record in range(LEAST, whole - weeks + 1):
            yield f"{trace}, {record} weeks", jobs, record


def write_history(folder, jobs, weeks):
    with open(folder / "jobs.csv", "w", encoding="utf-8") as out:
        out.write("job_id,submit_s,user,gpus_total,duration_s,end_status\n")
        end = weeks * WEEK
        for number, (submit, user, lasts, gpus) in enumerate(jobs):
            if submit >= end:
                break
            runs = submit + lasts > end
            out.write(f"j{number},{submit},{user},{gpus},{min(lasts, end - submit)},"
                      f"{'running' if runs else 'completed'}\n")
    (folder / "history.jsonc").write_text(json.dumps({
        "reeve": 1, "clock": {"start": "2026-01-05T00:00:00Z"},
        "prices": {"instances": {"one": {"usd_per_hour": 1, "gpus": 1, "managed": False}}},
        "fleet": [{"name": "pool", "instance_type": "one", "capacity": 100000}],
        "platform": {"model": "ideal"},
        "workload": {"trace": "jobs.csv", "instances_from": "gpus_total"},
        "policies": {"as-it-was": []}}), encoding="utf-8")


def reeve(program, *arguments):
    done = subprocess.run([program, "-q", *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{arguments}: {done.stderr[-2000:]}")


def forecast_hours(program, folder, weeks, runs, seed):
    reeve(program, "fit", folder / "history.jsonc", "-o", folder, "--weeks", weeks, "--no-hold-out")
    out = folder / "out"
    reeve(program, "run", folder / "forecast.jsonc", "--runs", runs, "--seed", seed, "-o", out)
    with open(out / "metrics.csv", encoding="utf-8", newline="") as table:
        rows = [row for row in csv.DictReader(table) if row["metric"] == "productive_gpu_hours"]
    return sorted(float(row["value"]) for row in rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reeve")
    parser.add_argument("--histories", type=int, default=80)
    parser.add_argument("--effect", type=float, default=0)
    parser.add_argument("--weeks", type=int, default=4)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--traces", nargs="+", metavar="FILE")
    arguments = parser.parse_args()
    weeks = arguments.weeks
    histories = (recorded(arguments.traces, weeks) if arguments.traces else
                 synthetic(arguments.histories, arguments.effect, weeks))
    held = 0
    for number, (name, jobs, record) in enumerate(histories):
        begin, end = record * WEEK, (record + weeks) * WEEK
        truth = sum(lasts * gpus for submit, _, lasts, gpus in jobs
                    if begin <= submit < end) / 3600
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            write_history(folder, jobs, record)
            hours = forecast_hours(arguments.reeve, folder, weeks, arguments.runs, number)
        low, high = hours[len(hours) // 20], hours[-1 - len(hours) // 20]
        held += low <= truth <= high
        print(f"{name}: {truth:.0f} in [{low:.0f}, {high:.0f}], held {held} of {number + 1}",
              flush=True)


main()
