#!/usr/bin/env python3
"""Compares the benchmarks of two builds: the ratio of each CPU time, of a run that alternates.

    bench/compare_builds.py BUILD OTHER_BUILD [--rounds=5] [--only=PROGRAM]...

Runs each program of bench/bounds.json in turn from both builds and keeps the least of each figure
that is a time: what else runs on the machine makes a figure worse, never better. Prints
BUILD / OTHER_BUILD: below 1 BUILD is faster.
"""

import argparse
import json
import pathlib
import sys

from check_bounds import ROOT, measure


def is_time(key):
    return key.endswith("cpu_s")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("other", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", metavar="PROGRAM")
    arguments = parser.parse_args()
    builds = [arguments.build.resolve(), arguments.other.resolve()]
    programs = json.loads((ROOT / "bench" / "bounds.json").read_text())["programs"]
    ratios = []
    for program, call in programs.items():
        judged_elsewhere = program in ("build_cpu", "bootstrap")
        if judged_elsewhere or (arguments.only and program not in arguments.only):
            continue
        least = [{}, {}]
        for _ in range(arguments.rounds):
            for build, figures in zip(builds, least):
                for key, value in measure(build, program, call["arguments"]).items():
                    if is_time(key):
                        figures[key] = min(value, figures.get(key, value))
        for key in sorted(set(least[0]) & set(least[1])):
            ratios.append(least[0][key] / least[1][key])
            print(f"{key:<40}{least[0][key]:>10.4g} s{least[1][key]:>10.4g} s{ratios[-1]:>8.3f}")
            sys.stdout.flush()
    if not ratios:
        sys.exit("no figure was compared")
    print(f"{len(ratios)} figures, the largest ratio {max(ratios):.3f}")


if __name__ == "__main__":
    main()
