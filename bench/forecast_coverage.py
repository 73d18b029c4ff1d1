#!/usr/bin/env python3
"""How often the forecast of synthetic histories holds the GPU-hours of the weeks that came.

usage: python3 bench/forecast_coverage.py build/release/reeve [--histories 80] [--effect 0.5]
                                          [--weeks 4] [--runs 100]

Each history has twelve weeks of eight users; further weeks of the same law are the truth. --effect
is the standard deviation of a week effect that all users share, on the logarithm of their jobs; 0:
users are independent. Prints the share of histories whose truth is between the 5th and the 95th
percentile of the runs. The table of docs/explanation/statistics.md has these figures.
"""
import argparse
import csv
import json
import math
import pathlib
import random
import subprocess
import tempfile

WEEK = 7 * 86400
RECORDED = 12  # weeks
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
    """(submission, user, duration) in seconds, by submission."""
    users = [(draw.lognormvariate(math.log(12), 0.6), draw.lognormvariate(math.log(5400), 0.5))
             for _ in range(8)]
    jobs = []
    for week in range(weeks):
        level = draw.lognormvariate(-effect * effect / 2, effect)
        for user, (rate, median) in enumerate(users):
            for _ in range(poisson(draw, rate * level)):
                lasts = min(draw.lognormvariate(math.log(median), 1), 2 * 86400)
                jobs.append((week * WEEK + draw.randrange(WEEK), user, max(1, round(lasts))))
    return sorted(jobs)


def write_history(folder, jobs):
    with open(folder / "jobs.csv", "w", encoding="utf-8") as out:
        out.write("job_id,submit_s,user,gpus_total,duration_s,end_status\n")
        end = RECORDED * WEEK
        for number, (submit, user, lasts) in enumerate(jobs):
            if submit >= end:
                break
            runs = submit + lasts > end
            out.write(f"j{number},{submit},u{user},{GPUS},{min(lasts, end - submit)},"
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
    arguments = parser.parse_args()
    held = 0
    for seed in range(arguments.histories):
        jobs = jobs_of(random.Random(seed), RECORDED + arguments.weeks, arguments.effect)
        begin, end = RECORDED * WEEK, (RECORDED + arguments.weeks) * WEEK
        truth = sum(max(0, submit + lasts - max(submit, begin))
                    for submit, _, lasts in jobs if submit < end) * GPUS / 3600
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            write_history(folder, jobs)
            hours = forecast_hours(arguments.reeve, folder, arguments.weeks, arguments.runs, seed)
        low, high = hours[len(hours) // 20], hours[-1 - len(hours) // 20]
        held += low <= truth <= high
        print(f"{seed}: {truth:.0f} in [{low:.0f}, {high:.0f}], held {held} of {seed + 1}",
              flush=True)


main()
