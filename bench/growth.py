#!/usr/bin/env python3
"""Prints how the CPU time of each scheduling algorithm grows with the number of jobs.

    bench/growth.py [--reeve=FILE] [--jobs=1000,10000,100000] [--only=NAME,...] [--limit=SECONDS]

A row is an algorithm.  For each number of jobs it has the CPU seconds of `reeve run`, less those of
a run with one job, and from the second on the growth exponent: 1.0 is linear, 2.0 quadratic.  One
job is submitted per second to 64 instances, so nearly all of them are pending at once.  The program
ends with 1 if an exponent is above 1.3 although the algorithm is not excepted.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST = 1.3  # n log n from 1,000 to 10,000 jobs is 1.12
EXCEPTED = {"gavel"}  # its bound is on the page of the rule `schedule`
NOISE_S = 0.05  # figures below are the start of the program

SHARES = 4
INSTANCES = 64
TYPES = {"gpu": {"usd_per_hour": 3, "gpus": 1}}


def algorithms():
    """Name of the row: options of the rule."""
    kueue = {"within_cluster_queue": "lower_priority", "reclaim_within_cohort": "any"}
    rows = {name: {"algorithm": name} for name in (
        "fifo", "sjf", "priority", "srtf", "srsf", "las", "themis", "gavel", "quota", "fair_share",
        "max_min", "drf", "multifactor", "capacity", "kai")}
    rows["gittins"] = {"algorithm": "gittins", "gittins_lengths": [600, 3600, 36000]}
    rows["kueue"] = {"algorithm": "kueue", **kueue}
    rows["kueue_fair"] = {"algorithm": "kueue_fair", **kueue}
    rows["kueue_strict"] = {"algorithm": "kueue", "queueing_strategy": "strict_fifo", **kueue}
    for passing in ("any_fit", "easy", "conservative"):
        rows[f"fifo_{passing}"] = {"algorithm": "fifo", "backfill": passing}
    rows["multifactor_easy"] = {"algorithm": "multifactor", "backfill": "easy"}
    return rows


def draws(seed):
    """The same numbers on each machine."""
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield seed >> 33


def write_trace(file, jobs):
    numbers = draws(1)
    with open(file, "w", encoding="utf-8", newline="") as text:
        rows = csv.writer(text)
        rows.writerow(["job_id", "submit_s", "gpus_total", "duration_s", "priority", "queue"])
        for job in range(jobs):
            rows.writerow([f"j{job}", job, 2 ** (next(numbers) % 4), 600 + next(numbers) % 7200,
                           next(numbers) % 5, f"s{next(numbers) % SHARES}"])


def write_scenario(folder, jobs, rows):
    write_trace(folder / "jobs.csv", jobs)
    names = [f"s{share}" for share in range(SHARES)]
    scenario = {
        "reeve": 1,
        "name": "growth",
        "clock": {"start": "2026-01-05T00:00:00Z", "horizon": "until_done"},
        "prices": {"instances": TYPES},
        "fleet": [{"name": "f", "instance_type": "gpu", "capacity": INSTANCES,
                   "market": "reserved"}],
        "platform": {"model": "ideal"},
        "shares": [{"name": name, "quota": {"f": INSTANCES // SHARES},
                    "sharing": "lend_and_borrow", "in_share_preemption": True} for name in names],
        "queues": [{"name": "q", "fleet": "f", "shares": names}],
        "workload": {"trace": "jobs.csv", "queue": "q", "shares_from": "queue", "share": "s0",
                     "checkpoint": {"every": "1m", "cost": "0s"}},
        "policies": {name: [{"rule": "schedule", **options}] for name, options in rows.items()},
    }
    file = folder / "growth.jsonc"
    file.write_text(json.dumps(scenario), encoding="utf-8")
    return file


def children_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cpu_s(reeve, file, name, limit):
    """None: more than the limit."""
    before = children_s()
    command = [reeve, "run", file, "-p", name, "--threads", "1", "-q"]
    bounded = ["/bin/sh", "-c", f'ulimit -t {limit}; exec "$@"', "sh", *command]
    done = subprocess.run(bounded, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode < 0 or done.returncode > 100:
        return None
    if done.returncode != 0:
        sys.exit(f"reeve failed for {name}:\n{done.stdout.decode()[-2000:]}")
    return children_s() - before


def exponent(before, after, ratio):
    if after is None or before is None or before < NOISE_S:
        return None
    return math.log(after / before) / math.log(ratio)


def show(value, form):
    return format("-", ">9") if value is None else format(value, form)


def measure(reeve, sizes, rows, limit):
    """Yields each row with its CPU seconds for each number of jobs."""
    with tempfile.TemporaryDirectory() as name:
        files = []
        for size in (1, *sizes):
            folder = pathlib.Path(name) / str(size)
            folder.mkdir()
            files.append(write_scenario(folder, size, rows))
        for row in rows:
            base = cpu_s(reeve, files[0], row, limit)
            spent = []
            for file in files[1:]:
                gave_up = bool(spent) and spent[-1] is None
                used = None if gave_up else cpu_s(reeve, file, row, limit)
                spent.append(None if used is None else max(used - base, 0.0))
            yield row, spent


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reeve", default=str(ROOT / "build/release/reeve"))
    parser.add_argument("--jobs", default="1000,10000,100000", help="ascending; up to 1000000")
    parser.add_argument("--only", help="rows. Default: all")
    parser.add_argument("--limit", type=int, default=600, help="CPU seconds of one run")
    arguments = parser.parse_args()
    rows = algorithms()
    if arguments.only:
        unknown = set(arguments.only.split(",")) - set(rows)
        if unknown:
            sys.exit(f"no row {', '.join(sorted(unknown))}; rows: {', '.join(rows)}")
        rows = {name: rows[name] for name in arguments.only.split(",")}
    sizes = [int(size) for size in arguments.jobs.split(",")]
    columns = [f"{size:>9,} {'exponent' if place else '':>9}" for place, size in enumerate(sizes)]
    print(f"{'algorithm':<18}" + " ".join(columns), flush=True)
    steep = []
    for name, spent in measure(os.path.abspath(arguments.reeve), sizes, rows, arguments.limit):
        cells = []
        for place, used in enumerate(spent):
            grows = None
            if place > 0:
                ratio = sizes[place] / sizes[place - 1]
                grows = exponent(spent[place - 1], used, ratio)
            blank = place == 0
            cells.append(f"{show(used, '9.2f')} {'':>9}" if blank
                         else f"{show(used, '9.2f')} {show(grows, '9.2f')}")
            if grows is not None and grows > MOST and name not in EXCEPTED:
                steep.append(name)
        print(f"{name:<18}" + " ".join(cells), flush=True)
    if steep:
        sys.exit(f"steeper than n log n: {', '.join(dict.fromkeys(steep))}")


if __name__ == "__main__":
    main()
